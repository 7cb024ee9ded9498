// Skin weights under a brush: a row of joints and shares for each point, that always sums to 1. No document and no worker here.
import { Matrix4, Vector3 } from "three";
import type { Shape } from "../lane.ts";
import { jointFrames, jointPlaces } from "../overlay.ts";
import type { Ground } from "./map.ts";

export type WeightMode = "add" | "subtract" | "set" | "smooth";
export interface Packed {
    begin: Uint32Array;
    joints: Uint32Array;
    values: Float32Array;
}
const TURNED = new Vector3();
const NOTHING = 1e-6; // a share below it is none

export const packedOf = ({ weightBegin: begin, weightJoints: joints, weightValues: values }: Shape): Packed => ({ begin, joints, values });

/** Counts, then the three arrays: what the browser keeps. */
export function weightBytes({ begin, joints, values }: Packed): Uint8Array<ArrayBuffer> {
    const words = new Uint32Array(2 + begin.length + joints.length + values.length);
    words.set([begin.length, joints.length]);
    words.set(begin, 2);
    words.set(joints, 2 + begin.length);
    words.set(new Uint32Array(values.slice().buffer), 2 + begin.length + joints.length);
    return new Uint8Array(words.buffer);
}
export function weightsIn(bytes: Uint8Array): Packed {
    const words = new Uint32Array(bytes.slice().buffer), [rows = 0, count = 0] = words;
    if (words.length !== 2 + rows + 2 * count) throw new Error("the painted weights in this browser's storage are damaged; undo to the file's own");
    return { begin: words.slice(2, 2 + rows), joints: words.slice(2 + rows, 2 + rows + count), values: new Float32Array(words.slice(2 + rows + count).buffer) };
}

/** All rows lie in three arrays, with room in each row for joints to come: a stroke makes nothing that must be collected. */
export class Rows {
    readonly count: number;
    /** Changes with every dab. */
    revision = 0;
    private readonly lengths: Uint32Array;
    private room: number;
    private joints: Uint32Array;
    private values: Float64Array;
    private next = new Float64Array(0);

    /** `heirs` of each joint, nearest first: who takes the rest where a point followed it alone. */
    constructor({ begin, joints, values }: Packed, private readonly heirs: number[][]) {
        this.count = Math.max(0, begin.length - 1);
        this.lengths = new Uint32Array(this.count);
        let most = 0;
        for (let p = 0; p < this.count; ++p) most = Math.max(most, this.lengths[p] = begin[p + 1]! - begin[p]!);
        this.room = most + 2; // one dab adds two at most
        this.joints = new Uint32Array(this.room * this.count);
        this.values = new Float64Array(this.room * this.count);
        for (let p = 0; p < this.count; ++p) for (let i = begin[p]!, to = this.room * p; i < begin[p + 1]!; ++i, ++to) this.joints[to] = joints[i]!, this.values[to] = values[i]!;
    }

    pack(): Packed {
        const begin = new Uint32Array(this.count + 1);
        for (let p = 0; p < this.count; ++p) begin[p + 1] = begin[p]! + this.lengths[p]!;
        const joints = new Uint32Array(begin[this.count]!), values = new Float32Array(begin[this.count]!);
        for (let p = 0, to = 0; p < this.count; ++p) for (let i = this.room * p; to < begin[p + 1]!; ++i, ++to) joints[to] = this.joints[i]!, values[to] = this.values[i]!;
        return { begin, joints, values };
    }

    /** Twice the room in every row. */
    private widen(): void {
        const { room, joints, values } = this, wide = 2 * room;
        this.joints = new Uint32Array(wide * this.count);
        this.values = new Float64Array(wide * this.count);
        for (let p = 0; p < this.count; ++p) {
            this.joints.set(joints.subarray(room * p, room * p + room), wide * p);
            this.values.set(values.subarray(room * p, room * p + room), wide * p);
        }
        this.room = wide;
    }

    of(p: number, joint: number): number {
        for (let i = this.room * p, end = i + this.lengths[p]!; i < end; ++i) if (this.joints[i] === joint) return this.values[i]!;
        return 0;
    }

    /** The joint that moves a point most. */
    strongest(p: number): number {
        let best = this.room * p;
        for (let i = best, end = best + this.lengths[p]!; i < end; ++i) if (this.values[i]! > this.values[best]!) best = i;
        return this.joints[best]!;
    }

    column(joint: number): Float32Array {
        const out = new Float32Array(this.count);
        for (let p = 0; p < this.count; ++p) out[p] = this.of(p, joint);
        return out;
    }

    /** A joint's share becomes a value; the others that are not locked share the rest as they did, or its heir takes it. In place: it runs for every point of every dab. */
    put(p: number, joint: number, value: number, locked: ReadonlySet<number>): void {
        if (locked.has(joint)) return;
        if (this.lengths[p]! + 2 > this.room) this.widen();
        const { joints, values } = this, first = this.room * p;
        let end = first + this.lengths[p]!, held = 0, free = 0, at = -1;
        for (let i = first; i < end; ++i) {
            if (joints[i] === joint) at = i;
            else if (locked.has(joints[i]!)) held += values[i]!;
            else free += values[i]!;
        }
        const heir = free > NOTHING ? -1 : this.heirs[joint]?.find(one => !locked.has(one)) ?? -1, alone = free <= NOTHING && heir < 0, room = Math.max(0, 1 - held);
        const to = alone ? room : Math.max(0, Math.min(room, value)), factor = free > NOTHING ? (room - to) / free : 0;
        for (let i = first; i < end; ++i) if (i === at) values[i] = to; else if (!locked.has(joints[i]!)) values[i]! *= factor;
        if (at < 0) joints[end] = joint, values[end++] = to;
        if (heir >= 0) joints[end] = heir, values[end++] = room - to;
        this.tidy(p, end);
    }

    /** Shares of nothing go, and the sum is 1. */
    private tidy(p: number, end: number): void {
        const { joints, values } = this, first = this.room * p;
        let kept = first, sum = 0;
        for (let i = first; i < end; ++i) if (values[i]! > NOTHING) joints[kept] = joints[i]!, sum += values[kept++] = values[i]!;
        this.lengths[p] = kept - first;
        for (let i = first; i < kept; ++i) values[i]! /= sum;
    }

    /** At most so many joints a point: the largest, and those that are locked before others. Returns how many points had more. */
    prune(most: number, locked: ReadonlySet<number>): number {
        let changed = 0;
        for (let p = 0; p < this.count; ++p) {
            const length = this.lengths[p]!, first = this.room * p;
            if (length <= most) continue;
            ++changed;
            const order = Array.from({ length }, (_, i) => ({ joint: this.joints[first + i]!, value: this.values[first + i]! })).sort((a, b) => Number(locked.has(b.joint)) - Number(locked.has(a.joint)) || b.value - a.value || a.joint - b.joint);
            order.slice(0, most).forEach(({ joint, value }, i) => (this.joints[first + i] = joint, this.values[first + i] = value));
            this.tidy(p, first + most);
        }
        ++this.revision;
        return changed;
    }

    /** One dab on the shares of a joint over a region. */
    dab(mode: WeightMode, points: number[], shares: number[], joint: number, strength: number, value: number, locked: ReadonlySet<number>, ground: Ground): void {
        if (this.next.length < points.length) this.next = new Float64Array(2 * points.length);
        const { next } = this;
        for (let i = 0; i < points.length; ++i) {
            const p = points[i]!, was = this.of(p, joint), by = shares[i]! * strength;
            next[i] = mode === "add" ? was + by : mode === "subtract" ? was - by : was + by * ((mode === "set" ? value : this.mean(p, joint, ground)) - was);
        }
        for (let i = 0; i < points.length; ++i) this.put(points[i]!, joint, next[i]!, locked);
        ++this.revision;
    }

    private mean(p: number, joint: number, { begin, neighbors }: Ground): number {
        let sum = this.of(p, joint);
        for (let i = begin[p]!; i < begin[p + 1]!; ++i) sum += this.of(neighbors[i]!, joint);
        return sum / (begin[p + 1]! - begin[p]! + 1);
    }

    /** Where linear skinning puts a point; `turns` take places at rest to the pose. */
    skin(p: number, rest: Vector3, turns: Matrix4[], out: Vector3): Vector3 {
        out.set(0, 0, 0);
        for (let i = this.room * p, end = i + this.lengths[p]!; i < end; ++i) out.addScaledVector(TURNED.copy(rest).applyMatrix4(turns[this.joints[i]!]!), this.values[i]!);
        return out;
    }
}

/** For each joint in a pose: the map from the bind pose. `inverse` is three rows of four per joint. */
export function skinning(shape: Shape, pose: Float32Array, inverse: Float32Array): Matrix4[] {
    return jointFrames(shape, pose).map((one, i) => {
        const m = inverse.subarray(12 * i, 12 * i + 12);
        return one.clone().multiply(new Matrix4().set(m[0]!, m[1]!, m[2]!, m[3]!, m[4]!, m[5]!, m[6]!, m[7]!, m[8]!, m[9]!, m[10]!, m[11]!, 0, 0, 0, 1));
    });
}

/** Who is next to each joint in the skeleton and moves skin: those above it, nearest first, then its children. */
export function heirsOf({ info: { joints } }: Shape): number[][] {
    return joints.map((_, at) => {
        const above: number[] = [];
        for (let up = joints[at]!.parent; up >= 0; up = joints[up]!.parent) if (joints[up]!.skin) above.push(up);
        return [...above, ...joints.flatMap((one, i) => (one.parent === at && one.skin ? [i] : []))];
    });
}

/** The joint across x at rest: its own index in the middle, -1 if there is none. */
export function jointPartner(shape: Shape, joint: number): number {
    if (joint < 0) return -1;
    const places = jointPlaces(shape, shape.jointRest), to = places[joint]!.clone(), near = 0.02 * shape.info.diagonal;
    to.x = -to.x;
    let best = -1, far = near;
    shape.info.joints.forEach((one, i) => {
        const d = places[i]!.distanceTo(to);
        if (one.skin && (d < far || (d <= far && i === joint))) best = i, far = d;
    });
    return best;
}
