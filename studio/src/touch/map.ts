// Values a point under a brush: what a dab does to them, and who is next to whom. No document and no worker here.
import type { Frame } from "../frames.ts";
import type { Shape } from "../lane.ts";
import { type MirrorBy, partnersByPlace, partnersByTopology } from "./mirror.ts";

export type Mode = "add" | "subtract" | "set" | "blur";
export type Mask = "none" | "angle" | "piece" | "joint";
export interface Dab {
    mode: Mode;
    /** In the units of the file, around this place of the skin as it is shown. */
    center: [number, number, number];
    radius: number;
    /** 0 to 1: of a dab at its middle. */
    strength: number;
    /** What "set" goes to. */
    value: number;
    mask: Mask;
    /** The direction that the skin faces there, its point, and the joint that masks: by "angle", "piece", "joint". */
    normal: [number, number, number];
    point: number;
    weights: Float32Array | undefined;
}
const FACING = 0.5; // the cosine of 60 degrees: skin that turns away more is not painted under the mask "angle"

/** Neighbors of points, their pieces, and their partners across x: computed once per character. */
export class Ground {
    readonly begin: Uint32Array;
    readonly neighbors: Uint32Array;
    readonly piece: Uint32Array;
    private readonly found: Partial<Record<MirrorBy, Int32Array>> = {};
    /** How partners are found. */
    mirrorBy: MirrorBy = "place";
    private readonly vertexOf: Uint32Array;

    constructor(private readonly shape: Shape) {
        const { faceBegin, cornerVertices, vertexPoints, info } = shape, count = info.points, edges = new Float64Array(2 * cornerVertices.length);
        let made = 0;
        for (let face = 0; face < info.faces; ++face) {
            const first = faceBegin[face]!, last = faceBegin[face + 1]!;
            for (let i = first; i < last; ++i) {
                const a = vertexPoints[cornerVertices[i]!]!, b = vertexPoints[cornerVertices[i + 1 < last ? i + 1 : first]!]!;
                if (a !== b) edges[made++] = a * count + b, edges[made++] = b * count + a;
            }
        }
        // Each pair once, in the order of the first: a number for both, which a double holds for any mesh that a page can draw.
        const sorted = edges.subarray(0, made).sort(), once = sorted.filter((edge, i) => !i || edge !== sorted[i - 1]);
        this.begin = new Uint32Array(count + 1);
        this.neighbors = Uint32Array.from(once, edge => edge % count);
        for (const edge of once) ++this.begin[Math.floor(edge / count) + 1]!;
        for (let i = 0; i < count; ++i) this.begin[i + 1]! += this.begin[i]!;
        this.piece = this.pieces(count);
        this.vertexOf = new Uint32Array(count);
        for (let v = vertexPoints.length - 1; v >= 0; --v) this.vertexOf[vertexPoints[v]!] = v;
    }

    /** Of each point across x, -1: none; worked out when it is first asked for. */
    get partner(): Int32Array {
        const places = (this.found.place ??= partnersByPlace(this.shape));
        return this.mirrorBy === "place" ? places : (this.found.topology ??= partnersByTopology(this.shape, places));
    }
    /** Points that have a partner: a share of all. */
    get symmetric(): number { return this.partner.reduce((sum, one) => sum + (one >= 0 ? 1 : 0), 0) / Math.max(1, this.partner.length); }

    private pieces(count: number): Uint32Array {
        const piece = new Uint32Array(count).fill(0xffffffff), stack: number[] = [];
        for (let from = 0, number = 0; from < count; ++from) {
            if (piece[from] !== 0xffffffff) continue;
            piece[from] = number;
            for (stack.push(from); stack.length;) {
                const p = stack.pop()!;
                for (let i = this.begin[p]!; i < this.begin[p + 1]!; ++i) if (piece[this.neighbors[i]!] === 0xffffffff) piece[this.neighbors[i]!] = number, stack.push(this.neighbors[i]!);
            }
            ++number;
        }
        return piece;
    }

    /** How much of a dab reaches each point: fades as (1 - d² / r²)² and obeys the mask. */
    private reach(frame: Frame, dab: Dab): [number, number][] {
        const { points, normals } = frame, [x, y, z] = dab.center, r2 = dab.radius * dab.radius, out: [number, number][] = [], [nx, ny, nz] = dab.normal;
        for (let i = 0, n = this.begin.length - 1; i < n; ++i) {
            const inside = 1 - ((points[3 * i]! - x) ** 2 + (points[3 * i + 1]! - y) ** 2 + (points[3 * i + 2]! - z) ** 2) / r2;
            if (!(inside > 0)) continue;
            if (dab.mask === "piece" && this.piece[i] !== this.piece[dab.point]) continue;
            const v = 3 * this.vertexOf[i]!;
            if (dab.mask === "angle" && (normals[v]! * nx + normals[v + 1]! * ny + normals[v + 2]! * nz) / 32767 < FACING) continue;
            const share = inside * inside * (dab.mask === "joint" ? dab.weights?.[i] ?? 1 : 1);
            if (share > 0) out.push([i, share]);
        }
        return out;
    }

    /** One dab on the values, and on their partners where `mirror` says so. */
    dab(values: Float32Array, frame: Frame, dab: Dab, mirror: boolean): void {
        const reached = this.reach(frame, dab), now = dab.mode === "blur" ? reached.map(([p]) => this.mean(values, p)) : undefined;
        const next = reached.map(([p, share], i) => {
            const was = values[p]!, by = share * dab.strength;
            const is = dab.mode === "add" ? was + by : dab.mode === "subtract" ? was - by : was + by * ((now ? now[i]! : dab.value) - was);
            return Math.max(0, Math.min(1, is));
        });
        reached.forEach(([p], i) => {
            values[p] = next[i]!;
            const other = mirror ? this.partner[p]! : -1;
            if (other >= 0) values[other] = next[i]!;
        });
    }

    private mean(values: Float32Array, p: number): number {
        const first = this.begin[p]!, last = this.begin[p + 1]!;
        let sum = values[p]!;
        for (let i = first; i < last; ++i) sum += values[this.neighbors[i]!]!;
        return sum / (last - first + 1);
    }

    /** All points that `share` reaches go to the value by so much. */
    fill(values: Float32Array, value: number, share: (point: number) => number): void {
        for (let i = 0; i < values.length; ++i) {
            const by = share(i);
            if (by > 0) values[i] = Math.max(0, Math.min(1, values[i]! + by * (value - values[i]!)));
        }
    }
}

const grounds = new WeakMap<Shape, Ground>();
export function groundOf(shape: Shape): Ground {
    let found = grounds.get(shape);
    if (!found) grounds.set(shape, (found = new Ground(shape)));
    return found;
}

/** How much a joint moves each point. */
export function weightsOf({ info, weightBegin, weightJoints, weightValues }: Shape, joint: string): Float32Array {
    const at = info.joints.findIndex(one => one.name === joint), out = new Float32Array(info.points);
    for (let p = 0; p < info.points; ++p) for (let i = weightBegin[p]!; i < weightBegin[p + 1]!; ++i) if (weightJoints[i] === at) out[p] = out[p]! + weightValues[i]!;
    return out;
}

/** A map as text: one number a point. Four digits are a ten-thousandth, finer than any hand. */
export const mapText = (values: Float32Array): string => `${Array.from(values, value => Number(value.toFixed(4))).join("\n")}\n`;
