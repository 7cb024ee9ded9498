// How much of a swing that nobody sculpted could any dynamics find?  node scripts/swing-most.mjs [build/supple] [../shared/data]
// What beam(sway=0) leaves of the truth between keys, in the frame of the linear skin at every point, is explained by least squares
// from responses that are zero at keys: oscillators driven by the skin's own acceleration, by gravity and by the sculpts, and any
// linear response to the acceleration of the last eight frames. Frequency, damping and factors are chosen in the first half, for
// the whole body or for each of twelve regions, and judged in the second. Prints one table, which scripts/curve-figures.mjs takes.
import { eachMotion } from "./swing-motions.mjs";

const REGIONS = 12, FRAMES = 8, SUBSTEPS = 8;
const RATES = [0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.7, 0.9, 1.2, 1.6, 2, 2.6], DAMPINGS = [0.03, 0.1, 0.2, 0.4, 0.8]; // radians a frame; ratios

/** Per point normal, tangent and their cross product, in a row. */
function framesOf(x, triangles, beside) {
    const n = x.length / 3, normal = new Float64Array(3 * n), out = new Float64Array(9 * n);
    const sub = (a, b) => [x[3 * a] - x[3 * b], x[3 * a + 1] - x[3 * b + 1], x[3 * a + 2] - x[3 * b + 2]];
    const cross = (u, v) => [u[1] * v[2] - u[2] * v[1], u[2] * v[0] - u[0] * v[2], u[0] * v[1] - u[1] * v[0]];
    const unit = v => { const l = Math.hypot(...v) || 1; return v.map(c => c / l); };
    for (const t of triangles) cross(sub(t[1], t[0]), sub(t[2], t[0])).forEach((c, k) => { for (const i of t) normal[3 * i + k] += c; });
    for (let i = 0; i < n; i++) {
        const a = unit([...normal.subarray(3 * i, 3 * i + 3)]), e = sub(beside[i], i), d = e.reduce((s, c, k) => s + c * a[k], 0), b = unit(e.map((c, k) => c - d * a[k]));
        out.set([...a, ...b, ...cross(a, b)], 9 * i);
    }
    return out;
}
const into = (frame, v) => v.map((_, i) => { const p = 3 * Math.floor(i / 3), r = 3 * p + 3 * (i % 3); return frame[r] * v[p] + frame[r + 1] * v[p + 1] + frame[r + 2] * v[p + 2]; });

/** The motion of p'' + 2 z w p' + w^2 p = -force, from equilibrium. */
function driven(force, w, z) {
    const n = force[0].length, h = 1 / SUBSTEPS, p = force[0].map(x => -x / (w * w)), v = new Float64Array(n), out = [Float64Array.from(p)];
    for (let f = 1; f < force.length; f++) {
        for (let s = 0; s < SUBSTEPS; s++) {
            const r = (s + 0.5) * h, k = 1 + 2 * z * w * h + w * w * h * h;
            for (let i = 0; i < n; i++) {
                v[i] = (v[i] + h * (-(force[f - 1][i] * (1 - r) + force[f][i] * r) - w * w * p[i])) / k;
                p[i] += h * v[i];
            }
        }
        out.push(Float64Array.from(p));
    }
    return out;
}
function solve(rows) { // Gauss, the right side last
    const m = rows.length;
    for (let i = 0; i < m; i++) {
        let best = i;
        for (let r = i; r < m; r++) if (Math.abs(rows[r][i]) > Math.abs(rows[best][i])) best = r;
        [rows[i], rows[best]] = [rows[best], rows[i]];
        if (Math.abs(rows[i][i]) < 1e-25) continue;
        for (let r = 0; r < m; r++) if (r !== i) { const q = rows[r][i] / rows[i][i]; for (let c = i; c <= m; c++) rows[r][c] -= q * rows[i][c]; }
    }
    return rows.map((r, i) => (Math.abs(r[i]) < 1e-25 ? 0 : r[m] / r[i]));
}

/** Where f lies between keys, and the cubic's weights of value and rate at both. */
function place(keys, f) {
    let k = 0;
    while (k < keys.length - 2 && f > keys[k + 1]) k++;
    const span = keys[k + 1] - keys[k], r = (f - keys[k]) / span;
    return { k, span, t: f - keys[k], cubic: [2 * r ** 3 - 3 * r * r + 1, (r ** 3 - 2 * r * r + r) * span, -2 * r ** 3 + 3 * r * r, (r ** 3 - r * r) * span] };
}
const rate = (keys, x, k, i) => { const a = keys[Math.max(0, k - 1)], b = keys[Math.min(keys.length - 1, k + 1)]; return (x[b][i] - x[a][i]) / (b - a); };
/** Combines the values and rates at the keys beside each frame. */
const joined = (keys, x, weights) => x.map((row, f) => {
    const at = place(keys, f), w = weights(at), a = x[keys[at.k]], b = x[keys[at.k + 1]];
    return row.map((_, i) => w[0] * a[i] + w[1] * rate(keys, x, at.k, i) + w[2] * b[i] + w[3] * rate(keys, x, at.k + 1, i));
});
/** Without the cubic through its own values at keys: zero there. */
const held = (keys, x) => { const c = joined(keys, x, at => at.cubic); return x.map((row, f) => row.map((y, i) => y - c[f][i])); };
/** What an oscillator that passes through the sculpts adds to the cubic. */
function rung(keys, x, w, z) {
    const wd = w * Math.sqrt(Math.max(1e-6, 1 - z * z));
    const value = t => { const e = Math.exp(-z * w * t); return [1, t, e * Math.cos(wd * t), e * Math.sin(wd * t)]; };
    const slope = t => { const [, , c, s] = value(t); return [0, 1, -z * w * c - wd * s, -z * w * s + wd * c]; };
    return joined(keys, x, ({ span, t, cubic }) => {
        const ends = [value(0), slope(0), value(span), slope(span)], now = value(t);
        return solve([0, 1, 2, 3].map(r => [...ends.map(e => e[r]), now[r]])).map((y, i) => y - cubic[i]);
    });
}

function regions(x) { // k-means, begun at places spread over the numbers of points
    const n = x.length / 3, of = new Int32Array(n), at = i => [x[3 * i], x[3 * i + 1], x[3 * i + 2]];
    let centers = Array.from({ length: REGIONS }, (_, k) => at(Math.floor((n * (k + 0.5)) / REGIONS)));
    for (let round = 0; round < 30; round++) {
        const sums = centers.map(() => [0, 0, 0, 0]);
        for (let i = 0; i < n; i++) {
            const p = at(i), away = centers.map(c => Math.hypot(p[0] - c[0], p[1] - c[1], p[2] - c[2]));
            of[i] = away.indexOf(Math.min(...away));
            p.forEach((c, k) => { sums[of[i]][k] += c; }), sums[of[i]][3]++;
        }
        centers = centers.map((c, k) => (sums[k][3] ? sums[k].slice(0, 3).map(s => s / sums[k][3]) : c));
    }
    return of;
}

/** Normal equations of the bases against what is left, of the points of a region (-1: all). */
function equations(left, bases, half, of, region) {
    const m = bases.length, rows = Array.from({ length: m }, () => new Float64Array(m + 1));
    let all = 0;
    for (const f of half)
        for (let i = 0; i < left[f].length; i++) {
            if (region >= 0 && of[Math.floor(i / 3)] !== region) continue;
            all += left[f][i] ** 2;
            for (let a = 0; a < m; a++) {
                rows[a][m] += bases[a][f][i] * left[f][i];
                for (let b = 0; b < m; b++) rows[a][b] += bases[a][f][i] * bases[b][f][i];
            }
        }
    return { rows, all };
}
const fitted = ({ rows }, ridge) => solve(rows.map((r, a) => { const copy = [...r]; copy[a] += ridge * r[a] + 1e-30; return copy; }));
const remains = ({ rows, all }, x) => all + x.reduce((s, xa, a) => s - 2 * xa * rows[a][x.length] + x.reduce((t, xb, b) => t + xa * xb * rows[a][b], 0), 0);

console.log("| motion | response | chosen for | first half | second half | the best in hindsight |\n|---|---|---|--:|--:|--:|");
eachMotion(({ name, truth, triangles, keys, first, second, skin }) => {
    const linear = skin("linear"), still = skin("beam(sway=0)"), last = truth.length - 1, beside = new Int32Array(truth[0].length / 3);
    for (const t of triangles) t.forEach((i, k) => { beside[i] = t[(k + 1) % 3]; });
    const frame = linear.map(x => framesOf(x, triangles, beside)), minus = (a, b) => a.map((x, i) => x - b[i]), down = truth[0].map((_, i) => (i % 3 === 1 ? -1 : 0));
    const sculpted = truth.map((x, f) => into(frame[f], minus(x, linear[f]))), left = truth.map((x, f) => into(frame[f], minus(x, still[f])));
    const pushes = linear.map((_, f) => { const a = Math.max(1, Math.min(last - 1, f)); return into(frame[f], linear[a].map((x, i) => linear[a - 1][i] - 2 * x + linear[a + 1][i])); });
    const gravity = frame.map(a => into(a, down)), part = (x, k) => x.map(row => row.map((y, i) => ((i % 3 === 0) === (k === 0) ? y : 0))); // along the normal, or across
    const late = by => pushes.map((_, f) => pushes[Math.max(0, f - by)]);
    const oscillators = RATES.flatMap(w => DAMPINGS.map(z => () => [held(keys, driven(pushes, w, z)), held(keys, driven(gravity, w, z)), rung(keys, sculpted, w, z)]));
    const any = () => [...Array(FRAMES).keys()].flatMap(by => [held(keys, part(late(by), 0)), held(keys, part(late(by), 1))]).concat([held(keys, part(gravity, 0)), held(keys, gravity)]);
    // A swing that is none of those tried has to be found, or what is not found would say nothing.
    const made = held(keys, driven(pushes, 0.8, 0.15)), found = Math.max(...oscillators.map(make => {
        const bases = make(), two = equations(made, bases, second, null, -1);
        return 1 - Math.sqrt(remains(two, fitted(equations(made, bases, first, null, -1), 1e-3)) / two.all);
    }));
    if (!(found > 0.5)) throw new Error(`${name}: of a made swing only ${(100 * found).toFixed(1)} % is found`);
    console.error(`${name}: of a made swing ${(100 * found).toFixed(0)} % is found`);
    const of = regions(linear[0]), groups = { "the whole body": [-1], [`each of ${REGIONS} regions`]: [...Array(REGIONS).keys()] };
    for (const [label, makers] of [["an oscillator driven by inertia, gravity and the sculpts", oscillators], [`any to the acceleration of ${FRAMES} frames`, [any]]]) {
        const best = Object.fromEntries(Object.entries(groups).map(([g, list]) => [g, list.map(() => ({ first: Infinity, hindsight: Infinity }))]));
        for (const make of makers) {
            const bases = make();
            for (const [g, list] of Object.entries(groups)) list.forEach((region, k) => {
                const one = equations(left, bases, first, of, region), two = equations(left, bases, second, of, region), x = fitted(one, 1e-3), b = best[g][k], now = remains(one, x);
                if (now < b.first) b.first = now, b.second = remains(two, x), b.all = [one.all, two.all];
                b.hindsight = Math.min(b.hindsight, remains(two, fitted(two, 1e-6)));
            });
        }
        for (const [g, list] of Object.entries(best)) {
            const sum = take => list.reduce((s, b) => s + take(b), 0), closed = (take, all) => `${(100 * (1 - Math.sqrt(sum(take) / sum(b => b.all[all])))).toFixed(1)} %`;
            console.log(`| ${name} | ${label} | ${g} | ${closed(b => b.first, 0)} | ${closed(b => b.second, 1)} | ${closed(b => b.hindsight, 1)} |`);
        }
    }
});
