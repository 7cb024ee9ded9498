// Poses made by hand: degrees on top of the rest pose, and edits of them. Independent of document and workers.
import { Euler, Matrix3, Matrix4, Quaternion, Vector3 } from "three";
import type { Shape } from "../lane.ts";

export type Three = [number, number, number];
/** A pose as `--pose` has it: degrees by joint, and meters that joints are moved by. */
export interface Pose {
    turn: Record<string, Three>;
    move: Record<string, Three>;
}
export interface PoseKey extends Pose {
    /** Seconds. */
    time: number;
}
/** A clip of poses; docs/poses.md. */
export interface PoseClip {
    clip: string;
    over?: string;
    between: "linear" | "smooth" | "step";
    keys: PoseKey[];
}
export type Limits = Record<string, [Three, Three]>;

export function posesText({ clip, over, between, keys }: PoseClip): string {
    const some = (name: string, value: Record<string, Three>) => (Object.keys(value).length ? { [name]: value } : {});
    return `${JSON.stringify({ supple_poses: 1, clip, ...(over ? { over } : {}), between, keys: keys.map(({ time, turn, move }) => ({ time, ...some("turn", turn), ...some("move", move) })) }, null, 1)}\n`;
}
/** What `--pose` takes; moves have no place in it. */
export const poseText = ({ turn }: Pose): string => Object.entries(turn).map(([joint, degrees]) => `${joint}=${degrees.join()}`).join(";");

const DEGREE = Math.PI / 180, SLACK = 0.005; // degrees: half of the last digit that is kept
const round = (value: number, digits: number) => Number(value.toFixed(digits)) + 0;
/** About x, then y, then z of the joint's frame, as `--pose` turns. */
const turned = ([x, y, z]: Three) => new Quaternion().setFromEuler(new Euler(x * DEGREE, y * DEGREE, z * DEGREE, "ZYX"));
const degreesOf = (turn: Quaternion): Three => {
    const { x, y, z } = new Euler().setFromQuaternion(turn, "ZYX");
    return [round(x / DEGREE, 2), round(y / DEGREE, 2), round(z / DEGREE, 2)];
};

/** The skeleton as matrices, and poses over its rest. */
export class Rig {
    readonly parents: number[];
    readonly names: string[];
    readonly rest: Matrix4[];
    private readonly byName: Map<string, number>;
    private readonly partners: Int32Array;

    constructor(readonly shape: Shape, readonly left: Vector3) {
        this.parents = shape.info.joints.map(one => one.parent);
        this.names = shape.info.joints.map(one => one.name);
        this.byName = new Map(this.names.map((name, i) => [name, i]));
        this.rest = this.globals(shape.jointRest);
        this.partners = Int32Array.from(this.names, (name, i) => this.partnerOf(name, i));
    }

    index(name: string | null): number { return name === null ? -1 : this.byName.get(name) ?? -1; }
    partner(joint: number): number { return this.partners[joint]!; }

    /** By the words and letters for left and right in names of joints. */
    private partnerOf(name: string, self: number): number {
        const swaps: [RegExp, string][] = [[/left/, "right"], [/right/, "left"], [/Left/, "Right"], [/Right/, "Left"], [/LEFT/, "RIGHT"], [/RIGHT/, "LEFT"],
            [/(^|[^A-Za-z])l([^A-Za-z]|$)/, "$1r$2"], [/(^|[^A-Za-z])r([^A-Za-z]|$)/, "$1l$2"], [/(^|[^A-Za-z])L([^A-Za-z]|$)/, "$1R$2"], [/(^|[^A-Za-z])R([^A-Za-z]|$)/, "$1L$2"]];
        for (const [from, to] of swaps) {
            const other = from.test(name) ? this.byName.get(name.replace(from, to)) : undefined;
            if (other !== undefined) return other;
        }
        return self;
    }

    private at(local: Float32Array, joint: number): [Vector3, Quaternion, Vector3] {
        const p = 10 * joint;
        return [new Vector3().fromArray(local, p), new Quaternion().fromArray(local, p + 3), new Vector3().fromArray(local, p + 7)];
    }

    globals(local: Float32Array): Matrix4[] {
        const out: Matrix4[] = [];
        this.parents.forEach((parent, i) => {
            const one = new Matrix4().compose(...this.at(local, i));
            out.push(parent >= 0 ? one.premultiply(out[parent]!) : one);
        });
        return out;
    }

    /** From meters of the rest space to the units of a joint's parent. */
    private intoParent(joint: number): Matrix3 {
        const parent = this.parents[joint]!, unit = 1 / this.shape.info.physics_unit;
        return (parent >= 0 ? new Matrix3().setFromMatrix4(this.rest[parent]!).invert() : new Matrix3()).multiplyScalar(unit);
    }

    /** Ten floats a joint. */
    local({ turn, move }: Pose): Float32Array {
        const out = this.shape.jointRest.slice();
        for (const [name, degrees] of Object.entries(turn)) {
            const joint = this.index(name);
            if (joint >= 0) new Quaternion().fromArray(out, 10 * joint + 3).multiply(turned(degrees)).normalize().toArray(out, 10 * joint + 3);
        }
        for (const [name, by] of Object.entries(move)) {
            const joint = this.index(name);
            if (joint >= 0) new Vector3().fromArray(out, 10 * joint).add(new Vector3(...by).applyMatrix3(this.intoParent(joint))).toArray(out, 10 * joint);
        }
        return out;
    }

    /** What of a pose differs from rest, without scales. */
    pose(local: Float32Array): Pose {
        const out: Pose = { turn: {}, move: {} }, rest = this.shape.jointRest, least = 1e-5 * this.shape.info.diagonal;
        this.names.forEach((name, i) => {
            const [place, rotation] = this.at(local, i), [home, before] = this.at(rest, i), degrees = degreesOf(before.invert().multiply(rotation)), by = place.sub(home);
            if (degrees.some(one => Math.abs(one) > SLACK)) out.turn[name] = degrees;
            if (by.length() > least) out.move[name] = by.applyMatrix3(this.intoParent(i).invert()).toArray().map(one => round(one, 5)) as Three;
        });
        return out;
    }

    /** The pose with a joint turned so that it stands as `rotation` in the character's space. */
    facing(local: Float32Array, joint: number, rotation: Quaternion): Float32Array {
        const out = local.slice(), parent = this.parents[joint]!, above = new Quaternion();
        if (parent >= 0) this.globals(local)[parent]!.decompose(new Vector3(), above, new Vector3());
        above.invert().multiply(rotation).normalize().toArray(out, 10 * joint + 3);
        return out;
    }

    /** Left becomes right: of the joints that `of` names and their partners; the whole body without it. */
    mirrored(local: Float32Array, of?: Set<number>): Float32Array {
        const from = this.globals(local), out = local.slice(), rest = new Quaternion(), pose = new Quaternion(), none = new Vector3(), axis = this.left;
        const flip = ({ x, y, z, w }: Quaternion) => { // across the plane between left and right
            const along = 2 * (axis.x * x + axis.y * y + axis.z * z);
            return new Quaternion(along * axis.x - x, along * axis.y - y, along * axis.z - z, w);
        };
        this.names.forEach((_, i) => {
            const other = this.partner(i);
            if (of && !of.has(other)) return;
            if (of && other === i) return;
            this.rest[other]!.decompose(none, rest, new Vector3());
            from[other]!.decompose(none, pose, new Vector3());
            const turn = flip(pose.clone().multiply(rest.clone().invert()));
            this.rest[i]!.decompose(none, rest, new Vector3());
            const parent = this.parents[i]!, above = new Quaternion();
            if (parent >= 0) this.globals(out)[parent]!.decompose(none, above, new Vector3());
            above.invert().multiply(turn.multiply(rest)).normalize().toArray(out, 10 * i + 3);
        });
        if (!of) {
            const pose_ = this.pose(local), flipped: Record<string, Three> = {};
            for (const [name, by] of Object.entries(pose_.move)) {
                const v = new Vector3(...by), to = this.names[this.partner(this.index(name))]!;
                flipped[to] = v.addScaledVector(axis, -2 * v.dot(axis)).toArray().map(one => round(one, 5)) as Three;
            }
            return this.local({ turn: this.pose(out).turn, move: flipped });
        }
        return out;
    }

    /** A joint with those that hang on it. */
    branch(joint: number): Set<number> {
        const out = new Set([joint]);
        this.parents.forEach((parent, i) => { if (out.has(parent)) out.add(i); });
        return out;
    }

    /** The bones that a reach turns: from the one that is held up to the first, at most `most`. */
    chain(joint: number, most: number): number[] {
        const out = [joint];
        for (let at = this.parents[joint]!; at >= 0 && out.length <= most && this.shape.info.joints[at]!.skin; at = this.parents[at]!) out.unshift(at);
        return out;
    }

    /** Turns the chain so that its end comes to a place: two bones by the law of cosines, more by going to and fro along it (FABRIK). */
    reach(local: Float32Array, chain: number[], to: Vector3, limits: Limits | undefined): Float32Array {
        const places = chain.map(joint => new Vector3().setFromMatrixPosition(this.globals(local)[joint]!)), wanted = chain.length === 3 ? twoBones(places, to) : toAndFro(places, to);
        let out = local;
        for (let i = 0; i + 1 < chain.length; ++i) {
            const all = this.globals(out), from = new Vector3().setFromMatrixPosition(all[chain[i]!]!), next = new Vector3().setFromMatrixPosition(all[chain[i + 1]!]!), turn = new Quaternion();
            const now = next.sub(from).normalize(), then = wanted[i + 1]!.clone().sub(from).normalize();
            all[chain[i]!]!.decompose(new Vector3(), turn, new Vector3());
            out = this.limited(this.facing(out, chain[i]!, new Quaternion().setFromUnitVectors(now, then).multiply(turn)), chain[i]!, limits);
        }
        return out;
    }

    /** The pose with a joint within its limits. */
    limited(local: Float32Array, joint: number, limits: Limits | undefined): Float32Array {
        const range = limits?.[this.names[joint]!];
        if (!range) return local;
        const [, before] = this.at(this.shape.jointRest, joint), [, now] = this.at(local, joint), degrees = degreesOf(before.clone().invert().multiply(now)), held = within(degrees, range);
        if (held.every((one, i) => one === degrees[i])) return local;
        const out = local.slice();
        before.multiply(turned(held)).toArray(out, 10 * joint + 3);
        return out;
    }
}

export const within = (degrees: Three, [low, high]: [Three, Three]): Three => degrees.map((one, i) => Math.min(high[i]!, Math.max(low[i]!, one))) as Three;

function twoBones(places: Vector3[], to: Vector3): Vector3[] {
    const [a, b, c] = places as [Vector3, Vector3, Vector3], upper = a.distanceTo(b), lower = b.distanceTo(c), way = to.clone().sub(a);
    const far = Math.min(Math.max(way.length(), 1.0001 * Math.abs(upper - lower) + 1e-9), 0.9999 * (upper + lower)), along = way.normalize();
    // The elbow stays on its side; a straight one has none, and takes any.
    const side = b.clone().sub(a);
    side.addScaledVector(along, -side.dot(along));
    if (side.length() < 1e-4 * upper) side.set(along.y, along.z, along.x).addScaledVector(along, -along.dot(new Vector3(along.y, along.z, along.x)));
    const x = (upper * upper - lower * lower + far * far) / (2 * far), y = Math.sqrt(Math.max(0, upper * upper - x * x));
    return [a, a.clone().addScaledVector(along, x).addScaledVector(side.normalize(), y), a.clone().addScaledVector(along, far)];
}

function toAndFro(places: Vector3[], to: Vector3): Vector3[] {
    const out = places.map(one => one.clone()), lengths = out.slice(1).map((one, i) => one.distanceTo(out[i]!)), last = out.length - 1, all = lengths.reduce((sum, one) => sum + one, 0);
    const pull = (from: Vector3, one: Vector3, length: number) => one.sub(from).normalize().multiplyScalar(length).add(from);
    for (let round_ = 0; round_ < 24 && out[last]!.distanceTo(to) > 1e-4 * all; ++round_) {
        out[last]!.copy(to);
        for (let i = last - 1; i >= 0; --i) pull(out[i + 1]!, out[i]!, lengths[i]!);
        out[0]!.copy(places[0]!);
        for (let i = 1; i <= last; ++i) pull(out[i - 1]!, out[i]!, lengths[i - 1]!);
    }
    return out;
}
