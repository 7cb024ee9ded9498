// The side: which chains there are and how they are compared, and below the panels as tabs.
import { type App, CHAIN_COLORS, type Panel, soon } from "./app.ts";
import { ICONS, byId, h, icon } from "./dom.ts";
import { type Compare, MOST_CHAINS, activeChain, chainName } from "./session.ts";

const MODES: { mode: Compare; label: string; title: string }[] = [
    { mode: "single", label: "One", title: "Only the chosen chain" },
    { mode: "wipe", label: "Wipe", title: "The first chain on the left, the chosen one on the right" },
    { mode: "side", label: "Side", title: "All chains side by side, one camera" },
    { mode: "ghost", label: "Ghost", title: "The first chain laid over the chosen one, translucent" },
    { mode: "blink", label: "Blink", title: "One after the other" },
];

export function side(app: App, panels: Panel[]): void {
    const root = byId("side");
    root.append(chains(app), tabs(app, panels));
}

function chains(app: App): HTMLElement {
    const { store, engine } = app, list = h("div", { class: "chain-list", role: "group", "aria-label": "Chains" }), modes = h("div", { class: "segments", role: "group", "aria-label": "Compare" });
    const buttons = MODES.map(({ mode, label, title }) => h("button", { title, "data-mode": mode, onclick: () => store.do(`compare: ${label.toLowerCase()}`, session => ({ ...session, compare: mode })) }, label));
    modes.append(...buttons);
    const add = () => store.do("add a chain", session => {
        const id = Math.max(...session.chains.map(chain => chain.id)) + 1, copy = activeChain(session);
        return { ...session, chains: [...session.chains, { ...copy, id }], active: id, compare: session.compare === "single" ? "wipe" : session.chains.length > 1 && session.compare === "wipe" ? "side" : session.compare };
    });
    const remove = (id: number) => store.do("remove a chain", session => {
        const left = session.chains.filter(chain => chain.id !== id);
        return { ...session, chains: left, active: session.active === id ? left.at(-1)!.id : session.active, compare: left.length < 2 ? "single" : session.compare };
    });
    let before = "";
    const update = () => {
        const { chains: all, active, compare } = store.now, key = JSON.stringify([all.map(chain => [chain.id, chainName(chain)]), active]);
        if (key !== before) {
            before = key;
            const focused = document.activeElement?.getAttribute("data-chain");
            list.replaceChildren(...all.map((chain, i) => {
                const choose = h("button", { class: "chain", "aria-pressed": String(chain.id === active), "data-chain": chain.id, title: `Chain ${"ABCD"[i]}: ${chainName(chain)}`, onclick: () => store.do("choose a chain", session => ({ ...session, active: chain.id })) },
                    h("i", { class: "dot" }), h("span", {}, chainName(chain)), h("progress", { max: 1, value: 0, "aria-label": `Progress of chain ${"ABCD"[i]}` }));
                (choose.firstElementChild as HTMLElement).style.background = `var(${CHAIN_COLORS[i]})`;
                const row = h("div", { class: "chain-row" }, choose);
                if (all.length > 1) row.append(h("button", { class: "square small", "aria-label": `Remove chain ${"ABCD"[i]}`, title: "Remove this chain", onclick: () => remove(chain.id) }, icon(ICONS.close)));
                return row;
            }), all.length < MOST_CHAINS ? h("button", { class: "small add", onclick: add, title: "Another chain, a copy of the chosen one, to compare with" }, icon(ICONS.add), "Chain to compare") : "");
            if (focused) list.querySelector<HTMLElement>(`[data-chain="${focused}"]`)?.focus();
        }
        for (const button of buttons) {
            button.setAttribute("aria-pressed", String(button.dataset["mode"] === compare));
            button.disabled = all.length < 2 && button.dataset["mode"] !== "single";
        }
        for (const chain of all) {
            const progress = list.querySelector<HTMLProgressElement>(`[data-chain="${chain.id}"] progress`), status = engine.status(chain.id);
            if (!progress) continue;
            progress.hidden = status.state === "ready" || status.state === "failed";
            progress.value = status.fraction;
            progress.classList.toggle("binding", status.state === "binding");
        }
    };
    store.follow(soon(update));
    engine.listen(soon(update));
    update();
    return h("section", { class: "chains", "aria-label": "Chains and how they are compared" }, list, modes);
}

function tabs(app: App, panels: Panel[]): HTMLElement {
    const strip = h("div", { class: "tabs", role: "tablist", "aria-label": "Panels" }), body = h("div", { class: "panels" });
    const made = panels.map(panel => {
        const tab = h("button", { role: "tab", id: `tab-${panel.id}`, "aria-controls": `panel-${panel.id}`, "aria-selected": "false", tabIndex: -1, onclick: () => choose(panel.id) }, panel.title);
        const box = h("div", { class: "panel", role: "tabpanel", id: `panel-${panel.id}`, "aria-labelledby": `tab-${panel.id}`, tabIndex: 0, hidden: true }, panel.make(app));
        return { panel, tab, box };
    });
    const choose = (id: string, focus = false) => {
        for (const { panel, tab, box } of made) {
            const chosen = panel.id === id;
            tab.setAttribute("aria-selected", String(chosen));
            tab.tabIndex = chosen ? 0 : -1;
            box.hidden = !chosen;
            if (chosen && focus) tab.focus();
        }
        dispatchEvent(new CustomEvent("studio-panel", { detail: id }));
    };
    strip.addEventListener("keydown", event => {
        const at = made.findIndex(({ tab }) => tab.getAttribute("aria-selected") === "true"), by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
        if (by === undefined) return;
        event.preventDefault();
        event.stopPropagation();
        choose(made[(at + by + made.length) % made.length]!.panel.id, true);
    });
    strip.append(...made.map(({ tab }) => tab));
    body.append(...made.map(({ box }) => box));
    choose(panels[0]!.id);
    return h("div", { class: "tabbed" }, strip, body);
}
