// Plays a runtime file of the fourier deformer: `node play_sfc.mjs FILE SECONDS` prints what moves every point before skinning.
// Stands alone; the layout is in docs/deformers/fourier.md.
const types = [, Uint16Array, Int16Array, Uint32Array, Float32Array, Float64Array];

export function open(buffer) { // an ArrayBuffer; throws what is wrong
    const view = new DataView(buffer), u = at => view.getUint32(at, true), bytes = new Uint8Array(buffer);
    if (buffer.byteLength < 16 || u(0) !== 0x1a434653) throw Error("this is no .sfc file");
    if (u(4) !== 2) throw Error("this .sfc file is newer than its player, or older: it reads version 2");
    const hash = bytes.subarray(16).reduce((hash, byte) => Math.imul(hash ^ byte, 16777619), 2166136261);
    if (hash >>> 0 !== u(8)) throw Error("this .sfc file is cut short or damaged");
    const arrays = Array.from({ length: u(12) }, (_, i) => new types[u(16 + 16 * i)](buffer, u(24 + 16 * i), u(20 + 16 * i)));
    const [functions, first, of, mode, place, scale, left, center, turn, stand, rest, strong, lean, motions, ...tracks] = arrays;
    return { functions, first, of, mode, place, scale, left, center, turn, stand, rest, strong, lean, motions, tracks };
}

// Every function, of v as of t.
const value = ([power, growth, from, wave, phase], x) => x ** power * Math.exp(growth * (x - from)) * Math.cos(wave * x - phase);

// A share of every example and the coefficients of every curve, c, are moved by tracks: closed forms of the time.
function addTrack(f, [head, moved, shape], time, c) {
    const [begin, count, ways, pieces, open, origin, period, ...times] = head, n = 3 * count, rows = moved.length / (pieces * ways);
    if (period > 0) time -= period * Math.floor((time - origin) / period);
    let j = 0;
    while (j + 1 < pieces && time >= times[j + 1]) j++;
    const ratio = Math.max((time - times[j]) / (times[j + 1] - times[j]), 0), t = open && j + 1 === pieces ? ratio : Math.min(ratio, 1);
    const row = i => moved.subarray((j * rows + i) * ways, (j * rows + i + 1) * ways);
    for (let w = 0; w < ways; w++)
        for (let m = 0; m + 1 < rows; m++) {
            const o = f.motions.subarray(40 * row(1 + m)[w]);
            let way = o.subarray(0, 16).reduceRight((sum, x) => sum * t + x, 0);
            for (let i = 16; i < 40; i += 6) way += o[i] * value(o.subarray(i + 1), t);
            for (let i = 0; i < n && way !== 0; i++)
                if (f.mode[begin + Math.floor(i / 3)] === m) c[3 * begin + i] += way * shape[row(0)[w] * n + i];
        }
}

// A section of a limb turns x about its center, by as much as the shares of the examples say.
function turned(f, station, share, x) {
    const w = [0, 1, 2, 3, 4, 5].map(i => share.reduce((sum, s, e) => sum + s * f.turn[e * 2 * f.center.length + 6 * station + i], 0));
    const a = Math.hypot(w[0], w[1], w[2]), n = w.slice(0, 3).map(x => x / (a || 1)), center = f.center.subarray(3 * station);
    const p = x.map((x, i) => x - center[i]), along = n[0] * p[0] + n[1] * p[1] + n[2] * p[2];
    return p.map((x, i) => center[i] + w[3 + i] + x * Math.cos(a) + n[i] * along * (1 - Math.cos(a)) +
        (n[(i + 1) % 3] * p[(i + 2) % 3] - n[(i + 2) % 3] * p[(i + 1) % 3]) * Math.sin(a));
}

export function at(f, time) { // three numbers a point
    const points = f.place.length / 6, coefs = f.of.length, c = new Float64Array(3 * f.mode.length), q = new Float32Array(3 * points);
    for (let i = 0; i < f.tracks.length; i += 3) addTrack(f, f.tracks.slice(i, i + 3), time, c);
    const share = Array.from(c.subarray(3 * coefs)).filter((_, i) => i % 3 === 0);
    for (let p = 0; p < points; p++) {
        let x = [0, 0, 0];
        for (let side = 6 * p; side < 6 * p + 6; side += 3)
            for (let curve = f.place[side], v = f.place[side + 1] / 65535, i = f.first[curve]; i < f.first[curve + 1]; i++) {
                const part = f.place[side + 2] / 65535 * value(f.functions.subarray(5 * f.of[i]), v);
                for (let d = 0; d < 3; d++) x[d] += part * c[3 * i + d];
            }
        f.scale.forEach((scale, e) => { // what the curves miss of the examples
            for (let d = 0; d < 3; d++) x[d] += share[e] * scale * f.left[3 * (e * points + p) + d];
        });
        if (3 * f.stand[2 * p] + 3 < f.center.length) { // between the two stations beside the point
            const rest = f.rest.subarray(3 * p, 3 * p + 3), moved = x.map((x, d) => x + rest[d]), part = f.stand[2 * p + 1] / 65535;
            const [a, b] = [0, 1].map(i => turned(f, f.stand[2 * p] + i, share, moved));
            x = a.map((a, d) => a + part * (b[d] - a) - rest[d]);
        }
        for (let d = 0; d < 3; d++) q[3 * p + d] = x[d] * (f.strong.length ? f.strong[p] / 65535 : 1);
    }
    return q;
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
    const { readFileSync } = await import("node:fs"), bytes = readFileSync(process.argv[2]);
    const q = at(open(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length)), Number(process.argv[3]));
    for (let i = 0; i < q.length; i += 3) console.log(`${q[i]} ${q[i + 1]} ${q[i + 2]}`);
}
