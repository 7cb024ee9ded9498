// The pictures of docs/studio.md: node pictures.mjs PROGRAM FOLDER. Three widths, dark and light, and the Doctor; 128 colors by ffmpeg, so that each
// stays under 100 kB.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { at, browse, change, serve, settled, studio, visit } from "./harness.mjs";

const out = path.resolve(process.argv[3] ?? "docs/images"), FRAME = 26, WIDEST = 1100; // the beast's feet are farthest apart there; pixels of a picture in a page
fs.mkdirSync(out, { recursive: true });
const server = await serve(), browser = await browse();
async function take(page, name) {
    await page.waitForFunction(() => globalThis.studio.drawn().still, undefined, { timeout: 120000 });
    await page.screenshot({ path: at(`${name}.png`) });
    const palette = `scale='min(${WIDEST},iw)':-1:flags=area,split[a][b];[a]palettegen=max_colors=128[p];[b][p]paletteuse=dither=none`;
    const r = spawnSync("ffmpeg", ["-y", "-v", "error", "-i", at(`${name}.png`), "-filter_complex", palette, path.join(out, `${name}.png`)], { encoding: "utf8" });
    if (r.status !== 0) throw new Error(r.stderr);
    console.log(`${name}.png ${(fs.statSync(path.join(out, `${name}.png`)).size / 1000).toFixed(0)} kB`);
}
const plain = links => links.map(deformer => ({ deformer, muted: false, values: {} }));

const page = await visit(browser, server.address, { width: 1440, height: 900 }, { deviceScaleFactor: 1, colorScheme: "dark" });
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
if (page.problems.length) console.log(page.problems);
await browser.close();
await server.end();
process.exit(0);
