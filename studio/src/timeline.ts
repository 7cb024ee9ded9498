// The timeline: transport, frame and hash, the track with what is simulated, in and out, and curves of what was measured.
import uPlot from "uplot";
import { type App, CHAIN_COLORS, chainColor, isCommand, soon, styleColor } from "./app.ts";
import { ICONS, byId, h, icon } from "./dom.ts";
import type { Frame } from "./frames.ts";
import { chainName } from "./session.ts";

export const LEFT = 58, RIGHT = 18; // pixels around the track, the same for track and curves
const BAR = 3, BAR_GAP = 2, RULER = 22;
const RATES = [24, 30, 60], SPEEDS = [0.1, 0.25, 0.5, 1, 2];

interface Curve {
    name: string;
    unit: string;
    help: string;
    of(frame: Frame): number | null;
    /** Which end is the worst. */
    worst(values: number[]): number;
}
const FLAT = 0.05; // a curve that changes by less than this share of its height is drawn as nearly flat as it is
const LEAST = 0.05; // of the axis, in the curve's unit: less is noise
function spread(low: number, high: number): [number, number] {
    const room = Math.max(high - low, FLAT * Math.max(Math.abs(low), Math.abs(high)), LEAST), middle = (low + high) / 2;
    return [middle - 0.6 * room, middle + 0.6 * room];
}
/** Canvases made meanwhile stay with the processor. A few lines are drawn there at once; where graphics are slow, the page's thread would wait for them. */
function inSoftware<T>(make: () => T): T {
    const { prototype } = HTMLCanvasElement, whole = prototype.getContext;
    prototype.getContext = function (this: HTMLCanvasElement, kind: string, options: object) { return whole.call(this, kind, { ...options, willReadFrequently: true }); } as typeof whole;
    try {
        return make();
    } finally {
        prototype.getContext = whole;
    }
}
const most = (values: number[]) => values.indexOf(Math.max(...values));
const CURVES: Record<string, Curve> = {
    volume: { name: "Volume", unit: "%", help: "Volume against the rest shape", of: ({ measures }) => measures && measures.volume_rest ? 100 * (measures.volume / measures.volume_rest - 1) : null, worst: values => most(values.map(Math.abs)) },
    crossings: { name: "Crossings", unit: "", help: "Pairs of triangles that pass through each other", of: ({ measures }) => measures?.crossings ?? null, worst: most },
    stretch: { name: "Stretch", unit: "×", help: "The edge that changed most, against its rest length", of: ({ measures }) => measures?.stretch ?? null, worst: most },
    roughness: { name: "Roughness", unit: "", help: "Change of curvature against the rest shape", of: ({ measures }) => measures?.roughness ?? null, worst: most },
    ms: { name: "Time", unit: "ms", help: "Of simulating each frame, on this machine", of: ({ ms }) => ms, worst: most },
};
export type CurveName = keyof typeof CURVES;

export function timeline(app: App): void {
    const { store, engine, clock } = app, root = byId("timeline");
    // ---- transport
    const button = (label: string, path: string, run: () => void, more = {}) => h("button", { class: "square", "aria-label": label, title: label, onclick: run, ...more }, icon(path));
    const play = button("Play (Space)", ICONS.play, () => clock.toggle(), { id: "play" });
    const at = h("output", { class: "time-at" }), hash = h("button", { class: "hash small", title: "Copy the hash of this frame: the one that 'supple bake --hashes' prints", onclick: copyHash }, "");
    const rate = h("select", { "aria-label": "Frames a second", onchange: () => store.do("frame rate", session => ({ ...session, fps: Number(rate.value), frame: Math.floor(session.frame / session.fps * Number(rate.value)) })) },
        RATES.map(fps => h("option", { value: String(fps) }, `${fps} fps`)));
    const speed = h("select", { "aria-label": "Speed", onchange: () => store.do("speed", session => ({ ...session, speed: Number(speed.value) })) }, SPEEDS.map(one => h("option", { value: String(one) }, `${one}×`)));
    const toggle = (label: string, title: string, is: () => boolean, flip: () => void) => {
        const one = h("button", { class: "small", "aria-pressed": "false", title, onclick: flip }, label);
        return { one, update: () => one.setAttribute("aria-pressed", String(is())) };
    };
    const repeat = toggle("Repeat", "Play again from the start", () => store.now.repeat, () => store.do("repeat", session => ({ ...session, repeat: !session.repeat })));
    const cycle = toggle("Cycle", "The clip is a cycle: its end flows into its start, as 'bake --loop' takes it", () => store.now.cycle, () => store.do("cycle", session => ({ ...session, cycle: !session.cycle, frame: 0 })));
    const chooser = h("select", { "aria-label": "Curve", onchange: () => store.do("curve", session => ({ ...session, curve: chooser.value })) },
        h("option", { value: "" }, "No curve"), Object.entries(CURVES).map(([key, curve]) => h("option", { value: key }, curve.name)));
    const worst = h("button", { class: "small", title: "Go to the frame where the curve is worst (W)", onclick: toWorst }, "Worst frame");
    const transport = h("div", { class: "transport" },
        h("div", { class: "group" }, button("First frame (Home)", ICONS.first, () => clock.seek(0)), button("Frame back (Left)", ICONS.back, () => clock.step(-1)), play, button("Frame on (Right)", ICONS.next, () => clock.step(1))),
        at, hash, h("span", { class: "grow" }), h("div", { class: "group wide" }, chooser, worst), h("div", { class: "group" }, repeat.one, h("span", { class: "wide" }, cycle.one), rate, speed));
    // ---- track
    const canvas = h("canvas", { class: "track-canvas", "aria-hidden": "true" }), head = h("div", { class: "playhead" });
    const track = h("div", { class: "track", id: "track", role: "slider", tabIndex: 0, "aria-label": "Playhead", "aria-valuemin": "0" }, canvas, head);
    const handle = (side: "in" | "out") => h("div", { class: `span-handle ${side}`, role: "slider", tabIndex: 0, "aria-label": side === "in" ? "First second that is played and baked" : "Last second that is played and baked", title: side === "in" ? "In (I)" : "Out (O)" });
    const handles = { in: handle("in"), out: handle("out") };
    const single = h("p", { class: "about", hidden: true }, "One frame: there is no curve to draw. Drop a motion (.bvh), or pose it (J)."), curve = h("div", { class: "curve", role: "img", "aria-label": "Curve of what was measured" }, single);
    root.append(transport, h("div", { class: "track-row" }, track, handles.in, handles.out), curve);

    function copyHash(): void {
        const text = hash.dataset["hash"];
        if (text) void navigator.clipboard?.writeText(text).then(() => app.say(`Copied ${text}.`), () => app.say(text));
    }
    function toWorst(): void {
        const which = CURVES[store.now.curve];
        const frames = engine.frames(store.now.active);
        if (!which || !frames) return;
        const known = Array.from({ length: frames.count }, (_, i) => ({ i, value: frames.get(i) ? which.of(frames.get(i)!) : null })).filter((one): one is { i: number; value: number } => one.value !== null);
        if (!known.length) return app.say("Nothing was measured yet: it comes when the frames are simulated.");
        clock.pause();
        clock.seek(known[which.worst(known.map(one => one.value))]!.i);
    }
    addEventListener("keydown", event => {
        if (event.key === "w" && isCommand(event)) toWorst();
    });

    // ---- the whole clip is on the track; in and out are within it
    const seconds = () => engine.clip()?.seconds ?? 0;
    // ... and behind the out point the pose that is held
    const whole = () => Math.max(seconds(), engine.span().end + engine.span().hold);
    const room = { width: 0, height: 0 }; // of the track; asked of the page in every frame, it would lay itself out for the answer
    const width = () => Math.max(1, room.width - LEFT - RIGHT);
    const xOf = (time: number) => LEFT + (whole() ? time / whole() * width() : 0);
    const timeOf = (x: number) => (x - LEFT) / width() * whole();
    const frameAt = (x: number) => Math.round((timeOf(x) - engine.span().start) * store.now.fps);

    track.addEventListener("pointerdown", event => {
        track.setPointerCapture(event.pointerId);
        clock.held = true;
        clock.seek(frameAt(event.clientX - track.getBoundingClientRect().left));
    });
    track.addEventListener("pointermove", event => {
        if (track.hasPointerCapture(event.pointerId)) clock.seek(frameAt(event.clientX - track.getBoundingClientRect().left));
    });
    for (const end of ["pointerup", "pointercancel"]) track.addEventListener(end, () => (clock.held = false));
    track.addEventListener("keydown", event => {
        const by = { ArrowLeft: -1, ArrowRight: 1, PageUp: 10, PageDown: -10 }[event.key];
        if (by !== undefined) clock.step(by);
        else if (event.key === "Home") clock.seek(0);
        else if (event.key === "End") clock.seek(engine.span().count - 1);
        else return;
        event.preventDefault();
        event.stopPropagation();
    });
    const setSpan = (side: "in" | "out", time: number) => {
        const { start, end } = engine.span(), { fps } = store.now, snapped = Math.round(time * fps) / fps;
        if (side === "in") store.do("in point", session => ({ ...session, start: snapped <= 0 ? null : Math.min(snapped, end - 1 / fps), frame: 0 }), "in");
        else store.do("out point", session => ({ ...session, end: snapped >= seconds() - 1e-6 ? null : Math.max(snapped, start + 1 / fps) }), "out");
    };
    for (const side of ["in", "out"] as const) {
        const one = handles[side];
        let to = NaN;
        one.addEventListener("pointerdown", event => one.setPointerCapture(event.pointerId));
        one.addEventListener("pointermove", event => {
            if (!one.hasPointerCapture(event.pointerId)) return;
            to = timeOf(event.clientX - track.getBoundingClientRect().left);
            one.style.left = `${xOf(Math.max(0, Math.min(seconds(), to)))}px`;
        });
        one.addEventListener("pointerup", () => {
            if (!Number.isNaN(to)) setSpan(side, to); // once, when let go: a new start is a new simulation
            to = NaN;
        });
        one.addEventListener("keydown", event => {
            const by = { ArrowLeft: -1, ArrowRight: 1, PageDown: -10, PageUp: 10 }[event.key];
            if (by === undefined) return;
            event.preventDefault();
            event.stopPropagation();
            setSpan(side, engine.span()[side === "in" ? "start" : "end"] + by / store.now.fps);
        });
    }
    addEventListener("keydown", event => {
        if (!isCommand(event)) return;
        const { start } = engine.span(), now = start + store.now.frame / store.now.fps;
        if (event.key === "i") setSpan("in", now);
        if (event.key === "o") setSpan("out", now);
    });

    // ---- drawing
    let chart: uPlot | undefined, chartKey = "";
    const drawCurve = () => {
        const which = CURVES[store.now.curve];
        curve.hidden = !which;
        worst.disabled = !which;
        if (!which || !room.width) return;
        const { start, count } = engine.span(), { fps, chains } = store.now;
        single.hidden = count > 1;
        if (count < 2) {
            chart?.destroy();
            chart = undefined;
            return;
        }
        const x = Array.from({ length: count }, (_, i) => start + i / fps);
        const rows = chains.map(chain => {
            const frames = engine.frames(chain.id);
            return x.map((_, i) => {
                const frame = frames?.get(i);
                return frame ? which.of(frame) : null;
            });
        });
        const theme = document.documentElement.dataset["theme"] ?? "", key = JSON.stringify([store.now.curve, chains.map(one => [one.id, chainName(one)]), theme, room.width]);
        if (!chart || key !== chartKey) {
            chart?.destroy();
            chartKey = key;
            const line = styleColor("--line"), soft = styleColor("--soft"), font = `11px "Inter Variable", system-ui, sans-serif`;
            chart = inSoftware(() => new uPlot({
                width: room.width, height: 92, padding: [8, RIGHT, 8, 0], legend: { show: false }, cursor: { y: false, points: { show: false }, drag: { x: false, y: false } },
                scales: { x: { time: false, range: () => [0, Math.max(whole(), 1e-3)] }, y: { range: (_, low, high) => (low === null || high === null ? [0, 1] : spread(low, high)) } },
                axes: [{ show: false }, { size: LEFT, stroke: soft, font, grid: { stroke: line, width: 1 }, ticks: { show: false }, space: 26, values: (_self, values, _axis, _space, step) => values.map(value => `${value.toFixed(Math.max(0, Math.min(4, Math.ceil(-Math.log10(step)))))}${which.unit && ` ${which.unit}`}`) }],
                series: [{}, ...chains.map((chain, i) => ({ label: chainName(chain), stroke: chainColor(i), width: 1.6, spanGaps: true, points: { show: false } }))],
                hooks: { ready: [(self: uPlot) => self.over.addEventListener("click", event => clock.seek(frameAt(event.clientX - track.getBoundingClientRect().left)))] },
            }, [x, ...rows] as uPlot.AlignedData, curve));
        } else chart.setData([x, ...rows] as uPlot.AlignedData);
    };
    const drawTrack = () => {
        const ratio = Math.min(devicePixelRatio, 2), { width: w, height: hgt } = room;
        if (!w || !hgt) return;
        if (canvas.width !== Math.round(w * ratio) || canvas.height !== Math.round(hgt * ratio)) canvas.width = Math.round(w * ratio), canvas.height = Math.round(hgt * ratio);
        const context = canvas.getContext("2d", { willReadFrequently: true })!, { start, end: out, hold, count } = engine.span(), { fps, chains } = store.now, end = out + hold;
        context.setTransform(ratio, 0, 0, ratio, 0, 0);
        context.clearRect(0, 0, w, hgt);
        // Ruler: a tick a frame where there is room, numbers where there is more.
        const total = Math.round(whole() * fps), step = width() / Math.max(1, total), every = [1, 5, 10, 30, 60, 150, 300, 600, 1800].find(one => one * step >= 46) ?? 6000;
        context.font = `10.5px "Inter Variable", system-ui, sans-serif`;
        context.textAlign = "center";
        for (let i = 0; i <= total; ++i) {
            const big = i % every === 0;
            if (!big && step < 4) continue;
            const x = Math.round(LEFT + i * step) + 0.5, inside = i / fps >= start - 1e-6 && i / fps <= end + 1e-6;
            context.strokeStyle = styleColorOf(inside ? "--line-strong" : "--line");
            context.beginPath();
            context.moveTo(x, big ? RULER - 7 : RULER - 4);
            context.lineTo(x, RULER);
            context.stroke();
            if (big) {
                context.fillStyle = styleColorOf(inside ? "--soft" : "--faint");
                context.fillText(String(i - Math.round(start * fps)), x, RULER - 10);
            }
        }
        // What is simulated: a bar a chain, faint where it is of older settings.
        chains.forEach((chain, row) => {
            const frames = engine.frames(chain.id), y = RULER + 6 + row * (BAR + BAR_GAP), cell = width() / Math.max(whole(), 1e-6) / fps;
            context.fillStyle = styleColorOf("--line");
            context.fillRect(xOf(start), y, Math.max(2, xOf(end) - xOf(start)), BAR);
            if (!frames) return;
            const color = chainColor(row);
            for (let i = 0; i < count; ++i) {
                const fresh = frames.get(i), any = fresh ?? frames.any(i);
                if (!any) continue;
                context.globalAlpha = fresh ? 1 : 0.35;
                context.fillStyle = color;
                const from = Math.min(xOf(start + i / fps), xOf(end) - 1), to = Math.min(xOf(end), from + cell + 0.4);
                context.fillRect(from, y, Math.max(1, to - from), BAR);
            }
            context.globalAlpha = 1;
        });
        handles.in.style.left = `${xOf(start)}px`;
        handles.out.style.left = `${xOf(out)}px`;
    };
    const colors = new Map<string, string>();
    const styleColorOf = (name: string) => colors.get(name) ?? (colors.set(name, styleColor(name)), colors.get(name)!);
    const update = () => {
        const { fps, frame, speed: now, curve: which, active } = store.now, { start, count } = engine.span();
        play.replaceChildren(icon(clock.playing ? ICONS.pause : ICONS.play));
        play.setAttribute("aria-label", clock.playing ? "Pause (Space)" : "Play (Space)");
        rate.value = String(fps);
        if (rate.value !== String(fps)) rate.append(h("option", { value: String(fps) }, `${fps} fps`)), rate.value = String(fps);
        speed.value = String(now);
        chooser.value = which;
        repeat.update();
        cycle.update();
        const time = start + frame / fps, fresh = engine.frames(active)?.get(frame);
        at.replaceChildren(h("b", {}, String(frame)), ` / ${count - 1}`, h("span", {}, `${time.toFixed(3)} s`));
        hash.textContent = fresh ? fresh.hash : engine.status(active).state === "failed" ? "no frames" : "not simulated yet";
        hash.disabled = !fresh;
        hash.dataset["hash"] = fresh?.hash ?? "";
        head.style.transform = `translateX(${xOf(time)}px)`;
        track.setAttribute("aria-valuenow", String(frame));
        track.setAttribute("aria-valuemax", String(count - 1));
        track.setAttribute("aria-valuetext", `frame ${frame} of ${count - 1}, ${time.toFixed(2)} seconds`);
        handles.in.setAttribute("aria-valuenow", start.toFixed(2));
        handles.out.setAttribute("aria-valuenow", engine.span().end.toFixed(2));
    };
    const drawAll = soon(() => {
        colors.clear();
        drawTrack();
        update();
    });
    let lastCurve = 0;
    const curveSoon = () => {
        const wait = Math.max(0, 250 - (performance.now() - lastCurve)); // four times a second is live enough for a curve
        clearTimeout(curveTimer);
        curveTimer = setTimeout(() => {
            lastCurve = performance.now();
            drawCurve();
        }, wait) as unknown as number;
    };
    let curveTimer = 0;
    clock.listen(soon(update));
    engine.listen(() => {
        drawAll();
        curveSoon();
    });
    store.listen((now, before) => {
        if (now.frame !== before.frame && now.chains === before.chains && now.show === before.show) return;
        drawAll();
        curveSoon();
    });
    new ResizeObserver(() => {
        Object.assign(room, { width: track.clientWidth, height: track.clientHeight }); // laid out by now
        drawAll();
        curveSoon();
    }).observe(track);
    new MutationObserver(() => {
        drawAll();
        curveSoon();
    }).observe(document.documentElement, { attributeFilter: ["data-theme"] });
    root.style.setProperty("--bars", String(CHAIN_COLORS.length * (BAR + BAR_GAP)));
    drawAll();
}
