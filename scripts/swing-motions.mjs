// The motions that scripts/swing.mjs and scripts/swing-most.mjs ask about swing: skins that move by themselves, their keys and halves.
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
const lines = (file, head) => fs.readFileSync(file, "utf8").split("\n").filter(l => l.startsWith(head)).map(l => l.trim().split(/\s+/).slice(1));
const points = file => Float64Array.from(lines(file, "v ").flatMap(l => l.slice(0, 3).map(Number)));
const triangles = file => lines(file, "f ").map(l => l.map(w => parseInt(w) - 1)).flatMap(f => f.slice(2).map((_, i) => [f[0], f[i + 1], f[i + 2]]));
function frames(file) {
    const bytes = fs.readFileSync(file), count = bytes.readInt32LE(16), all = new Float32Array(bytes.buffer.slice(bytes.byteOffset + 32, bytes.byteOffset + bytes.length));
    return Array.from({ length: bytes.readInt32LE(28) }, (_, f) => Float64Array.from(all.subarray(3 * count * f, 3 * count * (f + 1))));
}

function cow() {
    const folder = path.join(data, "elastic-cow");
    if (!fs.existsSync(folder)) return console.error("elastic-cow: the data set is not there; left out"), null;
    const files = numbered(folder).slice(1), rig = path.join(work, "cow.glb"); // the first stands apart
    run("fit", ...files, rig, "--rest", path.join(folder, "0001.obj"), "--bones", "10");
    return { name: "cow", character: [rig], files };
}
function beast(name, flesh) {
    const folder = path.join(work, name), character = ["builtin:beast?points=2000", "--clip", "shake"];
    fs.mkdirSync(folder);
    run("bake", character[0], path.join(folder, "truth.obj"), ...character.slice(1), "--deform", flesh);
    return { name, character, files: numbered(folder) };
}

/** Calls `take` with every motion: name, truth and triangles; keys; the frames between them of the first half and of the second;
 *  skin(chain), and rms(skin, half). */
export function eachMotion(take) {
    const list = [cow, () => beast("beast", "layers(preset=big_man)"), () => beast("softer beast", "layers(preset=big_man,stiffness_fat=0.15,stiffness_skin=0.2,damping=2)")];
    for (const make of list) {
        const motion = make();
        if (!motion) continue;
        const { name, character, files } = motion, last = files.length - 1, out = path.join(work, "skin.pc2"), truth = files.map(points);
        const keys = [...files.keys()].filter(f => f % EVERY === 0 || f === last), middle = keys[Math.ceil((keys.length - 1) / 2)];
        const between = (from, to) => [...files.keys()].filter(f => f > from && f < to && !keys.includes(f));
        const first = between(0, middle), second = between(middle, last);
        const skin = text => {
            const examples = text.startsWith("linear") ? [] : keys.flatMap(f => ["--example", `${f}f=${files[f]}`]);
            run("bake", character[0], out, ...character.slice(1), ...examples, "--deform", text, "--overwrite");
            const all = frames(out);
            if (all.length !== files.length) throw new Error(`${name}: ${all.length} frames for ${files.length} shapes`);
            return all;
        };
        const rms = (all, half) => Math.sqrt(half.reduce((sum, f) => sum + all[f].reduce((s, x, i) => s + (x - truth[f][i]) ** 2, 0), 0) / (half.length * truth[0].length / 3));
        console.error(`${name}: ${files.length} frames, ${keys.length} keys; chosen on frames 0 to ${middle}, judged on ${middle} to ${last}`);
        take({ name, truth, triangles: triangles(files[0]), keys, first, second, skin, rms });
    }
    fs.rmSync(work, { recursive: true, force: true });
}
