// The chosen chain: its links in order, presets with what they change, every parameter of the one description.
import type { ChainInfo, DeformerInfo } from "supple-skin";
import { type App, type Panel, soon } from "../app.ts";
import { ICONS, h, icon } from "../dom.ts";
import { characterKey } from "../lane.ts";
import { type Parameter, field, readable, short } from "../field.ts";
import { type Link, type Value, activeChain, link, running, text, withChain, withLink } from "../session.ts";
import { here } from "../words.ts";
import { firstValues, presetRow } from "./presets.ts";

const parametersOf = (deformer: DeformerInfo): Parameter[] => deformer.params as Parameter[];

export const chainPanel: Panel = {
    id: "chain", title: "Chain",
    make(app) {
        const { store, engine } = app, links = h("div", { class: "links" }), notes = h("div", { class: "notes" }), help = h("p", { class: "help-line", "aria-hidden": "true" });
        const search = h("input", { type: "search", placeholder: "Find a parameter", "aria-label": "Find a parameter", oninput: () => filter() });
        const adding = h("select", { "aria-label": "Add a link", onchange: () => {
            const name = adding.value;
            adding.value = "";
            if (name) store.do(`add ${name}`, session => withChain(session, session.active, chain => ({ ...chain, links: [...chain.links.filter(one => chain.links.length > 1 || one.deformer !== "linear"), link(name, firstValues(engine.deformers.find(deformer => deformer.name === name)))] })));
        } });
        const failed = h("div", { class: "failed", role: "alert", hidden: true });
        const filter = () => {
            const words = search.value.trim().toLowerCase();
            for (const row of links.querySelectorAll<HTMLElement>(".field")) {
                const hay = `${row.dataset["parameter"]} ${row.dataset["help"]}`.toLowerCase();
                row.hidden = Boolean(words) && !hay.includes(words) && !hay.replaceAll("_", " ").includes(words);
            }
            for (const box of links.querySelectorAll("details")) if (words) box.open = true;
        };
        let key = "";
        const update = () => {
            const { now } = store, chain = activeChain(now), info = engine.description(chain.id), status = engine.status(chain.id);
            failed.hidden = status.state !== "failed";
            if (failed.dataset["problem"] !== (status.problem ?? "")) {
                failed.dataset["problem"] = status.problem ?? "";
                failed.replaceChildren(h("p", {}, status.problem ?? ""), h("button", { class: "small outline", onclick: () => engine.retry(store.now.active) }, "Bind again"));
            }
            const next = JSON.stringify([chain, characterKey(now.source), engine.clip()?.name, now.show.joint, info?.text, info?.links.map(one => [one.values, one.idle, one.inert]), engine.deformers.length, engine.info?.examples.length, now.source.sculpts?.length]);
            if (next === key) return;
            key = next;
            const focus = document.activeElement instanceof HTMLElement && links.contains(document.activeElement) ? document.activeElement.closest<HTMLElement>("[data-key]")?.dataset["key"] : undefined;
            const kind = document.activeElement instanceof HTMLInputElement ? document.activeElement.type : undefined;
            const open = new Set([...links.querySelectorAll<HTMLDetailsElement>("details[open]")].map(one => one.dataset["at"]));
            const known = links.childElementCount > 0, scrolls = known ? links.parentElement?.parentElement : undefined, top = scrolls?.scrollTop ?? 0;
            links.replaceChildren(...chain.links.map((one, at) => linkCard(app, one, at, info, text => (help.textContent = text), known ? open : undefined)));
            if (scrolls && top) scrolls.scrollTop = top;
            if (focus) (links.querySelector<HTMLElement>(`[data-key="${CSS.escape(focus)}"] input${kind ? `[type="${kind}"]` : ""}`) ?? links.querySelector<HTMLElement>(`[data-key="${CSS.escape(focus)}"] select`))?.focus();
            adding.replaceChildren(h("option", { value: "" }, "Add a link …"), ...engine.deformers.map(deformer => {
                const lacks = deformer.needs.includes("examples") && !engine.info?.examples.length && !now.source.sculpts?.length;
                return h("option", { value: deformer.name, disabled: lacks, title: deformer.summary }, lacks ? `${deformer.name} (needs sculpts: make or drop some)` : deformer.name);
            }));
            notes.replaceChildren(...(info?.notes ?? []).map(note => h("p", {}, here(note))));
            filter();
        };
        store.follow(soon(update));
        engine.listen(soon(update));
        update();
        return h("div", { class: "stack" }, h("div", { class: "row" }, search), failed, links, h("div", { class: "row" }, adding), notes, help);
    },
};

function linkCard(app: App, one: Link, at: number, info: ChainInfo | undefined, onHelp: (text: string) => void, open: Set<string | undefined> | undefined): HTMLElement {
    const { store, engine } = app, deformer = engine.deformers.find(each => each.name === one.deformer), chain = activeChain(store.now), id = chain.id;
    const name = running(chain).find(each => each.at === at)?.name;
    // The core prepends plain skinning if a chain needs it: links are matched from the end.
    const place = running(chain).findIndex(each => each.at === at), told = place < 0 ? undefined : info?.links.at(place - running(chain).length);
    const change = (label: string, values: (old: Record<string, Value>) => Record<string, Value>, merge = "") => store.do(label, session => withLink(session, id, at, old => ({ ...old, values: values(old.values) })), merge);
    const move = (by: number) => store.do(`move ${one.deformer}`, session => withChain(session, id, old => {
        const all = [...old.links], [taken] = all.splice(at, 1);
        all.splice(at + by, 0, taken!);
        return { ...old, links: all };
    }));
    const head = h("summary", {}, h("b", {}, one.deformer), h("span", { class: "summary" }, one.muted ? "muted" : here(told?.inert ?? "")));
    const tools = h("div", { class: "tools" },
        h("button", { class: "square small", "aria-label": `Move ${one.deformer} up`, title: "Up", disabled: at === 0, onclick: () => move(-1) }, icon(ICONS.up)),
        h("button", { class: "square small", "aria-label": `Move ${one.deformer} down`, title: "Down", disabled: at === chain.links.length - 1, onclick: () => move(1) }, icon(ICONS.down)),
        h("button", { class: "square small", "aria-label": one.muted ? `Unmute ${one.deformer}` : `Mute ${one.deformer}`, title: one.muted ? "Unmute" : "Mute", "aria-pressed": String(one.muted), onclick: () => store.do(one.muted ? `unmute ${one.deformer}` : `mute ${one.deformer}`, session => withLink(session, id, at, old => ({ ...old, muted: !old.muted }))) }, icon(one.muted ? ICONS.off : ICONS.eye)),
        h("button", { class: "square small", "aria-label": `Remove ${one.deformer}`, title: "Remove", disabled: chain.links.length < 2, onclick: () => store.do(`remove ${one.deformer}`, session => withChain(session, id, old => ({ ...old, links: old.links.filter((_, i) => i !== at) }))) }, icon(ICONS.close)));
    const body: HTMLElement[] = [h("p", { class: "about" }, deformer?.summary ?? "There is no such deformer in this version.")];
    if (deformer) {
        body.push(...presetRow(app, deformer, one, at, (label, values) => change(label, () => values), onHelp));
        const rows = parametersOf(deformer).map(parameter => parameterRow(app, parameter, one, name, told?.idle[parameter.name] && here(told.idle[parameter.name]!), change, onHelp, `${id}-${at}`));
        const live = rows.filter(row => !row.idle).map(row => row.row), idle = rows.filter(row => row.idle).map(row => row.row);
        body.push(...live);
        if (idle.length) body.push(h("details", { class: "idle-list", "data-at": `${at}-idle`, open: open?.has(`${at}-idle`) ?? false }, h("summary", {}, `${idle.length} without effect here`), ...idle));
        if (!rows.length) body.push(h("p", { class: "about" }, "Nothing to set."));
    }
    const isOpen = open?.has(String(at)) ?? (at === chain.links.length - 1 || chain.links.length === 1);
    const card = h("details", { class: `link${one.muted ? " muted" : ""}`, "data-at": String(at), "data-deformer": one.deformer, open: isOpen || !open }, head, ...body);
    return h("div", { class: "link-box" }, card, tools);
}

type Change = (label: string, values: (old: Record<string, Value>) => Record<string, Value>, merge?: string) => void;

function parameterRow(app: App, parameter: Parameter, one: Link, name: string | undefined, idle: string | undefined, change: Change, onHelp: (text: string) => void, key: string): { row: HTMLElement; idle: boolean } {
    const { store, engine } = app, own = one.values[parameter.name], value = own ?? parameter.default, joint = store.now.show.joint;
    const set = (full: string, to: Value) => change(`${one.deformer} ${readable(full)}`, old => {
        const rest = { ...old };
        if (!full.includes("@") && text(to) === text(parameter.default)) delete rest[full];
        else rest[full] = to;
        return rest;
    }, `${key}-${full}`);
    const reset = (full: string) => change(`reset ${readable(full)}`, old => Object.fromEntries(Object.entries(old).filter(([each]) => each !== full)));
    const more: Node[] = [];
    if (parameter.varies !== "no" && parameter.varies !== "not") {
        for (const [full, at] of Object.entries(one.values)) {
            const [base, bone] = full.split("@");
            if (base !== parameter.name || bone === undefined) continue;
            more.push(field({ parameter, label: bone, value: at, changed: true, onSet: to => set(full, to), onReset: () => reset(full), onHelp }));
        }
        if (joint && one.values[`${parameter.name}@${joint}`] === undefined)
            more.push(h("button", { class: "small bone", title: `A value of its own for ${joint}`, onclick: () => set(`${parameter.name}@${joint}`, value) }, icon(ICONS.add), joint));
    }
    const live = parameter.stage === "frame" && name !== undefined;
    const row = field({
        parameter, value, idle, changed: own !== undefined, onHelp, more,
        ...(live ? { onDrag: (now: number) => engine.live(store.now.active, `${name}.${parameter.name}`, now) } : {}),
        onSet: to => set(parameter.name, to), onReset: () => reset(parameter.name),
    });
    row.dataset["key"] = `${key}-${parameter.name}`;
    row.dataset["help"] = parameter.help;
    row.setAttribute("data-value", typeof value === "number" ? short(value) : String(value));
    return { row, idle: Boolean(idle) && own === undefined };
}
