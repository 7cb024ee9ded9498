// The pose tool: joints by ring or by reach, key poses on the timeline, poses kept as pictures.
import { Plane, Quaternion, Vector3 } from "three";
import { type App, isCommand, soon } from "../app.ts";
import { h } from "../dom.ts";
import { sentence } from "../engine.ts";
import { type Frame, shaded } from "../frames.ts";
import { Lane } from "../lane.ts";
import { save } from "../output.ts";
import { type Session, frameTime, sourceName } from "../session.ts";
import { axes } from "../view.ts";
import { AXES, Rings, angleAbout, onScreen, spanAt } from "./gizmo.ts";
import type { Picker } from "./pick.ts";
import { type Limits, type Pose, type PoseClip, type PoseKey, Rig, type Three, poseText, posesText, within } from "./pose.ts";
import { limitsOf } from "./pose_limits.ts";

/** What the session keeps of the tool. */
export interface Posing {
    space: "local" | "world";
    limited: boolean;
    /** Bones that a reach turns. */
    bones: number;
    /** Limits in place of those of the clips, by joint. */
    limits: Limits;
    kept: Pose[];
    /** Seconds between a key and the next that is added. */
    spacing: number;
}
const STANDARD: Posing = { space: "local", limited: true, bones: 2, limits: {}, kept: [], spacing: 0.5 };
export const posingOf = (session: Session): Posing => ({ ...STANDARD, ...session.touch?.posing });

const LIVE_STEP = 1 / 60;
const FREE: [Three, Three] = [[-180, -180, -180], [180, 180, 180]];
const NEAR = { mouse: 12, touch: 24 }; // pixels around a joint or a ring
const STILL = 4; // pixels that a press may move and still be a click
const THUMB = { width: 72, height: 72 };
const MOST_KEPT = 12;
const MOST_SAID = 80; // letters of a pose in a notice

/** The clip of poses that the session plays, also while it is being read: a second key made at once must not begin a second clip. */
export const posedClip = (session: Session, loaded: string | undefined): PoseClip | undefined => session.source.poses?.find(one => one.clip === (session.clip ?? loaded));
/** Names that a new clip may not have. */
export const takenNames = ({ store, engine }: App): Set<string> => new Set([...engine.info?.clips ?? []].map(one => one.name).concat(store.now.source.poses?.map(one => one.clip) ?? []));

interface Drag {
    pointer: number;
    chain: number;
    joint: number;
    /** 0 to 2: around that axis; "reach", "move". */
    how: number | "reach" | "move";
    from: Float32Array;
    x: number;
    y: number;
    moved: boolean;
    plane: Plane;
    grip: Vector3;
    axis: Vector3;
    start: Vector3;
    turn: Quaternion;
}

export class PoseTool {
    readonly options: HTMLElement;
    readonly rings = new Rings();
    private rig: Rig | undefined;
    private drag: Drag | undefined;
    private local: Float32Array | undefined;
    private lent: ReturnType<App["engine"]["lendChain"]>;
    private running = false;
    private limits: { of: unknown; found: Limits; known: boolean } | undefined;
    private readonly parts;

    constructor(private readonly app: App, private readonly picker: () => Picker | undefined) {
        app.view.stage.scene.add(this.rings.group);
        this.parts = this.build();
        this.options = this.parts.options;
        app.store.listen(soon(() => this.update()));
        app.engine.listen(soon(() => this.update()));
        app.clock.listen(soon(() => this.update()));
        app.view.controls.addEventListener("change", () => this.place());
    }

    get active(): boolean { return this.app.store.now.touch?.tool === "pose"; }
    private get posing(): Posing { return posingOf(this.app.store.now); }
    private get chain(): number { return this.app.view.panes.find(one => one.chain === this.app.store.now.active)?.chain ?? this.app.view.panes[0]?.chain ?? this.app.store.now.active; }
    private get joint(): number { return this.rig?.index(this.app.store.now.show.joint) ?? -1; }
    private set(label: string, change: Partial<Posing>, merge = ""): void {
        this.app.store.do(label, session => ({ ...session, touch: { tool: "pose", reach: null, spring: 40000, ...session.touch, posing: { ...posingOf(session), ...change } } }), merge);
    }
    private get clip(): PoseClip | undefined { return posedClip(this.app.store.now, this.app.engine.clip()?.name); }

    /** The pose that is shown, ten floats a joint. */
    shown(): Float32Array | undefined {
        if (this.local) return this.local;
        const { engine, store, view } = this.app, live = view.frameOf(this.chain, store.now.frame);
        return live?.whose === "live" ? live.frame.pose : engine.base()?.any(store.now.frame)?.pose;
    }
    /** Whether the ranges of the clips are known. */
    get ranged(): boolean { return this.limits?.known === true && this.limits.of === this.app.engine.shape; }
    private get limitsNow(): Limits | undefined { return this.posing.limited ? { ...this.limits?.found, ...this.posing.limits } : undefined; }

    private ready(): Rig | undefined {
        const { shape } = this.app.engine;
        if (shape && this.rig?.shape !== shape) {
            const { up, front } = axes(shape, shape.jointRest);
            this.rig = new Rig(shape, new Vector3().crossVectors(up, front).normalize());
            this.parts.grow();
        }
        if (shape && this.limits?.of !== shape) {
            const limits = this.limits = { of: shape, found: {} as Limits, known: false as boolean };
            void limitsOf(this.app.store.now.source, this.rig!).then(found => {
                limits.found = found;
                this.update();
            }, () => undefined).finally(() => (limits.known = true)); // without ranges joints are free
        }
        return this.rig;
    }

    // -------------------------------------------------------------------------------------------- the pointer

    /** Whether the tool takes the press. */
    press(event: PointerEvent): boolean {
        const rig = this.ready(), from = this.shown(), { view, store, clock } = this.app, near = NEAR[event.pointerType === "touch" ? "touch" : "mouse"], { chain } = this, picker = this.picker();
        if (!rig || !from || !picker) return false;
        const ring = this.rings.at(view, chain, event.offsetX, event.offsetY, near), joint = ring >= 0 ? this.joint : this.nearest(rig, from, event, near);
        if (joint < 0) return false;
        clock.pause();
        const globals = rig.globals(from), place = new Vector3().setFromMatrixPosition(globals[joint]!), turn = new Quaternion();
        globals[joint]!.decompose(new Vector3(), turn, new Vector3());
        const axis = ring >= 0 ? AXES[ring]!.clone().applyQuaternion(this.posing.space === "local" ? turn : new Quaternion()) : view.camera.getWorldDirection(new Vector3());
        const plane = new Plane().setFromNormalAndCoplanarPoint(axis, place), chainOf = rig.chain(joint, this.posing.bones);
        this.drag = { pointer: event.pointerId, chain, joint, how: ring >= 0 ? ring : chainOf.length > 1 ? "reach" : "move", from: from.slice(), x: event.offsetX, y: event.offsetY, moved: false, plane, grip: place, axis, turn, start: this.onPlane(event, plane, chain) ?? place.clone() };
        if (ring < 0 && store.now.show.joint !== rig.names[joint]) store.keep(session => ({ ...session, show: { ...session.show, joint: rig.names[joint]! } }));
        return true;
    }

    private nearest(rig: Rig, local: Float32Array, event: PointerEvent, near: number): number {
        let best = -1, far = near;
        rig.globals(local).forEach((one, i) => {
            const { x, y } = onScreen(this.app.view, this.chain, new Vector3().setFromMatrixPosition(one)), d = Math.hypot(x - event.offsetX, y - event.offsetY);
            if (d < far) best = i, far = d;
        });
        return best;
    }

    /** Where the joints are in the view, in pixels of the canvas: those that a press finds, whether their picture stands or not. */
    places(): { name: string; x: number; y: number }[] {
        const rig = this.ready(), shown = this.shown();
        return rig && shown ? rig.globals(shown).map((one, i) => ({ name: rig.names[i]!, ...onScreen(this.app.view, this.chain, new Vector3().setFromMatrixPosition(one)) })) : [];
    }

    private onPlane(event: PointerEvent, plane: Plane, chain: number): Vector3 | undefined {
        const pane = this.app.view.panes.find(one => one.chain === chain), picker = this.picker();
        return pane && picker?.ray(event.offsetX, event.offsetY, pane).ray.intersectPlane(plane, new Vector3()) || undefined;
    }

    /** Whether the tool takes the movement. */
    move(event: PointerEvent): boolean {
        const { drag, rig } = this, { view } = this.app;
        if (!drag || drag.pointer !== event.pointerId || !rig) {
            if (!event.buttons && this.active) this.hover(event);
            return false;
        }
        if (!drag.moved && Math.hypot(event.offsetX - drag.x, event.offsetY - drag.y) < STILL) return true;
        drag.moved = true;
        this.local = this.dragged(rig, drag, event);
        this.place();
        this.app.engine.goOn();
        void this.live();
        view.touch();
        return true;
    }

    private dragged(rig: Rig, drag: Drag, event: PointerEvent): Float32Array {
        if (typeof drag.how === "number") return rig.limited(rig.facing(drag.from, drag.joint, new Quaternion().setFromAxisAngle(drag.axis, angleAbout(this.app.view, drag.chain, drag.grip, drag.axis, drag, { x: event.offsetX, y: event.offsetY })).multiply(drag.turn)), drag.joint, this.limitsNow);
        const to = this.onPlane(event, drag.plane, drag.chain), by = to?.clone().sub(drag.start) ?? new Vector3();
        if (drag.how === "reach") return rig.reach(drag.from, rig.chain(drag.joint, this.posing.bones), drag.grip.clone().add(by), this.limitsNow);
        const pose = rig.pose(drag.from), name = rig.names[drag.joint]!, unit = rig.shape.info.physics_unit, before = pose.move[name] ?? [0, 0, 0];
        return rig.local({ turn: pose.turn, move: { ...pose.move, [name]: by.multiplyScalar(unit).toArray().map((one, i) => one + before[i]!) as Three } });
    }

    private hover(event: PointerEvent): void {
        const lit = this.rings.at(this.app.view, this.chain, event.offsetX, event.offsetY, NEAR.mouse);
        if (lit === this.rings.lit) return;
        this.rings.lit = lit;
        this.place();
        this.app.view.touch();
    }

    release(event: PointerEvent): boolean {
        const { drag, rig, local } = this;
        if (!drag || drag.pointer !== event.pointerId || !rig) return false;
        this.drag = undefined;
        if (drag.moved && local) this.commit(typeof drag.how === "number" ? `turn ${rig.names[drag.joint]}` : drag.how === "reach" ? `reach with ${rig.names[drag.joint]}` : `move ${rig.names[drag.joint]}`, rig.pose(local));
        return true;
    }

    // -------------------------------------------------------------------------------------------- the skin under the hand

    /** The tissue continues in the pose under the hand, one step per frame, until release. */
    private async live(): Promise<void> {
        if (this.running) return;
        const { engine } = this.app, lent = this.lent = engine.lendChain(this.chain);
        if (!lent) return;
        this.running = true;
        try {
            const player = await lent.chain.play({ live: true }), vertices = engine.info!.vertices;
            try {
                for (const [name, value] of lent.values) await player.set(name, value);
                const morphs = engine.base()?.any(engine.playhead)?.morphs;
                for (let first = true; this.local && lent.alive(); first = false) {
                    const pose = this.local, now = performance.now(), [points, shading] = await Promise.all([player.live(LIVE_STEP, pose, morphs, first), shaded(player, vertices)]);
                    if (!lent.alive()) break;
                    const frame = { points, ...shading, hash: "", ms: performance.now() - now, pose };
                    lent.show(frame);
                    if (this.local === pose) await engine.seenOrMoved(frame);
                }
            } finally {
                await player.free().catch(() => undefined);
            }
        } catch (error) {
            if (lent.alive()) this.app.say(sentence(error), "bad");
        } finally {
            this.running = false;
        }
    }

    // -------------------------------------------------------------------------------------------- keys

    private get time(): number { return Number(frameTime(this.app.engine.span().start, this.app.store.now.fps, this.app.store.now.frame).toFixed(6)); }
    /** The key at the playhead: within half a frame. */
    keyAt(clip = this.clip): number {
        const { time } = this, half = 0.5 / this.app.store.now.fps;
        return clip?.keys.findIndex(one => Math.abs(one.time - time) < half) ?? -1;
    }

    /** The pose at the playhead, as the key has it where there is one. */
    current(): Pose | undefined {
        const at = this.keyAt(), rig = this.ready(), shown = this.shown();
        if (at >= 0 && !this.local) return this.clip!.keys[at]!;
        return rig && shown && rig.pose(shown);
    }

    /** A pose becomes the key at the playhead; where no clip of poses plays, the first key of a new one. */
    commit(label: string, pose: Pose, merge = ""): void {
        const { store } = this.app, { clip, time } = this, at = this.keyAt(), { turn, move } = pose;
        if (clip) this.change(label, { ...clip, keys: at >= 0 ? clip.keys.map((one, i) => (i === at ? { time: one.time, turn, move } : one)) : [...clip.keys, { time, turn, move }].sort((a, b) => a.time - b.time) }, merge);
        else {
            const taken = takenNames(this.app), names = ["pose", ...Array.from({ length: 99 }, (_, i) => `pose ${i + 2}`)], name = names.find(one => !taken.has(one))!;
            const made: PoseClip = { clip: name, between: "smooth", keys: [{ time: 0, turn, move }] };
            store.do(label, session => ({ ...session, clip: name, start: null, end: null, cycle: false, frame: 0, source: { ...session.source, poses: [...session.source.poses ?? [], made] } }));
        }
        // What the hand showed stays until the frame is there.
        this.local = undefined;
        this.app.engine.goOn();
        this.lent?.end(clip ? store.now.frame : 0);
        this.lent = undefined;
    }

    private change(label: string, clip: PoseClip, merge = "", more: Partial<Session> = {}): void {
        this.app.store.do(label, session => ({ ...session, ...more, source: { ...session.source, poses: (session.source.poses ?? []).map(one => (one.clip === clip.clip ? clip : one)) } }), merge);
    }

    /** A key after the last one, or at the playhead between two. */
    addKey(): void {
        const { clip } = this, pose = this.current(), { store } = this.app;
        if (!pose) return;
        if (!clip) return this.commit("first key", pose);
        const last = clip.keys.at(-1)!;
        if (this.keyAt() < 0 && this.time < last.time) return this.commit("key", pose);
        const time = Number((Math.round((last.time + this.posing.spacing) * store.now.fps) / store.now.fps).toFixed(6));
        this.change("key", { ...clip, keys: [...clip.keys, { time, turn: pose.turn, move: pose.move }] }, "", { end: null });
        void this.app.engine.ready().then(() => this.app.clock.seek(Math.round(time * store.now.fps))); // when the clip is that long
    }
    deleteKey(at = this.keyAt()): void {
        const { clip } = this;
        if (!clip || at < 0) return this.app.say("There is no key at the playhead.");
        if (clip.keys.length > 1) return this.change("delete key", { ...clip, keys: clip.keys.filter((_, i) => i !== at) });
        this.app.store.do("delete the last key", session => {
            const { poses = [], ...rest } = session.source, left = poses.filter(one => one.clip !== clip.clip);
            return { ...session, clip: null, frame: 0, source: { ...rest, ...(left.length ? { poses: left } : {}) } };
        });
    }
    moveKey(at: number, time: number, merge = ""): void {
        const { clip } = this, { fps } = this.app.store.now, key = clip?.keys[at];
        if (!clip || !key) return;
        const low = at ? clip.keys[at - 1]!.time + 1 / fps : 0, high = at + 1 < clip.keys.length ? clip.keys[at + 1]!.time - 1 / fps : Infinity, to = Number(Math.min(high, Math.max(low, Math.round(time * fps) / fps)).toFixed(6));
        if (to !== key.time) this.change("move key", { ...clip, keys: clip.keys.map((one, i): PoseKey => (i === at ? { ...one, time: to } : one)) }, merge, { end: null });
    }

    // -------------------------------------------------------------------------------------------- what is done to a pose

    private turnTo(axis: number, degrees: number): void {
        const rig = this.ready(), pose = this.current(), name = this.app.store.now.show.joint;
        if (!rig || !pose || !name) return;
        const before = pose.turn[name] ?? [0, 0, 0], range = this.limitsNow?.[name], wanted = before.map((one, i) => (i === axis ? degrees : one)) as Three, to = range ? within(wanted, range) : wanted;
        this.commit(`turn ${name}`, { turn: { ...pose.turn, [name]: to }, move: pose.move }, `turn ${name} ${axis}`);
    }
    private reset(all: boolean): void {
        const pose = this.current(), name = this.app.store.now.show.joint;
        if (!pose) return;
        if (all) return this.commit("reset the pose", { turn: {}, move: {} });
        if (!name) return this.app.say("Choose a joint first: click one in the view, or in the list.");
        const { [name]: _, ...turn } = pose.turn, { [name]: __, ...move } = pose.move;
        this.commit(`reset ${name}`, { turn, move });
    }
    private mirror(side: boolean): void {
        const rig = this.ready(), shown = this.shown(), { joint } = this;
        if (!rig || !shown) return;
        if (side && (joint < 0 || rig.partner(joint) === joint)) return this.app.say("Choose a joint of one side first: one whose name says left or right.");
        this.commit(side ? "to the other side" : "mirror the pose", rig.pose(rig.mirrored(shown, side ? rig.branch(joint) : undefined)));
    }
    private keep(): void {
        const pose = this.current();
        if (pose) this.set("keep the pose", { kept: [...this.posing.kept, { turn: pose.turn, move: pose.move }].slice(-MOST_KEPT) });
    }

    // -------------------------------------------------------------------------------------------- out

    private async copy(): Promise<void> {
        const pose = this.current(), text = pose && poseText(pose);
        if (!text) return this.app.say("This is the rest pose: there is nothing to turn.");
        await navigator.clipboard?.writeText(`--pose '${text}'`).catch(() => undefined);
        this.app.say(`Copied: --pose '${text.length > MOST_SAID ? `${text.slice(0, MOST_SAID)}…` : text}'${Object.keys(pose.move).length ? " (what was moved has no place in it; Poses has)" : ""}`);
    }
    private savePoses(): void {
        const { clip } = this;
        if (!clip) return this.app.say("Turn a joint first: that makes a clip of poses.");
        save(`${clip.clip}.json`, new Blob([posesText(clip)], { type: "application/json" }));
    }
    private async saveGlb(): Promise<void> {
        const { store, say } = this.app, lane = await Lane.open(true);
        try {
            await lane.load(store.now.source);
            const bytes = await lane.character.write() as Uint8Array<ArrayBuffer>, name = `${sourceName(store.now.source).replace(/[?].*$/, "").replace(/\.[^.]+$/, "")}-posed.glb`;
            save(name, new Blob([bytes], { type: "model/gltf-binary" }));
            say(`${name}: the character with its poses as a clip, for any program that reads glTF.`);
        } catch (error) {
            say(sentence(error), "bad");
        } finally {
            lane.close();
        }
    }

    // -------------------------------------------------------------------------------------------- the panel

    private build() {
        const small = (label: string, title: string, run: () => void, id?: string) => h("button", { class: "small outline", title, onclick: run, ...(id ? { id } : {}) }, label);
        const tree = h("ul", { class: "joint-tree", role: "tree", "aria-label": "Joints", tabIndex: 0 });
        const choose = (name: string) => this.app.store.keep(session => ({ ...session, show: { ...session.show, joint: name } }));
        const items: HTMLElement[] = [];
        let order: number[] = []; // of the list: a joint stands above those that hang on it
        const grow = () => {
            const { rig } = this;
            if (!rig) return;
            const depth = rig.parents.map(() => 0);
            rig.parents.forEach((parent, i) => (depth[i] = parent >= 0 ? depth[parent]! + 1 : 0));
            items.splice(0, items.length, ...rig.names.map((name, i) => h("li", { role: "treeitem", id: `joint-${i}`, "aria-level": String(depth[i]! + 1), "aria-selected": "false", "data-joint": name, onclick: () => choose(name) }, name)));
            items.forEach((item, i) => item.style.setProperty("--depth", String(Math.min(depth[i]!, 8))));
            // Nodes that move no skin, meshes among them, are nothing to pose.
            const moves = new Set(rig.shape.weightJoints);
            for (let i = rig.parents.length - 1; i >= 0; --i) if (moves.has(i) && rig.parents[i]! >= 0) moves.add(rig.parents[i]!);
            const below = (parent: number): number[] => rig.parents.flatMap((of, i) => (of === parent ? [i, ...below(i)] : []));
            order = below(-1).filter(i => moves.has(i));
            tree.replaceChildren(...order.map(i => items[i]!));
        };
        tree.addEventListener("keydown", event => {
            const by = { ArrowDown: 1, ArrowUp: -1, Home: -1e6, End: 1e6 }[event.key], { rig } = this;
            if (by === undefined || !rig) return;
            event.preventDefault();
            event.stopPropagation();
            choose(rig.names[order[Math.max(0, Math.min(order.length - 1, order.indexOf(this.joint) + by))]!]!);
        });
        const angles = ["X", "Y", "Z"].map((name, axis) => {
            const bar = h("input", { type: "range", step: "1", "aria-label": `Turn about ${name.toLowerCase()}`, oninput: () => this.turnTo(axis, Number(bar.value)) });
            const value = h("input", { type: "number", step: "1", "aria-label": `Degrees about ${name.toLowerCase()}`, onchange: () => this.turnTo(axis, Number(value.value)) });
            return { bar, value, row: h("div", { class: "touch-slider angle" }, h("span", { class: `axis-${name.toLowerCase()}` }, name), bar, value) };
        });
        const space = (["local", "world"] as const).map(key => h("button", { "data-space": key, onclick: () => this.set(`axes: ${key}`, { space: key }) }, key === "local" ? "Local" : "World"));
        const limited = h("button", { class: "small", id: "pose-limits", title: "Joints turn no farther than the clips turn them", onclick: () => this.set("limits", { limited: !this.posing.limited }) }, "Limits");
        const widen = small("Widen", "The limit of this joint is taken to what the pose has, and 30 degrees beyond", () => this.widen());
        const bones = h("select", { "aria-label": "Bones that a reach turns", id: "pose-bones", onchange: () => this.set("reach", { bones: Number(bones.value) }) },
            ([[1, "Drag aims one bone"], [2, "Drag reaches with two bones"], [3, "Drag reaches with three bones"], [5, "Drag reaches with five bones"], [99, "Drag reaches with all bones"]] as const).map(([n, label]) => h("option", { value: String(n) }, label)));
        const between = h("select", { "aria-label": "Between keys", onchange: () => this.clip && this.change("between keys", { ...this.clip, between: between.value as PoseClip["between"] }) },
            ([["smooth", "Smooth"], ["linear", "Straight"], ["step", "Hold"]] as const).map(([value, label]) => h("option", { value }, label)));
        const spacing = h("input", { type: "number", min: "0.05", max: "10", step: "0.05", "aria-label": "Seconds to the next key", onchange: () => this.set("seconds between keys", { spacing: Math.min(10, Math.max(0.05, Number(spacing.value) || 0.5)) }) });
        const shelf = h("div", { class: "pose-shelf", role: "group", "aria-label": "Poses" }), about = h("p", { class: "about" });
        const options = h("div", { class: "touch-options pose-options", role: "group", "aria-label": "The pose" },
            tree, ...angles.map(one => one.row),
            h("div", { class: "row" }, h("div", { class: "segments", role: "group", "aria-label": "Axes" }, space), h("span", { class: "grow" }), limited, widen), bones,
            h("div", { class: "row wrap" }, small("Reset joint", "This joint as it is at rest", () => this.reset(false)), small("Reset all", "The rest pose", () => this.reset(true)), small("Mirror", "Left becomes right", () => this.mirror(false), "pose-mirror"), small("To other side", "The other side takes this joint's pose, and what hangs on it", () => this.mirror(true), "pose-side")),
            h("div", { class: "row" }, small("Add key", "A key here, or behind the last one (K)", () => this.addKey(), "pose-key"), small("Delete key", "The key at the playhead", () => this.deleteKey(), "pose-delete"), h("span", { class: "grow" }), spacing, h("span", { class: "about" }, "s apart")),
            h("div", { class: "row" }, about, h("span", { class: "grow" }), between), shelf,
            h("div", { class: "row" }, small("Keep pose", "As a picture below", () => this.keep(), "pose-keep"), h("span", { class: "grow" }), small("--pose", "Copy the pose as text for the command line", () => void this.copy(), "pose-copy"), small("Poses", "The keys as a file for 'supple bake --motion'", () => this.savePoses(), "pose-file"), small("GLB", "The character with its poses as a clip", () => void this.saveGlb(), "pose-glb")));
        addEventListener("keydown", event => {
            if (this.active && event.key === "k" && isCommand(event)) this.addKey();
        });
        return { options, tree, items, grow, angles, space, limited, widen, bones, between, spacing, shelf, about };
    }

    private widen(): void {
        const name = this.app.store.now.show.joint, pose = this.current();
        if (!name || !pose) return;
        const [low, high] = this.posing.limits[name] ?? this.limits?.found[name] ?? FREE;
        this.set(`limits of ${name}`, { limits: { ...this.posing.limits, [name]: [low.map(one => Math.max(-180, one - 30)) as Three, high.map(one => Math.min(180, one + 30)) as Three] } });
    }

    /** The rings where the joint is. */
    place(): void {
        const { rig, joint } = this, local = this.active ? this.shown() : undefined;
        if (!rig || joint < 0 || !local) return this.rings.show(undefined, new Quaternion(), 1);
        const at = rig.globals(local)[joint]!, place = new Vector3(), turn = new Quaternion();
        at.decompose(place, turn, new Vector3());
        this.rings.show(place, this.posing.space === "local" ? turn : turn.identity(), spanAt(this.app.view, place));
    }

    private update(): void {
        const { parts, posing } = this, { store, view } = this.app;
        this.options.hidden = !this.active;
        if (!this.active) {
            if (this.rings.group.visible) this.place(), view.touch();
            return;
        }
        const rig = this.ready(), pose = this.current(), name = store.now.show.joint, range = (posing.limited && name && this.limitsNow?.[name]) || FREE, at = this.keyAt();
        parts.items.forEach(item => {
            const is = item.dataset["joint"] === name, was = item.getAttribute("aria-selected") === "true";
            if (is === was) return;
            item.setAttribute("aria-selected", String(is));
            if (is) item.scrollIntoView({ block: "nearest" }), parts.tree.setAttribute("aria-activedescendant", item.id);
        });
        parts.angles.forEach(({ bar, value }, axis) => {
            const degrees = (name && pose?.turn[name]?.[axis]) || 0, low = Math.min(range[0][axis]!, degrees), high = Math.max(range[1][axis]!, degrees);
            bar.min = String(Math.floor(low)), bar.max = String(Math.ceil(high));
            bar.disabled = value.disabled = !name || !rig;
            bar.value = String(degrees);
            bar.style.setProperty("--at", `${high > low ? 100 * (degrees - low) / (high - low) : 50}%`);
            if (document.activeElement !== value) value.value = String(Number(degrees.toFixed(1)));
        });
        for (const one of parts.space) one.setAttribute("aria-pressed", String(one.dataset["space"] === posing.space));
        parts.limited.setAttribute("aria-pressed", String(posing.limited));
        parts.widen.disabled = !name || !posing.limited;
        parts.bones.value = String(posing.bones);
        parts.between.value = this.clip?.between ?? "smooth";
        parts.between.disabled = !this.clip;
        if (document.activeElement !== parts.spacing) parts.spacing.value = String(posing.spacing);
        parts.about.textContent = this.clip ? `${this.clip.keys.length} ${this.clip.keys.length > 1 ? "keys" : "key"}${at >= 0 ? ` · at key ${at + 1}` : " · between keys"}` : "Drag a joint to reach with it, a ring to turn it";
        this.showShelf();
        this.place();
        view.touch();
    }

    // -------------------------------------------------------------------------------------------- poses as pictures

    private shelfKey = "";
    private showShelf(): void {
        const { kept } = this.posing, key = JSON.stringify([kept, this.app.engine.info?.name]);
        if (key === this.shelfKey) return;
        this.shelfKey = key;
        const slots = kept.map((pose, i) => {
            const picture = h("canvas", { width: 2 * THUMB.width, height: 2 * THUMB.height, "aria-hidden": "true" });
            const take = h("button", { class: "pose-thumb", "aria-label": `Pose ${i + 1}`, title: `Pose ${i + 1}: put it at the playhead`, onclick: () => this.commit(`pose ${i + 1}`, pose) }, picture);
            const drop = h("button", { class: "square small pose-drop", "aria-label": `Forget pose ${i + 1}`, onclick: () => this.set("forget a pose", { kept: this.posing.kept.filter((_, k) => k !== i) }) }, "×");
            return { pose, picture, slot: h("div", { class: "pose-slot" }, take, drop) };
        });
        this.parts.shelf.replaceChildren(...slots.map(one => one.slot));
        void this.portraits(slots, key).catch(error => this.app.say(`Poses have no pictures: ${sentence(error)}`));
    }

    /** Plain skinning in a separate lane, seen from the current camera. */
    private async portraits(slots: { pose: Pose; picture: HTMLCanvasElement }[], key: string): Promise<void> {
        const { store, view, engine } = this.app, rig = this.ready();
        if (!slots.length || !rig) return;
        const lane = await Lane.open(true);
        try {
            await lane.load(store.now.source);
            const chain = await lane.character.chain("linear"), player = await chain.play({ live: true }), { morphs: { length } } = engine.info!, morphs = engine.base()?.any(0)?.morphs ?? (length ? new Float32Array(length) : undefined);
            for (const { pose, picture } of slots) {
                if (key !== this.shelfKey) return;
                const local = rig.local(pose), [points, shading] = await Promise.all([player.live(LIVE_STEP, local, morphs, true), shaded(player, engine.info!.vertices)]);
                const frame: Frame = { points, ...shading, hash: "", ms: 0, pose: local };
                this.rings.group.visible = false; // a portrait has no gizmo
                const bitmap = await view.portrait(store.now, frame, THUMB.width, THUMB.height);
                this.place();
                if (bitmap) picture.getContext("2d")!.drawImage(bitmap, 0, 0, picture.width, picture.height);
                bitmap?.close();
                view.touch();
            }
        } finally {
            lane.close();
        }
    }
}
