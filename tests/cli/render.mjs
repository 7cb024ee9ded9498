// Pictures and movies, tested from outside: their contents, that they repeat, and every wrong request.
import { bad, equal, finish, good, holds, holdsOnly, json, match, near, program, run, shared, skip, source, start, test } from "./harness.mjs";
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import zlib from "node:zlib";

const missing = run(["render", "builtin:bar", "never.png", "--size", "16x16", "--samples", "1"]);
fs.rmSync("never.png", { force: true });
const built = missing.code === 0;
const needs = () => built || skip("this build has no pictures (libembree-dev, libpng-dev)");

/** The pixels of a PNG of ours (8-bit RGB, not interlaced), or an error: chunks, checksums and filters are read by hand. */
function readPng(file) {
    const bytes = fs.readFileSync(file);
    equal(bytes.subarray(0, 8).toString("hex"), "89504e470d0a1a0a", "PNG signature");
    let at = 8, width, height, packed = [], ended = false;
    while (at < bytes.length) {
        const size = bytes.readUInt32BE(at), kind = bytes.toString("latin1", at + 4, at + 8), body = bytes.subarray(at + 8, at + 8 + size);
        if (kind === "IHDR") {
            width = body.readUInt32BE(0);
            height = body.readUInt32BE(4);
            equal(body.subarray(8).toString("hex"), "0802000000", "8-bit RGB");
        }
        if (kind === "IDAT") packed.push(body);
        if (kind === "IEND") ended = true;
        at += 12 + size;
    }
    holds(ended, "the PNG has no end");
    const raw = zlib.inflateSync(Buffer.concat(packed)), row = 3 * width, pixels = Buffer.alloc(row * height);
    equal(raw.length, (row + 1) * height, "bytes in the PNG");
    const paeth = (a, b, c) => {
        const p = a + b - c, pa = Math.abs(p - a), pb = Math.abs(p - b), pc = Math.abs(p - c);
        return pa <= pb && pa <= pc ? a : pb <= pc ? b : c;
    };
    for (let y = 0; y < height; y++) {
        const filter = raw[y * (row + 1)];
        for (let i = 0; i < row; i++) {
            const left = i >= 3 ? pixels[y * row + i - 3] : 0, up = y ? pixels[(y - 1) * row + i] : 0, corner = y && i >= 3 ? pixels[(y - 1) * row + i - 3] : 0;
            const guess = [0, left, up, (left + up) >> 1, paeth(left, up, corner)][filter];
            pixels[y * row + i] = raw[y * (row + 1) + 1 + i] + guess;
        }
    }
    return { width, height, at: (x, y) => [...pixels.subarray(y * row + 3 * x, y * row + 3 * x + 3)] };
}

const CLAY = ([r, g, b]) => r > g + 30 && g > b; // warm, whatever the light
const GREY = ([r, g, b]) => Math.abs(r - g) < 12 && Math.abs(g - b) < 12;

function cube(folder, { half = 1, name = "cube.obj" } = {}) {
    const corners = [...Array(8).keys()].map(i => `v ${[1, 2, 4].map(bit => (i & bit ? half : -half)).join(" ")}`);
    const faces = [[1, 3, 4, 2], [5, 6, 8, 7], [1, 2, 6, 5], [3, 7, 8, 4], [1, 5, 7, 3], [2, 4, 8, 6]].map(f => `f ${f.join(" ")}`);
    const file = path.join(folder, name);
    fs.writeFileSync(file, [...corners, ...faces].join("\n") + "\n");
    return file;
}
const small = ["--size", "96x72", "--samples", "4"];

// ------------------------------------------------------------------------------------------------ what is in them

await test("a cube stands in the middle, its corners are background", folder => {
    needs();
    const out = path.join(folder, "a.png");
    const said = json(["render", cube(folder), out, "--camera", "front", "--no-ground", "--size", "120x90"]);
    equal(said.output, out);
    equal(said.frames, 1);
    equal(`${said.width} ${said.height}`, "120 90");
    holds(said.seconds > 0, "seconds");
    const p = readPng(out);
    equal(`${p.width} ${p.height}`, "120 90");
    holds(CLAY(p.at(60, 45)), `the middle is ${p.at(60, 45)}`);
    for (const [x, y] of [[0, 0], [119, 0], [0, 89], [119, 89]]) holds(GREY(p.at(x, y)) && p.at(x, y)[0] > 200, `corner ${p.at(x, y)}`);
});
await test("the ground has a shadow beside the cube and none without ground", folder => {
    needs();
    const dark = flags => {
        good(["render", cube(folder), path.join(folder, "g.png"), "--size", "160x120", "--samples", "9", ...flags]);
        const p = readPng(path.join(folder, "g.png"));
        let count = 0;
        for (let x = 0; x < 160; x++) for (let y = 0; y < 120; y++) count += GREY(p.at(x, y)) && p.at(x, y)[0] < 210;
        return count;
    };
    const cast = dark([]), without = dark(["--no-ground"]);
    holds(cast > 500, `only ${cast} pixels of shadow`);
    holds(without < 40, `${without} dark pixels without ground`); // a few at the edges of the cube
});
await test("the bytes are the same for 1 and 2 and 3 threads", folder => {
    needs();
    const bytes = threads => {
        const out = path.join(folder, `t${threads}.png`);
        good(["render", "builtin:arm", out, "--clip", "flex", "--time", "1", "--deform", "linear", "--deform", "dualquat", "--heat", "stretch",
            "--wire", "--bones", "--ghost", "dualquat", "--size", "200x120", "--threads", String(threads)]);
        return fs.readFileSync(out).toString("hex");
    };
    const one = bytes(1);
    equal(bytes(2), one);
    equal(bytes(3), one);
});
await test("a picture larger than one piece of rows has no seam", folder => {
    needs();
    const out = path.join(folder, "tall.png");
    good(["render", cube(folder), out, "--camera", "front", "--size", "1100x4200", "--samples", "1", "--background", "#808080", "--no-ground"]);
    const p = readPng(out);
    for (let y = 0; y < 1000; y += 50) equal(p.at(3, y).join(), "128,128,128", `background at ${y}`);
    // Down the middle of the flat front, light changes slowly: no row stands out from the one above.
    for (let y = 1900; y < 2300; y++) for (let c = 0; c < 3; c++) near(p.at(550, y)[c], p.at(550, y - 1)[c], 12, `row ${y}`);
});
await test("colors are taken as given", folder => {
    needs();
    const out = path.join(folder, "c.png");
    good(["render", cube(folder), out, "--color", "#20c040", "--background", "white", "--no-ground", ...small]);
    const p = readPng(out), [r, g, b] = p.at(48, 36);
    holds(g > r + 40 && g > b + 40, `green skin ${[r, g, b]}`);
    equal(p.at(0, 0).join(), "255,255,255", "white");
    good(["render", cube(folder), out, "--background", "dark", "--no-ground", ...small]);
    holds(readPng(out).at(0, 0)[0] < 60, "dark");
});
await test("a file's materials color its skin, and clay stands in where there are none", folder => {
    needs();
    const points = Buffer.from(new Float32Array([-1, -1, 0, 1, -1, 0, 0, 1, 0]).buffer), out = path.join(folder, "c.png");
    const leaf = path.join(folder, "leaf.gltf");
    fs.writeFileSync(leaf, JSON.stringify({
        asset: { version: "2.0" }, scene: 0, scenes: [{ nodes: [0] }], nodes: [{ mesh: 0 }],
        materials: [{}, { pbrMetallicRoughness: { baseColorFactor: [0.8, 0.02, 0.02, 1] } }],
        meshes: [{ primitives: [{ attributes: { POSITION: 0 }, material: 1 }] }],
        accessors: [{ bufferView: 0, componentType: 5126, count: 3, type: "VEC3", min: [-1, -1, 0], max: [1, 1, 0] }],
        bufferViews: [{ buffer: 0, byteLength: 36 }],
        buffers: [{ byteLength: 36, uri: "data:application/octet-stream;base64," + points.toString("base64") }],
    }));
    good(["render", leaf, out, "--color", "file", "--camera", "front", "--no-ground", ...small]);
    const [r, g, b] = readPng(out).at(48, 40);
    holds(r > g + 60 && r > b + 60 && g < 80, `red skin ${[r, g, b]}`);
    good(["render", cube(folder), out, "--color", "file", "--camera", "front", "--no-ground", ...small]);
    holds(CLAY(readPng(out).at(48, 36)), "clay");
});
await test("materials end where faces end: pure colors on both sides of a welded border", folder => {
    needs();
    // Two squares side by side, points of the shared edge stored twice (glTF) or once (OBJ): one material each.
    const view = ["--color", "file", "--camera", "orbit:0,0", "--no-ground", "--size", "200x100", "--samples", "4"];
    const floats = new Float32Array([-2, -1, 0, 0, -1, 0, 0, 1, 0, -2, 1, 0, 0, -1, 0, 2, -1, 0, 2, 1, 0, 0, 1, 0]);
    const corners = new Uint16Array([0, 1, 2, 0, 2, 3]);
    const bytes = Buffer.concat([Buffer.from(floats.buffer), Buffer.from(corners.buffer)]);
    const square = (side) => ({ attributes: { POSITION: side }, indices: 2, material: side });
    const paint = color => ({ pbrMetallicRoughness: { baseColorFactor: [...color, 1] } });
    const gltf = path.join(folder, "two.gltf"), obj = path.join(folder, "two.obj"), out = path.join(folder, "two.png");
    fs.writeFileSync(gltf, JSON.stringify({
        asset: { version: "2.0" }, scene: 0, scenes: [{ nodes: [0] }], nodes: [{ mesh: 0 }],
        materials: [paint([0.8, 0.02, 0.02]), paint([0.02, 0.02, 0.8])],
        meshes: [{ primitives: [square(0), square(1)] }],
        accessors: [{ bufferView: 0, componentType: 5126, count: 4, type: "VEC3", min: [-2, -1, 0], max: [0, 1, 0] },
            { bufferView: 1, componentType: 5126, count: 4, type: "VEC3", min: [0, -1, 0], max: [2, 1, 0] },
            { bufferView: 2, componentType: 5123, count: 6, type: "SCALAR" }],
        bufferViews: [{ buffer: 0, byteLength: 48 }, { buffer: 0, byteOffset: 48, byteLength: 48 }, { buffer: 0, byteOffset: 96, byteLength: 12 }],
        buffers: [{ byteLength: 108, uri: "data:application/octet-stream;base64," + bytes.toString("base64") }],
    }));
    fs.writeFileSync(path.join(folder, "two.mtl"), "newmtl red\nKd 0.8 0.02 0.02\nnewmtl blue\nKd 0.02 0.02 0.8\n");
    fs.writeFileSync(obj, "mtllib two.mtl\nv -2 -1 0\nv 0 -1 0\nv 2 -1 0\nv 2 1 0\nv 0 1 0\nv -2 1 0\nusemtl red\nf 1 2 5 6\nusemtl blue\nf 2 3 4 5\n");
    for (const file of [gltf, obj]) {
        equal(json(["inspect", file]).points, 6, "points of the welded border");
        good(["render", file, out, ...view]);
        const p = readPng(out);
        const pure = (x, wanted) => {
            for (let y = 30; y <= 70; y += 10)
                for (let c = 0; c < 3; c++) near(p.at(x, y)[c], p.at(wanted, y)[c], 10, `${path.basename(file)}: color ${c} at ${x}, ${y} against ${wanted}`);
        };
        const left = p.at(30, 50), right = p.at(170, 50);
        holds(left[0] > left[2] + 100 && right[2] > right[0] + 100, `red ${left}, blue ${right}`);
        for (const x of [50, 75, 97]) pure(x, 30);
        for (const x of [103, 125, 150]) pure(x, 170);
    }
});
await test("a picture of the file's material is drawn where its vertices lie on it, or told by name", folder => {
    needs();
    // Two pixels: red, then blue.
    const magic = Buffer.from([0x89, 0x50, 0x4e, 0x47, 13, 10, 26, 10]);
    const rows = zlib.deflateSync(Buffer.from([0, 255, 0, 0, 0, 0, 255]));
    const chunk = (type, body) => {
        const named = Buffer.concat([Buffer.from(type), body]), out = Buffer.alloc(named.length + 8);
        out.writeUInt32BE(body.length, 0);
        named.copy(out, 4);
        out.writeUInt32BE(zlib.crc32(named), named.length + 4);
        return out;
    };
    const head = Buffer.from([0, 0, 0, 2, 0, 0, 0, 1, 8, 2, 0, 0, 0]);
    const picture = Buffer.concat([magic, chunk("IHDR", head), chunk("IDAT", rows), chunk("IEND", Buffer.alloc(0))]);
    const floats = new Float32Array([-1, -1, 0, 1, -1, 0, 1, 1, 0, -1, 1, 0, 0, 1, 1, 1, 1, 0, 0, 0]);
    const corners = new Uint16Array([0, 1, 2, 0, 2, 3]);
    const bytes = Buffer.concat([Buffer.from(floats.buffer), Buffer.from(corners.buffer)]);
    const out = path.join(folder, "c.png"), file = path.join(folder, "sign.gltf");
    const write = image => fs.writeFileSync(file, JSON.stringify({
        asset: { version: "2.0" }, scene: 0, scenes: [{ nodes: [0] }], nodes: [{ mesh: 0 }],
        images: [image], samplers: [{ wrapS: 33071, wrapT: 33071 }], textures: [{ source: 0, sampler: 0 }],
        materials: [{ pbrMetallicRoughness: { baseColorTexture: { index: 0 } } }],
        meshes: [{ primitives: [{ attributes: { POSITION: 0, TEXCOORD_0: 1 }, indices: 2, material: 0 }] }],
        accessors: [{ bufferView: 0, componentType: 5126, count: 4, type: "VEC3", min: [-1, -1, 0], max: [1, 1, 0] },
            { bufferView: 1, componentType: 5126, count: 4, type: "VEC2" },
            { bufferView: 2, componentType: 5123, count: 6, type: "SCALAR" }],
        bufferViews: [{ buffer: 0, byteLength: 48 }, { buffer: 0, byteOffset: 48, byteLength: 32 },
            { buffer: 0, byteOffset: 80, byteLength: 12 }],
        buffers: [{ byteLength: 92, uri: "data:application/octet-stream;base64," + bytes.toString("base64") }],
    }));
    const draw = () => good(["render", file, out, "--color", "file", "--camera", "front", "--no-ground", ...small]);
    const check = () => {
        const p = readPng(out), left = p.at(32, 36), right = p.at(64, 36);
        holds(left[0] > left[2] + 60 && right[2] > right[0] + 60, `red ${left}, blue ${right}`);
    };
    write({ uri: "data:image/png;base64," + picture.toString("base64") });
    draw();
    check();
    fs.writeFileSync(path.join(folder, "two.png"), picture);
    write({ uri: "two.png" });
    draw();
    check();
    write({ uri: "lost.png" });
    const told = draw();
    holds(/picture 'lost.png' of 'sign' is left out.*it is missing/.test(told.err), told.err);
    fs.writeFileSync(path.join(folder, "two.png"), picture.subarray(0, 40));
    write({ uri: "two.png" });
    holds(/picture 'two.png' of 'sign' is left out.*damaged/.test(draw().err), "half a picture");
});
await test("a cut takes away one half and closes it", folder => {
    needs();
    const out = path.join(folder, "c.png"), view = ["--camera", "front", "--no-ground", "--size", "160x120"];
    good(["render", cube(folder), out, "--cut", "x=0", ...view]);
    const left = readPng(out);
    good(["render", cube(folder), out, "--cut", "x>0", ...view]);
    const right = readPng(out);
    holds(CLAY(left.at(60, 60)) && GREY(left.at(100, 60)), "x=0 keeps what is smaller");
    holds(GREY(right.at(60, 60)) && CLAY(right.at(100, 60)), "x>0 keeps what is larger");
    good(["render", cube(folder), out, "--cut", "0,0,2,1", "--camera", "front", "--no-ground", "--size", "160x120"]);
    const [r, g, b] = readPng(out).at(80, 60);
    holds(r > g && g > b && r - b < 90, `the section is paler than clay: ${[r, g, b]}`);
});
await test("a focus fills the picture with what a joint moves", folder => {
    needs();
    const out = path.join(folder, "f.png"), view = ["--camera", "front", "--no-ground", "--size", "160x120"];
    const clay = () => { const p = readPng(out); let n = 0; for (let y = 0; y < 120; y += 2) for (let x = 0; x < 160; x += 2) n += CLAY(p.at(x, y)); return n; };
    good(["render", "builtin:arm", out, ...view]);
    const whole = clay();
    good(["render", "builtin:arm", out, "--focus", "han?", ...view]);
    holds(clay() > 2 * whole, `the hand alone covers more: ${clay()} against ${whole}`);
    bad(["render", "builtin:arm", out, "--focus", "paw"], 1, /no joint of that name in 'arm'/);
});
await test("a focus is looked at from where it can be seen", folder => {
    needs();
    const render = (joint, ...flags) => { const r = good(["render", "builtin:beast", path.join(folder, `${joint}${flags.length}.png`), "--focus", joint, "--size", "80x60", ...flags]); return r.err; };
    match(render("back_foot_r", "--camera", "left"), /other skin hides what --focus shows from this side; --camera orbit:-?\d+,\d+ sees more/);
    holds(!/other skin/.test(render("back_foot_l", "--camera", "left")), "the near foot is seen");
    // Without a camera both feet are seen from their own side, so neither picture matches the default view.
    for (const joint of ["back_upper_r", "back_upper_l"]) holds(!/other skin/.test(render(joint)), "nobody named a side");
    const bytes = (joint, n) => fs.readFileSync(path.join(folder, `${joint}${n}.png`));
    render("back_upper_r", "--camera", "three-quarter"), render("back_upper_l", "--camera", "three-quarter");
    holds(!bytes("back_upper_r", 0).equals(bytes("back_upper_r", 2)), "the hidden thigh is seen from elsewhere");
    holds(bytes("back_upper_l", 0).equals(bytes("back_upper_l", 2)), "the other from the default side");
});
await test("bones are drawn through the skin", folder => {
    needs();
    const pixels = flags => {
        good(["render", "builtin:arm", path.join(folder, "b.png"), "--camera", "front", "--size", "240x120", ...flags]);
        const p = readPng(path.join(folder, "b.png"));
        let pale = 0;
        for (let x = 0; x < 240; x++) for (let y = 0; y < 120; y++) pale += p.at(x, y)[1] > 215 && p.at(x, y)[0] > p.at(x, y)[2] + 10;
        return pale;
    };
    holds(pixels(["--bones"]) > pixels([]) + 60, "no bones to be seen");
});
await test("weights color the joint's skin and bring a legend", folder => {
    needs();
    const out = path.join(folder, "w.png");
    good(["render", "builtin:arm", out, "--heat", "weights:hand", "--camera", "front", "--size", "400x240", "--no-ground"]);
    const p = readPng(out);
    const hand = p.at(350, 92), shoulder = p.at(60, 92);
    holds(hand[0] > 180 && hand[1] > 150 && hand[2] < hand[0], `hand ${hand}`);
    holds(shoulder[2] > shoulder[0], `shoulder ${shoulder}`);
    let colored = 0;
    for (let x = 0; x < 400; x++) colored += !GREY(p.at(x, 222));
    holds(colored > 120, "no legend at the foot");
});
await test("error is zero on the first chain and not on the second", folder => {
    needs();
    const out = path.join(folder, "e.png");
    good(["render", "builtin:arm", out, "--clip", "twist", "--time", "1", "--deform", "linear", "--deform", "dualquat", "--heat", "error", "--camera", "front", "--size", "600x200"]);
    const p = readPng(out);
    const hot = (from, to) => {
        let count = 0;
        for (let x = from; x < to; x++) for (let y = 0; y < 120; y++) count += p.at(x, y)[0] > p.at(x, y)[2] + 40;
        return count;
    };
    equal(hot(0, 300), 0, "hot pixels of the first");
    holds(hot(300, 600) > 20, "the second shows no error");
});
await test("error goes to truth meshes, one for each instant", folder => {
    needs();
    const file = cube(folder), larger = cube(folder, { half: 1.1, name: "larger.obj" }), out = path.join(folder, "t.png");
    good(["render", file, out, "--heat", "error", "--truth", larger, "--camera", "front", "--size", "120x100", "--no-ground"]);
    const hot = readPng(out).at(60, 40); // every corner is equally far: the whole cube has the top color
    holds(hot[0] > hot[2] + 40 && hot[1] > hot[2] + 40, `error ${hot}`);
    good(["render", file, out, "--heat", "error", "--truth", file, "--camera", "front", "--size", "120x100", "--no-ground"]);
    const cold = readPng(out).at(60, 40);
    holds(cold[2] > cold[0], `no error ${cold}`);
    bad(["render", file, out, "--heat", "error", "--truth", larger, file], 1, /--truth names 2 meshes, but 1 instant is shown/);
    bad(["render", file, out, "--truth", larger], 2, /add --heat error/);
});
await test("a sheet holds its frames in rows", folder => {
    needs();
    const said = json(["render", "builtin:bar", path.join(folder, "s.png"), "--sheet", "6", "--size", "300x160", "--samples", "2"]);
    equal(said.frames, 1);
    equal(`${said.width} ${said.height}`, "300 160");
    readPng(path.join(folder, "s.png"));
});
await test("every camera, heat and pose draws", folder => {
    needs();
    const out = path.join(folder, "v.png");
    for (const camera of ["front", "back", "side", "left", "right", "top", "three-quarter", "orbit:30,-20", "orbit:400,90,2", "orbit:0,-90,1.5"])
        good(["render", "builtin:bar", out, "--camera", camera, ...small]);
    for (const heat of ["stretch", "curvature", "map:jiggle", "map:_JIGGLE", "weights:head"])
        good(["render", "builtin:beast?points=2000", out, "--heat", heat, "--clip", "jump", "--frame", "12", ...small]);
    good(["render", "builtin:arm", out, "--pose", "forearm=0,0,90", ...small]);
    for (const file of ["skinned/cesiumman.glb", "skinned/robotexpressive.glb", "skinned/soldier.glb"]) good(["render", shared(file), out, "--wire", "--bones", ...small]);
});
await test("a file of one point or of nothing visible still gives a picture", folder => {
    needs();
    const file = path.join(folder, "flat.obj");
    fs.writeFileSync(file, "v 0 0 0\nv 0 0 0\nv 0 0 0\nf 1 2 3\n");
    const r = run(["render", file, path.join(folder, "f.png"), ...small]);
    if (r.code === 0) readPng(path.join(folder, "f.png"));
    else match(r.err, /supple: error: /);
});

// ------------------------------------------------------------------------------------------------ films

const ffmpeg = spawnSync("ffmpeg", ["-version"]).status === 0, ffprobe = spawnSync("ffprobe", ["-version"]).status === 0;
function frames(file) {
    const r = spawnSync("ffprobe", ["-v", "error", "-count_frames", "-select_streams", "v:0", "-show_entries", "stream=nb_read_frames,width,height", "-of", "csv=p=0", file], { encoding: "utf8" });
    equal(r.status, 0, `ffprobe: ${r.stderr}`);
    return r.stdout.trim();
}
for (const ending of ["mp4", "webm", "gif"])
    await test(`a .${ending} has the frames of the clip`, folder => {
        needs();
        if (!ffmpeg || !ffprobe) skip("ffmpeg is not installed");
        const out = path.join(folder, `f.${ending}`);
        const said = json(["render", "builtin:arm", out, "--clip", "wave", "--fps", "5", "--size", "97x73", "--samples", "1"]);
        equal(said.frames, 11, "frames of 2 s at 5 a second");
        equal(frames(out), "96,72,11", "width, height, frames");
        holdsOnly(folder, [`f.${ending}`]);
    });
await test("a turntable and a file without clips go once around in four seconds", folder => {
    needs();
    if (!ffmpeg || !ffprobe) skip("ffmpeg is not installed");
    for (const args of [["builtin:bar", "--turntable"], [cube(folder)]]) {
        const out = path.join(folder, "t.gif");
        equal(json(["render", args[0], out, ...args.slice(1), "--fps", "3", "--size", "64x48", "--samples", "1"]).frames, 12);
        equal(frames(out), "64,48,12");
    }
});
const render_with = (folder, file, PATH) => spawnSync(program, ["render", "builtin:bar", path.join(folder, file), "--fps", "3", ...small], { encoding: "utf8", env: { PATH } });
await test("a film says first how long it will take", folder => {
    needs();
    if (!ffmpeg) skip("ffmpeg is not installed");
    const film = (...flags) => good(["render", "builtin:bar", path.join(folder, "t.gif"), "--fps", "4", "--size", "64x48", "--samples", "1", ...flags]).err;
    match(film("--turntable"), /^supple: note: about \d+ s for 16 frames\n$/);
    match(film("--clip", "bend", "--end", "1", "--draft"), /^supple: note: about \d+ s for 5 frames\n$/);
    equal(film("--turntable", "--quiet"), "");
});
await test("a missing ffmpeg names the package", folder => {
    needs();
    const r = render_with(folder, "a.mp4", folder);
    equal(r.status, 1);
    match(r.stderr, /ffmpeg program, which is not installed; install the package ffmpeg/);
    holdsOnly(folder, []);
});
await test("a failing ffmpeg is quoted and leaves nothing", folder => {
    needs();
    const tools = path.join(folder, "tools");
    fs.mkdirSync(tools);
    fs.writeFileSync(path.join(tools, "ffmpeg"), "#!/bin/sh\necho first >&2\necho 'no such encoder' >&2\nexit 3\n", { mode: 0o755 });
    const r = render_with(folder, "a.mp4", tools);
    equal(r.status, 1);
    match(r.stderr, /ffmpeg failed on '.*a\.mp4': no such encoder\n$/);
    holdsOnly(folder, ["tools"]);
});
await test("Ctrl-C ends the film, its ffmpeg and its file", async folder => {
    needs();
    if (!ffmpeg) skip("ffmpeg is not installed");
    const child = start(["render", "builtin:beast", path.join(folder, "long.mp4"), "--clip", "walk", "--fps", "500"]);
    let err = "";
    child.stderr.on("data", d => (err += d));
    const begun = Date.now();
    while (!fs.readdirSync(folder).length && Date.now() - begun < 20000) await new Promise(r => setTimeout(r, 20));
    await new Promise(r => setTimeout(r, 300));
    child.kill("SIGINT");
    const code = await new Promise(r => child.on("exit", r));
    equal(code, 130, err);
    match(err, /stopped before the end; nothing was written/);
    holdsOnly(folder, []);
    const left = fs.existsSync("/proc/self/cmdline") ? fs.readdirSync("/proc").filter(p => /^\d+$/.test(p)).filter(p => {
        try { return fs.readFileSync(`/proc/${p}/cmdline`, "utf8").includes(folder); } catch { return false; }
    }) : [];
    equal(left.length, 0, "processes left behind");
});
await test("Ctrl-C stops a large picture", async folder => {
    needs();
    const child = start(["render", "builtin:beast", path.join(folder, "large.png"), "--size", "4000x3000", "--samples", "64"]);
    child.stderr.resume();
    await new Promise(r => setTimeout(r, 700));
    child.kill("SIGINT");
    equal(await new Promise(r => child.on("exit", r)), 130);
    holdsOnly(folder, []);
});

// ------------------------------------------------------------------------------------------------ asking wrongly

const ask = (flags, code, sentence) => bad(["render", "builtin:bar", "never.png", ...flags], code, sentence);
await test("wrong flags are named with the cure", () => {
    ask(["--camera", "under"], 2, /--camera 'under' is not a camera: write three-quarter, front/);
    ask(["--camera", "orbit:1"], 2, /orbit:AZIMUTH/);
    ask(["--camera", "orbit:1,100"], 2, /orbit:AZIMUTH/);
    ask(["--camera", "orbit:1,2,x"], 2, /orbit:AZIMUTH/);
    ask(["--size", "0x100"], 2, /16 to 8192/);
    ask(["--size", "9000x100"], 2, /16 to 8192/);
    ask(["--size", "640"], 2, /WIDTHxHEIGHT/);
    ask(["--size", "640x480x2"], 2, /WIDTHxHEIGHT/);
    ask(["--samples", "0"], 2, /--samples 0 is out of range/);
    ask(["--frame", "2.5"], 2, /--frame needs a whole number/);
    ask(["--cut", "w=1"], 2, /is not a plane: write x=0\.1/);
    ask(["--cut", "0,0,0,1"], 2, /is not a plane/);
    ask(["--heat", "love"], 2, /write error, stretch, curvature, weights:JOINT or map:NAME/);
    ask(["--heat", "error"], 2, /second --deform, --ghost CHAIN or --truth/);
    ask(["--color", "blue"], 2, /write clay, file or #rrggbb/);
    ask(["--background", "#12"], 2, /light, white, dark or #rrggbb/);
    ask(["--sheet", "1"], 2, /--sheet 1 is out of range/);
    ask(["--sheet", "2.5"], 2, /whole number/);
    ask(["--turntable"], 2, /ends in \.mp4, \.webm or \.gif/);
    ask(["--time", "1", "--frame", "2"], 2, /cannot be combined/);
    ask(["--sheet", "4", "--time", "1"], 2, /--start and --end/);
    ask(["--pose", "a=0,0,0", "--time", "1"], 2, /--pose and --time cannot be combined/);
    ask(["--start", "2", "--end", "1"], 2, /is before --start/);
    bad(["render", "builtin:bar", "never.jpg"], 2, /unknown ending; pictures end in \.png, films in \.mp4, \.webm or \.gif/);
    bad(["render", "builtin:bar", "never.mp4", "--sheet", "4"], 2, /ends in \.png/);
    holds(!fs.existsSync("never.png"), "a file was written");
});
await test("what the file does not have is named", folder => {
    needs();
    ask(["--heat", "weights:nose"], 1, /has no joint 'nose'/);
    ask(["--heat", "map:nose"], 1, /has no map 'nose'/);
    bad(["render", "builtin:beast", "never.png", "--heat", "map:nose"], 1, /it has '_JIGGLE'/);
    ask(["--clip", "nose"], 1, /has no clip 'nose'/);
    ask(["--time", "100"], 1, /past the end of the clip/);
    ask(["--deform", "nose"], 1, /nose/);
    ask(["--show", "linear.curves"], 1, /has nothing to draw/);
    ask(["--show", "nose.curves"], 1, /no chain here has a link 'nose'/);
    bad(["render", cube(folder), "never.png", "--time", "1"], 1, /has no clips/);
    bad(["render", "builtin:bar", path.join(folder, "no/such/a.png")], 1, /the folder does not exist; make it first/);
    bad(["render", "builtin:bar", path.join(folder, "no/such/a.mp4")], 1, /the folder does not exist; make it first/);
    fs.mkdirSync(path.join(folder, "dir.png"));
    bad(["render", "builtin:bar", path.join(folder, "dir.png")], 1, /it is a directory/);
    holds(!fs.existsSync("never.png"), "a file was written");
});
await test("--show makes the chain of its link where nothing else names one", folder => {
    needs();
    const a = path.join(folder, "a.png"), b = path.join(folder, "b.png"), c = path.join(folder, "c.png");
    good(["render", "builtin:arm", a, "--show", "fourier.curves", "--set", "fourier.curves=8", ...small]);
    good(["render", "builtin:arm", b, "--show", "fourier.curves", "--deform", "fourier(curves=8)", ...small]);
    good(["render", "builtin:arm", c, ...small]);
    holds(fs.readFileSync(a).equals(fs.readFileSync(b)), "other curves than of the chain that names the link");
    holds(!fs.readFileSync(a).equals(fs.readFileSync(c)), "no curves");
});
await test("the figures of bend's page show their loads from the side where they are", folder => {
    needs();
    const page = fs.readFileSync(path.join(source, "docs/deformers/bend.md"), "utf8");
    for (const figure of ["4", "7"]) {
        const [, command] = page.match(new RegExp(`^\\| ${figure} \\|.*\\| .supple (render builtin:beast [^\x60]+)`, "m"));
        const words = [...command.matchAll(/'([^']*)'|(\S+)/g)].map(m => m[1] ?? m[2]), at = words.indexOf("--deform");
        const draw = (name, args) => {
            good([...args.map((w, i) => (i === 2 ? path.join(folder, name) : w.startsWith("examples/") ? path.join(source, w) : w)), "--size", "240x180", "--draft"]);
            return readPng(path.join(folder, name));
        };
        const a = draw("loaded.png", words), b = draw("plain.png", words.toSpliced(at, 2, "--deform", "linear").filter((w, i, all) => w !== "--world" && all[i - 1] !== "--world"));
        let other = 0;
        for (let y = 0; y < a.height; y++) for (let x = 0; x < a.width; x++) other += a.at(x, y).some((v, k) => Math.abs(v - b.at(x, y)[k]) > 12);
        holds(other > 0.005 * a.width * a.height, `figure ${figure}: ${other} pixels of ${a.width * a.height} differ`);
    }
});
await test("an older picture survives a failure and is replaced whole", folder => {
    needs();
    const out = path.join(folder, "a.png"), link = path.join(folder, "link.png");
    fs.writeFileSync(out, "old");
    bad(["render", "builtin:bar", out, "--show", "nose"], 1, /nose/);
    equal(fs.readFileSync(out, "utf8"), "old");
    fs.symlinkSync("a.png", link);
    good(["render", "builtin:bar", link, ...small]);
    readPng(out);
    holds(fs.lstatSync(link).isSymbolicLink(), "the link was replaced");
    holdsOnly(folder, ["a.png", "link.png"]);
});
if (!built) await test("a build without Embree or libpng says what to install", () => match(missing.err, /install lib(embree|png)-dev and build again/));
await test("--set concerns the chains that have its link, not the others nor the ghost", folder => {
    const out = path.join(folder, "a.png"), small = ["render", "builtin:arm?points=300", out, "--size", "120x80", "--samples", "1", "--quiet"];
    good([...small, "--deform", "linear", "--deform", "smooth", "--ghost", "linear", "--set", "smooth.iterations=1"]);
    bad([...small, "--deform", "linear", "--ghost", "dualquat", "--set", "smooth.iterations=1"], 1, /no chain has a link 'smooth'/);
});

// ------------------------------------------------------------------------------------------------ cameras

/** A box of 1 x 2 x 0.4, red in front (+z) and blue behind, on hips and two legs of which `left` names the one at +x; the clip
 * "go" takes it 20 along x in a second. */
function walker(folder, left = "Left", right = "Right") {
    const ring = z => [[-0.5, 0, z], [0.5, 0, z], [0.5, 2, z], [-0.5, 2, z]];
    const floats = [...ring(0.2), ...ring(-0.2)].flat(), ones = Array(8).fill([1, 0, 0, 0]).flat();
    const bind = (x, y) => [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -x, -y, 0, 1];
    const pieces = [new Float32Array(floats), new Float32Array(ones), new Uint8Array(32), new Uint16Array([0, 1, 2, 0, 2, 3]),
        new Uint16Array([1, 0, 3, 1, 3, 2]), new Float32Array([...bind(0, 1), ...bind(0.2, 0.9), ...bind(-0.2, 0.9)]),
        new Float32Array([0, 1]), new Float32Array([0, 1, 0, 20, 1, 0])].map(a => Buffer.from(a.buffer));
    let at = 0;
    const views = pieces.map(p => ({ buffer: 0, byteOffset: (at += p.length) - p.length, byteLength: p.length }));
    const material = c => ({ pbrMetallicRoughness: { baseColorFactor: c } });
    // Both squares take the upper four vertices of their own side; behind, the other way around.
    const accessors = [[0, 5126, 4, "VEC3", { min: [-0.5, 0, 0.2], max: [0.5, 2, 0.2] }], [0, 5126, 4, "VEC3", { byteOffset: 48, min: [-0.5, 0, -0.2], max: [0.5, 2, -0.2] }],
        [1, 5126, 4, "VEC4"], [2, 5121, 4, "VEC4"], [3, 5123, 6, "SCALAR"], [4, 5123, 6, "SCALAR"], [5, 5126, 3, "MAT4"],
        [6, 5126, 2, "SCALAR", { min: [0], max: [1] }], [7, 5126, 2, "VEC3"]]
        .map(([bufferView, componentType, count, type, more]) => ({ bufferView, componentType, count, type, ...more }));
    const side = (position, indices, m) => ({ attributes: { POSITION: position, WEIGHTS_0: 2, JOINTS_0: 3 }, indices, material: m });
    const file = path.join(folder, `walker${left}.gltf`), bytes = Buffer.concat(pieces);
    fs.writeFileSync(file, JSON.stringify({
        asset: { version: "2.0" }, scene: 0, scenes: [{ nodes: [0, 3] }],
        nodes: [{ name: "Hips", translation: [0, 1, 0], children: [1, 2] }, { name: `${left}UpLeg`, translation: [0.2, -0.1, 0] },
            { name: `${right}UpLeg`, translation: [-0.2, -0.1, 0] }, { mesh: 0, skin: 0 }],
        skins: [{ joints: [0, 1, 2], inverseBindMatrices: 6 }],
        materials: [material([0.8, 0.02, 0.02, 1]), material([0.02, 0.02, 0.8, 1])],
        meshes: [{ primitives: [side(0, 4, 0), side(1, 5, 1)] }], accessors, bufferViews: views,
        animations: [{ name: "go", samplers: [{ input: 7, output: 8 }], channels: [{ sampler: 0, target: { node: 0, path: "translation" } }] }],
        buffers: [{ byteLength: bytes.length, uri: "data:application/octet-stream;base64," + bytes.toString("base64") }],
    }));
    return file;
}
const RED = ([r, g, b]) => r > b + 60, BLUE = ([r, g, b]) => b > r + 60;

await test("the front is where the character looks", folder => {
    needs();
    const out = path.join(folder, "f.png"), view = ["--color", "file", "--no-ground", "--size", "60x60", "--samples", "4"];
    const seen = (file, camera) => (good(["render", file, out, "--camera", camera, ...view]), readPng(out).at(30, 30));
    const ahead = walker(folder), away = walker(folder, "Right", "Left"); // its left is at -x: it looks along -z
    holds(RED(seen(ahead, "front")) && BLUE(seen(ahead, "back")), "looks along +z");
    holds(BLUE(seen(away, "front")) && RED(seen(away, "back")), "looks along -z");
    holds(RED(seen(ahead, "three-quarter")) && BLUE(seen(away, "three-quarter")) && BLUE(seen(away, "orbit:0,0")), "other cameras count from the front");
});
await test("the camera goes with a character that travels, and every picture of a sheet has it at one size", folder => {
    needs();
    const out = path.join(folder, "t.png"), file = walker(folder);
    const sizes = (...flags) => {
        good(["render", file, out, "--clip", "go", "--sheet", "4", "--camera", "front", "--color", "file", "--no-ground", "--size", "480x240", "--samples", "4", ...flags]);
        const p = readPng(out), count = [0, 0, 0, 0];
        for (let y = 0; y < 240; y++) for (let x = 0; x < 480; x++) count[Math.floor(x / 240) + 2 * Math.floor(y / 120)] += RED(p.at(x, y));
        return count;
    };
    const followed = sizes(), fixed = sizes("--follow", "off");
    for (const n of followed) near(n, followed[0], 0.03 * followed[0], `all of one size: ${followed}`);
    holds(followed[0] > 5 * Math.max(...fixed), `${followed} pixels with the camera, ${fixed} without`);
    equal(sizes("--follow", "on").join(), followed.join(), "on, as it travels");
    const short = (...flags) => (sizes("--end", "0.02", ...flags), fs.readFileSync(out).toString("hex")); // 0.4 is a fifth of its size
    equal(short(), short("--follow", "off"), "a sway is not followed");
    holds(short() !== short("--follow", "on"), "unless it is asked for");
    bad(["render", file, out, "--follow", "maybe"], 2, /--follow 'maybe' is unknown: write travel, on or off/);
});
await test("a character that moves in its place has a camera that stands", folder => {
    needs();
    const out = path.join(folder, "s.png"), sheet = ["render", "builtin:arm", out, "--clip", "flex", "--sheet", "3", "--size", "240x80", "--samples", "1"];
    const bytes = (...flags) => (good([...sheet, ...flags]), fs.readFileSync(out).toString("hex"));
    equal(bytes(), bytes("--follow", "off"));
});
await test("a draft shows the same, whatever the number of threads", folder => {
    needs();
    const draw = (name, ...flags) => {
        const out = path.join(folder, name);
        good(["render", cube(folder), out, "--size", "200x150", ...flags]);
        return out;
    };
    const one = draw("d1.png", "--draft", "--threads", "1");
    equal(fs.readFileSync(draw("d3.png", "--draft", "--threads", "3")).toString("hex"), fs.readFileSync(one).toString("hex"));
    const draft = readPng(one), full = readPng(draw("f.png"));
    let far = 0, skin = 0;
    for (let y = 0; y < 150; y++)
        for (let x = 0; x < 200; x++) {
            skin += CLAY(full.at(x, y));
            far += full.at(x, y).some((v, c) => Math.abs(v - draft.at(x, y)[c]) > 60);
        }
    holds(skin > 3000 && far < 0.02 * skin, `${far} of ${skin} pixels differ by much`);
});

finish();
