// How much of a swing that nobody sculpted do the dynamics of beam and fourier find?  node scripts/swing.mjs [build/supple] [../shared/data]
// Keys every eight frames are sculpts. Cycles, damping and the rest are chosen by the error of the frames between the keys in the
// first half of a motion and judged in its second half, against the same link standing still. Prints one table, which
// scripts/curve-figures.mjs takes.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

const [program = "build/supple", data = "../shared/data"] = process.argv.slice(2);
const EVERY = 8, work = fs.mkdtempSync(path.join(os.tmpdir(), "supple-swing-"));

function run(...args) {
    const r = spawnSync(program, [...args, "--quiet"], { encoding: "utf8", maxBuffer: 1 << 28 });
    if (r.status !== 0) throw new Error(`supple ${args.slice(0, 3).join(" ")}: ${r.stderr}`);
}
const numbered = folder => fs.readdirSync(folder).filter(f => /\d\.obj$/.test(f)).sort((a, b) => a.localeCompare(b, "en", { numeric: true })).map(f => path.join(folder, f));
const points = file => Float64Array.from(fs.readFileSync(file, "utf8").split("\n").filter(l => l.startsWith("v ")).flatMap(l => l.trim().split(/\s+/).slice(1, 4).map(Number)));
function frames(file) {
    const bytes = fs.readFileSync(file), count = bytes.readInt32LE(16), all = new Float32Array(bytes.buffer.slice(bytes.byteOffset + 32, bytes.byteOffset + bytes.length));
    return Array.from({ length: bytes.readInt32LE(28) }, (_, f) => all.subarray(3 * count * f, 3 * count * (f + 1)));
}

/** The motions: a character, the clip, and its true shapes one a frame. */
function cow() {
    const folder = path.join(data, "elastic-cow");
    if (!fs.existsSync(folder)) return null;
    const files = numbered(folder).slice(1), rig = path.join(work, "cow.glb"); // the first stands apart
    run("fit", ...files, rig, "--rest", path.join(folder, "0001.obj"), "--bones", "10");
    return { name: "elastic-cow, 10 fitted bones", short: "cow", character: [rig], files };
}
function beast() {
    const folder = path.join(work, "beast"), character = ["builtin:beast?points=2000", "--clip", "shake"];
    fs.mkdirSync(folder);
    run("bake", character[0], path.join(folder, "truth.obj"), ...character.slice(1), "--deform", "layers(preset=big_man)");
    return { name: "the beast's shake under layers(preset=big_man)", short: "beast", character, files: numbered(folder) };
}

function chains() {
    const list = [];
    for (const name of ["beam", "fourier"]) {
        list.push({ name, text: `${name}(sway=0)`, still: true });
        for (const cycles of [0.5, 1, 2, 4, 8])
            for (const damping of [0.05, 0.15, 0.5])
                for (const more of name === "beam" ? [""] : ["spread=0", "spread=1"])
                    for (const continuity of ["auto", "hermite"])
                        list.push({ name, text: `${name}(${[`cycles=${cycles}`, `damping=${damping}`, `continuity=${continuity}`, more].filter(Boolean).join(",")})` });
    }
    return list;
}

function measure({ name, short, character, files }) {
    const truth = files.map(points), last = files.length - 1, keys = [...Array(files.length).keys()].filter(f => f % EVERY === 0 || f === last);
    const examples = keys.flatMap(f => ["--example", `${f}f=${files[f]}`]), out = path.join(work, "skin.pc2");
    const middle = keys[Math.ceil((keys.length - 1) / 2)];
    const rms = (skin, from, to) => {
        let sum = 0, count = 0;
        for (let f = from + 1; f < to; f++)
            if (!keys.includes(f)) for (let i = 0; i < truth[f].length; i++) sum += (skin[f][i] - truth[f][i]) ** 2, count++;
        return Math.sqrt(3 * sum / count);
    };
    const errors = text => {
        run("bake", character[0], out, ...character.slice(1), ...(text.startsWith("linear") ? [] : examples), "--deform", text, "--overwrite");
        const skin = frames(out);
        if (skin.length !== files.length) throw new Error(`${name}: ${skin.length} frames for ${files.length} shapes`);
        return { first: rms(skin, 0, middle), second: rms(skin, middle, last) };
    };
    const plain = errors("linear");
    console.error(`${name}: ${files.length} frames, ${keys.length} keys; chosen on frames 0 to ${middle}, judged on ${middle} to ${last}`);
    for (const link of ["beam", "fourier"]) {
        const all = chains().filter(c => c.name === link).map(c => ({ ...c, ...errors(c.text) }));
        const still = all.find(c => c.still), best = all.filter(c => !c.still).reduce((a, b) => (b.first < a.first ? b : a));
        const hindsight = Math.min(...all.filter(c => !c.still).map(c => c.second));
        const of = (x, half) => (x[half] / plain[half]).toFixed(4);
        console.log(`| ${short} | ${link} | ${best.text.slice(link.length + 1, -1)} | ${of(still, "first")} | ${of(best, "first")} | ${of(still, "second")} | ${of(best, "second")} | ${(100 * (1 - best.second / still.second)).toFixed(1)} % | ${(100 * (1 - hindsight / still.second)).toFixed(1)} % |`);
    }
}

console.log("| motion | link | chosen | still, first half | swinging | still, second half | swinging | of the gap closed | the best in hindsight |\n|---|---|---|--:|--:|--:|--:|--:|--:|");
for (const motion of [cow, beast]) {
    const found = motion();
    if (found) measure(found);
    else console.error("elastic-cow: the data set is not there; left out");
}
fs.rmSync(work, { recursive: true, force: true });
