// The same bits natively and in WebAssembly: every built-in character, clip and deformer, frame by frame.
// node hashes.test.mjs PROGRAM MODULE; skips (77) where the module has not been built.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";

const [program, modulePath] = process.argv.slice(2);
const FPS = 12;
const COARSE = 1000;
if (!fs.existsSync(modulePath)) {
    console.log(`skipped: ${modulePath} is not there; scripts/setup.sh test installs what it takes`);
    process.exit(77);
}

const module = new WebAssembly.Module(fs.readFileSync(modulePath));
const imports = WebAssembly.Module.imports(module);
if (imports.length) {
    console.error(`the module must stand alone, but wants ${imports.map(i => `${i.module}.${i.name}`).join(", ")}`);
    process.exit(1);
}
const { exports: wasm } = new WebAssembly.Instance(module, {});
wasm._initialize();

const decoder = new TextDecoder();
const encoder = new TextEncoder();

function textAt(address) {
    const bytes = new Uint8Array(wasm.memory.buffer, address);
    return decoder.decode(bytes.slice(0, bytes.indexOf(0)));
}

/** Calls use(address, size) with bytes in the module's memory. */
function withBytes(bytes, use) {
    const address = wasm.supple_alloc(bytes.length);
    new Uint8Array(wasm.memory.buffer, address, bytes.length).set(bytes);
    try {
        return use(address, bytes.length);
    } finally {
        wasm.supple_free(address);
    }
}
const withText = (text, use) => withBytes(encoder.encode(`${text}\0`), use);

/** Hashes of the frames, or the reason why there are none. */
function playInModule(character, clip, chain, times) {
    const player = withText(chain, address => wasm.supple_play(character, clip, address));
    if (!player) return textAt(wasm.supple_error());
    const hashes = times.map(time => {
        wasm.supple_evaluate(player, time);
        return [wasm.supple_hash_high(player), wasm.supple_hash_low(player)].map(half => (half >>> 0).toString(16).padStart(8, "0")).join("");
    });
    wasm.supple_player_free(player);
    return hashes;
}

function bakeNatively(folder, source, clip, chain, end) {
    const r = spawnSync(program, ["bake", source, path.join(folder, "out.glb"), "--clip", clip, "--deform", chain, "--fps", String(FPS),
        ...(end ? ["--end", String(end)] : []), "--threads", "2", "--hashes", "--json"], { encoding: "utf8" });
    if (r.status !== 0 && r.status !== 1) throw new Error(`bake ended with ${r.status ?? r.signal}: ${r.stderr}`);
    return r.status === 0 ? JSON.parse(r.stdout).hashes : null;
}

const describe = wasm.supple_deformers();
const deformers = JSON.parse(textAt(describe));
const still = deformers.filter(d => !d.dynamic).map(d => d.name);
const moving = deformers.filter(d => d.dynamic).map(d => d.name);
// Without a world bend has nothing to do: loads that are parameters.
still.push("bend(pressure=0.1)", "bend(pressure=0.1,closed=foundation,transfer=frame)", "bend(way=along,weight=1)");
// Other curves, parts and residuals than fourier's own.
still.push("fourier(way=along,ends=free,order=fourth)", "fourier(parts=walks,residual=half,settle=1)");
moving.push("bend(pressure=0.1,dynamics=on)");
wasm.supple_free(describe);

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "supple-wasm-"));
let frames = 0;
let failures = 0;

function compare(source, character, chains, end) {
    for (let clip = 0; clip < wasm.supple_clip_count(character); ++clip) {
        const name = textAt(wasm.supple_clip_name(character, clip));
        for (const chain of chains) {
            const native = bakeNatively(folder, source, name, chain, end);
            const times = (native ?? [0]).map((_, frame) => frame / FPS);
            const ours = playInModule(character, clip, chain, times);
            const same = native ? Array.isArray(ours) && native.every((hash, i) => hash === ours[i]) : !Array.isArray(ours);
            if (!same) {
                failures++;
                const first = native && Array.isArray(ours) ? native.findIndex((hash, i) => hash !== ours[i]) : 0;
                console.error(`${source} ${name} ${chain}: frame ${first} is ${native?.[first]} natively, ${Array.isArray(ours) ? ours[first] : ours} in the module`);
            }
            frames += native?.length ?? 0;
        }
    }
}

try {
    for (let i = 0; i < wasm.supple_builtin_count(); ++i) {
        const name = textAt(wasm.supple_builtin_name(i));
        // Simulations repeat their own steps' bits or lose them within a few: a coarse character and half a second tell.
        for (const [points, source, chains, end] of [[COARSE, `builtin:${name}?points=${COARSE}`, moving, 0.5], [0, `builtin:${name}`, still]]) {
            const character = withText(name, address => wasm.supple_load_builtin(address, points));
            if (!character) throw new Error(textAt(wasm.supple_error()));
            compare(source, character, chains, end);
            wasm.supple_character_free(character);
        }
    }
    // A file too: what the bake wrote last, with its baked clip and morph targets, read by the same code in the page.
    const file = path.join(folder, "source.glb");
    fs.renameSync(path.join(folder, "out.glb"), file);
    const character = withText("source.glb", name => withBytes(fs.readFileSync(file), (bytes, size) => wasm.supple_load_bytes(name, bytes, size)));
    if (!character) throw new Error(textAt(wasm.supple_error()));
    compare(file, character, still);
    wasm.supple_character_free(character);

    // Words come through where something is wrong.
    if (withText("nobody", name => wasm.supple_load_builtin(name, 0)) || !textAt(wasm.supple_error()).includes("nobody"))
        throw new Error("an unknown character must fail with its name");
    if (frames === 0) throw new Error("nothing was compared");
} finally {
    fs.rmSync(folder, { recursive: true, force: true });
}
console.log(`${frames} frames compared, ${failures} differ`);
process.exit(failures ? 1 : 0);
