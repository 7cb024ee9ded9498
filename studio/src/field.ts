// One parameter as a row: a name with help, a bar to drag, a number to type, a reset. Everything comes from the one description.
import { ICONS, h, icon } from "./dom.ts";
import type { ParameterInfo } from "supple-skin";
import type { Value } from "./session.ts";

/** A row of the deformer's table, as `supple deformers --json` prints it. */
export type Parameter = ParameterInfo;

export interface FieldOptions {
    parameter: Parameter;
    /** The label; by default the parameter's name. */
    label?: string;
    value: Value;
    /** Why it does nothing here. */
    idle?: string | undefined;
    /** Differs from the deformer's own value. */
    changed: boolean;
    /** While it is dragged. */
    onDrag?(value: number): void;
    onSet(value: Value): void;
    onReset(): void;
    /** For the search and the help line. */
    onHelp?(text: string): void;
    more?: Node[];
}

const LOG_RATIO = 1000; // ranges wider than this are dragged by their order of magnitude
const STEPS = 1000;

/** Between the bar's 0 to 1 and the value. */
function scale({ min, max, type }: Parameter): { to(t: number): number; from(value: number): number } {
    const low = min ?? 0, high = max ?? 1;
    const round = (value: number) => (type === "int" ? Math.round(value) : Number(value.toPrecision(4)));
    if (low > 0 && high / low > LOG_RATIO) return { to: t => round(low * (high / low) ** t), from: value => Math.log(value / low) / Math.log(high / low) };
    if (low === 0 && high > LOG_RATIO) return { to: t => round(high * t ** 4), from: value => (value / high) ** 0.25 };
    return { to: t => round(low + (high - low) * t), from: value => (value - low) / (high - low || 1) };
}

export const readable = (name: string): string => name.replaceAll("_", " ");

export function helpOf({ help, unit, min, max, default: standard, stage, type }: Parameter): string {
    const range = type === "float" || type === "int" ? ` ${min} to ${max}${unit ? ` ${unit}` : ""}, ${standard} by itself.` : ` ${String(standard) || "nothing"} by itself.`;
    return `${help}.${range} ${stage === "frame" ? "Changes while it plays." : "Needs a new bind."}`;
}

let serial = 0;

export function field(options: FieldOptions): HTMLElement {
    const { parameter, value, idle, changed } = options, id = `field-${++serial}`, help = idle ? `${parameter.name} ${idle}. ${helpOf(parameter)}` : helpOf(parameter);
    const name = options.label ?? readable(parameter.name), tell = () => options.onHelp?.(help);
    const reset = h("button", { class: "square small reset", "aria-label": `Reset ${name}`, title: `Back to ${String(parameter.default)}`, onclick: options.onReset }, icon(ICONS.reset));
    reset.hidden = !changed;
    const row = h("div", { class: `field${idle ? " idle" : ""}${changed ? " changed" : ""}`, "data-parameter": parameter.name, title: idle ?? "", onpointerenter: tell, onfocusin: tell },
        h("label", { for: id }, name, parameter.stage === "bind" ? h("i", { title: "Needs a new bind" }, " ⟳") : ""), control(id, name, options), reset, ...(options.more ?? []));
    if (idle) row.append(h("p", { class: "why" }, `${idle[0]!.toUpperCase()}${idle.slice(1)}.`));
    void value;
    return row;
}

function control(id: string, name: string, { parameter, value, onDrag, onSet }: FieldOptions): HTMLElement {
    if (parameter.type === "bool") {
        const box = h("input", { type: "checkbox", id, checked: value === true || value === 1 || value === "true", onchange: () => onSet(box.checked) });
        return h("span", { class: "control" }, box);
    }
    if (parameter.type === "choice") {
        const box = h("select", { id, onchange: () => onSet(box.value) }, parameter.choices.map(choice => h("option", { value: choice }, readable(choice))));
        box.value = String(value);
        return h("span", { class: "control" }, box);
    }
    if (parameter.type === "text") {
        const box = h("input", { type: "text", id, value: String(value), onchange: () => onSet(box.value) });
        return h("span", { class: "control" }, box);
    }
    const { to, from } = scale(parameter), set = (at: number) => bar.style.setProperty("--at", `${100 * Math.max(0, Math.min(1, at))}%`);
    const bar = h("input", { type: "range", id, min: "0", max: String(STEPS), step: parameter.type === "int" ? String(STEPS / Math.max(1, (parameter.max ?? 1) - (parameter.min ?? 0))) : "1", "aria-label": name });
    bar.value = String(Math.round(STEPS * from(Number(value))));
    set(from(Number(value)));
    const number = h("input", { type: "number", "aria-label": `${name} as a number`, min: parameter.min ?? undefined, max: parameter.max ?? undefined, step: parameter.type === "int" ? "1" : "any", value: short(Number(value)) });
    bar.setAttribute("aria-valuetext", `${short(Number(value))} ${parameter.unit}`);
    bar.addEventListener("input", () => {
        const now = to(Number(bar.value) / STEPS);
        set(from(now));
        number.value = short(now);
        bar.setAttribute("aria-valuetext", `${short(now)} ${parameter.unit}`);
        onDrag?.(now);
    });
    bar.addEventListener("change", () => onSet(to(Number(bar.value) / STEPS)));
    number.addEventListener("change", () => {
        const low = parameter.min ?? -Infinity, high = parameter.max ?? Infinity, now = Number(number.value);
        if (number.value === "" || Number.isNaN(now)) return void (number.value = short(Number(value)));
        onSet(Math.max(low, Math.min(high, parameter.type === "int" ? Math.round(now) : now)));
    });
    return h("span", { class: "control" }, bar, number, h("small", {}, parameter.unit));
}

export const short = (value: number): string => String(Number(value.toPrecision(4)));
