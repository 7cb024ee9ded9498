// One scene, every deformer, every door: make doors, or node doors.mjs BUILD WINDOWS ZIP. A table of the hash of all frames, and an
// error where one differs. A door that is not on this machine is named with what brings it.
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const [build, windows, zip] = process.argv.slice(2).map(file => path.resolve(file));
const here = path.dirname(fileURLToPath(import.meta.url)), root = path.join(here, "../../..");
// Points enough for folds, and a bend that makes them.
const SOURCE = "builtin:arm?points=4000", CLIP = "flex", FPS = 6, FRAMES = 5;
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "supple-doors-"));
const times = Array.from({ length: FRAMES }, (_, i) => i / FPS);
const there = command => spawnSync("sh", ["-c", `command -v ${command}`]).status === 0;
const run = (command, words, environment = {}) => execFileSync(command, words, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, ...environment } });
const chains = JSON.parse(run(path.join(build, "supple"), ["deformers", "--json"])).map(({ name }) => name);

const bake = program => async () => chains.map(links => JSON.parse(run(program, ["bake", SOURCE, path.join(folder, "a.npy"), "--clip", CLIP, "--deform", links,
    "--fps", `${FPS}`, "--end", `${times.at(-1)}`, "--hashes", "--no-verdict", "--json", "--quiet"])).hashes);

async function flat() {
    const include = path.join(folder, "include/supple"), program = path.join(folder, "doors");
    fs.mkdirSync(include, { recursive: true });
    fs.copyFileSync(path.join(root, "bindings/flat/flat.h"), path.join(include, "flat.h"));
    run("cc", [`-I${path.join(folder, "include")}`, path.join(root, "tests/bindings/doors.c"), "-o", program, `-L${build}`, "-lsupple_flat", `-Wl,-rpath,${build}`]);
    return run(program, [SOURCE, CLIP, `${FPS}`, `${FRAMES}`, ...chains]).trim().split("\n").map(line => line.split(" "));
}

const node = threads => async () => {
    const supple = await (await import("supple-skin")).open({ threads }), character = supple.load(SOURCE);
    const hashes = chains.map(links => {
        const player = character.chain({ links, clip: CLIP }).play();
        return times.map(time => (player.evaluate(time), player.hash()));
    });
    await supple.close();
    return hashes;
};

const chromium = (isolated, threads) => async () => {
    const { chromium: kind } = await import("playwright-core"), { bundle } = await import("../example/bundle.mjs"), { serve } = await import("../example/serve.mjs");
    const site = path.join(folder, "site");
    await bundle(site, undefined, { page: path.join(here, "page.ts") });
    fs.writeFileSync(path.join(site, "page.html"), "<!doctype html><meta charset=utf-8><title>doors</title><script type=module src=./page.mjs></script>");
    const server = await serve(site, 0, isolated);
    const browser = await kind.launch({ executablePath: run("sh", ["-c", "command -v chromium"]).trim(), headless: true, args: ["--no-sandbox", "--disable-gpu", "--no-first-run"] });
    try {
        const page = await browser.newPage(), hashes = [];
        await page.goto(`http://127.0.0.1:${server.address().port}/page.html`);
        await page.waitForFunction(() => globalThis.play);
        for (const links of chains) {
            const got = await page.evaluate(words => globalThis.play(...words), ["files", SOURCE, CLIP, links, times, isolated ? threads : undefined]);
            if (got.error || got.threads !== threads) throw new Error(got.error ?? `${got.threads} threads instead of ${threads}`);
            hashes.push(got.hashes);
        }
        return hashes;
    } finally {
        await browser.close();
        server.close();
    }
};

const SCRIPT = `
import json, sys
sys.path.insert(0, sys.argv[-2])
import supple
source, clip, times, chains = json.loads(sys.argv[-1])
character, said = supple.load(source), []
for links in chains:
    player = character.chain(links).play(clip)
    said.append([(player.evaluate(time), player.hash)[1] for time in times])
print("HASHES" + json.dumps(said))
`;
const question = JSON.stringify([SOURCE, CLIP, times, chains]);
const answer = text => JSON.parse(text.match(/^HASHES(.*)$/m)[1]);
const python = async () => answer(run("python3", ["-c", SCRIPT, path.join(root, "bindings/python"), question], { SUPPLE_FLAT: path.join(build, "libsupple_flat.so") }));
// The add-on's own copy of library and package, in Blender's Python. (tests/blender/addon.py compares what it shows.)
async function blender() {
    const script = path.join(folder, "doors.py"), place = path.join(folder, "addon");
    fs.writeFileSync(script, SCRIPT);
    run("python3", ["-m", "zipfile", "-e", zip, place]);
    return answer(run("blender", ["--background", "--factory-startup", "--python-exit-code", "1", "--python", script, "--", path.join(place, "supple_skin"), question]));
}

const doors = [
    ["program", true, "", bake(path.join(build, "supple"))],
    ["flat, from C", true, "", flat],
    ["Node, 1 thread", true, "", node(1)],
    ["Node, 3 threads", true, "", node(3)],
    ["Chromium, a worker", there("chromium"), "Debian's package chromium", chromium(false, 1)],
    ["Chromium, 4 threads", there("chromium"), "Debian's package chromium", chromium(true, 4)],
    ["Python", there("python3"), "Debian's package python3", python],
    ["Blender's Python", there("blender"), "scripts/setup.sh blender", blender],
    ["Windows, under wine", fs.existsSync(path.join(windows, "supple")), "make windows", bake(path.join(windows, "supple"))],
];
const digest = hashes => createHash("sha256").update(hashes.join()).digest("hex").slice(0, 8), width = 1 + Math.max(...doors.map(([name]) => name.length));
let wanted, differ = 0, missing = 0;
console.log(`${SOURCE}, ${CLIP}, ${FRAMES} frames: sha256 over their hashes\n${"".padEnd(width)}${chains.map(name => name.padEnd(11)).join("")}`);
try {
    for (const [name, here_, cure, play] of doors) {
        if (!here_) {
            ++missing;
            console.log(`${name.padEnd(width)}not on this machine: ${cure}`);
            continue;
        }
        const hashes = await play();
        wanted ??= hashes;
        if (new Set(wanted.map(String)).size !== chains.length) throw new Error("two deformers have the same frames: the scene does not tell them apart");
        const wrong = chains.filter((_, i) => wanted[i].length !== FRAMES || hashes[i]?.join() !== wanted[i].join());
        differ += wrong.length;
        console.log(`${name.padEnd(width)}${chains.map((_, i) => digest(hashes[i]).padEnd(11)).join("")}${wrong.length ? `DIFFER: ${wrong.join(", ")}` : ""}`);
    }
} finally {
    fs.rmSync(folder, { recursive: true, force: true });
}
console.log(`${doors.length - missing} doors, ${chains.length} deformers: ${differ ? `${differ} differ` : "the same bits"}`);
process.exit(differ ? 1 : 0);
