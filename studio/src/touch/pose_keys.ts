// Key poses on the timeline: a diamond each, to go to, to drag, to delete.
import { type App, soon } from "../app.ts";
import { h } from "../dom.ts";
import { LEFT, RIGHT } from "../timeline.ts";
import { type PoseTool, posedClip } from "./pose_tool.ts";

const ROOM = 30; // pixels that a diamond needs

export function poseKeys(app: App, tool: PoseTool): void {
    const { store, engine, clock } = app, row = document.querySelector<HTMLElement>(".track-row"), track = document.getElementById("track");
    if (!row || !track) return;
    const layer = h("div", { class: "pose-keys", role: "group", "aria-label": "Keys of the pose" });
    row.append(layer);
    const whole = () => Math.max(engine.clip()?.seconds ?? 0, engine.span().end + engine.span().hold), wide = () => Math.max(1, track.clientWidth - LEFT - RIGHT);
    const xOf = (time: number) => LEFT + (whole() ? time / whole() * wide() : 0);
    const mark = (at: number) => {
        const one = h("button", { class: "pose-mark", "data-key": String(at) });
        let moved = false, to = 0;
        const time = () => posedClip(store.now, engine.clip()?.name)?.keys[at]?.time ?? 0, go = () => (clock.pause(), clock.seek(Math.round((time() - engine.span().start) * store.now.fps)));
        one.addEventListener("pointerdown", event => {
            one.setPointerCapture(event.pointerId);
            moved = false;
        });
        one.addEventListener("pointermove", event => {
            if (!one.hasPointerCapture(event.pointerId)) return;
            to = (event.clientX - track.getBoundingClientRect().left - LEFT) / wide() * whole();
            moved ||= Math.abs(xOf(to) - xOf(time())) > 3;
            if (moved) one.style.left = `${xOf(Math.max(0, to))}px`;
        });
        one.addEventListener("pointerup", () => (moved ? tool.moveKey(at, to) : go())); // once, when let go: another key is another simulation
        one.addEventListener("keydown", event => {
            const by = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
            if (by !== undefined) tool.moveKey(at, time() + by / store.now.fps, `key ${at}`);
            else if (event.key === "Delete" || event.key === "Backspace") tool.deleteKey(at);
            else if (event.key === "Enter" || event.key === " ") go();
            else return;
            event.preventDefault();
            event.stopPropagation();
        });
        return one;
    };
    const update = () => {
        const keys = posedClip(store.now, engine.clip()?.name)?.keys ?? [];
        layer.hidden = !keys.length;
        if (!keys.length) return void layer.replaceChildren();
        layer.classList.toggle("dense", keys.length * ROOM > wide()); // a throw has a key in every frame
        while (layer.children.length > keys.length) layer.lastElementChild!.remove();
        while (layer.children.length < keys.length) layer.append(mark(layer.children.length));
        keys.forEach(({ time }, i) => {
            const one = layer.children[i] as HTMLElement;
            one.style.left = `${xOf(time)}px`;
            one.setAttribute("aria-label", `Key ${i + 1} at ${time.toFixed(2)} seconds; arrows move it, Delete removes it`);
            one.title = `Key ${i + 1} · ${time.toFixed(2)} s`;
            one.classList.toggle("here", tool.keyAt() === i);
        });
    };
    store.listen(soon(update));
    engine.listen(soon(update));
    new ResizeObserver(soon(update)).observe(track);
    update();
}
