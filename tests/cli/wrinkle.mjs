// Folds, finer meshes and normal maps, tested from outside.
import { bad, equal, finish, good, holds, holdsOnly, json, match, near, run, shared, skip, test, validate, writeGlb } from "./harness.mjs";
import fs from "node:fs";
import path from "node:path";
import zlib from "node:zlib";

/** A PNG of 16-bit RGB, as numbers from -1 to 1; undefined where this build writes none. */
function readMap(file) {
    const bytes = fs.readFileSync(file), packed = [];
    let at = 8, width, height;
    while (at < bytes.length) {
        const size = bytes.readUInt32BE(at), kind = bytes.toString("latin1", at + 4, at + 8), body = bytes.subarray(at + 8, at + 8 + size);
        if (kind === "IHDR") {
            [width, height] = [body.readUInt32BE(0), body.readUInt32BE(4)];
            equal(body.subarray(8).toString("hex"), "1002000000", "16-bit RGB");
        }
        if (kind === "IDAT") packed.push(body);
        at += 12 + size;
    }
    const raw = zlib.inflateSync(Buffer.concat(packed)), row = 6 * width, pixels = Buffer.alloc(row * height);
    for (let y = 0; y < height; y++) {
        const filter = raw[y * (row + 1)];
        for (let i = 0; i < row; i++) {
            const a = i >= 6 ? pixels[y * row + i - 6] : 0, b = y ? pixels[(y - 1) * row + i] : 0, c = y && i >= 6 ? pixels[(y - 1) * row + i - 6] : 0;
            const p = a + b - c, [pa, pb, pc] = [a, b, c].map(v => Math.abs(p - v));
            pixels[y * row + i] = raw[y * (row + 1) + 1 + i] + [0, a, b, (a + b) >> 1, pa <= pb && pa <= pc ? a : pb <= pc ? b : c][filter];
        }
    }
    return { width, height, at: (x, y) => [0, 2, 4].map(k => pixels.readUInt16BE(y * row + 6 * x + k) / 65535 * 2 - 1) };
}

/** A picture of one pixel. */
const PIXEL = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** A sheet of n x n quads of `side` meters in the plane of x and y, with texture coordinates over the whole picture, that a joint
 * presses along x to `press` of its length at 1 s. `mirror`: both halves lie on the same part of the picture. `place`: the texture coordinates of a corner.
 * `others`: names of further meshes that are the same; `picture`: all show one. */
function sheet(file, { n = 8, side = 0.32, press = 0.85, uv = true, mirror = false, place, others = [], picture = false } = {}) {
    const positions = [], normals = [], uvs = [], indices = [];
    for (let j = 0; j <= n; j++)
        for (let i = 0; i <= n; i++) {
            positions.push(side * i / n, side * j / n, 0);
            normals.push(0, 0, 1);
            const u = i / n;
            uvs.push(...(place?.(i, j) ?? [mirror && u > 0.5 ? 1 - u : u, 1 - j / n]));
        }
    for (let j = 0; j < n; j++)
        for (let i = 0; i < n; i++) {
            const p = j * (n + 1) + i;
            indices.push(p, p + 1, p + n + 2, p, p + n + 2, p + n + 1);
        }
    const count = positions.length / 3, joints = new Uint8Array(4 * count), weights = new Float32Array(4 * count).map((_, i) => (i % 4 ? 0 : 1));
    const views = { positions: new Float32Array(positions), normals: new Float32Array(normals), uvs: new Float32Array(uvs), joints, weights,
        indices: new Uint32Array(indices), times: new Float32Array([0, 1]), scales: new Float32Array([1, 1, 1, press, 1, 1]) };
    const accessor = (bufferView, componentType, length, type, more = {}) => ({ bufferView, componentType, count: length, type, ...more });
    writeGlb(file, { views, json: {
        asset: { version: "2.0" }, scene: 0, scenes: [{ nodes: [0, 1, ...others.map((_, i) => 2 + i)] }],
        nodes: [{ mesh: 0, skin: 0, name: "sheet" }, { name: "press" }, ...others.map(name => ({ mesh: 0, skin: 0, name }))],
        skins: [{ joints: [1] }], materials: [{ name: "skin", ...(picture ? { pbrMetallicRoughness: { baseColorTexture: { index: 0 } } } : {}) }],
        ...(picture ? { textures: [{ source: 0 }], images: [{ uri: PIXEL }] } : {}),
        meshes: [{ primitives: [{ attributes: { POSITION: 0, NORMAL: 1, ...(uv ? { TEXCOORD_0: 2 } : {}), JOINTS_0: 3, WEIGHTS_0: 4 }, indices: 5, material: 0 }] }],
        animations: [{ name: "press", samplers: [{ input: 6, output: 7 }], channels: [{ sampler: 0, target: { node: 1, path: "scale" } }] }],
        accessors: [accessor(0, 5126, count, "VEC3", { min: [0, 0, 0], max: [side, side, 0] }), accessor(1, 5126, count, "VEC3"),
            accessor(2, 5126, count, "VEC2"), accessor(3, 5121, count, "VEC4"), accessor(4, 5126, count, "VEC4"),
            accessor(5, 5125, indices.length, "SCALAR"), accessor(6, 5126, 2, "SCALAR", { min: [0], max: [1] }), accessor(7, 5126, 2, "VEC3")],
    } });
    return file;
}

// ------------------------------------------------------------------------------------------------ finer meshes

await test("a finer mesh keeps clip, weights, textures and seams", folder => {
    const man = shared("skinned/cesiumman.glb"), out = path.join(folder, "man.glb");
    const before = json(["inspect", man]), baked = json(["bake", man, out, "--subdivide", "1", "--end", "0.1", "--no-verdict"]);
    const after = json(["inspect", out]);
    equal(after.triangles ?? after.mesh?.triangles, 4 * (before.triangles ?? before.mesh?.triangles), "triangles");
    holds(baked.points > 9000, `points: ${baked.points}`);
    match(good(["inspect", out]).out, /surface +closed, 1 component/);
    validate(out, man);
});

await test("levels that are none, or too many, are sentences", folder => {
    const out = path.join(folder, "x.glb");
    bad(["bake", "builtin:bar", out, "--subdivide", "0"], 2, /--subdivide 0 is out of range; it goes from 1 to 6/);
    bad(["bake", "builtin:bar", out, "--subdivide", "1.5"], 2, /--subdivide needs a whole number/);
    bad(["bake", "builtin:beast?points=30000", out, "--subdivide", "6"], 1, /too large/);
    holdsOnly(folder, []);
});

await test("folds do nothing on a coarse mesh and say so, and something on a finer one", folder => {
    const file = sheet(path.join(folder, "sheet.glb")), out = path.join(folder, "out.glb");
    const hash = (...more) => json(["bake", file, out, "--start", "0.9", ...more]).hash;
    match(run(["bake", file, out, "--deform", "linear,wrinkle", "--no-verdict"]).err, /wrinkle: it moves no point without four points to a fold; give --subdivide 2/);
    equal(hash("--deform", "linear,wrinkle"), hash("--deform", "linear"), "hash");
    holds(hash("--deform", "linear,wrinkle", "--subdivide", "4") !== hash("--deform", "linear", "--subdivide", "4"), "nothing folds");
    equal(hash("--deform", "linear,wrinkle", "--subdivide", "4", "--threads", "1"), hash("--deform", "linear,wrinkle", "--subdivide", "4", "--threads", "7"), "hash");
});

// Waves of 32 mm, and of 0.3 mm, on a pixel of about 2 mm and a texel of 5 mm.
await test("folds that pixels and texels cannot show are no noise", folder => {
    const file = sheet(path.join(folder, "sheet.glb"));
    const draw = (name, chain) => {
        const out = path.join(folder, name), r = run(["render", file, out, "--time", "1", "--deform", chain, "--camera", "front", "--size", "200x200", "--quiet"]);
        if (/draws no pictures|writes no PNG/.test(r.err)) skip("this build has no pictures");
        equal(r.code, 0, r.err);
        return fs.readFileSync(out);
    };
    const plain = draw("plain.png", "linear");
    holds(!draw("wide.png", "linear,wrinkle").equals(plain), "wide folds are shaded");
    holds(draw("fine.png", "linear,wrinkle(thickness=0.02)").equals(plain), "fine ones fade");
    good(["bake", file, path.join(folder, "out.glb"), "--start", "1", "--end", "1", "--deform", "linear,wrinkle(thickness=0.02)", "--normal-map", "64", "--no-verdict"]);
    const map = readMap(path.join(folder, "out.compressed.png"));
    for (let y = 8; y < 56; y++)
        for (let x = 8; x < 56; x++) map.at(x, y).forEach((v, i) => near(v, i === 2 ? 1 : 0, 1e-3, "flat"));
});

// ------------------------------------------------------------------------------------------------ normal maps

// 0.85 of the length: d = 1 - 0.85^2 = 0.2775, steepest slope a = sqrt(2 d (1 + d (0.125 + 0.027 d + 0.044 d^2))) = 0.7583 on the
// skin at rest, a / 0.85 = 0.8921 in space: 41.7 degrees. Waves 2 pi 2 (50 / 3)^(1/3) = 32.1 mm long.
await test("a pressed sheet gives the normals of a sinusoid within a degree", folder => {
    const file = sheet(path.join(folder, "sheet.glb")), out = path.join(folder, "out.glb"), size = 256;
    const r = run(["bake", file, out, "--start", "1", "--end", "1", "--deform", "linear,wrinkle(irregularity=0)", "--subdivide", "5", "--normal-map", `${size}`, "--no-verdict"]);
    if (/writes no PNG/.test(r.err)) skip("this build has no libpng");
    equal(r.code, 0, r.err);
    const map = readMap(path.join(folder, "out.compressed.png")), d = 1 - 0.85 ** 2;
    const slope = Math.sqrt(2 * d * (1 + d * (0.125 + d * (0.027 + 0.044 * d)))) / 0.85, wave = 2 * Math.PI * 0.002 * Math.cbrt(50 / 3);
    const k = 2 * Math.PI / wave, place = x => 0.32 * (x + 0.5) / size, from = 0.3 * size | 0, to = 0.7 * size | 0;
    let sine = 0, cosine = 0;
    for (let y = from; y < to; y++)
        for (let x = from; x < to; x++) {
            const [nx, , nz] = map.at(x, y);
            sine += nx / nz * Math.sin(k * place(x)), cosine += nx / nz * Math.cos(k * place(x));
        }
    const phase = Math.atan2(cosine, sine);
    let worst = 0;
    for (let y = from; y < to; y++)
        for (let x = from; x < to; x++) {
            const t = slope * Math.sin(k * place(x) + phase), length = Math.hypot(t, 1), n = map.at(x, y);
            worst = Math.max(worst, Math.acos(Math.min(1, (n[0] * t + n[2]) / length / Math.hypot(...n))) * 180 / Math.PI);
        }
    console.log(`         worst normal ${worst.toFixed(2)} degrees off`);
    holds(worst < 1, `${worst} degrees off`);
    // The driver, and tangents in the file: u runs along x, and the picture's up along y.
    const table = fs.readFileSync(path.join(folder, "out.tension.npy"));
    match(table.toString("latin1", 0, 128), /'shape': \(1, 81\)/);
    for (let v = 0; v < 81; v++) near(table.readFloatLE(128 + 4 * v), -0.15, 1e-5, "tension");
    const glb = fs.readFileSync(out), doc = JSON.parse(glb.toString("utf8", 20, 20 + glb.readUInt32LE(12)));
    const id = doc.meshes[0].primitives[0].attributes.TANGENT, a = doc.accessors[id], view = doc.bufferViews[a.bufferView];
    const at = 20 + glb.readUInt32LE(12) + 8 + (view.byteOffset ?? 0) + (a.byteOffset ?? 0);
    [1, 0, 0, 1].forEach((wanted, i) => near(glb.readFloatLE(at + 4 * i), wanted, 1e-6, "tangent"));
    validate(out);
});

await test("a held pose gives one map", folder => {
    const file = sheet(path.join(folder, "sheet.glb")), out = path.join(folder, "out.glb");
    const r = run(["bake", file, out, "--pose", "press=0,0,30", "--deform", "linear,wrinkle", "--normal-map", "64", "--no-verdict"]);
    if (/writes no PNG/.test(r.err)) skip("this build has no libpng");
    equal(r.code, 0, r.err);
    holdsOnly(folder, ["out.glb", "out.normal.png", "sheet.glb"]);
    const map = readMap(path.join(folder, "out.normal.png"));
    for (const [x, y] of [[32, 32], [5, 60]]) map.at(x, y).forEach((v, i) => near(v, i === 2 ? 1 : 0, 1e-3, "flat"));
});

await test("meshes that were each unwrapped for themselves have maps of their own, and one where they show one picture", folder => {
    const out = path.join(folder, "out.glb"), words = ["--start", "1", "--end", "1", "--deform", "linear,wrinkle", "--normal-map", "64", "--no-verdict"];
    const r = run(["bake", sheet(path.join(folder, "two.glb"), { others: ["other: one"] }), out, ...words]);
    if (/writes no PNG/.test(r.err)) skip("this build has no libpng");
    equal(r.code, 0, r.err);
    match(r.err, /2 normal maps, for meshes that do not share one picture: sheet, other__one/);
    holdsOnly(folder, ["two.glb", "out.glb", "out.tension.npy", ...["sheet", "other__one"].flatMap(name => [`out.${name}.compressed.png`, `out.${name}.stretched.png`])]);
    for (const name of ["sheet", "other__one"]) {
        const map = readMap(path.join(folder, `out.${name}.compressed.png`)), steepest = Math.max(...Array.from({ length: 64 }, (_, x) => Math.abs(map.at(x, 32)[0])));
        holds(steepest > 0.1, `the map of ${name} has folds: ${steepest}`);
    }
    const shares = run(["bake", sheet(path.join(folder, "shared.glb"), { others: ["other"], picture: true }), path.join(folder, "shared_out.glb"), ...words]);
    equal(shares.code, 0, shares.err);
    match(shares.err, /\d+ % of the normal map belongs to more than one place/);
    equal(fs.existsSync(path.join(folder, "shared_out.compressed.png")), true, "one map");
});

await test("tension goes beside any output, without texture coordinates too", folder => {
    const file = sheet(path.join(folder, "sheet.glb"), { uv: false }), out = path.join(folder, "out.npy");
    good(["bake", file, out, "--start", "1", "--end", "1", "--tension", "--no-verdict"]);
    const table = fs.readFileSync(path.join(folder, "out.tension.npy"));
    match(table.toString("latin1", 0, 128), /'shape': \(1, 81\)/);
    for (let v = 0; v < 81; v++) near(table.readFloatLE(128 + 4 * v), -0.15, 1e-5, "tension");
});

await test("no texture coordinates, and stacked ones, are said", folder => {
    const out = path.join(folder, "out.glb");
    bad(["bake", sheet(path.join(folder, "bare.glb"), { uv: false }), out, "--normal-map", "64"], 1, /no texture coordinates.*unwrap it/);
    bad(["bake", "builtin:bar", out, "--normal-map", "64"], 1, /no texture coordinates/);
    bad(["bake", "builtin:bar", out, "--normal-map", "7"], 2, /--normal-map 7 is out of range/);
    const r = run(["bake", sheet(path.join(folder, "stacked.glb"), { mirror: true }), out, "--normal-map", "64", "--no-verdict"]);
    if (/writes no PNG/.test(r.err)) skip("this build has no libpng");
    match(r.err, /(8|9)\d % of the normal map belongs to more than one place/);
});

await test("texture coordinates that mean nothing are sentences, and leave no picture", folder => {
    const out = path.join(folder, "out.glb"), refused = (place, words) => {
        bad(["bake", sheet(path.join(folder, "in.glb"), { n: 16, place }), out, "--normal-map", "64", "--no-verdict"], 1, words);
        equal(fs.readdirSync(folder).join(), "in.glb", "files");
    };
    refused(() => [0.5, 0.5], /cover no texel .* have no area/);
    refused(() => [NaN, 0], /cover no texel|not a number|finite/);
    refused((i, j) => [(0.618 * i + 0.377 * j) % 1, (0.414 * i + 0.732 * j) % 1], /more than 64 times over.*unwrap/);
});

await test("tension that is not a number is written as none, and said", folder => {
    const out = path.join(folder, "out.glb"), file = sheet(path.join(folder, "in.glb"), { press: 3e30 });
    const r = run(["bake", file, out, "--normal-map", "64", "--no-verdict", "--fps", "2"]);
    equal(r.code, 0, r.err);
    match(r.err, /the tension of \d+ points was not a finite number and is written as 0/);
    const table = fs.readFileSync(path.join(folder, "out.tension.npy"));
    for (let at = 128; at < table.length; at += 4) holds(Number.isFinite(table.readFloatLE(at)), `a value at byte ${at}`);
});

await test("a map does not replace what was read", folder => {
    const preset = path.join(folder, "out.tension.npy"), words = '{ "supple": 1, "links": [{ "name": "linear" }] }';
    fs.writeFileSync(preset, words);
    bad(["bake", sheet(path.join(folder, "in.glb")), path.join(folder, "out.glb"), "--normal-map", "64", "--preset", preset], 1, /is an input file, and it would be replaced/);
    equal(fs.readFileSync(preset, "utf8"), words, "the preset");
    equal(fs.readdirSync(folder).sort().join(), "in.glb,out.tension.npy", "files");
});

finish();
