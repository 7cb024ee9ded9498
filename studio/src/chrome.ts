// Bar, labels and wipe around the view.
import type { Clock } from "./clock.ts";
import { ICONS, byId, h, icon } from "./dom.ts";
import type { Engine } from "./engine.ts";
import { chainById, chainName } from "./session.ts";
import type { Store } from "./store.ts";
import type { View } from "./view.ts";

export function chrome(store: Store, engine: Engine, view: View, clock: Clock): void {
    labels(store, engine, view);
    wipe(store, view);
    byId("bar-in").append(h("button", { class: "outline" }, icon(ICONS.open), "Open"));
    byId("timeline").append(h("button", { class: "square", "aria-label": "Play or pause", onclick: () => clock.toggle() }, icon(ICONS.play)));
}

function labels(store: Store, engine: Engine, view: View): void {
    const box = byId("labels");
    view.onPanes = panes => {
        box.replaceChildren(...panes.map((pane, i) => {
            const chain = chainById(store.now, pane.chain), status = engine.status(pane.chain), shown = view.frameOf(pane.chain, store.now.frame);
            const note = status.state === "failed" ? status.problem ?? "" : status.state === "binding" ? `binding ${Math.round(100 * status.fraction)} %`
                : status.state === "simulating" ? `simulating ${Math.round(100 * status.fraction)} %` : "";
            const label = h("div", { class: `pane-label${panes.length > 1 && i === panes.length - 1 ? " right" : ""}` },
                h("b", {}, chain ? chainName(chain) : ""), h("small", {}, shown?.whose === "base" && note ? `${note}, shown skinned` : note));
            label.style.left = `${pane.left}px`;
            label.style.width = `${pane.width}px`;
            return label;
        }));
    };
}

function wipe(store: Store, view: View): void {
    const bar = byId("wipe"), set = (at: number) => store.do("move the wipe", session => ({ ...session, wipe: Math.max(0, Math.min(1, at)) }), "wipe");
    const place = () => {
        const { compare, wipe: at, chains } = store.now;
        bar.hidden = compare !== "wipe" || chains.length < 2;
        bar.style.left = `${100 * at}%`;
        bar.setAttribute("aria-valuenow", String(Math.round(100 * at)));
    };
    bar.addEventListener("pointerdown", event => bar.setPointerCapture(event.pointerId));
    bar.addEventListener("pointermove", event => {
        if (!bar.hasPointerCapture(event.pointerId)) return;
        const box = view.canvas.getBoundingClientRect();
        set((event.clientX - box.left) / box.width);
    });
    bar.addEventListener("keydown", event => {
        const by = { ArrowLeft: -0.02, ArrowRight: 0.02, PageDown: -0.1, PageUp: 0.1 }[event.key];
        if (by === undefined) return;
        event.preventDefault();
        event.stopPropagation();
        set(store.now.wipe + by);
    });
    store.listen(place);
    place();
}
