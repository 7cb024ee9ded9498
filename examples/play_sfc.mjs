// Plays a runtime file of the fourier deformer (.sfc, docs/deformers/fourier.md) at any time, in a page or node. Stands alone.
// `node play_sfc.mjs FILE SECONDS` prints what moves every point before skinning.
const types = { element: Float64Array, piece: Float64Array, move: Uint32Array, row: Uint32Array, rest: Float32Array,
    lean: Uint32Array, place: Uint16Array, stand: Uint16Array, strength: Uint16Array, shape: Int16Array };
export function open(buffer) { // an ArrayBuffer; throws what is wrong
    const view = new DataView(buffer), u = at => view.getUint32(at, true), bytes = new Uint8Array(buffer);
    if (bytes.length < 80 || u(0) !== 0x1a434653) throw Error("this is no .sfc file");
    if (u(4) !== 3) throw Error("this .sfc file is newer than its player, or older: it reads version 3");
    const hash = bytes.subarray(12).reduce((hash, byte) => Math.imul(hash ^ byte, 16777619), 2166136261);
    if (hash >>> 0 !== u(8) || u(76) !== bytes.length) throw Error("this .sfc file is cut short or damaged");
    const f = { numbers: u(12), begin: view.getFloat64(16, true), period: view.getFloat64(24, true), points: u(32) };
    for (const [i, [name, type]] of Object.entries(types).entries()) // each ends where the next begins
        f[name] = new type(buffer, u(36 + 4 * i), (u(40 + 4 * i) - u(36 + 4 * i)) / type.BYTES_PER_ELEMENT);
    return f;
}

function value({ element: e }, first, count, x) { // a function of the place on a curve or of time: a sum of elements
    let sum = 0;
    for (let i = 6 * first; i < 6 * (first + count); i += 6)
        sum += e[i] * x ** e[i + 1] * Math.exp(e[i + 2] * (x - e[i + 3])) * Math.cos(e[i + 4] * x - e[i + 5]);
    return sum;
}

const cross = (a, b) => [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];
// A section of a limb turns x by the vector w about its center, at w[6], and shifts it by w[3]: q is longer by as much.
function turn(w, x, part, q) {
    const a = Math.hypot(w[0], w[1], w[2]), b = a > 0 ? Math.sin(a / 2) / a : 0.5, s = 2 * b * Math.cos(a / 2);
    const u = cross(w, x.map((x, d) => x - w[6 + d])), v = cross(w, u);
    for (let d = 0; d < 3; d++) q[d] += part * (w[3 + d] + s * u[d] + 2 * b * b * v[d]);
}

export function at(f, time) { // three numbers for every point
    const c = new Float64Array(f.numbers), { row, place, stand } = f;
    if (f.period > 0) time -= f.period * Math.floor((time - f.begin) / f.period);
    for (let m = 0; m < f.move.length; m += 6) {
        const [piece, first, elements, to, count, shape] = f.move.subarray(m);
        const [from, until, zero, unit] = f.piece.subarray(4 * piece);
        const way = time < from || time >= until ? 0 : 2 ** f.shape[shape] * value(f, first, elements, (time - zero) / unit);
        for (let i = 0; i < count && way; i++) c[to + i] += way * f.shape[shape + 1 + i];
    }
    for (let p = 0; p < f.points; p++) {
        const q = c.subarray(3 * p, 3 * p + 3), station = stand.length ? stand[2 * p] : 65535, ratio = stand[2 * p + 1] / 65535;
        for (let i = 6 * p; i < 6 * p + 6; i += 3) // two curves: number, place, share
            for (let r = 0; r < row.length; r += 5) { // function: first, count; first curve, how many, first number
                const k = place[i] - row[r + 2], has = k >= 0 && k < row[r + 3];
                const part = has ? place[i + 2] / 65535 * value(f, row[r], row[r + 1], place[i + 1] / 65535) : 0;
                for (let d = 0; d < 3 && has; d++) q[d] += part * c[row[r + 4] + 3 * k + d];
            }
        const x = [0, 1, 2].map(d => q[d] + f.rest[3 * p + d]), w = 3 * f.points + 9 * station;
        if (station !== 65535) turn(c.subarray(w), x, 1 - ratio, q), turn(c.subarray(w + 9), x, ratio, q);
        if (f.strength.length) q.forEach((x, d) => { q[d] = x * f.strength[p] / 65535; });
    }
    return c.subarray(0, 3 * f.points);
}

const [, self, file, seconds] = globalThis.process?.argv ?? [];
if (self === new URL(import.meta.url).pathname) {
    const { readFileSync } = await import("node:fs"), q = at(open(new Uint8Array(readFileSync(file)).buffer), Number(seconds));
    for (let i = 0; i < q.length; i += 3) console.log(q.subarray(i, i + 3).join(" "));
}
