// How long one step of a stroke takes in the page's thread, with every brush, on 30,000 points: picking, the dab, and colors or normals.
import { at, change, drop, rested, settled, studio, supple } from "./harness.mjs";

const STEPS = 60;
export const BRUSHES = ["paint", "inflate", "smooth", "grab", "weights"];

/** Milliseconds of every step of one stroke across the body; the first ones build the tree for picking and are left out. */
export async function strokeSteps(page, brush) {
    let source = { builtin: "builtin:beast?points=30000" };
    if (brush === "weights") { // a built-in character has its weights in the program
        supple("bake", "builtin:beast?points=30000", at("fine.glb"), "--clip", "walk", "--deform", "linear", "--fps", "10", "--name", "unused");
        await drop(page, at("fine.glb"));
        await page.waitForFunction(() => globalThis.studio.session().source.file?.name === "fine.glb");
        ({ source } = await studio(page, "session"));
    }
    await change(page, s => ({
        ...s, source, clip: "walk", start: null, end: 0.1, frame: 0, camera: null, compare: "single", active: 1,
        show: { ...s.show, joint: "spine_2" },
        chains: [{ id: 1, links: [{ deformer: "linear", muted: false, values: {} }, { deformer: "smooth", muted: false, values: {} }] }],
        touch: { tool: brush === "paint" || brush === "weights" ? brush : "sculpt", reach: 0.1, spring: 40000, brush: { map: null, mode: "add", strength: 0.1, value: 1, mask: "none", mirror: true }, sculpt: { stroke: brush, strength: 0.1, mirror: true, keeper: "pose_space" } },
    }));
    await settled(page);
    await studio(page, "pause");
    await studio(page, "seek", 1);
    await page.waitForFunction(() => globalThis.studio.pixel(0) && globalThis.studio.hash(1, 1));
    await rested(page);
    const { points } = await studio(page, "character"), places = [], { length: before } = (await studio(page, "paint")).steps;
    for (let i = 0; i < points; i += 293) places.push(await studio(page, "pixel", i));
    const [x, y] = ["x", "y"].map(k => places.reduce((sum, p) => sum + p[k], 0) / places.length);
    await page.mouse.move(x - 60, y);
    await page.mouse.down();
    for (let i = 1; i <= STEPS; ++i) await page.mouse.move(x - 60 + 2 * i, y + 10 * Math.sin(i / 5));
    await page.mouse.up();
    const { steps } = await studio(page, "paint");
    await page.keyboard.press("Control+z");
    return steps.slice(before + 4).sort((a, b) => a - b);
}
