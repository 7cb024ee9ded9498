// Vertex animation textures from outside: pictures, bounds and mesh as another program reads them.
import { bad, equal, finish, good, holds, holdsOnly, json, match, near, shared, strip, test, validate, writeGlb } from "./harness.mjs";
import fs from "node:fs";
import path from "node:path";
import zlib from "node:zlib";

/** A PNG of 16 bits: rows of values from 0 to 1. */
function png(file) {
    const bytes = fs.readFileSync(file), width = bytes.readUInt32BE(16), height = bytes.readUInt32BE(20), data = [];
    equal(bytes.readUInt16BE(24), 16 << 8 | 2, "bits and kind of color");
    for (let at = 8; at < bytes.length; at += 12 + bytes.readUInt32BE(at))
        if (bytes.toString("latin1", at + 4, at + 8) === "IDAT") data.push(bytes.subarray(at + 8, at + 8 + bytes.readUInt32BE(at)));
    const raw = zlib.inflateSync(Buffer.concat(data)), pitch = 1 + 6 * width;
    equal(raw.length, pitch * height, "bytes");
    return { width, height, at: (x, y, c) => raw.readUInt16BE(y * pitch + 1 + 6 * x + 2 * c) / 65535 };
}
function exr(file) {
    const bytes = fs.readFileSync(file);
    let at = 8, size = null;
    const word = () => { const end = bytes.indexOf(0, at), text = bytes.toString("latin1", at, end); at = end + 1; return text; };
    equal(bytes.readUInt32LE(0), 20000630, "magic");
    for (let name = word(); name; name = word()) {
        word();
        const length = bytes.readUInt32LE(at);
        if (name === "dataWindow") size = [bytes.readInt32LE(at + 12) + 1, bytes.readInt32LE(at + 16) + 1];
        at += 4 + length;
    }
    const [width, height] = size;
    return { width, height, at: (x, y, c) => bytes.readFloatLE(Number(bytes.readBigUInt64LE(at + 8 * y)) + 8 + 4 * ((2 - c) * width + x)) };
}
function npy(file, last) {
    const bytes = fs.readFileSync(file), begin = 10 + bytes.readUInt16LE(8), [frames, points] = /\((\d+), (\d+)/.exec(bytes.toString("latin1", 10, begin)).slice(1).map(Number);
    return { frames, points, at: (f, p, c) => bytes.readFloatLE(begin + 4 * (last * (f * points + p) + c)) };
}
/** Stored vertices. */
function pc2(file) {
    const bytes = fs.readFileSync(file), vertices = bytes.readUInt32LE(16);
    return { frames: bytes.readUInt32LE(28), at: (f, v, c) => bytes.readFloatLE(32 + 4 * (3 * (f * vertices + v) + c)) };
}
function glb(file) {
    const bytes = fs.readFileSync(file), size = bytes.readUInt32LE(12), document = JSON.parse(bytes.toString("utf8", 20, 20 + size));
    const read = (name, width) => {
        const a = document.accessors[document.meshes[0].primitives[0].attributes[name]], v = document.bufferViews[a.bufferView];
        return { count: a.count, at: (i, c) => bytes.readFloatLE(28 + size + (v.byteOffset ?? 0) + (a.byteOffset ?? 0) + 4 * (width * i + c)) };
    };
    return { document, read };
}

// CesiumMan: 3,273 stored vertices of 2,338 points, so copies of a point must move alike. 12 frames are 4 x 1,024 columns or more.
const file = () => shared("skinned/cesiumman.glb"), flags = ["--fps", "6", "--end", "1.8", "--deform", "dualquat", "--quiet"];
for (const [kind, name, read] of [["png", "_vat.png", png], ["exr", "_vat.exr", exr], ["packed", "_vat.png", png]])
    await test(`--vat ${kind}: every vertex of every frame, the last row too, is where the bake has it`, folder => {
        const out = path.join(folder, "walk.glb"), stem = path.join(folder, "walk");
        const said = json(["bake", file(), out, ...flags, "--vat", kind]).budget;
        good(["bake", file(), `${stem}.pc2`, ...flags]);
        validate([out]);
        const points = pc2(`${stem}.pc2`), texture = read(stem + name), info = JSON.parse(fs.readFileSync(`${stem}-remap_info.json`, "utf8"));
        const { Min, Max, Frames } = info["os-remap"], mesh = glb(out), rest = mesh.read("POSITION", 3), uv = mesh.read("TEXCOORD_1", 2);
        equal(Frames, points.frames, "frames");
        equal(rest.count, 3273, "vertices");
        equal(mesh.document.skins ?? mesh.document.animations, undefined, "skins and clips");
        let worst = 0;
        const document = mesh.document, names = Object.keys(document.meshes[0].primitives[0].attributes);
        holds(!names.some(n => /JOINTS|WEIGHTS/.test(n)) && names.includes("TEXCOORD_0"), `attributes ${names}`);
        for (let f = 0; f < Frames; f++)
            for (let v = 0; v < rest.count; v++) {
                const x = Math.floor(uv.at(v, 0) * texture.width), y = Math.floor(uv.at(v, 1) * texture.height) + f;
                const [r, g, b] = [0, 1, 2].map(c => Min[c] + texture.at(x, y, c) * (Max[c] - Min[c])), moved = [r, b, -g];
                for (let c = 0; c < 3; c++) worst = Math.max(worst, Math.abs(rest.at(v, c) + moved[c] - points.at(f, v, c)));
            }
        const range = Math.max(...Max.map((m, c) => m - Min[c]));
        holds(worst <= (kind === "exr" ? 3e-7 : 0.5 / 65535 + 3e-7) * range, `worst ${worst} of ${range}`);
        // Said is the distance in a shader's floats; here it is the worst coordinate in doubles.
        holds(said.worst_mm / 1000 >= worst - 1.2e-7 * range && said.worst_mm / 1000 <= 1.8 * worst + 1.2e-7 * range, `said ${said.worst_mm} mm, found ${1000 * worst}`);
        holdsOnly(folder, ["walk.glb", "walk.pc2", "walk-remap_info.json", ...(kind === "packed" ? ["walk_vat.png"] : [`walk_vat.${kind}`, `walk_vnrm.${kind}`])]);
    });
await test("the tension of every frame is a texture of the same layout, that of a pose an attribute", folder => {
    const out = path.join(folder, "walk.glb"), stem = path.join(folder, "walk");
    good(["bake", file(), out, ...flags, "--vat", "exr", "--tension"]);
    good(["bake", file(), path.join(folder, "plain.glb"), ...flags, "--tension"]);
    const table = npy(path.join(folder, "plain.tension.npy"), 1), texture = exr(`${stem}_tension.exr`), { Min, Max } = JSON.parse(fs.readFileSync(`${stem}-remap_info.json`, "utf8")).tension;
    const uv = glb(out).read("TEXCOORD_1", 2);
    for (let f = 0; f < table.frames; f++)
        for (let v = 0; v < table.points; v += 7) {
            const x = Math.floor(uv.at(v, 0) * texture.width), y = Math.floor(uv.at(v, 1) * texture.height) + f;
            near(Min[0] + texture.at(x, y, 0) * (Max[0] - Min[0]), table.at(f, v, 0), 1e-4, `area around vertex ${v} in frame ${f}`);
        }
    const pose = path.join(folder, "pose.glb");
    good(["bake", "builtin:arm", pose, "--pose", "forearm=0,0,110", "--tension", "--tension-colors", "--quiet"]);
    validate([pose]);
    const bent = glb(pose), t = bent.read("_TENSION", 3), color = bent.read("COLOR_0", 3);
    let pressed = 0;
    for (let v = 0; v < t.count; v++) {
        if (t.at(v, 0) < -0.5) equal([0, 1, 2].map(c => color.at(v, c)).join(), "0,0,1", "color of skin at half its area"), pressed++;
        if (t.at(v, 0) > 1) equal([0, 1, 2].map(c => color.at(v, c)).join(), "1,0,0", "color of skin at twice its area");
        holds(t.at(v, 1) >= t.at(v, 2), "the larger stretch is the larger");
    }
    holds(pressed > 10, `${pressed} vertices are pressed`);
    equal(good(["inspect", pose]).err, "", "what is said of our own attribute");
});
await test("what cannot be a texture is refused, and a file with two sets of coordinates gets a third", folder => {
    const model = strip(), input = path.join(folder, "in.glb"), out = path.join(folder, "out.glb");
    model.views.uv = new Float32Array(12);
    model.json.accessors.push({ bufferView: 7, componentType: 5126, count: 6, type: "VEC2" });
    Object.assign(model.json.meshes[0].primitives[0].attributes, { TEXCOORD_0: 7, TEXCOORD_1: 7 });
    writeGlb(input, model);
    bad(["bake", input, out, "--vat", "jpg"], 2, /png, exr and packed/);
    bad(["bake", input, path.join(folder, "out.obj"), "--vat", "png"], 1, /as \.glb/);
    bad(["bake", input, out, "--vat", "png", "--rms-error", "1mm"], 1, /leave .* budgets out/);
    bad(["bake", input, out, "--vat", "png", "--hold", "400"], 1, /12[0-9]{3} frames do not fit/);
    holdsOnly(folder, ["in.glb"]);
    match(good(["bake", input, out, "--clip", "Wave", "--vat", "packed"]).err, /TEXCOORD_2/);
    validate([out]);
    equal(JSON.parse(fs.readFileSync(path.join(folder, "out-remap_info.json"), "utf8")).supple.texcoord, 2, "the set");
});
finish();
