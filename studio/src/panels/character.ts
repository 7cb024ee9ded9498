// What was read: the report of `supple inspect`, and cures one click away.
import { type App, type Panel, bytes, count, soon } from "../app.ts";
import { ICONS, h, icon } from "../dom.ts";
import { sentence } from "../engine.ts";
import { fileBytes } from "../files.ts";
import { bytesByPart } from "../glb.ts";
import { type Shape, rigged } from "../lane.ts";
import { type FileRef, type Source, sourceName } from "../session.ts";
import { here } from "../words.ts";

const UNITS: [string, number][] = [["m", 1], ["cm", 0.01], ["mm", 0.001], ["in", 0.0254], ["ft", 0.3048]];

function sizeOf(shape: Shape): { metres: [number, number, number] } {
    const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity], { points } = shape;
    for (let i = 0; i < points.length; ++i) {
        low[i % 3] = Math.min(low[i % 3]!, points[i]!);
        high[i % 3] = Math.max(high[i % 3]!, points[i]!);
    }
    return { metres: [0, 1, 2].map(i => (high[i]! - low[i]!) * shape.info.metres_per_unit) as [number, number, number] };
}

function weightsOf({ weightBegin, weightValues, info }: Shape): { most: number; low: number; high: number } {
    let most = 0, low = Infinity, high = -Infinity;
    for (let i = 0; i < info.points; ++i) {
        const begin = weightBegin[i]!, end = weightBegin[i + 1]!;
        most = Math.max(most, end - begin);
        let sum = 0;
        for (let k = begin; k < end; ++k) sum += weightValues[k]!;
        low = Math.min(low, sum);
        high = Math.max(high, sum);
    }
    return { most, low, high };
}

export const characterPanel: Panel = {
    id: "character", title: "Character",
    make(app) {
        const { store, engine } = app, root = h("div", { class: "stack" });
        let key = "";
        const update = () => {
            const { source } = store.now, next = JSON.stringify([source, engine.info?.name, engine.info?.points, engine.problem, engine.info?.clips]);
            if (next === key) return;
            key = next;
            root.replaceChildren(...report(app, source));
        };
        store.follow(soon(update));
        engine.listen(soon(update));
        update();
        return root;
    },
};

function report(app: App, source: Source): HTMLElement[] {
    const { store, engine, say } = app, { shape } = engine, out: HTMLElement[] = [h("h2", {}, sourceName(source))];
    if (engine.problem) out.push(h("div", { class: "failed", role: "alert" }, engine.problem));
    if (!shape) return out;
    const { info } = shape, { metres } = sizeOf(shape), weights = shape.weightBegin.length > 1 && rigged(info) ? weightsOf(shape) : undefined;
    const change = (label: string, more: Partial<Source>) => store.do(label, session => ({ ...session, source: { ...session.source, ...more }, camera: null }));
    // What was dropped beside the character can be taken away again; a list that becomes empty goes.
    const put = (more: Partial<Record<keyof Source, unknown>>, label: string) => {
        const kept = Object.fromEntries(Object.entries({ ...store.now.source, ...more }).filter(([, one]) => one !== undefined && !(Array.isArray(one) && !one.length))) as Source;
        store.do(label, session => ({ ...session, source: kept, ...(more.motions ? { clip: null, start: null, end: null, frame: 0, cycle: false } : {}) }));
    };
    // Sculpts and throws may belong to a motion: it stays as long as they do.
    const putMotions = async (motions: FileRef[], { name }: FileRef) => {
        try {
            await engine.probe({ ...store.now.source, motions });
            put({ motions }, "remove a motion");
        } catch (error) {
            say(`'${name}' is still needed. Without it: ${sentence(error)}.`, "bad");
        }
    };
    const left = (names: string[], remove: (at: number) => void) => h("span", { class: "dropped" }, names.map((name, at) => h("span", {}, name, h("button", { class: "square small", "aria-label": `Remove ${name}`, title: `Remove ${name}`, onclick: () => remove(at) }, icon(ICONS.close)))));
    const rows: [string, string | HTMLElement][] = [
        ["Points", info.vertices === info.points ? count(info.points) : `${count(info.points)} (${count(info.vertices)} stored: ${count(info.vertices - info.points)} on seams)`],
        ["Faces", `${count(info.faces)} (${count(info.triangles)} triangles)`],
        ["Size", `${metres.map(one => one.toPrecision(3)).join(" × ")} m`],
        ["Joints", rigged(info) ? count(info.joints.length) : "none"],
        ["Weights", weights ? `at most ${weights.most} a point, sums ${weights.low.toFixed(3)} to ${weights.high.toFixed(3)}` : "none"],
        ["Clips", info.clips.length ? info.clips.map(clip => `${clip.name} ${clip.seconds.toFixed(2)} s`).join(", ") : "none: drop a motion (.bvh)"],
        ...(source.motions?.length ? [["Motions", left(source.motions.map(one => one.name), at => void putMotions(source.motions!.filter((_, i) => i !== at), source.motions![at]!))] as [string, HTMLElement]] : []),
        ["Sculpts", source.sculpts?.length ? source.sculpts.map(one => one.file.name).join(", ") : info.examples.length ? info.examples.map(one => one.name).join(", ") : "none"],
        ["Morphs", info.morphs.length ? info.morphs.join(", ") : "none"],
        ["Maps", source.maps?.length ? left(source.maps.map(one => one.name), at => put({ maps: source.maps!.filter((_, i) => i !== at) }, "remove a map")) : info.maps.length ? info.maps.join(", ") : "none"],
        ["World", source.world ? left([source.world.name], () => put({ world: undefined }, "remove the world")) : "gravity, no wind"],
    ];
    out.push(h("table", { class: "report" }, h("tbody", {}, rows.map(([name, value]) => h("tr", {}, h("th", {}, name), h("td", {}, value))))));
    out.push(info.warnings.length ? h("div", { class: "warnings" }, info.warnings.map(here).map(one => h("p", {}, `${one[0]!.toUpperCase()}${one.slice(1)}`))) : h("p", { class: "good" }, "Nothing wrong was found."));
    // Cures
    const unit = h("select", { "aria-label": "The file's unit", onchange: () => change("unit", { unit: Number(unit.value) }) }, UNITS.map(([name, value]) => h("option", { value: String(value) }, name)));
    if (![...unit.options].some(one => Number(one.value) === info.metres_per_unit)) unit.append(h("option", { value: String(info.metres_per_unit) }, `${Number(info.metres_per_unit.toPrecision(3))} m`));
    unit.value = String([...unit.options].find(one => Math.abs(Number(one.value) - info.metres_per_unit) < 1e-9)?.value ?? info.metres_per_unit);
    const up = h("select", { "aria-label": "Up", onchange: () => change("up", { up: up.value as "y" }) }, ["x", "y", "z"].map(one => h("option", { value: one }, `${one} is up`)));
    up.value = info.up;
    out.push(h("h2", {}, "Cures"), h("div", { class: "row" }, h("label", {}, "One unit is "), unit, up));
    out.push(...cures(app, source, change));
    if (info.parts.length > 1 || source.file) {
        const list = h("table", { class: "report" }, h("tbody", {}, info.parts.map(part => h("tr", {}, h("th", {}, part.name || "part"), h("td", {}, `${count(part.point_count)} points, ${count(part.face_count)} faces`)))));
        out.push(h("h2", {}, "Parts"), list);
    }
    if (source.file) {
        const box = h("table", { class: "report" });
        out.push(h("h2", {}, `Bytes: ${bytes(source.file.bytes)}`), box);
        void fileBytes(source.file).then(read => box.append(h("tbody", {}, bytesByPart(read).map(([name, size]) => h("tr", {}, h("th", {}, name), h("td", {}, bytes(size))))))).catch(() => undefined);
    }
    return out;
}

function cures(app: App, source: Source, change: (label: string, more: Partial<Source>) => void): HTMLElement[] {
    if (!rigged(app.engine.info)) return [h("p", { class: "about" }, "The mesh has no skeleton: drop a motion (.bvh) or a skeleton (.tgf) onto it, and its joints are put into the mesh, with automatic weights.")];
    if (source.skeleton) return [h("p", { class: "about" }, `The joints are those of ${source.skeleton.name}, put into the mesh with automatic weights.`)];
    return [h("div", { class: "row" }, h("button", { class: "outline", "aria-pressed": String(source.weights === "automatic"), onclick: () => change(source.weights ? "weights of the file" : "automatic weights", { weights: source.weights ? undefined : "automatic" } as Partial<Source>) }, source.weights ? "Weights of the file" : "Automatic weights"))];
}
