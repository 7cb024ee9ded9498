// Numbers a point as colors, with a scale that covers all frames and a legend.
import type { Engine } from "./engine.ts";
import type { Frame } from "./frames.ts";
import { type Shape, characterKey } from "./lane.ts";
import type { Heat, Session } from "./session.ts";

type Rgb = [number, number, number];
/** Dark to light, even in lightness, safe for color-blind eyes. */
const RISING: Rgb[] = [[0.3, 0.36, 0.56], [0.45, 0.36, 0.64], [0.74, 0.35, 0.54], [0.95, 0.5, 0.36], [0.99, 0.8, 0.45], [1, 0.97, 0.8]];
/** Shorter is blue, longer is red, unchanged is pale. */
const BOTH: Rgb[] = [[0.1, 0.27, 0.62], [0.36, 0.6, 0.85], [0.93, 0.93, 0.91], [0.94, 0.55, 0.38], [0.66, 0.1, 0.13]];
const WHOLE = 0.995; // the share of points that the scale covers: a few wild ones do not take the colors of all others

export interface HeatKind {
    name: string;
    unit: string;
    both: boolean;
    help: string;
    /** Of the core's value to what the legend says. */
    factor: number;
}
export const HEATS: Record<Exclude<Heat, "none">, HeatKind> = {
    distance: { name: "Distance to chain A", unit: "mm", both: false, factor: 1000, help: "How far each point is from the first chain's" },
    truth: { name: "Distance to the truth", unit: "mm", both: false, factor: 1000, help: "How far each point is from the mesh that was dropped for this frame" },
    stretch: { name: "Stretch", unit: "log₂", both: true, factor: 1, help: "The edge at each point that changed most: longer red, shorter blue" },
    roughness: { name: "Roughness", unit: "", both: false, factor: 1, help: "Change of curvature against the rest shape" },
    weights: { name: "Weight of a joint", unit: "%", both: false, factor: 100, help: "How much a joint moves each point; choose the joint below or click it in the view" },
    volume: { name: "Volume by part", unit: "%", both: true, factor: 100, help: "Change of the volume of the part around each joint" },
};

function colorOf(stops: Rgb[], t: number): Rgb {
    const at = Math.max(0, Math.min(0.99999, t)) * (stops.length - 1), i = Math.floor(at), f = at - i, a = stops[i]!, b = stops[i + 1]!;
    return [a[0] + f * (b[0] - a[0]), a[1] + f * (b[1] - a[1]), a[2] + f * (b[2] - a[2])];
}
const linear = (value: number): number => (value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4);
const TABLE_SIZE = 256;
function table(stops: Rgb[]): Float32Array {
    const out = new Float32Array(3 * TABLE_SIZE);
    for (let i = 0; i < TABLE_SIZE; ++i) out.set(colorOf(stops, i / (TABLE_SIZE - 1)).map(linear), 3 * i);
    return out;
}
const TABLES = { rising: table(RISING), both: table(BOTH) };
export const gradient = (both: boolean): string => (both ? BOTH : RISING).map((rgb, i, all) => `rgb(${rgb.map(one => Math.round(255 * one)).join(" ")}) ${100 * i / (all.length - 1)}%`).join(", ");

/** A value from 0 to 1 as a color, three floats. */
export function colorAt(out: Float32Array, i: number, value: number): void {
    const from = TABLES.rising, at = 3 * Math.round(Math.max(0, Math.min(1, value)) * (TABLE_SIZE - 1));
    out[3 * i] = from[at]!, out[3 * i + 1] = from[at + 1]!, out[3 * i + 2] = from[at + 2]!;
}
export function colorsOf(values: Float32Array): Float32Array {
    const out = new Float32Array(3 * values.length);
    for (let i = 0; i < values.length; ++i) colorAt(out, i, values[i]!);
    return out;
}

/** What to request from the core. */
export const valuesWanted = (session: Session): string[] => (session.show.heat === "stretch" || session.show.heat === "roughness" ? [session.show.heat] : []);

export class HeatMap {
    private key = "";
    private of: Shape | undefined;
    private extents = new WeakMap<Frame, number>();
    private painted = new WeakMap<Frame, { extent: number; colors: Float32Array }>();
    private weights: Float32Array | undefined;
    private weightsOf = "";
    /** The legend's end, in the core's unit; grows with the frames that are known. */
    extent = 0;

    constructor(private readonly engine: Engine) {}

    /** The values of a frame of a chain, or undefined while they are not there. */
    values(session: Session, shape: Shape, frame: Frame, at: number): Float32Array | undefined {
        const { heat, joint } = session.show;
        if (heat === "weights") return joint ? this.weightsFor(shape, joint) : undefined;
        if (heat === "distance" || heat === "truth") {
            const b = heat === "truth" ? this.engine.truth.at(at) : this.engine.frames(session.chains[0]!.id)?.any(at)?.points;
            if (!b) return undefined;
            const out = new Float32Array(frame.points.length / 3), a = frame.points, unit = shape.info.metres_per_unit;
            for (let i = 0; i < out.length; ++i) out[i] = unit * Math.hypot(a[3 * i]! - b[3 * i]!, a[3 * i + 1]! - b[3 * i + 1]!, a[3 * i + 2]! - b[3 * i + 2]!);
            return out;
        }
        if (heat === "volume") return this.volumes(shape, frame);
        return frame.values?.[heat];
    }

    private volumes(shape: Shape, frame: Frame): Float32Array | undefined {
        if (!frame.measures) return undefined;
        // The core divides the body by joints; a joint without a part of its own belongs to that of the joint above.
        const { joints, points } = shape.info, changes = new Map(frame.measures.parts.map(({ name, volume, volume_rest }) => [name, volume_rest ? volume / volume_rest - 1 : 0])), out = new Float32Array(points);
        const ofJoint = joints.map((_, i) => {
            let at = i;
            while (at >= 0 && !changes.has(joints[at]!.name)) at = joints[at]!.parent ?? -1;
            return at < 0 ? 0 : changes.get(joints[at]!.name)!;
        });
        for (let i = 0; i < points; ++i) for (let k = shape.weightBegin[i]!; k < shape.weightBegin[i + 1]!; ++k) out[i]! += shape.weightValues[k]! * ofJoint[shape.weightJoints[k]!]!;
        return out;
    }

    private weightsFor(shape: Shape, joint: string): Float32Array {
        const key = `${shape.info.name}|${shape.info.points}|${this.engine.weightsAt}|${joint}`;
        if (this.weights && this.weightsOf === key) return this.weights;
        const at = shape.info.joints.findIndex(one => one.name === joint), out = new Float32Array(shape.info.points);
        for (let i = 0; i < out.length; ++i) for (let k = shape.weightBegin[i]!; k < shape.weightBegin[i + 1]!; ++k) if (shape.weightJoints[k] === at) out[i]! += shape.weightValues[k]!;
        this.weightsOf = key;
        return (this.weights = out);
    }

    /** Colors a point for a frame. */
    colors(session: Session, shape: Shape, frame: Frame, at: number): Float32Array | undefined {
        const { heat } = session.show;
        if (heat === "none") return undefined;
        const key = JSON.stringify([heat, session.show.joint, session.chains, characterKey(session.source), session.clip, this.engine.weightsAt, session.source.truth?.[0]?.hash]);
        if (key !== this.key || shape !== this.of) { // frames of the character before are shown until the next one is there
            this.key = key;
            this.of = shape;
            this.extent = 0;
            this.extents = new WeakMap();
            this.painted = new WeakMap();
        }
        const values = this.values(session, shape, frame, at);
        if (!values) return undefined;
        this.extent = heat === "weights" ? 1 : Math.max(this.extent, this.extentOf(frame, values), 1e-9);
        const known = this.painted.get(frame);
        if (known?.extent === this.extent && heat !== "distance" && heat !== "truth") return known.colors;
        const { both } = HEATS[heat], colors = new Float32Array(3 * values.length), stops = both ? TABLES.both : TABLES.rising;
        for (let i = 0; i < values.length; ++i) {
            const t = both ? 0.5 + 0.5 * values[i]! / this.extent : values[i]! / this.extent, place = 3 * Math.max(0, Math.min(TABLE_SIZE - 1, Math.round(t * (TABLE_SIZE - 1))));
            colors[3 * i] = stops[place]!;
            colors[3 * i + 1] = stops[place + 1]!;
            colors[3 * i + 2] = stops[place + 2]!;
        }
        this.painted.set(frame, { extent: this.extent, colors });
        return colors;
    }

    private extentOf(frame: Frame, values: Float32Array): number {
        const known = this.extents.get(frame);
        if (known !== undefined) return known;
        const sorted = values.map(Math.abs).sort(), extent = sorted[Math.floor(WHOLE * (sorted.length - 1))] ?? 0;
        this.extents.set(frame, extent);
        return extent;
    }
}
