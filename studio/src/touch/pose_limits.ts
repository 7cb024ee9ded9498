// How far the clips turn each joint: the limits of a pose made by hand.
import { Lane } from "../lane.ts";
import type { Source } from "../session.ts";
import type { Limits, Rig, Three } from "./pose.ts";

const RATE = 12;          // samples a second: ends of a motion are slow
const MOST = 600;         // samples of all clips
const ROOM = 15;          // degrees beyond what the clips show
const MOVES = 1;          // degrees: a joint that turns less is held by the clips by chance, and is free

/** In a separate lane, by plain skinning. Joints that no clip turns are not included. */
export async function limitsOf(source: Source, rig: Rig): Promise<Limits> {
    const lane = await Lane.open(true), found: Record<string, [Three, Three]> = {}, { poses: _, bend: __, ...plain } = source;
    try {
        await lane.load(plain);
        const { clips } = await lane.character.inspect(), all = clips.reduce((sum, one) => sum + one.seconds, 0), rate = Math.min(RATE, MOST / Math.max(1e-3, all));
        for (const { name, seconds } of clips) {
            const chain = await lane.character.chain({ links: "linear", clip: name }), player = await chain.play({ clip: name });
            for (let i = 0; i <= seconds * rate; ++i) {
                await player.evaluate(i / rate);
                const { turn } = rig.pose(await player.pose());
                for (const joint of rig.names) {
                    const [x, y, z] = turn[joint] ?? [0, 0, 0], range = (found[joint] ??= [[x, y, z], [x, y, z]]);
                    [x, y, z].forEach((one, k) => {
                        range[0][k] = Math.min(range[0][k]!, one);
                        range[1][k] = Math.max(range[1][k]!, one);
                    });
                }
            }
            await Promise.all([player.free(), chain.free()]);
        }
    } finally {
        lane.close();
    }
    return Object.fromEntries(Object.entries(found).filter(([, [low, high]]) => low.some((one, k) => high[k]! - one > MOVES))
        .map(([joint, [low, high]]) => [joint, [low.map(one => Math.max(-180, Math.min(0, one) - ROOM)) as Three, high.map(one => Math.min(180, Math.max(0, one) + ROOM)) as Three]]));
}
