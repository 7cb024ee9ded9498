// What acts from outside, as the person set it: on top of the world that was dropped, and a world file with it (docs/world.md).
import type { Place } from "./take.ts";

export interface BodyKey {
    time: number;
    move: Place;
}
/** A body of the world file. */
export interface Body {
    name: string;
    sphere?: { center: Place; radius: number };
    capsule?: { from: Place; to: Place; radius: number };
    joint?: string;
    friction?: number;
    keys?: BodyKey[];
}
export interface WorldEdit {
    gravity?: Place;
    wind?: Place;
    bodies: Body[];
}
interface File {
    gravity?: Place;
    wind?: Place;
    bodies?: object[];
}

export function worldMerged(file: object | undefined, edit: WorldEdit | undefined): object | undefined {
    if (!edit || (!edit.gravity && !edit.wind && !edit.bodies.length)) return file;
    const bodies = [...(file as File | undefined)?.bodies ?? [], ...edit.bodies];
    return { ...file, ...(edit.gravity ? { gravity: edit.gravity } : {}), ...(edit.wind ? { wind: edit.wind } : {}), ...(bodies.length ? { bodies } : {}) };
}
export const isEdited = (edit: WorldEdit | undefined): boolean => worldMerged(undefined, edit) !== undefined;

export const centerOf = ({ sphere, capsule }: Body): Place => sphere?.center ?? (capsule!.from.map((one, i) => (one + capsule!.to[i]!) / 2) as Place);
/** How far keys have moved a body by a time: straight from key to key, as the core goes. */
export function movedBy({ keys = [] }: Body, time: number): Place {
    const next = keys.findIndex(one => one.time > time), before = keys[next < 0 ? keys.length - 1 : next - 1], after = next >= 0 ? keys[next] : undefined;
    if (!before || !after) return (before ?? after)?.move ?? [0, 0, 0];
    const t = (time - before.time) / (after.time - before.time);
    return before.move.map((one, i) => one + t * (after.move[i]! - one)) as Place;
}
/** The body with its middle somewhere else. */
export function placed(body: Body, by: Place): Body {
    const go = (place: Place) => place.map((one, i) => Number((one + by[i]!).toFixed(5))) as Place;
    return body.sphere ? { ...body, sphere: { ...body.sphere, center: go(body.sphere.center) } } : { ...body, capsule: { ...body.capsule!, from: go(body.capsule!.from), to: go(body.capsule!.to) } };
}
export function keyed(body: Body, time: number, move: Place): Body {
    return { ...body, keys: [...(body.keys ?? []).filter(one => Math.abs(one.time - time) > 1e-6), { time, move: move.map(one => Number(one.toFixed(5))) as Place }].sort((a, b) => a.time - b.time) };
}
export function freeName(bodies: Body[], kind: string): string {
    for (let n = 1; ; ++n) if (!bodies.some(one => one.name === `${kind} ${n}`)) return `${kind} ${n}`;
}
