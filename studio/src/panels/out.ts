// Out: the baked file with its size before it is saved, what else can be taken along, and the same as a command and as code.
import "./out.css";
import { type App, type Panel, bytes, soon } from "../app.ts";
import { codeC, codeJavaScript, codePython, commandLine, notInC, onlyHere } from "../command.ts";
import { ICONS, h, icon } from "../dom.ts";
import { sentence } from "../engine.ts";
import { fileBytes } from "../files.ts";
import { type Container, film, mayFilm } from "../film.ts";
import { type Baked, bake, contactSheet, motionOf, picture, save } from "../output.ts";
import { presetOf } from "../preset.ts";
import { activeChain, linksText, sourceWord } from "../session.ts";
import { RECORDED, takeOf, worldName, worldWith } from "../touch/take.ts";

const FORMATS: { ending: string; label: string }[] = [
    { ending: "glb", label: "GLB: plays everywhere" }, { ending: "usda", label: "USD: for studios" }, { ending: "pc2", label: "PC2: a point cache for Blender and Max" },
    { ending: "mdd", label: "MDD: a point cache for Maya and LightWave" }, { ending: "npy", label: "NPY: an array for Python" },
];
const SHEET_FRAMES = 12;

/** A name for files: the character, the motion and the chain. */
export function stem(app: App): string {
    const { now } = app.store, who = sourceWord(now.source).replace(/^builtin:/, "").replace(/[?].*$/, "").replace(/\.[^.]+$/, "");
    return [who, app.engine.clip()?.name, linksText(activeChain(now)).replaceAll(",", "-")].filter(Boolean).join("-").replace(/[^\w.-]+/g, "_");
}

export const outPanel: Panel = {
    id: "out", title: "Out",
    make(app) {
        return h("div", { class: "out" }, bakeSection(app), moreSection(app), commandSection(app));
    },
};

function bakeSection(app: App): HTMLElement {
    const { store } = app;
    const format = h("select", { id: "out-format", "aria-label": "Format", onchange: () => stale() }, FORMATS.map(({ ending, label }) => h("option", { value: ending }, label)));
    const sparse = h("input", { type: "checkbox", id: "out-sparse", onchange: () => stale() }), flat = h("input", { type: "checkbox", id: "out-flat", onchange: () => stale() });
    const start = h("button", { class: "primary", id: "out-bake", onclick: () => void run() }, icon(ICONS.wand), "Bake");
    const keep = h("button", { class: "outline", id: "out-save", disabled: true, onclick: () => baked?.forEach(one => save(one.name, new Blob([one.bytes]))) }, icon(ICONS.save), "Save");
    const bar = h("progress", { max: 1, value: 0, "aria-label": "Baking", hidden: true }), stop = h("button", { class: "small outline", hidden: true, onclick: () => (wanted = false) }, "Stop");
    const result = h("p", { class: "result", id: "out-result", role: "status" });
    let baked: Baked[] | undefined, wanted = false, key = "";
    const keyNow = () => JSON.stringify([store.now.source, store.now.clip, activeChain(store.now), store.now.fps, store.now.start, store.now.end, store.now.cycle, format.value, sparse.checked, flat.checked]);
    const stale = () => {
        const glb = format.value === "glb";
        sparse.disabled = flat.disabled = !glb;
        if (baked && key !== keyNow()) {
            baked = undefined;
            keep.disabled = true;
            result.textContent = "Something changed since: bake again.";
        }
    };
    const run = async () => {
        const session = store.now, chain = activeChain(session), file = `${stem(app)}.${format.value}`;
        wanted = true;
        key = keyNow();
        start.disabled = true;
        bar.hidden = stop.hidden = false;
        result.textContent = "";
        try {
            baked = await bake(session, chain, motionOf(app), { file, sparse: sparse.checked && format.value === "glb", flat: flat.checked && format.value === "glb" }, fraction => {
                bar.value = fraction;
                return wanted;
            });
            const { info } = baked[0]!, size = baked.reduce((sum, one) => sum + one.bytes.length, 0);
            result.replaceChildren(h("b", {}, bytes(size)), ` · ${info.frames} frames by ${info.chain} · hash `, h("code", {}, String(info.hash)),
                ...info.warnings.map(one => h("span", { class: "why" }, one)));
            result.dataset["bytes"] = String(size);
            result.dataset["hash"] = String(info.hash);
            keep.disabled = false;
            stale();
        } catch (error) {
            baked = undefined;
            result.textContent = wanted ? sentence(error) : "The bake was stopped; nothing was kept.";
        } finally {
            wanted = false;
            start.disabled = false;
            bar.hidden = stop.hidden = true;
        }
    };
    store.follow(soon(stale));
    return h("section", { "aria-label": "Baked file" }, h("h2", {}, "Baked file"),
        h("div", { class: "row" }, h("label", { for: "out-format", class: "visually-hidden" }, "Format"), format),
        h("div", { class: "row" }, h("label", { title: "Leaves displacements that change nothing out of the file: smaller, shows the same" }, sparse, " Sparse"),
            h("label", { title: "World-space shapes without the skin, for viewers that play morphs but no skins" }, flat, " Flat")),
        h("div", { class: "row" }, start, keep, stop), bar, result,
        h("p", { class: "quiet" }, "The same file as the command below makes, to the byte."));
}

function moreSection(app: App): HTMLElement {
    const { store } = app, working = h("progress", { max: 1, value: 0, "aria-label": "Working", hidden: true });
    const attempt = async (work: () => Promise<void>) => {
        try {
            await work();
        } catch (error) {
            app.say(sentence(error), "bad");
        } finally {
            working.hidden = true;
        }
    };
    const say = (name: string, content: Blob) => {
        save(name, content);
        app.say(`${name}, ${bytes(content.size)}.`);
    };
    const json = (value: unknown) => new Blob([`${JSON.stringify(value, null, 2)}\n`], { type: "application/json" });
    const preset = h("button", { class: "outline", id: "out-preset", title: "Links and values of the chosen chain, for --preset and for this page", onclick: () => say(`${linksText(activeChain(store.now)).replaceAll(",", "-")}.json`, json(presetOf(activeChain(store.now)))) }, "Preset");
    const world = h("button", { class: "outline", id: "out-world", title: "The world that was dropped, with what was done by hand", onclick: () => void attempt(async () => {
        const { world: ref } = store.now.source, { pulls } = takeOf(store.now, app.engine.clip()?.name ?? null);
        if (worldName(store.now, app.engine.clip()?.name ?? null) === RECORDED) say(RECORDED, json(worldWith(app.engine.worldFile, pulls)));
        else if (ref) say(ref.name, new Blob([await fileBytes(ref) as Uint8Array<ArrayBuffer>]));
    }) }, "World");
    const maps = h("span", { class: "row" });
    const png = h("button", { class: "outline", id: "out-png", onclick: () => void attempt(async () => say(`${stem(app)}-${store.now.frame}.png`, await picture(app))) }, "Picture");
    const sheet = h("button", { class: "outline", id: "out-sheet", title: `${SHEET_FRAMES} frames on one sheet`, onclick: () => void attempt(async () => say(`${stem(app)}-sheet.png`, await contactSheet(app, SHEET_FRAMES))) }, "Contact sheet");
    const movie = (kind: Container, label: string) => h("button", { class: "outline", id: kind === "mp4" ? "out-mp4" : "out-film", disabled: !mayFilm(), title: mayFilm() ? `Every frame as a ${label} film` : "This browser has no encoder for films; 'supple render' makes one", onclick: () => void attempt(async () => {
        const was = app.clock.playing;
        app.clock.pause();
        working.hidden = false;
        try {
            const made = await film(app, kind, fraction => {
                working.value = fraction;
                return true;
            });
            say(`${stem(app)}.${kind}`, made.film);
            if (made.note) app.say(made.note);
        } finally {
            if (was) app.clock.play();
        }
    }) }, `Film (${label})`);
    const state = h("button", { class: "outline", id: "out-session", title: "This whole page as a file; drop it here again", onclick: () => say(`${stem(app)}-session.json`, json(store.now)) }, "Session");
    const update = () => {
        world.disabled = !worldName(store.now, app.engine.clip()?.name ?? null);
        maps.replaceChildren(...(store.now.source.maps ?? []).map(({ name, file }) => h("button", { class: "outline", onclick: () => void attempt(async () => say(file.name, new Blob([await fileBytes(file) as Uint8Array<ArrayBuffer>]))) }, `Map ${name}`)));
    };
    store.follow(soon(update));
    update();
    return h("section", { "aria-label": "More to save" }, h("h2", {}, "More"), h("div", { class: "row wrap" }, preset, world, maps, state, png, sheet, movie("webm", "WebM"), movie("mp4", "MP4")), working);
}

function commandSection(app: App): HTMLElement {
    const { store, engine } = app, kinds = ["Command", "C", "Python", "JavaScript"] as const;
    let kind: (typeof kinds)[number] = "Command";
    const box = h("pre", { id: "out-code", tabIndex: 0, "aria-label": "The same as text" }), why = h("p", { class: "why", hidden: true });
    const text = () => {
        const session = store.now, chain = activeChain(session), motion = motionOf(app), out = { file: `${stem(app)}.glb` };
        if (kind === "C") return codeC(session, chain, motion);
        if (kind === "Python") return codePython(session, chain, motion, out);
        return kind === "JavaScript" ? codeJavaScript(session, chain, motion, out) : commandLine(session, chain, motion, out);
    };
    const copy = h("button", { class: "outline", id: "out-copy", onclick: () => void navigator.clipboard.writeText(text()).then(() => app.say(`Copied: ${kind === "Command" ? "paste it into a terminal" : `${kind} code`}.`), error => app.say(sentence(error), "bad")) }, "Copy");
    const choose = h("div", { class: "segments", role: "group", "aria-label": "As what" });
    const buttons = kinds.map(one => h("button", { "data-kind": one, "aria-pressed": String(one === kind), onclick: () => {
        kind = one;
        for (const button of buttons) button.setAttribute("aria-pressed", String(button.dataset["kind"] === kind));
        update();
    } }, one));
    choose.append(...buttons);
    const update = () => {
        if (!engine.info) return;
        const reason = onlyHere(store.now);
        const lacks = reason ?? (kind === "C" ? notInC(store.now, motionOf(app).clip) : null);
        why.hidden = !lacks;
        why.textContent = lacks ?? "";
        box.hidden = copy.disabled = Boolean(reason);
        const now = text();
        if (box.textContent !== now) box.textContent = now;
    };
    store.follow(soon(update));
    engine.listen(soon(update));
    update();
    return h("section", { "aria-label": "Copy as command or code" }, h("h2", {}, "Copy as"), choose, why, box, copy);
}
