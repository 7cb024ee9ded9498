// The same bits natively and in WebAssembly, on one thread and with workers: every built-in character, clip and deformer.
// node hashes.test.mjs PROGRAM PACKAGE; skips (77) where the package's dist/ has not been built.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [program, built] = process.argv.slice(2);
const FPS = 12;
const COARSE = 1000;
const THREADS = 3;
const entry = path.join(built, "dist/index.mjs");
if (!fs.existsSync(entry)) {
    console.log(`skipped: ${entry} is not there; scripts/setup.sh test installs what building it takes`);
    process.exit(77);
}
const { open } = await import(pathToFileURL(entry));

const imports = WebAssembly.Module.imports(new WebAssembly.Module(fs.readFileSync(path.join(built, "dist/supple.wasm"))));
const strangers = imports.filter(({ module, name }) => module !== "env" || !["memory", "progress", "read"].includes(name));
if (strangers.length) {
    console.error(`the module must stand alone, but wants ${strangers.map(i => `${i.module}.${i.name}`).join(", ")}`);
    process.exit(1);
}
const alone = await open({ threads: 1 });
const shared = await open({ threads: THREADS });
if (alone.threads !== 1 || shared.threads !== THREADS) throw new Error(`${alone.threads} and ${shared.threads} threads instead of 1 and ${THREADS}`);

/** Hashes of the frames, or the reason why there are none. */
function playInModule(character, clip, links, times) {
    let chain;
    try {
        chain = character.chain({ links, clip });
    } catch (error) {
        return error.message;
    }
    const player = chain.play();
    const hashes = times.map(time => {
        player.evaluate(time);
        return player.hash();
    });
    player.free();
    chain.free();
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
    players[0].character.inspect().clips.forEach(({ name }, clip) => {
        for (const chain of chains) {
            const native = bakeNatively(folder, source, name, chain, end);
            const times = (native ?? [0]).map((_, frame) => frame / FPS);
            for (const { supple, character } of players) {
                const ours = playInModule(character, clip, chain, times);
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
    for (const { name } of alone.builtins()) {
        // Simulations repeat their own steps' bits or lose them within a few: a coarse character and half a second tell.
        // They are also what is spread over threads the most.
        for (const [source, chains, modules, end] of [
            [`builtin:${name}?points=${COARSE}`, moving, [alone, shared], 0.5],
            [`builtin:${name}`, still, [alone]],
        ]) {
            const players = modules.map(supple => ({ supple, character: supple.load(source) }));
            compare(source, players, chains, end);
            players.forEach(({ character }) => character.free());
        }
    }
    // A file too: what the bake wrote last, with its baked clip and morph targets, read by the same code in the page.
    const file = path.join(folder, "source.glb");
    fs.renameSync(path.join(folder, "out.glb"), file);
    const character = alone.load("source.glb", fs.readFileSync(file));
    compare(file, [{ supple: alone, character }], still);

    // What the module writes, the program writes: the bytes of a bake.
    const native = path.join(folder, "again.glb");
    const clip = character.inspect().clips[0].name;
    spawnSync(program, ["bake", file, native, "--clip", clip, "--deform", "dualquat", "--fps", String(FPS), "--quiet"]);
    const [{ bytes }] = character.chain({ links: "dualquat", clip }).bake({ fps: FPS, file: "again.glb" }).files();
    if (!fs.readFileSync(native).equals(bytes)) {
        failures++;
        console.error("a bake in the module has other bytes than the program's");
    }
    character.free();

    // Words come through where something is wrong.
    for (const supple of [alone, shared]) {
        let words = "";
        try {
            supple.load("builtin:nobody");
        } catch (error) {
            words = error.message;
        }
        if (!words.includes("nobody")) throw new Error("an unknown character must fail with its name");
    }
    if (frames === 0) throw new Error("nothing was compared");
} finally {
    await shared.close();
    await alone.close();
    fs.rmSync(folder, { recursive: true, force: true });
}
console.log(`${frames} frames compared, ${failures} differ`);
process.exit(failures ? 1 : 0);
