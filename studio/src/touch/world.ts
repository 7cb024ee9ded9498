// What acts from outside, as the person set it: on top of the world that was dropped, and a world file with it (docs/world.md). No document and no worker here.
import { Euler, Quaternion, Vector3 } from "three";
import type { FileRef } from "../session.ts";
import type { Place } from "./take.ts";

export interface BodyKey {
    time: number;
    move?: Place;
    /** A quaternion x, y, z, w, or three angles in degrees. */
    turn?: number[];
    /** The place holds until the next key. */
    step?: boolean;
}
/** A body of the world file. */
export interface Body {
    name: string;
    sphere?: { center: Place; radius: number };
    capsule?: { from: Place; to: Place; radius: number };
    mesh?: string;
    clip?: string;
    pivot?: Place;
    joint?: string;
    friction?: number;
    keys?: BodyKey[];
}
/** A push of the world file; those that are made here have a place and a radius. */
export interface Force {
    name: string;
    at?: Place;
    radius?: number;
    value?: Place;
    keys?: { time: number; value: Place }[];
    spring?: number;
}
export interface NumberKey {
    time: number;
    value: number;
}
export interface VectorKey {
    time: number;
    value: Place;
}
export type Muscle = number | NumberKey[];
export interface WorldEdit {
    gravity?: Place;
    wind?: Place;
    bodies: Body[];
    forces?: Force[];
    muscles?: Record<string, Muscle>;
    /** Of gravity and wind. */
    keys?: Record<string, VectorKey[]>;
    /** Meshes that bodies name, here and in the world that was dropped. */
    files?: FileRef[];
    /** Meshes whose dragging sets keys; others have one key, their place. */
    keyed?: string[];
}
interface File {
    gravity?: Place;
    wind?: Place;
    bodies?: object[];
    forces?: object[];
    muscles?: object;
    keys?: object;
}

/** The world file with what was changed of it here. */
export function worldMerged(file: object | undefined, edit: WorldEdit | undefined): object | undefined {
    const { gravity, wind, bodies = [], forces = [], muscles = {}, keys = {} } = edit ?? { bodies: [] }, base = (file ?? {}) as File, some = (one: object) => Object.keys(one).length > 0;
    if (!gravity && !wind && !bodies.length && !forces.length && !some(muscles) && !some(keys)) return file;
    return {
        ...base, ...(gravity ? { gravity } : {}), ...(wind ? { wind } : {}), ...(bodies.length ? { bodies: [...base.bodies ?? [], ...bodies] } : {}), ...(forces.length ? { forces: [...base.forces ?? [], ...forces] } : {}),
        ...(some(muscles) ? { muscles: { ...base.muscles, ...muscles } } : {}), ...(some(keys) ? { keys: { ...base.keys, ...keys } } : {}),
    };
}
export const isEdited = (edit: WorldEdit | undefined): boolean => worldMerged(undefined, edit) !== undefined;
export const bodiesOf = (world: object | undefined): Body[] => ((world as File | undefined)?.bodies ?? []) as Body[];
/** What links prepare for while they are bound: how many bodies, of what kind. Where they are may change while they play. */
export const kindsOf = (world: object | undefined): object[] => bodiesOf(world).map(({ mesh, clip, capsule }) => (mesh === undefined ? { capsule: Boolean(capsule) } : { mesh, clip }));

// ------------------------------------------------------------------------------------------------ keys

const round = (place: readonly number[]): Place => place.map(one => Number(one.toFixed(5)) + 0) as Place;
/** The keys around a time, and how far it is from the first to the second. */
function around<K extends { time: number }>(keys: K[], time: number): [K, K, number] | undefined {
    const next = keys.findIndex(one => one.time > time), before = keys[next < 0 ? keys.length - 1 : next - 1], after = next >= 0 ? keys[next] : undefined;
    if (!before || !after) return before ?? after ? [(before ?? after)!, (before ?? after)!, 0] : undefined;
    return [before, after, (before as { step?: boolean }).step ? 0 : (time - before.time) / (after.time - before.time)];
}
/** A value between keys: straight from one to the next, as the core goes. */
export function vectorAt(keys: VectorKey[], time: number): Place {
    const [a, b, t] = around(keys, time) ?? [];
    return a && b ? a.value.map((one, i) => one + t! * (b.value[i]! - one)) as Place : [0, 0, 0];
}
export function numberAt(muscle: Muscle, time: number): number {
    if (typeof muscle === "number") return muscle;
    const [a, b, t] = around(muscle, time) ?? [];
    return a && b ? a.value + t! * (b.value - a.value) : 0;
}
/** Another key, in the place of one at its time. */
export function withKey<K extends { time: number }>(keys: K[], key: K): K[] {
    return [...keys.filter(one => Math.abs(one.time - key.time) > 1e-6), key].sort((a, b) => a.time - b.time);
}

// ------------------------------------------------------------------------------------------------ bodies

export const pivotOf = ({ sphere, capsule, pivot }: Body): Place => pivot ?? sphere?.center ?? (capsule ? capsule.from.map((one, i) => (one + capsule.to[i]!) / 2) as Place : [0, 0, 0]);
/** How far keys have moved a body by a time. */
export function movedBy({ keys = [] }: Body, time: number): Place {
    return vectorAt(keys.map(one => ({ ...one, value: one.move ?? [0, 0, 0] })), time);
}
function turnOf({ turn }: BodyKey): Quaternion {
    if (!turn) return new Quaternion();
    const radians = Math.PI / 180;
    return turn.length === 4 ? new Quaternion(...turn as [number, number, number, number]).normalize() : new Quaternion().setFromEuler(new Euler(turn[0]! * radians, turn[1]! * radians, turn[2]! * radians, "ZYX"));
}
export function turnedBy({ keys = [] }: Body, time: number): Quaternion {
    const [a, b, t] = around(keys, time) ?? [];
    return a && b ? turnOf(a).slerp(turnOf(b), t!) : new Quaternion();
}
export const isKeyed = (edit: WorldEdit, body: Body): boolean => (body.mesh === undefined ? body.keys !== undefined : edit.keyed?.includes(body.name) ?? false);
/** The body with its middle somewhere else, for good. */
export function placed(body: Body, by: Place): Body {
    const go = (place: Place) => round(place.map((one, i) => one + by[i]!));
    if (body.sphere) return { ...body, sphere: { ...body.sphere, center: go(body.sphere.center) } };
    if (body.capsule) return { ...body, capsule: { ...body.capsule, from: go(body.capsule.from), to: go(body.capsule.to) } };
    return { ...body, keys: (body.keys ?? [{ time: 0 }]).map(one => ({ ...one, move: go(one.move ?? [0, 0, 0]) })) };
}
/** Turned about its middle, for good. */
export function turned(body: Body, by: Quaternion): Body {
    if (body.capsule) {
        const middle = new Vector3(...pivotOf(body)), end = (place: Place) => round(new Vector3(...place).sub(middle).applyQuaternion(by).add(middle).toArray());
        return { ...body, capsule: { ...body.capsule, from: end(body.capsule.from), to: end(body.capsule.to) } };
    }
    return body.sphere ? body : { ...body, keys: (body.keys ?? [{ time: 0 }]).map(one => ({ ...one, turn: round(by.clone().multiply(turnOf(one)).toArray()) })) };
}
/** One key at a time: the displacement from its place without keys, and its rotation. */
export function keyed(body: Body, time: number, move: readonly number[], turn?: Quaternion): Body {
    const was = body.keys?.some(one => one.turn), turns = turn ?? (was ? turnedBy(body, time) : undefined);
    return { ...body, keys: withKey(body.keys ?? [], { time, move: round(move), ...(turns ? { turn: round(turns.toArray()) } : {}) }) };
}
export function sized(body: Body, radius: number): Body {
    return body.sphere ? { ...body, sphere: { ...body.sphere, radius } } : body.capsule ? { ...body, capsule: { ...body.capsule, radius } } : body;
}
export function freeName(taken: { name: string }[], kind: string): string {
    for (let n = 1; ; ++n) if (!taken.some(one => one.name === `${kind} ${n}`)) return `${kind} ${n}`;
}

// ------------------------------------------------------------------------------------------------ forces

const DECADES = 5; // that an arrow of full length spans: 100 kN
/** How long the arrow of a push is, 0 to 1, and back: a spring of a hand gives one newton or ten thousand. */
export const lengthOf = (newtons: number): number => Math.log10(1 + newtons) / DECADES;
export const newtonsOf = (length: number): number => 10 ** (DECADES * Math.max(0, length)) - 1;
export const pushAt = ({ value, keys }: Force, time: number): Place => (keys && Array.isArray(keys[0]?.value) ? vectorAt(keys, time) : value ?? [0, 0, 0]);
/** A push that has a place of its own on the skin, which can be dragged. */
export const isPlaced = (force: Force): force is Force & { at: Place; radius: number } => Boolean(force.at) && force.spring === undefined && (!force.keys || Array.isArray(force.keys[0]?.value));
