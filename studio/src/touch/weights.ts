// Weights: the brush on skin weights. A stroke is a step: the rows go to the browser's storage and into the session, every chain binds anew with them, and
// the saved GLB has them to the bit. While the stroke goes on, the skin is shown as linear skinning moves it under the new weights.
import { type Matrix4, Vector3 } from "three";
import { type App, count, soon } from "../app.ts";
import { byId, h } from "../dom.ts";
import { sentence } from "../engine.ts";
import { fileBytes, keepFile } from "../files.ts";
import type { Frame } from "../frames.ts";
import { colorAt, colorsOf, gradient } from "../heat.ts";
import { Lane, type Shape } from "../lane.ts";
import { save } from "../output.ts";
import { type Source, sourceName, weightsName } from "../session.ts";
import { groundOf } from "./map.ts";
import type { Hit } from "./pick.ts";
import { Clay } from "./sculpt_brush.ts";
import { touchOf } from "./tools.ts";
import { CellBoxes, type Cells } from "./weights_cells.ts";
import { type Packed, Rows, type WeightMode, heirsOf, jointPartner, packedOf, skinning, weightBytes, weightsIn } from "./weights_rows.ts";
import "./weights.css";

export interface WeightBrush {
    mode: WeightMode;
    strength: number;
    value: number;
    mirror: boolean;
    /** Joints whose shares stay. */
    locked: string[];
    most: number;
    /** The automatic weights are shown in place of those that are painted. */
    automatic: boolean;
    /** The cells that they spread through are shown. */
    cells?: boolean;
}
export const WEIGHTS: WeightBrush = { mode: "add", strength: 0.3, value: 1, mirror: false, locked: [], most: 4, automatic: false };
const MODES: [WeightMode, string][] = [["add", "Add"], ["subtract", "Subtract"], ["set", "Set"], ["smooth", "Smooth"]];
const EXAMINE_MS = 150; // after a change, that the doctor is asked
interface Slider { bar: HTMLInputElement; value: HTMLElement; row: HTMLElement }
/** What the doctor says of a joint. */
interface Figures { volume: number; crossings: number | null; motion: string; angle: number }
interface Shown { chain: number; at: number; frame: Frame; old: Frame | undefined; hash: string | undefined; waiting: number }
interface Stroke {
    clay: Clay;
    before: Frame;
    turns: Matrix4[];
    shown: Shown;
    joint: number;
    /** The joint across x that is painted with it, and those that stay. */
    other: number;
    locked: Set<number>;
    /** Where linear skinning had each point when the stroke met it. */
    start: Float32Array;
    met: Uint8Array;
    /** The step that touched a point last. */
    touched: Uint32Array;
    steps: number;
}
const REST = new Vector3(), IS = new Vector3();

export class Weigher {
    readonly options: HTMLElement;
    private rows: Rows | undefined;
    private rowsOf = "";
    private stroke: Stroke | undefined;
    private shown: Shown | undefined;
    private inverse: { of: Shape; values: Float32Array } | undefined;
    private automatic: { of: string; rows: Rows; cells: Cells } | undefined;
    private readonly boxes: CellBoxes;
    private saving: Promise<void> = Promise.resolve();
    private readonly label = h("output", { class: "joint-figures", hidden: true });
    private readonly figures = h("p", { class: "about", id: "weights-doctor" });
    private told: { joint: string; first: Figures | undefined; now: Figures | undefined } = { joint: "", first: undefined, now: undefined };
    private readonly update: () => void;

    constructor(private readonly app: App, private readonly reach: () => number, slider: (name: string, oninput: (value: number) => void) => Slider, size: HTMLElement) {
        const { store, engine, view } = app, set = (label: string, change: Partial<WeightBrush>, merge = "") => store.do(label, session => ({ ...session, touch: { ...touchOf(session), weights: { ...this.brush, ...change } } }), merge);
        const joint = h("select", { id: "weights-joint", "aria-label": "Joint", onchange: () => this.choose(joint.value) });
        const lock = h("button", { class: "small outline", id: "weights-lock", title: "Its weights stay as they are, whatever is painted", onclick: () => {
            const { joint: name } = store.now.show, { locked } = this.brush;
            if (name) set(locked.includes(name) ? `unlock ${name}` : `lock ${name}`, { locked: locked.includes(name) ? locked.filter(one => one !== name) : [...locked, name] });
        } }, "Lock");
        const modes = MODES.map(([mode, label]) => h("button", { "data-mode": mode, onclick: () => set(`brush: ${label.toLowerCase()}`, { mode }) }, label));
        const strength = slider("Strength", t => set("strength of the brush", { strength: Number(t.toFixed(2)) }, "strength")), value = slider("Value", t => set("value of the brush", { value: Number(t.toFixed(2)) }, "value"));
        const mirror = h("input", { type: "checkbox", id: "weights-mirror", onchange: () => set("mirror", { mirror: mirror.checked }) }), partner = h("small", {});
        const most = h("select", { id: "weights-most", "aria-label": "Joints a point at most", onchange: () => set("joints a point", { most: Number(most.value) }) }, [2, 3, 4, 6, 8].map(n => h("option", { value: String(n) }, String(n))));
        const compare = h("input", { type: "checkbox", id: "weights-automatic", onchange: () => set("automatic weights shown", { automatic: compare.checked }) });
        const cells = h("input", { type: "checkbox", id: "weights-cells", onchange: () => set("cells of the automatic weights", { cells: cells.checked }) }), many = h("small", {});
        const strip = h("i", { class: "strip" });
        strip.style.background = `linear-gradient(to right, ${gradient(false)})`;
        this.options = h("div", { class: "touch-options", role: "group", "aria-label": "Weights" }, h("div", { class: "row" }, joint, lock),
            h("div", { class: "paint-legend" }, strip, h("span", {}, h("small", {}, "0"), h("small", {}, "100 %"))), h("div", { class: "segments", role: "group", "aria-label": "Brush" }, modes), size, strength.row, value.row,
            h("div", { class: "row-toggle" }, h("label", { for: "weights-mirror" }, "Mirror across x ", partner), mirror),
            h("div", { class: "row-toggle" }, h("label", { for: "weights-automatic" }, "Show automatic weights"), compare),
            h("div", { class: "row-toggle" }, h("label", { for: "weights-cells" }, "Show their cells ", many), cells), this.figures,
            h("div", { class: "row" }, h("button", { class: "small outline", id: "weights-prune", title: "At most so many joints a point; the rest is shared anew", onclick: () => void this.prune() }, "Prune to"), most,
                h("button", { class: "small outline", id: "weights-take", title: "Automatic weights in place of all", onclick: () => void this.take() }, "Automatic"), h("button", { class: "small outline", id: "weights-glb", title: "The character with these weights, for every verb of the command line", onclick: () => void this.saveGlb() }, "GLB")));
        byId("labels").append(this.label);
        this.boxes = new CellBoxes();
        view.stage.scene.add(this.boxes.group);
        view.marks.push(this.boxes.group);
        this.update = () => {
            const { brush } = this, { joint: name } = store.now.show, joints = (engine.info?.joints ?? []).filter(one => one.skin).map(one => one.name), keys = joints.join();
            if (joint.dataset["keys"] !== keys) {
                joint.dataset["keys"] = keys;
                joint.replaceChildren(h("option", { value: "" }, "Choose a joint"), ...joints.map(one => h("option", { value: one }, one)));
            }
            joint.value = name ?? "";
            for (const one of joint.options) one.textContent = one.value ? `${one.value}${brush.locked.includes(one.value) ? " (locked)" : ""}` : "Choose a joint";
            lock.textContent = name && brush.locked.includes(name) ? "Unlock" : "Lock";
            lock.disabled = !name;
            for (const one of modes) one.setAttribute("aria-pressed", String(one.dataset["mode"] === brush.mode));
            for (const [one, number] of [[strength, brush.strength], [value, brush.value]] as const) {
                one.bar.value = String(1000 * number);
                one.bar.style.setProperty("--at", `${100 * number}%`);
                one.value.textContent = String(number);
            }
            value.row.hidden = brush.mode !== "set";
            mirror.checked = brush.mirror;
            compare.checked = brush.automatic;
            cells.checked = Boolean(brush.cells);
            many.textContent = brush.cells && this.automatic ? `${count(this.automatic.cells.centers.length / 3)} of ${Number((1000 * this.automatic.cells.size * (engine.info?.physics_unit ?? 1)).toPrecision(2))} mm` : "";
            most.value = String(brush.most);
            const other = engine.shape && name ? this.partnerOf(engine.shape, name) : undefined;
            partner.textContent = !brush.mirror || !name ? "" : other === undefined ? "no partner" : other === name ? "the middle" : `with ${other}`;
        };
        const before = view.instead;
        view.instead = (chain, at) => before(chain, at) ?? this.frameOf(chain, at);
        store.follow(soon(() => void this.follow()));
        engine.listen(soon(() => this.active && void this.follow()));
        app.clock.listen(soon(() => this.active && this.showCells()));
    }

    get brush(): WeightBrush { return { ...WEIGHTS, ...touchOf(this.app.store.now).weights }; }
    get active(): boolean { return touchOf(this.app.store.now).tool === "weights"; }
    /** Weights are read, and automatic ones made where they are shown. */
    get ready(): boolean { return this.rows !== undefined && this.inverse !== undefined && (!this.brush.automatic && !this.brush.cells || this.automatic !== undefined || this.failed); }
    /** Shares of the chosen joint, a number a point. */
    get column(): Float32Array | undefined { return this.rows && this.joint >= 0 ? this.rows.column(this.joint) : undefined; }
    private get joint(): number { return this.app.engine.info?.joints.findIndex(one => one.name === this.app.store.now.show.joint) ?? -1; }
    private get locked(): Set<number> { return new Set(this.brush.locked.map(name => this.app.engine.info?.joints.findIndex(one => one.name === name) ?? -1)); }

    choose(name: string): void { this.app.store.do(`joint ${name}`, session => ({ ...session, show: { ...session.show, joint: name || null } })); }

    private partnerOf(shape: Shape, name: string): string | undefined {
        const at = jointPartner(shape, shape.info.joints.findIndex(one => one.name === name));
        return at < 0 ? undefined : shape.info.joints[at]!.name;
    }

    /** The rows of the session, or of the file. */
    private async follow(): Promise<void> {
        const { store, engine } = this.app, { shape } = engine, { skin } = store.now.source;
        if (shape && this.inverse?.of !== shape && this.active) {
            const values = await engine.fileArray("joint_inverse_bind");
            if (values) this.inverse = { of: shape, values };
        }
        const key = shape ? `${shape.info.name}|${shape.info.points}|${skin?.hash ?? ""}|${engine.weightsAt}` : "";
        if (shape && this.active && key !== this.rowsOf && !this.stroke && !this.shown?.waiting) {
            this.rowsOf = key;
            const packed = skin ? weightsIn(await fileBytes(skin)) : packedOf(shape);
            if (key === this.rowsOf) this.rows = new Rows(packed, heirsOf(shape));
        }
        if (this.active && (this.brush.automatic || this.brush.cells)) await this.makeAutomatic();
        this.showCells();
        this.paint();
        this.update();
        this.tell();
        if (this.active) this.examine();
    }

    private showCells(): void {
        const { store, engine, view } = this.app, { shape } = engine, pose = this.active && this.brush.cells ? view.frameOf(view.panes[0]?.chain ?? store.now.active, store.now.frame)?.frame.pose : undefined;
        if (pose && shape && this.automatic && this.inverse?.of === shape) this.boxes.show(this.automatic.cells, this.joint, pose, skinning(shape, pose, this.inverse.values));
        else this.boxes.hide();
        view.touch();
    }
    /** Shares of the chosen joint in each cell, if they are shown. */
    get cellColumn(): Float32Array | undefined { return this.boxes.mesh?.visible && this.automatic ? CellBoxes.column(this.automatic.cells, this.joint) : undefined; }

    /** Colors of the joint's shares; `changed`: nothing else did. */
    private paint(changed?: number[]): void {
        const { view } = this.app, rows = this.brush.automatic && this.automatic ? this.automatic.rows : this.rows, { joint } = this;
        if (!this.active) return;
        if (!changed && rows && this.shares?.rows === rows && this.shares.joint === joint && this.colors && view.hasPainted(this.colors)) return;
        if (changed && rows && this.shares?.rows === rows && this.shares.joint === joint && this.colors && view.hasPainted(this.colors)) {
            for (const p of changed) colorAt(this.colors, p, rows.of(p, joint));
            return view.repaint();
        }
        this.shares = rows && { rows, joint };
        view.painted = this.colors = rows && colorsOf(joint >= 0 ? rows.column(joint) : new Float32Array(rows.count));
    }
    private colors: Float32Array | undefined;
    /** What the colors are of. */
    private shares: { rows: Rows; joint: number } | undefined;

    /** Why nothing can be painted; null: it can. */
    refuses(): string | null {
        const { source } = this.app.store.now;
        if (source.builtin) return null; // it is made a file first
        if (source.bend) return "This is the Doctor's motion: go back to your own first.";
        if (!this.rows || !this.inverse) return "The weights are still being read. One moment.";
        if (this.joint < 0) return "Choose a joint first: in the list, or by Alt-clicking the skin it moves.";
        return this.locked.has(this.joint) ? "This joint is locked: unlock it, or choose another." : null;
    }

    /** A press; true: a stroke began. */
    press(hit: Hit, pressure: number, pick: boolean): boolean {
        const { store, engine, view, clock, say } = this.app, { shape } = engine, why = this.refuses();
        if (pick && this.rows && shape) return void this.choose(shape.info.joints[this.rows.strongest(hit.point)]!.name), false;
        if (why) return void say(why), false;
        if (store.now.source.builtin) return void say("A built-in character has its weights in the program. Turn it into a file to paint them.", "note", { label: "Make it a file", run: () => void this.makeFile() }), false;
        const at = store.now.frame, before = view.frameOf(hit.chain, at)?.frame;
        if (!shape || !before) return false;
        clock.pause();
        const again = this.shown?.chain === hit.chain && this.shown.at === at, shown: Shown = again ? this.shown! : { chain: hit.chain, at, frame: before, old: engine.frames(hit.chain)?.get(at), hash: undefined, waiting: 0 };
        ++shown.waiting;
        this.shown = shown;
        const { points } = shape.info, { joint } = this;
        this.stroke = {
            clay: new Clay(shape, before), before, turns: skinning(shape, before.pose, this.inverse!.values), shown, joint, other: this.brush.mirror ? jointPartner(shape, joint) : -1, locked: this.locked,
            start: new Float32Array(3 * points), met: new Uint8Array(points), touched: new Uint32Array(points), steps: 0,
        };
        this.move(hit, pressure);
        return true;
    }

    move(hit: Hit | undefined, pressure: number): void {
        const { stroke, rows, brush } = this, { engine, view } = this.app, { shape } = engine;
        if (!stroke || !rows || !shape || hit?.chain !== stroke.shown.chain) return;
        const { clay, joint, other, locked } = stroke, radius = this.reach() / shape.info.physics_unit, region = clay.region(hit.place, radius, hit.point), ground = groundOf(shape), all: number[] = [];
        ++stroke.steps;
        this.meet(stroke, rows, shape, region.points, all);
        if (other < 0) rows.dab(brush.mode, region.points, region.shares, joint, brush.strength * pressure, brush.value, locked, ground);
        else {
            const { partner } = ground, points: number[] = [], shares: number[] = [];
            region.points.forEach((p, i) => {
                const across = partner[p]!;
                if (across >= 0 && (other !== joint || stroke.touched[across] !== stroke.steps)) points.push(across), shares.push(region.shares[i]!);
            });
            this.meet(stroke, rows, shape, points, all);
            rows.dab(brush.mode, region.points, region.shares, joint, brush.strength * pressure, brush.value, locked, ground);
            rows.dab(brush.mode, points, shares, other, brush.strength * pressure, brush.value, locked, ground);
        }
        this.bend(stroke, rows, shape, all);
        stroke.shown.frame = clay.frame();
        this.paint(all);
        this.examineSoon();
        view.touch();
    }

    /** Adds points to those of a step, each once, with where they were skinned before the stroke. */
    private meet({ turns, start, met, touched, steps }: Stroke, rows: Rows, shape: Shape, points: number[], all: number[]): void {
        for (const p of points) {
            if (touched[p] === steps) continue;
            touched[p] = steps;
            all.push(p);
            if (met[p]) continue;
            met[p] = 1;
            rows.skin(p, REST.fromArray(shape.points, 3 * p), turns, IS).toArray(start, 3 * p);
        }
    }

    /** The skin as the new weights move it: the change by linear skinning, added to what is shown. */
    private bend({ clay, before, turns, start }: Stroke, rows: Rows, shape: Shape, points: number[]): void {
        for (const p of points) {
            const i = 3 * p;
            rows.skin(p, REST.fromArray(shape.points, i), turns, IS);
            clay.points[i] = before.points[i]! + IS.x - start[i]!, clay.points[i + 1] = before.points[i + 1]! + IS.y - start[i + 1]!, clay.points[i + 2] = before.points[i + 2]! + IS.z - start[i + 2]!;
        }
        clay.step(points);
    }

    end(): Promise<void> {
        const { stroke, rows } = this;
        this.stroke = undefined;
        if (!stroke || !rows) return this.saving;
        return this.keep(rows, `weights of ${this.app.store.now.show.joint}`, stroke.shown);
    }

    private keep(rows: Rows, label: string, shown?: Shown): Promise<void> {
        const { store, say } = this.app, packed = rows.pack();
        this.saving = this.saving.then(async () => {
            const { ref, kept } = await keepFile("weights.bin", weightBytes(packed));
            if (!kept) say("The weights do not fit this browser's storage: they work now, and a reload will not find them. Save the GLB.");
            if (shown) --shown.waiting, shown.hash = ref.hash;
            store.do(label, session => ({ ...session, source: { ...session.source, skin: ref } }));
        }).catch(error => {
            this.shown = undefined;
            say(sentence(error), "bad");
        });
        return this.saving;
    }

    private frameOf(chain: number, at: number): Frame | undefined {
        const { shown } = this, { store, engine } = this.app;
        if (!shown || shown.chain !== chain || shown.at !== at) return undefined;
        if (shown.waiting > 0 || shown.hash === undefined) return shown.frame;
        const now = engine.frames(chain)?.get(at);
        if (store.now.source.skin?.hash === shown.hash && engine.status(chain).state !== "failed" && (!now || now === shown.old)) return shown.frame;
        this.shown = undefined;
        return undefined;
    }

    private async prune(): Promise<void> {
        const { say, store } = this.app;
        if (!this.rows || store.now.source.builtin) return say(store.now.source.builtin ? "Make the character a file first: press on its skin." : "The weights are still being read. One moment.");
        const rows = new Rows(this.rows.pack(), []), changed = rows.prune(this.brush.most, this.locked);
        if (!changed) return say(`No point follows more than ${this.brush.most} joints.`);
        await this.keep(rows, `prune to ${this.brush.most} joints`);
        say(`${count(changed)} ${changed > 1 ? "points" : "point"} followed more than ${this.brush.most} joints, and now the strongest only.`);
    }

    /** Automatic weights of the character that is there: made once, also where making them fails. */
    private makeAutomatic(): Promise<Rows | undefined> {
        const { skin: _, weights: __, ...source } = this.app.store.now.source, of = JSON.stringify([source.file?.hash, source.builtin]);
        if (this.making?.of !== of) this.making = { of, rows: this.automaticOf(of, source as Source) };
        return this.making.rows;
    }
    private making: { of: string; rows: Promise<Rows | undefined> } | undefined;
    private async automaticOf(of: string, source: Source): Promise<Rows | undefined> {
        const { engine, say } = this.app, lane = await Lane.open();
        this.failed = false;
        try {
            await lane.load(source);
            const made = await lane.character.weigh({ keep_cells: true }), [begin, joints, values, centers, cellJoints, cellValues, info] = await Promise.all([
                made.array("weight_begin"), made.array("weight_joints"), made.array("weight_values"), made.array("cell_centers"), made.array("cell_joints"), made.array("cell_values"), made.inspect(),
            ]);
            if (begin.length !== engine.info!.points + 1) throw new Error("the automatic weights are of another mesh");
            this.automatic = { of, rows: new Rows({ begin, joints, values } as Packed, []), cells: { size: info.weights!.cell_size, centers: centers as Float32Array, joints: cellJoints as Uint32Array, values: cellValues as Float32Array } };
            return this.automatic.rows;
        } catch (error) {
            this.failed = true;
            return void say(sentence(error), "bad");
        } finally {
            lane.close();
        }
    }
    private failed = false;
    private async take(): Promise<void> {
        const { store, say } = this.app;
        if (store.now.source.builtin) return say("Make the character a file first: press on its skin.");
        if (this.failed) this.making = undefined;
        const made = await this.makeAutomatic();
        if (made) await this.keep(made, "automatic weights");
    }

    /** A built-in character becomes the GLB that the program writes of it. */
    private async makeFile(): Promise<void> {
        const { store, say } = this.app, lane = await Lane.open(true), { source } = store.now;
        try {
            await lane.load(source);
            const { ref } = await keepFile(`${sourceName(source).replace(/[?].*$/, "")}.glb`, await lane.character.write() as Uint8Array<ArrayBuffer>);
            store.do("a file of its own", session => ({ ...session, source: { file: ref, ...(session.source.world ? { world: session.source.world } : {}) } }));
        } catch (error) {
            say(sentence(error), "bad");
        } finally {
            lane.close();
        }
    }

    private async saveGlb(): Promise<void> {
        const { store, say } = this.app, lane = await Lane.open(true), name = weightsName(store.now.source);
        try {
            await this.saving;
            await lane.load(store.now.source);
            save(name, new Blob([await lane.character.write() as Uint8Array<ArrayBuffer>], { type: "model/gltf-binary" }));
            say(`${name}: every verb of the command line gives the frames of the page with it.`);
        } catch (error) {
            say(sentence(error), "bad");
        } finally {
            lane.close();
        }
    }

    // ---- the doctor beside the joint
    private doctor: Promise<Lane> | undefined;
    private busy = false;
    private examined: { rows: Rows; revision: number; name: string } | undefined;

    /** Not within a step of the brush. */
    private examineSoon(): void {
        this.waiting ??= window.setTimeout(() => {
            this.waiting = undefined;
            this.examine();
        }, EXAMINE_MS);
    }
    private waiting: number | undefined;

    /** Bends the joint under linear skinning in a worker of its own, again and again while weights change. */
    private examine(): void {
        const { store, engine } = this.app, { joint: name } = store.now.show, { rows } = this;
        if (this.busy || !name || !rows || this.joint < 0 || !engine.idle && !this.stroke) return;
        if (this.told.joint !== name) this.told = { joint: name, first: undefined, now: undefined };
        if (this.examined?.rows === rows && this.examined.revision === rows.revision && this.examined.name === name) return;
        this.busy = true;
        this.examined = { rows, revision: rows.revision, name };
        void this.figure(store.now.source, name, rows.pack()).then(now => {
            if (this.told.joint === name && now) this.told.first ??= now, this.told.now = now;
            this.tell();
        }).catch(error => (this.figures.textContent = sentence(error))).finally(() => {
            this.busy = false;
            this.examine();
        });
    }

    private async figure({ skin: _, ...source }: Source, name: string, { begin, joints, values }: Packed): Promise<Figures | undefined> {
        const lane = await (this.doctor ??= Lane.open(true));
        await lane.load(source as Source);
        await lane.character.weights(begin, joints, values);
        lane.grown(12 * joints.length);
        const { joints: [found] } = await lane.character.check({ chains: ["linear"], joints: [name], top: 1 }), one = found?.chains[0];
        return one && { volume: one.volume_change, crossings: one.intersections_added, motion: one.worst_motion, angle: one.worst_angle };
    }

    /** The figures in the panel and beside the joint. */
    private tell(): void {
        const { first, now, joint } = this.told, { view, store } = this.app, percent = (x: number) => `${(100 * x).toFixed(1)} %`, moved = (a: string, b: string) => (a === b ? b : `${a} → ${b}`);
        const text = now && first ? `Volume ${moved(percent(first.volume), percent(now.volume))}, crossings ${moved(String(first.crossings ?? "–"), String(now.crossings ?? "–"))}` : "";
        this.figures.textContent = text ? `${joint} at its worst (${now!.motion} of ${Math.round(now!.angle)}°, linear): ${text[0]!.toLowerCase()}${text.slice(1)}` : this.joint >= 0 ? "The doctor is bending the joint …" : "Alt-click the skin to choose its joint.";
        const place = this.active && text ? view.joints(store.now).find(one => one.name === joint) : undefined;
        this.label.hidden = !place;
        if (!place) return;
        this.label.textContent = text;
        this.label.style.transform = `translate(${Math.round(place.x + 12)}px, ${Math.round(place.y + 8)}px)`;
    }
}
