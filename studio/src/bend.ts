// A motion that turns one joint and nothing else: what the Doctor found, to be seen under every chain.
export interface Bend {
    joint: string;
    /** In the joint's own frame, unit. */
    axis: [number, number, number];
    /** Degrees from the rest pose, at the ends of the sweep. */
    from: number;
    to: number;
}

const BEND_FPS = 30;
const BEND_SECONDS = 2; // to one end, to the other and back: slow enough to see the skin follow

export const bendName = (bend: Bend): string => `bend ${bend.joint}`;

/** Ten floats a joint for every frame, out of the rest pose. */
export function bendClip(joints: { name: string }[], rest: Float32Array, bend: Bend): { name: string; fps: number; local: Float32Array } {
    const at = joints.findIndex(joint => joint.name === bend.joint);
    if (at < 0) throw new Error(`there is no joint '${bend.joint}' to bend; run the Doctor again`);
    const frames = BEND_FPS * BEND_SECONDS + 1, local = new Float32Array(frames * rest.length);
    for (let i = 0; i < frames; ++i) {
        local.set(rest, i * rest.length);
        const degrees = angle(bend, i / (frames - 1)), half = degrees * Math.PI / 360, sine = Math.sin(half), where = i * rest.length + 10 * at + 3;
        const turned = times(rest.subarray(10 * at + 3, 10 * at + 7), [bend.axis[0] * sine, bend.axis[1] * sine, bend.axis[2] * sine, Math.cos(half)]);
        local.set(turned, where);
    }
    return { name: bendName(bend), fps: BEND_FPS, local };
}

/** Where a joint is in the rest pose. */
export function jointPlace(joints: { name: string; parent: number | null }[], rest: Float32Array, name: string): [number, number, number] {
    let place: [number, number, number] = [0, 0, 0];
    for (let at = joints.findIndex(joint => joint.name === name), steps = 0; at >= 0 && steps <= joints.length; at = joints[at]!.parent ?? -1, ++steps) {
        const local = rest.subarray(10 * at, 10 * at + 10), turn = [local[3]!, local[4]!, local[5]!, local[6]!], scaled = place.map((value, i) => value * local[7 + i]!);
        const turned = times(times(turn, [scaled[0]!, scaled[1]!, scaled[2]!, 0]), [-turn[0]!, -turn[1]!, -turn[2]!, turn[3]!]);
        place = [turned[0] + local[0]!, turned[1] + local[1]!, turned[2] + local[2]!];
    }
    return place;
}

/** Rest, one end, rest, the other end, rest; an end that is rest is left out. Soft at every turn. */
function angle({ from, to }: Bend, t: number): number {
    const ends = [to, from].filter(one => Math.abs(one) > 1), part = t * Math.max(1, ends.length), which = Math.min(ends.length - 1, Math.floor(part));
    return ends.length ? ends[which]! * (1 - Math.cos(2 * Math.PI * (part - which))) / 2 : 0;
}

function times(a: ArrayLike<number>, b: ArrayLike<number>): [number, number, number, number] {
    const [ax, ay, az, aw] = [a[0]!, a[1]!, a[2]!, a[3]!], [bx, by, bz, bw] = [b[0]!, b[1]!, b[2]!, b[3]!];
    return [aw * bx + ax * bw + ay * bz - az * by, aw * by - ax * bz + ay * bw + az * bx, aw * bz + ax * by - ay * bx + az * bw, aw * bw - ax * bx - ay * by - az * bz];
}
