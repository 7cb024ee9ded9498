// supple weights: a mesh and a skeleton become a skinned GLB that every other verb reads.
import { bad, equal, finish, good, holds, holdsOnly, json, match, near, run, shared, strip, test, validate, writeGlb } from "./harness.mjs";
import fs from "node:fs";
import path from "node:path";

const keys = "output bytes points joints cells cells_longest particles iterations influences_max lost_pieces lost_points outside_bones outside_joints idle_joints memory seconds";

/** Reads the JSON chunk of a GLB. */
function document(file) {
    const bytes = fs.readFileSync(file);
    return JSON.parse(bytes.subarray(20, 20 + bytes.readUInt32LE(12)).toString());
}

await test("the JSON has exactly its keys, and the file holds what it says", folder => {
    const out = path.join(folder, "beast.glb");
    const r = json(["weights", "builtin:beast", out]);
    equal(Object.keys(r).join(" "), keys);
    equal(r.bytes, fs.statSync(out).size, "bytes");
    const seen = json(["inspect", out]);
    equal(seen.joints, r.joints, "joints");
    equal(seen.influences_max, r.influences_max, "influences");
    near(seen.weight_sum_min, 1, 1e-5, "smallest sum");
    near(seen.weight_sum_max, 1, 1e-5, "largest sum");
    equal(seen.clips.map(c => c.name).join(" "), "walk jump shake", "clips stay");
    validate(out);
});
await test("--max-influences, --cells and --spread are obeyed", folder => {
    const out = path.join(folder, "arm.glb");
    const r = json(["weights", "builtin:arm", out, "--max-influences", "2", "--cells", "40", "--spread", "0.2"]);
    equal(r.influences_max, 2, "influences");
    equal(r.cells_longest, 40, "cells");
    holds(json(["weights", "builtin:arm", out, "--cells", "40", "--spread", "0.2"]).influences_max > 2, "more without the limit");
});
await test("the number of threads changes no byte", folder => {
    const files = ["1", "3"].map(n => path.join(folder, `${n}.glb`));
    ["1", "3"].forEach((n, i) => good(["weights", "builtin:beast", files[i], "--threads", n]));
    holds(fs.readFileSync(files[0]).equals(fs.readFileSync(files[1])), "same bytes");
});
await test("diffuse works as well, and an unknown method is refused", folder => {
    const out = path.join(folder, "arm.glb");
    equal(json(["weights", "builtin:arm", out, "--method", "diffuse"]).iterations, 0, "iterations");
    bad(["weights", "builtin:arm", out, "--method", "heat"], 2, /screened or diffuse/);
    bad(["weights", "builtin:arm", out, "--cells", "1000"], 2, /cells/);
});
await test("--mask keeps the old weights where it is 0", folder => {
    const source = writeGlb(path.join(folder, "strip.glb"), strip()), out = path.join(folder, "out.glb");
    const weights = file => {
        const d = document(file), bytes = fs.readFileSync(file), a = d.accessors[d.meshes[0].primitives[0].attributes.WEIGHTS_0];
        const view = d.bufferViews[a.bufferView], start = 28 + bytes.readUInt32LE(12) + (view.byteOffset ?? 0) + (a.byteOffset ?? 0);
        return Array.from({ length: a.count * 4 }, (_, i) => bytes.readFloatLE(start + 4 * i));
    };
    const masked = values => {
        fs.writeFileSync(path.join(folder, "mask.txt"), values);
        good(["weights", source, out, "--map", `keep=${path.join(folder, "mask.txt")}`, "--mask", "keep", "--spread", "0.1"]);
        return weights(out);
    };
    // Ours are sorted by weight, heaviest first.
    const sorted = list => list.map((_, i) => list.slice(i & ~3, (i & ~3) + 4).sort((a, b) => b - a)[i & 3]).join();
    equal(sorted(masked("0 0 0 0 0 0")), sorted(weights(source)), "nothing new");
    const all = masked("1 1 1 1 1 1"), half = masked("0.5 0.5 0.5 0.5 0.5 0.5");
    good(["weights", source, out, "--spread", "0.1"]);
    equal(all.join(), weights(out).join(), "all new");
    near(half[0], (all[0] + 1) / 2, 1e-6, "half way at a point that followed the root alone");
    bad(["weights", source, out, "--mask", "none"], 1, /--map none=FILE/);
});
await test("--center brings rough joints to the middle of their limb", folder => {
    const skeleton = path.join(folder, "rough.tgf"), mesh = path.join(folder, "bar.obj"), out = path.join(folder, "out.glb");
    const box = [[0, 0, 0], [4, 0, 0], [0, 1, 0], [4, 1, 0], [0, 0, 1], [4, 0, 1], [0, 1, 1], [4, 1, 1]];
    fs.writeFileSync(mesh, box.map(p => `v ${p.join(" ")}`).join("\n") + "\nf 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n");
    fs.writeFileSync(skeleton, "1 0.5 0.5 0.5\n2 2 0.7 0.4\n3 3.5 0.5 0.5\n#\n1 2\n2 3\n"); // the middle one is 0.22 off: over two cells of 0.1
    const place = flags => {
        const r = good(["weights", mesh, out, "--skeleton", skeleton, "--cells", "40", ...flags]), nodes = document(out).nodes;
        const joint = nodes.find(n => n.translation && Math.abs(n.translation[0] - 1.5) < 0.2);
        return { r, place: joint.translation };
    };
    const before = place([]).place, after = place(["--center"]);
    near(before[1], 0.2, 1e-6, "as the file has it");
    near(after.place[1], 0, 0.05, "back on the axis, y");
    near(after.place[2], 0, 0.05, "back on the axis, z");
    near(after.place[0], 1.5, 0.05, "as far along as before");
    match(after.r.err, /joints and ends moved to the middle of the limb/);
    match(after.r.out, /MB of memory/);
    match(good(["weights", "builtin:arm", out, "--center"]).err, /clips of 'arm' are dropped/);
    bad(["weights", "builtin:arm", out, "--center", "--mask", "x"], 2, /with --center there are none/);
});
await test("a mesh without a skin takes the skeleton of another file", folder => {
    const skeleton = writeGlb(path.join(folder, "strip.glb"), strip()), mesh = path.join(folder, "box.obj"), out = path.join(folder, "box.glb");
    fs.writeFileSync(mesh, "v 0 0 0\nv 1 0 0\nv 0 2 0\nv 1 2 0\nv 0 0 1\nv 1 0 1\nv 0 2 1\nv 1 2 1\n" +
        "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n");
    const r = good(["weights", mesh, out, "--skeleton", skeleton]);
    match(r.err, /weights were made for 2 joints/);
    const names = document(out).nodes.map(n => n.name);
    holds(names.includes("root") && names.includes("tip"), `joints keep their names: ${names}`);
    equal(json(["inspect", out]).joints, 2, "joints");
    equal(json(["inspect", out]).faces, 6, "quads stay quads");
});
await test("every verb makes weights for a skeleton without any, and says so", folder => {
    const skeleton = writeGlb(path.join(folder, "strip.glb"), strip()), mesh = path.join(folder, "triangle.obj");
    fs.writeFileSync(mesh, "v 0 0 0\nv 1 0 0\nv 0 2 0\nf 1 2 3\n");
    const r = good(["bake", mesh, path.join(folder, "out.glb"), "--skeleton", skeleton, "--pose", "tip=0,0,30"]);
    match(r.err, /weights were made for 2 joints of 'triangle'/);
});
await test("without a skeleton nothing is written, and the cure is named", folder => {
    const mesh = path.join(folder, "triangle.obj");
    fs.writeFileSync(mesh, "v 0 0 0\nv 1 0 0\nv 0 2 0\nf 1 2 3\n");
    bad(["weights", mesh, path.join(folder, "out.glb")], 1, /--skeleton/);
    bad(["weights", "builtin:arm", path.join(folder, "out.obj")], 1, /\.glb/);
    holdsOnly(folder, ["triangle.obj"]);
});
await test("captured skeletons are fitted to the mesh", folder => {
    const out = path.join(folder, "man.glb");
    const r = run(["weights", shared("closed-meshes/human_man.obj"), out, "--skeleton", shared("mocap/07_01-walk.bvh"), "--json"]);
    equal(r.code, 0, "code");
    match(r.err, /fitted to the mesh/);
    equal(JSON.parse(r.out).joints, 31, "joints");
    equal(JSON.parse(r.out).lost_pieces, 0, "lost pieces");
});
for (const name of ["cesiumman", "soldier", "fox", "riggedsimple", "robotexpressive"]) {
    await test(`${name} gets new weights`, folder => {
        const out = path.join(folder, "out.glb");
        const before = json(["inspect", shared(`skinned/${name}.glb`)]), r = json(["weights", shared(`skinned/${name}.glb`), out]);
        const after = json(["inspect", out]);
        equal(r.points, before.points, "points");
        equal(after.joints, before.joints, "joints");
        equal(after.vertices, before.vertices, "vertices");
        near(after.weight_sum_max, 1, 1e-5, "largest sum");
        validate(out, shared(`skinned/${name}.glb`));
    });
}
await test("a glTF file keeps its materials and pictures, and its own order of vertices", folder => {
    const source = shared("skinned/cesiumman.glb"), out = path.join(folder, "out.glb");
    good(["weights", source, out]);
    const before = document(source), after = document(out);
    equal(after.images.length, before.images.length, "pictures");
    equal(JSON.stringify(after.materials), JSON.stringify(before.materials), "materials");
    const attributes = after.meshes[0].primitives[0].attributes;
    equal(attributes.POSITION, before.meshes[0].primitives[0].attributes.POSITION, "positions are the same accessor");
    holds(attributes.JOINTS_0 >= before.accessors.length && attributes.WEIGHTS_1 >= before.accessors.length, "weights are new");
});
await test("the other files of the data set get weights: tetrahedra, OFF, COLLADA, FBX", folder => {
    const out = path.join(folder, "out.glb"), walk = ["--skeleton", shared("mocap/07_01-walk.bvh")], hand = ["--skeleton", shared("libigl-rigs/hand.tgf")];
    const tries = [["closed-meshes/octopus-low.mesh", walk], ["libigl-rigs/hand.mesh", hand], ["closed-meshes/decimated-knight.off", walk],
        ["skinned/stormtrooper.dae", []], ["skinned/animation_with_skeleton.fbx", []]];
    for (const [file, flags] of tries) {
        const r = run(["weights", shared(file), out, ...flags, "--quiet"]);
        if (/ending/.test(r.err)) continue; // built without assimp
        equal(r.code, 0, `${file}: ${r.err}`);
        const seen = json(["inspect", out]);
        near(seen.weight_sum_min, 1, 1e-5, `${file}: smallest sum`);
        near(seen.weight_sum_max, 1, 1e-5, `${file}: largest sum`);
        holds(seen.joints > 1, `${file}: ${seen.joints} joints`);
    }
});
finish();
