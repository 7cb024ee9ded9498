// The world in the view: gravity and wind as arrows that are dragged, bodies that are moved, keyed and pinned, and a ball that pokes.
import { ConeGeometry, CylinderGeometry, Group, Mesh, MeshBasicMaterial, MeshStandardMaterial, Plane, Quaternion, SphereGeometry, Vector3 } from "three";
import { type App, soon } from "../app.ts";
import { h } from "../dom.ts";
import { fileBytes } from "../files.ts";
import { save } from "../output.ts";
import { frameTime } from "../session.ts";
import { axes } from "../view.ts";
import { onScreen } from "./gizmo.ts";
import type { Hit, Picker } from "./pick.ts";
import { type Place, RECORDED, takeOf, worldWith } from "./take.ts";
import { type Body, type WorldEdit, centerOf, freeName, isEdited, keyed, movedBy, placed, worldMerged } from "./world.ts";

const EARTH = 9.81, MOST = 20; // m/s² and m/s of the sliders
const ARROW = 0.32;            // diagonals that an arrow of MOST spans
const NEAR = 18;               // pixels around a handle
const AWAY = 2.2;              // radii from the skin at which a ball waits
const COLORS = { gravity: 0xb48bff, wind: 0x54c6d6 };
const NONE: WorldEdit = { bodies: [] };

interface Drag {
    pointer: number;
    what: "gravity" | "wind" | number;
    plane: Plane;
    start: Vector3;
    moved: Vector3;
}
/** A ball under the pointer, on the clock. */
interface Poke {
    pointer: number;
    chain: number;
    body: Body;
    plane: Plane;
    to: Vector3;
    out: Vector3;
    frame: number;
}

export class WorldTool {
    readonly options: HTMLElement;
    private readonly group = new Group();
    private readonly arrows: Record<"gravity" | "wind", { shaft: Mesh; tip: Mesh }>;
    private bodies: Mesh[] = [];
    private bodiesKey = "";
    private drag: Drag | undefined;
    private poke: Poke | undefined;
    private readonly parts;

    constructor(private readonly app: App, private readonly picker: () => Picker | undefined, private readonly reach: () => number) {
        const arrow = (color: number) => {
            const material = () => new MeshBasicMaterial({ color, depthTest: false, depthWrite: false, transparent: true, opacity: 0.95, toneMapped: false });
            const one = { shaft: new Mesh(new CylinderGeometry(1, 1, 1, 10).translate(0, 0.5, 0), material()), tip: new Mesh(new ConeGeometry(1, 1, 18).translate(0, 0.5, 0), material()) };
            for (const part of [one.shaft, one.tip]) part.renderOrder = 24, part.frustumCulled = false, this.group.add(part);
            return one;
        };
        this.arrows = { gravity: arrow(COLORS.gravity), wind: arrow(COLORS.wind) };
        app.view.stage.scene.add(this.group);
        this.parts = this.build();
        this.options = this.parts.options;
        for (const listen of [app.store, app.engine, app.clock]) listen.listen(soon(() => this.update()));
    }

    get active(): boolean { return this.app.store.now.touch?.tool === "world"; }
    get frame(): number { return this.poke?.frame ?? -1; }
    private get edit(): WorldEdit { return this.app.store.now.world ?? NONE; }
    private get unit(): number { return this.app.engine.info?.physics_unit ?? 1; }
    private get time(): number { return Number(frameTime(this.app.engine.span().start, this.app.store.now.fps, this.app.store.now.frame).toFixed(6)); }
    private change(label: string, change: Partial<WorldEdit>, merge = ""): void {
        this.app.store.do(label, session => ({ ...session, world: { ...(session.world ?? NONE), ...change } }), merge);
    }
    private up(): Vector3 { return this.app.engine.shape ? axes(this.app.engine.shape, this.app.engine.shape.jointRest).up : new Vector3(0, 1, 0); }
    private vector(what: "gravity" | "wind"): Vector3 {
        const set = this.edit[what] ?? (this.app.engine.worldFile as { gravity?: Place; wind?: Place } | undefined)?.[what];
        return set ? new Vector3(...set) : what === "gravity" ? this.up().multiplyScalar(-EARTH) : new Vector3();
    }
    /** Where the arrows begin: behind the character, where a look from its front leaves room. */
    private origin(what: "gravity" | "wind"): Vector3 {
        const { shape } = this.app.engine, low = new Vector3(Infinity, Infinity, Infinity), high = low.clone().negate(), p = new Vector3();
        if (!shape) return low.set(0, 0, 0);
        for (let i = 0; i < shape.points.length; i += 30) low.min(p.fromArray(shape.points, i)), high.max(p);
        const { up, front } = axes(shape, shape.jointRest), middle = low.clone().add(high).multiplyScalar(0.5), tall = high.sub(low).dot(up);
        return middle.addScaledVector(up, 0.35 * tall).addScaledVector(front, (what === "wind" ? -0.48 : -0.6) * shape.info.diagonal);
    }
    private scale(): number { return ARROW * (this.app.engine.info?.diagonal ?? 1) / MOST; }
    private tip(what: "gravity" | "wind"): Vector3 {
        const v = this.vector(what), least = 0.05 * MOST;
        return this.origin(what).addScaledVector(v.length() > least ? v : v.length() ? v.setLength(least) : new Vector3(), this.scale());
    }
    private middle(body: Body, time = this.time): Vector3 { return new Vector3(...centerOf(body)).add(new Vector3(...movedBy(body, time))).divideScalar(this.unit); }

    // -------------------------------------------------------------------------------------------- the pointer

    press(event: PointerEvent, hit: Hit | undefined): boolean {
        const { view, clock } = this.app, chain = view.panes[0]?.chain ?? 0, near = event.pointerType === "touch" ? 1.6 * NEAR : NEAR;
        const handles: [Drag["what"], Vector3][] = [...(["gravity", "wind"] as const).map((what): [Drag["what"], Vector3] => [what, this.tip(what)]), ...this.edit.bodies.map((body, i): [Drag["what"], Vector3] => [i, this.middle(body)])];
        const far = handles.map(([what, place]) => ({ what, place, d: (({ x, y }) => Math.hypot(x - event.offsetX, y - event.offsetY))(onScreen(view, chain, place)) })).sort((a, b) => a.d - b.d)[0];
        if (far && far.d < near) {
            clock.pause();
            this.drag = { pointer: event.pointerId, what: far.what, plane: new Plane().setFromNormalAndCoplanarPoint(view.camera.getWorldDirection(new Vector3()), far.place), start: far.place.clone(), moved: new Vector3() };
            return true;
        }
        if (!hit) return false;
        this.begin(event, hit);
        return true;
    }

    move(event: PointerEvent): boolean {
        const { drag, poke } = this, { view } = this.app, pane = view.panes[0], mine = drag?.pointer === event.pointerId ? drag : poke?.pointer === event.pointerId ? poke : undefined;
        if (!mine || !pane) return false;
        const to = this.picker()?.ray(event.offsetX, event.offsetY, pane).ray.intersectPlane(mine.plane, new Vector3());
        if (to && poke === mine) poke.to.copy(to);
        else if (to && drag === mine) drag.moved.copy(to).sub(drag.start), this.show();
        return true;
    }

    release(event: PointerEvent): boolean {
        const { drag, poke } = this;
        if (poke?.pointer === event.pointerId) return poke.pointer = -1, true;
        if (drag?.pointer !== event.pointerId) return false;
        this.drag = undefined;
        const by = drag.moved;
        if (by.lengthSq() === 0) return true;
        if (drag.what === "gravity" || drag.what === "wind") {
            const to = drag.start.clone().add(by).sub(this.origin(drag.what)).divideScalar(this.scale()).toArray().map(one => Number(one.toFixed(2)) + 0) as Place;
            this.change(drag.what, { [drag.what]: to });
        } else this.shift(drag.what, by.multiplyScalar(this.unit).toArray() as Place);
        return true;
    }

    /** A body goes somewhere: a key at the playhead where it has keys, else its place. */
    private shift(at: number, by: Place): void {
        const body = this.edit.bodies[at];
        if (!body) return;
        const now = movedBy(body, this.time), made = body.keys ? keyed(body, this.time, now.map((one, i) => one + by[i]!) as Place) : placed(body, by);
        this.change(`move ${body.name}`, { bodies: this.edit.bodies.map((one, i) => (i === at ? made : one)) });
    }

    // -------------------------------------------------------------------------------------------- a ball that pokes

    private begin(event: PointerEvent, hit: Hit): void {
        const { view, store } = this.app, { unit } = this, radius = Number(this.reach().toFixed(4));
        if (store.now.cycle) return this.app.say("A cycle has no place in time to poke at: switch Cycle off first.");
        const out = hit.normal.clone().multiplyScalar(AWAY * radius / unit), center = hit.place.clone().multiplyScalar(unit).toArray().map(one => Number(one.toFixed(5))) as Place;
        const body: Body = { name: freeName(this.edit.bodies, "ball"), sphere: { center, radius }, keys: [] };
        this.poke = { pointer: event.pointerId, chain: hit.chain, body, plane: new Plane().setFromNormalAndCoplanarPoint(view.camera.getWorldDirection(new Vector3()), hit.place), to: hit.place.clone(), out, frame: store.now.frame };
        void this.record(this.poke);
    }

    /** A key a frame while it is held; it comes from a little away and goes there again. */
    private async record(poke: Poke): Promise<void> {
        const { store, engine, clock } = this.app, { fps, frame: first, speed } = store.now, { start } = engine.span(), { count } = engine.span(), { unit } = this, home = new Vector3(...centerOf(poke.body)), began = performance.now();
        let { body } = poke;
        const put = (n: number, place: Vector3) => {
            body = keyed(body, Number(frameTime(start, fps, n).toFixed(6)), place.clone().multiplyScalar(unit).sub(home).toArray() as Place);
            poke.body = body;
        };
        put(first, poke.to.clone().add(poke.out));
        clock.held = true;
        for (let n = first + 1; n < count + 1; ++n) {
            const due = began + (n - first) / fps / speed * 1000;
            while (performance.now() < due) await new Promise(resolve => setTimeout(resolve, 8));
            put(n, poke.to);
            poke.frame = n;
            if (n < count) store.keep(session => ({ ...session, frame: n }));
            this.show();
            if (poke.pointer < 0) {
                put(n + Math.ceil(fps / 6), poke.to.clone().add(poke.out));
                break;
            }
        }
        clock.held = false;
        this.poke = undefined;
        this.change(`poke with ${body.name}`, { bodies: [...this.edit.bodies, body] });
    }

    // -------------------------------------------------------------------------------------------- the panel

    private add(kind: "ball" | "capsule"): void {
        const { bodies } = this.edit, radius = Number(this.reach().toFixed(4)), at = this.origin("wind").multiplyScalar(this.unit).toArray().map(one => Number(one.toFixed(4))) as Place, end = [...at] as Place;
        end[0] += 4 * radius;
        this.change(`add a ${kind}`, { bodies: [...bodies, { name: freeName(bodies, kind), ...(kind === "ball" ? { sphere: { center: at, radius } } : { capsule: { from: at, to: end, radius } }) }] });
    }

    private async keep(): Promise<void> {
        const { store, engine, say } = this.app, { world } = store.now.source, file = world ? JSON.parse(new TextDecoder().decode(await fileBytes(world))) as object : undefined;
        save(RECORDED, new Blob([`${JSON.stringify(worldWith(worldMerged(file, store.now.world), takeOf(store.now, engine.clip()?.name ?? null).pulls), null, 1)}\n`], { type: "application/json" }));
        say(`${RECORDED}: the world of this session, for 'supple bake --world ${RECORDED}'.`);
    }

    private build() {
        const slider = (name: string, what: "gravity" | "wind") => {
            const bar = h("input", { type: "range", min: "0", max: "200", "aria-label": name, oninput: () => this.strength(what, Number(bar.value) / 10) }), value = h("output", {});
            return { bar, value, row: h("label", { class: "touch-slider" }, h("span", { class: `world-${what}` }, name), bar, value) };
        };
        const gravity = slider("Gravity", "gravity"), wind = slider("Wind", "wind"), list = h("div", { class: "world-bodies", role: "group", "aria-label": "Bodies" });
        const small = (label: string, title: string, run: () => void, id: string) => h("button", { class: "small outline", id, title, onclick: run }, label);
        const keep = small("Keep as world", "A world file for 'supple bake --world'", () => void this.keep(), "world-keep"), clear = small("Clear", "The world as it was dropped", () => this.app.store.do("clear the world", session => { const { world: _, ...rest } = session; return rest; }), "world-clear");
        const options = h("div", { class: "touch-options", role: "group", "aria-label": "The world" }, gravity.row, wind.row, list,
            h("div", { class: "row" }, small("Add ball", "A ball beside the character", () => this.add("ball"), "world-ball"), small("Add capsule", "A capsule beside the character", () => this.add("capsule"), "world-capsule")),
            h("p", { class: "about" }, "Drag the arrows and bodies; press on the skin to poke it with a ball"), h("div", { class: "row" }, h("span", { class: "grow" }), keep, clear));
        return { options, gravity, wind, list, keep, clear };
    }

    private strength(what: "gravity" | "wind", length: number): void {
        const v = this.vector(what), way = v.length() ? v : what === "gravity" ? this.up().negate() : new Vector3().crossVectors(this.up(), axes(this.app.engine.shape!, this.app.engine.shape!.jointRest).front);
        this.change(what, { [what]: way.setLength(Math.max(1e-9, length)).toArray().map(one => Number(one.toFixed(2)) + 0) as Place }, what);
    }

    private rows(): HTMLElement[] {
        return this.edit.bodies.map((body, i) => {
            const replace = (label: string, made: Body | undefined) => this.change(label, { bodies: this.edit.bodies.flatMap((one, k) => (k === i ? made ? [made] : [] : [one])) });
            const joint = h("select", { "aria-label": `Joint that carries ${body.name}`, onchange: () => { const { joint: _, ...rest } = body; replace(`pin ${body.name}`, joint.value ? { ...rest, joint: joint.value } : rest); } },
                h("option", { value: "" }, "Free"), (this.app.engine.info?.joints ?? []).map(({ name }) => h("option", { value: name }, `On ${name}`)));
            joint.value = body.joint ?? "";
            const key = h("button", { class: "small", "aria-pressed": String(Boolean(body.keys)), title: body.keys ? `${body.keys.length} keys: dragging sets one at the playhead` : "A key at the playhead; dragging sets more", onclick: () => { const { keys: _, ...rest } = body; replace(body.keys ? `no keys of ${body.name}` : `key of ${body.name}`, body.keys ? rest : keyed(body, this.time, [0, 0, 0])); } }, "Keys");
            return h("div", { class: "row" }, h("span", { class: "world-name" }, body.name), joint, key, h("button", { class: "square small", "aria-label": `Remove ${body.name}`, onclick: () => replace(`remove ${body.name}`, undefined) }, "×"));
        });
    }

    private listKey = "";
    private update(): void {
        this.options.hidden = !this.active;
        if (this.active) {
            for (const what of ["gravity", "wind"] as const) {
                const length = this.vector(what).length(), { bar, value } = this.parts[what];
                bar.value = String(Math.round(10 * Math.min(MOST, length)));
                bar.style.setProperty("--at", `${100 * Math.min(1, length / MOST)}%`);
                value.textContent = `${Number(length.toFixed(1))} ${what === "gravity" ? "m/s²" : "m/s"}`;
            }
            const key = JSON.stringify([this.edit.bodies.map(({ name, joint, keys }) => [name, joint, keys?.length]), this.app.engine.info?.name]);
            if (key !== this.listKey) this.listKey = key, this.parts.list.replaceChildren(...this.rows());
            this.parts.keep.disabled = this.parts.clear.disabled = !isEdited(this.app.store.now.world);
        }
        this.show();
    }

    // -------------------------------------------------------------------------------------------- the view

    private point({ shaft, tip }: { shaft: Mesh; tip: Mesh }, from: Vector3, to: Vector3): void {
        const size = 0.012 * (this.app.engine.info?.diagonal ?? 1), way = to.clone().sub(from), length = way.length(), turn = new Quaternion().setFromUnitVectors(new Vector3(0, 1, 0), length ? way.normalize() : new Vector3(0, 1, 0));
        shaft.position.copy(from);
        tip.position.copy(to);
        shaft.quaternion.copy(turn), tip.quaternion.copy(turn);
        shaft.scale.set(0.35 * size, Math.max(1e-6, length), 0.35 * size);
        tip.scale.set(1.5 * size, 3.6 * size, 1.5 * size);
    }

    private show(): void {
        const { view } = this.app, { drag, poke } = this, all = poke ? [...this.edit.bodies, poke.body] : this.edit.bodies;
        this.group.visible = this.active || all.length > 0;
        for (const what of ["gravity", "wind"] as const) {
            const { shaft, tip } = this.arrows[what], to = this.tip(what);
            shaft.visible = tip.visible = this.active;
            if (drag?.what === what) to.add(drag.moved);
            this.point(this.arrows[what], this.origin(what), to);
        }
        const key = JSON.stringify([all.map(({ sphere, capsule }) => [sphere?.radius, capsule]), this.unit]);
        if (key !== this.bodiesKey) {
            this.bodiesKey = key;
            for (const one of this.bodies) one.removeFromParent(), one.geometry.dispose();
            this.bodies = all.map(body => this.solid(body));
        }
        this.bodies.forEach((mesh, i) => {
            mesh.position.copy(this.middle(all[i]!));
            if (drag?.what === i) mesh.position.add(drag.moved);
        });
        view.touch();
    }

    private solid({ sphere, capsule }: Body): Mesh {
        const { unit } = this, material = new MeshStandardMaterial({ color: 0x8fa3b8, roughness: 0.35, transparent: true, opacity: 0.72 }), mesh = new Mesh(sphere ? new SphereGeometry(sphere.radius / unit, 32, 20) : undefined, material);
        if (capsule) {
            const way = new Vector3(...capsule.to).sub(new Vector3(...capsule.from));
            mesh.geometry = capsuleGeometry(capsule.radius / unit, way.length() / unit);
            mesh.quaternion.setFromUnitVectors(new Vector3(0, 1, 0), way.normalize());
        }
        mesh.castShadow = true;
        this.group.add(mesh);
        return mesh;
    }
}

/** A sphere drawn apart along y. */
function capsuleGeometry(radius: number, length: number): SphereGeometry {
    const made = new SphereGeometry(radius, 28, 20), place = made.getAttribute("position");
    for (let i = 0; i < place.count; ++i) place.setY(i, place.getY(i) + (place.getY(i) >= 0 ? 0.5 : -0.5) * length);
    return made;
}
