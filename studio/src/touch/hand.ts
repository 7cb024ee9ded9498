// A hand on the skin. While it holds, the chain's own player goes on frame by frame on the fixed clock, with a key of the spring more in each;
// what is left is a world that gives the same frames again.
import { Vector3 } from "three";
import type { App } from "../app.ts";
import { sentence } from "../engine.ts";
import { shaded } from "../frames.ts";
import { type ChainSpec, type Session, activeChain, chainById, frameTime } from "../session.ts";
import type { Hit } from "./pick.ts";
import { LOADED, type Place, type Pull, SOFT, bindsForces, forcesOf, takeKey, takeOf } from "./take.ts";
import { type Body, bodiesOf, keyed, pivotOf } from "./world.ts";

const SWING = 2.5;        // seconds after letting go that the tissue is watched
const LONGEST = 30;       // seconds of one recording
const LATE = 200;         // ms behind the clock after which the hand's time is stretched: the machine is slower than the motion
// A key lies behind every step that its frame has needed: a frame needs the step that ends at or behind it, and none is longer than this.
const STEP_MOST = 1 / 60;

export interface Grip {
    pull: Pull;
    /** Points of the skin that it reaches, with their shares. */
    points: Uint32Array;
    shares: Float32Array;
    /** Where the pointer wants the middle of the skin that is held, and where that is. */
    to: Vector3;
    middle: Vector3;
    /** From the pointer's place to the middle. */
    offset: Vector3;
    newtons: number;
    held: boolean;
    /** Its last key is written. */
    closed: boolean;
}

/** A body under the pointer. */
export interface Poker {
    body: Body;
    /** Where its middle is wanted, the way from the skin on which it comes and goes, and where it waits before and after. */
    to: Vector3;
    out: Vector3;
    far: Vector3;
    held: boolean;
    /** Frames since it was let go. */
    gone: number;
    closed: boolean;
}
const AWAY = 6;     // a body that was let go is gone in a sixth of a second
const JUMP = 0.001; // seconds before it stands beside the skin, that it still waits

const keyTime = (time: number): number => Math.ceil((time + STEP_MOST) * 1e6) / 1e6;
const tenth = (place: Vector3, unit: number): Place => place.toArray().map(value => Number((value * unit).toFixed(5))) as Place;

export class Hand {
    /** What is held now, or swings on. */
    grips: Grip[] = [];
    /** What pokes, where something does. */
    poker: Poker | undefined;
    /** Hashes of the frames that were shown, by their number. */
    readonly shown = new Map<number, string>();
    private recording: { chain: number; first: number; at: number; still: number; paused: boolean; before: Session } | undefined;

    constructor(private readonly app: App, private readonly changed: () => void) {}

    get busy(): boolean { return this.recording !== undefined; }
    get frame(): number { return this.recording?.at ?? -1; }

    /** Why this chain cannot be held or poked; null: it can. */
    refuses(chain: number, what: "pull" | "poke" = "pull"): string | null {
        const { store, engine, view } = this.app, spec = chainById(store.now, chain) ?? activeChain(store.now), names = (of: ChainSpec) => of.links.map(one => one.deformer).join(" › ");
        const gives = (of: ChainSpec) => of.links.some(one => !one.muted && (SOFT.includes(one.deformer) || what === "pull" && one.deformer === LOADED));
        if (!gives(spec)) {
            const beside = store.now.chains.find(one => view.panes.some(pane => pane.chain === one.id) && gives(one));
            return `Nothing in ${names(spec)} gives way: ${beside ? `${what} ${names(beside)} beside it, or ` : ""}add layers or lattice to ${beside ? "it" : what}.`;
        }
        if (store.now.cycle) return `A cycle has no place in time to ${what} at: switch Cycle off first.`;
        const { state } = engine.status(chain);
        return state === "binding" || state === "waiting" ? "The chain is still binding. One moment." : state === "failed" ? "The chain failed, and cannot be pulled." : null;
    }

    /** Grabs the skin. */
    press(hit: Hit, reach: number, spring: number): Grip | undefined {
        const { engine, store, view } = this.app, { shape } = engine, shown = view.frameOf(hit.chain, store.now.frame);
        if (!shape || !shown || this.recording && this.bound(hit.chain)) return undefined;
        const unit = shape.info.physics_unit, radius = reach / unit, at = tenth(hit.rest, unit), center = new Vector3(...at).divideScalar(unit);
        const points: number[] = [], shares: number[] = [], p = new Vector3();
        for (let i = 0; i < shape.info.points; ++i) {
            const inside = 1 - p.fromArray(shape.points, 3 * i).distanceToSquared(center) / (radius * radius);
            if (inside > 0) points.push(i), shares.push(inside * inside);
        }
        if (!points.length) return undefined;
        const number = 1 + Math.max(0, ...[...this.pullsBefore(), ...this.grips.map(one => one.pull)].map(one => Number(/(\d+)$/.exec(one.name)?.[1] ?? 0)));
        const grip: Grip = {
            pull: { name: `hand ${number}`, at, radius: Number(reach.toFixed(4)), spring, keys: [] }, points: Uint32Array.from(points), shares: Float32Array.from(shares),
            to: new Vector3(), middle: new Vector3(), offset: new Vector3(), newtons: 0, held: true, closed: false,
        };
        this.measure(grip, shown.frame.points);
        grip.to.copy(grip.middle);
        grip.offset.copy(grip.middle).sub(hit.place);
        this.grips.push(grip);
        if (!this.recording) void this.record(hit.chain).catch(error => this.app.say(sentence(error), "bad"));
        return grip;
    }

    /** Whether the chain must be bound with a spring before it can pull: then one at a time. */
    private bound(chain: number): boolean { return bindsForces((chainById(this.app.store.now, chain) ?? activeChain(this.app.store.now)).links); }

    /** A body follows the pointer from now on; it comes from a little away. */
    poke(chain: number, body: Body, at: Vector3, out: Vector3, far: Vector3): Poker | undefined {
        if (this.recording) return undefined;
        const poker: Poker = { body, to: at.clone(), out, far, held: true, gone: 0, closed: false };
        this.poker = poker;
        void this.record(chain).catch(error => this.app.say(sentence(error), "bad"));
        return poker;
    }

    /** Its key: where it is wanted, at a share of its way out, or where it waits (beyond 1). */
    private stand(poker: Poker, time: number, unit: number, away: number, step = false): void {
        const place = (away > 1 ? poker.far.clone() : poker.to.clone().addScaledVector(poker.out, away)).multiplyScalar(unit).toArray(), home = pivotOf(poker.body);
        poker.body = keyed(poker.body, time, place.map((one, i) => one - home[i]!));
        if (step) poker.body.keys!.find(one => one.time === time)!.step = true;
    }
    /** At a frame. Let go, it leaves on the way it came. */
    private follow(poker: Poker, time: number, fps: number, unit: number): void {
        const steps = Math.ceil(fps / AWAY), away = poker.held ? 0 : ++poker.gone / steps;
        this.stand(poker, time, unit, away);
        poker.closed = away > 1;
    }

    letGo(grip: Grip): void { grip.held = false; }

    private pullsBefore(): Pull[] { return takeOf(this.app.store.now, this.app.engine.clip()?.name ?? null).pulls; }

    private measure(grip: Grip, points: Float32Array): void {
        const sum = grip.middle.set(0, 0, 0);
        let all = 0;
        grip.points.forEach((p, i) => {
            const share = grip.shares[i]!;
            sum.x += share * points[3 * p]!, sum.y += share * points[3 * p + 1]!, sum.z += share * points[3 * p + 2]!;
            all += share;
        });
        sum.divideScalar(all);
    }

    /** The spring's key at a frame, and the one that lets go a frame later. */
    private key(grip: Grip, time: number, unit: number): void {
        const { keys } = grip.pull;
        if (grip.held) keys.push({ time: keyTime(time), to: tenth(grip.to, unit) });
        else {
            keys.push({ time: keyTime(time), to: keys.at(-1)!.to, value: 0 });
            grip.closed = true;
        }
    }

    private async record(chain: number): Promise<void> {
        const { engine, store, clock, say } = this.app, { fps, speed, frame: first } = store.now, { start, end, count } = engine.span(), { poker } = this, bound = !poker && this.bound(chain), [only] = this.grips;
        if (bound && only) {
            const waiting = { chain, first, at: first, still: 0, paused: true, before: store.now };
            this.recording = waiting;
            await engine.readyForce(chain, { ...only.pull, keys: [{ time: keyTime(frameTime(start, fps, first)), to: tenth(only.to, engine.shape!.info.physics_unit), value: 0 }] });
            this.recording = undefined;
        }
        const readied = poker || bound ? engine.readyPlayer(chain) : undefined, lent = (poker || bound) && !readied ? undefined : engine.lend(chain);
        if (!lent) {
            this.grips = [];
            this.poker = undefined;
            const problem = engine.readyProblem(chain);
            return say(problem ?? "The chain is still getting ready. One moment.", problem ? "bad" : "note");
        }
        const player = readied ?? lent.player, bodies = bodiesOf(engine.worldFile);
        const unit = engine.shape!.info.physics_unit, vertices = engine.info!.vertices, paused = !clock.playing, time = (frame: number) => frameTime(start, fps, frame);
        // When paused, the pose stays from here on; during playback, from the end on.
        const here = Number(time(first).toFixed(6)), still = paused && here < end ? Math.max(here, Number((start + 1e-6).toFixed(6))) : end, before = [...forcesOf(engine.worldFile), ...this.pullsBefore()];
        const recording = { chain, first, at: first, still, paused, before: store.now };
        this.recording = recording;
        this.shown.clear();
        clock.held = true;
        let last = first, free = 0, began = performance.now(), heldFrom = Infinity;
        try {
            for (const grip of this.grips) grip.pull.keys.push({ time: keyTime(time(first)), to: tenth(grip.to, unit), value: 0 });
            if (poker) { // from where it waits to beside the skin, in one step along the line of sight, on which nothing lies
                this.stand(poker, Number((keyTime(time(first)) - JUMP).toFixed(6)), unit, 2, true);
                this.stand(poker, keyTime(time(first)), unit, 1);
            }
            for (let n = first + 1; lent.alive() && (n - first) / fps < LONGEST; ++n) {
                const due = began + (n - first) / fps / speed * 1000;
                while (performance.now() < due) await new Promise(resolve => setTimeout(resolve, Math.min(8, due - performance.now())));
                began += Math.max(0, performance.now() - due - LATE);
                for (const grip of this.grips) {
                    if (!grip.pull.keys.length) grip.pull.keys.push({ time: keyTime(time(n - 1)), to: tenth(grip.to, unit), value: 0 });
                    if (!grip.closed) this.key(grip, time(n), unit);
                }
                if (poker && !poker.closed) this.follow(poker, keyTime(time(n)), fps, unit);
                if (heldFrom === Infinity && time(n) > still) await player.hold(heldFrom = still);
                const forces = [...before, ...this.grips.map(one => one.pull)], now = performance.now(), from = keyTime(time(n - 1));
                const [, points, shading, hash, pose, felt] = await Promise.all([
                    poker ? player.bodies([...bodies, poker.body], from) : player.forces(forces, from), player.evaluate(time(n)), shaded(player, vertices), player.hash(), player.pose(),
                    Promise.all(this.grips.map((_, i) => player.felt(before.length + i))),
                ]);
                if (!lent.alive()) break;
                recording.at = last = n;
                this.shown.set(n, hash);
                this.grips.slice(0, felt.length).forEach((grip, i) => {
                    this.measure(grip, points);
                    // What is in closed form is loaded by the spring as it would pull on plainly skinned skin.
                    grip.newtons = bound ? (grip.held ? grip.pull.spring * grip.to.distanceTo(grip.middle) * unit : 0) : felt[i]!;
                });
                lent.show({ points, ...shading, hash, ms: performance.now() - now, pose });
                if (!paused && n < count) store.keep(session => ({ ...session, frame: n }));
                this.changed();
                free = this.grips.every(one => one.closed) && (!poker || poker.closed) ? free + 1 : 0;
                if (free / fps >= SWING) break;
            }
        } catch (error) {
            if (lent.alive()) throw error; // else the chain that it was is gone, with what was asked of it
        } finally {
            for (const grip of this.grips) if (!grip.closed) grip.held = false, this.key(grip, time(last + 1), unit);
            const pulls = this.grips.map(one => one.pull), past = time(last) - still;
            if (poker && !poker.closed) this.stand(poker, keyTime(time(last + 1)), unit, 2);
            this.grips = [];
            this.poker = undefined;
            this.recording = undefined;
            clock.held = false;
            const kept = last > first && lent.alive();
            lent.end(kept ? last : -1);
            if (kept) {
                const of = takeKey(store.now, engine.clip()?.name ?? null), old = takeOf(store.now, engine.clip()?.name ?? null);
                const hold = past > 1e-9 ? Math.max(still === end ? old.hold : 0, Math.ceil(past * 100 - 1e-6) / 100) : old.hold;
                const world = (session: Session) => poker && { world: { ...session.world, bodies: [...session.world?.bodies ?? [], poker.body] } };
                store.do(poker ? `poke with ${poker.body.name}` : pulls.length > 1 ? `${pulls.length} pulls` : "pull", session => ({ ...session, ...(still < end ? { end: still } : {}), frame: last, take: { of, hold, pulls: [...old.pulls, ...pulls] }, ...world(session) }));
            }
            if (!kept && poker || bound) engine.unready(); // it has keys that the session does not
            this.changed();
        }
    }
}
