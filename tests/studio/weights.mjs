// Skin weights under the brush, driven by real pointer and touch events: node weights.mjs PROGRAM. Every claim is about state, bytes or pixels, never about speed.
import { accessible, at, change, dragBy, equal, fingerBy, holds, lineHashes, openArm, ready, rested, saved, studio, test } from "./harness.mjs";

const { page, end, session, all, still: stillAt, spot: skinSpot, line } = await openArm(), FRAME = 12;
const begin = (more = {}, links = ["linear"]) => change(page, s => ({
    ...s, source: { ...s.source, skin: undefined }, chains: [{ id: 1, links: links.map(deformer => ({ deformer, muted: false, values: {} })) }], active: 1, compare: "single", clip: "flex", fps: 30, start: null, end: 0.5, cycle: false, repeat: false, frame: 0,
    show: { ...s.show, joint: "forearm" }, touch: { tool: "weights", reach: 0.06, spring: 40000, weights: { mode: "add", strength: 0.8, value: 1, mirror: false, locked: [], most: 4, automatic: false, ...more } },
}));
const still = () => stillAt(FRAME);
const values = async () => (await studio(page, "weights")).values;
/** Skin of the forearm, beside the panel. */
const spot = async () => { const shares = await values(); return skinSpot(i => shares[i] > 0.4); };
const skin = async () => (await session()).source.skin?.hash ?? "";
const painted = old => page.waitForFunction(before => (globalThis.studio.session().source.skin?.hash ?? "") !== before, old);
async function stroke(by = 30) {
    const from = await spot(), before = await skin(), during = await dragBy(page, from, { x: by, y: 0 }, { steps: 4, inside: values });
    await painted(before);
    return during;
}
const repeats = async (wanted, what) => {
    equal(await saved(page, "#weights-glb"), at("arm-weights.glb"), "the file");
    equal(lineHashes(await line()), wanted, what);
};

await test("a stroke paints the weight of a joint, the skin follows at once, and the command line on the saved GLB gives the page's hashes", async () => {
    await begin({ mode: "subtract" });
    const before = await still(), first = await values();
    const during = await stroke(), after = await all(), now = await values();
    holds(during.some((v, i) => v < first[i] - 0.05), "the weight falls while the stroke goes on");
    holds(now.every(v => v >= 0 && v <= 1), "shares stay from 0 to 1");
    holds(after[FRAME] !== before[FRAME], "the skin moved");
    await repeats(after, "the frames of the copied line on the saved GLB");
    await page.waitForFunction(() => /volume .*, crossings/.test(globalThis.studio.weights().doctor));
});

await test("undo and redo take strokes of weights back and bring them, a reload has them", async () => {
    const painted2 = await all(), shown = await values();
    await page.keyboard.press("Control+z");
    await page.waitForFunction(() => !globalThis.studio.session().source.skin);
    const plain = await all();
    holds(plain[FRAME] !== painted2[FRAME], "undo");
    await page.keyboard.press("Control+Shift+z");
    equal(await all(), painted2, "redo");
    await rested(page);
    await page.reload();
    await ready(page);
    equal(await all(), painted2, "frames after a reload");
    await page.waitForFunction(() => globalThis.studio.weights().values.length > 0);
    holds((await values()).every((v, i) => Math.abs(v - shown[i]) < 1e-6), "weights after a reload");
});

await test("a locked joint keeps its weights, set and smooth do what they say, prune bounds the joints, and a finger paints too", async () => {
    await begin({ mode: "set", value: 0.5, strength: 1, locked: ["hand"] });
    await still();
    await page.locator("#weights-joint").selectOption("hand");
    const hand = await values();
    await page.locator("#weights-joint").selectOption("forearm");
    await stroke();
    await page.locator("#weights-joint").selectOption("hand");
    holds((await values()).every((v, i) => Math.abs(v - hand[i]) < 1e-6), "the locked joint has its weights");
    await page.locator("#weights-joint").selectOption("forearm");
    const half = await values();
    holds(half.some(v => Math.abs(v - 0.5) < 0.02), "set goes to the value");
    await change(page, s => ({ ...s, touch: { ...s.touch, weights: { ...s.touch.weights, mode: "smooth", locked: [] } } }));
    const from = await spot(), before = await skin();
    await fingerBy(page, from, { x: 20, y: 0 });
    await painted(before);
    holds((await values()).some((v, i) => Math.abs(v - half[i]) > 1e-4), "a finger smooths");
    await page.locator("#weights-most").selectOption("2");
    const unpruned = await skin();
    await page.locator("#weights-prune").click();
    await Promise.race([painted(unpruned), page.getByText("No point follows more than").waitFor()]);
    await repeats(await all(), "the frames of the pruned file");
});

await test("automatic weights are shown and taken; a built-in character becomes a file before it is painted", async () => {
    await begin();
    await still();
    await page.locator("#weights-automatic").check();
    await page.locator("#weights-cells").check();
    await rested(page);
    const cells = await page.waitForFunction(() => globalThis.studio.weights().cells.length > 200 && globalThis.studio.weights().cells).then(one => one.jsonValue());
    holds(cells.some(v => v > 0.95) && cells.some(v => v < 0.01) && cells.every(v => v >= 0 && v < 1.001), "the cells have the shares of the forearm");
    await page.locator("#weights-cells").uncheck();
    await rested(page);
    equal((await studio(page, "weights")).cells, [], "and go again");
    const before = await skin();
    await page.locator("#weights-take").click();
    await painted(before);
    await page.locator("#weights-automatic").uncheck();
    await repeats(await all(), "the frames with automatic weights");
    await accessible(page, "#stage");
    await change(page, s => ({ ...s, source: { builtin: "builtin:arm?points=400" }, camera: null }));
    await begin();
    await still();
    const { x, y } = await spot();
    await page.mouse.click(x, y);
    await page.getByRole("button", { name: "Make it a file" }).click();
    await page.waitForFunction(() => globalThis.studio.session().source.file?.name === "arm.glb");
    equal(page.problems, [], "the page complained of nothing");
});

await end();
