// The world in the view: gravity, wind and pushes as arrows that are dragged, bodies that are moved, turned, keyed and pinned, muscles, and a body that pokes.
import { Matrix4, Plane, Quaternion, Vector3 } from "three";
import { type App, soon } from "../app.ts";
import { byId, h } from "../dom.ts";
import { sentence } from "../engine.ts";
import { fileBytes, keepFile } from "../files.ts";
import { save } from "../output.ts";
import { frameTime } from "../session.ts";
import { axes } from "../view.ts";
import { AXES, COLORS as RING_COLORS, Rings, angleAbout, onScreen, spanAt } from "./gizmo.ts";
import type { Hand, Poker } from "./hand.ts";
import { type Hit, type Picker, paneAt } from "./pick.ts";
import { type Place, RECORDED, takeOf, worldWith } from "./take.ts";
import { type Body, type Force, type Muscle, type WorldEdit, bodiesOf, freeName, isEdited, isKeyed, isPlaced, keyed, lengthOf, movedBy, newtonsOf, numberAt, pivotOf, placed, pushAt, sized, turned, turnedBy, vectorAt, withKey, worldMerged } from "./world.ts";
import { type Arrow, WorldView, nearestPoint, readProp } from "./world_view.ts";

const EARTH = 9.81, MOST = 20; // m/s² and m/s of the sliders
const ARROW = 0.32;            // diagonals that an arrow of MOST spans, and one of a push of 100 kN
const NEAR = 18;               // pixels around a handle
const EDGE = 50;               // pixels from the edge of the view at which something new is seen
const AWAY = 2.2;              // radii from the skin at which a body that pokes waits
const FAR = 3;                 // diagonals from the skin at which it is out of the way of everything
const PUSH = 200;              // newtons of a new push
const LONG = 4;                // radii from end to end of a new capsule
const LEVER = 1.5;             // spans of the rings at which the arrows of a body end
const WHOLE = 120;             // pixels of a drag that take a muscle from 0 to 1
const ASK_MS = 200;            // after which a chain that is not ready for a poke is asked for again
const COLORS = { gravity: 0xb48bff, wind: 0x54c6d6, force: 0xffa64d };
const NONE: WorldEdit = { bodies: [] };

type Field = "gravity" | "wind";
type What = { field: Field } | { body: number } | { ring: number; body: number } | { along: number; body: number } | { push: number; end: "at" | "tip" } | { muscle: string };
interface Drag {
    pointer: number;
    what: What;
    plane: Plane;
    start: Vector3;
    moved: Vector3;
    turn: Quaternion;
    axis: Vector3;
    from: { x: number; y: number };
    to: { x: number; y: number };
    /** Where a push is on the skin now. */
    hit: Hit | undefined;
}

const decimals = (place: readonly number[], digits: number): Place => place.map(one => Number(one.toFixed(digits)) + 0) as Place;
const newtonText = (newtons: number): string => (newtons < 9999.5 ? `${Math.round(newtons)} N` : `${(newtons / 1000).toFixed(1)} kN`);

export class WorldTool {
    readonly options: HTMLElement;
    private readonly drawn: WorldView;
    private readonly rings = new Rings();
    private drag: Drag | undefined;
    private poker: { pointer: number; plane: Plane; poker: Poker } | undefined;
    /** The body that has rings. */
    private chosen = "";
    private readonly label = h("output", { class: "push-label", hidden: true });
    private readonly parts;

    constructor(private readonly app: App, private readonly picker: () => Picker | undefined, private readonly reach: () => number, private readonly hand: Hand) {
        this.drawn = new WorldView(app, () => this.show());
        app.view.stage.scene.add(this.rings.group);
        app.view.marks.push(this.drawn.group, this.rings.group);
        byId("labels").append(this.label);
        this.parts = this.build();
        this.options = this.parts.options;
        for (const listen of [app.store, app.engine, app.clock]) listen.listen(soon(() => this.update()));
    }

    get active(): boolean { return this.app.store.now.touch?.tool === "world"; }
    /** Whether a press on the skin pokes at once, or says at once why it cannot. */
    get ready(): boolean {
        const { chain, hand, app: { engine } } = this;
        return hand.busy || hand.refuses(chain, "poke") !== null || engine.readyFor(chain) || engine.readyProblem(chain) !== null;
    }
    /** The chain of the pane that was pressed last, else the first that can be poked: beside plain skinning it is the other one. */
    private get chain(): number {
        const { panes } = this.app.view;
        return (panes.find(one => one.chain === this.pressed) ?? panes.find(one => !this.hand.refuses(one.chain, "poke")) ?? panes[0])?.chain ?? this.app.store.now.active;
    }
    private pressed: number | undefined;
    private get edit(): WorldEdit { return this.app.store.now.world ?? NONE; }
    private get unit(): number { return this.drawn.unit; }
    private get time(): number { return Number(frameTime(this.app.engine.span().start, this.app.store.now.fps, this.app.store.now.frame).toFixed(6)); }
    private get pokeWith(): "ball" | "capsule" { return this.app.store.now.touch?.poke ?? "ball"; }
    private change(label: string, change: Partial<WorldEdit>, merge = ""): void {
        this.app.store.do(label, session => ({ ...session, world: { ...(session.world ?? NONE), ...change } }), merge);
    }
    private up(): Vector3 { return this.app.engine.shape ? axes(this.app.engine.shape, this.app.engine.shape.jointRest).up : new Vector3(0, 1, 0); }
    private vector(what: Field): Vector3 {
        const { keys } = this.edit, set = keys?.[what] ? vectorAt(keys[what], this.time) : this.edit[what] ?? (this.app.engine.worldFile as { gravity?: Place; wind?: Place } | undefined)?.[what];
        return set ? new Vector3(...set) : what === "gravity" ? this.up().multiplyScalar(-EARTH) : new Vector3();
    }
    private setVector(what: Field, to: readonly number[], merge = ""): void {
        const value = decimals(to, 2), { keys } = this.edit;
        this.change(what, keys?.[what] ? { keys: { ...keys, [what]: withKey(keys[what], { time: this.time, value }) } } : { [what]: value }, merge);
    }
    /** Where the arrows begin: behind the character, where a front view leaves room. */
    private origin(what: Field): Vector3 {
        const { shape } = this.app.engine;
        if (!shape) return new Vector3();
        if (this.origins?.of !== shape) {
            const low = new Vector3(Infinity, Infinity, Infinity), high = low.clone().negate(), p = new Vector3();
            for (let i = 0; i < shape.points.length; i += 30) low.min(p.fromArray(shape.points, i)), high.max(p);
            const { up, front } = axes(shape, shape.jointRest), middle = low.clone().add(high).multiplyScalar(0.5), tall = high.sub(low).dot(up), at = (far: number) => middle.clone().addScaledVector(up, 0.35 * tall).addScaledVector(front, far * shape.info.diagonal);
            this.origins = { of: shape, gravity: at(-0.6), wind: at(-0.48) };
        }
        return this.origins[what].clone();
    }
    private origins: { of: unknown; gravity: Vector3; wind: Vector3 } | undefined;
    /** Where a new object is put: over the character's back, or beside it, visible and touching nothing. */
    private beside(): Vector3 {
        const { view, engine, store } = this.app, { shape } = engine, above = this.origin("wind").lerp(this.origin("gravity"), -2).addScaledVector(this.up(), 0.22 * (engine.info?.diagonal ?? 1));
        if (!shape) return above;
        const { diagonal } = shape.info, points = view.frameOf(this.chain, store.now.frame)?.frame.points ?? shape.points, right = new Vector3().setFromMatrixColumn(view.camera.matrixWorld, 0), middle = view.controls.target, room = 2 * this.reach() / this.unit;
        const seen = (place: Vector3) => {
            const { x, y } = onScreen(view, this.chain, place);
            return x > view.covered.left + EDGE && x < view.canvas.clientWidth - EDGE && y > EDGE && y < view.canvas.clientHeight - view.covered.below - EDGE;
        };
        const free = (place: Vector3) => {
            for (let i = 0, p = new Vector3(); i < points.length; i += 3) if (p.fromArray(points, i).distanceTo(place) < room) return false;
            return true;
        };
        const sides = [0.25, 0.32, 0.4, 0.5, 0.6].flatMap(far => [far, -far].flatMap(side => [0.2, 0].map(high => middle.clone().addScaledVector(right, side * diagonal).addScaledVector(this.up(), high * diagonal))));
        return [above, ...sides].find(one => seen(one) && free(one)) ?? above;
    }
    private span(): number { return ARROW * (this.app.engine.info?.diagonal ?? 1); }
    private tip(what: Field): Vector3 {
        const v = this.vector(what), least = 0.05 * MOST;
        return this.origin(what).addScaledVector(v.length() > least ? v : v.length() ? v.setLength(least) : new Vector3(), this.span() / MOST);
    }

    // -------------------------------------------------------------------------------------------- pushes and muscles

    /** Where a push stands on the skin as it is shown, and how it turns with it: not at all, as the world file has it. */
    private base(force: Force & { at: Place }): Vector3 {
        const { engine, view, store } = this.app, frame = view.frameOf(this.chain, store.now.frame)?.frame, key = force.at.join();
        if (!engine.shape || !frame) return new Vector3(...force.at).divideScalar(this.unit);
        if (this.points.of !== engine.shape) this.points = { of: engine.shape, known: new Map() };
        if (!this.points.known.has(key)) this.points.known.set(key, nearestPoint(engine.shape, force.at));
        return new Vector3().fromArray(frame.points, 3 * this.points.known.get(key)!);
    }
    private points: { of: unknown; known: Map<string, number> } = { of: undefined, known: new Map() };
    private pushed(force: Force, time = this.time): Vector3 {
        const v = new Vector3(...pushAt(force, time)), newtons = v.length();
        return newtons ? v.setLength(Math.max(0.06, lengthOf(newtons)) * this.span()) : v;
    }
    private setPush(at: number, change: Force): void { this.change(`push ${change.name}`, { forces: (this.edit.forces ?? []).map((one, i) => (i === at ? change : one)) }); }
    private setMuscle(joint: string, value: number, merge = ""): void {
        const muscles = this.edit.muscles ?? {}, was = muscles[joint] ?? 0, to = Number(Math.max(0, Math.min(1, value)).toFixed(2));
        this.change(`muscle of ${joint}`, { muscles: { ...muscles, [joint]: typeof was === "number" ? to : withKey(was, { time: this.time, value: to }) } }, merge);
    }
    private middleOf(joint: string): Vector3 | undefined {
        const ends = this.drawn.bone(joint);
        return ends && ends[0].clone().add(ends[1]).multiplyScalar(0.5);
    }

    // -------------------------------------------------------------------------------------------- the pointer

    private handles(): { what: What; place: Vector3 }[] {
        const fields = (["gravity", "wind"] as const).map(field => ({ what: { field } as What, place: this.tip(field) })), { forces = [], muscles = {}, bodies } = this.edit;
        const pushes = forces.flatMap((force, push) => (isPlaced(force) ? [{ what: { push, end: "tip" } as What, place: this.base(force).add(this.pushed(force)) }, { what: { push, end: "at" } as What, place: this.base(force) }] : []));
        const flesh = Object.keys(muscles).flatMap(muscle => { const place = this.middleOf(muscle); return place ? [{ what: { muscle } as What, place }] : []; });
        const at = bodies.findIndex(one => one.name === this.chosen), stands = at >= 0 ? this.drawn.standing(bodies[at]!, this.time).place : undefined;
        const ways = stands ? AXES.map((axis, along) => ({ what: { along, body: at } as What, place: stands.clone().addScaledVector(axis, LEVER * spanAt(this.app.view, stands)) })) : [];
        return [...fields, ...pushes, ...flesh, ...ways, ...bodies.map((one, body) => ({ what: { body } as What, place: this.drawn.standing(one, this.time).place }))];
    }

    press(event: PointerEvent, hit: Hit | undefined): boolean {
        const { view, clock } = this.app, chain = this.pressed = paneAt(view, event.offsetX, event.offsetY)?.chain ?? this.chain, near = event.pointerType === "touch" ? 1.6 * NEAR : NEAR, from = { x: event.offsetX, y: event.offsetY };
        if (this.hand.busy) return true; // it swings: what comes next comes after
        const ring = this.rings.at(view, chain, from.x, from.y, 0.6 * near), turns = this.edit.bodies.findIndex(one => one.name === this.chosen);
        const found = this.handles().map(one => ({ ...one, d: (({ x, y }) => Math.hypot(x - from.x, y - from.y))(onScreen(view, chain, one.place)) })).sort((a, b) => a.d - b.d)[0];
        const taken: { what: What; place: Vector3 } | undefined = found && found.d < near ? found : ring >= 0 && turns >= 0 ? { what: { ring, body: turns }, place: this.drawn.standing(this.edit.bodies[turns]!, this.time).place } : undefined;
        if (taken) {
            clock.pause();
            const along = "along" in taken.what ? AXES[taken.what.along]!.clone() : undefined, sight = view.camera.getWorldDirection(new Vector3());
            if ("body" in taken.what) this.chosen = this.edit.bodies[taken.what.body]!.name;
            this.drag = { pointer: event.pointerId, what: taken.what, plane: new Plane().setFromNormalAndCoplanarPoint(along ? sight.addScaledVector(along, -sight.dot(along)).normalize() : sight, taken.place), start: taken.place.clone(), moved: new Vector3(), turn: new Quaternion(), axis: along ?? ("ring" in taken.what ? AXES[taken.what.ring]!.clone() : new Vector3()), from, to: from, hit: undefined };
            return this.show(), true;
        }
        if (!hit) return this.chosen = "", this.show(), false;
        this.begin(event, hit);
        return true;
    }

    move(event: PointerEvent): boolean {
        const { drag, poker } = this, { view, engine } = this.app, pane = view.panes.find(one => one.chain === this.chain), mine = drag?.pointer === event.pointerId ? drag : poker?.pointer === event.pointerId ? poker : undefined;
        if (!mine || !pane) return false;
        const to = this.picker()?.ray(event.offsetX, event.offsetY, pane).ray.intersectPlane(mine.plane, new Vector3());
        if (to && poker && poker === mine) poker.poker.to.copy(to);
        else if (drag && drag === mine) {
            drag.to = { x: event.offsetX, y: event.offsetY };
            if (to) drag.moved.copy(to).sub(drag.start);
            if ("along" in drag.what) drag.moved.projectOnVector(drag.axis);
            if ("ring" in drag.what) drag.turn.setFromAxisAngle(drag.axis, angleAbout(view, this.chain, drag.start, drag.axis, drag.from, drag.to));
            if ("push" in drag.what && drag.what.end === "at" && engine.shape) drag.hit = this.picker()?.hit(event.offsetX, event.offsetY, engine.shape) ?? drag.hit;
            this.show();
        }
        return true;
    }

    release(event: PointerEvent): boolean {
        const { drag, poker } = this;
        if (this.waiting === event.pointerId) return this.waiting = undefined, true;
        if (poker?.pointer === event.pointerId) return poker.poker.held = false, this.poker = undefined, true;
        if (drag?.pointer !== event.pointerId) return false;
        this.drag = undefined;
        if (Math.hypot(drag.to.x - drag.from.x, drag.to.y - drag.from.y) >= 2) this.done(drag);
        this.show();
        return true;
    }

    private done(drag: Drag): void {
        const { what, moved, start } = drag;
        if ("field" in what) this.setVector(what.field, start.clone().add(moved).sub(this.origin(what.field)).divideScalar(this.span() / MOST).toArray());
        else if ("ring" in what) this.shift(what.body, new Vector3(), drag.turn);
        else if ("body" in what) this.shift(what.body, moved, undefined);
        else if ("muscle" in what) this.setMuscle(what.muscle, this.pulled(drag));
        else {
            const force = this.edit.forces![what.push]!;
            if (what.end === "at") {
                if (drag.hit) this.setPush(what.push, { ...force, at: decimals(drag.hit.rest.clone().multiplyScalar(this.unit).toArray(), 4) });
                return;
            }
            const value = this.drawnPush(drag, force as Force & { at: Place }).value;
            this.setPush(what.push, force.keys ? { ...force, keys: withKey(force.keys, { time: this.time, value }) } : { ...force, value });
        }
    }
    private pulled({ what, from, to }: Drag): number { return "muscle" in what ? numberAt(this.edit.muscles?.[what.muscle] ?? 0, this.time) + (from.y - to.y) / WHOLE : 0; }
    private drawnPush({ moved, start }: Drag, force: Force & { at: Place }): { way: Vector3; value: Place } {
        const way = start.clone().add(moved).sub(this.base(force)), length = way.length() / this.span();
        return { way, value: decimals(way.clone().setLength(newtonsOf(length)).toArray(), 1) };
    }

    /** A body goes somewhere or turns: a key at the playhead where it has keys, else for good. */
    private shift(at: number, by: Vector3, turn: Quaternion | undefined): void {
        const body = this.edit.bodies[at], carry = body && this.drawn.carry(body.joint), { time } = this;
        if (!body) return;
        const back = new Quaternion(); // a joint that carries it has turned it
        if (carry) back.setFromRotationMatrix(new Matrix4().extractRotation(carry)).conjugate();
        const move = by.clone().multiplyScalar(this.unit).applyQuaternion(back), spin = turn && back.clone().multiply(turn).multiply(back.clone().conjugate()), now = movedBy(body, time);
        const made = isKeyed(this.edit, body) ? keyed(body, time, now.map((one, i) => one + move.toArray()[i]!), spin?.multiply(turnedBy(body, time))) : spin ? turned(body, spin) : placed(body, move.toArray());
        this.replace(`${turn ? "turn" : "move"} ${body.name}`, at, made);
    }
    private replace(label: string, at: number, made: Body | undefined, merge = ""): void {
        const bodies = this.edit.bodies.flatMap((one, i) => (i === at ? made ? [made] : [] : [one])), named = new Set(bodies.map(one => one.mesh)), file = new Set(bodiesOf(this.app.engine.worldFile).map(one => one.mesh)), { files } = this.edit;
        this.change(label, { bodies, ...(files && !made ? { files: files.filter(one => named.has(one.name) || file.has(one.name)) } : {}) }, merge);
    }

    // -------------------------------------------------------------------------------------------- what pokes

    /** A body of the size of the brush; its place comes from keys. */
    private solid(kind: "ball" | "capsule", at: Vector3, along: Vector3): Body {
        const radius = Number(this.reach().toFixed(4)), middle = at.clone().multiplyScalar(this.unit), half = along.clone().setLength(LONG / 2 * radius), all = bodiesOf(this.app.engine.worldFile);
        const shape = kind === "ball" ? { sphere: { center: decimals(middle.toArray(), 5), radius } } : { capsule: { from: decimals(middle.clone().sub(half).toArray(), 5), to: decimals(middle.clone().add(half).toArray(), 5), radius } };
        return { name: freeName(all, kind), ...shape };
    }

    /** Binds beside what plays, so that a press gets an immediate answer. */
    private async prepare(wanted = false): Promise<void> {
        const { engine, clock } = this.app, { chain } = this;
        if (this.hand.busy) return;
        if (!this.active) return engine.unready();
        if (this.drag || clock.playing && !wanted || this.hand.refuses(chain, "poke") || !engine.shape) return;
        const far = this.up().multiplyScalar(2 * FAR * engine.shape.info.diagonal);
        return engine.readyBodies(chain, [...bodiesOf(engine.worldFile), this.solid(this.pokeWith, far, new Vector3(1, 0, 0))]);
    }

    /** A press that comes too early is answered when the chain is ready, if the pointer is still down; what plays stands still meanwhile. */
    private async wait(event: PointerEvent, hit: Hit): Promise<void> {
        const { engine, clock, say } = this.app, { pointerId } = event, problem = engine.readyProblem(hit.chain);
        if (problem) return say(problem, "bad");
        say("The chain is getting ready for one more body. Keep holding.");
        this.waiting = pointerId;
        clock.held = true;
        while (this.waiting === pointerId && !engine.readyFor(hit.chain) && !engine.readyProblem(hit.chain) && this.active) {
            await this.prepare(true);
            await new Promise(requestAnimationFrame);
        }
        clock.held = false;
        if (this.waiting !== pointerId) return;
        this.waiting = undefined;
        if (engine.readyFor(hit.chain)) this.begin(event, hit);
    }
    private waiting: number | undefined;

    private begin(event: PointerEvent, hit: Hit): void {
        const { view, engine, say } = this.app, why = this.hand.refuses(hit.chain, "poke");
        if (why) return say(why);
        if (!engine.readyFor(hit.chain)) return void this.wait(event, hit);
        // It comes along the line of sight, on which nothing lies: what is pressed is visible.
        const away = view.camera.position.clone().sub(hit.place).normalize(), right = new Vector3().setFromMatrixColumn(view.camera.matrixWorld, 0), radius = this.reach() / this.unit;
        const poker = this.hand.poke(hit.chain, this.solid(this.pokeWith, hit.place, right), hit.place, away.clone().multiplyScalar(AWAY * radius), hit.place.clone().addScaledVector(away, FAR * engine.shape!.info.diagonal));
        if (poker) this.poker = { pointer: event.pointerId, plane: new Plane().setFromNormalAndCoplanarPoint(view.camera.getWorldDirection(new Vector3()), hit.place), poker };
    }

    // -------------------------------------------------------------------------------------------- what is added

    private add(kind: "ball" | "capsule"): void {
        const body = this.solid(kind, this.beside(), new Vector3(1, 0, 0));
        this.chosen = body.name;
        this.change(`add a ${kind}`, { bodies: [...this.edit.bodies, body] });
    }

    /** Adds any mesh as a body. */
    async addMesh(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<void> {
        const { engine, say } = this.app, { files = [], bodies } = this.edit, { ref } = await keepFile(name, bytes);
        if (!engine.shape) return say("There is no character yet for a body to touch.");
        let called = name;
        for (let n = 2; files.some(one => one.name === called && one.hash !== ref.hash); ++n) called = name.replace(/(\.[^.]+)?$/, `-${n}$1`);
        const file = { ...ref, name: called }, prop = await readProp(file, engine.shape), pivot = prop.center.clone().multiplyScalar(this.unit), move = this.beside().multiplyScalar(this.unit).sub(pivot);
        const body: Body = { name: freeName(bodiesOf(engine.worldFile), called.replace(/\.[^.]+$/, "")), mesh: called, pivot: decimals(pivot.toArray(), 5), keys: [{ time: 0, move: decimals(move.toArray(), 5) }] };
        this.chosen = body.name;
        this.change(`add ${called}`, { bodies: [...bodies, body], files: [...files.filter(one => one.name !== called), file] });
        say(`'${called}' is a body now: drag it or its arrows, turn it by its rings, pin it to a joint, or give it keys.`);
    }

    private addForce(): void {
        const { engine, view, say } = this.app, { x: midX, y: midY } = view.center, { shape } = engine, pane = view.panes.find(one => one.chain === this.chain), { forces = [] } = this.edit;
        if (!shape || !pane) return say("There is no skin yet to push.");
        // Where the middle of the picture shows skin, else the point of it that is nearest to that.
        const hit = this.picker()?.hit(view.wiped ? midX : pane.left + pane.width / 2, midY, shape), frame = view.frameOf(this.chain, this.app.store.now.frame)?.frame.points ?? shape.points, p = new Vector3();
        let best = hit?.point ?? 0, near = Infinity;
        for (let i = 0; !hit && i < shape.info.points; ++i) {
            const { x, y } = p.fromArray(frame, 3 * i).project(view.camera);
            if (x * x + y * y < near) best = i, near = x * x + y * y;
        }
        const at = hit?.rest ?? new Vector3().fromArray(shape.points, 3 * best), way = new Vector3().setFromMatrixColumn(view.camera.matrixWorld, 1).setLength(-PUSH); // down the picture, where its tip is seen
        const all = (engine.worldFile as { forces?: { name: string }[] } | undefined)?.forces ?? [];
        this.change("add a force", { forces: [...forces, { name: freeName(all, "force"), at: decimals(at.clone().multiplyScalar(this.unit).toArray(), 4), radius: Number(this.reach().toFixed(4)), value: decimals(way.toArray(), 1) }] });
    }

    private addMuscle(joint: string): void {
        if (joint && !(joint in (this.edit.muscles ?? {}))) this.setMuscle(joint, 0.5);
    }

    private async fileWorld(): Promise<object | undefined> {
        const { world } = this.app.store.now.source;
        return world ? JSON.parse(new TextDecoder().decode(await fileBytes(world))) as object : undefined;
    }

    private async keep(): Promise<void> {
        const { store, engine, say } = this.app, { files = [] } = this.edit;
        save(RECORDED, new Blob([`${JSON.stringify(worldWith(worldMerged(await this.fileWorld(), store.now.world), takeOf(store.now, engine.clip()?.name ?? null).pulls), null, 1)}\n`], { type: "application/json" }));
        for (const one of files) save(one.name, new Blob([await fileBytes(one) as Uint8Array<ArrayBuffer>]));
        say(`${RECORDED}: the world of this session, for 'supple bake --world ${RECORDED}'${files.length ? `, with ${files.map(one => one.name).join(", ")} beside it` : ""}.`);
    }

    /** What was dropped becomes editable. */
    private async take(): Promise<void> {
        const file = await this.fileWorld() as Partial<WorldEdit> | undefined, number = <T extends { name: string }>(all: T[] = [], kind: string) => all.map((one, i) => ({ ...one, name: one.name ?? `${kind} ${i + 1}` }));
        if (file) this.app.store.do("edit the world's file", session => {
            const { world: _, ...source } = session.source, edit = session.world ?? NONE;
            return { ...session, source, world: { ...file, ...edit, bodies: [...number(file.bodies, "body"), ...edit.bodies], forces: [...number(file.forces, "force"), ...edit.forces ?? []], muscles: { ...file.muscles, ...edit.muscles }, keys: { ...file.keys, ...edit.keys } } };
        });
    }

    // -------------------------------------------------------------------------------------------- the panel

    private build() {
        const small = (label: string, title: string, run: () => void, id: string) => h("button", { class: "small outline", id, title, onclick: run }, label);
        const slider = (name: string, what: Field) => {
            const bar = h("input", { type: "range", min: "0", max: "200", "aria-label": name, oninput: () => this.strength(what, Number(bar.value) / 10) }), value = h("output", {});
            const key = h("button", { class: "small", id: `world-${what}-keys`, title: `Keys of the ${what}: a change sets one at the playhead`, onclick: () => this.keyField(what) }, "Keys");
            return { bar, value, key, row: h("div", { class: "row" }, h("label", { class: "touch-slider" }, h("span", { class: `world-${what}` }, name), bar, value), key) };
        };
        const gravity = slider("Gravity", "gravity"), wind = slider("Wind", "wind"), list = h("div", { class: "world-bodies", role: "group", "aria-label": "Bodies, forces and muscles" });
        const keep = small("Keep as world", "A world file for 'supple bake --world'", () => void this.keep(), "world-keep"), clear = small("Clear", "Back to the world as it was dropped", () => this.app.store.do("clear the world", session => { const { world: _, ...rest } = session; return rest; }), "world-clear");
        const take = small("Edit the file", "What the dropped world holds (bodies, forces, muscles, keys) moves into this list", () => void this.take(), "world-take");
        const file = h("input", { type: "file", id: "world-file", class: "visually-hidden", tabIndex: -1, "aria-hidden": "true", accept: ".obj,.ply,.glb,.gltf,.vrm,.mesh,.stl", onchange: () => {
            const [one] = file.files ?? [];
            if (one) void one.arrayBuffer().then(bytes => this.addMesh(one.name, new Uint8Array(bytes))).catch(error => this.app.say(sentence(error), "bad"));
            file.value = "";
        } });
        const muscle = h("select", { id: "world-muscle", "aria-label": "Add a muscle", onchange: () => { this.addMuscle(muscle.value); muscle.value = ""; } });
        const pokes = (["ball", "capsule"] as const).map(kind => h("button", { "data-poke": kind, onclick: () => this.app.store.keep(session => ({ ...session, touch: { tool: "world", reach: null, spring: 40000, ...session.touch, poke: kind } })) }, kind));
        const options = h("div", { class: "touch-options world-options", role: "group", "aria-label": "The world" }, gravity.row, wind.row, list,
            h("div", { class: "row wrap" }, small("Ball", "A ball beside the character", () => this.add("ball"), "world-ball"), small("Capsule", "A capsule beside the character", () => this.add("capsule"), "world-capsule"), small("Mesh…", "Any mesh as a body; or drop one while this tool is chosen", () => file.click(), "world-mesh"), small("Force", "A push on the skin in the middle of the view", () => this.addForce(), "world-force"), muscle, file),
            h("div", { class: "row" }, h("span", { class: "about" }, "Poke the skin with a"), h("div", { class: "segments", role: "group", "aria-label": "Poke with" }, pokes)),
            h("div", { class: "row end" }, take, keep, clear));
        return { options, gravity, wind, list, keep, clear, take, muscle, pokes };
    }

    private strength(what: Field, length: number): void {
        const { shape } = this.app.engine, v = this.vector(what);
        if (!shape) return;
        const way = v.length() ? v : what === "gravity" ? this.up().negate() : new Vector3().crossVectors(this.up(), axes(shape, shape.jointRest).front);
        this.setVector(what, way.setLength(Math.max(1e-9, length)).toArray(), what);
    }
    private keyField(what: Field): void {
        const { [what]: has, ...rest } = this.edit.keys ?? {}, value = decimals(this.vector(what).toArray(), 2);
        this.change(has ? `no keys of the ${what}` : `key of the ${what}`, has ? { keys: rest, [what]: value } : { keys: { ...rest, [what]: [{ time: this.time, value }] } });
    }

    /** Pinned where it is: the joint carries it from there. */
    private pin(at: number, joint: string): void {
        const body = this.edit.bodies[at]!, { joint: _, ...rest } = body, { place } = this.drawn.standing(body, this.time), carry = this.drawn.carry(joint || undefined), home = new Vector3(...pivotOf(body)).add(new Vector3(...movedBy(body, this.time)));
        const to = carry ? place.applyMatrix4(carry.clone().invert()) : place;
        this.replace(`pin ${body.name}`, at, placed(joint ? { ...rest, joint } : rest, to.multiplyScalar(this.unit).sub(home).toArray()));
    }
    private keyBody(at: number): void {
        const body = this.edit.bodies[at]!, on = isKeyed(this.edit, body), { keyed: names = [] } = this.edit, { keys: _, ...rest } = body;
        const still: Body = on ? body.mesh === undefined ? placed(rest, movedBy(body, this.time)) : { ...rest, keys: [{ time: 0, move: movedBy(body, this.time), turn: turnedBy(body, this.time).toArray() }] } : keyed(body.mesh === undefined ? body : { ...rest }, this.time, movedBy(body, this.time), body.mesh === undefined ? undefined : turnedBy(body, this.time));
        this.change(on ? `no keys of ${body.name}` : `key of ${body.name}`, { bodies: this.edit.bodies.map((one, i) => (i === at ? still : one)), keyed: on ? names.filter(one => one !== body.name) : [...names, body.name] });
    }

    private rows(): HTMLElement[] {
        const { bodies, forces = [], muscles = {} } = this.edit, joints = this.app.engine.info?.joints ?? [];
        const remove = (name: string, run: () => void) => h("button", { class: "square small", "aria-label": `Remove ${name}`, onclick: run }, "×");
        const keys = (on: boolean, count: number, run: () => void, name: string) => h("button", { class: "small", "aria-pressed": String(on), "aria-label": `Keys of ${name}`, title: on ? `${count} keys: a change sets one at the playhead` : "A key at the playhead; changes set more", onclick: run }, "Keys");
        const solids = bodies.map((body, i) => {
            const joint = h("select", { "aria-label": `Joint that carries ${body.name}`, onchange: () => this.pin(i, joint.value) }, h("option", { value: "" }, "Free"), joints.map(({ name }) => h("option", { value: name }, `On ${name}`)));
            joint.value = body.joint ?? "";
            const radius = body.sphere?.radius ?? body.capsule?.radius, size = radius === undefined ? "" : h("input", { type: "number", min: "0.1", step: "0.5", value: String(Number((100 * radius).toPrecision(3))), "aria-label": `Radius of ${body.name} in centimeters`, title: "Radius in centimeters", onchange: (event: Event) => { const to = Number((event.target as HTMLInputElement).value); if (to > 0) this.replace(`size of ${body.name}`, i, sized(body, to / 100)); } });
            return h("div", { class: "row" }, h("button", { class: "small world-name", "aria-pressed": String(this.chosen === body.name), title: body.sphere ? "Drag it in the view, or by its arrows" : "Drag it in the view or by its arrows, turn it by its rings", onclick: () => (this.chosen = this.chosen === body.name ? "" : body.name, this.listKey = "", this.update()) }, body.name), size, joint, keys(isKeyed(this.edit, body), body.keys?.length ?? 0, () => this.keyBody(i), body.name), remove(body.name, () => this.replace(`remove ${body.name}`, i, undefined)));
        });
        const pushes = forces.map((force, i) => {
            const on = Boolean(force.keys), set = () => { const { keys: _, value: __, ...rest } = force; this.setPush(i, on ? { ...rest, value: decimals(pushAt(force, this.time), 1) } : { ...rest, keys: [{ time: this.time, value: decimals(pushAt(force, this.time), 1) }] }); };
            return h("div", { class: "row" }, h("span", { class: "world-name world-push" }, force.name), h("output", { class: "about grow", "data-push": String(i) }, ""), isPlaced(force) ? keys(on, force.keys?.length ?? 0, set, force.name) : "", remove(force.name, () => this.change(`remove ${force.name}`, { forces: forces.filter(one => one !== force) })));
        });
        const flesh = Object.entries(muscles).map(([joint, value]) => {
            const on = typeof value !== "number", bar = h("input", { type: "range", min: "0", max: "100", "data-muscle": joint, "aria-label": `Muscle of ${joint}`, oninput: () => this.setMuscle(joint, Number(bar.value) / 100, `muscle ${joint}`) });
            const put = (label: string, made: Muscle | undefined) => { const { [joint]: _, ...rest } = muscles; this.change(label, { muscles: made === undefined ? rest : { ...muscles, [joint]: made } }); }, now = numberAt(value, this.time);
            return h("div", { class: "row" }, h("span", { class: "world-name world-flesh" }, joint), bar, keys(on, on ? value.length : 0, () => put(on ? `no keys of ${joint}` : `key of ${joint}`, on ? now : [{ time: this.time, value: now }]), joint), remove(`the muscle of ${joint}`, () => put(`remove the muscle of ${joint}`, undefined)));
        });
        return [...solids, ...pushes, ...flesh];
    }

    private listKey = "";
    private resting = false;
    private asking: ReturnType<typeof setTimeout> | undefined;
    private update(): void {
        const rests = !this.active && !bodiesOf(this.app.engine.worldFile).length && !this.hand.poker;
        if (rests && this.resting) return;
        this.resting = rests;
        this.options.hidden = !this.active;
        void this.prepare();
        // What keeps a chain from being made ready may end without a word (a drag, a hand, a frame that was waited for): it is asked for again.
        clearTimeout(this.asking);
        if (this.active && !this.ready) this.asking = setTimeout(() => this.update(), ASK_MS);
        if (this.active) {
            const { engine, store } = this.app, { bodies, forces = [], muscles = {}, keys } = this.edit;
            for (const what of ["gravity", "wind"] as const) {
                const length = this.vector(what).length(), { bar, value, key } = this.parts[what];
                bar.value = String(Math.round(10 * Math.min(MOST, length)));
                bar.style.setProperty("--at", `${100 * Math.min(1, length / MOST)}%`);
                value.textContent = `${Number(length.toFixed(1))} ${what === "gravity" ? "m/s²" : "m/s"}`;
                key.setAttribute("aria-pressed", String(Boolean(keys?.[what])));
            }
            const key = JSON.stringify([bodies.map(({ name, joint, keys: own, sphere, capsule }) => [name, joint, own?.length, sphere?.radius ?? capsule?.radius]), this.edit.keyed, this.chosen, forces, muscles, engine.info?.name]), focus = document.activeElement?.getAttribute("aria-label");
            if (key !== this.listKey && !(document.activeElement as HTMLElement | null)?.matches(".world-bodies input[type=range]")) {
                this.listKey = key;
                this.parts.list.replaceChildren(...this.rows());
                if (focus) [...this.parts.list.querySelectorAll<HTMLElement>("[aria-label]")].find(one => one.getAttribute("aria-label") === focus)?.focus();
            }
            for (const one of this.parts.list.querySelectorAll<HTMLInputElement>("[data-muscle]")) {
                const value = Math.round(100 * numberAt(muscles[one.dataset["muscle"]!] ?? 0, this.time));
                one.value = String(value);
                one.style.setProperty("--at", `${value}%`);
            }
            for (const one of this.parts.list.querySelectorAll<HTMLElement>("[data-push]")) one.textContent = newtonText(Math.hypot(...pushAt(forces[Number(one.dataset["push"])] ?? { name: "" }, this.time)));
            const names = (engine.info?.joints ?? []).filter(one => one.skin).map(one => one.name), listed = names.join();
            if (this.parts.muscle.dataset["keys"] !== listed) this.parts.muscle.dataset["keys"] = listed, this.parts.muscle.replaceChildren(h("option", { value: "" }, "Muscle of …"), ...names.map(name => h("option", { value: name }, name)));
            for (const one of this.parts.pokes) one.setAttribute("aria-pressed", String(one.dataset["poke"] === this.pokeWith));
            this.parts.keep.disabled = this.parts.clear.disabled = !isEdited(store.now.world);
            this.parts.take.hidden = !store.now.source.world;
        }
        this.show();
    }

    // -------------------------------------------------------------------------------------------- the view

    /** What pokes goes with the pointer. */
    follow(): void {
        if (this.hand.poker || this.poked) this.show();
        this.poked = Boolean(this.hand.poker);
    }
    private poked = false;

    private show(): void {
        const { view, engine } = this.app, { drag } = this, { what } = drag ?? {}, { poker } = this.hand, { bodies, forces = [], muscles = {} } = this.edit, file = bodiesOf(engine.worldFile), all = poker ? [...file, poker.body] : file, first = file.length - bodies.length;
        this.drawn.group.visible = this.active || all.length > 0;
        // What pokes is where it was last seen; the others are where the playhead has them.
        this.drawn.showBodies(all, bodies.length + (poker ? 1 : 0), this.time, i => {
            if (poker && i === all.length - 1) return { by: poker.to.clone().sub(this.drawn.standing(poker.body, this.time).place).addScaledVector(poker.out, poker.held ? 0 : Math.min(1, poker.gone / 5)), turn: new Quaternion() };
            return what && "body" in what && what.body === i - first ? { by: "ring" in what ? new Vector3() : drag!.moved, turn: drag!.turn } : undefined;
        });
        const arrows: Arrow[] = [];
        this.label.hidden = true;
        if (this.active) {
            for (const field of ["gravity", "wind"] as const) {
                const to = this.tip(field);
                if (what && "field" in what && what.field === field) to.add(drag!.moved);
                arrows.push({ from: this.origin(field), to, color: COLORS[field] });
            }
            forces.forEach((force, i) => {
                if (!isPlaced(force)) return;
                const own = what && "push" in what && what.push === i ? what.end : undefined, from = own === "at" && drag!.hit ? drag!.hit.place.clone() : this.base(force), push = own === "tip" ? this.drawnPush(drag!, force) : undefined, to = from.clone().add(push?.way ?? this.pushed(force));
                arrows.push({ from, to, color: COLORS.force });
                if (!push) return;
                const { x, y } = onScreen(view, this.chain, to);
                this.label.hidden = false;
                this.label.textContent = newtonText(Math.hypot(...push.value));
                this.label.style.transform = `translate(${Math.round(x + 14)}px, ${Math.round(y - 26)}px)`;
            });
        }
        const held = this.active && !poker ? bodies.find(one => one.name === this.chosen) : undefined, stands = held && this.drawn.standing(held, this.time);
        if (stands && what && "body" in what && !("ring" in what)) stands.place.add(drag!.moved);
        if (stands) AXES.forEach((axis, i) => arrows.push({ from: stands.place, to: stands.place.clone().addScaledVector(axis, LEVER * spanAt(view, stands.place)), color: RING_COLORS[i]! }));
        this.drawn.showArrows(arrows);
        this.drawn.showMuscles(this.active ? Object.entries(muscles).map(([joint, value]) => ({ joint, value: what && "muscle" in what && what.muscle === joint ? Math.max(0, Math.min(1, this.pulled(drag!))) : numberAt(value, this.time) })) : []);
        this.rings.show(held?.sphere ? undefined : stands?.place, new Quaternion(), stands ? spanAt(view, stands.place) : 1);
        view.touch();
    }

    /** Where a handle is, in pixels of the page: what a script drags. */
    places(): { name: string; x: number; y: number }[] {
        const { left, top } = this.app.view.canvas.getBoundingClientRect();
        return this.handles().map(({ what, place }) => {
            const { x, y } = onScreen(this.app.view, this.chain, place);
            const name = "field" in what ? what.field : "push" in what ? `${this.edit.forces![what.push]!.name} ${what.end}` : "muscle" in what ? what.muscle : `${this.edit.bodies[what.body]!.name}${"along" in what ? ` ${"xyz"[what.along]}` : ""}`;
            return { name, x: left + x, y: top + y };
        });
    }
}
