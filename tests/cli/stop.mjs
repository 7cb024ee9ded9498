// Ctrl-C and SIGTERM end the program while it reads, binds, fits or checks, within a second of its own work, and leave nothing behind. (In the middle of
// writing: bake.mjs and render.mjs.)
import { equal, finish, holds, holdsOnly, match, skip, start, test } from "./harness.mjs";
import fs from "node:fs";
import path from "node:path";

const ticks = 100; // of processor time a second, as Linux counts it

// Seconds of processor time that a process has used; null when it is gone.
function used(pid) {
    try {
        const stat = fs.readFileSync(`/proc/${pid}/stat`, "utf8"), fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
        return fields[0] === "Z" ? null : (Number(fields[11]) + Number(fields[12])) / ticks;
    } catch {
        return null;
    }
}

const pause = ms => new Promise(done => setTimeout(done, ms));

// An OBJ that takes seconds to read.
function writeSheet(file, n) {
    const out = fs.openSync(file, "w");
    for (let y = 0; y <= n; y++) fs.writeSync(out, Array.from({ length: n + 1 }, (_, x) => `v ${x} ${y} 0\n`).join(""));
    for (let y = 0; y < n; y++)
        fs.writeSync(out, Array.from({ length: n }, (_, x) => `f ${y * (n + 1) + x + 1} ${y * (n + 1) + x + 2} ${(y + 1) * (n + 1) + x + 2}\n`).join(""));
    fs.closeSync(out);
}

const big = "builtin:beast?points=150000";
const work = {
    "a bind of layers": (f, out) => ["bake", big, out("o.npy"), "--deform", "layers", "--clip", "walk"],
    "a bind of lattice": (f, out) => ["bake", big, out("o.npy"), "--deform", "lattice(cells=200)", "--clip", "walk"],
    "the pre-roll of a bake": (f, out) => ["bake", "builtin:beast?points=20000", out("o.glb"), "--deform", "layers", "--preroll", "60"],
    "automatic weights": (f, out) => ["weights", big, out("o.glb"), "--cells", "200"],
    "a fit": (f, out) => ["fit", "builtin:beast?points=20000", out("o.glb"), "--bones", "80"],
    "a check": () => ["check", "builtin:beast?points=60000", "--full"],
    "automatic weights of centered joints": (f, out) => ["weights", big, out("o.glb"), "--center"],
    "a bind of bend": (f, out) => ["bake", big, out("o.npy"), "--deform", "bend(pressure=100)"],
    "a comparison": (f, out) => ["compare", "builtin:beast?points=60000", "--deform", "dualquat", "--deform", "smooth", "--html", out("o.html")],
    "a picture": (f, out) => ["render", big, out("o.png"), "--samples", "64", "--size", "1920x1440"],
    "the framing of a film": (f, out) => ["render", "builtin:beast?points=8000", out("o.gif"), "--deform", "layers(cage=mesh)", "--preroll", "60"],
    "a benchmark": () => ["bench", "--scene", "beast/layers", "--repeat", "1000"],
    "reading": f => ["inspect", f("sheet.obj")],
};
for (const [what, words] of Object.entries(work)) {
    for (const [signal, code] of [["SIGINT", 130], ["SIGTERM", 143]]) {
        if (signal === "SIGINT" && what !== "a bind of layers") continue; // the same handler
        await test(`${signal} ends ${what} at once`, async folder => {
            if (!fs.existsSync("/proc/self/stat")) skip("there is no /proc to ask for processor time");
            const there = path.join(folder, "in"), out = path.join(folder, "out");
            fs.mkdirSync(there), fs.mkdirSync(out);
            if (what === "reading") writeSheet(path.join(there, "sheet.obj"), 2000);
            const child = start([...words(n => path.join(there, n), n => path.join(out, n)), "--threads", "1"].filter((w, i, all) => what !== "reading" || i < all.length - 2));
            let err = "";
            child.stderr.on("data", d => (err += d));
            const ended = new Promise(done => child.on("exit", (status, by) => done({ status, by })));
            while ((used(child.pid) ?? 1) < (what === "reading" ? 0.2 : 0.5)) await pause(5); // it is at work
            const before = used(child.pid);
            holds(before !== null, `it ended before it could be stopped: ${err}`);
            child.kill(signal);
            let last = before;
            for (let now; (now = used(child.pid)) !== null; await pause(5)) last = now;
            const { status, by } = await ended;
            equal(by, null, "killed by");
            equal(status, code, "exit code");
            match(err, /supple: error: stopped before the end; nothing was written\n$/);
            holds(last - before < 1, `it went on for ${last - before} s`);
            holdsOnly(out, []);
        });
    }
}

// Whatever was finished before is complete and stays, and the message does not deny it.
await test("SIGTERM ends a demo between two files", async folder => {
    const child = start(["demo", folder, "--threads", "1"]);
    let err = "";
    child.stderr.on("data", d => (err += d));
    const ended = new Promise(done => child.on("exit", (status, by) => done({ status, by })));
    while (child.exitCode === null && !fs.readdirSync(folder).some(name => name.endsWith(".glb"))) await pause(5);
    await pause(50);
    child.kill("SIGTERM");
    const { status, by } = await ended;
    equal(by, null, "killed by");
    equal(status, 143, "exit code");
    match(err, /supple: error: stopped before the end; the files that were finished stay\n$/);
    holds(fs.readdirSync(folder).every(name => /\.glb$/.test(name) && !name.startsWith(".")), "nothing but whole files");
});
finish();
