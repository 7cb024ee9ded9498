// --example and --keys: sculpts by file, matched to the character, at times of the clip.
import { bad, equal, finish, good, holds, json, near, source, test } from "./harness.mjs";
import fs from "node:fs";
import path from "node:path";

const arm = "builtin:arm?points=800";
const play = ["--clip", "flex", "--fps", "4"];
// flex lasts one second: shapes at 0, 0.25, 0.5, 0.75 and 1 s as arm_0001.obj to arm_0005.obj.
function sculpts(folder, chain = "dualquat") {
    good(["bake", arm, path.join(folder, "arm.obj"), ...play, "--deform", chain]);
    return n => path.join(folder, `arm_000${n + 1}.obj`);
}
const chainOf = args => json(args).chains[0];

await test("a chain meets the sculpts of --example, and the rest is counted as in between", folder => {
    const at = sculpts(folder), truth = [0, 1, 2, 3, 4].map(at);
    for (const deform of ["pose_space", "beam"]) {
        const c = chainOf(["compare", arm, ...play, "--deform", deform, "--truth", ...truth, "--example", `0=${at(0)}`, "--example", `0.5=${at(2)}`, "--example", `4f=${at(4)}`]);
        holds(c.error_inbetween.rms > 1e-6, `${deform}: ${c.error_inbetween.rms} in between`);
        // Three of five frames match, so the sum over all is that over the other two.
        near(c.error.rms * Math.sqrt(5), c.error_inbetween.rms * Math.sqrt(2), 1e-5, deform);
    }
});
await test("a time within half a millisecond of a frame is that frame", folder => {
    const at = sculpts(folder);
    const bake = time => json(["bake", arm, path.join(folder, "out.glb"), ...play, "--deform", "beam", "--example", `0=${at(0)}`, "--example", `${time}=${at(2)}`, "--example", `1=${at(4)}`]).hash;
    equal(bake("0.5004"), bake("0.5"), "hash");
    equal(bake("2f"), bake("0.5"), "hash by frame");
    holds(bake("0.51") !== bake("0.5"), "ten milliseconds are another time");
});
await test("a sculpt of another clip names it: its pose is that clip's", folder => {
    const at = sculpts(folder), bake = (clip, example) => ["bake", arm, path.join(folder, "out.glb"), "--clip", clip, "--fps", "4", "--deform", "pose_space", "--example", example];
    equal(json(bake("flex", `flex@0.5=${at(2)}`)).hash, json(bake("flex", `0.5=${at(2)}`)).hash, "the clip that plays, named");
    holds(json(bake("wave", `flex@0.5=${at(2)}`)).hash !== json(bake("wave", `0.5=${at(2)}`)).hash, "the time of another clip is another pose");
    bad(bake("wave", `nobody@0.5=${at(2)}`), 1, /has no clip of that name/);
    bad(bake("wave", `flex@9=${at(2)}`), 1, /past the end of the clip 'flex'/);
});
await test("--keys takes every N-th truth and the last", folder => {
    const at = sculpts(folder), truth = [0, 1, 2, 3, 4].map(at);
    const flags = ["compare", arm, ...play, "--deform", "beam", "--truth", ...truth];
    const keys = chainOf([...flags, "--keys", "3"]);
    const written = chainOf([...flags, ...[0, 3, 4].flatMap(n => ["--example", `${n}f=${at(n)}`])]);
    equal(keys.hash, written.hash, "hash");
    equal(chainOf([...flags, "--keys", "1"]).error_inbetween, null, "nothing in between");
});
await test("sculpts by file take the place of those that the character brings", folder => {
    const at = sculpts(folder, "linear");
    const c = chainOf(["compare", arm, ...play, "--deform", "pose_space", "--truth", ...[0, 1, 2, 3, 4].map(at), "--example", `1=${at(4)}`]);
    near(c.error.max, 0, 1e-5, "linear sculpts behind linear skinning change nothing");
});
await test("one mesh of a file is chosen by #", folder => {
    good(["bake", arm, path.join(folder, "arm.glb"), ...play, "--deform", "linear"]);
    const bytes = fs.readFileSync(path.join(folder, "arm.glb"));
    const named = JSON.parse(bytes.subarray(20, 20 + bytes.readUInt32LE(12))).nodes.find(n => n.mesh !== undefined).name;
    good(["bake", arm, path.join(folder, "out.glb"), ...play, "--deform", "pose_space", "--example", `0=${path.join(folder, "arm.glb")}#${named}`]);
    bad(["bake", arm, path.join(folder, "no.glb"), ...play, "--example", `0=${path.join(folder, "arm.glb")}#nobody`], 1, /nobody/);
});
await test("what is wrong is said, and nothing is written", folder => {
    const at = sculpts(folder), out = path.join(folder, "no.glb");
    const bake = (...examples) => ["bake", arm, out, ...play, "--deform", "pose_space", ...examples.flatMap(e => ["--example", e])];
    bad(bake("x=1"), 2, /is not T=FILE/);
    bad(bake(`-1=${at(0)}`), 2, /is not T=FILE/);
    bad(bake("1="), 2, /is not T=FILE/);
    bad(bake(`0.5f=${at(0)}`), 2, /whole numbers/);
    bad(bake("0=nowhere.obj"), 1, /'nowhere.obj': there is no such file/);
    bad(bake(`9=${at(0)}`), 1, /past the end of the clip 'flex'/);
    bad(bake(`0.5=${at(0)}`, `2f=${at(1)}`), 1, /both at 0.5 s/);
    bad(bake("0=morph:smile"), 1, /no morph 'smile'/);
    fs.writeFileSync(path.join(folder, "other.obj"), "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    bad(bake(`0=${path.join(folder, "other.obj")}`), 1, /example .*other.obj' has 3 points.*export it from the same mesh/);
    bad(["compare", arm, ...play, "--keys", "2"], 2, /add --truth/);
    bad(["compare", arm, ...play, "--truth", at(0), "--keys", "1.5"], 2, /whole number/);
    bad(["compare", arm, ...play, "--truth", at(0), "--keys", "2", "--example", `0=${at(0)}`], 2, /cannot be combined/);
    holds(!fs.existsSync(out), "nothing is written");
});
// Curves meet at points of the mesh, so their ends cannot disagree; only copies of a point in a file can.
await test("copies of one point that disagree are averaged, and that is said", folder => {
    const corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [1, 0, 0], [1, 1, 0], [0, 1, 0]], bytes = Buffer.alloc(84);
    corners.flat().forEach((x, i) => bytes.writeFloatLE(x, 4 * i));
    corners.forEach((_, i) => bytes.writeUInt16LE(i, 72 + 2 * i));
    const sheet = path.join(folder, "sheet.gltf"), sculpt = path.join(folder, "lifted.obj");
    fs.writeFileSync(sheet, JSON.stringify({
        asset: { version: "2.0" }, nodes: [{ mesh: 0 }], scenes: [{ nodes: [0] }], scene: 0,
        meshes: [{ primitives: [{ attributes: { POSITION: 0 }, indices: 1 }] }],
        buffers: [{ byteLength: 84, uri: `data:application/octet-stream;base64,${bytes.toString("base64")}` }],
        bufferViews: [{ buffer: 0, byteLength: 72 }, { buffer: 0, byteOffset: 72, byteLength: 12 }],
        accessors: [{ bufferView: 0, componentType: 5126, count: 6, type: "VEC3", min: [0, 0, 0], max: [1, 1, 0] }, { bufferView: 1, componentType: 5123, count: 6, type: "SCALAR" }],
    }));
    corners[1][2] = 0.2; // one of the two copies
    fs.writeFileSync(sculpt, corners.map(c => `v ${c.join(" ")}\n`).join("") + "f 1 2 3\nf 4 5 6\n");
    bad(["bake", sheet, path.join(folder, "out.npy"), "--deform", "beam", "--example", `0=${sculpt}`], 1, /copies of one point in the examples are up to 0.2 units apart; their mean is used/);
});
// The twist of Chaudhry et al.: one sculpt turned by 11.25 degrees, its forces times eight. The command of docs/deformers/beam.md, and
// the one that made its sculpt.
await test("eight times a twist of 11.25 degrees turns the bar's end by 90", folder => {
    const bar = "builtin:bar", sculpt = path.join(source, "examples/beam/twisted.obj"), [rest, out] = ["rest", "out"].map(n => path.join(folder, `${n}.npy`));
    const again = path.join(folder, "twisted.obj"), shape = file => fs.readFileSync(file, "utf8").split("\n").filter(l => l.startsWith("v ")).flatMap(l => l.split(" ").slice(1, 4).map(Number));
    good(["bake", bar, again, "--pose", "bone_2=11.25,0,0", "--deform", "dualquat"]);
    const made = shape(again);
    shape(sculpt).forEach((x, i) => near(x, made[i], 1e-6, "the sculpt"));
    const still = ["--clip", "still", "--start", "1", "--end", "1"];
    good(["bake", bar, rest, ...still, "--deform", "linear"]);
    good(["bake", bar, out, ...still, "--example", `0.125=${sculpt}`, "--deform", "beam(extrapolation=static)"]);
    const points = file => {
        const bytes = fs.readFileSync(file), at = 10 + bytes.readUInt16LE(8);
        return new Float32Array(bytes.buffer.slice(bytes.byteOffset + at, bytes.byteOffset + bytes.length));
    };
    const [a, b] = [points(rest), points(out)];
    let sum = 0, count = 0;
    for (let i = 0; i < a.length; i += 3) {
        if (a[i] < 0.75) continue;
        const turned = Math.atan2(a[i + 1] * b[i + 2] - a[i + 2] * b[i + 1], a[i + 1] * b[i + 1] + a[i + 2] * b[i + 2]);
        near(Math.hypot(b[i + 1], b[i + 2]), Math.hypot(a[i + 1], a[i + 2]), 1e-3, "its size");
        sum += (180 / Math.PI) * turned, count++;
    }
    near(sum / count, 90, 2, "degrees");
});
finish();
