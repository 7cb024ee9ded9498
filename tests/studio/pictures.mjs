// The pictures of docs/studio.md: node pictures.mjs PROGRAM FOLDER [hand]. Three widths, dark and light, the Doctor, and the hand (alone with the
// word); 128 colors by ffmpeg, so that each stays under 100 kB.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { at, browse, change, serve, settled, studio, visit } from "./harness.mjs";

const out = path.resolve(process.argv[3] ?? "docs/images"), FRAME = 26, WIDEST = 1100; // the beast's feet are farthest apart there; pixels of a picture in a page
fs.mkdirSync(out, { recursive: true });
const server = await serve(), browser = await browse();
async function take(page, name) {
    await page.waitForTimeout(1500);
    await page.screenshot({ path: at(`${name}.png`) });
    const palette = `scale='min(${WIDEST},iw)':-1:flags=area,split[a][b];[a]palettegen=max_colors=128[p];[b][p]paletteuse=dither=none`;
    const r = spawnSync("ffmpeg", ["-y", "-v", "error", "-i", at(`${name}.png`), "-filter_complex", palette, path.join(out, `${name}.png`)], { encoding: "utf8" });
    if (r.status !== 0) throw new Error(r.stderr);
    console.log(`${name}.png ${(fs.statSync(path.join(out, `${name}.png`)).size / 1000).toFixed(0)} kB`);
}
const plain = links => links.map(deformer => ({ deformer, muted: false, values: {} }));

const page = await visit(browser, server.address, { width: 1440, height: 900 }, { deviceScaleFactor: 1, colorScheme: "dark" });
if (process.argv[4] !== "hand") {
    await settled(page);
    await page.waitForFunction(() => globalThis.studio.chains().every(chain => chain.done >= chain.frames), undefined, { timeout: 300000 });
    await studio(page, "pause");
    await studio(page, "seek", FRAME);
    await page.locator(".presets").hover();
    await page.waitForFunction(() => [...document.querySelectorAll(".preset img")].every(one => one.complete && one.naturalWidth > 40), undefined, { timeout: 300000 });
    await take(page, "studio");
    await page.emulateMedia({ colorScheme: "light" });
    await page.getByRole("tab", { name: "Out", exact: true }).click();
    await take(page, "studio-light");
    await page.emulateMedia({ colorScheme: "dark" });
    for (const [name, width, height] of [["studio-tablet", 900, 700], ["studio-phone", 390, 780]]) {
        await page.setViewportSize({ width, height });
        await take(page, name);
    }
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.emulateMedia({ colorScheme: "light" });
    await page.getByRole("tab", { name: "Show", exact: true }).click();
    await change(page, s => ({ ...s, compare: "side", show: { ...s.show, heat: "distance" } }));
    await take(page, "studio-compare");
    await change(page, s => ({ ...s, compare: "wipe", show: { ...s.show, heat: "none" } }));
    await page.emulateMedia({ colorScheme: "dark" });
    await change(page, s => ({ ...s, source: { builtin: "builtin:beast?points=2000" }, chains: [{ id: 1, links: plain(["linear"]) }], active: 1, compare: "single" }));
    await settled(page);
    await page.getByRole("tab", { name: "Doctor", exact: true }).click();
    await page.locator("#doctor-run").click();
    await page.waitForSelector("[data-joint]", { timeout: 90000 });
    await page.locator("[data-joint]").first().click();
    await page.waitForFunction(() => /^bend /.test(globalThis.studio.session().clip));
    await settled(page);
    await studio(page, "pause");
    await studio(page, "seek", 15);
    await take(page, "studio-doctor");
}

// ------------------------------------------------------------------------------------------------ the hand

await page.emulateMedia({ colorScheme: "dark" });
await change(page, s => ({ ...s, source: { builtin: "builtin:beast" }, chains: [{ id: 1, links: plain(["layers"]) }], active: 1, compare: "single", clip: "walk", start: null, end: 0.3, frame: 0, curve: "", camera: null }));
await settled(page);
await page.waitForFunction(() => globalThis.studio.chains().every(chain => chain.done >= chain.frames), undefined, { timeout: 300000 });
await studio(page, "pause");
await studio(page, "seek", 8);
await page.locator('#tools [data-tool="grab"]').click();
await page.waitForTimeout(1000);
const { points } = await studio(page, "character"), places = [];
for (let i = 0; i < points; i += 61) places.push(await studio(page, "pixel", i));
const [x, y] = ["x", "y"].map(k => places.reduce((sum, p) => sum + p[k], 0) / places.length); // the middle of the body
await page.mouse.move(x + 60, y - 20);
await page.mouse.down();
for (let i = 1; i <= 10; ++i) {
    await page.mouse.move(x + 60 + 4 * i, y - 20 - 26 * i);
    const { frame } = await studio(page, "hand");
    await page.waitForFunction(n => globalThis.studio.hand().frame > n, frame, { timeout: 120000 });
}
await take(page, "studio-grab");
await page.mouse.up();
await page.waitForFunction(() => globalThis.studio.hand().frame < 0, undefined, { timeout: 300000 });
await change(page, s => ({ ...s, take: undefined, end: 0.3, frame: 0, touch: { ...s.touch, tool: "paint", reach: 0.12, brush: { map: "layers_tether", mode: "add", strength: 0.6, value: 0, mask: "none", mirror: true } } }));
await page.waitForFunction(() => globalThis.studio.paint().values.length > 0);
await page.locator("#paint-fill-go").click();
await page.waitForTimeout(500);
await page.mouse.move(x - 40, y + 30);
await page.mouse.down();
for (let i = 0; i <= 12; ++i) await page.mouse.move(x - 40 + 9 * i, y + 30 + 4 * Math.sin(i), { steps: 2 });
await page.mouse.up();
await take(page, "studio-paint");
if (page.problems.length) console.log(page.problems);
await browser.close();
await server.end();
process.exit(0);
