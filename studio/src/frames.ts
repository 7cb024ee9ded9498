// Frames of one chain that were simulated. Those of the last settings stay until new ones take their place, so that something plays.
import type { Drawing, Measures, Player, Remote } from "supple-skin";

/** The waves of a chain's folds, the same in all frames, and their heights in one of them. */
export interface Folds {
    waves: Float32Array;
    heights: Float32Array;
}

export interface Frame {
    /** Three floats a point. */
    points: Float32Array;
    /** Three a stored vertex, 32767 is 1: half of the memory, and more than a screen shows. */
    normals: Int16Array;
    /** Too fine for the points. */
    folds?: Folds;
    hash: string;
    /** Of simulating it. */
    ms: number;
    /** Ten floats a joint, from the parent. */
    pose: Float32Array;
    /** Weights of the file's own morphs, where it has any. */
    morphs?: Float32Array;
    measures?: Measures;
    /** A value a point, by name: "stretch". */
    values?: Record<string, Float32Array>;
    drawings?: Record<string, Drawing>;
    /** Of a frame under a brush: what it was before (not kept for it), the points that moved in each step of the stroke, and how many steps it has seen. */
    stroke?: { from: WeakRef<Frame>; steps: number[][]; at: number };
    /** Why little or nothing of it can be seen. */
    unseen?: string;
    /** Of a frame under a slider that is dragged: which of its movements it is made with. */
    answers?: number;
}

export class Frames {
    private fresh: (Frame | undefined)[] = [];
    private stale: (Frame | undefined)[] = [];
    /** Changes whenever a frame is added or removed; curves and bars redraw with it. */
    revision = 0;

    /** Starts over with that many frames; the old ones become stale, or are dropped if the character is another one. */
    restart(count: number, keepStale: boolean): void {
        this.stale = keepStale ? Array.from({ length: count }, (_, i) => this.fresh[i] ?? this.stale[i]) : [];
        this.fresh = Array.from({ length: count });
        ++this.revision;
    }

    get count(): number { return this.fresh.length; }
    get done(): number { return this.fresh.reduce((sum, frame) => sum + (frame ? 1 : 0), 0); }
    get(at: number): Frame | undefined { return this.fresh[at]; }
    /** The frame, or an older result for it. */
    any(at: number): Frame | undefined { return this.fresh[at] ?? this.stale[at]; }

    put(at: number, frame: Frame): void {
        this.fresh[at] = frame;
        this.stale[at] = undefined;
        ++this.revision;
    }

    drop(at: number): void {
        if (!this.fresh[at] && !this.stale[at]) return;
        this.fresh[at] = this.stale[at] = undefined;
        ++this.revision;
    }
}

const TINY = 1e-4; // diagonals: what is smaller is a dot on the screen
const VAST = 1e3;  // what is larger is far beyond the camera

/** Puts points that are not finite at rest, as the bake does, so that the others can be seen. Returns why little can be seen, if so. */
export function seen(points: Float32Array, rest: Float32Array, diagonal: number): string | undefined {
    let lost = 0;
    const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
    for (let i = 0; i < points.length; i += 3) {
        if (!Number.isFinite(points[i]! + points[i + 1]! + points[i + 2]!)) {
            points.set(rest.subarray(i, i + 3), i);
            ++lost;
        }
        for (let k = 0; k < 3; ++k) {
            const at = points[i + k]!;
            if (at < low[k]!) low[k] = at;
            if (at > high[k]!) high[k] = at;
        }
    }
    if (lost) return `${lost} of ${points.length / 3} points are not finite in this frame and are shown at rest: a joint's transform or a value of the chain is too large`;
    const size = Math.hypot(...high.map((one, k) => one - low[k]!));
    if (size > VAST * diagonal) return "in this frame the motion stretches the skin beyond all view: look at the scales and places of its joints";
    if (size < TINY * diagonal) return "in this frame the motion shrinks the whole skin to a point: look at the scale of the root";
    return undefined;
}

const waves = new WeakMap<Remote<Player>, Promise<Float32Array>>();

/** How to shade the frame that a player evaluated last. */
export async function shaded(player: Remote<Player>, vertices: number): Promise<Pick<Frame, "normals" | "folds">> {
    const [normals, heights] = await Promise.all([player.normals(vertices), player.rippleHeights()]), packed = packNormals(normals);
    if (!heights.length) return { normals: packed };
    if (!waves.has(player)) waves.set(player, player.ripples());
    return { normals: packed, folds: { waves: await waves.get(player)!, heights } };
}

function packNormals(normals: Float32Array): Int16Array {
    const packed = new Int16Array(normals.length);
    for (let i = 0; i < normals.length; ++i) packed[i] = normals[i]! * 32767;
    return packed;
}
