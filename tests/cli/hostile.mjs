// Files that once crashed, hung or gave wrong results, through every verb that takes a character: a result or a message, in bounded processor time.
import { data, equal, finish, json, match, program, run, skip, test } from "./harness.mjs";
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";

// Seconds of processor time for one run, which other programs on the machine do not use up: ten times what it should need.
const BUDGET = 60;
// Under a sanitizer every file is inspected and gets weights; small ones are checked and go through the cells, whose faults only it sees.
const sanitized = /-fsanitize/.test(process.env.SUPPLE_CFLAGS ?? ""), SMALL = 32768;
const folderOfFiles = path.join(data, "hostile"), skeleton = path.join(data, "libigl-rigs/arm.tgf");

/** Runs a verb and demands code 0, or 1 with a sentence. */
function ends(args) {
    const words = args.map(a => `'${a}'`).join(" ");
    const r = spawnSync("bash", ["-c", `ulimit -t ${BUDGET}; exec '${program}' ${words}`], { encoding: "utf8", maxBuffer: 1 << 28 });
    const command = `supple ${args.join(" ")}`;
    if (r.signal) throw new Error(`${command} died of ${r.signal} (more than ${BUDGET} s?):\n${r.stderr}`);
    if (/Sanitizer|runtime error:/.test(r.stderr)) throw new Error(`${command}:\n${r.stderr.slice(0, 3000)}`);
    if (r.status !== 0 && r.status !== 1) throw new Error(`${command} ended with ${r.status}:\n${r.stderr}`);
    if (r.status === 1) match(r.stderr, /(^|\n)supple: error: .+\n$/, command);
    return r;
}

/** What the file needs beside its name: a skeleton where it has none, a short piece of a clip where it has one. */
function extras(file) {
    if (file.endsWith(".obj")) return ["--skeleton", skeleton];
    const r = ends(["inspect", file, "--json"]);
    const clip = r.status === 0 ? JSON.parse(r.stdout).clips?.[0] : undefined;
    return clip === undefined ? [] : ["--clip", clip.name, "--end", String(Math.min(0.2, clip.seconds))];
}

const files = fs.existsSync(folderOfFiles) ? fs.readdirSync(folderOfFiles).sort() : [];
if (!files.length) await test("hostile files end in a result or a sentence", () => skip("the shared data set is not beside the checkout (hostile)"));
const deformers = json(["deformers"]).map(d => d.name);
for (const name of files) {
    const file = path.join(folderOfFiles, name), small = fs.statSync(file).size < SMALL, rig = name.endsWith(".obj") ? extras(file) : [];
    await test(`${name}: inspect, weights, check`, folder => {
        ends(["inspect", file]);
        ends(["weights", file, path.join(folder, "weights.glb"), ...rig]);
        if (small || !sanitized) ends(["check", file, ...rig]);
    });
    if (sanitized && !small) continue;
    await test(`${name}: bake`, folder => {
        const out = path.join(folder, "out.npy"), more = extras(file);
        for (const deformer of sanitized ? ["lattice"] : deformers) {
            const r = ends(["bake", file, out, ...more, "--deform", deformer, "--fps", "5", "--quiet"]);
            equal(fs.existsSync(out), r.status === 0, `${deformer}: a file was written`);
            fs.rmSync(out, { force: true });
        }
    });
    if (!sanitized) await test(`${name}: a picture`, folder => ends(["render", file, path.join(folder, "out.png"), ...rig, "--size", "64x64"]));
}
// "Not counted" must not be reported as none.
await test("crossings that are not counted are null, and over every limit", () => {
    const file = path.join(data, "hostile/hang_cesiumman_layers.glb");
    if (!fs.existsSync(file)) skip("no ../shared/data");
    if (sanitized) skip("slow under a sanitizer");
    const r = run(["check", file, "--deform", "linear", "--max-intersections", "5", "--json"]);
    equal(r.code, 3, "exit code");
    match(r.out + r.err, /"intersections_added": ?null/);
    match(r.out + r.err, /than can be counted; the limit is 5/);
    const c = run(["compare", file, "--deform", "linear", "--fps", "1", "--max-intersections", "5", "--json"]);
    equal(c.code, 3, "exit code of compare");
    match(c.out + c.err, /"self_intersections_max": ?null/);
    match(c.out + c.err, /than can be counted; the limit is 5/);
});
await test("what is not a number breaks limits that were given, and no others", () => {
    const file = path.join(data, "hostile/nan_77_1.glb"), args = ["compare", file, "--deform", "linear", "--fps", "1"];
    if (!fs.existsSync(file)) skip("no ../shared/data");
    equal(run(args).code, 0, "exit code without a limit");
    equal(run([...args, "--max-stretch", "5"]).code, 3, "exit code with one");
});
await test("names in a file cannot speak to the terminal", folder => {
    const file = path.join(folder, "names.bvh"), obeyed = /[\x00-\x08\x0b-\x1f\x7f\x80-\x9f\u202e]/;
    const turn = "CHANNELS 3 Xrotation Yrotation Zrotation";
    fs.writeFileSync(file, `HIERARCHY\nROOT hips\x1b[31m\n{\nOFFSET 0 0 0\n${turn}\nJOINT \x1b]0;title\x07\u202e\n{\nOFFSET 0 1 0\n${turn}\n`
        + `End Site\n{\nOFFSET 0 1 0\n}\n}\n}\nMOTION\nFrames: 1\nFrame Time: 0.1\n0 0 0 0 0 0\n`);
    const shown = run(["inspect", file]), missing = run(["inspect", path.join(folder, "\x1b[2J.glb")]);
    equal(shown.code, 0, "exit code");
    match(shown.out, /hips\?\[31m/);
    equal(obeyed.test(shown.out + shown.err + missing.out + missing.err), false, "control characters in what is shown");
});
finish();
