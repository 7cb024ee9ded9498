// supple compare: chains side by side, against each other and against the truth.
import { bad, equal, finish, good, holds, holdsOnly, json, match, near, run, skip, strip, test, writeGlb } from "./harness.mjs";
import fs from "node:fs";
import path from "node:path";

const arm = ["compare", "builtin:arm?points=800", "--clip", "flex", "--fps", "10"];
const stripFile = folder => writeGlb(path.join(folder, "strip.glb"), strip());
const wave = file => ["compare", file, "--clip", "Wave", "--deform", "linear"];

// The strip under linear skinning at a time of "Wave", by hand: the tip turns about (0, 1, 0) by 90 degrees a second.
function waved(time) {
    const a = (time * Math.PI) / 2, c = Math.cos(a), s = Math.sin(a);
    const turned = ([x, y]) => [c * x - s * (y - 1), 1 + s * x + c * (y - 1), 0];
    const half = p => turned(p).map((v, k) => (v + [...p, 0][k]) / 2);
    return [[0, 0, 0], [1, 0, 0], half([0, 1]), half([1, 1]), turned([0, 2]), turned([1, 2])];
}
const stripFaces = [[1, 2, 4], [1, 4, 3], [3, 4, 6], [3, 6, 5]];
function writeObj(file, points, faces = stripFaces) {
    fs.writeFileSync(file, [...points.map(p => `v ${p.join(" ")}`), ...faces.map(f => `f ${f.join(" ")}`)].join("\n") + "\n");
    return file;
}
// Truth meshes of the whole clip, at even times.
function writeTruth(folder, count, change = p => p) {
    const dir = path.join(folder, "truth");
    fs.mkdirSync(dir);
    for (let i = 0; i < count; i++) writeObj(path.join(dir, `wave_${i + 8}.obj`), change(waved(count > 1 ? i / (count - 1) : 0), i));
    return dir;
}

await test("a point cache is a truth: the chain that made it is not off", folder => {
    for (const ending of ["npy", "pc2"]) {
        const cache = path.join(folder, `truth.${ending}`);
        good(["bake", "builtin:arm?points=500", cache, "--clip", "flex", "--fps", "5", "--deform", "dualquat", "--quiet"]);
        const { chains } = json(["compare", "builtin:arm?points=500", "--clip", "flex", "--fps", "5", "--deform", "dualquat", "--deform", "linear", "--truth", cache]);
        holds(chains[0].error.max === 0 && chains[1].error.max > 1e-3, `${ending}: ${chains[0].error.max} and ${chains[1].error.max}`);
    }
    bad(["compare", "builtin:bar", "--clip", "bend", "--truth", path.join(folder, "truth.npy")], 1, /different meshes|has \d+ points/);
});
await test("the JSON has the contract's keys", () => {
    const r = json([...arm, "--deform", "linear", "--deform", "dualquat"]);
    for (const key of ["frames", "diagonal", "chains"]) holds(key in r, `lacks ${key}`);
    equal(r.frames, 11, "frames");
    equal(r.chains.map(c => c.chain).join(" "), "linear dualquat", "chains");
    for (const c of r.chains) {
        for (const key of ["chain", "ms_per_frame", "volume_change_max", "volume_change_end", "self_intersections_max", "stretch_max", "hash"]) holds(key in c, `lacks ${key}`);
        holds(!("error" in c), "an error without a truth");
    }
});
await test("linear loses volume at the elbow of builtin:arm, dual quaternions keep it", () => {
    const [linear, dualquat] = json(["compare", "builtin:arm", "--clip", "flex", "--deform", "linear", "--deform", "dualquat"]).chains;
    equal(linear.part, "forearm", "the part that changes most");
    holds(linear.part_change_max < -0.04, `linear: ${linear.part_change_max}`);
    holds(Math.abs(dualquat.part_change_max) < 0.01, `dualquat: ${dualquat.part_change_max}`);
    holds(linear.volume_change_end < -0.01 && Math.abs(dualquat.volume_change_end) < 0.005, "the whole");
});
await test("linear collapses under a twist and gets rougher", () => {
    const [linear, dualquat] = json(["compare", "builtin:arm", "--clip", "twist", "--deform", "linear", "--deform", "dualquat"]).chains;
    equal(linear.part, "hand", "the part that changes most");
    holds(linear.part_change_max < -0.04 && Math.abs(dualquat.part_change_max) < 0.01, "volume");
    holds(linear.roughness_max > 1.5 * dualquat.roughness_max, "roughness");
    holds(linear.stretch_max > dualquat.stretch_max, "stretch");
});
await test("the hash is that of the bake", folder => {
    const file = stripFile(folder);
    equal(json(wave(file)).chains[0].hash, json(["bake", file, path.join(folder, "out.glb"), "--clip", "Wave"]).hash, "hash");
});
await test("without --deform every deformer that fits runs", () => {
    const names = json(arm).chains.map(c => c.chain);
    holds(names.includes("linear") && names.includes("dualquat"), `chains: ${names}`);
});
await test("a setting goes to the chains that have the link", () => {
    const plain = json([...arm, "--deform", "linear", "--deform", "dualquat"]).chains;
    const set = json([...arm, "--deform", "linear", "--deform", "dualquat", "--set", "dualquat.blend=0"]).chains;
    equal(set[0].hash, plain[0].hash, "linear");
    holds(set[1].hash !== plain[1].hash, "the setting did nothing");
    bad([...arm, "--deform", "linear", "--set", "dualquat.blend=0"], 1, /no chain has a link 'dualquat'/);
});
await test("the numbers do not depend on the threads", () => {
    const plain = n => JSON.stringify(json([...arm, "--threads", n]), (key, value) => (key === "ms_per_frame" ? 0 : value));
    equal(plain("1"), plain("4"), "JSON");
});
await test("a held pose is one frame", folder => {
    const file = stripFile(folder), turned = writeObj(path.join(folder, "turned.obj"), waved(1));
    const r = json(["compare", file, "--pose", "tip=0,0,90", "--deform", "linear", "--truth", turned]);
    equal(r.frames, 1, "frames");
    holds(r.chains[0].error.max < 1e-6, "error");
});

await test("a truth that is the chain's own skin has no error", folder => {
    const r = json([...wave(stripFile(folder)), "--truth", writeTruth(folder, 5)]);
    equal(r.frames, 5, "one frame a truth mesh");
    holds(r.chains[0].error.max < 1e-6, `error ${r.chains[0].error.max}`);
});
await test("a truth whose rate does not divide the clip is said, with the flag that takes it as it was made", folder => {
    const cache = path.join(folder, "part.npy"), words = ["compare", "builtin:arm?points=500", "--clip", "flex", "--end", "0.48", "--deform", "dualquat", "--truth", cache];
    good(["bake", "builtin:arm?points=500", cache, "--clip", "flex", "--end", "0.48", "--deform", "dualquat"]); // frames up to 0.467 s
    match(run(words).err, /the 15 frames of the truth are spread over the clip, 29\.17 a second; if they were made at 30, give --fps 30/);
    holds(json([...words, "--fps", "30"]).chains[0].error.max < 1e-6, "as it was made");
});
await test("a truth that is the own bake has no error at all, and shows the other chain's", folder => {
    good(["bake", "builtin:arm?points=800", path.join(folder, "flex.obj"), "--clip", "flex", "--deform", "dualquat", "--fps", "4"]);
    const [linear, dualquat] = json(["compare", "builtin:arm?points=800", "--clip", "flex", "--deform", "linear", "--deform", "dualquat", "--truth", folder]).chains;
    equal(dualquat.error.max, 0, "dualquat");
    holds(linear.error.max > 0.01 && linear.error.rms < linear.error.max, `linear ${linear.error.max}`);
    holds(linear.error_inbetween.max < linear.error.max, "the worst frame is an example, at the end");
});
await test("one point that is off by 0.25 in one of five frames gives the errors worked out by hand", folder => {
    const dir = writeTruth(folder, 5, (points, i) => points.map((p, k) => (i === 2 && k === 4 ? [p[0], p[1], 0.25] : p)));
    const { error, error_inbetween } = json([...wave(stripFile(folder)), "--truth", dir]).chains[0];
    near(error.max, 0.25, 1e-6, "max");
    near(error.rms, Math.sqrt(0.0625 / 30), 1e-6, "rms over 6 points and 5 frames");
    near(error.erms, (1000 * Math.sqrt(0.0625 / 90)) / Math.sqrt(5), 1e-3, "erms with the diagonal as 1");
    near(error_inbetween.rms, error.rms, 1e-12, "no example: all frames lie between");
});
await test("frames that are examples do not count as in between", folder => {
    // builtin:arm has sculpts at both ends of flex: three truth meshes leave the middle one.
    const files = [0, 1, 2].map(i => path.join(folder, `arm${i}.obj`)), r = json(["inspect", "builtin:arm?points=800"]);
    const ends = r.examples.filter(e => e.time === 0 || e.time === 1);
    holds(ends.length >= 2, "the arm has no examples");
    const rest = path.join(folder, "rest.glb");
    good(["bake", "builtin:arm?points=800", rest, "--pose", "hand=0,0,0", "--flat"]);
    const points = restPoints(rest);
    files.forEach((file, i) => writeObj(file, points.positions.map(p => (i === 1 ? p : [p[0] + 5, p[1], p[2]])), points.faces));
    const { error, error_inbetween } = json(["compare", "builtin:arm?points=800", "--clip", "flex", "--deform", "linear", "--truth", ...files]).chains[0];
    holds(error.max > 4 && error_inbetween.max < 2, `all ${error.max}, in between ${error_inbetween.max}`);
});
// Positions and triangles of the only mesh of a GLB, in stored order.
function restPoints(file) {
    const bytes = fs.readFileSync(file), gltf = JSON.parse(bytes.toString("utf8", 20, 20 + bytes.readUInt32LE(12))), begin = 20 + bytes.readUInt32LE(12) + 8;
    const primitive = gltf.meshes[0].primitives[0], at = a => begin + (gltf.bufferViews[a.bufferView].byteOffset ?? 0) + (a.byteOffset ?? 0);
    const p = gltf.accessors[primitive.attributes.POSITION], f = gltf.accessors[primitive.indices], size = { 5121: 1, 5123: 2, 5125: 4 }[f.componentType];
    const positions = Array.from({ length: p.count }, (_, i) => [0, 1, 2].map(k => bytes.readFloatLE(at(p) + 12 * i + 4 * k)));
    const index = i => bytes.readUIntLE(at(f) + size * i, size) + 1;
    return { positions, faces: Array.from({ length: f.count / 3 }, (_, i) => [index(3 * i), index(3 * i + 1), index(3 * i + 2)]) };
}
await test("a folder is read by number, and other files in it are left alone", folder => {
    const dir = writeTruth(folder, 5); // 8, 9, 10, 11, 12: by name 10 would come first
    writeObj(path.join(dir, "reference.obj"), waved(0.3));
    fs.writeFileSync(path.join(dir, "notes_1.txt"), "not a mesh");
    holds(json([...wave(stripFile(folder)), "--truth", dir]).chains[0].error.max < 1e-6, "wrong order");
});
await test("truth words go on up to the next flag", folder => {
    const file = stripFile(folder), a = writeObj(path.join(folder, "a.obj"), waved(0)), b = writeObj(path.join(folder, "b.obj"), waved(1));
    const r = json(["compare", file, "--truth", a, b, "--clip", "Wave", "--deform", "linear"]);
    equal(r.frames, 2, "frames");
    holds(r.chains[0].error.max < 1e-6, "error");
    // A cycle ends where it begins: two meshes stand at 0 and 1/2.
    const c = writeObj(path.join(folder, "c.obj"), waved(0.5));
    holds(json(["compare", file, "--clip", "Wave", "--loop", "--deform", "linear", "--truth", a, c]).chains[0].error.max < 1e-6, "loop");
});
await test("a truth matches by vertices, by points, or polygon by polygon", folder => {
    // The middle row of the strip is stored twice, as at a texture seam, and welded on reading.
    const m = strip(), v = m.views, rows = [0, 1, 2, 3, 2, 3, 4, 5], pick = (a, n) => rows.flatMap(r => [...a.subarray(n * r, n * r + n)]);
    v.positions = new Float32Array(pick(v.positions, 3));
    v.joints = new Uint8Array(pick(v.joints, 4));
    v.weights = new Float32Array(pick(v.weights, 4));
    v.indices = new Uint16Array([0, 1, 3, 0, 3, 2, 4, 5, 7, 4, 7, 6]);
    for (const i of [0, 1, 2]) m.json.accessors[i].count = 8;
    const file = writeGlb(path.join(folder, "seam.glb"), m), points = waved(1);
    equal(json(["inspect", file]).points, 6, "welded points");
    const flat = stripFaces.flat().map(i => points[i - 1]), loose = [0, 1, 2, 3].map(i => [3 * i + 1, 3 * i + 2, 3 * i + 3]);
    const error = (name, ...obj) => json([...wave(file), "--start", "1", "--truth", writeObj(path.join(folder, name), ...obj)]).chains[0].error.max;
    holds(error("vertices.obj", rows.map(r => points[r]), [[1, 2, 4], [1, 4, 3], [5, 6, 8], [5, 8, 7]]) < 1e-6, "by vertices");
    holds(error("polygons.obj", flat, loose) < 1e-6, "by polygons");
    // Points are numbered by first use: 0, 1, 3, 2, ...
    const order = [0, 1, 3, 2, 5, 4], at = p => order.indexOf(p) + 1;
    holds(error("points.obj", order.map(p => points[p]), stripFaces.map(f => f.map(i => at(i - 1)))) < 1e-6, "by points");
});

await test("a truth of another mesh is named with its counts", folder => {
    const file = stripFile(folder), other = writeObj(path.join(folder, "other.obj"), [[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[1, 2, 3]]);
    bad([...wave(file), "--truth", other], 1, /other\.obj' has 3 points, 3 vertices and 1 faces; 'strip' has 6 points, 6 vertices and 4 faces/);
    const crossed = writeObj(path.join(folder, "crossed.obj"), waved(0), [[6, 2, 4], [1, 4, 3], [3, 4, 6], [3, 6, 5]]);
    bad([...wave(file), "--truth", crossed], 1, /crossed\.obj.*its faces connect other vertices/);
});
await test("truths that cannot be read are told apart", folder => {
    const file = stripFile(folder), empty = path.join(folder, "empty"), twice = path.join(folder, "twice");
    fs.mkdirSync(empty);
    bad([...wave(file), "--truth", path.join(folder, "nowhere")], 1, /nowhere': there is no such file or folder/);
    bad([...wave(file), "--truth", empty], 1, /has no mesh whose name ends in a number/);
    fs.mkdirSync(twice);
    for (const name of ["a1.obj", "b01.obj"]) writeObj(path.join(twice, name), waved(0));
    bad([...wave(file), "--truth", twice], 1, /same number/);
    fs.writeFileSync(path.join(folder, "bad.obj"), "v 0 0\n");
    bad([...wave(file), "--truth", path.join(folder, "bad.obj")], 1, /bad\.obj/);
    bad([...wave(file), "--truth"], 2, /--truth needs a value/);
});
await test("a truth may be in any format that a character may be in, also through assimp", folder => {
    const file = stripFile(folder), faces = stripFaces.map(f => `3 ${f.map(i => i - 1).join(" ")}`);
    if (/ending/.test(run(["inspect", "missing.off"]).err)) skip("built without assimp");
    const dir = path.join(folder, "off");
    fs.mkdirSync(dir);
    [0, 0.5, 1].forEach((t, i) => fs.writeFileSync(path.join(dir, `w_${i}.off`),
        ["OFF", `6 ${faces.length} 0`, ...waved(t).map(p => p.map(x => x.toFixed(9)).join(" ")), ...faces].join("\n") + "\n"));
    holds(json([...wave(file), "--truth", dir]).chains[0].error.max < 1e-6, "a folder of OFF files");
    holds(json([...wave(file), "--start", "1", "--truth", path.join(dir, "w_2.off")]).chains[0].error.max < 1e-6, "one OFF file");
});
await test("--fps and the number of truth meshes must agree", folder => {
    const file = stripFile(folder), dir = writeTruth(folder, 5);
    bad([...wave(file), "--truth", dir, "--fps", "30"], 1, /5 truth meshes for 31 frames/);
    equal(json([...wave(file), "--truth", dir, "--fps", "4"]).frames, 5, "frames");
    bad(["compare", file, "--pose", "tip=0,0,0", "--truth", dir], 1, /5 truth meshes need a motion/);
});

await test("a broken limit is exit 3, names chain and frame, and the results are there all the same", folder => {
    const page = path.join(folder, "report.html");
    const r = run([...arm, "--deform", "linear", "--deform", "dualquat", "--json", "--html", page, "--max-volume-loss", "1%"]);
    equal(r.code, 3, "exit code");
    match(r.err, /^supple: error: linear loses \d\.\d+ % of its volume at frame 10 \(1\.000 s\); the limit is 1 %\n$/);
    equal(JSON.parse(r.out).chains.length, 2, "chains");
    match(fs.readFileSync(page, "utf8"), /Over the limit: linear loses/);
});
await test("every limit can be kept and broken", folder => {
    const file = stripFile(folder), dir = writeTruth(folder, 2, points => points.map(p => [p[0], p[1], 0.5]));
    const code = (...flags) => run([...wave(file), "--quiet", ...flags]).code;
    equal(code("--truth", dir, "--max-error", "0.49"), 3, "error");
    equal(code("--truth", dir, "--max-error", "0.51"), 0, "error kept");
    equal(code("--truth", dir, "--max-error", "22%"), 3, "error as a part of the diagonal, 2.236");
    equal(code("--truth", dir, "--max-error", "23%"), 0, "error kept");
    equal(code("--max-stretch", "1.1"), 3, "stretch");
    equal(code("--max-stretch", "100"), 0, "stretch kept");
    equal(run([...arm, "--deform", "linear", "--quiet", "--max-intersections", "0"]).code, 3, "intersections");
    equal(run([...arm, "--deform", "linear", "--quiet", "--max-intersections", "100000"]).code, 0, "intersections kept");
    equal(run([...arm, "--deform", "linear", "--quiet", "--max-volume-loss", "0.5"]).code, 0, "volume kept, as a fraction");
});
await test("a frame that is not a number breaks every limit, and is the worst", folder => {
    // The tip grows beyond what a float holds in the second half: infinite points, and volumes and errors that are not numbers.
    const m = strip();
    m.views.sizes = new Float32Array([1, 1, 1, 3e38, 3e38, 3e38]);
    m.views.positions.set([2, 2, 0, 3, 2, 0], 12);
    m.json.accessors[0].max = [3, 2, 0];
    m.json.accessors.push({ bufferView: 7, componentType: 5126, count: 2, type: "VEC3" });
    m.json.animations[0] = { name: "Wave", samplers: [{ input: 5, output: 7, interpolation: "STEP" }], channels: [{ sampler: 0, target: { node: 1, path: "scale" } }] };
    const file = writeGlb(path.join(folder, "burst.glb"), m), dir = writeTruth(folder, 3);
    for (const flags of [["--truth", dir, "--max-error", "1e30"], ["--max-stretch", "1e30"]]) {
        const r = run([...wave(file), "--fps", "2", "--quiet", ...flags]);
        equal(r.code, 3, flags.join(" "));
        match(r.err, /((nan|inf) units from the truth|stretches an edge -?(nan|inf) times) at frame 2 \(1\.000 s\)/);
    }
});
await test("limits that are none are refused before any work", () => {
    bad([...arm, "--max-volume-loss", "little"], 2, /--max-volume-loss 'little' is not a limit; write a percentage like 2%/);
    bad([...arm, "--max-volume-loss", "2"], 2, /write a percentage like 2%, or a fraction like 0\.02/);
    bad([...arm, "--max-volume-loss", "-1%"], 2, /is not a limit/);
    bad([...arm, "--max-intersections", "0.5"], 2, /whole number/);
    bad([...arm, "--max-stretch", "0.9"], 2, /from 1 up/);
    bad([...arm, "--max-error", "1mm"], 2, /file units/);
    bad([...arm, "--max-error", "1"], 2, /needs meshes to measure against: add --truth/);
    bad([...arm, "--camera", "sideways"], 2, /--camera 'sideways'/);
});
await test("chains that are none are refused", () => {
    bad([...arm, "--deform", "lienar"], 1, /lienar/);
    bad(["compare"], 2, /compare needs an input/);
});

await test("the report is one file that fetches nothing and repeats", folder => {
    const page = path.join(folder, "report.html"), args = [...arm, "--deform", "linear", "--deform", "dualquat", "--html", page];
    // Times are the only thing that may differ: the first number of each row.
    const read = () => fs.readFileSync(page, "utf8").replace(/<\/td><td>[\d.]+<\/td>/g, "</td><td>time</td>");
    match(good(args).out, /Report: .*report\.html\n$/);
    const first = read();
    good([...args]);
    equal(read() === first, true, "the same bytes but the times");
    holdsOnly(folder, ["report.html"]);
    holds(!/<script|https?:|<link|src="(?!data:image\/png;base64,)/.test(first), "it fetches something");
    for (const word of ["Volume of the whole", "Volume around forearm", "Self-intersections", "Fastest point", "<svg", "Repeat it"]) holds(first.includes(word), `lacks ${word}`);
    match(first, /supple compare &#39;builtin:arm\?points=800&#39; --clip flex --fps 10 --deform linear --deform dualquat --html/);
    const pictures = [...first.matchAll(/src="data:image\/png;base64,([^"]+)"/g)].map(m => Buffer.from(m[1], "base64"));
    if (first.includes("draws no pictures")) return;
    equal(pictures.length, 6, "two chains at the hardest frame, best and worst of each");
    for (const p of pictures) equal(p.toString("latin1", 1, 4), "PNG", "signature");
});
await test("names from files are text, not markup", folder => {
    const m = strip();
    m.json.animations[0].name = "<b>&\"'";
    const file = writeGlb(path.join(folder, "strip.glb"), m), page = path.join(folder, "out.html");
    good(["compare", file, "--clip", "<b>&\"'", "--deform", "linear", "--html", page, "--quiet"]);
    const text = fs.readFileSync(page, "utf8");
    holds(!text.includes("<b>&\"") && text.includes("&lt;b&gt;&amp;&quot;&#39;"), "unescaped");
});
await test("a report that cannot be written is told before the work", folder => {
    bad([...arm, "--html", path.join(folder, "missing", "out.html")], 1, /out\.html.*folder does not exist/);
    bad([...arm, "--html", folder], 1, /cannot write/);
});
finish();
