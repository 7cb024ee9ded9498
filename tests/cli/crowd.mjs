// Far too much of everything: binds end, within processor-time bounds that quadratic searches exceed.
import { equal, finish, holds, match, program, shared, test, writeGlb } from "./harness.mjs";
import { spawnSync } from "node:child_process";
import path from "node:path";

// The time that the square of them would take is for the other builds to tell.
const sanitized = /sanitize/.test(process.env.SUPPLE_CFLAGS ?? ""), JOINTS = sanitized ? 5000 : 65000;

// Runs it with a limit on processor seconds; a quadratic search would take minutes.
function bounded(seconds, args) {
    const slow = sanitized ? 8 : 1;
    const r = spawnSync("sh", ["-c", `ulimit -t ${seconds * slow}; exec "$@"`, "sh", program, ...args, "--threads", "1"], { encoding: "utf8", maxBuffer: 1 << 26 });
    if (r.error) throw r.error;
    holds(r.signal === null, `supple ${args.join(" ")} took more than ${seconds} s, or died of ${r.signal}`);
    return { code: r.status, err: r.stderr };
}

// A tube along x, `rings` rings of eight, whose points follow the nearest two of `joints`: in a row, or all below the first.
function tube(rings, joints, row) {
    const positions = [], weights = [], influences = [], indices = [], length = 1.7, at = j => (length * j) / (joints - 1);
    for (let r = 0; r < rings; r++)
        for (let k = 0; k < 8; k++) {
            const angle = (Math.PI * k) / 4, j = Math.min(joints - 2, Math.floor((r / (rings - 1)) * (joints - 1)));
            positions.push(at((r / (rings - 1)) * (joints - 1)), 0.1 * Math.cos(angle), 0.1 * Math.sin(angle));
            influences.push(j, j + 1, 0, 0), weights.push(0.5, 0.5, 0, 0);
        }
    for (let r = 0; r + 1 < rings; r++)
        for (let k = 0; k < 8; k++) {
            const a = 8 * r + k, b = 8 * r + ((k + 1) % 8);
            indices.push(a, a + 8, b, b, a + 8, b + 8);
        }
    for (let k = 1; k < 7; k++) indices.push(0, k, k + 1, 8 * rings - 8, 8 * rings - 8 + k + 1, 8 * rings - 8 + k);
    const binds = new Float32Array(16 * joints), nodes = [];
    for (let j = 0; j < joints; j++) {
        binds.set([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, -at(j), 0, 0, 1], 16 * j);
        nodes.push({ name: `j${j}`, translation: [row && j ? at(1) : at(j), 0, 0] });
        if (row && j + 1 < joints) nodes[j].children = [j + 1];
    }
    if (!row) nodes[0].children = Array.from({ length: joints - 1 }, (_, j) => j + 1);
    nodes.push({ mesh: 0, skin: 0 });
    const accessor = (bufferView, componentType, count, type, more = {}) => ({ bufferView, componentType, count, type, ...more });
    return {
        views: { p: new Float32Array(positions), i: new Uint32Array(indices), j: new Uint16Array(influences), w: new Float32Array(weights), b: binds },
        json: {
            asset: { version: "2.0" }, scene: 0, scenes: [{ nodes: [0, joints] }], nodes,
            meshes: [{ primitives: [{ attributes: { POSITION: 0, JOINTS_0: 2, WEIGHTS_0: 3 }, indices: 1 }] }],
            skins: [{ joints: Array.from({ length: joints }, (_, j) => j), inverseBindMatrices: 4 }],
            accessors: [
                accessor(0, 5126, positions.length / 3, "VEC3", { min: [0, -0.1, -0.1], max: [1.7, 0.1, 0.1] }), accessor(1, 5125, indices.length, "SCALAR"),
                accessor(2, 5123, influences.length / 4, "VEC4"), accessor(3, 5126, weights.length / 4, "VEC4"), accessor(4, 5126, joints, "MAT4"),
            ],
        },
    };
}

for (const row of [true, false])
    await test(`${JOINTS} joints ${row ? "in a row" : "below one"} bind with bend, layers and lattice`, folder => {
        const file = writeGlb(path.join(folder, "tube.glb"), tube(800, JOINTS, row));
        for (const chain of ["bend", "layers", "lattice"]) {
            const r = bounded(6, ["bake", file, path.join(folder, "out.npy"), "--deform", chain, "--preroll", "0", "--quiet"]);
            equal(r.code, 0, `${chain}: exit code, ${r.err}`);
        }
    });

// Every triangle is a separate limb, with its own curves.
await test("a thousand loose pieces bind with bend", folder => {
    const whole = tube(300, 20, true), { p, i, j, w } = whole.views, take = (from, width, as) => new as(Array.from(i).flatMap(v => Array.from(from.subarray(width * v, width * v + width))));
    const loose = { p: take(p, 3, Float32Array), i: Uint32Array.from(i, (_, k) => k), j: take(j, 4, Uint16Array), w: take(w, 4, Float32Array), b: whole.views.b };
    for (const accessor of [0, 2, 3]) whole.json.accessors[accessor].count = i.length;
    for (let k = 0; k < loose.p.length; k++) loose.p[k] += 1e-3 * (Math.floor(k / 9) % 7); // not welded to each other
    Object.assign(whole.json.accessors[0], { min: [0, -0.2, -0.2], max: [1.8, 0.2, 0.2] });
    const file = writeGlb(path.join(folder, "loose.glb"), { views: loose, json: whole.json });
    const r = bounded(6, ["bake", file, path.join(folder, "out.npy"), "--deform", "bend(pressure=1000)", "--quiet"]);
    holds(r.code === 0 || /bend: /.test(r.err), `exit code ${r.code}, ${r.err}`);
});

for (const [file, words, more] of [
    ["hang_stacked_2000_layers.glb", null, []],
    ["hang_rootscale0_layers.glb", null, []],
    ["nan_77_1.glb", null, []],
    ["hang_cesiumman_layers.glb", /the surface is 65 times as large as the box around it/, []],
    ["hang_star_layers.obj", /(lie through|cross) each other/, ["--skeleton", "libigl-rigs/arm.tgf"]],
])
    await test(`${file} ends by itself`, folder => {
        const args = ["bake", shared(`hostile/${file}`), path.join(folder, "out.npy"), "--deform", "layers", "--quiet"];
        const r = bounded(10, [...args, ...more.map(w => (w.startsWith("--") ? w : shared(w)))]);
        equal(r.code, words ? 1 : 0, `exit code, ${r.err}`);
        if (words) match(r.err, words);
    });
finish();
