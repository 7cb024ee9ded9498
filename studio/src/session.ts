// The whole state of the page as one plain object, and what can be done to it. Nothing here touches the document, a worker or a file.
import type { Bend } from "./bend.ts";
import type { PoseClip } from "./touch/pose.ts";
import type { Take } from "./touch/take.ts";
import type { Touch } from "./touch/tools.ts";
import type { WorldEdit } from "./touch/world.ts";

export type Value = number | boolean | string;

export interface Link {
    deformer: string;
    muted: boolean;
    /** Only what differs from the deformer's own values: "gravity" or, for bones, "bulge@thigh*". */
    values: Record<string, Value>;
}
export interface ChainSpec {
    /** Keeps its identity while its links change, so that undo and the engine know it again. */
    id: number;
    links: Link[];
}
/** A file in the browser's storage. */
export interface FileRef {
    hash: string;
    name: string;
    bytes: number;
}
export interface Source {
    /** "builtin:beast", or a file with those that it references. */
    builtin?: string;
    file?: FileRef;
    /** The user's own file, if `file` was converted from it: "hero.fbx". */
    given?: string;
    beside?: FileRef[];
    unit?: number;
    up?: "x" | "y" | "z";
    /** Its joints are put into a mesh that has none, with automatic weights. */
    skeleton?: FileRef;
    /** Weights are computed from the skeleton and replace those of the file. */
    weights?: "automatic";
    /** Weights painted here, in place of any others (touch/weights_rows.ts). */
    skin?: FileRef;
    /** Motions put onto the rig. */
    motions?: FileRef[];
    /** Sculpts at times of clips. */
    sculpts?: { file: FileRef; clip: string; time: number }[];
    /** Maps by name. */
    maps?: { file: FileRef; name: string }[];
    world?: FileRef;
    /** The same mesh in its right shape, a file a frame. */
    truth?: FileRef[];
    /** Clips of poses made by hand. */
    poses?: PoseClip[];
    /** A joint that the Doctor turns, as one more clip. */
    bend?: Bend;
}
export type Compare = "single" | "wipe" | "side" | "ghost" | "blink";
export type Shading = "clay" | "file" | "checker" | "normals";
export type Heat = "none" | "distance" | "truth" | "stretch" | "roughness" | "weights" | "volume";
export interface Show {
    shading: Shading;
    wire: boolean;
    bones: boolean;
    names: boolean;
    shadow: boolean;
    /** What links draw of themselves: "layers.cage", "lattice.cells". */
    drawn: string[];
    heat: Heat;
    /** The joint whose weights are colored, and whose bone values the chain panel edits. */
    joint: string | null;
    follow: boolean;
    /** Where the skin is cut open: a plane's axis and its place from 0 to 1 of the character's box; null: whole. */
    cut: { axis: "x" | "y" | "z"; at: number } | null;
}
export interface Camera {
    position: [number, number, number];
    target: [number, number, number];
}
export interface Session {
    version: 1;
    source: Source;
    clip: string | null;
    chains: ChainSpec[];
    /** The chain that the panel edits. */
    active: number;
    fps: number;
    /** Seconds of the clip; null: its beginning and end. */
    start: number | null;
    end: number | null;
    /** The clip is a cycle: its end flows into its start. */
    cycle: boolean;
    repeat: boolean;
    speed: number;
    frame: number;
    compare: Compare;
    /** Position of the wipe, 0 to 1 of the view's width. */
    wipe: number;
    /** What the curve under the timeline shows: "volume", "crossings", "stretch", "roughness", "ms", or "" for none. */
    curve: string;
    show: Show;
    camera: Camera | null;
    /** Edits of the motion by hand, and the active tool. */
    take?: Take;
    touch?: Touch;
    /** Gravity, wind and bodies that were set here. */
    world?: WorldEdit;
}

export const link = (deformer: string, values: Record<string, Value> = {}): Link => ({ deformer, muted: false, values });

/** The first five seconds: the beast walks, skinned on the left, alive on the right. */
export function firstSession(): Session {
    return {
        version: 1, source: { builtin: "builtin:beast" }, clip: "walk", chains: [{ id: 1, links: [link("linear")] }, { id: 2, links: [link("layers")] }], active: 2,
        fps: 30, start: null, end: null, cycle: false, repeat: true, speed: 1, frame: 0, compare: "wipe", wipe: 0.5, curve: "volume",
        show: { shading: "file", wire: false, bones: false, names: false, shadow: true, drawn: [], heat: "none", joint: null, follow: true, cut: null }, camera: null,
    };
}

/** The session around another character: its own clip, its own camera, chains as they were, and nothing shown that it does not have. */
export function around(session: Session, source: Source): Session {
    const { show } = session, heat = show.heat === "truth" && !source.truth ? "none" : show.heat;
    return { ...session, source, clip: null, start: null, end: null, cycle: false, frame: 0, camera: null, show: { ...show, joint: null, drawn: [], cut: null, heat } };
}

/** The session with values for joints ("stiffness@Spine*") that are not there left out, and their names. */
export function withoutOthersJoints(session: Session, joints: string[]): { session: Session; left: string[] } {
    const left: string[] = [], meant = (pattern: string) => {
        const as = new RegExp(`^${pattern.replace(/[.+^${}()|[\]\\]/g, "\\$&").replaceAll("*", ".*").replaceAll("?", ".")}$`);
        return joints.some(joint => as.test(joint));
    };
    const values = (all: Record<string, Value>) => Object.fromEntries(Object.entries(all).filter(([name]) => {
        const at = name.indexOf("@"), stays = at < 0 || meant(name.slice(at + 1));
        if (!stays) left.push(name);
        return stays;
    }));
    const chains = session.chains.map(chain => ({ ...chain, links: chain.links.map(one => ({ ...one, values: values(one.values) })) }));
    return { session: left.length ? { ...session, chains } : session, left: [...new Set(left)] };
}

export const MOST_CHAINS = 4; // as many views as a screen can hold side by side

export const chainById = (session: Session, id: number): ChainSpec | undefined => session.chains.find(chain => chain.id === id);
export const activeChain = (session: Session): ChainSpec => chainById(session, session.active) ?? session.chains[0]!;

/** Another object with the chain replaced. */
export function withChain(session: Session, id: number, change: (chain: ChainSpec) => ChainSpec): Session {
    return { ...session, chains: session.chains.map(chain => (chain.id === id ? change(chain) : chain)) };
}
export function withLink(session: Session, id: number, at: number, change: (one: Link) => Link): Session {
    return withChain(session, id, chain => ({ ...chain, links: chain.links.map((one, i) => (i === at ? change(one) : one)) }));
}

/** The links that run, each with how the command line names it: "smooth#2" is the second of its kind. */
export function running(chain: ChainSpec): { link: Link; name: string; at: number }[] {
    const counts = new Map<string, number>(), all = chain.links.filter(one => !one.muted).map(one => one.deformer);
    return chain.links.flatMap((one, at) => {
        if (one.muted) return [];
        const count = (counts.get(one.deformer) ?? 0) + 1, several = all.filter(name => name === one.deformer).length > 1;
        counts.set(one.deformer, count);
        // The bare name would set all of its kind.
        return [{ link: one, name: several ? `${one.deformer}#${count}` : one.deformer, at }];
    });
}

/** The chain's links as `--deform` takes them, without values. */
export function linksText(chain: ChainSpec): string {
    return running(chain).map(({ link: one }) => one.deformer).join(",") || "linear";
}

/** The values as `--set` takes them. */
export function settings(chain: ChainSpec): string[] {
    return running(chain).flatMap(({ link: one, name }) => Object.entries(one.values).map(([parameter, value]) => `${name}.${parameter}=${text(value)}`));
}

export function text(value: Value): string {
    return typeof value === "number" ? String(Number(value.toPrecision(7))) : String(value);
}

/** The chain's name for users. */
export const chainName = (chain: ChainSpec): string => running(chain).map(({ link: one }) => one.deformer).join(" › ") || "linear";

export const sourceName = (source: Source): string => source.builtin?.replace("builtin:", "") ?? source.given ?? source.file?.name ?? "character";

const stemOf = (name: string): string => name.replace(/^builtin:/, "").replace(/[?].*$/, "").replace(/\.[^.]+$/, "");
/** How the command line calls what was given. */
export const givenWord = (source: Source): string => source.builtin ?? source.given ?? source.file?.name ?? "character.glb";
/** What a file with other weights than the given one is called. */
export const weightsName = (source: Source): string => `${stemOf(givenWord(source))}-weights.glb`;
/** The chain's name in bakes. */
export const sourceWord = (source: Source): string => (source.skin || source.skeleton ? weightsName(source) : givenWord(source));

/** Frames of a span, as `supple bake` counts them (sup_frame_count). */
export function frameCount(start: number, end: number, fps: number, cycle: boolean): number {
    const span = (end - start) * fps;
    if (!(span > 0)) return 1;
    const frames = Math.floor(span + 1e-6) + 1;
    return cycle && frames - 1 > span - 1e-6 && frames > 1 ? frames - 1 : frames;
}
export const frameTime = (start: number, fps: number, frame: number): number => start + frame / fps;

const COMPARES: readonly string[] = ["single", "wipe", "side", "ghost", "blink"], SHADINGS: readonly string[] = ["clay", "file", "checker", "normals"];
const HEAT_NAMES: readonly string[] = ["none", "distance", "truth", "stretch", "roughness", "weights", "volume"], CURVE_NAMES: readonly string[] = ["", "volume", "crossings", "stretch", "roughness", "ms"];
type Loose = Record<string, unknown>;
const isObject = (value: unknown): value is Loose => typeof value === "object" && value !== null && !Array.isArray(value);
const isRef = (value: unknown): value is FileRef => isObject(value) && typeof value["hash"] === "string" && typeof value["name"] === "string";
const isPlace = (value: unknown): boolean => Array.isArray(value) && value.length === 3 && value.every(Number.isFinite);
/** The value where it is of the kind of the standard one, else that. */
const like = <T>(value: unknown, standard: T): T => (typeof value === typeof standard && !(typeof value === "number" && !Number.isFinite(value)) ? value as T : standard);
const oneOf = <T extends string>(value: unknown, known: readonly string[], standard: T): T => (known.includes(value as string) ? value as T : standard);
const orNull = <T>(value: unknown, is: (value: unknown) => boolean): T | null => (is(value) ? value as T : null);

function sourceOf(value: Loose): Source | undefined {
    if (typeof value["builtin"] !== "string" && !isRef(value["file"])) return undefined;
    const list = (is: (one: unknown) => boolean) => (one: unknown) => Array.isArray(one) && one.every(is), text = (one: unknown) => typeof one === "string", ofFile = list(one => isObject(one) && isRef(one["file"]));
    const kinds: Record<keyof Source, (one: unknown) => boolean> = {
        builtin: text, file: isRef, given: text, beside: list(isRef), unit: Number.isFinite, up: one => ["x", "y", "z"].includes(one as string), skeleton: isRef, weights: one => one === "automatic", skin: isRef,
        motions: list(isRef), sculpts: ofFile, maps: ofFile, world: isRef, truth: list(isRef), poses: list(one => isObject(one) && text(one["clip"]) && list(key => isObject(key) && Number.isFinite(key["time"]) && isObject(key["turn"]) && isObject(key["move"]))(one["keys"])),
        bend: one => isObject(one) && text(one["joint"]) && isPlace(one["axis"]) && Number.isFinite(one["from"]) && Number.isFinite(one["to"]),
    };
    return Object.fromEntries(Object.entries(value).filter(([name, one]) => kinds[name as keyof Source]?.(one))) as Source;
}

/** The session in what came from the address or from a file, where anything may stand; undefined: there is none. What is missing or of another kind is as in the first one. */
export function sessionOf(value: unknown): Session | undefined {
    if (!isObject(value) || value["version"] !== 1 || !isObject(value["source"]) || !Array.isArray(value["chains"])) return undefined;
    const first = firstSession(), source = sourceOf(value["source"]), show = isObject(value["show"]) ? value["show"] : {}, cut = isObject(show["cut"]) ? show["cut"] : {}, camera = isObject(value["camera"]) ? value["camera"] : {};
    const links = (all: unknown) => (Array.isArray(all) ? all : []).filter(one => isObject(one) && typeof one["deformer"] === "string")
        .map((one: Loose) => ({ deformer: one["deformer"] as string, muted: one["muted"] === true, values: Object.fromEntries(Object.entries(isObject(one["values"]) ? one["values"] : {}).filter(([, each]) => ["number", "boolean", "string"].includes(typeof each))) as Record<string, Value> }));
    const chains = value["chains"].filter(isObject).map(chain => ({ id: chain["id"] as number, links: links(chain["links"]) })).filter((chain, i, all) => Number.isInteger(chain.id) && chain.id > 0 && chain.links.length && all.findIndex(one => one.id === chain.id) === i);
    if (!source || !chains.length || chains.length > MOST_CHAINS) return undefined;
    const number = (one: unknown) => typeof one === "number" && Number.isFinite(one), text = (one: unknown) => typeof one === "string", fps = like(value["fps"], first.fps);
    const { take, touch, world } = value;
    return {
        version: 1, source, clip: orNull(value["clip"], text), chains, active: like(value["active"], chains[0]!.id), fps: fps > 0 && fps <= 240 ? fps : first.fps,
        start: orNull(value["start"], number), end: orNull(value["end"], number), cycle: like(value["cycle"], false), repeat: like(value["repeat"], true), speed: like(value["speed"], 1),
        frame: Math.max(0, Math.round(like(value["frame"], 0))), compare: oneOf(value["compare"], COMPARES, chains.length > 1 ? "wipe" : "single"), wipe: Math.max(0, Math.min(1, like(value["wipe"], 0.5))), curve: oneOf(value["curve"], CURVE_NAMES, first.curve),
        show: {
            shading: oneOf(show["shading"], SHADINGS, first.show.shading), wire: like(show["wire"], false), bones: like(show["bones"], false), names: like(show["names"], false), shadow: like(show["shadow"], true),
            drawn: Array.isArray(show["drawn"]) ? show["drawn"].filter(text) : [], heat: oneOf(show["heat"], HEAT_NAMES, first.show.heat), joint: orNull(show["joint"], text), follow: like(show["follow"], true),
            cut: ["x", "y", "z"].includes(cut["axis"] as string) && number(cut["at"]) ? cut as Show["cut"] : null,
        },
        camera: isPlace(camera["position"]) && isPlace(camera["target"]) ? camera as unknown as Camera : null,
        ...(isObject(take) && typeof take["of"] === "string" && number(take["hold"]) && Array.isArray(take["pulls"]) ? { take: take as unknown as Take } : {}),
        ...(isObject(touch) && typeof touch["tool"] === "string" ? { touch: touch as unknown as Touch } : {}), ...(isObject(world) && Array.isArray(world["bodies"]) ? { world: world as unknown as WorldEdit } : {}),
    };
}
