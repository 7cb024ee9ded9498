// The whole character in the hand: its root follows the pointer with inertia, or shakes while a key is down. What was done is a clip of
// moves over the one that played, a key a frame on the fixed clock.
import { Plane, Vector3 } from "three";
import { type App, isCommand, soon } from "../app.ts";
import { h } from "../dom.ts";
import { sentence } from "../engine.ts";
import { shaded } from "../frames.ts";
import { save } from "../output.ts";
import { type Session, frameTime } from "../session.ts";
import { axes } from "../view.ts";
import type { Hit, Picker } from "./pick.ts";
import { type PoseClip, type PoseKey, type Three, posesText } from "./pose.ts";
import { posedClip, takenNames } from "./pose_tool.ts";

export interface Throwing {
    /** 0 to 1: from what follows at once to what lags and swings. */
    inertia: number;
    /** Meters to each side. */
    shake: number;
}
const STANDARD: Throwing = { inertia: 0.5, shake: 0.06 };
export const throwingOf = (session: Session): Throwing => ({ ...STANDARD, ...session.touch?.throwing });

const LONGEST = 20;      // seconds of one throw
const SETTLES = 1.5;     // seconds after letting go
const LATE = 200;        // ms behind the clock after which time is stretched
const STEPS = 8;         // of the root's own motion in a frame
const QUICK = 26, SLOW = 6; // radians a second of the spring between pointer and root, from no inertia to all of it
const DAMPING = 0.55;    // of the critical one: it overshoots once and comes to rest
const SHAKES = 3;        // a second

/** A weight on a spring, by itself: the same keys give the same clip on any machine. */
export class Follower {
    readonly place = new Vector3();
    private readonly speed = new Vector3();
    constructor(private readonly stiffness: number) {}

    step(target: Vector3, seconds: number): void {
        const w = this.stiffness, dt = seconds / STEPS, a = new Vector3();
        for (let i = 0; i < STEPS; ++i) {
            a.copy(target).sub(this.place).multiplyScalar(w * w).addScaledVector(this.speed, -2 * DAMPING * w);
            this.speed.addScaledVector(a, dt);
            this.place.addScaledVector(this.speed, dt);
        }
    }
}

export class Thrower {
    readonly options: HTMLElement;
    private readonly target = new Vector3();
    private held: { pointer: number; chain: number; plane: Plane; start: Vector3 } | undefined;
    private shaking = false;
    private recording = -1;
    private readonly parts;

    constructor(private readonly app: App, private readonly picker: () => Picker | undefined) {
        this.parts = this.build();
        this.options = this.parts.options;
        app.store.follow(soon(() => this.update()));
        app.engine.listen(soon(() => this.update()));
    }

    get active(): boolean { return this.app.store.now.touch?.tool === "throw"; }
    get frame(): number { return this.recording; }
    private set(label: string, change: Partial<Throwing>): void {
        this.app.store.do(label, session => ({ ...session, touch: { tool: "throw", reach: null, spring: 40000, ...session.touch, throwing: { ...throwingOf(session), ...change } } }), label);
    }
    /** The clip of moves that plays. */
    private get thrown(): PoseClip | undefined {
        const clip = posedClip(this.app.store.now, this.app.engine.clip()?.name);
        return clip?.over === undefined ? undefined : clip;
    }

    press(event: PointerEvent, hit: Hit): boolean {
        const { view, store } = this.app;
        if (store.now.cycle) return this.app.say("A cycle has no place in time to throw at: switch Cycle off first."), true;
        this.target.set(0, 0, 0);
        this.held = { pointer: event.pointerId, chain: hit.chain, start: hit.place.clone(), plane: new Plane().setFromNormalAndCoplanarPoint(view.camera.getWorldDirection(new Vector3()), hit.place) };
        void this.record(hit.chain);
        return true;
    }
    move(event: PointerEvent): boolean {
        const { held } = this, pane = held && this.app.view.panes.find(one => one.chain === held.chain);
        if (!held || held.pointer !== event.pointerId) return false;
        const to = pane && this.picker()?.ray(event.offsetX, event.offsetY, pane).ray.intersectPlane(held.plane, new Vector3());
        if (to) this.target.copy(to).sub(held.start).multiplyScalar(this.app.engine.info!.physics_unit);
        return true;
    }
    release(event: PointerEvent): boolean {
        if (this.held?.pointer !== event.pointerId) return false;
        this.held = undefined;
        this.target.set(0, 0, 0);
        return true;
    }

    /** While a key or the button is down. */
    shake(on: boolean): void {
        if (on && !this.shaking && !this.app.store.now.cycle) {
            this.shaking = true;
            void this.record(this.app.store.now.active);
        } else if (!on) this.shaking = false;
    }

    private async record(chain: number): Promise<void> {
        if (this.recording >= 0) return;
        const { engine, store, clock, say } = this.app, shape = engine.shape, base = engine.base(), lent = engine.lendChain(chain), clip = engine.clip();
        if (!shape || !base || !lent || !clip) return void (lent?.end(-1), say(clip ? "The chain is still binding. One moment." : "There is no clip to throw: give the character a pose first."));
        const { fps, frame: first, speed } = store.now, { start } = engine.span(), { inertia, shake } = throwingOf(store.now), follower = new Follower(QUICK * (SLOW / QUICK) ** inertia), roots = shape.info.joints.flatMap((joint, i) => (joint.parent < 0 ? [i] : []));
        const { up, front } = axes(shape, shape.jointRest), side = new Vector3().crossVectors(up, front), keys: PoseKey[] = [], unit = shape.info.physics_unit;
        const key = (n: number) => {
            const by = follower.place.toArray().map(one => Number(one.toFixed(5)) + 0) as Three;
            keys.push({ time: Number(frameTime(start, fps, n).toFixed(6)), turn: {}, move: Object.fromEntries(roots.map(root => [shape.info.joints[root]!.name, by])) });
            return by;
        };
        this.recording = first;
        clock.held = true;
        let last = first, began = performance.now(), free = 0;
        try {
            const player = await lent.chain.play({ live: true });
            try {
                for (const [name, value] of lent.values) await player.set(name, value);
                key(first);
                for (let n = first + 1; lent.alive() && (n - first) / fps < LONGEST && free / fps < SETTLES; ++n) {
                    const due = began + (n - first) / fps / speed * 1000, time = (n - first) / fps;
                    while (performance.now() < due) await new Promise(resolve => setTimeout(resolve, Math.min(8, due - performance.now())));
                    began += Math.max(0, performance.now() - due - LATE);
                    follower.step(this.shaking ? this.target.clone().addScaledVector(side, shake * Math.sign(Math.sin(2 * Math.PI * SHAKES * time))) : this.target, 1 / fps);
                    const by = key(n), under = base.any(Math.min(n, base.count - 1)), pose = under!.pose.slice(), now = performance.now();
                    for (const root of roots) for (let k = 0; k < 3; ++k) pose[10 * root + k]! += by[k]! / unit;
                    const [points, shading] = await Promise.all([player.live(1 / fps, pose, under!.morphs, n === first + 1), shaded(player, shape.info.vertices)]);
                    if (!lent.alive()) break;
                    lent.show({ points, ...shading, hash: "", ms: performance.now() - now, pose });
                    this.recording = last = n;
                    free = this.held || this.shaking ? 0 : free + 1;
                    this.update();
                }
            } finally {
                await player.free().catch(() => undefined);
            }
        } catch (error) {
            if (lent.alive()) say(sentence(error), "bad");
        } finally {
            this.recording = -1;
            clock.held = false;
            const kept = last > first && lent.alive();
            if (kept) this.keep(keys);
            lent.end(kept ? last : -1);
            if (kept) void engine.ready().then(() => clock.seek(last));
            this.update();
        }
    }

    /** One step: the clip of moves over the one that played, or more of it. */
    private keep(keys: PoseKey[]): void {
        const { store, engine } = this.app, { thrown } = this, under = engine.clip()!.name, from = keys[0]!.time;
        const taken = takenNames(this.app), name = thrown?.clip ?? [`thrown ${under}`, ...Array.from({ length: 99 }, (_, i) => `thrown ${under} ${i + 2}`)].find(one => !taken.has(one))!;
        const made: PoseClip = { clip: name, over: thrown?.over ?? under, between: "linear", keys: [...(thrown?.keys ?? []).filter(one => one.time < from), ...keys] };
        store.do("throw", session => ({ ...session, clip: name, start: null, end: null, source: { ...session.source, poses: [...(session.source.poses ?? []).filter(one => one.clip !== name), made] } }));
    }

    private clear(): void {
        const { thrown } = this;
        if (thrown) this.app.store.do("clear the throw", session => {
            const { poses = [], ...rest } = session.source, left = poses.filter(one => one !== thrown);
            return { ...session, clip: thrown.over!, frame: 0, source: { ...rest, ...(left.length ? { poses: left } : {}) } };
        });
    }

    private build() {
        const slider = (name: string, oninput: (t: number) => void) => {
            const bar = h("input", { type: "range", min: "0", max: "100", "aria-label": name, oninput: () => oninput(Number(bar.value) / 100) }), value = h("output", {});
            return { bar, value, row: h("label", { class: "touch-slider" }, h("span", {}, name), bar, value) };
        };
        const inertia = slider("Inertia", t => this.set("inertia", { inertia: t })), wide = slider("Shake", t => this.set("width of the shake", { shake: Number((0.01 + 0.29 * t * t).toPrecision(2)) }));
        const shake = h("button", { class: "small outline", id: "throw-shake", title: "Hold to shake (X)" }, "Hold to shake"), about = h("span", { class: "about" });
        shake.addEventListener("pointerdown", event => (shake.setPointerCapture(event.pointerId), this.shake(true)));
        for (const end of ["pointerup", "pointercancel", "blur"]) shake.addEventListener(end, () => this.shake(false));
        shake.addEventListener("keydown", event => (event.key === " " || event.key === "Enter") && (event.preventDefault(), this.shake(true)));
        shake.addEventListener("keyup", () => this.shake(false));
        const file = h("button", { class: "small outline", id: "throw-file", title: "The throw as a file for 'supple bake --motion'", onclick: () => this.thrown && save(`${this.thrown.clip}.json`, new Blob([posesText(this.thrown)], { type: "application/json" })) }, "Keep as motion");
        const clear = h("button", { class: "small outline", id: "throw-clear", onclick: () => this.clear() }, "Clear");
        addEventListener("keydown", event => {
            if (this.active && event.key.toLowerCase() === "x" && isCommand(event)) this.shake(true);
        });
        addEventListener("keyup", event => event.key.toLowerCase() === "x" && this.shake(false));
        const options = h("div", { class: "touch-options", role: "group", "aria-label": "The throw" }, inertia.row, wide.row, h("div", { class: "row" }, shake, h("span", { class: "grow" }), file, clear), about);
        return { options, inertia, wide, about, file, clear };
    }

    private update(): void {
        this.options.hidden = !this.active;
        if (!this.active) return;
        const { inertia, shake } = throwingOf(this.app.store.now), { parts, thrown } = this, wide = Math.sqrt(Math.max(0, (shake - 0.01) / 0.29));
        for (const [one, t, text] of [[parts.inertia, inertia, `${Math.round(100 * inertia)} %`], [parts.wide, wide, `${Math.round(100 * shake)} cm`]] as const) {
            one.bar.value = String(Math.round(100 * t));
            one.bar.style.setProperty("--at", `${100 * t}%`);
            one.value.textContent = text;
        }
        parts.file.disabled = parts.clear.disabled = !thrown;
        parts.about.textContent = this.recording >= 0 ? `Recording · frame ${this.recording}` : thrown ? `${thrown.keys.length} keys over ${thrown.over}` : "Press on the character and fling it";
    }
}
