// The pictures of docs/studio.md: node pictures.mjs PROGRAM FOLDER [hand | brush | pose | film]. Three widths, dark and light, the Doctor, the hand, sculpting and weights, posing
// (with a word, that alone); 128 colors by ffmpeg, so that each stays under 100 kB.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import path from "node:path";
import { at, browse, change, drop, serve, settled, skinSpot, stillAt, studio, supple, visit } from "./harness.mjs";

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
/** The presets in the panel have their pictures. */
const pictured = () => page.waitForFunction(() => [...document.querySelectorAll(".preset img")].every(one => one.complete && one.naturalWidth > 40), undefined, { timeout: 300000 });
const plain = links => links.map(deformer => ({ deformer, muted: false, values: {} }));

const page = await visit(browser, server.address, { width: 1440, height: 900 }, { deviceScaleFactor: 1, colorScheme: "dark" });
if (!process.argv[4]) {
    await settled(page);
    await page.waitForFunction(() => globalThis.studio.chains().every(chain => chain.done >= chain.frames), undefined, { timeout: 300000 });
    await studio(page, "pause");
    await studio(page, "seek", FRAME);
    await page.locator(".presets").hover();
    await pictured();
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
    await page.getByRole("tab", { name: "Chain", exact: true }).click();
}

// ------------------------------------------------------------------------------------------------ the hand

async function theHand() {
    await page.emulateMedia({ colorScheme: "dark" });
    await change(page, s => ({ ...s, source: { builtin: "builtin:beast" }, chains: [{ id: 1, links: plain(["layers"]) }], active: 1, compare: "single", clip: "walk", start: null, end: 0.3, frame: 0, curve: "", camera: null }));
    await settled(page);
    await page.waitForFunction(() => globalThis.studio.chains().every(chain => chain.done >= chain.frames), undefined, { timeout: 300000 });
    await studio(page, "pause");
    await studio(page, "seek", 8);
    await pictured();
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
}

// ------------------------------------------------------------------------------------------------ the sculptor and the weights

/** The middle of the points that `share` wants, in pixels. */
async function middle(wanted) {
    const { points: all } = await studio(page, "character"), seen = [];
    for (let i = 0; i < all; i += wanted ? 1 : 61) if (!wanted || wanted(i)) seen.push(await studio(page, "pixel", i));
    return ["x", "y"].map(k => seen.reduce((sum, p) => sum + p[k], 0) / seen.length);
}
async function pull([fx, fy], [dx, dy]) {
    await page.mouse.move(fx, fy);
    await page.mouse.down();
    for (let i = 1; i <= 10; ++i) await page.mouse.move(fx + dx * i / 10, fy + dy * i / 10);
}
async function theBrush() {
    await page.emulateMedia({ colorScheme: "dark" });
    await change(page, s => ({ ...s, source: { builtin: "builtin:beast" }, chains: [{ id: 1, links: plain(["linear"]) }], active: 1, compare: "single", clip: "walk", start: null, end: 0.6, curve: "", camera: null, touch: { spring: 40000, tool: "sculpt", reach: 0.2, sculpt: { stroke: "grab", strength: 0.5, mirror: false, keeper: "pose_space" } } }));
    await settled(page);
    await studio(page, "pause");
    await studio(page, "seek", 10);
    await page.waitForTimeout(1500);
    const [mx, my] = await middle();
    await pull([mx + 50, my - 60], [0, -55]);
    await page.mouse.up();
    await page.waitForTimeout(4000);
    await studio(page, "seek", 16);
    await page.waitForTimeout(2500);
    await pull([mx + 20, my + 50], [16, 40]);
    await take(page, "studio-sculpt"); // in the hand
    await page.mouse.up();
    await page.waitForTimeout(2500);
    supple("bake", "builtin:beast", at("beast.glb"), "--clip", "walk", "--deform", "linear", "--fps", "10", "--name", "unused");
    await drop(page, at("beast.glb"));
    await page.waitForFunction(() => globalThis.studio.session().source.file?.name === "beast.glb", undefined, { timeout: 60000 });
    await change(page, s => ({ ...s, clip: "walk", end: 0.6, camera: null, chains: [{ id: 1, links: plain(["linear"]) }], show: { ...s.show, joint: "front_upper_l" }, touch: { ...s.touch, tool: "weights", reach: 0.14, weights: { mode: "smooth", strength: 1, value: 1, mirror: true, locked: [], most: 4, automatic: false } } }));
    await settled(page);
    await studio(page, "seek", 10);
    await page.waitForFunction(() => /volume/.test(globalThis.studio.weights().doctor), undefined, { timeout: 120000 });
    const shares = (await studio(page, "weights")).values, [wx, wy] = await middle(i => shares[i] > 0.3);
    for (const by of [[30, -50], [-20, -40], [20, 20]]) {
        await pull([wx + 10, wy - 20], by);
        await page.mouse.up();
        await page.waitForTimeout(1500);
    }
    await page.waitForFunction(() => /→/.test(globalThis.studio.weights().doctor), undefined, { timeout: 120000 });
    await page.waitForTimeout(2500);
    await take(page, "studio-weights");
}

// ------------------------------------------------------------------------------------------------ pose, throw, world

async function thePose() {
    await page.emulateMedia({ colorScheme: "dark" });
    await change(page, s => ({ ...s, source: { builtin: "builtin:beast" }, chains: [{ id: 1, links: plain(["layers"]) }], active: 1, compare: "single", clip: "walk", start: null, end: 0.3, frame: 0, curve: "", camera: null, touch: { tool: "pose", reach: null, spring: 40000 }, show: { ...s.show, joint: "neck_1" } }));
    await settled(page);
    await studio(page, "pause");
    const key = async (joint, axis, degrees) => {
        await page.locator(`[data-joint="${joint}"]`).click();
        await page.getByLabel(`Degrees about ${axis}`).fill(String(degrees));
        await page.keyboard.press("Enter");
        await settled(page);
    };
    await page.locator("#pose-limits").click();
    await key("neck_1", "x", -18);
    await page.locator("#pose-keep").click();
    await page.locator("#pose-key").click();
    await page.waitForFunction(() => globalThis.studio.session().frame === 15);
    await key("neck_1", "x", 24);
    await page.locator("#pose-keep").click();
    await page.locator("#pose-key").click();
    await page.waitForFunction(() => globalThis.studio.session().frame === 30);
    await settled(page);
    await page.waitForTimeout(1500);
    const { x, y } = (await studio(page, "pose")).joints.find(one => one.name === "front_foot_l");
    await page.mouse.move(x, y);
    await page.mouse.down();
    for (let i = 1; i <= 10; ++i) await page.mouse.move(x - 5 * i, y - 13 * i), await page.waitForTimeout(80);
    await page.waitForTimeout(3000);
    await take(page, "studio-pose");
    await page.mouse.up();
    await page.emulateMedia({ colorScheme: "light" });
    await change(page, s => ({ ...s, source: { builtin: "builtin:beast" }, clip: "walk", end: 0.3, frame: 6, camera: null, touch: { tool: "world", reach: 0.1, spring: 40000 }, world: { wind: [-3, 1, -9], bodies: [{ name: "ball 1", sphere: { center: [0.24, 0.5, 0.05], radius: 0.12 }, keys: [{ time: 0, move: [0, 0, 0] }] }, { name: "capsule 1", capsule: { from: [-0.1, 1.15, -0.35], to: [0.25, 1.2, -0.4], radius: 0.06 } }],
        forces: [{ name: "force 1", at: [0.12, 0.62, 0.25], radius: 0.1, value: [0, -300, 100] }], muscles: { spine_1: 0.7 } } }));
    await settled(page);
    await page.waitForFunction(() => globalThis.studio.chains().every(chain => chain.done >= chain.frames), undefined, { timeout: 300000 });
    await page.waitForFunction(() => globalThis.studio.drawn().still); // with all pixels
    await take(page, "studio-world");
}

// ------------------------------------------------------------------------------------------------ a short film: pulled, let go, poked

async function theFilm() {
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.emulateMedia({ colorScheme: "light" });
    await change(page, s => ({ ...s, source: { builtin: "builtin:beast" }, chains: [{ id: 1, links: [{ deformer: "layers", muted: false, values: { stiffness_fat: 0.3 } }] }], active: 1, compare: "single", clip: "walk", start: null, end: 0.1, frame: 0, curve: "", camera: null, world: undefined, take: undefined, touch: { tool: "grab", reach: 0.14, spring: 40000 } }));
    await stillAt(page, 2);
    const box = await page.locator("#view").boundingBox(), clip = { x: box.x + 390, y: box.y + 40, width: box.width - 400, height: box.height - 60 }, shots = [];
    const shoot = async () => { shots.push(at(`film-${String(shots.length).padStart(3, "0")}.png`)); await page.screenshot({ path: shots.at(-1), clip }); };
    const goes = async n => { const { frame } = await studio(page, "hand"); await page.waitForFunction(to => globalThis.studio.hand().frame >= to || globalThis.studio.hand().frame < 0, frame + n); };
    const pull = async (dx, dy, steps) => {
        const { x, y } = await skinSpot(page);
        await page.mouse.move(x, y);
        await page.mouse.down();
        await page.waitForFunction(() => globalThis.studio.hand().frame >= 0);
        for (let i = 1; i <= steps; ++i) await page.mouse.move(x + dx * i / steps, y + dy * i / steps), await goes(1), await shoot();
        await page.mouse.up();
        for (let i = 0; i < 9; ++i) await goes(1), await shoot();
        await page.waitForFunction(() => globalThis.studio.hand().frame < 0, undefined, { timeout: 300000 });
    };
    await pull(50, -120, 9);
    await change(page, s => ({ ...s, take: undefined, end: 0.1, touch: { ...s.touch, tool: "world", reach: 0.1 } }));
    await stillAt(page, 2);
    await pull(-30, 20, 9);
    const film = path.join(out, "studio-touch.webp");
    if (process.env.SUPPLE_LOOK) for (const one of shots) fs.copyFileSync(one, path.join(process.env.SUPPLE_LOOK, path.basename(one)));
    const r = spawnSync("ffmpeg", ["-y", "-v", "error", "-framerate", "12", "-i", at("film-%03d.png"), "-vf", "scale=360:-2:flags=area", "-c:v", "libwebp_anim", "-quality", "45", "-compression_level", "6", "-loop", "0", film], { encoding: "utf8" });
    if (r.status !== 0) throw new Error(`ffmpeg: ${r.stderr || r.error || r.signal}`);
    console.log(`studio-touch.webp ${(fs.statSync(film).size / 1000).toFixed(0)} kB, ${shots.length} frames`);
}
const asked = process.argv[4];
for (const [name, show] of [["hand", theHand], ["brush", theBrush], ["pose", thePose], ["film", theFilm]]) if (!asked || asked === name) await show();
if (page.problems.length) console.log(page.problems);
await browser.close();
await server.end();
process.exit(0);
