// Formats through other libraries, from outside: FBX and COLLADA in, GLB out.
import { equal, finish, good, holds, json, match, run, shared, skip, test, validate } from "./harness.mjs";
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
finish();
