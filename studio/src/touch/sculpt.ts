// Sculpt: a brush on the posed skin. A stroke is a step: the whole shape at that time of the clip goes to the browser's storage as a mesh and into the
// session, and the link that is driven by sculpts (pose_space, beam, fourier) binds anew with it in the background; what follows it in the chain is
// driven further. `supple bake --example` takes the same file.
import { Plane, type Ray, Vector3 } from "three";
import { type App, soon } from "../app.ts";
import { ICONS, h, icon } from "../dom.ts";
import { sentence } from "../engine.ts";
import { fileBytes, keepFile } from "../files.ts";
import type { Frame } from "../frames.ts";
import { save } from "../output.ts";
import { type ChainSpec, type Session, activeChain, chainById, frameTime, link, running } from "../session.ts";
import { readTruth } from "../truth.ts";
import { groundOf } from "./map.ts";
import type { Hit } from "./pick.ts";
import { Clay, type Region, type Stroke } from "./sculpt_brush.ts";
import { type Place, type Sculpt, isAt, sculptName, sculptText, sculptsOf } from "./sculpt_file.ts";
import { touchOf } from "./tools.ts";
import "./sculpt.css";

export interface SculptBrush {
    stroke: Stroke;
    strength: number;
    mirror: boolean;
    /** The link that keeps sculpts where a chain has none yet. */
    keeper: string;
}
export const SCULPT: SculptBrush = { stroke: "grab", strength: 0.5, mirror: false, keeper: "pose_space" };
const STROKES: [Stroke, string][] = [["grab", "Grab"], ["smooth", "Smooth"], ["inflate", "Inflate"], ["deflate", "Deflate"]];
const SAME_POSE = Math.cos(0.25 * Math.PI / 360); // of half the angle: joints within 0.25 degrees are one pose to pose_space
const NEW_SESSION = "The motion of the Doctor holds no sculpts: go back to the motion first.";

interface Slider { bar: HTMLInputElement; value: HTMLElement; row: HTMLElement }

/** What is seen in place of a chain's frame: from the first touch until the chain has it. */
interface Shown {
    chain: number;
    at: number;
    place: Place;
    frame: Frame;
    /** The chain's own frame of before: another one is the sculpted. */
    old: Frame | undefined;
    /** Strokes that are not in the session yet, and the file of the last one that is. */
    waiting: number;
    hash: string | undefined;
}

export class Sculptor {
    readonly options: HTMLElement;
    private stroke: { clay: Clay; before: Frame; shown: Shown; grabbed: { region: Region; plane: Plane; from: Vector3; to: Vector3 } | undefined; spec: ChainSpec } | undefined;
    private shown: Shown | undefined;
    /** Shapes by the hash of their files. */
    private readonly shapes = new Map<string, Float32Array>();
    private saving: Promise<void> = Promise.resolve();
    private readonly marks: HTMLElement[] = [];

    constructor(private readonly app: App, private readonly reach: () => number, slider: (name: string, oninput: (value: number) => void) => Slider, size: HTMLElement) {
        const { store, engine, view } = app, set = (label: string, change: Partial<SculptBrush>, merge = "") => store.do(label, session => ({ ...session, touch: { ...touchOf(session), sculpt: { ...this.brush, ...change } } }), merge);
        const strokes = STROKES.map(([stroke, label]) => h("button", { "data-stroke": stroke, onclick: () => set(`brush: ${label.toLowerCase()}`, { stroke }) }, label));
        const strength = slider("Strength", t => set("strength of the brush", { strength: Number(t.toFixed(2)) }, "strength"));
        const mirror = h("input", { type: "checkbox", id: "sculpt-mirror", onchange: () => set("mirror", { mirror: mirror.checked }) }), symmetric = h("small", {});
        const keeper = h("select", { id: "sculpt-keeper", "aria-label": "The link that keeps sculpts", onchange: () => set("link that keeps sculpts", { keeper: keeper.value }) });
        const where = h("b", {}), about = h("p", { class: "about" }), list = h("ul", { class: "sculpts" });
        this.options = h("div", { class: "touch-options", role: "group", "aria-label": "Sculpting" }, h("div", { class: "sculpt-head" }, where), h("div", { class: "segments", role: "group", "aria-label": "Brush" }, strokes), size, strength.row,
            h("div", { class: "row-toggle" }, h("label", { for: "sculpt-mirror" }, "Mirror across x ", symmetric), mirror),
            h("div", { class: "row" }, h("span", { class: "about" }, "Kept by"), keeper), about, list);
        let marked = "";
        const update = () => {
            const { tool } = touchOf(store.now), clip = engine.clip(), marks = JSON.stringify([store.now.source.sculpts, clip, engine.span()]);
            if (marks !== marked) this.mark();
            marked = marks;
            if (tool !== "sculpt") return; // nobody sees the rest
            const { brush } = this, place = this.place(), all = sculptsOf(store.now), here = place && all.find(one => isAt(one, place)), own = this.keeperOf(activeChain(store.now));
            where.textContent = !place ? "No motion to sculpt in" : place.time > engine.span().end + 1e-9 ? "The last pose is held here: no sculpts" : `${here ? "Sculpt" : "New sculpt"} at ${place.time.toFixed(2)} s of ${place.clip}`;
            for (const one of strokes) one.setAttribute("aria-pressed", String(one.dataset["stroke"] === brush.stroke));
            strength.bar.value = String(1000 * brush.strength);
            strength.bar.style.setProperty("--at", `${100 * brush.strength}%`);
            strength.value.textContent = String(brush.strength);
            strength.row.hidden = brush.stroke === "grab";
            mirror.checked = brush.mirror;
            symmetric.textContent = engine.shape && brush.mirror ? `${Math.round(100 * groundOf(engine.shape).symmetric)} % have a partner` : "";
            const keepers = engine.deformers.filter(one => one.needs.includes("examples")).map(one => one.name);
            if (keeper.options.length !== keepers.length) keeper.replaceChildren(...keepers.map(name => h("option", { value: name }, name)));
            keeper.value = own?.deformer ?? brush.keeper;
            keeper.disabled = Boolean(own);
            const brought = engine.info?.examples.length ?? 0;
            about.textContent = all.length || !brought ? "" : `Your first sculpt takes the place of the ${brought} that the character brings.`;
            about.hidden = !about.textContent;
            list.replaceChildren(...[...all].sort((a, b) => a.clip.localeCompare(b.clip) || a.time - b.time).map(one => this.row(one, one === here)));
        };
        store.listen(soon(update));
        engine.listen(soon(update));
        view.instead = (chain, at) => this.frameOf(chain, at);
        update();
    }

    get brush(): SculptBrush { return { ...SCULPT, ...touchOf(this.app.store.now).sculpt }; }
    /** The pulled position of the grabbed skin. */
    get held(): Vector3 | undefined { return this.stroke?.grabbed?.to; }
    get hovers(): boolean { return !this.stroke?.grabbed; }

    private row(one: Sculpt, here: boolean): HTMLElement {
        const { store } = this.app, name = `${one.clip} ${one.time.toFixed(2)} s`;
        return h("li", { class: here ? "here" : "" },
            h("button", { class: "small go", title: "Go there", onclick: () => this.go(one) }, name),
            h("button", { class: "square small", "aria-label": `Save the sculpt ${name}`, title: `Save ${one.file.name}, for --example`, onclick: () => void fileBytes(one.file).then(bytes => save(one.file.name, new Blob([bytes as Uint8Array<ArrayBuffer>], { type: "model/obj" }))) }, icon(ICONS.save)),
            h("button", { class: "square small", "aria-label": `Remove the sculpt ${name}`, title: "Remove", onclick: () => store.do(`remove the sculpt ${name}`, session => this.without(session, one)) }, icon(ICONS.close)));
    }

    private go(one: Place): void {
        const { store, engine, clock } = this.app;
        clock.pause();
        if (engine.clip()?.name !== one.clip) store.do(`clip ${one.clip}`, session => ({ ...session, clip: one.clip, start: null, end: null, cycle: false }));
        clock.seek(Math.round((one.time - engine.span().start) * store.now.fps));
    }

    /** Sculpts on the track. */
    private mark(): void {
        const { store, engine } = this.app, row = document.querySelector<HTMLElement>(".track-row"), clip = engine.clip(), { end, hold } = engine.span();
        for (const one of this.marks.splice(0)) one.remove();
        if (!row || !clip) return;
        const whole = Math.max(clip.seconds, end + hold) || 1;
        for (const one of sculptsOf(store.now).filter(each => each.clip === clip.name)) {
            const mark = h("button", { class: "sculpt-mark", title: `Sculpt at ${one.time.toFixed(2)} s`, "aria-label": `Sculpt at ${one.time.toFixed(2)} s`, onclick: () => this.go(one) });
            mark.style.setProperty("--t", String(one.time / whole));
            this.marks.push(mark);
            row.append(mark);
        }
    }

    /** Where in the motion a sculpt would be now. */
    private place(): Place | undefined {
        const { store, engine } = this.app, clip = engine.clip(), { start } = engine.span();
        return clip && { clip: clip.name, time: frameTime(start, store.now.fps, store.now.frame) };
    }

    /** The link of a chain that sculpts drive: the last of them. */
    private keeperOf(spec: ChainSpec): { at: number; deformer: string } | undefined {
        const found = running(spec).filter(({ link: one }) => this.app.engine.deformers.find(each => each.name === one.deformer)?.needs.includes("examples")).at(-1);
        return found && { at: found.at, deformer: found.link.deformer };
    }

    /** The chain with a link that keeps sculpts: after links that only follow the pose, before those with motion of their own. */
    private kept(spec: ChainSpec): ChainSpec {
        if (this.keeperOf(spec)) return spec;
        const moves = spec.links.findIndex(one => !one.muted && this.app.engine.deformers.find(each => each.name === one.deformer)?.dynamic), at = moves < 0 ? spec.links.length : moves;
        return { ...spec, links: [...spec.links.slice(0, at), link(this.brush.keeper), ...spec.links.slice(at)] };
    }

    /** Why nothing can be sculpted; null: it can. */
    refuses(hit: Hit): string | null {
        const { store, engine, view } = this.app, place = this.place(), { end } = engine.span();
        if (store.now.source.bend) return NEW_SESSION;
        if (!place) return "A sculpt belongs to a pose of a motion: drop one (.bvh), or choose a character that has clips.";
        if (place.time > end + 1e-9) return "The last pose is held here. Go back to before the end of the motion to sculpt.";
        const spec = chainById(store.now, hit.chain);
        if (!spec) return "Choose a chain to sculpt first.";
        // One that only lacks sculpts gets its first on the skin that stands in for it.
        const failed = engine.status(hit.chain).state === "failed", first = failed && this.keeperOf(spec) && !sculptsOf(store.now).length && !engine.info?.examples.length;
        if (failed && !first) return "The chain failed, and has no skin to sculpt.";
        const whose = view.frameOf(hit.chain, store.now.frame)?.whose;
        if (whose !== "own" && !first && this.shown?.frame !== view.frameOf(hit.chain, store.now.frame)?.frame) return "This frame is not simulated yet. One moment.";
        const other = this.samePose(place);
        return other ? `This pose is that of the sculpt at ${other.time.toFixed(2)} s: sculpt there.` : null;
    }

    /** Two sculpts of one pose would contradict each other. */
    private samePose(place: Place): Sculpt | undefined {
        const { store, engine } = this.app, base = engine.base(), { start } = engine.span(), now = base?.any(store.now.frame)?.pose;
        if (!now || sculptsOf(store.now).some(one => isAt(one, place))) return undefined;
        return sculptsOf(store.now).find(one => {
            const other = one.clip === place.clip ? base?.any(Math.round((one.time - start) * store.now.fps))?.pose : undefined;
            return other && engine.info!.joints.every((joint, i) => {
                if (joint.parent < 0) return true; // where the character faces is no pose
                const p = 10 * i + 3;
                return Math.abs(now[p]! * other[p]! + now[p + 1]! * other[p + 1]! + now[p + 2]! * other[p + 2]! + now[p + 3]! * other[p + 3]!) > SAME_POSE;
            });
        });
    }

    /** The brush goes down on the skin. */
    press(hit: Hit, ray: Ray, pressure: number): void {
        const { store, engine, view, clock } = this.app, { shape } = engine, at = store.now.frame, before = view.frameOf(hit.chain, at)?.frame, place = this.place(), spec = chainById(store.now, hit.chain);
        if (!shape || !before || !place || !spec) return;
        clock.pause();
        const clay = new Clay(shape, before), grab = this.brush.stroke === "grab", again = this.shown?.chain === hit.chain && this.shown.at === at;
        const shown: Shown = again ? this.shown! : { chain: hit.chain, at, place, frame: before, old: engine.frames(hit.chain)?.get(at), waiting: 0, hash: undefined };
        ++shown.waiting;
        this.shown = shown;
        this.stroke = {
            clay, before, shown, spec,
            grabbed: grab ? { region: clay.region(hit.place, this.radius, hit.point), from: hit.place.clone(), to: hit.place.clone(), plane: new Plane().setFromNormalAndCoplanarPoint(ray.direction.clone().negate(), hit.place) } : undefined,
        };
        if (!grab) this.move(hit, ray, pressure);
    }

    private get radius(): number { return this.reach() / (this.app.engine.info?.physics_unit ?? 1); }

    /** The brush continues: over the skin, or through the air with what it has grabbed. */
    move(hit: Hit | undefined, ray: Ray, pressure: number): void {
        const { stroke, brush } = this;
        if (!stroke) return;
        const { clay, grabbed, shown } = stroke;
        if (grabbed) {
            const to = ray.intersectPlane(grabbed.plane, new Vector3());
            if (!to) return;
            grabbed.to.copy(to);
            clay.restore();
            clay.move(grabbed.region.points, Clay.pull(grabbed.region, to.sub(grabbed.from)), brush.mirror);
        } else if (hit?.chain === shown.chain && brush.stroke !== "grab") {
            const region = clay.region(hit.place, this.radius, hit.point);
            clay.move(region.points, clay.dab(brush.stroke, region, this.radius, brush.strength * pressure), brush.mirror);
        }
        shown.frame = clay.frame();
        this.app.view.touch();
    }

    /** The brush is lifted: a step. */
    end(): Promise<void> {
        const { stroke } = this;
        this.stroke = undefined;
        if (!stroke) return this.saving;
        this.saving = this.saving.then(() => this.keep(stroke)).catch(error => {
            this.shown = undefined;
            this.app.say(sentence(error), "bad");
        });
        return this.saving;
    }

    private async keep({ clay, before, shown, spec }: NonNullable<Sculptor["stroke"]>): Promise<void> {
        const { store, engine, say } = this.app, { place } = shown, { shape } = engine;
        if (!shape || !clay.touched.size) return void --shown.waiting;
        const points = (await this.ground(spec, before, place)).slice();
        for (const p of clay.touched) for (let i = 3 * p; i < 3 * p + 3; ++i) points[i]! += clay.points[i]! - before.points[i]!;
        const { ref, kept } = await keepFile(sculptName(place), new TextEncoder().encode(sculptText(shape, points, place)));
        if (!kept) say(`The sculpt does not fit this browser's storage: it works now, and a reload will not find it. Save it.`);
        this.shapes.set(ref.hash, points);
        --shown.waiting;
        shown.hash = ref.hash;
        store.do(`sculpt ${place.clip} at ${place.time.toFixed(2)} s`, session => ({
            ...session, chains: session.chains.map(one => (one.id === shown.chain ? this.kept(one) : one)),
            source: { ...session.source, sculpts: [...sculptsOf(session).filter(one => !isAt(one, place)), { file: ref, ...place }] },
        }));
    }

    /** The shape that the stroke was put on, where sculpts are kept: what was sculpted there before, or what the chain has up to its link. */
    private async ground(spec: ChainSpec, before: Frame, place: Place): Promise<Float32Array> {
        const { store, engine } = this.app, old = sculptsOf(store.now).find(one => isAt(one, place));
        if (old) return this.shapes.get(old.file.hash) ?? (await readTruth([old.file], engine.info!.points))[0]!;
        const full = this.kept(spec), at = this.keeperOf(full)!.at, behind = full.links.slice(at + 1).some(one => !one.muted);
        if (!behind) return before.points;
        const had = this.keeperOf(spec) ? full.links.slice(0, at + 1) : full.links.slice(0, at), made = await engine.aside({ id: -1, links: had }, store.now.frame, () => true);
        if (!made) throw new Error("What the chain has in front of its tissue could not be made, so the stroke was not kept. Please try again.");
        return made.points;
    }

    /** Links that sculpts drive go with the last of them: without any they could not be bound. */
    private without(session: Session, one: Place): Session {
        const { engine } = this.app, sculpts = sculptsOf(session).filter(each => !isAt(each, one)), bound = sculpts.length > 0 || (engine.info?.examples.length ?? 0) > 0;
        const plain = (spec: ChainSpec): ChainSpec => {
            const links = spec.links.filter(each => !engine.deformers.find(deformer => deformer.name === each.deformer)?.needs.includes("examples"));
            return { ...spec, links: links.length ? links : [link("linear")] };
        };
        return { ...session, chains: bound ? session.chains : session.chains.map(plain), source: { ...session.source, sculpts } };
    }

    /** What replaces a chain's frame. */
    private frameOf(chain: number, at: number): Frame | undefined {
        const { shown } = this, { store, engine } = this.app;
        if (!shown || shown.chain !== chain || shown.at !== at) return undefined;
        if (shown.waiting > 0 || shown.hash === undefined) return shown.frame;
        const now = engine.frames(chain)?.get(at), there = sculptsOf(store.now).some(one => one.file.hash === shown.hash) && engine.status(chain).state !== "failed";
        if (there && (!now || now === shown.old)) return shown.frame;
        this.shown = undefined;
        return undefined;
    }
}
