// The package in Chromium, bundled by esbuild: every deformer has the program's hashes in a worker with four threads where the page is
// cross-origin isolated and with one where not; the example shows the soldier. node test/browser.test.mjs PROGRAM CHARACTERS
// [PICTURE.png]; skips (77) where chromium, playwright-core or dist/ is missing.
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const [program, characters = "", picture] = process.argv.slice(2);
const here = path.dirname(fileURLToPath(import.meta.url));
function skip(why) {
    console.log(`skipped: ${why}`);
    process.exit(77);
}
const chromium = spawnSync("sh", ["-c", "command -v chromium"], { encoding: "utf8" }).stdout.trim();
if (!chromium) skip("chromium is missing (Debian's package chromium)");
if (!fs.existsSync(path.join(here, "../dist/index.mjs"))) skip("dist/ is not there; make npm builds it");
const { chromium: browserKind } = await import("playwright-core").catch(() => skip("playwright-core is missing: cd bindings/js && npm ci"));
const { bundle } = await import("../example/bundle.mjs");
const { serve } = await import("../example/serve.mjs");

const FPS = 12, END = 0.25, SOURCE = "builtin:arm?points=500";
const folder = fs.mkdtempSync(path.join(os.tmpdir(), "supple-browser-")), soldier = path.join(characters, "soldier.glb");
const site = path.join(folder, "site");
await bundle(site, soldier, { main: path.join(here, "../example/main.ts"), page: path.join(here, "page.ts") });
fs.writeFileSync(path.join(site, "page.html"), "<!doctype html><meta charset=utf-8><title>test</title><script type=module src=./page.mjs></script>");
const servers = { isolated: await serve(site, 0, true), plain: await serve(site, 0, false) };
const browser = await browserKind.launch({ executablePath: chromium, headless: true, args: ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
    "--disable-background-networking", "--disable-component-update", "--disable-sync", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"] });
const address = (kind, file) => `http://127.0.0.1:${servers[kind].address().port}/${file}`;

function native(clip, links) {
    const text = execFileSync(program, ["bake", SOURCE, path.join(folder, "a.npy"), "--clip", clip, "--deform", links, "--fps", String(FPS), "--end", String(END),
        "--hashes", "--no-verdict", "--json"], { encoding: "utf8" });
    return JSON.parse(text).hashes;
}

async function openPage(kind, file) {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } });
    page.problems = [];
    page.on("pageerror", error => page.problems.push(error.message));
    await page.goto(address(kind, file));
    return page;
}

async function checkHashes(kind, doors, chains, clip, threads) {
    const page = await openPage(kind, "page.html");
    await page.waitForFunction(() => globalThis.play);
    assert.equal(await page.evaluate(() => globalThis.isolated), kind === "isolated");
    for (const door of doors)
        for (const [links, hashes] of chains) {
            const times = hashes.map((_, i) => i / FPS);
            const got = await page.evaluate(parameters => globalThis.play(...parameters), [door, SOURCE, clip, links, times, threads]);
            assert.deepEqual(got.hashes, hashes, `${kind}, ${door}, ${links}: ${got.error ?? ""}`);
            assert.equal(got.threads, kind === "isolated" ? threads : 1);
        }
    assert.deepEqual(page.problems, []);
    await page.close();
    console.log(`ok       ${kind} page, ${doors.join(" and ")}: ${chains.length} chains as the program`);
}

/** While a large character is bound, the page's thread goes on. */
async function checkFree() {
    const page = await openPage("plain", "page.html");
    await page.waitForFunction(() => globalThis.play);
    const { bound, error } = await page.evaluate(() => globalThis.play("files", "builtin:beast?points=6000", "walk", "layers", []));
    assert.ok(!error && bound.longest < bound.milliseconds / 2, error ?? `binding took ${bound.milliseconds} ms and kept the page for ${bound.longest}`);
    await page.close();
    console.log(`ok       binding took ${bound.milliseconds.toFixed(0)} ms and kept the page for ${bound.longest.toFixed(0)} at most`);
}

/** Work in a worker hears the page's wish to stop, where memory can be shared and where not. */
async function checkStop(kind) {
    const page = await openPage(kind, "page.html");
    await page.waitForFunction(() => globalThis.stop);
    const { code, told } = await page.evaluate(() => globalThis.stop("builtin:beast?points=6000", "walk", "layers(cage=mesh)"));
    assert.equal(code, "cancelled", `${kind}: ${told} reports`);
    await page.close();
    console.log(`ok       ${kind} page: binding was stopped after ${told} reports`);
}

/** A file that was not copied beside the bundle is named, with what to do. */
async function checkMissing() {
    for (const file of ["worker.mjs", "supple.wasm"]) {
        const bare = path.join(folder, `without ${file}`);
        fs.cpSync(site, bare, { recursive: true });
        fs.rmSync(path.join(bare, file));
        servers[file] = await serve(bare, 0, false);
        const page = await openPage(file, "page.html");
        await page.waitForFunction(() => globalThis.play);
        await assert.rejects(page.evaluate(() => globalThis.play("files", "builtin:arm?points=200", "flex", "linear", [0])), new RegExp(`copy ${file.replace(".", "\\.")} beside the bundle`));
        await page.close();
    }
    console.log("ok       files that are not beside the bundle are named");
}

/** A sandboxed frame, whose origin is nobody's, has workers and no locks. */
async function checkSandbox() {
    const script = fs.readFileSync(path.join(site, "page.mjs"), "utf8").replaceAll("</script", "<\\/script");
    fs.writeFileSync(path.join(site, "inline.html"), `<!doctype html><meta charset=utf-8><title>inside</title><script type=module>${script}</script>`);
    fs.writeFileSync(path.join(site, "sandbox.html"), "<!doctype html><meta charset=utf-8><title>test</title><iframe sandbox=allow-scripts src=./inline.html></iframe>");
    const page = await openPage("plain", "sandbox.html"), frame = page.frames().find(one => one.url().endsWith("inline.html"));
    await frame.waitForFunction(() => globalThis.play);
    const clip = "flex", got = await frame.evaluate(parameters => Promise.race([globalThis.play(...parameters), new Promise(resolve => setTimeout(resolve, 30000, { error: "nothing in 30 s" }))]), ["compat", SOURCE, clip, "linear", [0]]);
    assert.deepEqual(got.hashes, native(clip, "linear").slice(0, 1), got.error);
    assert.deepEqual(page.problems, []);
    await page.close();
    console.log("ok       a sandboxed frame: frames as the program");
}

/** The example draws a character, the skin moves, and a click on it hits it. */
async function checkExample() {
    const page = await openPage("isolated", `index.html?chain=${encodeURIComponent("dualquat,smooth")}`);
    await page.waitForFunction(() => globalThis.ready, undefined, { timeout: 120000 });
    await page.waitForTimeout(1500);
    if (picture) await page.screenshot({ path: picture });
    await page.mouse.click(640, 400);
    await page.waitForTimeout(300);
    const hit = await page.evaluate(() => globalThis.hit), words = await page.textContent("#said");
    assert.ok(hit && /vanguard/.test(hit.name), `a click in the middle hits ${JSON.stringify(hit)}; the page says: ${words}`);
    assert.deepEqual(page.problems, []);
    await page.close();
    console.log(`ok       the example: ${words}`);
}

try {
    const inspected = JSON.parse(execFileSync(program, ["inspect", SOURCE, "--json"], { encoding: "utf8" }));
    const names = JSON.parse(execFileSync(program, ["deformers", "--json"], { encoding: "utf8" })).map(deformer => deformer.name);
    const clip = inspected.clips[0].name, chains = names.map(links => [links, native(clip, links)]);
    await checkHashes("isolated", ["files"], chains, clip, 4);
    await checkHashes("plain", ["files"], chains, clip, undefined);
    await checkHashes("isolated", ["compat"], chains.slice(0, 2), clip, 2);
    await checkHashes("plain", ["compat"], chains.slice(0, 1), clip, undefined);
    await checkMissing();
    await checkSandbox();
    await checkFree();
    await checkStop("isolated");
    await checkStop("plain");
    if (fs.existsSync(soldier)) await checkExample();
    else console.log("skipped: soldier.glb is not there, so the example has no character");
} finally {
    await browser.close();
    Object.values(servers).forEach(server => server.close());
    fs.rmSync(folder, { recursive: true, force: true });
}
