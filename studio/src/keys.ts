// What keys do, and the card that says so.
import { type App, isTyped } from "./app.ts";
import { ICONS, h, icon } from "./dom.ts";

const TURN = Math.PI / 24, CLOSER = 1.1; // a press of a key

interface Key {
    keys: string;
    what: string;
    run?(app: App): void;
    match?(event: KeyboardEvent): boolean;
}
const plain = (key: string) => (event: KeyboardEvent) => event.key.toLowerCase() === key && !event.ctrlKey && !event.metaKey && !event.altKey;
const flip = (name: "wire" | "bones" | "names" | "follow") => ({ store }: App) => store.do(`show ${name}`, session => ({ ...session, show: { ...session.show, [name]: !session.show[name] } }));
const compare = (mode: "single" | "wipe" | "side" | "ghost" | "blink") => ({ store }: App) => {
    if (store.now.chains.length > 1) store.do(`compare: ${mode}`, session => ({ ...session, compare: mode }));
};

export const KEYS: { title: string; keys: Key[] }[] = [
    { title: "Time", keys: [
        { keys: "Space", what: "Play or pause", match: plain(" "), run: ({ clock }) => clock.toggle() },
        { keys: "← →", what: "Frame back, frame on", match: event => /^Arrow(Left|Right)$/.test(event.key) && !event.altKey && !event.shiftKey, run: () => undefined },
        { keys: "Home End", what: "First frame, last frame", match: event => /^(Home|End)$/.test(event.key), run: () => undefined },
        { keys: "I O", what: "In and out at the playhead" },
        { keys: "W", what: "The worst frame of the curve" },
    ] },
    { title: "View", keys: [
        { keys: "1 2 3 4", what: "Front, side, top, back", match: event => /^[1-4]$/.test(event.key) && !event.ctrlKey && !event.metaKey, run: () => undefined },
        { keys: "F", what: "The whole character", match: plain("f"), run: ({ view }) => view.look("home") },
        { keys: "B N M", what: "Bones, their names, wireframe" },
        { keys: "Shift ← → ↑ ↓", what: "Turn", match: event => /^Arrow/.test(event.key) && event.shiftKey },
        { keys: "+ −", what: "Closer, farther", match: event => /^[-+=_]$/.test(event.key) && !event.ctrlKey && !event.metaKey, run: () => undefined },
        { keys: "Drag, scroll", what: "Turn, come closer; two fingers or the right button move" },
    ] },
    { title: "Hand", keys: [
        { keys: "V G P S L", what: "Look, grab, paint, sculpt, weights of a joint" },
        { keys: "J H U", what: "Pose, throw, world" },
        { keys: "X", what: "Throwing: shake while it is down" },
        { keys: "K", what: "Posing: a key here, or behind the last" },
        { keys: "Drag", what: "On the skin: pull, paint or sculpt; beside it: turn the view" },
        { keys: "Shift drag", what: "Paint: draw around skin that Fill takes" },
        { keys: "Alt click", what: "Weights: choose the joint of the skin" },
    ] },
    { title: "Compare", keys: [
        { keys: "Q", what: "One chain", match: plain("q"), run: compare("single") },
        { keys: "E R T Y", what: "Wipe, side by side, ghost, blink" },
    ] },
    { title: "Everything", keys: [
        { keys: "Ctrl Z", what: "Undo", match: event => (event.ctrlKey || event.metaKey) && !event.shiftKey && event.key.toLowerCase() === "z", run: ({ store, say }) => say(store.undo() ? `Undone: ${store.canRedo}.` : "Nothing to undo.") },
        { keys: "Ctrl Shift Z", what: "Redo", match: event => (event.ctrlKey || event.metaKey) && (event.shiftKey && event.key.toLowerCase() === "z" || event.key.toLowerCase() === "y"), run: ({ store, say }) => say(store.redo() ? `Again: ${store.canUndo}.` : "Nothing to redo.") },
        { keys: "?", what: "This card" },
    ] },
];
const HIDDEN: Key[] = [
    { keys: "", what: "", match: plain("b"), run: flip("bones") }, { keys: "", what: "", match: plain("n"), run: flip("names") }, { keys: "", what: "", match: plain("m"), run: flip("wire") },
    { keys: "", what: "", match: plain("e"), run: compare("wipe") }, { keys: "", what: "", match: plain("r"), run: compare("side") }, { keys: "", what: "", match: plain("t"), run: compare("ghost") },
    { keys: "", what: "", match: plain("y"), run: compare("blink") },
];

export function keys(app: App): () => void {
    const card = h("dialog", { class: "card", "aria-label": "Keyboard and mouse" },
        h("div", { class: "card-head" }, h("h2", {}, "Keyboard and mouse"), h("button", { class: "square", "aria-label": "Close", onclick: () => card.close() }, icon(ICONS.close))),
        h("div", { class: "card-columns" }, KEYS.map(({ title, keys: some }) => h("section", {}, h("h3", {}, title), h("dl", {}, some.map(({ keys: which, what }) => h("div", {}, h("dt", {}, which.split(" ").map(one => (/[a-z]{3,}|,/.test(one) && one !== "Space" && one !== "Ctrl" && one !== "Shift" && one !== "Home" && one !== "End" ? `${one} ` : h("kbd", {}, one)))), h("dd", {}, what))))))));
    document.body.append(card);
    const all = [...KEYS.flatMap(one => one.keys), ...HIDDEN];
    addEventListener("keydown", event => {
        const target = event.target as HTMLElement, undoing = (event.ctrlKey || event.metaKey) && /^[zy]$/i.test(event.key);
        if (card.open || isTyped(event) || !undoing && target.matches("select")) return;
        // What has the focus has its own keys first.
        if (event.key === " " && target.matches("button, summary, input[type=checkbox], input[type=radio]") || /^(Arrow|Home|End)/.test(event.key) && target.matches("input, [role=tab]")) return;
        if (event.key === "?") return card.showModal();
        const found = all.find(one => one.match?.(event));
        if (!found) return;
        event.preventDefault();
        if (event.shiftKey && /^Arrow/.test(event.key)) app.view.turn({ ArrowLeft: -TURN, ArrowRight: TURN }[event.key] ?? 0, { ArrowUp: TURN, ArrowDown: -TURN }[event.key] ?? 0);
        else if (/^[-+=_]$/.test(event.key)) app.view.turn(0, 0, /[+=]/.test(event.key) ? 1 / CLOSER : CLOSER);
        else if (event.key === "ArrowLeft") app.clock.step(-1);
        else if (event.key === "ArrowRight") app.clock.step(1);
        else if (event.key === "Home") app.clock.seek(0);
        else if (event.key === "End") app.clock.seek(app.engine.span().count - 1);
        else if (/^[1-4]$/.test(event.key)) app.view.look((["front", "side", "top", "back"] as const)[Number(event.key) - 1]!);
        else found.run?.(app);
    });
    return () => card.showModal();
}
