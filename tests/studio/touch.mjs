// The hand in the studio, driven by real pointer events: node touch.mjs PROGRAM. Every claim is about state, bytes or pixels, never about speed.
import { at, change, dragBy, equal, fingerBy, holds, lineHashes, openArm, ready, rested, saved, shell, studio, test } from "./harness.mjs";

const { page, end, session, all, spot, line } = await openArm();
const link = deformer => ({ deformer, muted: false, values: deformer === "layers" ? { cage: "250" } : {} });
const only = (deformer, more = {}) => change(page, s => ({ ...s, chains: [{ id: 1, links: [link(deformer)] }], active: 1, compare: "single", clip: "flex", fps: 30, start: null, end: 0.5, cycle: false, repeat: false, frame: 0, take: undefined, ...more }));
const hand = () => studio(page, "hand");
const free = () => page.waitForFunction(() => globalThis.studio.hand().frame < 0);
/** Until the hand has gone so many frames further. */
const goes = async frames => page.waitForFunction(n => globalThis.studio.hand().frame >= n, (await hand()).frame + frames);
async function tool(name) {
    await page.locator(`#tools [data-tool="${name}"]`).click();
    await page.waitForFunction(n => globalThis.studio.session().touch?.tool === n, name);
    await rested(page);
}
/** The kept world bakes to frames. */
async function repeats(wanted) {
    await saved(page, "#keep-world");
    const copied = await line();
    holds(copied.includes("--world recorded.json"), copied);
    equal(lineHashes(copied), wanted, "the frames of the copied line");
    return copied;
}

/** From the frame whose key first has the pointer elsewhere, the skin has moved within two; the frames are those that were shown. */
async function moved({ pulls: [{ keys }] }, from) {
    const first = from + keys.findIndex(one => JSON.stringify(one.to) !== JSON.stringify(keys[0].to));
    await page.waitForFunction(frame => globalThis.studio.hash(1, frame) !== null, first + 1);
    const [was, is] = [await studio(page, "points", 1, first - 1), await studio(page, "points", 1, first + 1)];
    const far = Math.max(...is.map((one, i) => Math.abs(one - was[i])));
    holds(first > from && far > 2e-4, `the skin went ${1000 * far} mm in two frames from frame ${first}`);
    return far;
}

await test("a press on the skin pulls it, letting go lets it swing, and the kept world bakes to the frames that were shown", async () => {
    await only("layers");
    const before = await all();
    await studio(page, "pause");
    await studio(page, "seek", 6);
    await tool("grab");
    const { x, y } = await spot();
    await page.evaluate(() => { // looked for in the page, where no moment slips by
        globalThis.empty = 0;
        globalThis.looking = setInterval(() => globalThis.studio.pixel(0) === null && globalThis.empty++, 1);
    });
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.waitForFunction(() => globalThis.studio.hand().frame >= 0);
    for (let i = 1; i <= 8; ++i) {
        await page.mouse.move(x + 4 * i, y - 8 * i);
        await goes(1);
    }
    const { newtons: [pulled] } = await hand();
    holds(pulled > 5, `the spring pulls with ${pulled} N`);
    holds(/^\d+(\.\d)? k?N$/.test(await page.locator(".newtons").first().textContent()), "the newtons stand beside the pointer");
    await page.mouse.up();
    await free();
    const { shown } = await hand(), { take, end } = await session();
    equal([take.pulls.length, Math.abs(end - 0.2) < 1e-9], [1, true], "one pull, and the pose of frame 6 is held");
    const after = await all();
    equal(await page.evaluate(() => (clearInterval(globalThis.looking), globalThis.empty)), 0, "moments without skin in the view");
    await moved(take, 6);
    await page.waitForFunction(last => globalThis.studio.measures(1, 0) && globalThis.studio.measures(1, last), after.length - 1); // the curves go on
    equal(after.slice(0, 7), before.slice(0, 7), "frames before the pull");
    for (const [frame, hash] of shown) equal(hash, after[frame], `frame ${frame} as it was shown and as it is simulated anew`);
    holds(after.at(-1) !== after.at(-10) || new Set(after).size > 20, "it swings on");
    holds((await repeats(after)).includes("--hold"), "the pose is held in the copied line");
});

await test("a pull is a step: undo brings the motion before it back, redo the pull; a reload has it", async () => {
    const after = await all();
    await page.keyboard.press("Control+z");
    await page.waitForFunction(() => !globalThis.studio.session().take);
    equal((await session()).end, 0.5, "the end of before");
    await page.keyboard.press("Control+Shift+z");
    await page.waitForFunction(() => globalThis.studio.session().take?.pulls.length === 1);
    equal(await all(), after, "frames after redo");
    await rested(page);
    await page.reload();
    await ready(page);
    equal(await all(), after, "frames after a reload");
});

await test("a curve method is pulled by the load of bend, live, and bakes to the frames that were shown", async () => {
    await only("bend", { end: 0.3 });
    const before = await all();
    await studio(page, "pause");
    await studio(page, "seek", 4);
    await tool("grab");
    const { x, y } = await spot();
    await page.mouse.move(x, y);
    await page.mouse.down();
    await page.waitForFunction(() => globalThis.studio.hand().frame > 4);
    for (let i = 1; i <= 4; ++i) {
        await page.mouse.move(x + 5 * i, y - 10 * i);
        await goes(1);
    }
    await page.mouse.up();
    await free();
    const { shown } = await hand(), { take } = await session(), after = await all();
    equal(take.pulls.length, 1, "one pull");
    holds(shown.length > 5 && shown.every(([frame, hash]) => after[frame] === hash), `${shown.filter(([frame, hash]) => after[frame] !== hash).length} of ${shown.length} frames that were shown are others now`);
    const states = new Set(shown.map(([, hash]) => hash)).size; // of a pose that stands still
    holds(states > 3 && !before.includes(after[8]), `the load is felt: ${states} shapes in ${shown.length} frames`);
    await repeats(after);
});

await test("fingers pull as a mouse does, on lattice too", async () => {
    await only("lattice");
    await all();
    await studio(page, "pause");
    await studio(page, "seek", 3);
    await tool("grab");
    const pulls = await fingerBy(page, await spot(), { x: 24, y: -40 }, { steps: 4, each: () => goes(1), inside: async () => (await hand()).newtons[0] });
    holds(pulls > 1, "the finger pulls");
    await free();
    const { shown } = await hand(), after = await all();
    for (const [frame, hash] of shown) equal(hash, after[frame], `frame ${frame}`);
});

await test("a belly is painted within a minute: flood, dabs, the frames of --map, undo, and the attribute in the GLB", async () => {
    await only("layers", { end: 0.2 });
    const before = await all(), began = Date.now();
    await studio(page, "pause");
    await tool("paint");
    await page.locator("#paint-map").selectOption("layers_tether");
    const slide = (name, t) => page.getByRole("group", { name: "The brush" }).getByLabel(name, { exact: true }).fill(String(t));
    await slide("Value", 0);
    await page.waitForFunction(() => globalThis.studio.paint().values.length > 0);
    await page.locator("#paint-fill-go").click();
    await page.waitForFunction(() => globalThis.studio.session().source.maps?.length === 1 && globalThis.studio.paint().values.every(v => v === 0));
    await slide("Strength", 600);
    const { x, y } = await spot();
    await page.mouse.move(x, y);
    await page.mouse.down();
    for (let i = 1; i <= 6; ++i) await page.mouse.move(x + 3 * i, y, { steps: 2 });
    await page.mouse.up();
    await page.waitForFunction(() => globalThis.studio.paint().values.some(v => v > 0.5) && globalThis.studio.session().source.maps[0].file.bytes > 900);
    const seconds = (Date.now() - began) / 1000, { values, steps } = await studio(page, "paint"), painted = values.filter(v => v > 0.01).length;
    holds(painted > 3 && painted < 0.6 * values.length, `${painted} of ${values.length} points are painted`);
    console.log(`         painted in ${seconds.toFixed(1)} s; a step of the stroke takes ${Math.min(...steps).toFixed(2)} ms at best, ${steps.toSorted((a, b) => a - b)[steps.length >> 1].toFixed(2)} median`);
    let after = await all();
    for (let i = 0; i < 600 && after.at(-1) === before.at(-1); ++i, after = await all()) await page.waitForTimeout(200);
    const [text] = await Promise.all([page.waitForEvent("download"), page.locator("#paint-text").click()]);
    await text.saveAs(at("layers_tether.txt"));
    const words = "--clip flex --deform layers --set layers.cage=250 --fps 30 --end 0.2 --hashes --json --no-verdict --overwrite";
    equal(JSON.parse(shell(`supple bake arm.glb o.npy --map layers_tether=layers_tether.txt ${words}`)).hashes, after, "the frames of --map");
    const [glb] = await Promise.all([page.waitForEvent("download"), page.locator("#paint-glb").click()]);
    await glb.saveAs(at("painted.glb"));
    equal(JSON.parse(shell("supple inspect painted.glb --json")).maps.map(one => one.name ?? one), ["_LAYERS_TETHER"], "maps of the saved GLB");
    equal(JSON.parse(shell(`supple bake painted.glb o.npy ${words}`)).hashes, after, "the frames of the saved GLB");
    await page.locator("#view").focus();
    for (let i = 0; i < 8 && (await session()).source.maps; ++i) await page.keyboard.press("Control+z");
    equal((await session()).source.maps, undefined, "maps after undo");
    equal(await all(), before, "frames after undo");
});

await test("masks, mirror and blur do what they say, and a finger paints too", async () => {
    await only("layers", { end: 0.1 });
    await all();
    await tool("paint");
    const brush = async change_ => {
        await change(page, s => ({ ...s, source: { ...s.source, maps: undefined }, touch: { ...s.touch, tool: "paint", brush: { map: "layers_tether", mode: "subtract", strength: 1, value: 1, mask: "none", mirror: false, ...change_ } } }));
        await page.waitForFunction(() => globalThis.studio.paint().values.every(v => v === 1));
        const { x, y } = await spot();
        await page.mouse.move(x, y);
        await page.mouse.down();
        await page.mouse.up();
        await page.waitForFunction(() => globalThis.studio.paint().values.some(v => v < 1) && globalThis.studio.session().source.maps?.length === 1); // the stroke is kept
        return (await studio(page, "paint")).values;
    };
    const count = values => values.filter(v => v < 1).length, plain = count(await brush({}));
    holds(count(await brush({ mask: "angle" })) < plain, "the far side is left alone under the mask by angle");
    equal(count(await brush({ mask: "piece" })), plain, "one piece is all of the arm");
    const before = await brush({}), from = await spot();
    await change(page, s => ({ ...s, touch: { ...s.touch, brush: { ...s.touch.brush, mode: "blur" } } }));
    await fingerBy(page, from, { x: 4, y: 0 });
    await page.waitForFunction(least => Math.min(...globalThis.studio.paint().values) > least, Math.min(...before));
    equal(page.problems, [], "complaints of the page");
});

await test("the beast, with layers on its cage, moves within two frames of the grab, and they are the frames that are simulated anew", async () => {
    const SOME = 8; // the arm shows that all of them are those of the bake
    await rested(page); // the last stroke is kept
    await change(page, s => ({ ...s, source: { builtin: "builtin:beast" }, chains: [{ id: 1, links: [{ deformer: "layers", muted: false, values: {} }] }], active: 1, compare: "single", clip: "walk", fps: 30, start: null, end: 0.1, cycle: false, repeat: false, frame: 0, take: undefined, camera: null, touch: { tool: "grab", reach: null, spring: 40000 } }));
    await all();
    await studio(page, "pause");
    await studio(page, "seek", 1);
    await rested(page);
    const times = [], from = await spot();
    await dragBy(page, from, { x: 60, y: -40 }, { steps: 6, each: async () => {
        const began = Date.now();
        await goes((await hand()).frame < 0 ? 2 : 1);
        times.push(Date.now() - began);
    } });
    await free();
    const { shown } = await hand(), { take } = await session();
    await page.waitForFunction(n => Array.from({ length: n }, (_, i) => globalThis.studio.hash(1, i)).every(Boolean), SOME);
    const after = await Promise.all(Array.from({ length: SOME }, (_, i) => studio(page, "hash", 1, i))), far = await moved(take, 1);
    console.log(`         the beast's skin went ${(1000 * far).toFixed(1)} mm within two frames of 1/30 s; a frame took ${times.toSorted((a, b) => a - b)[times.length >> 1]} ms here (median)`);
    equal(shown.filter(([frame, hash]) => frame < SOME && after[frame] !== hash), [], "frames that were shown and are others now");
});

await end();
