// --deform layers from outside: planes between sub-volumes from a file, and a mesh that never had weights.
import { bad, data, equal, finish, good, holds, json, match, skip, test } from "./harness.mjs";
import fs from "node:fs";
import path from "node:path";

const arm = "builtin:arm?points=300";

await test("planes are read from a file", folder => {
    const file = path.join(folder, "planes.txt"), out = path.join(folder, "a.pc2");
    const bake = (...flags) => json(["bake", arm, out, "--clip", "flex", "--end", "0.3", "--fps", "10", "--deform", "layers", ...flags]).hash;
    fs.writeFileSync(file, "# the elbow's part is short\nupper_arm=0.8\nforearm=0.2\n");
    const plain = bake(), there = bake("--set", `layers.planes=@${file}`);
    holds(there !== plain, "the planes have moved");
    equal(bake("--set", "layers.planes=upper_arm=0.8 forearm=0.2"), there, "as text");
    equal(bake("--set", "layers.planes=*=0.5"), plain, "in the middles");
    bad(["bake", arm, out, "--deform", "layers", "--set", "layers.planes=knee=0.5"], 1, /no joint called 'knee'.*inspect/);
    bad(["bake", arm, out, "--deform", "layers", "--set", `layers.planes=@${file}.none`], 1, /cannot read/);
});

await test("a mesh without weights gets some and is told so", folder => {
    const mesh = path.join(data, "closed-meshes/human_man.obj"), walk = path.join(data, "mocap/07_01-walk.bvh");
    if (!fs.existsSync(mesh)) skip("the shared data set is not beside the checkout");
    const r = good(["bake", mesh, path.join(folder, "walk.pc2"), "--skeleton", walk, "--motion", walk, "--end", "0.05", "--fps", "20", "--deform", "layers"]);
    match(r.err, /weights were made for 31 joints/);
});

finish();
