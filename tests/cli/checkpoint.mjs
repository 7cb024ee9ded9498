// bake --checkpoint: killed at any moment, the same command continues to the same bits.
import { bad, equal, finish, good, holds, holdsOnly, match, run, start, test } from "./harness.mjs";
import fs from "node:fs";
import path from "node:path";

const pause = ms => new Promise(done => setTimeout(done, ms));
let seed = 4711;
const random = () => (seed = (seed * 1103515245 + 12345) % 2147483648) / 2147483648;

/** Starts a bake, waits until it has saved a state, and kills it a moment later; once more when it was faster. Gives what it said. */
async function killAfterSave(args, file, wait = 20) {
    for (let tries = 0; tries < 20; tries++) {
        const before = stamp(file), child = start(args);
        let err = "";
        child.stderr.on("data", d => (err += d));
        const ended = new Promise(done => child.on("close", code => done(code)));
        const slots = 5300; // a head and what is in front of two states
        while (child.exitCode === null && !(size(file) > slots && stamp(file) !== before)) await pause(1);
        await pause(wait * random());
        child.kill("SIGKILL");
        if (await ended === null) return { err };
    }
    throw new Error("twenty bakes ended before they could be killed");
}
const size = file => fs.statSync(file, { throwIfNoEntry: false })?.size ?? 0;
const stamp = file => fs.statSync(file, { throwIfNoEntry: false })?.mtimeMs;
const resumes = /resuming from a checkpoint: \d+ of/;

const arm = ["builtin:arm?points=500", "--clip", "flex"];
// With so many frames that there is time to kill it.
const chains = { layers: 30, lattice: 500, beam: 1000, fourier: 1000, "layers,wrinkle": 30 };
for (const [chain, fps] of Object.entries(chains)) {
    await test(`${chain} goes on after kills with the bits of a bake that was not disturbed`, async folder => {
        const wanted = path.join(folder, "wanted.npy"), got = path.join(folder, "got.npy"), file = `${got}.checkpoint`;
        const words = out => ["bake", arm[0], out, ...arm.slice(1), "--deform", chain, "--fps", fps, "--hold", "4", "--json"].map(String);
        good([...words(wanted), "--threads", "2"]);
        const again = [...words(got), "--checkpoint", "1ms", "--threads", "1"];
        let resumed = 0;
        for (let i = 0; i < 20 && resumed < 2; i++) resumed += resumes.test((await killAfterSave(again, file)).err);
        resumed += resumes.test(good(again).err);
        holds(resumed > 0, "it went on from a checkpoint");
        holds(fs.readFileSync(got).equals(fs.readFileSync(wanted)), "the file is the same to the byte");
        // Parts of killed bakes are left behind with leading dots: the farm removes them.
        equal(fs.readdirSync(folder).filter(n => !n.startsWith(".")).sort().join(" "), "got.npy wanted.npy", "files");
    });
}

await test("a loop, a hold and a budget go on too, and the verdict is the same", async folder => {
    for (const more of [["--loop"], ["--hold", "0.2"], ["--rms-error", "1mm"]]) {
        const wanted = path.join(folder, "wanted.glb"), got = path.join(folder, "got.glb");
        const words = out => ["bake", arm[0], out, "--clip", "flex", "--deform", "lattice", "--preroll", "100", "--json", ...more];
        const truth = JSON.parse(good(words(wanted)).out);
        const again = [...words(got), "--checkpoint", "1ms"];
        await killAfterSave(again, `${got}.checkpoint`);
        const now = JSON.parse(good(again).out);
        for (const key of ["hash", "bytes", "frames"]) equal(now[key], truth[key], key);
        equal(JSON.stringify([now.verdict, now.fallbacks]), JSON.stringify([truth.verdict, truth.fallbacks]), "verdict and fallbacks");
        holds(fs.readFileSync(got).equals(fs.readFileSync(wanted)), "bytes");
    }
});

await test("the way to the first frame is saved too: a pre-roll, and the first pass of a loop", async folder => {
    const wanted = path.join(folder, "wanted.npy"), got = path.join(folder, "got.npy");
    const words = out => ["bake", "builtin:arm?points=500", out, "--clip", "flex", "--deform", "lattice", "--loop", "--preroll", "300"];
    good(words(wanted));
    const again = [...words(got), "--checkpoint", "1ms"];
    await killAfterSave(again, `${got}.checkpoint`);
    match(good(again).err, /resuming from a checkpoint: 0 of 30 frames/, "words");
    holds(fs.readFileSync(got).equals(fs.readFileSync(wanted)), "the same bits");
});

await test("a polite stop saves what is there and says so", async folder => {
    const got = path.join(folder, "got.npy"), words = ["bake", "builtin:arm?points=700", got, "--clip", "flex", "--deform", "layers", "--hold", "10", "--checkpoint", "1h"]; // seconds: it must not be over before the signal
    const child = start(words);
    let err = "";
    child.stderr.on("data", d => (err += d));
    const ended = new Promise(done => child.on("close", code => done(code)));
    while (!fs.existsSync(`${got}.checkpoint`)) await pause(1);
    child.kill("SIGTERM");
    equal(await ended, 143, "exit code");
    match(err, /(\d+) of 331 frames are saved in '.*got\.npy\.checkpoint': the same command resumes from there/, "words");
    holdsOnly(folder, ["got.npy.checkpoint"]);
    match(good(words).err, /resuming from a checkpoint: \d+ of 331 frames/, "words of the next");
    holdsOnly(folder, ["got.npy"]);
});

await test("a checkpoint of other flags, files or another program is refused, and --restart drops it", async folder => {
    const got = path.join(folder, "got.glb"), file = `${got}.checkpoint`;
    const words = ["bake", ...arm.slice(0, 1), got, ...arm.slice(1), "--deform", "lattice", "--preroll", "100", "--checkpoint", "1ms"];
    await killAfterSave(words, file);
    const kept = fs.readFileSync(file);
    bad([...words, "--preroll", "0.3"], 1, /left by a bake with other flags \(supple bake .*lattice.*\); repeat that one, or add --restart/);
    const damage = (at, value) => {
        const bytes = Buffer.from(kept);
        bytes.writeUInt8(bytes[at] ^ value, at);
        fs.writeFileSync(file, bytes);
    };
    damage(9, 1);
    bad(words, 1, /another version of the program/);
    damage(0, 1);
    bad(words, 1, /is not a checkpoint of this program/);
    damage(8 + 48 + 1024 + 8, 1);
    bad(words, 1, /of other files/);
    equal(run([...words, "--restart"]).code, 0, "exit code of --restart");
    holds(!fs.existsSync(file), "nothing stays");
    // Checksums detect damage after the header: the bake continues from an older state, or starts over.
    const truth = fs.readFileSync(got);
    for (let i = 0; i < 6; i++) {
        damage(Math.floor(1200 + random() * (kept.length - 1200)), 1 + Math.floor(random() * 254));
        good(words);
        holds(fs.readFileSync(got).equals(truth), "the same bits");
    }
    fs.writeFileSync(file, kept.subarray(0, kept.length / 2));
    good(words);
    holds(fs.readFileSync(got).equals(truth), "the same bits after a cut");
});

finish();
