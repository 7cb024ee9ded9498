// Formats through other libraries, from outside: FBX and COLLADA in, GLB out.
import { bad, equal, finish, good, holds, json, match, run, shared, skip, strip, test, validate, writeGlb } from "./harness.mjs";
import fs from "node:fs";
import path from "node:path";

const models = [["skinned/animation_with_skeleton.fbx", 1058, 1056, 14], ["skinned/stormtrooper.dae", 3275, 6518, 52]];

// The JSON part of a GLB.
function readGlb(file) {
    const bytes = fs.readFileSync(file);
    return JSON.parse(bytes.toString("utf8", 20, 20 + bytes.readUInt32LE(12)));
}

for (const [name, points, faces, joints] of models) {
    for (const chain of ["linear", "dualquat"]) {
        await test(`${name} bakes with ${chain} into a valid GLB of the same points`, folder => {
            const file = shared(name), out = path.join(folder, "out.glb");
            if (!run(["inspect", `${folder}/a.xyzzy`]).err.includes(".fbx")) skip("this build is without assimp");
            const r = json(["bake", file, out, "--deform", chain, "--fps", "10", "--quiet"]);
            equal(r.points, points, "points");
            validate(out);
            const again = json(["inspect", out]);
            equal(JSON.stringify(again).includes(`"points":${points}`), true, "points read back");
            equal(JSON.stringify(again).includes(`"faces":${faces}`), true, "faces read back");
            match(good(["inspect", file]).out, new RegExp(`\\b${joints} joints`));
        });
    }
}
await test("quads of an FBX are written as polygons, and the extension is listed", folder => {
    const file = shared(models[0][0]), out = path.join(folder, "out.glb");
    if (!run(["inspect", `${folder}/a.xyzzy`]).err.includes(".fbx")) skip("this build is without assimp");
    good(["bake", file, out, "--end", "0"]);
    const gltf = readGlb(out);
    holds(gltf.extensionsUsed.includes("FB_ngon_encoding"), "extensionsUsed");
    holds(gltf.meshes[0].primitives[0].extensions.FB_ngon_encoding, "the primitive says so");
});
await test("a VRM is the glTF it is, and its own extension stays in what is baked", folder => {
    const model = strip(), file = path.join(folder, "avatar.vrm"), out = path.join(folder, "out.glb");
    model.json.extensionsUsed = ["VRM"];
    model.json.extensions = { VRM: { specVersion: "0.0", humanoid: { humanBones: [{ bone: "hips", node: 1 }] } } };
    writeGlb(file, model);
    const r = json(["bake", file, out, "--quiet"]);
    holds(r.points > 0, "points");
    equal(JSON.stringify(readGlb(out).extensions), JSON.stringify(model.json.extensions), "its extension");
    bad(["bake", file, path.join(folder, "out.vrm")], 1, /\.vrm files can be read but not baked to/);
});
await test("an FBX is a truth to compare with", folder => {
    const file = shared(models[0][0]);
    if (!run(["inspect", `${folder}/a.xyzzy`]).err.includes(".fbx")) skip("this build is without assimp");
    const r = json(["compare", file, "--deform", "linear", "--start", "0", "--end", "0", "--truth", file]);
    holds(r.chains[0].error.max < 1e-4 * r.diagonal, `error ${r.chains[0].error.max} of ${r.diagonal}`);
});
finish();
