// supple bake: one clip through a chain into a file that other programs open.
import { bad, equal, finish, good, holds, holdsOnly, json, match, near, shared, source, start, strip, test, validate, writeGlb } from "./harness.mjs";
import fs from "node:fs";
import path from "node:path";

const chains = ["linear", "dualquat"];

// The JSON part of a GLB.
function readGlb(file) {
    const bytes = fs.readFileSync(file);
    equal(bytes.toString("latin1", 0, 4), "glTF", "magic");
    equal(bytes.readUInt32LE(8), bytes.length, "length in the header");
    return JSON.parse(bytes.toString("utf8", 20, 20 + bytes.readUInt32LE(12)));
}

// The vectors of an accessor, dense or sparse.
function readVectors(file, index) {
    const bytes = fs.readFileSync(file), gltf = readGlb(file), accessor = gltf.accessors[index], begin = 20 + bytes.readUInt32LE(12) + 8;
    const floats = (view, offset, count) => Array.from({ length: count }, (_, i) => bytes.readFloatLE(begin + (gltf.bufferViews[view].byteOffset ?? 0) + offset + 4 * i));
    const out = Array.from({ length: accessor.count }, () => [0, 0, 0]);
    const split = list => out.map((_, i) => list.slice(3 * i, 3 * i + 3));
    if (accessor.bufferView !== undefined) split(floats(accessor.bufferView, accessor.byteOffset ?? 0, 3 * accessor.count)).forEach((v, i) => (out[i] = v));
    if (accessor.sparse) {
        const { count, indices, values } = accessor.sparse, at = begin + (gltf.bufferViews[indices.bufferView].byteOffset ?? 0) + (indices.byteOffset ?? 0);
        const size = { 5121: 1, 5123: 2, 5125: 4 }[indices.componentType];
        const list = floats(values.bufferView, values.byteOffset ?? 0, 3 * count);
        for (let i = 0; i < count; i++) out[bytes.readUIntLE(at + size * i, size)] = list.slice(3 * i, 3 * i + 3);
    }
    return out;
}

await test("the JSON has exactly the contract's keys", folder => {
    const out = path.join(folder, "out.glb");
    const r = json(["bake", "builtin:bar", out]);
    equal(Object.keys(r).join(" "), "output bytes frames points seconds ms_per_frame hash fallbacks verdict");
    equal(r.output, out, "output");
    equal(r.bytes, fs.statSync(out).size, "bytes");
    match(r.hash, /^[0-9a-f]{16}$/);
    holdsOnly(folder, ["out.glb"]);
});
await test("a verdict says what is worst, and what was tried and is better", folder => {
    const out = path.join(folder, "out.npy");
    const v = json(["bake", "builtin:arm", out, "--clip", "flex"]).verdict;
    equal(v.part, "forearm", "part");
    holds(v.volume_change < -0.05 && v.crossings > 50 && v.frames === 12, `elbow: ${JSON.stringify(v)}`);
    equal(v.better.chain, "dualquat", "better");
    holds(Math.abs(v.better.volume_change) < 0.01, "dualquat keeps it");
    const said = good(["bake", "builtin:arm", out, "--clip", "flex"]).out;
    holds(said.includes(v.text) && /^Worst at 1\.00 s: .*'forearm' loses .* Try --deform dualquat/m.test(said), said);
    const other = json(["bake", "builtin:arm", out, "--clip", "flex", "--deform", "dualquat"]).verdict;
    equal(other.crossings_linear, v.crossings, "linear skinning is beside it");
    equal(json(["bake", "builtin:arm", out, "--no-verdict"]).verdict, null, "--no-verdict");
    holds(!good(["bake", "builtin:arm", out, "--clip", "flex", "--no-verdict"]).out.includes("Worst"), "not said");
});
await test("counters are for --json, and every fallback has its words", folder => {
    const out = path.join(folder, "out.npy"), args = ["bake", "builtin:arm", out, "--clip", "flex", "--start", "0.8", "--deform", "layers"];
    holds(Object.keys(json(args).fallbacks).length > 0, "layers counts something");
    holds(!/layers\.|fallback/.test(good(args).out), "and a person is not shown it");
    const words = fs.readFileSync(path.join(source, "apps/supple/report/fallbacks.c"), "utf8");
    const files = fs.readdirSync(path.join(source, "src"), { recursive: true }).filter(f => f.endsWith(".c"));
    for (const file of files)
        for (const [, name] of fs.readFileSync(path.join(source, "src", file), "utf8").matchAll(/sup_stats_add\([^;"]*"([a-z_.]+)"/g))
            holds(words.includes(`"${name}"`), `${file} counts ${name}, which apps/supple/report/fallbacks.c does not know`);
});
await test("frames are floor((end - start) fps + 1e-6) + 1", folder => {
    const file = writeGlb(path.join(folder, "strip.glb"), strip());
    const frames = (...flags) => json(["bake", file, path.join(folder, "out.glb"), "--clip", "Wave", ...flags]).frames;
    equal(frames(), 31, "default");
    equal(frames("--fps", "24"), 25, "24");
    equal(frames("--start", "0.5"), 16, "from the middle");
    equal(frames("--end", "0.99"), 30, "not quite the end");
    equal(frames("--loop"), 30, "loop leaves the repeated frame out");
});
await test("a part of a clip is a clip of its own, and the other verbs see the same skin in it", folder => {
    const part = path.join(folder, "part.glb"), span = ["--start", "0.3", "--end", "0.8", "--fps", "10"];
    good(["bake", "builtin:arm", part, "--clip", "flex", ...span, "--deform", "dualquat", "--name", "part"]);
    near(json(["inspect", part]).clips.find(c => c.name === "part").seconds, 0.5, 1e-6, "seconds of the part");
    const from = json(["compare", "builtin:arm", "--clip", "flex", ...span, "--deform", "dualquat"]);
    const to = json(["compare", part, "--clip", "part", "--fps", "10", "--deform", "linear"]);
    equal(to.frames, from.frames, "frames");
    for (const key of ["volume_change_max", "part_change_max", "speed_max"]) near(to.chains[0][key], from.chains[0][key], 1e-5, key);
    equal(json(["fit", part, path.join(folder, "fit.glb"), "--clip", "part", "--fps", "10"]).frames, 6, "frames of the fit");
});
await test("instants, odd ends and loops are parts that last as long as they say", folder => {
    const file = writeGlb(path.join(folder, "strip.glb"), strip()), out = path.join(folder, "out.glb");
    const part = (...flags) => {
        good(["bake", file, out, "--clip", "Wave", "--fps", "10", "--name", "part", ...flags]);
        return json(["inspect", out]).clips.find(c => c.name === "part").seconds;
    };
    equal(part("--start", "0.3", "--end", "0.3"), 0, "an instant");
    near(part("--start", "0.123", "--end", "0.777"), 0.654, 1e-6, "an end between frames");
    near(part("--start", "0.2", "--end", "0.7", "--loop"), 0.5, 1e-6, "a loop");
    near(part("--start", "0.25"), 0.75, 1e-6, "up to the end");
    near(part(), 1, 1e-6, "all of it");
    validate([out], file);
    bad(["bake", file, out, "--clip", "Wave", "--start", "-0.5"], 2, /--start/);
    bad(["bake", file, out, "--clip", "Wave", "--start", "0.5", "--end", "0.4"], 2, /is before --start/);
});
await test("the clip's hash is the hash of its frames' hashes", folder => {
    const r = json(["bake", writeGlb(path.join(folder, "strip.glb"), strip()), path.join(folder, "out.glb"), "--clip", "Wave", "--hashes"]);
    equal(r.hashes.length, r.frames, "hashes");
    let hash = 0xcbf29ce484222325n;
    for (const text of r.hashes) {
        for (let i = 0n, n = BigInt("0x" + text); i < 8n; i++) hash = ((hash ^ ((n >> (8n * i)) & 255n)) * 0x100000001b3n) & 0xffffffffffffffffn;
    }
    equal(r.hash, hash.toString(16).padStart(16, "0"), "hash");
});
await test("a frame's hash is FNV-1a over the points' floats", folder => {
    // At rest the strip stays where it is: hash the six points by hand.
    const model = strip();
    delete model.json.animations;
    const r = json(["bake", writeGlb(path.join(folder, "strip.glb"), model), path.join(folder, "out.glb"), "--hashes"]);
    // Points are numbered by first use in the faces: 0 1 3 2 5 4.
    const p = model.views.positions, order = [0, 1, 3, 2, 5, 4].flatMap(i => [p[3 * i], p[3 * i + 1], p[3 * i + 2]]);
    let hash = 0xcbf29ce484222325n;
    for (const byte of Buffer.from(new Float32Array(order).buffer)) hash = ((hash ^ BigInt(byte)) * 0x100000001b3n) & 0xffffffffffffffffn;
    equal(r.frames, 1, "frames");
    equal(r.hashes[0], hash.toString(16).padStart(16, "0"), "hash");
});
for (const chain of chains) {
    await test(`1, 2 and 8 threads give the same bits: ${chain}`, folder => {
        const hash = n => json(["bake", "builtin:beast", path.join(folder, "out.glb"), "--clip", "jump", "--deform", chain, "--threads", n]).hash;
        const one = hash("1");
        equal(hash("2"), one, "2 threads");
        equal(hash("8"), one, "8 threads");
    });
    await test(`24, 30 and 60 frames a second agree where their times do: ${chain}`, folder => {
        const hashes = n => json(["bake", "builtin:arm", path.join(folder, "out.glb"), "--clip", "flex", "--deform", chain, "--fps", n, "--hashes"]).hashes;
        const at24 = hashes("24"), at30 = hashes("30"), at60 = hashes("60");
        holds(at60.length > 12, "long enough to compare");
        at30.forEach((h, i) => 2 * i < at60.length && equal(h, at60[2 * i], `frame ${i} of 30`));
        at24.forEach((h, i) => i % 2 === 0 && 5 * i / 2 < at60.length && equal(h, at60[5 * i / 2], `frame ${i} of 24`));
    });
}
await test("the hash moves with the deformer and stays with the run", folder => {
    const hash = chain => json(["bake", "builtin:arm", path.join(folder, "out.glb"), "--clip", "twist", "--deform", chain]).hash;
    equal(hash("linear"), hash("linear"), "again");
    holds(hash("linear") !== hash("dualquat"), "linear and dualquat gave the same bits");
});
await test("the baked clip is added, everything else is kept", folder => {
    const file = writeGlb(path.join(folder, "strip.glb"), strip()), out = path.join(folder, "out.glb");
    good(["bake", file, out, "--clip", "Wave", "--name", "Wave baked", "--quiet"]);
    const before = readGlb(file), after = readGlb(out);
    equal(after.animations.map(a => a.name).join(), "Wave,Nod,Wave baked");
    equal(JSON.stringify(after.nodes.map(n => n.name)), JSON.stringify(before.nodes.map(n => n.name)));
    equal(JSON.stringify(after.animations.slice(0, 2).map(a => a.channels[0])), JSON.stringify(before.animations.map(a => a.channels[0])));
    holds(after.meshes[0].primitives[0].targets.length > 0, "morph targets");
    holds(after.animations[2].channels.some(c => c.target.path === "weights"), "a weights channel");
    validate(out, file);
});
await test("a baked file is a character again", folder => {
    const out = path.join(folder, "out.glb");
    good(["bake", "builtin:arm?points=500", out, "--clip", "flex", "--quiet"]);
    const before = json(["inspect", "builtin:arm?points=500"]), after = json(["inspect", out]);
    for (const key of ["points", "triangles", "joints", "closed"]) equal(after[key], before[key], key);
    equal(after.clips.length, before.clips.length + 1, "clips");
});
await test("playing a baked clip by plain linear skinning shows the baked skin", folder => {
    // A viewer knows only linear blending: it must show dualquat's result. --flat gives both in world space.
    const baked = path.join(folder, "baked.glb"), seen = path.join(folder, "seen.glb"), wanted = path.join(folder, "wanted.glb");
    const arm = "builtin:arm?points=400", flags = ["--fps", "5", "--quiet"];
    good(["bake", arm, baked, "--clip", "flex", "--deform", "dualquat", "--name", "baked", ...flags]);
    good(["bake", arm, wanted, "--clip", "flex", "--deform", "dualquat", "--flat", ...flags]);
    good(["bake", baked, seen, "--clip", "baked", "--deform", "linear", "--flat", ...flags]);
    const shapes = file => {
        const primitive = readGlb(file).meshes[0].primitives[0], base = readVectors(file, primitive.attributes.POSITION);
        return primitive.targets.slice(-6).map(t => readVectors(file, t.POSITION).map((d, i) => d.map((x, k) => x + base[i][k])));
    };
    const a = shapes(wanted), b = shapes(seen);
    equal(a.length, 6, "frames");
    let gap = 0, travel = 0;
    a.forEach((frame, f) => frame.forEach((p, i) => p.forEach((x, k) => {
        gap = Math.max(gap, Math.abs(x - b[f][i][k]));
        travel = Math.max(travel, Math.abs(x - a[0][i][k]));
    })));
    holds(travel > 0.1, `the arm only moved by ${travel}`);
    near(gap, 0, 2e-5, "largest gap in metres");
});
await test("writing over the source is allowed where it is asked for", folder => {
    const file = writeGlb(path.join(folder, "strip.glb"), strip());
    good(["bake", file, file, "--clip", "Wave", "--quiet", "--overwrite"]);
    equal(json(["inspect", file]).clips.length, 3, "clips");
    holdsOnly(folder, ["strip.glb"]);
});
await test("--flat gives a file without skin that still validates", folder => {
    const out = path.join(folder, "out.glb");
    good(["bake", writeGlb(path.join(folder, "strip.glb"), strip()), out, "--clip", "Wave", "--flat", "--quiet"]);
    const flat = readGlb(out);
    holds(flat.nodes.every(n => n.mesh === undefined || n.skin === undefined), "a mesh kept its skin");
    validate(out, path.join(folder, "strip.glb"));
});
await test("several clips and none chosen: the first, said in a note", folder => {
    const r = good(["bake", writeGlb(path.join(folder, "strip.glb"), strip()), path.join(folder, "out.glb")]);
    match(r.err, /note: taking the clip 'Wave'; choose with --clip from 'Wave', 'Nod'/);
});
await test("quiet says nothing", folder => {
    const r = good(["bake", writeGlb(path.join(folder, "strip.glb"), strip()), path.join(folder, "out.glb"), "--quiet"]);
    equal(r.out + r.err, "", "output");
});
await test("no bar where stderr is no terminal", folder => {
    const r = good(["bake", "builtin:beast", path.join(folder, "out.glb"), "--clip", "walk"]);
    holds(!r.err.includes("\r"), "a bar was drawn");
});
await test("--pose turns a joint in degrees", folder => {
    // The tip, at (0,1,0), turned by 90 degrees about z: the top edge (0,2,0)-(1,2,0) goes to (-1,1,0)-(-1,2,0).
    const file = writeGlb(path.join(folder, "strip.glb"), strip()), out = path.join(folder, "out.glb");
    const r = json(["bake", file, out, "--pose", "tip=0,0,90", "--flat"]);
    equal(r.frames, 1, "frames");
    const primitive = readGlb(out).meshes[0].primitives[0], base = readVectors(out, primitive.attributes.POSITION);
    const moved = readVectors(out, primitive.targets[0].POSITION).map((d, i) => d.map((x, k) => x + base[i][k]));
    [[0, 0, 0], [1, 0, 0], null, null, [-1, 1, 0], [-1, 2, 0]].forEach((p, i) => p?.forEach((x, k) => near(moved[i][k], x, 1e-6, `vertex ${i}`)));
    equal(json(["bake", file, out, "--pose", "root=0,0,0;tip=0,0,90", "--deform", "linear"]).hash, r.hash, "';' separates, linear is the default");
    equal(json(["bake", file, out, "--pose", "tip=0,0,45", "--pose", "tip=0,0,45", "--end", "1"]).frames, 31, "a held pose lasts till --end");
});
await test("--pose and --clip cannot be combined", folder => {
    const file = writeGlb(path.join(folder, "strip.glb"), strip());
    bad(["bake", file, path.join(folder, "out.glb"), "--pose", "tip=0,0,1", "--clip", "Wave"], 2, /cannot be combined/);
});
await test("an end behind the clip's is an error with its length; --hold holds the last pose", folder => {
    const file = writeGlb(path.join(folder, "strip.glb"), strip()), out = path.join(folder, "out.npy");
    const bake = ["bake", file, out, "--clip", "Wave"];
    for (const verb of [bake, ["compare", file, "--clip", "Wave"], ["render", file, path.join(folder, "o.gif"), "--clip", "Wave"], ["fit", file, path.join(folder, "o.glb"), "--clip", "Wave"]])
        bad([...verb, "--end", "99"], 1, /--end 99 is past the end of the clip 'Wave' \(1\.000 s\).*--hold S/);
    holdsOnly(folder, ["strip.glb"]);
    equal(json([...bake, "--end", "1.02"]).frames, 31, "less than a frame behind is the end");
    const whole = json([...bake, "--hashes"]), held = json([...bake, "--hold", "0.5", "--hashes"]);
    equal(held.frames, 46);
    equal(held.hashes.slice(0, 31).join(), whole.hashes.join(), "the clip itself");
    equal(new Set(held.hashes.slice(30)).size, 1, "different poses behind the end");
    equal(json([...bake, "--end", "0.5", "--hold", "0.1"]).frames, 19, "from 0 to 0.6 s");
    bad([...bake, "--hold", "1", "--loop"], 2, /--loop and --hold cannot be combined/);
    bad([...bake, "--hold", "-1"], 2, /out of range/);
    bad([...bake, "--hold", "900000"], 1, /more than 1000000 frames; lower --fps, --end or --hold/);
});
await test("a map that nobody reads is said with the names that are read", folder => {
    const map = path.join(folder, "map.txt"), out = path.join(folder, "out.npy");
    fs.writeFileSync(map, Array(json(["inspect", "builtin:arm?points=400"]).points).fill("1").join("\n"));
    const said = (name, ...flags) =>
        good(["bake", "builtin:arm?points=400", out, "--clip", "flex", "--end", "0", "--map", `${name}=${map}`, ...flags]).err;
    match(said("belly"), /note: nothing reads the map 'belly'; no parameter of this chain takes a map/);
    match(said("step_", "--deform", "smooth"), /note: .*'step_'; .*these parameters take a map of their name: /);
    match(said("dampin", "--deform", "layers"), /did you mean 'damping'\?/);
    match(said("damping", "--deform", "layers"), /^(?!.*nothing reads)/s);
    match(said("layers_damping", "--deform", "layers"), /^(?!.*nothing reads)/s);
    match(said("belly", "--quiet"), /^(?!.*nothing reads)/s);
    // A map read only by an idle parameter is as idle as the parameter.
    match(said("strength", "--deform", "smooth(iterations=0)"), /note: smooth: strength does nothing with iterations=0; set iterations above 0/);
    match(said("strength", "--deform", "smooth"), /^(?!.*does nothing)/s);
});
await test("--map adds values per point or vertex", folder => {
    const file = writeGlb(path.join(folder, "strip.glb"), strip()), map = path.join(folder, "map.txt");
    fs.writeFileSync(map, "0\n0.5\n1\n0\n0.25\n1\n");
    equal(json(["inspect", file, "--map", `stiffness=${map}`]).maps.join(), "_STIFFNESS");
    fs.writeFileSync(map, "[0, 0.5, 1, 0, 0.25, 1]");
    equal(json(["inspect", file, "--map", `_STIFFNESS=${map}`]).maps.join(), "_STIFFNESS");
    fs.writeFileSync(map, "0 1 2");
    bad(["inspect", file, "--map", `stiffness=${map}`], 1, /has 3 values; .*6 points/);
    fs.writeFileSync(map, "0 1 soft");
    bad(["inspect", file, "--map", `stiffness=${map}`], 1, /value 3 is not a number \('soft'\)/);
    bad(["inspect", file, "--map", `stiffness=${map}.txt`], 1, /map\.txt\.txt/);
});
await test("a value can be set in the chain, by --set, by a preset and by keys of the world", folder => {
    // dualquat with blend 0 is linear, bit for bit.
    const out = path.join(folder, "out.glb"), file = path.join(folder, "file.json"), bake = ["bake", "builtin:arm?points=400", out, "--clip", "flex", "--fps", "10"];
    const linear = json([...bake, "--deform", "linear"]).hash, plain = json([...bake, "--deform", "dualquat"]).hash;
    holds(linear !== plain, "the two methods agree, so nothing can be told");
    equal(json([...bake, "--deform", "dualquat(blend=0)"]).hash, linear, "in the chain");
    equal(json([...bake, "--deform", "dualquat", "--set", "dualquat.blend=0"]).hash, linear, "by --set");
    fs.writeFileSync(file, JSON.stringify({ supple: 1, links: [{ name: "dualquat", set: { blend: 0 } }] }));
    equal(json([...bake, "--preset", file]).hash, linear, "by a preset");
    equal(json([...bake, "--preset", file, "--set", "dualquat.blend=1"]).hash, plain, "--set wins over the preset");
    fs.writeFileSync(file, JSON.stringify({ keys: { "dualquat.blend": [{ time: 0, value: 0 }] } }));
    equal(json([...bake, "--deform", "dualquat", "--world", file]).hash, linear, "by keys");
    fs.writeFileSync(file, JSON.stringify({ keys: { "dualquat.blend": [{ time: 0, value: 0, step: true }, { time: 0.55, value: 1 }] } }));
    const hashes = (...flags) => json([...bake, "--hashes", ...flags]).hashes;
    const a = hashes("--deform", "linear"), b = hashes("--deform", "dualquat"), mixed = hashes("--deform", "dualquat", "--world", file);
    mixed.forEach((h, i) => equal(h, i < 6 ? a[i] : b[i], `frame ${i}`));
});
await test("a painted map and values per bone are obeyed", folder => {
    const out = path.join(folder, "out.glb"), map = path.join(folder, "map.txt"), bake = ["bake", "builtin:arm?points=400", out, "--clip", "flex", "--fps", "10", "--deform", "dualquat"];
    const points = json(["inspect", "builtin:arm?points=400"]).points, plain = json(bake).hash;
    fs.writeFileSync(map, "1\n".repeat(points));
    equal(json([...bake, "--map", `dualquat_blend=${map}`]).hash, plain, "a map of ones changes nothing");
    fs.writeFileSync(map, "0.5\n".repeat(points));
    equal(json([...bake, "--map", `blend=${map}`]).hash, json([...bake, "--set", "dualquat.blend=0.5"]).hash, "half everywhere is half");
    bad([...bake, "--set", "dualquat.blend@nobody*=0.2"], 1, /nobody.*upper_arm, forearm/);
    holds(json([...bake, "--set", "dualquat.blend@forearm=0"]).hash !== plain, "a bone's value changed nothing");
});
await test("a preset gives links, values and the world beside it", folder => {
    const file = writeGlb(path.join(folder, "strip.glb"), strip()), out = path.join(folder, "out.glb"), preset = path.join(folder, "preset.json");
    fs.writeFileSync(path.join(folder, "world.json"), JSON.stringify({ gravity: [0, -1, 0] }));
    fs.writeFileSync(preset, JSON.stringify({ supple: 1, links: [{ name: "dualquat" }], world: "world.json" }));
    const wanted = json(["bake", file, out, "--clip", "Wave", "--deform", "dualquat"]).hash;
    equal(json(["bake", file, out, "--clip", "Wave", "--preset", preset]).hash, wanted, "hash");
    fs.rmSync(path.join(folder, "world.json"));
    bad(["bake", file, out, "--clip", "Wave", "--preset", preset], 1, /world\.json/);
});

for (const [signal, code] of [["SIGINT", 130], ["SIGTERM", 143], ["SIGHUP", 129]]) {
    await test(`${signal} in the middle of a bake leaves nothing`, async folder => {
        const child = start(["bake", "builtin:beast?points=60000", path.join(folder, "out.glb"), "--clip", "walk", "--fps", "600"]);
        let err = "";
        child.stderr.on("data", d => (err += d));
        const ended = new Promise(done => child.on("exit", (status, by) => done({ status, by })));
        // Once the file beside the target exists, the bake is writing frames.
        for (let i = 0; i < 6000 && child.exitCode === null && fs.readdirSync(folder).length === 0; i++) await new Promise(done => setTimeout(done, 20));
        holds(fs.readdirSync(folder).length > 0, "the bake never began to write");
        child.kill(signal);
        const { status, by } = await ended;
        equal(by, null, "killed by");
        equal(status, code, "exit code");
        match(err, /supple: error: stopped before the end; nothing was written/);
        holdsOnly(folder, []);
    });
}

const real = { cesiumman: 1, riggedsimple: 1, fox: 3, soldier: 4, robotexpressive: 14 };
for (const [name, count] of Object.entries(real)) {
    for (const chain of chains) {
        await test(`${name}: every clip bakes with ${chain} and validates`, folder => {
            const file = shared(`skinned/${name}.glb`), info = json(["inspect", file]);
            equal(info.clips.length, count, "clips");
            const files = info.clips.map((clip, i) => {
                const out = path.join(folder, `${i}.glb`), r = json(["bake", file, out, "--clip", clip.name, "--deform", chain, ...(i ? ["--no-verdict"] : [])]);
                equal(r.points, info.points, "points");
                equal(r.frames, Math.floor(clip.seconds * 30 + 1e-6) + 1, "frames");
                return out;
            });
            validate(files.slice(0, 4), file); // the robot's fourteen are alike, and validating takes longer than baking
        });
    }
}
finish();
