// Presets of a deformer as pictures: the result of each on this character in the displayed frame, and what it would change.
import type { DeformerInfo, ParameterInfo } from "supple-skin";
import type { App } from "../app.ts";
import { h } from "../dom.ts";
import { readable } from "../field.ts";
import { type ChainSpec, type Link, type Value, activeChain, text } from "../session.ts";

interface Preset {
    name: string;
    summary: string;
    set: Record<string, string>;
}
const WIDE = 92, HIGH = 66; // pixels of a picture: three in a row of the panel
const PATIENCE_MS = 2500;   // of nothing to do, after which pictures are made; looking at the presets makes them at once

/** Pictures by their content; they outlive the panel, which is rebuilt with every change. */
const made = new Map<string, string>();
const MOST_MADE = 60;

/** A text of the preset as a value of the parameter's type. */
function parsed(parameter: ParameterInfo, value: string): Value {
    if (parameter.type === "float" || parameter.type === "int") return Number(value);
    return parameter.type === "bool" ? value === "true" || value === "1" : value;
}

let begun = 0; // which row makes pictures: the last one that was made

const parametersOf = (deformer: DeformerInfo) => new Map((deformer.params as ParameterInfo[]).map(parameter => [parameter.name, parameter]));

/** What a preset changes of the deformer's own values. */
function presetValues(deformer: DeformerInfo, preset: Preset): Record<string, Value> {
    const parameters = parametersOf(deformer);
    return Object.fromEntries(Object.entries(preset.set).flatMap(([name, value]) => {
        const parameter = parameters.get(name), is = parameter && parsed(parameter, value);
        return parameter && is !== undefined && text(is) !== text(parameter.default) ? [[name, is] as const] : [];
    }));
}

/** What a link that goes through sculpts begins with: as in the demo, its dynamics are seen at once. */
export function firstValues(deformer: DeformerInfo | undefined): Record<string, Value> {
    const soft = (deformer?.presets as unknown as Preset[] | undefined)?.find(preset => preset.name === "soft");
    return deformer && soft && deformer.needs.includes("examples") ? presetValues(deformer, soft) : {};
}

export function presetRow(app: App, deformer: DeformerInfo, one: Link, at: number, set: (label: string, values: Record<string, Value>) => void, onHelp: (text: string) => void): HTMLElement[] {
    const presets = deformer.presets as unknown as Preset[];
    if (!presets.length) return [];
    const parameters = parametersOf(deformer), valuesOf = (preset: Preset) => presetValues(deformer, preset);
    const same = (preset: Preset) => JSON.stringify(Object.entries(valuesOf(preset)).sort()) === JSON.stringify(Object.entries(one.values).sort());
    const changes = (preset: Preset): string[] => {
        const wanted = valuesOf(preset), names = [...new Set([...Object.keys(one.values), ...Object.keys(wanted)])];
        return names.flatMap(name => {
            const standard = parameters.get(name.split("@")[0]!)?.default ?? "", before = one.values[name] ?? standard, after = wanted[name] ?? standard;
            return text(before) === text(after) ? [] : [`${readable(name)} ${text(before)} → ${text(after)}`];
        });
    };
    const all: Preset[] = [{ name: "standard", summary: "The deformer's own values", set: {} }, ...presets], chosen = all.find(same); // two may say the same: the first is it
    const cards = all.map(preset => {
        const picture = h("img", { alt: "", width: WIDE, height: HIGH, draggable: false }), differs = changes(preset);
        const tell = () => onHelp(`${preset.summary}. ${differs.length ? differs.join(", ") : "Nothing changes"}.`);
        const card = h("button", { class: "preset", "aria-pressed": String(preset === chosen), title: [preset.summary, ...differs].join("\n"), "data-preset": preset.name, onclick: () => set(`preset ${preset.name}`, valuesOf(preset)), onpointerenter: tell, onfocus: tell },
            h("i", {}, picture), h("span", {}, readable(preset.name)), h("small", {}, preset === chosen ? "in use" : !differs.length ? "the same" : differs.length === 1 ? "1 change" : `${differs.length} changes`));
        return { card, picture, values: valuesOf(preset) };
    });
    const row = h("div", { class: "presets", role: "group", "aria-label": "Presets" }, cards.map(({ card }) => card));
    const mine = ++begun, here = () => row.isConnected && mine >= begun - 3 && !document.hidden, paint = pictures(app, cards.map(({ picture, values }) => ({ picture, values })), at, here);
    row.addEventListener("pointerenter", () => void paint(0));
    row.addEventListener("focusin", () => void paint(0));
    void paint(PATIENCE_MS);
    return [row];
}

/** Renders pictures one by one while nothing else is to do; a second call does nothing. */
function pictures(app: App, wanted: { picture: HTMLImageElement; values: Record<string, Value> }[], at: number, here: () => boolean): (patience: number) => Promise<void> {
    const { store, engine, view } = app, session = store.now, chain = activeChain(session);
    const variant = (values: Record<string, Value>): ChainSpec => ({ id: -1, links: chain.links.map((link, i) => (i === at ? { ...link, values } : link)) });
    const keyOf = (spec: ChainSpec, frame: number) => JSON.stringify([session.source, session.clip, spec.links, frame, document.documentElement.dataset["theme"]]);
    const frame = Math.floor(engine.span().count / 2), left = wanted.filter(({ picture, values }) => !show(picture, made.get(keyOf(variant(values), frame))));
    const go = () => here() && store.now.source === session.source && store.now.chains === session.chains && store.now.clip === session.clip;
    let running = false;
    return async patience => {
        if (running || !left.length) return;
        running = true;
        try {
            for (let calm = performance.now(); performance.now() - calm < patience;) {
                await new Promise(resolve => setTimeout(resolve, Math.min(patience, 100)));
                if (!engine.idle) calm = performance.now();
                if (row(wanted) && !go()) return;
            }
            for (let next = left[0]; next && go(); left.shift(), next = left[0]) {
                const spec = variant(next.values), shown = await engine.aside(spec, frame, go), picture = shown && go() ? await view.portrait(session, shown, WIDE, HIGH) : undefined;
                if (!picture) continue;
                const address = await addressOf(picture);
                keep(keyOf(spec, frame), address);
                show(next.picture, address);
            }
        } finally {
            running = false;
        }
    };
}
/** Whether the row has come into the page: before, nothing can be said about it. */
const row = (wanted: { picture: HTMLImageElement }[]): boolean => Boolean(wanted[0]?.picture.closest(".presets")?.parentElement);

function show(picture: HTMLImageElement, address: string | undefined): boolean {
    if (address) picture.src = address;
    return Boolean(address);
}
function keep(key: string, address: string): void {
    made.set(key, address);
    const [oldest] = made.keys();
    if (made.size <= MOST_MADE || oldest === undefined) return;
    URL.revokeObjectURL(made.get(oldest)!);
    made.delete(oldest);
}
async function addressOf(picture: ImageBitmap): Promise<string> {
    const canvas = new OffscreenCanvas(picture.width, picture.height);
    canvas.getContext("2d", { willReadFrequently: true })!.drawImage(picture, 0, 0);
    picture.close();
    return URL.createObjectURL(await canvas.convertToBlob({ type: "image/png" }));
}
