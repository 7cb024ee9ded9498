// supple fit: shapes become a rig that every other verb reads, and a bake becomes bones again.
import { bad, data, equal, finish, good, holds, json, match, near, run, shared, skip, test, validate } from "./harness.mjs";
import fs from "node:fs";
import path from "node:path";

const keys = "output bytes points frames bones influences_max erms rms max diagonal rounds moved seconds";

/** A folder of OBJ files: a clip baked frame by frame. */
function sequence(folder, who = "builtin:arm?points=800", clip = "flex") {
    const dir = path.join(folder, "frames");
    fs.mkdirSync(dir);
    good(["bake", who, path.join(dir, "f.obj"), "--clip", clip, "--fps", "8", "--quiet"]);
    return dir;
}
const beast = folder => sequence(folder, "builtin:beast?points=1200", "walk");
const files = dir => fs.readdirSync(dir).filter(f => f.endsWith(".obj")).sort().map(f => path.join(dir, f));

await test("the JSON has exactly its keys, and the file holds what it says", folder => {
    const out = path.join(folder, "out.glb"), dir = sequence(folder);
    const r = json(["fit", dir, out, "--bones", "4"]);
    equal(Object.keys(r).join(" "), keys);
    equal(r.bytes, fs.statSync(out).size, "bytes");
    equal(r.bones, 4, "bones");
    equal(r.frames, files(dir).length, "frames");
    const seen = json(["inspect", out]);
    equal(seen.joints, 4, "joints");
    equal(seen.points, r.points, "points");
    equal(seen.clips.map(c => c.name).join(), "fit", "clip");
    near(seen.clips[0].seconds, (r.frames - 1) / 30, 1e-5, "30 frames a second");
    holds(seen.influences_max <= 4, "influences");
    validate(out);
});
await test("the written rig plays the shapes as near as it says", folder => {
    const out = path.join(folder, "out.glb"), dir = sequence(folder);
    const r = json(["fit", dir, out, "--bones", "4", "--fps", "24"]);
    const c = json(["compare", out, "--deform", "linear", "--truth", dir]).chains[0];
    near(c.error.erms, r.erms, 1e-3 + 0.01 * r.erms, "E_RMS");
    near(c.error.max, r.max, 1e-4 * r.diagonal, "largest distance");
    holds(r.erms < 8, `E_RMS ${r.erms}`);
    good(["bake", out, path.join(folder, "again.glb")]);
});
await test("files, folders, patterns and caches of one motion give one rig", folder => {
    const dir = sequence(folder), out = path.join(folder, "out.glb");
    const first = files(dir)[0];
    const bytes = (...words) => (good(["fit", ...words, out, "--bones", "3", "--quiet"]), fs.readFileSync(out));
    const wanted = bytes(dir);
    holds(bytes(...files(dir)).equals(wanted), "files");
    holds(bytes(dir, "--rest", first).equals(wanted), "a rest shape of its own");
    for (const ending of ["pc2", "npy"]) {
        const cache = path.join(folder, `c.${ending}`);
        good(["bake", "builtin:arm?points=800", cache, "--clip", "flex", "--fps", "8", "--quiet"]);
        const r = json(["fit", cache, out, "--rest", first, "--bones", "3"]);
        equal(r.frames, files(dir).length, `frames of ${ending}`);
        holds(r.erms < 12, `E_RMS of ${ending}: ${r.erms}`);
    }
    const r = json(["fit", path.join(dir, "f_####.obj"), out, "--bones", "3", "--fps", "30"]);
    equal(r.frames, files(dir).length, "frames of a pattern");
});
await test("a bake becomes bones again", folder => {
    const baked = path.join(folder, "baked.glb"), out = path.join(folder, "bones.glb");
    good(["bake", "builtin:arm?points=800", baked, "--clip", "flex", "--deform", "dualquat", "--fps", "15", "--quiet"]);
    const clip = json(["inspect", baked]).clips.at(-1).name;
    const r = json(["fit", baked, out, "--clip", clip, "--fps", "15", "--bones", "6"]);
    holds(r.erms < 3, `E_RMS ${r.erms}`);
    validate(out);
    // Without a name the bake is used, not the clip that comes first.
    const same = json(["fit", baked, path.join(folder, "again.glb"), "--fps", "15", "--bones", "6"]);
    equal(same.erms, r.erms, "E_RMS of the default");
    match(good(["fit", baked, path.join(folder, "again.glb"), "--fps", "15", "--bones", "6"]).err, new RegExp(`note: taking the baked clip '${clip}'`));
    match(good(["compare", baked, "--deform", "linear"]).out, new RegExp(`frames of '${clip}'`));
    match(good(["render", baked, path.join(folder, "p.png"), "--time", "0.2", "--size", "64x64"]).err, new RegExp(`note: taking the baked clip '${clip}'`));
    match(good(["bake", baked, path.join(folder, "p.npy")]).err, /note: taking the clip 'flex'/); // from the motion again
});
// The document of a GLB.
const readGlb = file => { const bytes = fs.readFileSync(file); return JSON.parse(bytes.toString("utf8", 20, 20 + bytes.readUInt32LE(12))); };
for (const [name, source, clip] of [["builtin:arm", "builtin:arm?points=800", "flex"], ["hvgirl", "skinned/hvgirl.glb", "Walking"], ["soldier", "skinned/soldier.glb", "Run"], ["robotexpressive", "skinned/robotexpressive.glb", "Running"]])
    await test(`a rig from a bake of ${name} holds what plays and nothing else`, folder => {
        const file = source.startsWith("builtin") ? source : shared(source), baked = path.join(folder, "baked.glb"), out = path.join(folder, "bones.glb");
        good(["bake", file, baked, "--clip", clip, "--end", "0.4", "--fps", "10", "--deform", "dualquat", "--quiet"]);
        good(["fit", baked, out, "--fps", "10", "--bones", "6", "--quiet"]);
        const before = readGlb(baked), after = readGlb(out), count = (g, list) => g[list]?.length ?? 0;
        equal(json(["inspect", out]).clips.map(c => c.name).join(), "fit", "clips");
        holds(!after.meshes.some(m => m.weights || m.extras?.targetNames || m.primitives.some(p => p.targets)), "no morph targets are left");
        for (const list of ["meshes", "materials", "textures", "images"]) equal(count(after, list), count(before, list), list);
        const used = new Set(after.meshes.flatMap(m => m.primitives.flatMap(p => [p.indices, ...Object.values(p.attributes)])));
        for (const s of [...after.animations.flatMap(a => a.samplers.flatMap(s => [s.input, s.output])), ...after.skins.map(s => s.inverseBindMatrices)]) used.add(s);
        equal(count(after, "accessors"), [...used].filter(i => i !== undefined).length, "accessors that something uses");
        holds(fs.statSync(out).size < 0.6 * fs.statSync(baked).size, `${fs.statSync(out).size} bytes of ${fs.statSync(baked).size}`);
    });
await test("a rest shape in other units takes the size of the frames", folder => {
    const dir = sequence(folder), list = files(dir), out = path.join(folder, "o.glb"), large = path.join(folder, "large.obj");
    fs.writeFileSync(large, fs.readFileSync(list[0], "utf8").replace(/^v (\S+) (\S+) (\S+)/gm, (_, x, y, z) => `v ${100 * x} ${100 * y} ${100 * z}`));
    const same = json(["fit", dir, out, "--bones", "4"]), r = json(["fit", dir, out, "--bones", "4", "--rest", large]);
    match(run(["fit", dir, out, "--bones", "4", "--rest", large]).err, /rest shape was scaled by 0\.01 /);
    near(r.diagonal, same.diagonal, 1e-4 * same.diagonal, "diagonal");
    near(r.erms, same.erms, 0.01, "E_RMS");
    holds(json(["compare", out, "--deform", "linear", "--truth", dir]).chains[0].error.max < 2 * same.max + 1e-4 * same.diagonal, "it plays the frames");
});
await test("threads change no byte, the same seed gives the same file, another another", folder => {
    const dir = beast(folder), make = (...flags) => {
        const out = path.join(folder, "o.glb");
        good(["fit", dir, out, "--bones", "5", "--quiet", ...flags]);
        return fs.readFileSync(out);
    };
    const one = make("--threads", "1", "--seed", "3");
    holds(make("--threads", "3", "--seed", "3").equals(one), "threads");
    holds(!make("--seed", "4").equals(one), "seed");
});
await test("--error adds bones until it is reached, and says when it is not", folder => {
    const dir = beast(folder), out = path.join(folder, "o.glb");
    const coarse = json(["fit", dir, out, "--error", "10"]), fine = json(["fit", dir, out, "--error", "3"]);
    holds(coarse.erms <= 10 && fine.erms <= 3, `${coarse.erms}, ${fine.erms}`);
    holds(fine.bones > coarse.bones, "more bones");
    match(run(["fit", dir, out, "--error", "0.001", "--bones", "3"]).err, /not 0\.001; raise --bones/);
});
await test("--flat and --influences are obeyed", folder => {
    const dir = sequence(folder), out = path.join(folder, "o.glb");
    json(["fit", dir, out, "--bones", "4", "--flat", "--influences", "2", "--rigid", "0", "--smooth", "0.5"]);
    equal(json(["inspect", out]).influences_max, 2, "influences");
    bad(["fit", dir, out, "--flat", "--hierarchy"], 2, /cannot be combined/);
});
await test("bad input is named", folder => {
    const dir = sequence(folder), out = path.join(folder, "o.glb"), list = files(dir), broken = path.join(folder, "broken.obj");
    bad(["fit", list[0], out], 1, /one shape, and a rig needs several/);
    bad(["fit", out], 2, /shapes and an output/);
    bad(["fit", ...list, path.join(folder, "o.obj")], 2, /fit writes \.glb files/);
    bad(["fit", path.join(folder, "nowhere.obj"), list[0], out], 1, /nowhere\.obj': there is no such file/);
    bad(["fit", ...list, out, "--bones", "250", "--influences", "40"], 2, /influences 40 is out of range/);
    fs.writeFileSync(broken, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    bad(["fit", broken, broken, out, "--bones", "4"], 1, /4 bones are more than the 3 points/);
    bad(["fit", list[0], broken, out], 1, /shape '.*broken\.obj' has 3 points, 3 vertices and 1 faces; .* has \d+ points/);
    const text = fs.readFileSync(list[1], "utf8"), faces = text.replace(/^f .*$/m, l => l.split(" ").reverse().join(" ").replace(/^(.*) f$/, "f $1"));
    const npy = path.join(folder, "bad.npy");
    good(["bake", "builtin:arm?points=800", npy, "--clip", "flex", "--fps", "8", "--quiet"]);
    bad(["fit", npy, out], 1, /has points but no faces; give the mesh with --rest/);
    const bytes = fs.readFileSync(npy), at = bytes.length - 4 * 3 * 5;
    bytes.writeFloatLE(NaN, at);
    fs.writeFileSync(npy, bytes);
    bad(["fit", npy, out, "--rest", list[0]], 1, /not a (finite )?number/);
    bad(["fit", npy, out, "--rest", broken], 1, /different meshes|not a/);
    holds(faces !== text, "a face was turned");
    holds(!fs.existsSync(out), "nothing is left behind");
});

// ------------------------------------------------------------------------------------------------ shapes without a rig

await test("a mesh without a skeleton gets bones from its truth, and examples are met", folder => {
    const dir = sequence(folder), list = files(dir), examples = [0, 4, 8].flatMap(i => ["--example", `${i}f=${list[i]}`]);
    const words = ["compare", list[0], "--bones", "2", "--truth", dir, ...examples, "--deform", "linear", "--deform", "pose_space"];
    match(run(words).err, /has no skeleton: 2 bones were fitted to 9 shapes/);
    const [linear, space] = json([...words, "--quiet"]).chains;
    holds(linear.error.max > 0 && linear.error_inbetween !== null, "in-betweens");
    holds(space.error_inbetween.rms <= linear.error_inbetween.rms + 1e-6, "no worse between");
});
await test("bake moves a mesh from sculpt to sculpt at their times", folder => {
    const list = files(sequence(folder)), out = path.join(folder, "out.glb"), cache = path.join(folder, "o.npy");
    const words = ["bake", list[0], cache, "--example", `0=${list[0]}`, "--example", `0.5=${list[8]}`, "--deform", "pose_space", "--bones", "2"];
    equal(json([...words, "--fps", "10", "--quiet"]).frames, 6, "half a second");
    const bytes = fs.readFileSync(cache), count = (bytes.length - 128) / 6 / 12, last = bytes.length - 12 * count;
    const wanted = fs.readFileSync(list[8], "utf8").split("\n").filter(l => l.startsWith("v ")).map(l => l.split(" ").slice(1).map(Number));
    equal(wanted.length, count, "points");
    for (let p = 0; p < count; p += 97)
        for (let c = 0; c < 3; c++) near(bytes.readFloatLE(last + 12 * p + 4 * c), wanted[p][c], 1e-4, `point ${p} of the last frame`);
    good(["bake", list[0], out, "--example", `0.5=${list[8]}`, "--quiet"]); // a lone sculpt moves from the rest shape
    near(json(["inspect", out]).clips[0].seconds, 0.5, 1e-6, "length");
    validate(out);
});
await test("shapes of another mesh are named before any fit", folder => {
    const list = files(sequence(folder)), out = path.join(folder, "o.glb"), other = path.join(folder, "other.obj");
    fs.writeFileSync(other, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
    bad(["bake", list[0], out, "--example", `1=${other}`], 1, /example '.*other\.obj' has 3 points/);
    bad(["bake", list[0], out, "--example", `0=${list[1]}`, "--example", `1=${list[2]}`, "--bones", "0"], 2, /--bones 0 is out of range/);
});


// ------------------------------------------------------------------------------------------------ parameters

const arm = "builtin:arm?points=800";
function truth(folder, chain) {
    const dir = path.join(folder, "truth");
    fs.mkdirSync(dir);
    good(["bake", arm, path.join(dir, "t.obj"), "--clip", "twist", "--fps", "6", "--quiet", "--deform", chain]);
    return dir;
}

await test("a parameter is found again in the motion that it made, and held-out frames agree", folder => {
    const dir = truth(folder, "dualquat(blend=0.6)"), preset = path.join(folder, "p.json");
    const r = json(["fit", arm, "--clip", "twist", "--deform", "dualquat", "--truth", dir, "--write", preset]);
    equal(Object.keys(r).join(" "), "output chain params train held_out diagonal evaluations seconds");
    equal(r.params.map(p => `${p.link}.${p.name}`).join(), "dualquat.blend", "what was fitted");
    near(r.params[0].value, 0.6, 0.005, "blend");
    holds(r.train.frames > 0 && r.held_out.frames > 0, "both kinds of frames");
    holds(r.train.rms_after < 0.02 * r.train.rms_before && r.held_out.rms_after < 0.02 * r.held_out.rms_before, "nothing left");
    const c = json(["compare", arm, "--clip", "twist", "--preset", preset, "--truth", dir]).chains[0];
    holds(c.error.rms < 0.02 * r.train.rms_before, "the preset is the chain that was found");
});
await test("a later link is fitted, threads change nothing, and --params narrows", folder => {
    const dir = truth(folder, "linear,smooth(strength=0.5)"), preset = path.join(folder, "p.json");
    const words = ["fit", arm, "--clip", "twist", "--deform", "linear,smooth", "--truth", dir, "--write", preset, "--params", "smooth.strength"];
    const r = json([...words, "--threads", "1"]), first = fs.readFileSync(preset, "utf8");
    near(r.params[0].value, 0.5, 0.01, "strength");
    json([...words, "--threads", "3"]);
    equal(fs.readFileSync(preset, "utf8"), first, "preset");
});
await test("a parameter fit that makes no sense is named", folder => {
    const dir = truth(folder, "linear"), preset = path.join(folder, "p.json"), words = ["fit", arm, "--clip", "twist", "--deform", "dualquat", "--write", preset];
    bad(words, 2, /supple fit FILE --deform CHAIN --truth/);
    bad([...words, "--truth", dir, "--params", "nothing"], 2, /no link of 'dualquat' has it/);
    bad(["fit", arm, "--clip", "twist", "--deform", "linear", "--write", preset, "--truth", dir], 1, /no parameter that can be fitted/);
    bad([...words, "--truth", dir, "--keys", "1"], 1, /every frame of the truth is an example/);
    holds(!fs.existsSync(preset), "nothing was written");
});

await test("the horse gallops on ten bones", folder => {
    const dir = path.join(data, "horse-gallop");
    if (!fs.existsSync(dir)) skip("the shared data set is not beside the checkout");
    const out = path.join(folder, "horse.glb");
    const r = json(["fit", dir, out, "--rest", path.join(dir, "reference.obj"), "--bones", "10"]);
    equal(r.frames, 24, "frames");
    holds(r.erms < 3.3, `E_RMS ${r.erms}`);
    validate(out);
});
await test("a rig found in shapes wears the materials and texture coordinates of the first", folder => {
    const dir = path.join(folder, "painted"), out = path.join(folder, "painted.glb");
    fs.mkdirSync(dir);
    fs.writeFileSync(path.join(dir, "skin.mtl"), "newmtl red\nKd 1 0 0\n");
    for (let i = 0; i < 4; i++) {
        const points = [[0, 0, 0], [1, 0, 0], [1, 1, i / 4], [0, 1, i / 4]];
        fs.writeFileSync(path.join(dir, `p_${i}.obj`), "mtllib skin.mtl\n" + points.map(p => `v ${p.join(" ")}\n`).join("") +
            "vt 0 0\nvt 1 0\nvt 1 1\nvt 0 1\nusemtl red\nf 1/1 2/2 3/3 4/4\n");
    }
    good(["fit", dir, out, "--bones", "2"]);
    const bytes = fs.readFileSync(out), model = JSON.parse(bytes.subarray(20, 20 + bytes.readUInt32LE(12)));
    equal(model.materials.map(m => m.name).join(), "red", "materials");
    holds("TEXCOORD_0" in model.meshes[0].primitives[0].attributes, "texture coordinates");
    holds("JOINTS_0" in model.meshes[0].primitives[0].attributes, "weights");
    validate(out);
});
finish();
