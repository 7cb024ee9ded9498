// The posed skin under a sculpting brush: what is in reach, how far each brush moves it, the other side of the body, and normals of what moved. No
// document and no worker here.
import { Quaternion, Vector3 } from "three";
import type { Frame } from "../frames.ts";
import type { Shape } from "../lane.ts";
import { jointTurns } from "../overlay.ts";
import { surfaceOf } from "../skin.ts";
import { type Ground, groundOf } from "./map.ts";

export type Stroke = "grab" | "smooth" | "inflate" | "deflate";
const INFLATE = 0.06; // of the radius, that one dab of full strength lifts the middle

/** Points and how much of the brush reaches each. */
export interface Region {
    points: number[];
    shares: number[];
}
interface Lists {
    begin: Uint32Array;
    of: Uint32Array;
}

/** For each of `count` keys the places where it stands in `keys`. */
function lists(keys: ArrayLike<number>, count: number, place: (at: number) => number): Lists {
    const begin = new Uint32Array(count + 1), of = new Uint32Array(keys.length);
    for (let i = 0; i < keys.length; ++i) ++begin[keys[i]! + 1]!;
    for (let i = 0; i < count; ++i) begin[i + 1]! += begin[i]!;
    const at = begin.slice(0, count);
    for (let i = 0; i < keys.length; ++i) of[at[keys[i]!]!++] = place(i);
    return { begin, of };
}

/** What a brush needs of a mesh besides its neighbors: computed once per character. */
class Facets {
    readonly corners: Uint32Array;
    /** Triangles and stored vertices of each point. */
    readonly triangles: Lists;
    readonly vertices: Lists;

    constructor({ info, vertexPoints }: Shape, triangles: Uint32Array) {
        this.corners = triangles.map(vertex => vertexPoints[vertex]!);
        this.triangles = lists(this.corners, info.points, i => Math.floor(i / 3));
        this.vertices = lists(vertexPoints, info.points, i => i);
    }

    /** The direction that the skin faces at a point; as long as twice the area around it. */
    normal(points: Float32Array, p: number, out: Vector3): Vector3 {
        out.set(0, 0, 0);
        for (let i = this.triangles.begin[p]!; i < this.triangles.begin[p + 1]!; ++i) {
            const t = 3 * this.triangles.of[i]!, a = 3 * this.corners[t]!, b = 3 * this.corners[t + 1]!, c = 3 * this.corners[t + 2]!;
            const ux = points[b]! - points[a]!, uy = points[b + 1]! - points[a + 1]!, uz = points[b + 2]! - points[a + 2]!;
            const vx = points[c]! - points[a]!, vy = points[c + 1]! - points[a + 1]!, vz = points[c + 2]! - points[a + 2]!;
            out.x += uy * vz - uz * vy, out.y += uz * vx - ux * vz, out.z += ux * vy - uy * vx;
        }
        return out;
    }
}
const known = new WeakMap<Shape, Facets>();
function facetsOf(shape: Shape): Facets {
    let found = known.get(shape);
    if (!found) known.set(shape, (found = new Facets(shape, surfaceOf(shape).triangles)));
    return found;
}

/** One frame of a skin, as a hand changes it. */
export class Clay {
    readonly points: Float32Array;
    private readonly from: WeakRef<Frame>;
    private readonly normals: Int16Array;
    private readonly facets: Facets;
    private readonly ground: Ground;
    /** Points that were moved. */
    readonly touched = new Set<number>();
    private readonly stamp: Uint32Array;
    private stamped = 0;
    private turned: Quaternion[] | undefined;
    /** What does not change while a stroke goes on, of points that it has met: how the skin faced, and how it is turned against its rest. */
    private readonly faced: Float32Array;
    private readonly isFaced: Uint8Array;
    private readonly turnOf = new Map<number, Quaternion>();
    /** Points that moved in each step. */
    private readonly steps: number[][] = [];

    constructor(private readonly shape: Shape, private readonly before: Frame) {
        this.from = new WeakRef(before);
        this.points = before.points.slice();
        this.normals = before.normals.slice();
        this.facets = facetsOf(shape);
        this.ground = groundOf(shape);
        this.stamp = new Uint32Array(shape.info.points);
        this.faced = new Float32Array(3 * shape.info.points);
        this.isFaced = new Uint8Array(shape.info.points);
    }

    /** The current shape; a new object for every change, so that it is drawn. */
    frame(): Frame {
        const { measures: _, values: __, drawings: ___, stroke: ____, ...rest } = this.before;
        return { ...rest, points: this.points, normals: this.normals, hash: "", stroke: { from: this.from, steps: this.steps, at: this.steps.length } };
    }

    private place(p: number, out: Vector3): Vector3 { return out.fromArray(this.points, 3 * p); }

    /** What hangs together with a point within a ball: another limb that is near is spared. Fades as (1 - d² / r²)². */
    region(center: Vector3, radius: number, from: number): Region {
        const points: number[] = [], shares: number[] = [], stack = [from], { begin, neighbors } = this.ground, mark = ++this.stamped, p = new Vector3(), r2 = radius * radius;
        this.stamp[from] = mark;
        while (stack.length) {
            const at = stack.pop()!, inside = 1 - this.place(at, p).distanceToSquared(center) / r2;
            if (inside <= 0 && at !== from) continue;
            points.push(at);
            shares.push(inside > 0 ? inside * inside : 0);
            for (let i = begin[at]!; i < begin[at + 1]!; ++i) {
                const next = neighbors[i]!;
                if (this.stamp[next] !== mark) this.stamp[next] = mark, stack.push(next);
            }
        }
        if (points.length === 1) shares[0] = 1; // a brush finer than the mesh has the nearest point
        return { points, shares };
    }

    /** How far a dab of a brush moves each point of a region, three floats each. */
    dab(kind: Exclude<Stroke, "grab">, region: Region, radius: number, strength: number): Float32Array {
        const by = new Float32Array(3 * region.points.length), way = new Vector3();
        region.points.forEach((p, i) => {
            const share = region.shares[i]! * strength;
            if (kind === "smooth") this.toMean(p, way).multiplyScalar(share);
            else this.facets.normal(this.points, p, way).normalize().multiplyScalar(share * radius * (kind === "inflate" ? INFLATE : -INFLATE));
            way.toArray(by, 3 * i);
        });
        return by;
    }

    private toMean(p: number, out: Vector3): Vector3 {
        const { begin, neighbors } = this.ground, first = begin[p]!, last = begin[p + 1]!, one = new Vector3();
        out.set(0, 0, 0);
        for (let i = first; i < last; ++i) out.add(this.place(neighbors[i]!, one));
        return last > first ? out.divideScalar(last - first).sub(this.place(p, one)) : out;
    }

    /** A region as it stood, moved as a whole by so much of a way as the brush reaches each point. */
    static pull(region: Region, way: Vector3): Float32Array {
        const by = new Float32Array(3 * region.points.length);
        region.shares.forEach((share, i) => by.set([share * way.x, share * way.y, share * way.z], 3 * i));
        return by;
    }

    /** Moves points, and their partners across x in the frames of their limbs. */
    move(points: number[], by: Float32Array, mirror: boolean): void {
        const moved = new Set(points), partner = mirror ? this.ground.partner : undefined, turns = mirror ? this.turns() : undefined, way = new Vector3(), back = new Quaternion();
        const add = (p: number, by_: Vector3, share: number) => {
            this.points[3 * p]! += share * by_.x, this.points[3 * p + 1]! += share * by_.y, this.points[3 * p + 2]! += share * by_.z;
            this.touched.add(p);
        };
        points.forEach((p, i) => {
            const other = partner ? partner[p]! : -1, share = other === p ? 0.5 : 1; // the middle is moved from both sides
            add(p, way.fromArray(by, 3 * i), share);
            if (other < 0 || !turns) return;
            way.applyQuaternion(back.copy(this.turn(turns, p)).conjugate());
            way.x = -way.x;
            add(other, way.applyQuaternion(this.turn(turns, other)), share);
            moved.add(other);
        });
        this.step([...moved]);
    }

    /** Points were put elsewhere, each once in the list. */
    step(moved: number[]): void {
        this.steps.push(moved);
        this.shade(moved);
    }

    /** Puts points back to where they were at first. */
    restore(): void {
        for (const p of this.touched) this.points.set(this.before.points.subarray(3 * p, 3 * p + 3), 3 * p);
        this.steps.push([...this.touched]);
    }

    private turns(): Quaternion[] { return (this.turned ??= jointTurns(this.shape, this.before.pose)); }

    /** How a point's skin is turned against its rest: the mean of its joints. */
    private turn(turns: Quaternion[], p: number): Quaternion {
        let found = this.turnOf.get(p);
        if (!found) this.turnOf.set(p, (found = this.turnAt(turns, p)));
        return found;
    }
    private turnAt(turns: Quaternion[], p: number): Quaternion {
        const { weightBegin, weightJoints, weightValues } = this.shape, sum = new Quaternion(0, 0, 0, 0);
        for (let i = weightBegin[p]!; i < weightBegin[p + 1]!; ++i) {
            const q = turns[weightJoints[i]!]!, w = sum.dot(q) < 0 ? -weightValues[i]! : weightValues[i]!;
            sum.set(sum.x + w * q.x, sum.y + w * q.y, sum.z + w * q.z, sum.w + w * q.w);
        }
        return sum.lengthSq() > 0 ? sum.normalize() : sum.identity();
    }

    /** Normals around what moved turn as the surface turned there: hard edges stay hard. */
    private shade(moved: number[]): void {
        const { begin, neighbors } = this.ground, mark = ++this.stamped, was = new Vector3(), is = new Vector3(), axis = new Vector3(), n = new Vector3(), cross = new Vector3(), old = this.before;
        const one = (p: number) => {
            if (this.stamp[p] === mark) return;
            this.stamp[p] = mark;
            if (!this.isFaced[p]) this.isFaced[p] = 1, this.facets.normal(old.points, p, was).normalize().toArray(this.faced, 3 * p);
            else was.fromArray(this.faced, 3 * p);
            this.facets.normal(this.points, p, is).normalize();
            const c = was.dot(is);
            axis.crossVectors(was, is);
            for (let i = this.facets.vertices.begin[p]!; i < this.facets.vertices.begin[p + 1]!; ++i) {
                const v = 3 * this.facets.vertices.of[i]!;
                n.set(old.normals[v]!, old.normals[v + 1]!, old.normals[v + 2]!);
                const along = axis.dot(n);
                if (c > -0.99) cross.crossVectors(axis, n), n.multiplyScalar(c).add(cross).addScaledVector(axis, along / (1 + c));
                n.setLength(32767);
                this.normals[v] = n.x, this.normals[v + 1] = n.y, this.normals[v + 2] = n.z;
            }
        };
        for (const p of moved) {
            one(p);
            for (let i = begin[p]!; i < begin[p + 1]!; ++i) one(neighbors[i]!);
        }
    }
}
