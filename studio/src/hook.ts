// window.studio: the page as tests and scripts see it. Plain values, no live objects; README.md lists them.
import type { Clock } from "./clock.ts";
import { type Engine, sentence } from "./engine.ts";
import type { Session } from "./session.ts";
import type { Store } from "./store.ts";
import type { Tools } from "./touch/tools.ts";
import type { View } from "./view.ts";

export interface Studio {
    /** The whole session, a copy. */
    session(): Session;
    /** Another session, as one step that undo takes back. */
    set(session: Session): void;
    /** The character as it was read, and why it could not be. */
    character(): { name: string; points: number; vertices: number; clips: string[]; problem: string | null } | null;
    /** Of each chain: how far it is, its frames, its notes. */
    chains(): { id: number; links: string; state: string; fraction: number; problem: string | null; frames: number; done: number }[];
    /** The hash of a frame of a chain; null while it is not simulated. */
    hash(chain: number, frame: number): string | null;
    measures(chain: number, frame: number): unknown;
    play(): void;
    pause(): void;
    seek(frame: number): void;
    playing(): boolean;
    undo(): string | null;
    redo(): string | null;
    /** Resolves when every chain has all its frames, or failed. */
    settled(): Promise<void>;
    /** Resolves when the tool can be used, the view shows the session as it is, of every chain the frame at the playhead, and the address holds it. Not while it plays. */
    rested(): Promise<void>;
    /** Forgets the chain that was made ready for a press. */
    unready(): void;
    /** What a hand does: the frame that it is at (-1: none), the newtons of each spring that is held, and the hashes of frames that it showed. */
    hand(): { frame: number; newtons: number[]; shown: [number, string][] };
    /** The map under the brush: its name, a value a point, and the milliseconds of every step of every stroke. */
    paint(): { map: string | null; values: number[]; steps: number[] };
    /** Weights of the chosen joint as they are painted now, a number a point, those in the cells of automatic weights where they are shown, and what the doctor says of it. */
    weights(): { values: number[]; cells: number[]; doctor: string };
    /** Points of a frame of a chain, three numbers each; null while it is not simulated. */
    points(chain: number, frame: number): number[] | null;
    /** The pose at the playhead, in degrees and meters by joint, and where each joint is on the page. */
    pose(): { turn: Record<string, number[]>; move: Record<string, number[]>; joints: { name: string; x: number; y: number }[] } | null;
    /** The point of the skin under a pixel of the page; null: none is there, or no tool is chosen. */
    pointAt(x: number, y: number): number | null;
    /** What can be dragged of the world, and where it is on the page: arrows, pushes, muscles, bodies. */
    handles(): { name: string; x: number; y: number }[];
    /** Where a point of the skin is on the screen, in pixels of the page, in the first pane or that of a chain; null: it is not shown. */
    pixel(point: number, chain?: number): { x: number; y: number } | null;
    /** Pictures that stood since the page opened; how many movements of sliders were asked to be seen live, and the last one that was seen; whether what
     * is seen is what the session says, with all pixels of the screen; how long the last picture took, and the longest task of the page's thread, in ms. */
    drawn(): { frames: number; asked: number; answered: number; still: boolean; ms: number; longest: number };
}

const until = async (holds: () => boolean): Promise<void> => {
    while (!holds()) await new Promise(resolve => setTimeout(resolve, 50));
};

export function openStudio(store: Store, engine: Engine, view: View, clock: Clock, { hand, painter, poser, thrower, outside, weigher, ready, pick, strokes }: Tools): void {
    const chains: Studio["chains"] = () => store.now.chains.map(chain => {
        const status = engine.status(chain.id), frames = engine.frames(chain.id);
        return { id: chain.id, links: chain.links.map(link => link.deformer).join(","), ...status, frames: engine.span().count, done: frames?.done ?? 0 };
    });
    // A picture that stands before the frame that is wanted is there shows an older one.
    const current = () => engine.problem !== null || engine.shape !== undefined && engine.current && store.now.chains.every(({ id }) => engine.status(id).state === "failed" || view.frameOf(id, store.now.frame)?.whose === "own");
    const studio: Studio = {
        session: () => structuredClone(store.now),
        set: session => store.do("set by a script", () => session),
        character: () => engine.info ? {
            name: engine.info.name, points: engine.info.points, vertices: engine.info.vertices, clips: engine.info.clips.map(clip => clip.name), problem: engine.problem,
        } : null,
        chains,
        hash: (chain, frame) => engine.frames(chain)?.get(frame)?.hash ?? null,
        measures: (chain, frame) => engine.frames(chain)?.get(frame)?.measures ?? null,
        play: () => clock.play(), pause: () => clock.pause(), seek: frame => clock.seek(frame), playing: () => clock.playing,
        undo: () => store.undo() ?? null, redo: () => store.redo() ?? null,
        async settled() {
            const settled = () => engine.problem !== null || engine.shape !== undefined && engine.current && chains().every(one => one.state === "failed" || one.state === "ready" && one.done > 0);
            await until(settled);
        },
        unready: () => engine.unready(),
        rested: () => until(() => ready() && current() && view.still && !store.unsaved),
        hand: () => ({ frame: Math.max(hand.frame, thrower.frame), newtons: hand.grips.filter(one => one.held).map(one => one.newtons), shown: [...hand.shown] }),
        paint: () => ({ map: painter.map, values: [...(painter.painted ?? [])], steps: [...strokes] }),
        weights: () => ({ values: [...(weigher.column ?? [])], cells: [...(weigher.cellColumn ?? [])], doctor: document.getElementById("weights-doctor")?.textContent ?? "" }),
        points: (chain, frame) => { const found = engine.frames(chain)?.get(frame); return found ? [...found.points] : null; },
        pose: () => {
            const pose = poser.current(), { left, top } = view.canvas.getBoundingClientRect();
            return pose ? { turn: { ...pose.turn }, move: { ...pose.move }, joints: poser.places().map(({ name, x, y }) => ({ name, x: left + x, y: top + y })) } : null;
        },
        handles: () => outside.places(),
        pointAt: (x, y) => { const { left, top } = view.canvas.getBoundingClientRect(); return pick(x - left, y - top)?.point ?? null; },
        pixel: (point, chain) => view.pixel(point, chain ?? view.panes[0]?.chain ?? 0, store.now.frame),
        drawn: () => ({ frames: view.drawn, asked: engine.asked, answered: view.answered, still: view.still, ms: view.painter.ms, longest: view.longest }),
    };
    Object.assign(window, { studio });
    addEventListener("unhandledrejection", event => console.error(sentence(event.reason)));
}
