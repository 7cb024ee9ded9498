// What every part of the page is given, and the sentences it may say.
import type { Clock } from "./clock.ts";
import { ICONS, byId, h, icon } from "./dom.ts";
import type { Engine } from "./engine.ts";
import type { Store } from "./store.ts";
import type { View } from "./view.ts";

export interface App {
    store: Store;
    engine: Engine;
    view: View;
    clock: Clock;
    /** Takes a mesh as a body of the world. */
    prop(name: string, bytes: Uint8Array<ArrayBuffer>): Promise<void>;
    /** Shows a message to the user; an error stays until it is closed. */
    say(sentence: string, kind?: "note" | "bad", action?: { label: string; run(): void }): void;
    /** Takes back what was said. */
    unsay(): void;
}

/** A tab of the side: made once, kept up to date by its own listeners. */
export interface Panel {
    id: string;
    title: string;
    make(app: App): HTMLElement;
}

const NOTE_MS = 6000, ASKING_MS = 20000; // a note that offers something stays longer

export function say(sentence: string, kind: "note" | "bad" = "note", action?: { label: string; run(): void }): void {
    const box = byId("notices"), same = [...box.children].find(one => one.querySelector("p")?.textContent === sentence);
    same?.remove();
    const notice = h("div", { class: `notice ${kind}` }, h("p", {}, sentence),
        action && h("button", { class: "small outline", onclick: () => { action.run(); notice.remove(); } }, action.label),
        h("button", { class: "square small", "aria-label": "Close", onclick: () => notice.remove() }, icon(ICONS.close)));
    box.append(notice);
    while (box.children.length > 3) box.firstElementChild?.remove();
    if (kind === "note") setTimeout(() => notice.remove(), action ? ASKING_MS : NOTE_MS);
}

export function unsay(): void { byId("notices").replaceChildren(); }

const TYPED = "textarea, input:not([type=range], [type=checkbox], [type=radio])";
/** Whether letters go into what has the focus. */
export const isTyped = (event: KeyboardEvent): boolean => (event.target as HTMLElement).matches(TYPED);
/** Whether a letter is a command of the page: not where letters are typed or choose from a list, and not under a card. */
export const isCommand = (event: KeyboardEvent): boolean => !event.ctrlKey && !event.metaKey && !event.altKey && !isTyped(event) && !(event.target as HTMLElement).matches("select") && !document.querySelector("dialog[open]");

/** Calls `update` once in the next animation frame, however often it is requested. */
export function soon(update: () => void): () => void {
    let asked = false;
    return () => {
        if (asked) return;
        asked = true;
        requestAnimationFrame(() => {
            asked = false;
            update();
        });
    };
}

/** Colors of the chains, as names of the style sheet. */
export const CHAIN_COLORS = ["--a", "--b", "--c", "--d"];
export const chainColor = (at: number): string => getComputedStyle(document.documentElement).getPropertyValue(CHAIN_COLORS[at % CHAIN_COLORS.length]!).trim();
export const styleColor = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

export const count = (number: number): string => number.toLocaleString("en-US");
export function bytes(number: number): string {
    return number < 1000 ? `${number} bytes` : number < 1e6 ? `${(number / 1e3).toFixed(0)} kB` : `${(number / 1e6).toFixed(1)} MB`;
}
