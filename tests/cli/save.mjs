// --save: runtime files of links, and the two players in examples/ that read them.
import { bad, equal, finish, good, holds, json, match, near, test } from "./harness.mjs";
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { at, open } from "../../examples/play_sfc.mjs";

const player = process.env.SUPPLE_BUILD ? path.join(process.env.SUPPLE_BUILD, "example_04_play_sfc") : null;
const read = file => { const b = fs.readFileSync(file); return b.buffer.slice(b.byteOffset, b.byteOffset + b.length); };

// What the player in C prints.
function sameInC(file, time, q) {
    if (!player || !fs.existsSync(player)) return;
    const c = spawnSync(player, [file, String(time)], { encoding: "utf8", maxBuffer: 1 << 26 });
    equal(c.status, 0, c.stderr);
    const numbers = c.stdout.trim().split(/\s+/).map(Number);
    equal(numbers.length, q.length);
    numbers.forEach((x, i) => near(x, q[i], 1e-6, `number ${i} at ${time} s`));
}

await test("a character's curves are saved, and both players find the same places", folder => {
    const file = path.join(folder, "arm.sfc"), cache = path.join(folder, "arm.pc2");
    for (const [clip, how] of [["flex", "residual=exact"], ["flex", "residual=half"], ["flex", "residual=none,terms=3"], ["twist", "settle=1,sway=0.7"],
        ["flex", "way=along,ends=free,order=fourth"]]) {
        good(["bake", "builtin:arm", cache, "--clip", clip, "--deform", `fourier(${how})`, "--save", `fourier=${file}`, "--quiet"]);
        const f = open(read(file));
        console.log(`         ${clip}, ${how}: ${fs.statSync(file).size} bytes for any time, ${fs.statSync(cache).size} for 31 frames of points`);
        for (const time of [0, 0.4, 1]) {
            const q = at(f, time);
            holds(time === 0 || q.some(x => Math.abs(x) > 1e-3), "something moves");
            sameInC(file, time, q);
        }
    }
});

// The bake is the plain skin + the player's q, at any time and in any order; bones rotate it and, where they blend, shorten it.
await test("both players stand where the baked points do: loaded strips, and a beast in a loop", folder => {
    const file = path.join(folder, "a.sfc"), cache = path.join(folder, "a.pc2"), world = path.join(folder, "world.json");
    const push = [0, 0.3, 0.7, 1].map((time, i) => ({ time, value: [0, 1, -0.5, 0][i] }));
    const strip = "expert=1,restoring=0,density=1,viscosity=0.5,young=1e5,terms=12,curves=8,way=along,ends=free";
    const cases = [["bar", "still", `fourier(${strip})`, 1e-3, []], ["bar", "still", `fourier(${strip},order=fourth)`, 1e-3, ["--loop"]],
        ["beast", "walk", "fourier(cycles=2,curves=12)", 0.05, ["--loop"]]];
    for (const [name, clip, deform, off, more] of cases) {
        const load = { name: "load", curve: name === "bar" ? 2 : 10, from: 0, to: 1, value: [0, -1, 0.2], keys: push };
        fs.writeFileSync(world, JSON.stringify({ gravity: [0, 0, 0], forces: [load] }));
        good(["bake", `builtin:${name}?points=1200`, cache, "--clip", clip, "--deform", deform, "--world", world, "--start", "0", "--end", "1", "--save", `fourier=${file}`, "--quiet", ...more]);
        const plain = path.join(folder, "plain.pc2");
        good(["bake", `builtin:${name}?points=1200`, plain, "--clip", clip, "--deform", "linear", "--start", "0", "--end", "1", "--quiet", ...more]);
        const f = open(read(file)), [moved, rest] = [cache, plain].map(x => new Float32Array(read(x), 32)), frames = moved.length / (3 * f.points);
        let most = 0;
        for (const frame of [frames - 1, 3, 17, 0, 9]) {
            const q = at(f, frame / 30), lengths = values => Array.from({ length: f.points }, (_, p) => Math.hypot(...values.subarray(3 * p, 3 * p + 3)));
            const baked = moved.map((x, i) => x - rest[i]).subarray(3 * f.points * frame, 3 * f.points * (frame + 1)), went = lengths(baked);
            lengths(q).forEach((x, p) => near(x, went[p], 2e-5 + off * went[p], `${name}: point ${p} of frame ${frame}`));
            most = Math.max(most, ...went);
            sameInC(file, frame / 30, q);
        }
        holds(most > 1e-3, `${name}: something moves, ${most}`);
    }
});

await test("a damaged or newer file gets a sentence from both players", folder => {
    const file = path.join(folder, "arm.sfc"), broken = path.join(folder, "broken.sfc");
    good(["bake", "builtin:arm", path.join(folder, "a.pc2"), "--clip", "flex", "--deform", "fourier(residual=none)", "--save", `fourier=${file}`, "--quiet"]);
    const says = (change, sentence) => {
        const bytes = Buffer.from(read(file));
        fs.writeFileSync(broken, change(bytes) ?? bytes);
        let said = "";
        try { open(read(broken)); } catch (e) { said = e.message; }
        match(said, sentence);
        if (!player || !fs.existsSync(player)) return;
        const c = spawnSync(player, [broken, "0"], { encoding: "utf8" });
        equal(c.status, 1, c.stderr);
        match(c.stderr, sentence);
    };
    says(b => { b[0] = 1; }, /no \.sfc file/);
    says(b => { b[4] = 4; }, /newer than its player/);
    says(b => { b[4] = 2; }, /or older: it reads version 3/);
    says(b => b.subarray(0, b.length - 9), /cut short/);
    says(b => { b[40] ^= 4; }, /cut short or damaged/);
    says(b => { b[b.length - 1] ^= 4; }, /cut short or damaged/);
});

await test("what a game has to know is said when the file is written", folder => {
    const bake = deform => good(["bake", "builtin:arm", path.join(folder, "a.pc2"), "--clip", "flex", "--deform", deform, "--save", `fourier=${folder}/a.sfc`]).err;
    match(bake("fourier"), /note: fourier: \d+ points lean on dual quaternions .* fourier\(lean=0\)/);
    match(bake("fourier(lean=0)"), /note: fourier: the runtime file knows the time and not the pose/);
    equal(bake("fourier(lean=0,trust=off)"), "", "what is said of a file that lacks nothing");
    match(bake("dualquat,smooth,fourier"), /for a game that skins with dual quaternions[^]*the links between it and the skinning are not in it/);
});

await test("a bake tells how many curves and coefficients its links have, saved or not", folder => {
    const bake = (deform, ...more) => ["bake", "builtin:arm", path.join(folder, "a.pc2"), "--clip", "flex", "--deform", deform, ...more];
    const coefficients = (...more) => Number(good(bake(...more)).out.match(/^fourier: 32 curves, (\d+) coefficients for each of 2 examples$/m)[1]);
    const few = coefficients("fourier(terms=3)"), many = coefficients("fourier", "--save", `fourier=${folder}/a.sfc`);
    holds(few > 32 && few < many, `${few} and ${many} coefficients`);
    equal(json(bake("dualquat,beam,bend(curves=10)")).counts.replace(/[0-9]+ curves/g, "N curves"),
        "beam: N curves of 34 nodes, 2 examples\nbend: N curves of 49 nodes", "counts");
    equal(json(bake("linear")).counts, undefined, "counts of linear");
});

await test("what cannot be saved is said with the cure", folder => {
    const bake = (deform, save) => ["bake", "builtin:arm", path.join(folder, "a.pc2"), "--clip", "twist", "--deform", deform, "--save", save];
    bad(bake("fourier", `beam=${folder}/a.sfc`), 1, /has no such link/);
    bad(bake("fourier", "fourier"), 1, /give LINK=FILE/);
    bad(bake("dualquat", `dualquat=${folder}/a.sfc`), 1, /dualquat has no runtime file/);
    holds(!fs.existsSync(path.join(folder, "a.sfc")), "nothing is left behind");
});

finish();
