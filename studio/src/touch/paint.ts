// Paint: parameters that vary over points, under a brush. A stroke is a step: its map goes to the browser's storage and into the session, the chain
// binds anew with it in the background, and the command line takes the same text by --map.
import { type App, soon } from "../app.ts";
import { h } from "../dom.ts";
import { sentence } from "../engine.ts";
import { fileBytes, keepFile } from "../files.ts";
import { colorsOf, gradient } from "../heat.ts";
import { Lane, numbersOf } from "../lane.ts";
import { save } from "../output.ts";
import { activeChain, sourceName } from "../session.ts";
import { STROKE } from "../store.ts";
import type { Hit } from "./pick.ts";
import { asymmetry, groupScript, pointsWithin } from "./paint_more.ts";
import { type Dab, type Ground, type Mask, type Mode, groundOf, mapText, weightsOf } from "./map.ts";
import { touchOf } from "./tools.ts";

export interface Brush {
    /** The map: "layers_tether". */
    map: string | null;
    mode: Mode;
    strength: number;
    value: number;
    mask: Mask;
    mirror: boolean;
}
export const BRUSH: Brush = { map: null, mode: "add", strength: 0.3, value: 1, mask: "none", mirror: false };
const PREVIEW_MS = 400; // of a stroke between two binds of the chain with it
const MODES: [Mode, string][] = [["add", "Add"], ["subtract", "Subtract"], ["set", "Set"], ["blur", "Blur"]];
const MASKS: [Mask, string][] = [["none", "Paint all"], ["angle", "Facing side only"], ["piece", "Connected piece only"], ["joint", "By the joint's weight"]];
const FILLS = [["all", "everything"], ["joint", "the joint's skin"], ["part", "the part painted last"], ["piece", "the piece painted last"], ["sphere", "a sphere around the last dab"], ["selection", "the selection"]] as const;

interface Target {
    map: string;
    label: string;
    /** What 1 on the map means, with its unit. */
    whole: string;
}

export class Painter {
    readonly options: HTMLElement;
    private ground: Ground | undefined;
    private values: Float32Array | undefined;
    private valuesOf = "";
    private last: Hit | undefined;
    /** 1 at points within the last line that was drawn around some. */
    private selected: Uint8Array | undefined;
    private stroking = false;
    /** Strokes that were begun, and whether this one's map is on its way to the chain. */
    private strokes = 0;
    private sending = false;
    private sent = 0;
    private readonly update: () => void;

    constructor(private readonly app: App, private readonly reach: () => number, slider: (name: string, oninput: (value: number) => void) => { bar: HTMLInputElement; value: HTMLElement; row: HTMLElement }, size: HTMLElement) {
        const { store, engine } = app, set = (label: string, change: Partial<Brush>, merge = "") => store.do(label, session => ({ ...session, touch: { ...touchOf(session), brush: { ...this.brush, ...change } } }), merge);
        const target = h("select", { id: "paint-map", "aria-label": "What is painted", onchange: () => set("what is painted", { map: target.value }) });
        const modes = MODES.map(([mode, label]) => h("button", { "data-mode": mode, onclick: () => set(`brush: ${label.toLowerCase()}`, { mode }) }, label));
        const strength = slider("Strength", t => set("strength of the brush", { strength: Number(t.toFixed(2)) }, "strength")), value = slider("Value", t => set("value of the brush", { value: Number(t.toFixed(2)) }, "value"));
        const mask = h("select", { "aria-label": "Mask", onchange: () => set("mask", { mask: mask.value as Mask }) }, MASKS.map(([key, label]) => h("option", { value: key }, label)));
        const mirror = h("input", { type: "checkbox", id: "paint-mirror", onchange: () => set("mirror", { mirror: mirror.checked }) }), symmetric = h("small", {});
        const fill = h("select", { id: "paint-fill", "aria-label": "What is filled" }, FILLS.map(([key, label]) => h("option", { value: key }, label)));
        const strip = h("i", { class: "strip" }), low = h("small", {}), high = h("small", {});
        strip.style.background = `linear-gradient(to right, ${gradient(false)})`;
        this.options = h("div", { class: "touch-options", role: "group", "aria-label": "The brush" }, target,
            h("div", { class: "paint-legend" }, strip, h("span", {}, low, high)),
            h("div", { class: "segments", role: "group", "aria-label": "Brush" }, modes), size, strength.row, value.row, mask,
            h("div", { class: "row-toggle" }, h("label", { for: "paint-mirror" }, "Mirror across x ", symmetric), mirror),
            h("div", { class: "row" }, h("button", { class: "small outline", id: "paint-fill-go", title: "Goes to the value, at once", onclick: () => void this.fill(fill.value as "all") }, "Fill"), fill),
            h("div", { class: "row" }, h("button", { class: "small outline", id: "paint-symmetric", title: "Points whose value is not their partner's across x", onclick: () => this.checkSymmetry() }, "Symmetric?"), h("span", { class: "grow" }),
                h("button", { class: "small outline", id: "paint-group", title: "A script for Blender's Text Editor: the map as a vertex group of the mesh, and back", onclick: () => this.saveGroup() }, "Blender"), h("button", { class: "small outline", id: "paint-text", title: "One number a point, for --map", onclick: () => this.saveText() }, "Text"),
                h("button", { class: "small outline", id: "paint-glb", title: "The character with its maps as attributes of the GLB", onclick: () => void this.saveGlb() }, "GLB")));
        this.update = () => {
            const { brush } = this, all = this.targets(), { joint } = store.now.show, keys = all.map(one => one.map).join();
            if (target.dataset["keys"] !== keys) {
                target.dataset["keys"] = keys;
                target.replaceChildren(...all.map(one => h("option", { value: one.map }, one.label)));
            }
            const now = all.find(one => one.map === this.map);
            target.value = this.map ?? "";
            this.options.classList.toggle("empty", !all.length);
            for (const one of modes) one.setAttribute("aria-pressed", String(one.dataset["mode"] === brush.mode));
            for (const [one, number] of [[strength, brush.strength], [value, brush.value]] as const) {
                one.bar.value = String(1000 * number);
                one.bar.style.setProperty("--at", `${100 * number}%`);
                one.value.textContent = String(number);
            }
            mask.value = brush.mask;
            mirror.checked = brush.mirror;
            symmetric.textContent = this.ground && brush.mirror ? `${Math.round(100 * this.ground.symmetric)} % have a partner` : "";
            const some = this.selected?.reduce((sum, one) => sum + one, 0) ?? 0;
            (fill.options[5]!).textContent = some ? `the selection (${some} points)` : "the selection (Shift and drag around it)";
            (fill.options[1]!).textContent = joint ? `the skin of ${joint}` : "the skin of a joint (choose one)";
            low.textContent = "0";
            high.textContent = now ? `1 = ${now.whole}` : "";
        };
        store.follow(soon(() => void this.follow()));
        engine.listen(what => what === "character" && void this.follow());
    }

    get brush(): Brush { return { ...BRUSH, ...touchOf(this.app.store.now).brush }; }
    get active(): boolean { return touchOf(this.app.store.now).tool === "paint"; }
    /** The map is read, where there is one to paint. */
    get ready(): boolean { return this.map === null || this.values !== undefined && !this.waiting; }
    /** The values as they are painted now. */
    get painted(): Float32Array | undefined { return this.values; }

    /** Parameters of the chosen chain that may differ by point. */
    private targets(): Target[] {
        const { store, engine } = this.app, seen = new Set<string>();
        return activeChain(store.now).links.flatMap(link => (engine.deformers.find(one => one.name === link.deformer)?.params ?? []).flatMap(param => {
            const map = `${link.deformer}_${param.name}`;
            if (!/point/.test(param.varies) || seen.has(map)) return [];
            seen.add(map);
            return [{ map, label: `${link.deformer} · ${param.name.replaceAll("_", " ")}`, whole: `${link.values[param.name] ?? param.default}${param.unit ? ` ${param.unit}` : ""}` }];
        }));
    }
    get map(): string | null {
        const all = this.targets(), { map } = this.brush;
        return all.find(one => one.map === map)?.map ?? all[0]?.map ?? null;
    }

    /** The map of the session, or of the file, or 1 everywhere, which is none. */
    private async follow(): Promise<void> {
        const { store, engine } = this.app, { shape } = engine;
        if (!this.active || !shape) {
            this.show(undefined);
            return this.update();
        }
        this.ground = groundOf(shape);
        const { map } = this, kept = store.now.source.maps?.find(one => one.name === map), key = `${map}|${kept?.file.hash ?? ""}|${shape.info.name}|${shape.info.points}`;
        if (key !== this.valuesOf && !this.stroking && !this.waiting) {
            this.valuesOf = key;
            const ones = () => new Float32Array(shape.info.points).fill(1);
            const values = map === null ? undefined : kept ? perPoint(numbersOf(kept.file.name, await fileBytes(kept.file)), shape) : await engine.fileArray(`map:_${map.toUpperCase()}`) ?? ones();
            if (key === this.valuesOf) this.values = values;
        }
        this.show(this.values);
        this.update();
    }

    private show(values: Float32Array | undefined): void {
        if (touchOf(this.app.store.now).tool === "weights") return; // another brush's colors
        this.app.view.painted = values && this.active ? colorsOf(values) : undefined;
    }

    /** Why nothing can be painted; null: it can. */
    refuses(): string | null {
        return this.map === null ? `No parameter of ${activeChain(this.app.store.now).links.map(one => one.deformer).join(" › ")} may differ from point to point.` : this.values ? null : "The map is still being read. One moment.";
    }

    /** A dab where the pointer is; pressure 0 to 1 of a pen. */
    dab(hit: Hit, pressure: number): number {
        const { store, view, engine } = this.app, { brush, values } = this, shown = view.frameOf(hit.chain, store.now.frame), began = performance.now();
        if (!values || !shown || !engine.shape || !this.ground) return 0;
        if (!this.stroking) ++this.strokes, this.sent = began;
        this.stroking = true;
        this.last = hit;
        const { joint } = store.now.show, dab: Dab = {
            ...brush, center: hit.place.toArray(), radius: this.reach() / engine.shape.info.physics_unit, strength: brush.strength * pressure, normal: hit.normal.toArray(), point: hit.point,
            weights: brush.mask === "joint" && joint ? weightsOf(engine.shape, joint) : undefined,
        };
        this.ground.dab(values, shown.frame, dab, brush.mirror);
        this.show(values);
        this.preview(hit.chain);
        return performance.now() - began;
    }

    /** The result during the stroke: the chain binds with what is painted so far, again and again. */
    private preview(chain: number): void {
        const { engine, store } = this.app, { state } = engine.status(chain), seen = state === "ready" || state === "simulating" && engine.frames(chain)?.get(store.now.frame);
        if (this.sending || !seen || performance.now() - this.sent < PREVIEW_MS) return;
        this.sending = true;
        void this.keep(`paint ${this.map}`).finally(() => (this.sending = false));
    }

    /** The stroke is done: a step. */
    async end(label = `paint ${this.map}`): Promise<void> {
        if (!this.stroking) ++this.strokes;
        this.stroking = false;
        await this.keep(label);
    }

    /** What is painted becomes the session's; all of a stroke is one step. */
    private keep(label: string): Promise<void> {
        const { strokes } = this;
        ++this.waiting;
        return (this.keeping = this.keeping.then(() => this.put(label, strokes)).finally(() => {
            if (!--this.waiting) void this.follow(); // what the session became meanwhile
        }));
    }
    private keeping: Promise<void> = Promise.resolve();
    private waiting = 0;

    private async put(label: string, strokes: number): Promise<void> {
        const { store, say } = this.app, { map, values } = this;
        if (map === null || !values) return;
        this.sent = performance.now();
        const { file, builtin } = store.now.source;
        const { ref, kept } = await keepFile(`${map}.txt`, new TextEncoder().encode(mapText(values)));
        if (store.now.source.file?.hash !== file?.hash || store.now.source.builtin !== builtin) return; // another character came meanwhile
        if (!kept) say(`The map ${map} does not fit this browser's storage: it works now, and a reload will not find it.`);
        this.valuesOf = `${map}|${ref.hash}|${this.app.engine.info?.name}|${this.app.engine.info?.points}`;
        store.do(label, session => ({ ...session, source: { ...session.source, maps: [...(session.source.maps ?? []).filter(one => one.name !== map), { file: ref, name: map }] } }), `${STROKE}${strokes}`);
    }

    private async fill(what: (typeof FILLS)[number][0]): Promise<void> {
        const { store, engine, say } = this.app, { shape } = engine, { values, last } = this, { joint } = store.now.show, why = this.refuses();
        if (why || !shape || !values || !this.ground) return say(why ?? "There is no skin to paint.");
        const { ground } = this;
        if (what === "joint" && !joint) return say("Choose a joint first: click one in the view with the bones shown, or in the panel Show.");
        if (["part", "piece", "sphere"].includes(what) && !last) return say("Paint a dab first: it says which one is meant.");
        const weights = what === "joint" ? weightsOf(shape, joint!) : undefined, part = shape.info.parts.find(one => last && last.point >= one.point_begin && last.point < one.point_begin + one.point_count);
        if (what === "selection" && !this.selected?.some(one => one)) return say("Draw a line around some skin first: with Shift and a drag.");
        const radius = this.reach() / shape.info.physics_unit, p = shape.points, { selected } = this;
        ground.fill(values, this.brush.value, i => {
            if (what === "selection") return selected![i]!;
            if (what === "joint") return weights![i]!;
            if (what === "part") return part && i >= part.point_begin && i < part.point_begin + part.point_count ? 1 : 0;
            if (what === "piece") return ground.piece[i] === ground.piece[last!.point] ? 1 : 0;
            if (what === "sphere") return Math.hypot(p[3 * i]! - last!.rest.x, p[3 * i + 1]! - last!.rest.y, p[3 * i + 2]! - last!.rest.z) <= radius ? 1 : 0;
            return 1;
        });
        this.show(values);
        await this.end(`fill ${this.map}`);
    }

    /** Skin within a line on the screen that faces the camera. Returns how many points. */
    select(line: { x: number; y: number }[], chain: number): number {
        const { view, engine, store } = this.app, { shape } = engine, shown = view.frameOf(chain, store.now.frame)?.frame;
        if (!shape || !shown) return 0;
        this.selected = pointsWithin(line, shape, shown, view, chain, store.now.frame);
        this.update();
        return this.selected.reduce((sum, one) => sum + one, 0);
    }

    private checkSymmetry(): void {
        const { say, view } = this.app, { values, ground } = this;
        if (!values || !ground) return say("There is no map to check yet.");
        const { alone, differ, most } = asymmetry(values, ground.partner), name = this.map ?? "the map";
        const rest = alone ? ` ${alone} points have no partner.` : "";
        if (!differ) return say(`${name} is symmetric across x.${rest}`);
        say(`${differ} of ${values.length} points differ from their partner across x, by ${most.toFixed(2)} at most.${rest}`, "note", { label: "Mirror +x to -x", run: () => {
            const { shape } = this.app.engine;
            if (!shape) return;
            ground.partner.forEach((other, p) => { if (other >= 0 && shape.points[3 * p]! < 0) values[p] = values[other]!; });
            this.show(values);
            view.touch();
            void this.end(`mirror ${name}`);
        } });
    }

    private saveGroup(): void {
        const { shape } = this.app.engine;
        if (this.values && this.map && shape) save(`${this.map}.py`, new Blob([groupScript(this.map, this.values, shape.vertexPoints)], { type: "text/x-python" }));
    }

    private saveText(): void {
        if (this.values && this.map) save(`${this.map}.txt`, new Blob([mapText(this.values)], { type: "text/plain" }));
    }

    private async saveGlb(): Promise<void> {
        const { store, say } = this.app, lane = await Lane.open(true);
        try {
            await lane.load(store.now.source);
            const bytes = await lane.character.write() as Uint8Array<ArrayBuffer>, name = `${sourceName(store.now.source).replace(/\.[^.]+$/, "")}-painted.glb`;
            save(name, new Blob([bytes], { type: "model/gltf-binary" }));
            say(`${name}: its maps are attributes of the mesh, which 'supple bake' takes without --map.`);
        } catch (error) {
            say(sentence(error), "bad");
        } finally {
            lane.close();
        }
    }
}

/** Maps may have a number a stored vertex. */
function perPoint(values: Float32Array, { info, vertexPoints }: { info: { points: number; vertices: number }; vertexPoints: Uint32Array }): Float32Array {
    if (values.length !== info.vertices || info.vertices === info.points) return values.slice(0, info.points);
    const out = new Float32Array(info.points);
    vertexPoints.forEach((p, v) => (out[p] = values[v]!));
    return out;
}
