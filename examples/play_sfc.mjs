// Plays a runtime file of the fourier deformer: `node play_sfc.mjs FILE SECONDS` prints what moves every point before skinning.
// Stands alone; the layout is in docs/deformers/fourier.md.
const SMOOTH = 1, CYCLE = 2, STILL = 1, HERMITE = 2;

export function open(buffer) { // an ArrayBuffer; throws what is wrong
    const view = new DataView(buffer), u = i => view.getUint32(4 * i, true);
    if (buffer.byteLength < 48 || u(0) !== 0x1a434653) throw Error("this is no .sfc file");
    if (u(1) !== 1) throw Error("this .sfc file is newer than its player");
    const [flags, points, curves, coefs, examples, segments, modes, ramp, residual] = [2, 3, 4, 5, 6, 7, 8, 9, 10].map(u);
    const each = 8 * Math.ceil((residual === 2 ? 12 * points : residual === 1 ? 4 + 6 * points : 0) / 8);
    const sizes = [segments + 1, examples, segments * modes * 10, modes * 2, (4 * (curves + 1) + 2 * coefs) / 8,
                   (flags & SMOOTH ? 4 : 2) * (segments || 1) * coefs * 1.5, points * 1.5, each * examples / 8].map(Math.ceil);
    const at = sizes.map((_, i) => 48 + 8 * sizes.slice(0, i).reduce((a, b) => a + b, 0));
    if (at[7] + 8 * sizes[7] !== buffer.byteLength || !examples || ramp > 2 || residual > 2 ||
        segments > examples || segments + 1 < examples) throw Error("this .sfc file is cut short or damaged");
    const f = { flags, points, coefs, examples, segments, modes, ramp, residual,
        times: new Float64Array(buffer, at[0], segments + 1), tangents: new Float64Array(buffer, at[1], examples),
        oscillators: new Float64Array(buffer, at[2], sizes[2]), waves: new Float64Array(buffer, at[3], 2 * modes),
        first: new Uint32Array(buffer, at[4], curves + 1), mode: new Uint16Array(buffer, at[4] + 4 * (curves + 1), coefs),
        shapes: new Float32Array(buffer, at[5], 2 * sizes[5]), places: new Uint16Array(buffer, at[6], 6 * points),
        left: (example, i) => residual === 2 ? view.getFloat32(at[7] + each * example + 4 * i, true)
            : view.getFloat32(at[7] + each * example, true) * half(view.getUint16(at[7] + each * example + 4 + 2 * i, true)) };
    if (f.mode.some(m => m >= modes) || f.places.some((c, i) => i % 3 === 0 && c !== 0xffff && c >= curves) ||
        f.first.some((c, i) => c > coefs || c < (f.first[i - 1] ?? 0))) throw Error("this .sfc file is damaged");
    return f;
}

const half = h => (h & 0x8000 ? -1 : 1) * (h & 0x7c00 ? (1024 + h % 1024) * 2 ** ((h >> 10 & 31) - 25) : h % 1024 * 2 ** -24);

// y(t) of rho y'' + eta y' + h y = force: value and derivatives of the force stand behind y and y'. A series, in short steps.
function flow([rho, eta, h], t, rate, force) {
    const s = [0, rate, ...force, 0, 0, 0, 0, 0, 0].slice(0, 9);
    const fast = rho > 0 ? Math.sqrt(h / rho) + eta / rho : h / eta, steps = Math.min(1 + Math.floor(fast * t), 1000);
    for (let i = 0; i < steps; i++)
        for (let k = 1, a = [...s]; k < 24; k++) {
            const d = t / steps / k, y = rho > 0 ? a[1] : (a[2] - h * a[0]) / eta;
            a = [d * y, rho > 0 ? d * (a[2] - eta * a[1] - h * a[0]) / rho : 0, ...a.slice(3).map(x => d * x), 0];
            a.forEach((x, j) => s[j] += x);
        }
    return s[0];
}

export function at(f, time) { // three numbers a point
    const { times, segments: n, examples: e } = f, smooth = f.flags & SMOOTH, cycle = f.flags & CYCLE, span = times[n] - times[0];
    if (cycle) time -= span * Math.floor((time - times[0]) / span);
    let j = 0;
    while (j + 1 < n && time >= times[j + 1]) j++;
    const T = n ? times[j + 1] - times[j] : 1, t = n ? Math.min(Math.max((time - times[j]) / T, 0), 1) : 0;
    const h01 = t * t * (3 - 2 * t), h10 = t * (1 - t) ** 2, h11 = t * t * (t - 1);
    const r = smooth || f.ramp === 1 ? h01 : f.ramp === 0 ? t : t ** 3 * (10 - 15 * t + 6 * t * t);
    const forces = [[0, 1], [0, 0, 6, -12], [0, 0, 0, 60, -360, 720]], begin = j * (smooth ? 12 : 6) * f.coefs;
    const ways = Array.from({ length: f.modes }, (_, m) => { // shares of the change and of the rates at both ends
        const o = f.oscillators.subarray(10 * (j * f.modes + m), 10 * (j * f.modes + m) + 10);
        if (!n || o[9] === STILL || t <= 0 || t >= 1) return [r, h10, h11];
        const a = flow(o, t, 0, [1]), b = flow(o, t, 0, forces[o[9] === HERMITE ? 0 : f.ramp]);
        return [0, 1, 2].map(k => o[3 + 2 * k] * a + o[4 + 2 * k] * b + (k === 1 && o[0] > 0 ? flow(o, t, 1, []) : 0));
    });
    const c = Float64Array.from({ length: 3 * f.coefs }, (_, i) => ways[f.mode[Math.floor(i / 3)]].slice(0, smooth ? 3 : 1)
        .reduce((sum, way, k) => sum + way * f.shapes[begin + i + 3 * (k + 1) * f.coefs], f.shapes[begin + i]));
    const to = n ? (j + 1) % e : 0, before = j ? j - 1 : cycle ? e - 1 : 0, next = to + 1 < e ? to + 1 : cycle ? 0 : to;
    const a = smooth ? h10 * T * f.tangents[j] : 0, b = smooth ? h11 * T * f.tangents[to] : 0;
    const carried = [[j, 1 - r - b], [to, r + a], [before, -a], [next, b]], q = new Float32Array(3 * f.points);
    for (let p = 0; p < f.points; p++) {
        const sum = [0, 0, 0];
        for (let side = 6 * p; side < 6 * p + 6; side += 3) {
            if (f.places[side] === 0xffff) continue;
            const v = f.places[side + 1] / 65535, share = f.places[side + 2] / 65535;
            for (let i = f.first[f.places[side]]; i < f.first[f.places[side] + 1]; i++) {
                const [wave, phase] = f.waves.subarray(2 * f.mode[i], 2 * f.mode[i] + 2);
                const value = share * (wave < 0 ? v ** (-1 - wave) : Math.cos(wave * v - phase));
                for (let k = 0; k < 3; k++) sum[k] += value * c[3 * i + k];
            }
        }
        for (let k = 0; k < 3; k++)
            q[3 * p + k] = f.residual ? carried.reduce((x, [who, way]) => x + way * f.left(who, 3 * p + k), sum[k]) : sum[k];
    }
    return q;
}

if (process.argv[1] === new URL(import.meta.url).pathname) {
    const { readFileSync } = await import("node:fs"), bytes = readFileSync(process.argv[2]);
    const q = at(open(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length)), Number(process.argv[3]));
    for (let i = 0; i < q.length; i += 3) console.log(`${q[i]} ${q[i + 1]} ${q[i + 2]}`);
}
