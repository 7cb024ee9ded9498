// A sculpt as a file: the mesh of the character in its shape at a time of a clip, as a Wavefront OBJ that other programs open and that
// `supple bake --example` takes. Its first line says where it belongs, so that the file finds its place again when it is dropped.
import type { Shape } from "../lane.ts";
import type { Session, Source } from "../session.ts";

export type Sculpt = NonNullable<Source["sculpts"]>[number];
export interface Place {
    clip: string;
    /** Seconds of the clip. */
    time: number;
}
const SIGN = "# supple sculpt ", NEAR = 0.0005; // seconds: sculpts closer than that are of one instant, as --example has it

/** Nine digits bring every float back to the bit. */
const exact = (value: number): string => String(Number(value.toPrecision(9)));

export function sculptText({ info, faceBegin, cornerVertices, vertexPoints }: Shape, points: Float32Array, place: Place): string {
    const lines = [`${SIGN}${JSON.stringify({ clip: place.clip, time: place.time })}`];
    for (let i = 0; i < points.length; i += 3) lines.push(`v ${exact(points[i]!)} ${exact(points[i + 1]!)} ${exact(points[i + 2]!)}`);
    for (let face = 0; face < info.faces; ++face) {
        let line = "f";
        for (let i = faceBegin[face]!; i < faceBegin[face + 1]!; ++i) line += ` ${vertexPoints[cornerVertices[i]!]! + 1}`;
        lines.push(line);
    }
    return `${lines.join("\n")}\n`;
}

/** Where a file of ours belongs; undefined: it comes from another program, or says nothing that makes sense. */
export function placeOf(bytes: Uint8Array): Place | undefined {
    const [line] = new TextDecoder().decode(bytes.subarray(0, 500)).split("\n");
    if (!line?.startsWith(SIGN)) return undefined;
    try {
        const { clip, time } = JSON.parse(line.slice(SIGN.length)) as Place;
        return typeof clip === "string" && Number.isFinite(time) && time >= 0 ? { clip, time } : undefined;
    } catch {
        return undefined;
    }
}

/** "walk-0.533s.obj": no two sculpts of a character have one name. */
export const sculptName = ({ clip, time }: Place): string => `${clip.replace(/[^\w.-]+/g, "_") || "sculpt"}-${time.toFixed(3)}s.obj`;
export const isAt = (one: Place, place: Place): boolean => one.clip === place.clip && Math.abs(one.time - place.time) <= NEAR;
export const sculptsOf = (session: Session): Sculpt[] => session.source.sculpts ?? [];
