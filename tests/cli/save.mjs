// --save: runtime files of links, and the two players in examples/ that read them.
import { bad, equal, finish, good, holds, match, near, test } from "./harness.mjs";
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { at, open } from "../../examples/play_sfc.mjs";

const player = process.env.SUPPLE_BUILD ? path.join(process.env.SUPPLE_BUILD, "example_04_play_sfc") : null;
const read = file => { const b = fs.readFileSync(file); return b.buffer.slice(b.byteOffset, b.byteOffset + b.length); };

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
            if (!player || !fs.existsSync(player)) continue;
            const c = spawnSync(player, [file, String(time)], { encoding: "utf8", maxBuffer: 1 << 26 });
            equal(c.status, 0, c.stderr);
            c.stdout.trim().split(/\s+/).forEach((x, i) => near(Number(x), q[i], 1e-6, `number ${i} at ${time} s`));
        }
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
    says(b => { b[4] = 3; }, /newer than its player/);
    says(b => b.subarray(0, b.length - 9), /cut short/);
    says(b => { b[40] ^= 4; }, /cut short or damaged/);
    says(b => { b[b.length - 1] ^= 4; }, /cut short or damaged/);
});

await test("what cannot be saved is said with the cure", folder => {
    const bake = (deform, save) => ["bake", "builtin:arm", path.join(folder, "a.pc2"), "--clip", "twist", "--deform", deform, "--save", save];
    bad(bake("fourier", `beam=${folder}/a.sfc`), 1, /has no such link/);
    bad(bake("fourier", "fourier"), 1, /give LINK=FILE/);
    bad(bake("dualquat", `dualquat=${folder}/a.sfc`), 1, /dualquat has no runtime file/);
    holds(!fs.existsSync(path.join(folder, "a.sfc")), "nothing is left behind");
});

finish();
