// Bar, labels, wipe, legend and hint around the view.
import { type App, CHAIN_COLORS, soon } from "./app.ts";
import { ICONS, byId, h, icon } from "./dom.ts";
import { sentence } from "./engine.ts";
import { HEATS, gradient } from "./heat.ts";
import { openCharacter } from "./open.ts";
import { chainById, chainName, firstSession, linksText, sourceName } from "./session.ts";
import { type Pane, TOOLBAR } from "./view.ts";

const LETTER = 6, LINE = 12; // pixels that names of joints take
const INSET = 16; // pixels that a label keeps from the edge of its pane

export function chrome(app: App, input: HTMLInputElement, help: () => void): void {
    bar(app, input, help);
    labels(app);
    wipe(app);
    hint(app);
    legend(app);
    theme();
    picking(app);
}

function bar(app: App, input: HTMLInputElement, help: () => void): void {
    const { store, engine, say } = app, open = h("button", { class: "primary", id: "open", onclick: () => input.click() }, icon(ICONS.open), "Open");
    const who = h("select", { id: "character", "aria-label": "Character", onchange: () => {
        const name = who.value;
        if (name.startsWith("builtin:")) void openCharacter(app, name, { builtin: name }).catch(error => say(sentence(error), "bad"));
    } });
    const clip = h("select", { id: "clip", "aria-label": "Clip", onchange: () => store.do(`clip ${clip.value}`, session => ({ ...session, clip: clip.value, start: null, end: null, frame: 0, cycle: false })) });
    byId("bar-in").append(open, who, clip);
    const undo = h("button", { class: "square", id: "undo", "aria-label": "Undo", onclick: () => tell("Undone", store.undo()) }, icon(ICONS.undo));
    const redo = h("button", { class: "square", id: "redo", "aria-label": "Redo", onclick: () => tell("Again", store.redo()) }, icon(ICONS.redo));
    const tell = (word: string, label: string | undefined) => label && say(`${word}: ${label}.`);
    byId("bar-end").append(undo, redo, h("button", { class: "square", id: "theme", "aria-label": "Dark or light", title: "Dark or light", onclick: flipTheme }, icon(ICONS.theme)),
        h("button", { class: "square", id: "help", "aria-label": "Keyboard and mouse", title: "Keyboard and mouse (?)", onclick: help }, icon(ICONS.help)),
        h("button", { class: "square narrow-only", id: "side-toggle", "aria-label": "Panels", "aria-expanded": "false", onclick: (event: Event) => {
            const shown = document.body.classList.toggle("side-shown");
            (event.currentTarget as HTMLElement).setAttribute("aria-expanded", String(shown));
        } }, icon(ICONS.menu)));
    let key = "";
    const update = () => {
        const { source } = store.now, clips = engine.info?.clips ?? [], name = source.builtin ?? "file", next = JSON.stringify([source.builtin, source.file?.name, clips, engine.builtins.length]);
        if (next !== key) {
            key = next;
            who.replaceChildren(...(source.file ? [h("option", { value: "file" }, sourceName(source))] : []), ...engine.builtins.map(one => h("option", { value: one.name.startsWith("builtin:") ? one.name : `builtin:${one.name}`, title: one.summary }, one.name.replace("builtin:", ""))));
            if (source.builtin && ![...who.options].some(one => one.value === name)) who.prepend(h("option", { value: name }, sourceName(source)));
            who.value = name;
            clip.replaceChildren(...(clips.length ? clips.map(one => h("option", { value: one.name }, `${one.name || "clip"} · ${one.seconds.toFixed(1)} s`)) : [h("option", { value: "" }, "no clip: rest pose")]));
            clip.disabled = clips.length < 2;
        }
        clip.value = engine.clip()?.name ?? "";
        undo.disabled = !store.canUndo;
        redo.disabled = !store.canRedo;
        undo.title = store.canUndo ? `Undo: ${store.canUndo} (Ctrl Z)` : "Nothing to undo";
        redo.title = store.canRedo ? `Redo: ${store.canRedo} (Ctrl Shift Z)` : "Nothing to redo";
    };
    store.listen(soon(update));
    engine.listen(what => what === "character" && update());
    update();
}

function labels({ store, engine, view }: App): void {
    const box = byId("labels"), made = new Map<number, { root: HTMLElement; name: HTMLElement; note: HTMLElement; cancel: HTMLElement }>(), names = h("div", { class: "joint-names" });
    const stop = (id: number) => h("button", { class: "small outline", onclick: () => engine.cancel(id) }, "Stop");
    const place = (panes: Pane[]) => {
        for (const [id, { root }] of made) if (!panes.some(pane => pane.chain === id)) root.remove(), made.delete(id);
        panes.forEach((pane, i) => {
            let label = made.get(pane.chain);
            if (!label) {
                const name = h("b", {}), note = h("small", {}), cancel = stop(pane.chain), root = h("div", { class: "pane-label" }, h("span", {}, h("i", { class: "dot" }), name), h("span", {}, note, cancel));
                label = { root, name, note, cancel };
                made.set(pane.chain, label);
                box.append(root);
            }
            const chain = chainById(store.now, pane.chain), at = store.now.chains.findIndex(one => one.id === pane.chain), status = engine.status(pane.chain), shown = view.frameOf(pane.chain, store.now.frame);
            const percent = `${Math.round(100 * status.fraction)} %`, skinned = shown?.whose === "base" ? ", skinned meanwhile" : shown?.whose === "stale" ? ", older result meanwhile" : "";
            const note = status.state === "failed" ? status.problem ?? "" : status.state === "binding" ? `binding ${percent}${skinned}` : status.state === "waiting" ? "loading"
                : shown?.whose === "live" ? shown.frame.hash ? "by hand, recorded on the clock" : "live, not yet the bake" : status.state === "simulating" ? `simulating ${percent}${skinned}` : shown?.frame.unseen ?? "";
            const full = store.now.compare === "wipe" && panes.length > 1 && i === 1;
            label.root.classList.toggle("right", full);
            label.root.hidden = pane.width < 70;
            label.root.style.left = `${pane.left || pane.top === 0 ? pane.left : TOOLBAR - INSET}px`;
            label.root.style.top = `${pane.top + 14}px`;
            label.root.style.width = `${pane.width}px`;
            (label.root.querySelector(".dot") as HTMLElement).style.background = `var(${CHAIN_COLORS[at]})`;
            const title = chain ? chainName(chain) : "";
            if (label.name.textContent !== title) label.name.textContent = title;
            if (label.note.textContent !== note) label.note.textContent = note;
            label.cancel.hidden = status.state !== "binding" || status.fraction < 0.02 || chain === undefined || linksText(chain) === "linear";
        });
        if (store.now.show.names) {
            const joints = view.joints(store.now);
            const prefix = /^[^:]*:/.exec(joints.find(one => one.name.includes(":"))?.name ?? "")?.[0] ?? "", common = joints.every(one => one.name.startsWith(prefix) || !one.name.includes(":")) ? prefix : "", placed: { x: number; y: number; wide: number }[] = [];
            while (names.children.length > joints.length) names.lastElementChild!.remove();
            joints.forEach(({ name, x, y }, i) => {
                const one = (names.children[i] ?? names.appendChild(h("span", {}))) as HTMLElement, words = name.startsWith(common) ? name.slice(common.length) : name, wide = LETTER * words.length;
                if (one.textContent !== words) one.textContent = words;
                // Of names that would lie over each other the first is seen: that of the joint on which the others hang.
                one.hidden = placed.some(other => Math.abs(other.y - y) < LINE && x < other.x + other.wide && other.x < x + wide);
                if (!one.hidden) placed.push({ x, y, wide });
                one.style.transform = `translate(${x + 6}px, ${y - 7}px)`;
            });
            if (!names.parentElement) box.append(names);
        } else names.remove();
    };
    view.onPanes = place;
    engine.listen(soon(() => place(view.panes)));
}

function wipe({ store, view }: App): void {
    const one = byId("wipe"), set = (at: number) => store.do("move the wipe", session => ({ ...session, wipe: Math.max(0, Math.min(1, at)) }), "wipe");
    const place = () => {
        const { compare, wipe: at, chains } = store.now;
        one.hidden = compare !== "wipe" || chains.length < 2;
        one.style.left = `${100 * at}%`;
        one.setAttribute("aria-valuenow", String(Math.round(100 * at)));
    };
    one.addEventListener("pointerdown", event => one.setPointerCapture(event.pointerId));
    one.addEventListener("pointermove", event => {
        if (!one.hasPointerCapture(event.pointerId)) return;
        const box = view.canvas.getBoundingClientRect();
        set((event.clientX - box.left) / box.width);
    });
    one.addEventListener("keydown", event => {
        const by = { ArrowLeft: -0.02, ArrowRight: 0.02, PageDown: -0.1, PageUp: 0.1 }[event.key];
        if (by === undefined) return;
        event.preventDefault();
        event.stopPropagation();
        set(store.now.wipe + by);
    });
    store.listen(place);
    place();
}

/** One line that says what to do, until it was done. */
function hint({ store, engine }: App): void {
    const one = byId("hint"), first = JSON.stringify(firstSession().source), touched = () => store.canUndo !== undefined && store.canUndo !== "move the wipe";
    const update = () => {
        one.hidden = JSON.stringify(store.now.source) !== first || engine.problem !== null || touched();
    };
    store.listen(update);
    engine.listen(update);
    update();
}

function legend({ store, view }: App): void {
    const box = byId("legend");
    let before = "";
    const update = () => {
        const { heat, joint } = store.now.show;
        box.hidden = heat === "none";
        if (heat === "none") return;
        const { name, unit, both, factor } = HEATS[heat], end = view.heat.extent * factor, text = (value: number) => `${Number(value.toPrecision(3))}${unit && ` ${unit}`}`;
        const key = JSON.stringify([heat, joint, Number(end.toPrecision(3))]);
        if (key === before) return;
        before = key;
        const strip = h("i", { class: "strip" });
        strip.style.background = `linear-gradient(to right, ${gradient(both)})`;
        box.replaceChildren(h("b", {}, heat === "weights" ? joint ? `Weight of ${joint}` : "Choose a joint: click one in the view" : name), strip, h("span", {}, h("small", {}, text(both ? -end : 0)), both ? h("small", {}, "0") : "", h("small", {}, text(end))));
    };
    const place = view.onPanes;
    view.onPanes = panes => {
        place(panes);
        update();
    };
    store.listen(soon(update));
}

const THEME = "supple-studio-theme";
function theme(): void {
    const asked = matchMedia("(prefers-color-scheme: light)");
    const set = () => (document.documentElement.dataset["theme"] = stored() ?? (asked.matches ? "light" : "dark"));
    asked.addEventListener("change", set);
    set();
}
function stored(): string | null {
    try {
        return localStorage.getItem(THEME);
    } catch {
        return null; // storage may be forbidden
    }
}
function flipTheme(): void {
    const next = document.documentElement.dataset["theme"] === "light" ? "dark" : "light";
    document.documentElement.dataset["theme"] = next;
    try {
        localStorage.setItem(THEME, next);
    } catch {
        // It holds for this visit.
    }
}

const REACH = 16; // pixels between a click and the joint it means
function picking({ store, view }: App): void {
    let down: { x: number; y: number } | undefined;
    view.canvas.addEventListener("pointerdown", event => (down = { x: event.offsetX, y: event.offsetY }));
    view.canvas.addEventListener("pointerup", event => {
        if (!down || Math.hypot(event.offsetX - down.x, event.offsetY - down.y) > 4) return;
        const near = view.joints(store.now).map(joint => ({ ...joint, far: Math.hypot(joint.x - event.offsetX, joint.y - event.offsetY) })).sort((a, b) => a.far - b.far)[0];
        if (!near) return;
        const joint = near.far < REACH ? near.name : null;
        if (joint !== store.now.show.joint) store.do(joint ? `choose ${joint}` : "choose no joint", session => ({ ...session, show: { ...session.show, joint } }));
    });
}
