// How near each deformer comes to real sequences: node scripts/realism.mjs build/supple ../shared/data docs/realism.md
// Motion is known (bones of a fit to the whole sequence), the skin only at keys; errors are those of the frames between. Rows come
// from `supple deformers --json`, so that a new deformer appears by running this again. What people wrote around the
// markers stays.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

const [program = "build/supple", data = "../shared/data", page = "docs/realism.md"] = process.argv.slice(2);
if (!fs.existsSync(data)) {
    console.error(`realism: the data set is not at ${data}; nothing was measured`);
    process.exit(1);
}
const work = fs.mkdtempSync(path.join(os.tmpdir(), "supple-realism-"));
const numbered = (set, pattern) => fs.readdirSync(path.join(data, set)).filter(f => pattern.test(f)).sort((a, b) => a.localeCompare(b, "en", { numeric: true })).map(f => path.join(data, set, f));
const sets = [
    { name: "horse-gallop", rest: "horse-gallop/reference.obj", files: () => numbered("horse-gallop", /^\d+\.obj$/), bones: 10, what: "24 frames of a gallop, made from a rig and exported" },
    { name: "samba", rest: "samba/mesh_0000.obj", files: () => numbered("samba", /^mesh_00[4-6]\d\.obj$/), bones: 15, what: "13 frames of a captured dancer in a dress" },
    { name: "elastic-cow", rest: "elastic-cow/0001.obj", files: () => numbered("elastic-cow", /^00(09|1\d|2\d)\.obj$/), bones: 10, what: "17 frames of a simulated soft body that is thrown about" },
    { name: "cat-poses", rest: "cat-poses/reference.obj", files: () => numbered("cat-poses", /^\d+\.obj$/), bones: 15, what: "9 poses in no order of time: what lies between two of them is another pose" },
    { name: "wolf", rest: "wolf-rig/wolf.obj", files: () => numbered("wolf-rig", /^wolf-\d\.obj$/), bones: 21, what: "6 poses of exact linear blend skinning, in no order of time" },
];
const everies = [2, 4, 6, 8, Infinity], detail = 4; // the last: only the first and the last frame are keys
const spacing = every => (every === Infinity ? "first + last" : `every ${every}`);

const patience = Number(process.env.REALISM_SECONDS ?? 900); // for one run of the program
function run(...args) {
    const r = spawnSync(program, [...args, "--json"], { encoding: "utf8", maxBuffer: 1 << 28, timeout: 1000 * patience });
    if (r.error?.code === "ETIMEDOUT") return { failed: `it took more than ${patience} s` };
    if (r.status !== 0) return { failed: (r.stderr.match(/supple: error: (.*)/)?.[1] ?? `ended with ${r.status}`).replaceAll(data + "/", "") };
    return JSON.parse(r.stdout);
}

// ------------------------------------------------------------------------------------------------ rows

const deformers = run("deformers");
const known = name => deformers.find(d => d.name === name);
const skinnings = ["linear", "dualquat"];
/** How a deformer is told to leave its dynamics out, by the parameters it has. */
function still(d) {
    const param = name => d.params.some(p => p.name === name && p.min <= 0);
    return param("sway") ? "sway=0" : param("modes") ? "modes=0" : null;
}
const rows = skinnings.map(name => ({ label: name, chain: name, keys: false }));
if (known("beam")) rows.splice(1, 0, { label: "linear + residual", chain: "linear,beam(sway=0,turning=off,continuity=restart,trust=off)", keys: true });
for (const d of deformers) {
    if (skinnings.includes(d.name)) continue;
    const keys = d.needs.includes("examples") || d.params.some(p => p.name === "examples"); // needs them, or takes them
    for (const skin of keys ? skinnings : ["linear"]) {
        rows.push({ label: keys || d.name === "smooth" ? `${skin}, ${d.name}` : d.name, chain: `${skin},${d.name}`, keys });
        const static_ = keys && still(d);
        if (static_) rows.push({ label: `${skin}, ${d.name} (static)`, chain: `${skin},${d.name}(${static_})`, keys });
    }
}

// ------------------------------------------------------------------------------------------------ plain interpolation

function readObj(file) {
    const points = [], faces = [];
    for (const line of fs.readFileSync(file, "utf8").split("\n")) {
        if (line.startsWith("v ")) points.push(...line.trim().split(/\s+/).slice(1, 4).map(Number));
        else if (line.startsWith("f ")) faces.push(line.trim().split(/\s+/).slice(1).map(w => parseInt(w) - 1));
    }
    return { points: Float64Array.from(points), faces };
}
/** From the mean of the points, so that a hole counts as closed towards it. */
function volume(points, faces) {
    const mean = [0, 0, 0], count = points.length / 3;
    for (let i = 0; i < points.length; i++) mean[i % 3] += points[i] / count;
    let sum = 0;
    const at = (i, c) => points[3 * i + c] - mean[c];
    for (const f of faces)
        for (let k = 2; k < f.length; k++) {
            const [a, b, c] = [f[0], f[k - 1], f[k]];
            sum += at(a, 0) * (at(b, 1) * at(c, 2) - at(b, 2) * at(c, 1)) + at(a, 1) * (at(b, 2) * at(c, 0) - at(b, 0) * at(c, 2)) + at(a, 2) * (at(b, 0) * at(c, 1) - at(b, 1) * at(c, 0));
        }
    return sum / 6;
}
const keysOf = (count, every) => {
    const keys = [];
    for (let i = 0; i < count; i += Math.min(every, count)) keys.push(i);
    if (keys.at(-1) !== count - 1) keys.push(count - 1);
    return keys;
};
/** Errors of the frames between keys: skin(f, before, behind, t) gives the points of frame f. */
function between(truth, rest, every, diagonal, skin) {
    const keys = keysOf(truth.length, every), restVolume = volume(rest.points, rest.faces);
    let max = 0, sum = 0, count = 0, change = 0;
    for (let k = 0; k + 1 < keys.length; k++)
        for (let f = keys[k] + 1; f < keys[k + 1]; f++) {
            const points = skin(f, keys[k], keys[k + 1], (f - keys[k]) / (keys[k + 1] - keys[k])), wanted = truth[f].points;
            for (let p = 0; p < wanted.length; p += 3) {
                const d = Math.hypot(points[p] - wanted[p], points[p + 1] - wanted[p + 1], points[p + 2] - wanted[p + 2]);
                max = Math.max(max, d);
                sum += d * d;
                count++;
            }
            const v = volume(points, rest.faces) / restVolume - 1;
            if (Math.abs(v) > Math.abs(change)) change = v;
        }
    return count ? { max: 100 * max / diagonal, rms: 100 * Math.sqrt(sum / count) / diagonal, erms: 1000 * Math.sqrt(sum / (3 * count)) / diagonal, volume: 100 * change } : null;
}
const plain = (frames, rest, every, diagonal) => between(frames, rest, every, diagonal, (f, a, b, t) => frames[a].points.map((x, i) => x + t * (frames[b].points[i] - x)));

/** A PC2 cache: points in the order of the file's vertices, which is that of the truth. */
function readCache(file) {
    const bytes = fs.readFileSync(file), points = bytes.readInt32LE(16), frames = bytes.readInt32LE(28);
    const all = new Float32Array(bytes.buffer.slice(bytes.byteOffset + 32, bytes.byteOffset + bytes.length));
    return Array.from({ length: frames }, (_, f) => all.subarray(f * points * 3, (f + 1) * points * 3));
}

// ------------------------------------------------------------------------------------------------ measuring

/** Several chains in one run; those that cannot be bound alone are told by name. */
function compare(rig, files, every, list) {
    const words = chains => ["compare", rig, "--keys", `${Math.min(every, files.length - 1)}`, ...chains.flatMap(r => ["--deform", r.chain]), "--quiet", "--truth", ...files];
    const together = run(...words(list));
    if (!together.failed) return together.chains.map(c => numbers(c, together.diagonal));
    return list.map(row => run(...words([row]))).map(r => (r.failed ? r : numbers(r.chains[0], r.diagonal)));
}
function numbers(c, diagonal) {
    const e = c.error_inbetween;
    return e ? { max: 100 * e.max / diagonal, rms: 100 * e.rms / diagonal, erms: e.erms, volume: 100 * c.volume_change_max } : null;
}

/** A chain that looks at no key is played once; which of its frames count is a matter of the keys. */
function bake(rig, files, row, truth, rest, diagonal) {
    const out = path.join(work, "skin.pc2"), r = run("bake", rig, out, "--deform", row.chain, "--quiet");
    if (r.failed) return r;
    const skin = readCache(out);
    if (skin.length !== files.length) return { failed: `${skin.length} frames for ${files.length} shapes` };
    return every => between(truth, rest, every, diagonal, f => skin[f]);
}

const notes = [];
function measure(set) {
    const files = set.files(), rest = readObj(path.join(data, set.rest)), frames = files.map(readObj), rig = path.join(work, `${set.name}.glb`);
    const fit = run("fit", ...files, rig, "--rest", path.join(data, set.rest), "--bones", `${set.bones}`);
    if (fit.failed) throw new Error(fit.failed);
    const points = rest.points.length / 3, table = new Map([["plain interpolation", { keys: true, every: {} }]]);
    for (const r of rows) table.set(r.label, { keys: r.keys, rig: true, every: {} });
    const blind = new Map(), seeing = rows.filter(r => r.keys);
    for (const r of rows.filter(x => !x.keys)) {
        blind.set(r.label, bake(rig, files, r, frames, rest, fit.diagonal));
        if (blind.get(r.label).failed) notes.push(`${set.name}: ${r.label} could not run: ${blind.get(r.label).failed}`);
        console.error(`${set.name}: ${r.label}`);
    }
    for (const every of everies) {
        const keys = keysOf(files.length, every).length;
        if (every >= files.length - 1 && every !== Infinity) continue; // that would be the first and the last, which come anyway
        table.get("plain interpolation").every[every] = plain(frames, rest, every, fit.diagonal);
        for (const [label, errors] of blind) if (!errors.failed) table.get(label).every[every] = errors(every);
        compare(rig, files, every, seeing).forEach((result, i) => {
            if (result?.failed) notes.push(`${set.name}, keys ${spacing(every)}: ${seeing[i].label} could not run: ${result.failed}`);
            else table.get(seeing[i].label).every[every] = result;
        });
        for (const row of table.values()) if (row.every[every]) row.every[every].bytes = (row.rig ? fit.bytes : 0) + (row.keys ? 12 * points * keys : 0);
        console.error(`${set.name}, keys ${spacing(every)}: done`);
    }
    const restVolume = volume(rest.points, rest.faces), changes = frames.map(f => 100 * (volume(f.points, rest.faces) / restVolume - 1));
    return { set, fit, files, table, volume: changes.reduce((a, b) => (Math.abs(b) > Math.abs(a) ? b : a), 0) };
}

// ------------------------------------------------------------------------------------------------ telling

const fixed = (x, digits) => (x === undefined || x === null ? "–" : x.toFixed(digits));
function tableOf({ set, fit, files, table, volume }) {
    const used = everies.filter(e => [...table.values()].some(r => r.every[e]));
    const at = used.includes(detail) ? detail : used[0];
    const best = Object.fromEntries(used.map(e => [e, Math.min(...[...table.values()].map(r => r.every[e]?.rms ?? Infinity))]));
    const lines = [
        `### ${set.name}`, "",
        `${set.what[0].toUpperCase()}${set.what.slice(1)}. ${fit.points} points, ${files.length} frames, ${fit.bones} bones (E_RMS of the fit ${fit.erms.toFixed(2)}). ` +
        `The truth's own volume changes by up to ${fixed(volume, 1)} %. The columns behind rms are those of keys every ${at}.`, "",
        `| method | ${used.map(e => `rms %, ${spacing(e)}`).join(" | ")} | max % | E_RMS | volume % | kB |`,
        `|---|${used.map(() => "--:").join("|")}|--:|--:|--:|--:|`,
    ];
    for (const [label, row] of table) {
        const d = row.every[at];
        const rms = used.map(e => (row.every[e] ? (row.every[e].rms <= best[e] * 1.0005 ? `**${fixed(row.every[e].rms, 3)}**` : fixed(row.every[e].rms, 3)) : "–"));
        lines.push(`| ${label} | ${rms.join(" | ")} | ${fixed(d?.max, 2)} | ${fixed(d?.erms, 2)} | ${d ? (d.volume >= 0 ? "+" : "") + fixed(d.volume, 1) : "–"} | ${d ? Math.round(d.bytes / 1000) : "–"} |`);
    }
    return lines.join("\n");
}

// ------------------------------------------------------------------------------------------------ never worse than none

/** In-between rms over that of linear skinning, on few bones and on more. */
function ratiosOf(set) {
    const files = set.files(), chains = ["beam", "pose_space"], counts = [10, 20];
    const found = counts.map(bones => {
        const rig = path.join(work, `${set.name}-${bones}.glb`), fit = run("fit", ...files, rig, "--rest", path.join(data, set.rest), "--bones", `${bones}`);
        if (fit.failed) throw new Error(fit.failed);
        return everies.map(every => {
            if (every >= files.length - 1 && every !== Infinity) return null;
            const r = run("compare", rig, "--keys", `${Math.min(every, files.length - 1)}`, ...["linear", ...chains.map(c => `linear,${c}`), "linear,beam(trust=off)"].flatMap(c => ["--deform", c]), "--quiet", "--truth", ...files);
            if (r.failed) throw new Error(r.failed);
            const rms = r.chains.map(c => c.error_inbetween.rms);
            return rms.slice(1).map(x => x / rms[0]);
        });
    });
    console.error(`${set.name}, ${counts.join(" and ")} bones: done`);
    const worst = Math.max(...found.flat().filter(x => x).map(x => x[2]));
    return chains.map((chain, i) => `| ${i ? "" : set.name} | ${chain} | ${everies.map((_, e) => (found[0][e] ? found.map(f => f[e][i].toFixed(3)).join(", ") : "–")).join(" | ")} | ${i ? "" : worst.toFixed(2)} |`);
}

/** Between two markers of the page. */
function replace(text, name, made) {
    const [open, close] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
    if (!text.includes(open) || !text.includes(close)) throw new Error(`${page} has no ${open} ... ${close}`);
    return text.slice(0, text.indexOf(open) + open.length) + "\n\n" + made + "\n\n" + text.slice(text.indexOf(close));
}

// REALISM_SETS=horse-gallop,samba measures some sequences, to try things out; REALISM_PART=ratios writes that table alone, in a tenth of the time.
const only = process.env.REALISM_SETS?.split(","), part = process.env.REALISM_PART;
let text = fs.readFileSync(page, "utf8");
if (part !== "ratios") {
    const results = sets.filter(s => !only || only.includes(s.name)).map(measure);
    text = replace(text, "realism", [...results.map(tableOf), ...(notes.length ? [notes.map(n => `- ${n}`).join("\n")] : [])].join("\n\n"));
}
if (!only)
    text = replace(text, "ratios", [`| sequence | | ${everies.map(spacing).join(" | ")} | beam without trust, worst |`, `|---|---|${everies.map(() => "---").join("|")}|---|`, ...sets.flatMap(ratiosOf)].join("\n"));
fs.writeFileSync(page, text);
fs.rmSync(work, { recursive: true, force: true });
console.error(`${page}: written`);
