// The world in the studio, driven by real pointer and touch events: node world.mjs PROGRAM. Every claim is about state, bytes or pixels, never about speed.
import fs from "node:fs";
import { at, axeFinds, change, comesBack, dragBy, drop, equal, fingerBy, frames, holds, lineHashes, openArm, outLine, ready, rested, saved, settled, skinSpot, stillAt, studio, test } from "./harness.mjs";

const box = (x, y, z) => [[-x, -y, -z], [x, -y, -z], [x, y, -z], [-x, y, -z], [-x, -y, z], [x, -y, z], [x, y, z], [-x, y, z]].map(p => `v ${p.join(" ")}`).join("\n") + "\nf 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";
fs.writeFileSync(at("slab.obj"), box(0.05, 0.02, 0.04));
const { page, end, session } = await openArm({ width: 1200, height: 720 }), world = async () => (await session()).world;
const begin = async (deformer, more = {}) => {
    await studio(page, "pause");
    await change(page, s => ({ ...s, source: { ...s.source, world: undefined }, chains: [{ id: 1, links: [{ deformer, muted: false, values: deformer === "layers" ? { cage: "250" } : {} }] }], active: 1, compare: "single", clip: "flex", fps: 30, start: null, end: 0.3, cycle: false, repeat: false, frame: 0, take: undefined, world: undefined, camera: null, touch: { tool: "world", reach: 0.05, spring: 40000 }, ...more }));
    return stillAt(page, more.frame ?? 0);
};
const handle = async name => {
    await rested(page);
    const all = await studio(page, "handles"), found = all.find(one => one.name === name);
    holds(found, `a handle '${name}' among ${all.map(one => one.name)}`);
    return found;
};
const free = () => page.waitForFunction(() => globalThis.studio.hand().frame < 0);
const bodies = n => page.waitForFunction(count => (globalThis.studio.session().world?.bodies.length ?? 0) === count, n);
/** The kept world, with the files beside it, bakes to the frames of the page. */
async function repeats(what) {
    const after = await frames(page);
    await saved(page, "#world-keep");
    equal(lineHashes(await outLine(page)), after, what);
    return after;
}

for (const [deformer, kind] of [["layers", "ball"], ["lattice", "capsule"]]) await test(`a ${kind} follows the pointer into ${deformer}, which answers at once; what was shown is what bakes`, async () => {
    await begin(deformer, { frame: 3 });
    await page.locator(`[data-poke="${kind}"]`).click();
    await rested(page);
    // What was made ready before follows values of a frame, and another chain with the same links.
    await change(page, s => ({ ...s, chains: s.chains.map(one => ({ id: 2, links: one.links.map(each => ({ ...each, values: { ...each.values, drag: 8 } })) })), active: 2 }));
    await settled(page);
    await rested(page);
    const before = await frames(page), spot = await skinSpot(page);
    await page.mouse.move(spot.x, spot.y);
    if (kind === "ball") await page.evaluate(() => globalThis.studio.unready()); // a press that comes too early is not lost
    await page.mouse.down();
    await page.waitForFunction(() => globalThis.studio.hand().frame >= 5);
    for (let i = 1; i <= 4; ++i) {
        const { frame } = await studio(page, "hand");
        await page.mouse.move(spot.x + 4 * i, spot.y + 3 * i);
        await page.waitForFunction(n => globalThis.studio.hand().frame > n, frame);
    }
    await page.mouse.up();
    await free();
    await bodies(1);
    const { shown } = await studio(page, "hand"), { world: { bodies: [body] }, take } = await session();
    holds(body[kind === "ball" ? "sphere" : "capsule"] && body.keys.length > 6 && take.hold > 0, JSON.stringify(body).slice(0, 300));
    const after = await repeats("the frames of the copied line");
    await page.waitForFunction(last => globalThis.studio.measures(2, 0) && globalThis.studio.measures(2, last), after.length - 1); // the curves go on
    holds(shown.length > 8 && shown.every(([frame, hash]) => after[frame] === hash), `${shown.filter(([frame, hash]) => after[frame] !== hash).length} of ${shown.length} frames that were shown are others now`);
    holds(shown.some(([frame, hash]) => frame < before.length && before[frame] !== hash), "the skin gave way");
    await comesBack(page, before, after);
});

await test("beside plain skinning the other pane is poked, also while it plays; where the chain cannot be made ready that is said once and not tried again", async () => {
    await begin("linear", { chains: ["linear", "lattice"].map((deformer, i) => ({ id: i + 1, links: [{ deformer, muted: false, values: {} }] })), active: 2, compare: "side", repeat: true });
    await rested(page);
    // Where there is skin of the second pane in the first and in the last frame: the press comes at any of them.
    const view = await page.locator("#view").boundingBox(), spots = [];
    for (let x = view.x + 0.75 * view.width; x < view.x + view.width - 30; x += 8)
        for (let y = view.y + 30; y < view.y + view.height - 30; y += 8) spots.push({ x, y });
    const skinAt = async frame => (await stillAt(page, frame), page.evaluate(all => all.map(p => [[0, 0], [6, 0], [-6, 0], [0, 6], [0, -6]].every(([dx, dy]) => globalThis.studio.pointAt(p.x + dx, p.y + dy) !== null)), spots));
    const last = await skinAt(9), first = await skinAt(0), spot = spots.find((_, i) => first[i] && last[i]);
    holds(spot, "skin of the second pane");
    const { x, y } = spot;
    await page.mouse.move(x, y);
    await page.evaluate(() => (globalThis.studio.unready(), globalThis.studio.play()));
    await page.mouse.down();
    await page.waitForFunction(() => globalThis.studio.hand().frame >= 0);
    await page.mouse.up();
    await free();
    await bodies(1);
    await studio(page, "pause");
    await page.locator("#view").press("Control+z");
    await bodies(0);
    await settled(page);
    await rested(page);
    await page.evaluate(() => {
        const Kept = globalThis.Worker;
        globalThis.refused = 0;
        globalThis.giveBack = () => (globalThis.Worker = Kept);
        globalThis.Worker = class { constructor() { ++globalThis.refused; throw new Error("no more workers here"); } };
        globalThis.studio.unready();
    });
    const press = async () => {
        await page.mouse.move(x, y);
        await page.mouse.down();
        await page.locator("#notices .bad").waitFor();
        await page.mouse.up();
        await page.evaluate(() => new Promise(resolve => requestAnimationFrame(() => requestAnimationFrame(resolve)))); // it was tried anew in every frame
        return [await page.locator("#notices .bad p").allTextContents(), await page.evaluate(() => globalThis.refused)];
    };
    try {
        equal([await press(), await press()], [[["no more workers here"], 1], [["no more workers here"], 1]], "sentences, and workers asked for, of two presses");
    } finally {
        await page.evaluate(() => (globalThis.giveBack(), globalThis.studio.unready()));
    }
    await page.locator("#notices .bad button").last().click();
});

await test("a mesh that is dropped is a body: dragged, turned by a ring, keyed, pinned to a joint, there after a reload, and in the bake", async () => {
    await begin("lattice");
    await drop(page, at("slab.obj"));
    await bodies(1);
    const before = await frames(page); // beside the arm
    const far = await handle("slab 1");
    holds((await world()).files[0].name === "slab.obj", "its file is kept");
    await page.getByRole("button", { name: "Keys of slab 1" }).click();
    const spot = await skinSpot(page);
    await studio(page, "seek", 6);
    await dragBy(page, await handle("slab 1"), { x: spot.x - far.x, y: spot.y - far.y });
    await page.waitForFunction(() => globalThis.studio.session().world.bodies[0].keys.length === 2);
    const there = await handle("slab 1"), { bodies: [{ keys: [, key] }] } = await world();
    holds(Math.hypot(there.x - spot.x, there.y - spot.y) < 6 && Math.abs(key.time - 0.2) < 1e-6, `it is where it was dragged to: ${JSON.stringify([there, spot, key])}`);
    // Along an axis by its arrow: from behind the arm into it.
    for (let i = 0, far = 30; i < 5 && Math.abs((await world()).bodies[0].keys[1].move[2] + 0.02) > 0.03; ++i) {
        const [tip, foot, z] = [await handle("slab 1 z"), await handle("slab 1"), (await world()).bodies[0].keys[1].move[2]], long = Math.hypot(tip.x - foot.x, tip.y - foot.y);
        await dragBy(page, tip, { x: (tip.x - foot.x) / long * far, y: (tip.y - foot.y) / long * far });
        await page.waitForFunction(old => globalThis.studio.session().world.bodies[0].keys[1].move[2] !== old, z);
        far = far * (-0.02 - (await world()).bodies[0].keys[1].move[2]) / ((await world()).bodies[0].keys[1].move[2] - z);
    }
    holds(Math.abs((await world()).bodies[0].keys[1].move[2] + 0.02) < 0.03, "the arrow along z brings it there");
    const held = await handle("slab 1");
    // A ring stands around what is chosen: somewhere on the circle of 0.115 views one of the three is met.
    const { height } = await page.locator("#view").boundingBox();
    for (let a = 0; a < 12 && !(await world()).bodies[0].keys[1].turn?.some((one, i) => Math.abs(one) > (i < 3 ? 0.05 : 2)); ++a) {
        const from = { x: held.x + 0.115 * height * Math.cos(a / 2), y: held.y + 0.115 * height * Math.sin(a / 2) };
        await dragBy(page, from, { x: -25 * Math.sin(a / 2), y: 25 * Math.cos(a / 2) });
        if ((await studio(page, "hand")).frame >= 0) await free();
        await rested(page);
    }
    holds((await world()).bodies[0].keys[1].turn, "a ring turns it");
    await change(page, s => ({ ...s, world: { ...s.world, bodies: s.world.bodies.slice(0, 1) } }));
    const after = await repeats("the frames of the copied line, with the mesh beside the world");
    holds(after.some((hash, i) => hash !== before[i]), "it is felt");
    await studio(page, "seek", 6);
    const stood = await handle("slab 1");
    await page.getByLabel("Joint that carries slab 1").selectOption("forearm");
    await page.waitForFunction(() => globalThis.studio.session().world.bodies[0].joint === "forearm");
    const pinned = await handle("slab 1");
    holds(Math.hypot(pinned.x - stood.x, pinned.y - stood.y) < 3, "it is pinned where it is");
    const carried = await repeats("on a joint");
    await rested(page);
    await page.reload();
    await ready(page);
    equal(await frames(page), carried, "frames after a reload");
});

await test("a push is put on the skin, dragged by both ends and keyed; a muscle is dragged; gravity has keys: all bake to the frames of the page", async () => {
    const before = await begin("layers");
    await page.locator("#world-force").click();
    await page.waitForFunction(() => globalThis.studio.session().world?.forces?.length === 1);
    const first = (await world()).forces[0];
    await dragBy(page, await handle("force 1 tip"), { x: 40, y: -60 }, { inside: async () => holds(/^\d+ N|kN$/.test(await page.locator(".push-label:not([hidden])").first().textContent()), "newtons stand beside it") });
    await page.waitForFunction(old => JSON.stringify(globalThis.studio.session().world.forces[0].value) !== old, JSON.stringify(first.value));
    const foot = await handle("force 1 at"), aside = await page.evaluate(({ x, y }) => [[28, 0], [0, 28], [0, -28], [-28, 0]].find(([dx, dy]) => globalThis.studio.pointAt(x + dx, y + dy) !== null), foot);
    await dragBy(page, foot, { x: aside[0], y: aside[1] });
    await page.waitForFunction(old => JSON.stringify(globalThis.studio.session().world.forces[0].at) !== old, JSON.stringify(first.at));
    const pushed = await repeats("a push");
    holds(pushed.some((hash, i) => hash !== before[i]), "it is felt");
    await page.getByRole("button", { name: "Keys of force 1" }).click();
    await studio(page, "seek", 5);
    await fingerBy(page, await handle("force 1 tip"), { x: -30, y: 30 });
    await page.waitForFunction(() => globalThis.studio.session().world.forces[0].keys?.length === 2);
    await page.locator("#world-muscle").selectOption("forearm");
    await page.waitForFunction(() => globalThis.studio.session().world.muscles?.forearm === 0.5);
    await page.getByRole("button", { name: "Keys of forearm" }).click();
    await studio(page, "seek", 8);
    await dragBy(page, await handle("forearm"), { x: 0, y: -40 });
    await page.waitForFunction(() => globalThis.studio.session().world.muscles.forearm.length === 2);
    const { muscles: { forearm: [weak, strong] } } = await world();
    holds(weak.value === 0.5 && strong.value > 0.75, JSON.stringify([weak, strong]));
    await page.getByRole("group", { name: "The world" }).getByLabel("Wind", { exact: true }).fill("80");
    await page.waitForFunction(() => Math.abs(Math.hypot(...globalThis.studio.session().world.wind ?? [0]) - 8) < 0.1);
    await page.locator("#world-gravity-keys").click();
    await studio(page, "seek", 2);
    await dragBy(page, await handle("gravity"), { x: 30, y: -20 });
    await page.waitForFunction(() => globalThis.studio.session().world.keys?.gravity?.length === 2);
    const after = await repeats("keys of a push, a muscle and gravity");
    holds(after.some((hash, i) => hash !== pushed[i]), "they are felt");
    for (let i = 0; i < 14 && (await world()); ++i) await page.locator("#view").press("Control+z");
    equal(await frames(page), before, "frames after undo");
});

await test("a world that is dropped with its meshes plays, and can be edited here; nothing is in the way of a screen reader", async () => {
    const before = await begin("lattice");
    fs.writeFileSync(at("stage.json"), JSON.stringify({ wind: [3, 0, 0], bodies: [{ mesh: "slab.obj", keys: [{ time: 0, move: [0.15, 0, 0.06], turn: [0, 0, 30] }] }], muscles: { forearm: 0.5 } }));
    await drop(page, at("stage.json"), at("slab.obj"));
    await page.waitForFunction(() => globalThis.studio.session().source.world?.name === "stage.json");
    const after = await frames(page);
    equal(lineHashes(await outLine(page)), after, "the frames of the copied line");
    holds(after.some((hash, i) => hash !== before[i]), "it is felt");
    await page.locator("#world-take").click();
    await bodies(1);
    equal([(await session()).source.world, await frames(page)], [undefined, after], "the same frames, now edited here");
    await handle("body 1");
    equal(await axeFinds(page), [], "what axe-core finds");
    equal(page.problems, [], "complaints of the page");
});

await end();
