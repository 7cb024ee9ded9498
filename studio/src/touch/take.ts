// What was done by hand to a motion, on the fixed clock: springs that held the skin, and how long the last pose was held for them. Kept in the
// session; as a file it is a world, and `supple bake --world` repeats it to the bit.
import type { Session } from "../session.ts";
import { isEdited } from "./world.ts";

/** A place in meters. */
export type Place = [number, number, number];

/** A spring of the world file (docs/world.md). */
export interface Pull {
    name: string;
    at: Place;
    radius: number;
    spring: number;
    keys: { time: number; to: Place; value?: number }[];
}
export interface Take {
    /** The character and the clip that it was done to: others do not have it, and coming back brings it back. */
    of: string;
    /** Seconds that the pose of the end is held, as `--hold`. */
    hold: number;
    pulls: Pull[];
}
interface World {
    forces?: object[];
}

export const takeKey = ({ source }: Session, clip: string | null): string => JSON.stringify([source.builtin ?? source.file?.hash ?? "", clip]);
const NOTHING: { hold: number; pulls: Pull[] } = { hold: 0, pulls: [] };
/** What was done to this clip of this character. */
export function takeOf(session: Session, clip: string | null): { hold: number; pulls: Pull[] } {
    return session.take?.of === takeKey(session, clip) ? session.take : NOTHING;
}
/** The world with the edits by hand. */
export function worldWith(world: object | undefined, pulls: Pull[]): object | undefined {
    return pulls.length ? { ...world, forces: [...(world as World | undefined)?.forces ?? [], ...pulls] } : world;
}
export const forcesOf = (world: object | undefined): object[] => (world as World | undefined)?.forces ?? [];
export const RECORDED = "recorded.json";
/** How the command line calls the world; null: there is none. */
export const worldName = (session: Session, clip: string | null): string | null => (takeOf(session, clip).pulls.length || isEdited(session.world) ? RECORDED : session.source.world?.name ?? null);

/** Deformers that know their forces since they were bound. */
const CLOSED_FORM = ["beam", "bend", "fourier"];
export const bindsForces = (links: { deformer: string; muted: boolean }[]): boolean => links.some(one => !one.muted && CLOSED_FORM.includes(one.deformer));
/** Deformers whose tissue a hand can hold, and the one among the others that springs load. */
export const SOFT = ["layers", "lattice"], LOADED = "bend";
