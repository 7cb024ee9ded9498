// --deform lattice from outside: a mesh without weights, and a world that presses.
import { data, equal, finish, good, holds, json, match, skip, test, validate } from "./harness.mjs";
import fs from "node:fs";
import path from "node:path";

/** An OBJ box from a to b. */
function box(file, a, b) {
    const corners = [0, 1, 2, 3, 4, 5, 6, 7].map(i => `v ${i & 4 ? b[0] : a[0]} ${i & 2 ? b[1] : a[1]} ${i & 1 ? b[2] : a[2]}`);
    const faces = ["1 2 4 3", "5 7 8 6", "1 5 6 2", "3 4 8 7", "1 3 7 5", "2 6 8 4"].map(f => `f ${f}`);
    fs.writeFileSync(file, [...corners, ...faces, ""].join("\n"));
    return file;
}

await test("a mesh without weights walks", folder => {
    const mesh = path.join(data, "closed-meshes/human_man.obj"), walk = path.join(data, "mocap/07_01-walk.bvh");
    if (!fs.existsSync(mesh)) skip("the shared data set is not beside the checkout");
    const out = path.join(folder, "man.glb");
    const r = json(["bake", mesh, out, "--skeleton", walk, "--motion", walk, "--deform", "lattice", "--end", "0.3", "--fps", "10"]);
    equal(r.points, 6890, "points");
    equal(r.frames, 4, "frames");
    validate(out);
});
await test("a body of the world presses the flesh, be it a ball or a mesh", folder => {
    const bake = (...flags) => json(["bake", "builtin:arm", path.join(folder, "arm.glb"), "--pose", "hand=0,0,0", "--fps", "10", "--deform", "lattice", ...flags]);
    const world = (name, body) => {
        const file = path.join(folder, `${name}.json`);
        fs.writeFileSync(file, JSON.stringify({ bodies: [{ name, ...body }] }));
        return file;
    };
    const free = bake();
    const ball = bake("--world", world("ball", { sphere: { center: [0.18, 0.09, 0], radius: 0.05 } }));
    box(path.join(folder, "anvil.obj"), [0.1, 0.035, -0.2], [0.25, 0.2, 0.2]);
    const anvil = bake("--world", world("anvil", { mesh: "anvil.obj" }));
    holds(ball.hash !== free.hash, "a ball changes the skin");
    holds(anvil.hash !== free.hash && anvil.hash !== ball.hash, "a mesh does too");
    for (const r of [ball, anvil]) holds(!("lattice.body_without_inside" in r.fallbacks), "both have an inside");
});
await test("softness by bone is obeyed, and threads do not matter", folder => {
    const bake = (...flags) => json(["bake", "builtin:beast", path.join(folder, "b.glb"), "--clip", "walk", "--end", "0.3", "--fps", "10", ...flags]).hash;
    const plain = bake("--deform", "lattice(cells=24)");
    holds(bake("--deform", "lattice(cells=24)", "--set", "lattice.pose_hz@tail*=12") !== plain, "a stiffer tail");
    equal(bake("--deform", "lattice(cells=24)", "--threads", "1"), plain, "any number of threads");
});
await test("parts are written, edited and read again", folder => {
    const file = path.join(folder, "parts.txt"), bake = (...flags) => json(["bake", "builtin:beast", path.join(folder, "b.glb"), "--clip", "walk", "--end", "0.2", "--fps", "10", "--deform", "lattice(cells=24)", ...flags]).hash;
    const plain = bake("--save", `lattice=${file}`), text = fs.readFileSync(file, "utf8");
    holds(/^hips$/m.test(text) && /^tail_4/m.test(text), "a line for every part");
    equal(bake("--set", `lattice.parts=@${file}`), plain, "read again, nothing changes");
    fs.writeFileSync(file, text.replace(/^tail_\d.*\n/gm, "") + "tail*\n");
    holds(bake("--set", `lattice.parts=@${file}`) !== plain, "a tail in one piece");
});
await test("a character of an implausible size moves as one of a plausible size, and the file keeps its own", folder => {
    const file = name => path.join(folder, name);
    json(["bake", "builtin:beast?points=1000", file("big.glb"), "--unit", "100", "--clip", "walk", "--end", "0"]); // 130 m long
    const bake = (name, ...flags) => json(["bake", file("big.glb"), file(name), "--clip", "walk", "--end", "0.2", "--fps", "10", "--deform", "lattice(cells=16,gravity=1)", ...flags]).hash;
    const guessed = bake("guessed.glb"), told = good(["bake", file("big.glb"), file("again.glb"), "--clip", "walk", "--end", "0.2", "--deform", "lattice(cells=16,gravity=1)"]).err;
    match(told, /'big' is 130 m large at 1 m per unit; .* physics assumes 1\.3 m: --unit cm makes/);
    equal(bake("cm.glb", "--unit", "cm"), guessed, "the same bits as with the unit that is named");
    holds(bake("m.glb", "--unit", "m") !== guessed, "insisting on the file's unit is heard");
    match(good(["inspect", file("guessed.glb")]).out, /size +\d+\.\d x \d+\.\d x 130 m/);
});

finish();
