// Sculpting in the studio, driven by real pointer and touch events: node sculpt.mjs PROGRAM. Every claim is about state, bytes or pixels, never about speed.
import fs from "node:fs";
import { accessible, change, dragBy, drop, equal, holds, lineHashes, openArm, ready, rested, saved, settled, studio, test } from "./harness.mjs";

const { page, end, session, all, spot, still, line } = await openArm();
const FRAME = 15, arm = (await session()).source, dropArm = () => change(page, s => ({ ...s, source: arm }));
const only = (links, more = {}) => change(page, s => ({
    ...s, source: { ...s.source, sculpts: undefined }, chains: [{ id: 1, links: links.map(deformer => ({ deformer, muted: false, values: deformer === "layers" ? { cage: "250" } : {} })) }], active: 1, compare: "single", clip: "flex", fps: 30,
    start: null, end: null, cycle: false, repeat: false, frame: 0, take: undefined, touch: { tool: "sculpt", reach: 0.05, spring: 40000, sculpt: { stroke: "grab", strength: 0.5, mirror: false, keeper: "pose_space", ...more } },
}));
const sculpts = n => page.waitForFunction(count => (globalThis.studio.session().source.sculpts?.length ?? 0) === count, n);
const strokesDone = async () => (await session()).source.sculpts?.map(one => one.file.hash).join() ?? "";
async function drag(by = [0, -40], from = undefined) {
    const spot_ = from ?? await spot(), before = await strokesDone();
    await dragBy(page, spot_, { x: by[0], y: by[1] });
    await page.waitForFunction(old => (globalThis.studio.session().source.sculpts ?? []).map(one => one.file.hash).join() !== old, before);
}
const savedSculpt = () => saved(page, page.getByRole("button", { name: /^Save the sculpt/ }).first());
const pointsOf = file => fs.readFileSync(file, "utf8").split("\n").filter(l => l.startsWith("v ")).flatMap(l => l.slice(2).split(" ").map(Number));
const farthest = (a, b) => a.reduce((most, x, i) => Math.max(most, Math.abs(x - b[i])), 0);

for (const keeper of ["pose_space", "beam", "fourier"]) await test(`a pull on the posed skin is kept by ${keeper}, comes back exactly at its frame, and bakes to the page's hashes`, async () => {
    await only(["linear"], { keeper });
    await still(FRAME);
    const before = await all(), plain = await studio(page, "points", 1, FRAME);
    await drag();
    const after = await all(), file = await savedSculpt(), sculpt = pointsOf(file), { chains, source } = await session();
    equal([chains[0].links.map(one => one.deformer), source.sculpts.map(one => [one.clip, one.time])], [["linear", keeper], [["flex", FRAME / 30]]], "the chain and the sculpt");
    holds(farthest(sculpt, plain) > 0.01, `the skin was moved by ${farthest(sculpt, plain)} m`);
    const off = farthest(await studio(page, "points", 1, FRAME), sculpt);
    holds(off < 1e-6, `the sculpt comes back within ${off} m`);
    holds(after.some((hash, i) => i !== FRAME && hash !== before[i]), "other frames go with it");
    const copied = await line();
    holds(copied.includes(`--example 0.5=flex-0.500s.obj`), copied);
    equal(lineHashes(copied), after, "the frames of the copied line");
});

await test("a chain that fails for want of sculpts gets its first one on the plain skin", async () => {
    await only(["pose_space"]);
    await page.waitForFunction(() => globalThis.studio.chains()[0].state === "failed");
    await studio(page, "pause");
    await studio(page, "seek", FRAME);
    await page.waitForFunction(frame => globalThis.studio.session().frame === frame, FRAME);
    await rested(page);
    await drag();
    const after = await all(), sculpt = pointsOf(await savedSculpt());
    holds(farthest(await studio(page, "points", 1, FRAME), sculpt) < 1e-6, "the sculpt comes back");
    equal(lineHashes(await line()), after, "the frames of the copied line");
});

await test("strokes are steps: undo takes the last one back, redo brings it, a reload has all, and without sculpts the chain is as it was", async () => {
    await only(["linear"]);
    await still(FRAME);
    const plain = await all();
    await drag();
    const once = await all();
    await drag([30, 10]);
    const twice = await all();
    equal((await session()).source.sculpts.length, 1, "two strokes at one frame are one sculpt");
    holds(twice[FRAME] !== once[FRAME], "the second stroke changed it");
    await page.keyboard.press("Control+z");
    equal(await all(), once, "frames after undo");
    await page.keyboard.press("Control+Shift+z");
    equal(await all(), twice, "frames after redo");
    await rested(page);
    await page.reload();
    await ready(page);
    equal(await all(), twice, "frames after a reload");
    await studio(page, "pause");
    await page.getByRole("button", { name: "Sculpt at 0.50 s" }).click();
    equal((await session()).frame, FRAME, "the mark on the timeline goes there");
    await page.getByRole("button", { name: /^Remove the sculpt/ }).click();
    equal(await all(), plain, "frames without sculpts");
});

await test("smooth evens the skin out, inflate and deflate move it along its normals, and the mirror has both sides", async () => {
    await change(page, s => ({ ...s, source: { builtin: "builtin:beast?points=1500" }, clip: "walk" }));
    await settled(page);
    const flank = async (stroke, mirror) => {
        await only(["linear"], { stroke, mirror, strength: 1 });
        await change(page, s => ({ ...s, clip: "walk", end: 0.5, touch: { ...s.touch, reach: 0.15 } }));
        await still(8);
        const before = await studio(page, "points", 1, 8), [{ x, y }] = [await spot()];
        await drag([24, 0], { x, y });
        await all();
        const after = await studio(page, "points", 1, 8), moved = [];
        for (let i = 0; i < after.length; i += 3) if (Math.hypot(after[i] - before[i], after[i + 1] - before[i + 1], after[i + 2] - before[i + 2]) > 1e-5) moved.push(i);
        return { before, after, moved };
    };
    const rough = ({ before, after, moved }) => moved.reduce((sum, i) => { // how far what moved lies from the mean of the six that were nearest to it
        const near = Array.from({ length: before.length / 3 }, (_, k) => 3 * k).filter(k => k !== i).sort((a, b) => Math.hypot(...[0, 1, 2].map(k => before[a + k] - before[i + k])) - Math.hypot(...[0, 1, 2].map(k => before[b + k] - before[i + k]))).slice(0, 6);
        return sum + [0, 1, 2].reduce((s, k) => s + (after[i + k] - near.reduce((m, j) => m + after[j + k] / 6, 0)) ** 2, 0);
    }, 0);
    const out = await flank("inflate", false), into = await flank("deflate", false), even = await flank("smooth", false), both = await flank("inflate", true);
    holds(out.moved.length > 3 && even.moved.length > 3, `${out.moved.length} and ${even.moved.length} points moved`);
    const along = (a, b) => a.moved.reduce((sum, i) => sum + [0, 1, 2].reduce((s, k) => s + (a.after[i + k] - a.before[i + k]) * (b.after[i + k] - b.before[i + k]), 0), 0);
    holds(along(out, into) < 0, "deflate goes the other way");
    holds(rough(even) < rough({ ...even, after: even.before }), "what was smoothed is smoother");
    holds(both.moved.length > 1.5 * out.moved.length, `${both.moved.length} points with the mirror, ${out.moved.length} without`);
    equal(await page.locator("#sculpt-mirror ~ *, .row-toggle small").filter({ hasText: /% have a partner/ }).count() > 0, true, "the panel says how many points have a partner");
});

await test("with tissue behind, the sculpt is kept in front of it and the tissue is driven by it", async () => {
    await dropArm();
    await only(["layers"]);
    await change(page, s => ({ ...s, end: 0.4 }));
    await still(6);
    const before = await all();
    await drag([0, -30]);
    const after = await all(), { chains } = await session();
    equal(chains[0].links.map(one => one.deformer), ["pose_space", "layers"], "the chain");
    holds(after[6] !== before[6] && after[10] !== before[10], "the tissue follows the sculpt, there and later");
    await savedSculpt();
    equal(lineHashes(await line()), after, "the frames of the copied line");
});

await test("a finger sculpts as a mouse does; the saved file finds its place when it is dropped, and counts in other clips", async () => {
    await change(page, s => ({ ...s, source: { builtin: "builtin:arm?points=400" }, camera: null }));
    await settled(page);
    await only(["linear"], { stroke: "inflate", strength: 1 });
    await still(7); // 7/30 s has no end in decimals: what is played there must be the sculpt's own instant
    holds((await page.getByRole("group", { name: "Sculpting" }).textContent()).includes("takes the place of the"), "the panel says that the character's own sculpts make room");
    const { x, y } = await spot(), touches = await page.context().newCDPSession(page);
    const send = (type, dx) => touches.send("Input.dispatchTouchEvent", { type, touchPoints: type === "touchEnd" ? [] : [{ x: x + dx, y }] });
    await send("touchStart", 0);
    for (let i = 1; i <= 4; ++i) await send("touchMove", 5 * i);
    await send("touchEnd");
    await sculpts(1);
    const after = await all(), file = await savedSculpt();
    await page.getByRole("button", { name: /^Remove the sculpt/ }).click();
    await sculpts(0);
    await change(page, s => ({ ...s, frame: 3, chains: [{ id: 1, links: [{ deformer: "linear", muted: false, values: {} }, { deformer: "pose_space", muted: false, values: {} }] }] }));
    await drop(page, file);
    await sculpts(1);
    equal((await session()).source.sculpts[0].time, 7 / 30, "its time");
    equal(await all(), after, "frames with the file that was dropped");
    await change(page, s => ({ ...s, clip: "wave", frame: 0 }));
    const other = await all(), copied = await line();
    holds(copied.includes(`--example flex@${7 / 30}=`), copied);
    equal(lineHashes(copied), other, "frames of another clip by the copied line");
});

await test("two sculpts of one pose are not made, and axe-core finds nothing serious", async () => {
    await change(page, s => ({ ...s, source: { builtin: "builtin:beast?points=1500" }, camera: null }));
    await settled(page);
    await only(["linear"]);
    await change(page, s => ({ ...s, clip: "walk" }));
    await still(0);
    await drag();
    const last = (await all()).length - 1; // a cycle: its end is its beginning
    await still(last);
    const { x, y } = await spot();
    await page.mouse.click(x, y);
    await page.getByText("This pose is that of the sculpt at 0.00 s").waitFor();
    await sculpts(1);
    await accessible(page, "#stage", "#timeline");
    equal(page.problems, [], "the page complained of nothing");
});

await end();
