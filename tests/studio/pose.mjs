// Posing in the studio, driven by real pointer events: node pose.mjs PROGRAM. Every claim is about state, bytes or pixels, never about speed.
import { axeFinds, change, comesBack, dragBy, equal, holds, lineHashes, openArm, rested, saved, skinSpot, studio, test } from "./harness.mjs";

const { page, end, session, all } = await openArm(), pose = () => studio(page, "pose");
const link = deformer => ({ deformer, muted: false, values: deformer === "layers" ? { cage: "250" } : {} });
const only = (deformer, more = {}) => change(page, s => ({ ...s, source: { ...s.source, poses: undefined }, chains: [{ id: 1, links: [link(deformer)] }], active: 1, compare: "single", clip: "flex", fps: 30, start: null, end: null, cycle: false, repeat: false, frame: 0, take: undefined, camera: null, touch: { tool: "pose", reach: null, spring: 40000 }, show: { ...s.show, joint: null }, ...more }));
const keys = n => page.waitForFunction(count => globalThis.studio.session().source.poses?.at(-1)?.keys.length === count, n);
const place = async name => {
    await rested(page);
    const found = (await pose()).joints.find(one => one.name === name);
    holds(found, `a joint '${name}' in the view`);
    return found;
};
const begin = async (deformer, more) => {
    await studio(page, "pause"); // first: a playhead that runs on bends the arm under the panel
    await only(deformer, more);
    await all();
    await rested(page);
    await page.waitForFunction(() => globalThis.studio.session().touch.tool !== "pose" || globalThis.studio.pose()?.joints.length > 0);
};
const drag = (from, by, more = {}) => dragBy(page, from, by, { steps: 6, ...more });

await test("dragging the hand reaches with two bones, and the pose it leaves is one for --pose, to the bit", async () => {
    await begin("linear", { touch: { tool: "pose", reach: null, spring: 40000, posing: { limited: false } } });
    const hand = await place("hand"), before = await pose(), { points } = await studio(page, "character");
    const [near, at] = await page.evaluate(([{ x, y }, n]) => Array.from({ length: n }, (_, i) => [i, globalThis.studio.pixel(i)]).reduce((a, b) => (Math.hypot(b[1].x - x, b[1].y - y) < Math.hypot(a[1].x - x, a[1].y - y) ? b : a)), [hand, points]);
    const inside = await drag(hand, { x: -60, y: -50 }, { inside: async () => {
        await page.waitForFunction(([i, { x, y }]) => { const now = globalThis.studio.pixel(i); return Math.hypot(now.x - x, now.y - y) > 40; }, [near, at]); // the skin follows the hand
        return pose();
    } });
    await keys(1);
    await all();
    const after = await pose(), to = await place("hand");
    holds(JSON.stringify(inside.turn) !== JSON.stringify(before.turn), "the pose followed while it was dragged");
    holds(Math.hypot(to.x - hand.x + 60, to.y - hand.y + 50) < 25, `the hand went to ${to.x - hand.x}, ${to.y - hand.y}`);
    holds(after.turn.upper_arm && after.turn.forearm, "two bones turned");
    equal(after.move, {}, "nothing was moved");
    await change(page, s => ({ ...s, source: { ...s.source, poses: s.source.poses.map(one => ({ ...one, between: "linear" })) } }));
    const [hash] = await all();
    await page.locator("#pose-copy").click();
    const words = await page.evaluate(() => navigator.clipboard.readText());
    equal(lineHashes(`supple bake arm.glb o.npy ${words} --deform linear`), [hash], "the hash of --pose");
});

await test("a ring turns the joint within the limits of the clips, and without them beyond", async () => {
    await begin("linear");
    await page.locator('[data-joint="forearm"]').click();
    await page.waitForFunction(() => globalThis.studio.session().show.joint === "forearm");
    await rested(page);
    await page.getByLabel("Degrees about x").fill("170");
    await page.keyboard.press("Enter");
    await keys(1);
    await all();
    const limited = (await pose()).turn.forearm[0];
    holds(limited < 60, `within the limits: ${limited}`);
    await page.locator("#view").focus();
    await page.keyboard.press("Control+z");
    await page.waitForFunction(() => Number(document.querySelector('[aria-label="Degrees about x"]').value) === 0); // the same number again would be no change
    await page.locator("#pose-limits").click();
    await page.getByLabel("Degrees about x").fill("170");
    await page.keyboard.press("Enter");
    await keys(1);
    await all();
    equal((await pose()).turn.forearm[0], 170, "without limits");
    await page.locator("#view").focus();
    await page.keyboard.press("Control+z");
    await all();
    const box = await page.locator("#view").boundingBox(), radius = 0.115 * box.height;
    let turned = false;
    for (let a = 0; a < 12 && !turned; ++a) { // somewhere on the circle there is a ring
        const angle = a * Math.PI / 6;
        for (const r of [1, 0.85, 0.6]) {
            const at_ = await place("forearm"); // a drag beside the rings turns the view
            const from = { x: at_.x + r * radius * Math.cos(angle), y: at_.y + r * radius * Math.sin(angle) }, was = JSON.stringify((await pose()).turn);
            await drag(from, { x: -20 * Math.sin(angle), y: 20 * Math.cos(angle) }, { steps: 3 });
            turned = Boolean((await session()).source.poses) && JSON.stringify((await pose()).turn) !== was;
            if (turned) break;
        }
    }
    holds(turned, "a ring turned the joint");
    equal(Object.keys((await session()).source.poses[0].keys[0].move), [], "a ring moves nothing");
});

await test("key poses are a motion: three keys, smooth, under layers, are the frames of --motion and of the saved GLB", async () => {
    await begin("layers", { touch: { tool: "pose", reach: null, spring: 40000, posing: { spacing: 0.2 } } });
    const hand = await place("hand");
    await drag(hand, { x: -30, y: -60 });
    await keys(1);
    await page.locator("#pose-key").click();
    await keys(2);
    await page.waitForFunction(() => globalThis.studio.session().frame === 6);
    await page.locator('[data-joint="upper_arm"]').click();
    await page.getByLabel("Degrees about z").fill("20");
    await page.keyboard.press("Enter");
    await page.waitForFunction(() => globalThis.studio.session().source.poses[0].keys[1].turn.upper_arm?.[2] === 20);
    await page.locator("#view").focus();
    await page.keyboard.press("k");
    await keys(3);
    const after = await all();
    equal(after.length, 13, "frames");
    holds(new Set(after).size > 10, "it moves");
    await saved(page, "#pose-file");
    await page.getByRole("tab", { name: "Out", exact: true }).click();
    const line = await page.locator("#out-code").textContent();
    holds(line.includes("--motion pose.json"), line);
    equal(lineHashes(line), after, "the frames of the copied line");
    const glb = await saved(page, "#pose-glb");
    equal(lineHashes(`supple bake ${glb} o.npy --clip pose --deform layers --set layers.cage=250 --fps 30`), after, "the frames of the saved GLB");
});

await test("keys stand on the timeline: dragged, deleted, undone and done again, and so after a reload", async () => {
    await page.locator('#tools [data-tool="pose"]').click();
    const marks = page.locator(".pose-mark");
    equal(await marks.count(), 3, "marks");
    const box = await marks.nth(1).boundingBox();
    await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    await page.mouse.down();
    await page.mouse.move(box.x + 80, box.y + 6, { steps: 4 });
    await page.mouse.up();
    await page.waitForFunction(() => globalThis.studio.session().source.poses[0].keys[1].time > 0.21);
    const moved = (await session()).source.poses[0].keys[1].time;
    equal(Math.abs(moved * 30 - Math.round(moved * 30)) < 1e-3, true, "on a frame");
    const before = await all();
    await marks.nth(1).focus();
    await page.keyboard.press("Delete");
    await keys(2);
    await comesBack(page, before, await all());
    await keys(2);
});

await test("a finger reaches too; kept poses are pictures that come back; nothing is in the way of a screen reader", async () => {
    await begin("linear");
    const hand = await place("hand"), touches = await page.context().newCDPSession(page);
    const send = (type, dx, dy) => touches.send("Input.dispatchTouchEvent", { type, touchPoints: type === "touchEnd" ? [] : [{ x: hand.x + dx, y: hand.y + dy }] });
    await send("touchStart", 0, 0);
    for (let i = 1; i <= 4; ++i) await send("touchMove", -10 * i, -12 * i);
    await send("touchEnd");
    await keys(1);
    await all();
    const { turn } = await pose();
    await page.locator("#pose-keep").click();
    await page.waitForFunction(() => {
        const canvas = document.querySelector(".pose-thumb canvas"), data = canvas?.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
        return data && new Set(data).size > 20;
    });
    await page.getByRole("button", { name: "Reset all" }).click();
    await page.waitForFunction(() => Object.keys(globalThis.studio.pose().turn).length === 0);
    await page.getByRole("button", { name: "Pose 1", exact: true }).click();
    await page.waitForFunction(() => Object.keys(globalThis.studio.pose().turn).length > 0);
    equal((await pose()).turn, turn, "the pose that was kept");
    equal(await axeFinds(page), [], "what axe-core finds");
    equal(page.problems, [], "complaints of the page");
});

await test("a throw and a shake are recorded on the clock, and bake to the frames of the page", async () => {
    await begin("lattice", { touch: { tool: "throw", reach: null, spring: 40000 }, fps: 15 });
    const free = () => page.waitForFunction(() => globalThis.studio.hand().frame < 0 && globalThis.studio.session().source.poses?.length === 1);
    const at_ = await skinSpot(page);
    await page.mouse.move(at_.x, at_.y);
    await page.mouse.down();
    await page.waitForFunction(() => globalThis.studio.hand().frame >= 0);
    for (let i = 1; i <= 6; ++i) {
        const { frame } = await studio(page, "hand");
        await page.mouse.move(at_.x + 10 * i, at_.y - 6 * i);
        await page.waitForFunction(n => globalThis.studio.hand().frame > n, frame);
    }
    await page.keyboard.down("x");
    await page.mouse.up();
    await page.waitForFunction(n => globalThis.studio.hand().frame > n + 5, (await studio(page, "hand")).frame);
    await page.keyboard.up("x");
    await free();
    const { clip, source: { poses: [thrown] } } = await session();
    equal([clip, thrown.over], ["thrown flex", "flex"], "the clip");
    const far = Math.max(...thrown.keys.map(one => Math.hypot(...Object.values(one.move)[0])));
    holds(far > 0.02, `the root went ${far} m`);
    const after = await all();
    await saved(page, "#throw-file");
    await page.getByRole("tab", { name: "Out", exact: true }).click();
    equal(lineHashes(await page.locator("#out-code").textContent()), after, "the frames of the copied line");
    await page.locator("#view").focus();
    await page.keyboard.press("Control+z");
    await page.waitForFunction(() => globalThis.studio.session().clip === "flex");
});

await end();
