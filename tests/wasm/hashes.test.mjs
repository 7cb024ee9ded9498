// The same bits natively and in WebAssembly, on one thread and with workers: every built-in character, clip and deformer.
// node hashes.test.mjs PROGRAM FOLDER; skips (77) where the modules have not been built.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { load } from "../../studio/wasm/supple.mjs";

const [program, built] = process.argv.slice(2);
const FPS = 12;
const COARSE = 1000;
const THREADS = 3;
const [single, threads] = ["supple.wasm", "supple_threads.wasm"].map(name => path.join(built, name));
if (!fs.existsSync(single) || !fs.existsSync(threads)) {
    console.log(`skipped: ${single} or ${threads} is not there; scripts/setup.sh test installs what it takes`);
    process.exit(77);
}

const imports = WebAssembly.Module.imports(new WebAssembly.Module(fs.readFileSync(single)));
if (imports.length) {
    console.error(`the module must stand alone, but wants ${imports.map(i => `${i.module}.${i.name}`).join(", ")}`);
    process.exit(1);
}
const alone = await load({ single: fs.readFileSync(single) });
const shared = await load({ single: fs.readFileSync(single), threads: fs.readFileSync(threads), count: THREADS });
if (shared.threads !== THREADS) throw new Error(`${shared.threads} threads instead of ${THREADS}`);

/** Hashes of the frames, or the reason why there are none. */
function playInModule(supple, character, clip, chain, times) {
    let player;
    try {
        player = supple.play(character, clip, chain);
    } catch (error) {
        return error.message;
    }
    const hashes = times.map(time => {
        player.evaluate(time);
        return player.hash();
    });
    player.free();
    return hashes;
}

function bakeNatively(folder, source, clip, chain, end) {
    const r = spawnSync(program, ["bake", source, path.join(folder, "out.glb"), "--clip", clip, "--deform", chain, "--fps", String(FPS),
        ...(end ? ["--end", String(end)] : []), "--threads", "2", "--hashes", "--no-verdict", "--json"], { encoding: "utf8" });
    if (r.status !== 0 && r.status !== 1) throw new Error(`bake ended with ${r.status ?? r.signal}: ${r.stderr}`);
    return r.status === 0 ? JSON.parse(r.stdout).hashes : null;
}

const deformers = alone.deformers();
const still = deformers.filter(d => !d.dynamic).map(d => d.name);
const moving = deformers.filter(d => d.dynamic).map(d => d.name);
// Without a world bend has nothing to do: loads that are parameters.
still.push("bend(pressure=0.1)", "bend(pressure=0.1,closed=foundation,transfer=frame)", "bend(way=along,weight=1)");
// Other curves, parts and residuals than fourier's own.
still.push("fourier(way=along,ends=free,order=fourth)", "fourier(way=planes,residual=half,settle=1)");
moving.push("bend(pressure=0.1,dynamics=on)", "layers(cage=200)");

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "supple-wasm-"));
let frames = 0;
let failures = 0;

function compare(source, players, chains, end) {
    players[0].supple.clips(players[0].character).forEach(({ name }, clip) => {
        for (const chain of chains) {
            const native = bakeNatively(folder, source, name, chain, end);
            const times = (native ?? [0]).map((_, frame) => frame / FPS);
            for (const { supple, character } of players) {
                const ours = playInModule(supple, character, clip, chain, times);
                const same = native ? Array.isArray(ours) && native.every((hash, i) => hash === ours[i]) : !Array.isArray(ours);
                frames += native?.length ?? 0;
                if (same) continue;
                failures++;
                const first = native && Array.isArray(ours) ? native.findIndex((hash, i) => hash !== ours[i]) : 0;
                console.error(`${source} ${name} ${chain}: frame ${first} is ${native?.[first]} natively, `
                    + `${Array.isArray(ours) ? ours[first] : ours} in the module on ${supple.threads} threads`);
            }
        }
    });
}

try {
    for (const name of alone.builtins()) {
        // Simulations repeat their own steps' bits or lose them within a few: a coarse character and half a second tell.
        // They are also what is spread over threads the most.
        for (const [points, source, chains, modules, end] of [
            [COARSE, `builtin:${name}?points=${COARSE}`, moving, [alone, shared], 0.5],
            [0, `builtin:${name}`, still, [alone]],
        ]) {
            const players = modules.map(supple => ({ supple, character: supple.builtin(name, points) }));
            compare(source, players, chains, end);
            players.forEach(({ supple, character }) => supple.free(character));
        }
    }
    // A file too: what the bake wrote last, with its baked clip and morph targets, read by the same code in the page.
    const file = path.join(folder, "source.glb");
    fs.renameSync(path.join(folder, "out.glb"), file);
    const character = alone.open("source.glb", fs.readFileSync(file));
    compare(file, [{ supple: alone, character }], still);
    alone.free(character);

    // Words come through where something is wrong.
    for (const supple of [alone, shared]) {
        let words = "";
        try {
            supple.builtin("nobody");
        } catch (error) {
            words = error.message;
        }
        if (!words.includes("nobody")) throw new Error("an unknown character must fail with its name");
    }
    if (frames === 0) throw new Error("nothing was compared");
} finally {
    await shared.close();
    fs.rmSync(folder, { recursive: true, force: true });
}
console.log(`${frames} frames compared, ${failures} differ`);
process.exit(failures ? 1 : 0);
