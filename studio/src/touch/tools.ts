// The tools of the hand over the view: what a pointer does on the skin, the bar with their settings, and what is drawn for them.
import { BufferAttribute, BufferGeometry, Group, Line, LineBasicMaterial, LineLoop, Mesh, MeshBasicMaterial, Plane, SphereGeometry, Vector3 } from "three";
import { type App, isCommand, soon } from "../app.ts";
import { byId, h, icon } from "../dom.ts";
import { fileBytes } from "../files.ts";
import { save } from "../output.ts";
import type { Session } from "../session.ts";
import "./touch.css";
import "./pose.css";
import { type Grip, Hand } from "./hand.ts";
import { type Brush, Painter } from "./paint.ts";
import type { Hit, Picker } from "./pick.ts";
import { drawLine } from "./lasso.ts";
import { groundOf } from "./map.ts";
import type { MirrorBy } from "./mirror.ts";
import { PoseTool, type Posing } from "./pose_tool.ts";
import { type SculptBrush, Sculptor } from "./sculpt.ts";
import { Thrower, type Throwing } from "./throw.ts";
import { type WeightBrush, Weigher } from "./weights.ts";
import { worldMerged } from "./world.ts";
import { WorldTool } from "./world_tool.ts";
import { RECORDED, takeOf, worldWith } from "./take.ts";

export type Tool = "look" | "grab" | "paint" | "sculpt" | "weights" | "pose" | "throw" | "world";
export interface Touch {
    tool: Tool;
    /** Meters around the pointer that a hand grabs; null: a twelfth of the character. */
    reach: number | null;
    /** Newtons a meter. */
    spring: number;
    brush?: Brush;
    sculpt?: SculptBrush;
    weights?: WeightBrush;
    posing?: Posing;
    throwing?: Throwing;
    /** How partners across x are found; by default by place. */
    mirrorBy?: MirrorBy;
    /** What pokes. */
    poke?: "ball" | "capsule";
}
const BRUSHES: ReadonlySet<Tool> = new Set(["paint", "sculpt", "weights"]);
const STANDARD: Touch = { tool: "look", reach: null, spring: 40000 };
const REACH_OF_DIAGONAL = 1 / 12; // a palm on a person, a flank on a horse
const SPRINGS = [300, 100000] as const; // N/m, on a logarithmic slider: soft flesh follows the first, firm flesh the last
const RING = 48;
const LEAST_ROOM = 180; // pixels beside a panel that are enough for a picture

export const touchOf = (session: Session): Touch => ({ ...STANDARD, ...session.touch });

const TOOLS: { tool: Tool; label: string; key: string; path: string }[] = [
    { tool: "look", label: "Look: drag turns the view", key: "V", path: "M3.5 2.5 12 8l-4 .8L6.2 13z" },
    { tool: "grab", label: "Grab: press on the skin and pull", key: "G", path: "M4.6 8.4V5.2a1 1 0 0 1 2 0V4a1 1 0 0 1 2 0v.6a1 1 0 0 1 2 0v1a1 1 0 0 1 1.9 0v3.6c0 2.6-1.6 4.3-4 4.3-1.9 0-3-.8-3.9-2.4L3 8.6c-.5-1 .8-1.7 1.6-.2z" },
    { tool: "paint", label: "Paint where a parameter acts", key: "P", path: "M13.2 2.8c-.9-.9-2-.4-2.8.4L6.6 7.6l1.8 1.8 4.4-3.8c.8-.8 1.3-1.9.4-2.8zM6 8.6c-1.6 0-2.4 1-2.6 2.2-.1.8-.5 1.4-1.2 1.7 2 1 5.4.6 5.6-2" },
    { tool: "sculpt", label: "Sculpt the skin in this pose", key: "S", path: "M1.8 12.8h12.4M3.4 12.8c0-2.9 2.2-3.3 3-6.1.5-1.9 2.7-1.9 3.2 0 .8 2.8 3 3.2 3 6.1M8 2.2v1.2" },
    { tool: "weights", label: "Paint the weights of a joint", key: "L", path: "M4 10.2a1.9 1.9 0 1 0 0 3.8 1.9 1.9 0 1 0 0-3.8zM12 2a1.9 1.9 0 1 0 0 3.8A1.9 1.9 0 1 0 12 2zM5.4 10.7l5.2-5.4" },
    { tool: "pose", label: "Pose: turn joints, reach, set keys", key: "J", path: "M8 4.2a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM8 4.4v4.4M3 5.2l5 1.2 5-2.6M8 8.8l-2.8 5.4M8 8.8l3.2 2.4-.6 3.2" },
    { tool: "throw", label: "Throw: fling the whole character, shake it", key: "H", path: "M2.5 12.5c2.5-6 6-8.5 10.5-8.6M9.8 1.6 13.2 3.9l-2.3 3.3M3.2 8.2l-1.4-.6M5.2 5.6 4.2 4.4M7.6 3.8 7.2 2.2" },
    { tool: "world", label: "World: gravity, wind, bodies; press on the skin to poke it", key: "U", path: "M8 2.2a5.8 5.8 0 1 0 0 11.6A5.8 5.8 0 0 0 8 2.2zM2.4 8h11.2M8 2.2c2 1.6 3 3.5 3 5.8s-1 4.2-3 5.8c-2-1.6-3-3.5-3-5.8s1-4.2 3-5.8z" },
];

export interface Tools {
    hand: Hand;
    painter: Painter;
    sculptor: Sculptor;
    weigher: Weigher;
    poser: PoseTool;
    thrower: Thrower;
    outside: WorldTool;
    /** Whether the chosen tool can be used: what it needs is loaded on first use. */
    ready(): boolean;
    /** The skin under a pixel of the canvas. */
    pick(x: number, y: number): Hit | undefined;
    /** Milliseconds of each step of a stroke: picking, the dab and its colors. */
    strokes: number[];
}

/** What is drawn over the skin: the ring under the pointer, and springs. */
class Marks {
    readonly group = new Group();
    readonly ring: LineLoop<BufferGeometry, LineBasicMaterial>;
    private readonly springs: { line: Line<BufferGeometry, LineBasicMaterial>; from: Mesh; to: Mesh; label: HTMLElement }[] = [];
    private readonly labels = byId("labels");

    constructor() {
        const ring = new BufferGeometry();
        ring.setAttribute("position", new BufferAttribute(new Float32Array(3 * RING), 3));
        this.ring = new LineLoop(ring, new LineBasicMaterial({ color: 0xffffff, depthTest: false, transparent: true, opacity: 0.85, toneMapped: false }));
        this.ring.frustumCulled = false;
        this.ring.renderOrder = 20;
        this.ring.visible = false;
        this.group.add(this.ring);
    }

    /** A circle on the skin. */
    circle(place: Vector3 | undefined, normal: Vector3, radius: number): void {
        this.ring.visible = place !== undefined;
        if (!place) return;
        const u = new Vector3(Math.abs(normal.x) < 0.8 ? 1 : 0, Math.abs(normal.x) < 0.8 ? 0 : 1, 0).cross(normal).normalize(), v = new Vector3().crossVectors(normal, u), to = this.ring.geometry.getAttribute("position") as BufferAttribute, p = new Vector3();
        for (let i = 0; i < RING; ++i) {
            const a = 2 * Math.PI * i / RING;
            p.copy(place).addScaledVector(u, radius * Math.cos(a)).addScaledVector(v, radius * Math.sin(a)).addScaledVector(normal, 0.02 * radius);
            to.setXYZ(i, p.x, p.y, p.z);
        }
        to.needsUpdate = true;
    }

    private make() {
        const line = new Line(new BufferGeometry().setAttribute("position", new BufferAttribute(new Float32Array(6), 3)), new LineBasicMaterial({ color: 0xffc24d, depthTest: false, toneMapped: false }));
        const ball = () => new Mesh(new SphereGeometry(1, 16, 12), new MeshBasicMaterial({ color: 0xffc24d, depthTest: false, toneMapped: false }));
        const one = { line, from: ball(), to: ball(), label: h("output", { class: "newtons" }) };
        for (const each of [line, one.from, one.to]) each.renderOrder = 21, each.frustumCulled = false, this.group.add(each);
        this.labels.append(one.label);
        this.springs.push(one);
        return one;
    }

    /** The springs that are held, with their newtons where `project` puts them. */
    show(grips: Grip[], diagonal: number, project: (place: Vector3) => { x: number; y: number }): void {
        const held = grips.filter(one => one.held);
        for (let i = 0; i < Math.max(held.length, this.springs.length); ++i) {
            const one = this.springs[i] ?? this.make(), grip = held[i];
            one.line.visible = one.from.visible = one.to.visible = Boolean(grip);
            one.label.hidden = !grip;
            if (!grip) continue;
            const ends = one.line.geometry.getAttribute("position") as BufferAttribute, end = grip.to.clone().sub(grip.offset), from = grip.middle.clone().sub(grip.offset);
            ends.setXYZ(0, from.x, from.y, from.z);
            ends.setXYZ(1, end.x, end.y, end.z);
            ends.needsUpdate = true;
            one.from.position.copy(from);
            one.to.position.copy(end);
            one.from.scale.setScalar(0.0045 * diagonal);
            one.to.scale.setScalar(0.0065 * diagonal);
            const { x, y } = project(end), { newtons } = grip, text = newtons < 10 ? `${newtons.toFixed(1)} N` : newtons < 9999.5 ? `${Math.round(newtons)} N` : `${(newtons / 1000).toFixed(1)} kN`;
            one.label.style.transform = `translate(${Math.round(x + 14)}px, ${Math.round(y - 26)}px)`;
            if (one.label.textContent !== text) one.label.textContent = text;
        }
    }
}

export function touchTools(app: App): Tools {
    const { store, engine, view, say } = app, marks = new Marks();
    view.stage.scene.add(marks.group);
    view.marks.push(marks.group);
    let picker: Picker | undefined;
    const strokes: number[] = [];
    const load = () => void import("./pick.ts").then(({ Picker: Kind }) => (picker ??= new Kind(view)));
    const hand = new Hand(app, () => draw());
    const set = (label: string, change: Partial<Touch>, merge = "") => store.do(label, session => ({ ...session, touch: { ...touchOf(session), ...change } }), merge);
    const choose = (tool: Tool) => store.keep(session => ({ ...session, touch: { ...touchOf(session), tool } })); // a tool is no step: undo is for what it did
    const reach = () => touchOf(store.now).reach ?? Number((REACH_OF_DIAGONAL * (engine.info?.diagonal ?? 1) * (engine.info?.physics_unit ?? 1)).toPrecision(2));
    const pulls = () => takeOf(store.now, engine.clip()?.name ?? null).pulls;

    // ---- the bar
    const buttons = TOOLS.map(({ tool, label, key, path }) => h("button", { class: "square", "data-tool": tool, "aria-label": label, title: `${label} (${key})`, onclick: () => choose(tool) }, icon(path)));
    const slider = (name: string, oninput: (value: number) => void) => {
        const bar = h("input", { type: "range", min: "0", max: "1000", "aria-label": name, oninput: () => oninput(Number(bar.value) / 1000) }), value = h("output", {});
        return { bar, value, row: h("label", { class: "touch-slider" }, h("span", {}, name), bar, value) };
    };
    const log = (t: number, low: number, high: number) => low * (high / low) ** t, unlog = (value: number, low: number, high: number) => Math.log(value / low) / Math.log(high / low);
    const extent = () => (engine.info?.diagonal ?? 1) * (engine.info?.physics_unit ?? 1);
    const wide = slider("Reach", t => set("reach of the hand", { reach: Number(log(t, extent() / 100, extent() / 3).toPrecision(2)) }, "reach"));
    const strong = slider("Strength", t => set("strength of the hand", { spring: Number(log(t, ...SPRINGS).toPrecision(2)) }, "spring"));
    const count = h("span", { class: "about" }), keep = h("button", { class: "small outline", id: "keep-world", title: "What was done by hand, as a world file for 'supple bake --world'", onclick: () => void keepWorld() }, "Keep as world");
    const clear = h("button", { class: "small outline", id: "clear-pulls", onclick: () => store.do("let go of everything", session => { const { take: _, ...rest } = session; return rest; }) }, "Clear");
    const options = h("div", { class: "touch-options", role: "group", "aria-label": "The hand" }, wide.row, strong.row, h("div", { class: "row" }, count, h("span", { class: "grow" }), keep, clear));
    const sized = () => slider("Size", t => set("size of the brush", { reach: Number(log(t, extent() / 100, extent() / 3).toPrecision(2)) }, "reach")), sizes = [sized(), sized(), sized()];
    // One choice for the three brushes, in the panel of each.
    const ways = sizes.map(() => h("select", { class: "mirror-by", "aria-label": "How partners across x are told", onchange: (event: Event) => set("how partners are told", { mirrorBy: (event.target as HTMLSelectElement).value as MirrorBy }) }, h("option", { value: "place" }, "by place"), h("option", { value: "topology" }, "by topology")));
    const mirror = () => {
        const { tool, mirrorBy = "place" } = touchOf(store.now);
        if (engine.shape && BRUSHES.has(tool)) groundOf(engine.shape).mirrorBy = mirrorBy; // worked out with the first brush: not while the character opens
        for (const one of ways) one.value = mirrorBy;
    };
    store.follow(mirror); // before the brushes hear of it
    engine.listen(mirror);
    const painter = new Painter(app, () => reach(), slider, sizes[0]!.row), sculptor = new Sculptor(app, () => reach(), slider, sizes[1]!.row), weigher = new Weigher(app, () => reach(), slider, sizes[2]!.row);
    const poser = new PoseTool(app, () => picker), thrower = new Thrower(app, () => picker), outside = new WorldTool(app, () => picker, reach, hand);
    byId("stage").append(painter.options, sculptor.options, weigher.options, poser.options, thrower.options, outside.options, h("div", { id: "tools", role: "toolbar", "aria-label": "Tools", "aria-orientation": "vertical" }, buttons), options);

    ["paint-mirror", "sculpt-mirror", "weights-mirror"].forEach((id, i) => document.getElementById(id)!.before(ways[i]!));
    mirror();

    async function keepWorld(): Promise<void> {
        const { world } = store.now.source, file = world ? JSON.parse(new TextDecoder().decode(await fileBytes(world))) as object : undefined, { hold } = engine.span();
        save(RECORDED, new Blob([`${JSON.stringify(worldWith(worldMerged(file, store.now.world), pulls()), null, 1)}\n`], { type: "application/json" }));
        say(`${RECORDED}: 'supple bake --world ${RECORDED}${hold ? ` --hold ${hold}` : ""}' gives these frames. The whole line stands in the panel Out.`);
    }
    let covering = "", covered = "";
    const layout = () => `${touchOf(store.now).tool} ${innerWidth} ${innerHeight}`;
    const update = () => {
        const { tool, spring } = touchOf(store.now), all = pulls();
        for (const one of buttons) one.setAttribute("aria-pressed", String(one.dataset["tool"] === tool));
        options.hidden = tool !== "grab";
        painter.options.hidden = tool !== "paint";
        sculptor.options.hidden = tool !== "sculpt";
        weigher.options.hidden = tool !== "weights";
        view.canvas.classList.toggle("grabbing", tool === "grab");
        if (tool !== "look") load();
        else marks.circle(undefined, new Vector3(), 0);
        const unit = reach();
        const reaches = [unlog(unit, extent() / 100, extent() / 3), unit < 1 ? `${Number((100 * unit).toPrecision(2))} cm` : `${unit} m`] as const;
        for (const [one, t, text] of [[wide, ...reaches], ...sizes.map(one => [one, ...reaches] as const), [strong, unlog(spring, ...SPRINGS), spring < 1000 ? `${spring} N/m` : `${spring / 1000} kN/m`]] as const) {
            one.bar.value = String(Math.round(1000 * t));
            one.bar.style.setProperty("--at", `${100 * t}%`);
            one.value.textContent = text;
        }
        count.textContent = all.length ? `${all.length} ${all.length > 1 ? "pulls" : "pull"} recorded` : "Press on the skin and pull";
        keep.disabled = clear.disabled = !all.length;
        view.touch();
        if (layout() === covering) return;
        covering = layout(); // what lies where is asked only when it may be elsewhere, and once the tools have shown their panels
        requestAnimationFrame(cover);
    };
    const cover = () => {
        const { tool } = touchOf(store.now);
        covered = layout();
        const panel = tool === "look" ? undefined : [...document.querySelectorAll<HTMLElement>(".touch-options")].find(one => !one.hidden), canvas = view.canvas.getBoundingClientRect(), box = panel?.getBoundingClientRect();
        // Where room is left beside it, or, on a phone, over it.
        const left = box ? Math.round(box.right - canvas.left) : 0, below = box ? Math.round(canvas.bottom - box.top) : 0;
        view.covered = !box ? { left: 0, below: 0 } : canvas.right - box.right > LEAST_ROOM ? { left, below: 0 } : box.width > canvas.width / 2 && canvas.height - below > LEAST_ROOM / 2 ? { left: 0, below } : { left: 0, below: 0 };
        for (const side of ["left", "below"] as const) byId("notices").style.setProperty(`--covered-${side}`, `${view.covered[side]}px`); // what is said is not said behind the panel
    };
    store.follow(soon(update));
    addEventListener("resize", soon(update));
    engine.listen(what => what === "character" && update());
    addEventListener("keydown", event => {
        if (!isCommand(event)) return;
        const found = TOOLS.find(one => one.key.toLowerCase() === event.key.toLowerCase());
        if (found) choose(found.tool);
    });

    // ---- the pointer
    const held = new Map<number, { grip: Grip; plane: Plane; pane: Hit["chain"] }>();
    const project = (place: Vector3) => {
        const pane = view.panes.find(one => [...held.values()].some(each => each.pane === one.chain)) ?? view.panes[0], { clientWidth, clientHeight } = view.canvas, p = place.clone().project(view.camera);
        const [left, top, width, height] = view.wiped || !pane ? [0, 0, clientWidth, clientHeight] : [pane.left, pane.top, pane.width, pane.height];
        return { x: left + (p.x + 1) / 2 * width, y: top + (1 - p.y) / 2 * height };
    };
    const draw = () => {
        marks.show(hand.grips, engine.info?.diagonal ?? 1, project);
        if (hand.poker) marks.circle(undefined, new Vector3(), 0);
        outside.follow();
        view.touch();
    };
    const pick = (x: number, y: number) => (engine.shape && picker ? picker.hit(x, y, engine.shape) : undefined), hitOf = (event: PointerEvent) => pick(event.offsetX, event.offsetY);
    let brushing = -1, sculpting = -1, weighing = -1, sculpted: Hit["chain"] = 0;
    const rayOf = (event: PointerEvent, chain: number) => picker!.ray(event.offsetX, event.offsetY, view.panes.find(one => one.chain === chain) ?? view.panes[0]!).ray;
    const pressure = (event: PointerEvent) => (event.pointerType === "pen" ? Math.max(0.05, event.pressure) : 1);
    const paintAt = (event: PointerEvent, hit: Hit | undefined) => {
        if (hit) strokes.push(painter.dab(hit, pressure(event)));
        marks.circle(hit?.place, hit?.normal ?? new Vector3(0, 0, 1), reach() / (engine.info?.physics_unit ?? 1));
        view.touch();
    };
    const lasso = (event: PointerEvent, chain: number) => {
        view.canvas.setPointerCapture(event.pointerId);
        app.clock.pause();
        drawLine(event, line => say(`${painter.select(line, chain)} points are selected: Fill takes them.`));
    };
    view.canvas.addEventListener("pointerdown", event => {
        const { tool } = touchOf(store.now);
        if (tool === "look" || event.button !== 0) return;
        if (tool === "pose") {
            if (!poser.press(event)) return; // beside joints and rings the view turns
            view.canvas.setPointerCapture(event.pointerId);
            return event.stopImmediatePropagation();
        }
        const hit = hitOf(event);
        if (tool === "world") {
            if (!outside.press(event, hit)) return;
            view.canvas.setPointerCapture(event.pointerId);
            return event.stopImmediatePropagation();
        }
        if (!hit && !(tool === "paint" && event.shiftKey)) return; // beside the skin the view turns
        event.stopImmediatePropagation();
        if (tool === "paint" && event.shiftKey) return lasso(event, hit?.chain ?? view.panes[0]!.chain);
        if (!hit) return;
        if (tool === "paint") {
            const refused = painter.refuses();
            if (refused) return say(refused);
            view.canvas.setPointerCapture(event.pointerId);
            brushing = event.pointerId;
            app.clock.held = true; // the skin stands still under the brush
            return paintAt(event, hit);
        }
        if (tool === "sculpt") {
            const refused = sculptor.refuses(hit);
            if (refused) return say(refused);
            view.canvas.setPointerCapture(event.pointerId);
            sculpting = event.pointerId;
            sculpted = hit.chain;
            return sculptor.press(hit, rayOf(event, hit.chain), pressure(event));
        }
        if (tool === "weights") {
            if (!weigher.press(hit, pressure(event), event.altKey)) return;
            view.canvas.setPointerCapture(event.pointerId);
            weighing = event.pointerId;
            return;
        }
        if (tool === "throw") {
            if (!thrower.press(event, hit)) return;
            marks.circle(undefined, hit.normal, 0); // the skin leaves the place of the ring
            return view.canvas.setPointerCapture(event.pointerId);
        }
        const why = hand.refuses(hit.chain);
        if (why) return say(why);
        const grip = hand.press(hit, reach(), touchOf(store.now).spring);
        if (!grip) return;
        view.canvas.setPointerCapture(event.pointerId);
        held.set(event.pointerId, { grip, pane: hit.chain, plane: new Plane().setFromNormalAndCoplanarPoint(view.camera.getWorldDirection(new Vector3()), hit.place) });
        view.canvas.classList.add("held");
        marks.circle(undefined, hit.normal, 0);
        draw();
    }, true);
    view.canvas.addEventListener("pointermove", event => {
        if (poser.move(event) || thrower.move(event) || outside.move(event)) return event.stopImmediatePropagation();
        const one = held.get(event.pointerId);
        if (one) {
            event.stopImmediatePropagation();
            const pane = view.panes.find(each => each.chain === one.pane), place = pane && picker!.ray(event.offsetX, event.offsetY, pane).ray.intersectPlane(one.plane, new Vector3());
            if (place) one.grip.to.copy(place).add(one.grip.offset);
            return draw();
        }
        if (event.pointerId === brushing) {
            event.stopImmediatePropagation();
            const began = performance.now(), hit = hitOf(event);
            paintAt(event, hit);
            strokes[strokes.length - 1] = performance.now() - began;
            return;
        }
        if (event.pointerId === weighing) {
            event.stopImmediatePropagation();
            const began = performance.now(), hit = hitOf(event);
            weigher.move(hit, pressure(event));
            strokes.push(performance.now() - began);
            marks.circle(hit?.place, hit?.normal ?? new Vector3(0, 0, 1), reach() / (engine.info?.physics_unit ?? 1));
            return;
        }
        if (event.pointerId === sculpting) {
            event.stopImmediatePropagation();
            const began = performance.now(), hit = sculptor.hovers ? hitOf(event) : undefined;
            sculptor.move(hit, rayOf(event, sculpted), pressure(event));
            strokes.push(performance.now() - began);
            marks.circle(hit?.place ?? sculptor.held, hit?.normal ?? view.camera.getWorldDirection(new Vector3()), reach() / (engine.info?.physics_unit ?? 1));
            return;
        }
        if (["look", "pose"].includes(touchOf(store.now).tool) || event.pointerType === "touch" || event.buttons) return;
        const hit = hitOf(event);
        marks.circle(hit?.place, hit?.normal ?? new Vector3(0, 0, 1), reach() / (engine.info?.physics_unit ?? 1));
        view.canvas.classList.toggle("on-skin", Boolean(hit));
        view.touch();
    }, true);
    for (const end of ["pointerup", "pointercancel"] as const) view.canvas.addEventListener(end, event => {
        if (poser.release(event) || thrower.release(event) || outside.release(event)) return event.stopImmediatePropagation();
        const one = held.get(event.pointerId);
        if (event.pointerId === brushing) {
            event.stopImmediatePropagation();
            brushing = -1;
            app.clock.held = false;
            return void painter.end();
        }
        if (event.pointerId === weighing) {
            event.stopImmediatePropagation();
            weighing = -1;
            return void weigher.end();
        }
        if (event.pointerId === sculpting) {
            event.stopImmediatePropagation();
            sculpting = -1;
            return void sculptor.end();
        }
        if (!one) return;
        event.stopImmediatePropagation();
        held.delete(event.pointerId);
        hand.letGo(one.grip);
        view.canvas.classList.toggle("held", held.size > 0);
        draw();
    }, true);
    view.canvas.addEventListener("pointerleave", () => {
        marks.circle(undefined, new Vector3(), 0);
        view.touch();
    });
    update();
    const ready = () => {
        const { tool } = touchOf(store.now);
        return covered === layout() && (tool === "look" || picker !== undefined && (tool !== "pose" || poser.ranged) && (tool !== "world" || outside.ready) && (tool !== "paint" || painter.ready) && (tool !== "weights" || weigher.ready));
    };
    return { hand, painter, poser, sculptor, thrower, outside, weigher, ready, pick, strokes };
}
