// What the command-line tests share: claims, running the program, and small characters made by hand.
import { spawn, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

export const here = path.dirname(fileURLToPath(import.meta.url));
export const source = path.resolve(here, "../..");
export const program = process.env.SUPPLE_PROGRAM ?? path.join(source, "build/supple");
export const data = path.resolve(source, "../shared/data");

// ------------------------------------------------------------------------------------------------ claims

let failures = 0, passed = 0, skipped = 0;
class Skip extends Error {}

/** Leaves the running test with a message. */
export function skip(why) { throw new Skip(why); }

/** One claim, with a folder of its own that is removed afterwards. */
export async function test(claim, body) {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "supple-cli-")), begin = Date.now();
    try {
        await body(folder);
        passed++;
        const seconds = (Date.now() - begin) / 1000; // what makes the tests slow is found here
        console.log(`ok       ${claim}${seconds < 1 ? "" : ` (${seconds.toFixed(1)} s)`}`);
    } catch (e) {
        if (e instanceof Skip) {
            skipped++;
            console.log(`skipped  ${claim}: ${e.message}`);
        } else {
            failures++;
            console.log(`FAILED   ${claim}\n         ${String(e.message).replaceAll("\n", "\n         ")}`);
        }
    } finally {
        fs.rmSync(folder, { recursive: true, force: true });
    }
}

/** Ends the file: 0 all held, 1 some did not, 77 (CTest's skip) when nothing could be tried. */
export function finish() {
    console.log(`${passed} held, ${failures} failed, ${skipped} skipped`);
    process.exit(failures ? 1 : passed || !skipped ? 0 : 77);
}

/** Fails with both values in the message. */
export function equal(got, wanted, what = "value") {
    if (!Object.is(got, wanted)) throw new Error(`${what}: got ${JSON.stringify(got)}, wanted ${JSON.stringify(wanted)}`);
}
export function near(got, wanted, tolerance, what = "value") {
    if (!(Math.abs(got - wanted) <= tolerance)) throw new Error(`${what}: got ${got}, wanted ${wanted} within ${tolerance}`);
}
export function match(text, pattern, what = "text") {
    if (!pattern.test(text)) throw new Error(`${what} does not match ${pattern}:\n${text}`);
}
export function holds(condition, what) {
    if (!condition) throw new Error(what);
}

// ------------------------------------------------------------------------------------------------ running

/** Runs the program to its end. A signal or a timeout is a failure: nothing may crash or hang. */
export function run(args, { timeout = 120, ...more } = {}) {
    const r = spawnSync(program, args, { encoding: "utf8", timeout: timeout * 1000, maxBuffer: 1 << 28, ...more });
    if (r.error) throw new Error(`supple ${args.join(" ")}: ${r.error.message}`);
    if (r.signal) throw new Error(`supple ${args.join(" ")} died of ${r.signal}:\n${r.stderr}`);
    return { code: r.status, out: r.stdout ?? "", err: r.stderr ?? "" };
}

/** Runs it and demands success. */
export function good(args, options) {
    const r = run(args, options);
    if (r.code !== 0) throw new Error(`supple ${args.join(" ")} ended with ${r.code}:\n${r.err}`);
    return r;
}

/** Runs it with --json and gives the document. */
export function json(args, options) {
    const r = good([...args, "--json"], options);
    return JSON.parse(r.out);
}

/** Demands a failure: the code, a sentence on stderr in our form, silence on stdout. */
export function bad(args, code, sentence, options) {
    const r = run(args, options);
    if (r.code !== code) throw new Error(`supple ${args.join(" ")} ended with ${r.code}, wanted ${code}:\n${r.out}${r.err}`);
    match(r.err, /(^|\n)supple: error: .+\n$/, "stderr");
    match(r.err, sentence, "stderr");
    equal(r.out, "", "stdout");
    return r;
}

/** Starts it and gives the child, for signals. */
export function start(args) { return spawn(program, args, { stdio: ["ignore", "pipe", "pipe"] }); }

/** Demands that the folder holds exactly these names. */
export function holdsOnly(folder, names) {
    equal(fs.readdirSync(folder).sort().join(" "), [...names].sort().join(" "), `files in the folder`);
}

/** Path of a file of the shared data set, or the test is skipped. */
export function shared(relative) {
    const file = path.join(data, relative);
    if (!fs.existsSync(file)) skip(`the shared data set is not beside the checkout (${relative})`);
    return file;
}

const validator = path.join(source, "tests/io/validate.mjs");
let validatorMissed = false;

/** Demands that the glTF validator finds no error or warning in the files that their source did not have. Said once where it
 * is missing. */
export function validate(files, original) {
    const words = [files].flat().map(file => (original ? `${file}=${original}` : file));
    const r = spawnSync(process.execPath, [validator, ...words], { encoding: "utf8", maxBuffer: 1 << 28 });
    if (r.status === 77 && !validatorMissed) console.log("note     the glTF validator is not installed (scripts/setup.sh does that): files are not validated");
    validatorMissed ||= r.status === 77;
    if (r.status !== 0 && r.status !== 77) throw new Error(`the validator refuses a file:\n${r.stdout.slice(0, 1500)}${r.stderr}`);
}

// ------------------------------------------------------------------------------------------------ characters

/**
 * A strip of 2 x 3 vertices on two joints, "root" and "tip", with the clips "Wave" and "Nod" of one second: small enough
 * to break by hand. Change `json` or the views before writing it.
 */
export function strip() {
    const views = {
        positions: new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0, 1, 1, 0, 0, 2, 0, 1, 2, 0]),
        joints: new Uint8Array([0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0]),
        weights: new Float32Array([1, 0, 0, 0, 1, 0, 0, 0, 0.5, 0.5, 0, 0, 0.5, 0.5, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0]),
        indices: new Uint16Array([0, 1, 3, 0, 3, 2, 2, 3, 5, 2, 5, 4]),
        binds: new Float32Array([1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, 0, -1, 0, 1]),
        times: new Float32Array([0, 1]),
        turns: new Float32Array([0, 0, 0, 1, 0, 0, Math.SQRT1_2, Math.SQRT1_2]),
    };
    const accessor = (bufferView, componentType, count, type, more = {}) => ({ bufferView, componentType, count, type, ...more });
    const clip = name => ({ name, samplers: [{ input: 5, output: 6 }], channels: [{ sampler: 0, target: { node: 1, path: "rotation" } }] });
    return {
        views,
        json: {
            asset: { version: "2.0" },
            scene: 0,
            scenes: [{ nodes: [0, 2] }],
            nodes: [{ name: "root", children: [1] }, { name: "tip", translation: [0, 1, 0] }, { name: "strip", mesh: 0, skin: 0 }],
            skins: [{ joints: [0, 1], inverseBindMatrices: 4 }],
            meshes: [{ name: "strip", primitives: [{ attributes: { POSITION: 0, JOINTS_0: 1, WEIGHTS_0: 2 }, indices: 3 }] }],
            animations: [clip("Wave"), clip("Nod")],
            accessors: [
                accessor(0, 5126, 6, "VEC3", { min: [0, 0, 0], max: [1, 2, 0] }), accessor(1, 5121, 6, "VEC4"), accessor(2, 5126, 6, "VEC4"),
                accessor(3, 5123, 12, "SCALAR"), accessor(4, 5126, 2, "MAT4"), accessor(5, 5126, 2, "SCALAR", { min: [0], max: [1] }),
                accessor(6, 5126, 2, "VEC4"),
            ],
        },
    };
}

/** Writes the model as a GLB and gives its path. */
export function writeGlb(file, model) {
    const parts = Object.values(model.views).map(v => Buffer.from(v.buffer, v.byteOffset, v.byteLength));
    let offset = 0;
    model.json.bufferViews = parts.map(p => {
        const view = { buffer: 0, byteOffset: offset, byteLength: p.length };
        offset += Math.ceil(p.length / 4) * 4;
        return view;
    });
    model.json.buffers = [{ byteLength: offset }];
    const bin = Buffer.alloc(offset);
    parts.forEach((p, i) => p.copy(bin, model.json.bufferViews[i].byteOffset));
    let text = JSON.stringify(model.json);
    while (Buffer.byteLength(text) % 4) text += " ";
    const head = Buffer.alloc(20), binHead = Buffer.alloc(8), body = Buffer.from(text);
    head.write("glTF", 0);
    [2, 28 + body.length + bin.length, body.length, 0x4e4f534a].forEach((n, i) => head.writeUInt32LE(n, 4 + 4 * i));
    binHead.writeUInt32LE(bin.length, 0);
    binHead.write("BIN\0", 4);
    fs.writeFileSync(file, Buffer.concat([head, body, binHead, bin]));
    return file;
}
