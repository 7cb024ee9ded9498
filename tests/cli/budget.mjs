// supple bake within a budget: flags, refusals, the report, and that a file is never worse or larger than requested.
import { bad, equal, finish, good, holds, holdsOnly, json, match, strip, test, validate, writeGlb } from "./harness.mjs";
import fs from "node:fs";
import path from "node:path";

const arm = ["builtin:arm?points=800"], moved = ["--clip", "flex", "--deform", "dualquat", "--no-verdict"];

await test("an error is kept, a tighter one costs more, and the report says what was read again", folder => {
    const out = path.join(folder, "out.glb"), sizes = [];
    for (const mm of [5, 1, 0.2]) {
        const r = json(["bake", ...arm, out, ...moved, "--max-error", `${mm}mm`]);
        holds(r.budget.worst_mm <= mm && r.budget.rms_mm <= r.budget.worst_mm, `${mm} mm: ${JSON.stringify(r.budget)}`);
        equal(Object.values(r.budget.bytes).reduce((a, b) => a + b), fs.statSync(out).size, "bytes by part");
        holds(r.budget.tries.length > 0 && r.budget.files_read_again >= 1, "tries");
        sizes.push(r.bytes);
    }
    holds(sizes[0] <= sizes[1] && sizes[1] < sizes[2], `${sizes}`);
    const plain = json(["bake", ...arm, out, ...moved]);
    holds(plain.bytes > 5 * sizes[1], `${plain.bytes} as a target for each frame, ${sizes[1]} at 1 mm`);
    equal(plain.budget, undefined, "no budget, no report");
    holdsOnly(folder, ["out.glb"]);
});
await test("errors at worst are foreseen: few files are made to find one, and another only where it saves bytes", folder => {
    const out = path.join(folder, "out.glb");
    for (const [character, clip, mm, files] of [["builtin:beast", "walk", 1, 1], ["builtin:arm?points=800", "flex", 1, 2], ["builtin:arm?points=800", "flex", 0.2, 2]]) {
        const { budget } = json(["bake", character, out, "--clip", clip, "--deform", "dualquat", "--no-verdict", "--max-error", `${mm}mm`]);
        holds(budget.worst_mm <= mm && budget.files_read_again <= files, `${character} ${mm} mm: ${JSON.stringify(budget)}`);
    }
});
await test("units mean what they say", folder => {
    const out = path.join(folder, "out.glb"), bytes = flag => json(["bake", ...arm, out, ...moved, "--rms-error", flag]).bytes;
    equal(bytes("0.5mm"), bytes("0.05cm"), "cm");
    equal(bytes("0.5mm"), bytes("0.0005m"), "m");
});
await test("a size is kept", folder => {
    const out = path.join(folder, "out.glb"), r = json(["bake", ...arm, out, ...moved, "--max-size", "21kB"]);
    holds(r.bytes <= 21000 && fs.statSync(out).size === r.bytes, `${r.bytes}`);
    const more = json(["bake", ...arm, out, ...moved, "--max-size", "30kB"]);
    holds(more.budget.rms_mm < r.budget.rms_mm, "more bytes are more exact");
});
await test("the size of a file within an error is enough for nearly that error", folder => {
    const out = path.join(folder, "out.glb");
    for (const clip of ["walk", "jump"])
        for (const mm of [0.5, 1]) {
            const words = ["bake", "builtin:beast", out, "--clip", clip, "--deform", "dualquat,smooth", "--no-verdict"];
            const wanted = json([...words, "--rms-error", `${mm}mm`]), got = json([...words, "--max-size", `${wanted.bytes}`]);
            holds(got.bytes <= wanted.bytes && got.budget.rms_mm < 2 * wanted.budget.rms_mm, `${clip}: ${wanted.bytes} bytes hold ${wanted.budget.rms_mm} mm, but ${got.budget.rms_mm} were found`);
        }
});
await test("a size that holds the mesh alone gets the mesh alone, and less is refused with what is needed", folder => {
    const out = path.join(folder, "out.glb"), words = ["bake", ...arm, out, ...moved];
    const needed = Number(/without any components it takes (\d+)/.exec(bad([...words, "--max-size", "5kB"], 1, /without any components/).err)[1]);
    holdsOnly(folder, []);
    for (const more of [0, 100, 1000]) {
        const r = json([...words, "--max-size", `${needed + more}`]);
        holds(r.bytes <= needed + more, `${r.bytes} of ${needed + more}`);
    }
});
await test("an error that nothing reaches is refused with how close a file comes, which can then be had", folder => {
    const out = path.join(folder, "out.glb"), words = ["bake", ...arm, out, ...moved, "--max-error"];
    const worst = Number(/and ([0-9.e-]+) mm at worst is the best/.exec(bad([...words, "1e-9mm"], 1, /best that can be had/).err)[1]);
    holds(worst > 1e-9, `${worst}`);
    holdsOnly(folder, []);
    holds(json([...words, `${1.1 * worst}mm`]).budget.worst_mm <= 1.1 * worst, `${worst}`);
});
await test("percent are of the diagonal, and what was read again is what compare measures", folder => {
    const cache = path.join(folder, "plain.npy"), out = path.join(folder, "out.glb");
    good(["bake", ...arm, cache, ...moved, "--quiet"]);
    for (const [flag, share] of [["--rms-error", "0.05%"], ["--max-error", "0.2%"]]) {
        const { budget } = json(["bake", ...arm, out, ...moved, flag, share]), { chains: [{ error }], diagonal } = json(["compare", out, "--deform", "linear", "--fps", "30", "--truth", cache]);
        const got = flag === "--rms-error" ? error.rms : error.max, told = (flag === "--rms-error" ? budget.rms_mm : budget.worst_mm) / 1000;
        holds(got <= parseFloat(share) / 100 * diagonal && Math.abs(got - told) < 1e-3 * told, `${flag} ${share}: ${got} of ${diagonal}, told ${told}`);
    }
});
await test("where skinning alone is enough, the clip is still the bake's", folder => {
    const out = path.join(folder, "out.glb"), r = json(["bake", ...arm, out, ...moved, "--rms-error", "50%"]);
    equal(r.budget.components, 0, "components");
    match(good(["compare", out, "--deform", "linear"]).err, /taking the baked clip 'flex\.dualquat'/);
});
await test("1 and 8 threads write the same file", folder => {
    const files = [1, 8].map(n => {
        const out = path.join(folder, `${n}.glb`);
        good(["bake", ...arm, out, ...moved, "--rms-error", "0.3mm", "--threads", `${n}`, "--quiet"]);
        return fs.readFileSync(out);
    });
    holds(files[0].equals(files[1]), "bytes differ");
});
await test("profiles: only extensions that are read, and what that costs is said", async folder => {
    const out = path.join(folder, "out.glb"), used = () => {
        const bytes = fs.readFileSync(out);
        return JSON.parse(bytes.toString("utf8", 20, 20 + bytes.readUInt32LE(12))).extensionsUsed;
    };
    for (const client of ["unreal", "unity", "godot"]) {
        match(good(["bake", ...arm, out, ...moved, "--rms-error", "0.5mm", "--for", client]).err, /note: .*EXT_meshopt_compression/);
        equal(used()?.join(), client === "unity" ? "KHR_mesh_quantization" : undefined, client);
        await validate(out);
    }
    for (const client of ["web", "three"]) {
        holds(!good(["bake", ...arm, out, ...moved, "--rms-error", "0.5mm", "--for", client]).err.includes("meshopt"), client);
        equal(used().join(), "EXT_meshopt_compression", client);
    }
    await validate(out);
});
await test("what cannot be is refused with the cure, and nothing is written", folder => {
    const out = path.join(folder, "out.glb"), say = (flags, words, code = 1, file = out) => bad(["bake", ...arm, file, ...moved, ...flags], code, words);
    say(["--max-error", "1"], /write one like 1mm/, 2);
    say(["--rms-error", "-1mm"], /is not a length/, 2);
    say(["--max-size", "2 bananas"], /write one like 2MB/, 2);
    say(["--max-size", "5kB"], /without any components it takes \d+; raise --max-size/);
    say(["--max-error", "1e-9mm"], /best that can be had/);
    say(["--max-error", "1mm", "--max-size", "1MB"], /one budget at a time/, 2);
    say(["--max-error", "1mm", "--sparse"], /leave --sparse and --meshopt out/, 2);
    say(["--for", "web"], /add --max-error/, 2);
    say(["--max-error", "1mm", "--for", "unrea"], /did you mean 'unreal'/, 2);
    say(["--max-error", "1mm"], /write a \.glb/, 1, path.join(folder, "out.pc2"));
    holdsOnly(folder, []);
});
// Six vertices of four triangles, each triangle with its own: twelve stored vertices of six points.
await test("equal vertices become one, keys that never change one, and the file shows the same", async folder => {
    const model = strip(), v = model.views, file = path.join(folder, "in.glb"), out = path.join(folder, "out.glb");
    const spread = (values, width) => new values.constructor(Array.from(v.indices).flatMap(i => Array.from(values.slice(width * i, width * i + width))));
    Object.assign(v, { positions: spread(v.positions, 3), joints: spread(v.joints, 4), weights: spread(v.weights, 4) });
    for (const a of [0, 1, 2]) model.json.accessors[a].count = 12;
    delete model.json.meshes[0].primitives[0].indices;
    v.still = new Float32Array([0, 1, 0, 0, 1, 0]); // where the tip is anyway
    model.json.accessors.push({ bufferView: 7, componentType: 5126, count: 2, type: "VEC3" });
    model.json.animations[0].samplers.push({ input: 5, output: 7 });
    model.json.animations[0].channels.push({ sampler: 1, target: { node: 1, path: "translation" } });
    const r = json(["bake", writeGlb(file, model), out, "--clip", "Wave", "--fps", "8", "--deform", "dualquat", "--no-verdict", "--max-error", "1mm"]);
    holds(r.budget.worst_mm <= 1, `${r.budget.worst_mm}`);
    await validate(out);
    const bytes = fs.readFileSync(out), written = JSON.parse(bytes.toString("utf8", 20, 20 + bytes.readUInt32LE(12))), p = written.meshes[0].primitives[0];
    equal(written.accessors[p.attributes.POSITION].count, 6, "vertices");
    equal(written.accessors[p.indices].count, 12, "corners");
    const baked = written.animations.find(a => a.name !== "Wave" && a.name !== "Nod"), keys = path => written.accessors[baked.samplers[baked.channels.find(c => c.target.path === path).sampler].output].count;
    equal(keys("translation"), 1, "keys of what stands still");
    holds(keys("rotation") > 1, "keys of what turns");
    match(good(["inspect", out]).out, /6 points \(6 stored vertices\)/);
});
await test("--verbose lists the tries", folder => {
    const said = good(["bake", ...arm, path.join(folder, "out.glb"), ...moved, "--rms-error", "1mm", "--verbose"]).out;
    match(said, /^method +components +kB +rms mm +worst mm$/m);
    match(said, /^read again: [\d.]+ mm rms, [\d.]+ mm at worst; normals/m);
});
finish();
