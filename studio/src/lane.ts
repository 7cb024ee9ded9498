// One worker with the library and the character in it. Chains bind and play in lanes of their own, so that none waits for another.
import { type Character, type CharacterInfo, type Remote, type Supple, SuppleError, compile, connect, maySharedMemory } from "supple-skin";
import { bendClip } from "./bend.ts";
import { fileBytes } from "./files.ts";
import { type FileRef, type Source, weightsName } from "./session.ts";
import { weightsIn } from "./touch/weights_rows.ts";
import { type PoseClip, posesText } from "./touch/pose.ts";

const MOST_THREADS = 4; // of one lane: several play at a time, and the page wants a core too

/** What of a source makes another character. */
export const characterKey = (source: Source): string => JSON.stringify({ ...source, world: undefined, maps: undefined, truth: undefined, sculpts: undefined, skin: undefined, poses: undefined });
/** Maps belong to the character, but they change while it plays: only chains bind again with them. */
export const mapsKey = ({ maps = [] }: Source): string => maps.map(({ name, file }) => `${name}=${file.hash}`).join();
/** So do sculpts: chains that are driven by them bind again. */
export const sculptsKey = ({ sculpts = [] }: Source): string => sculpts.map(({ clip, time, file }) => `${clip}@${time}=${file.hash}`).join();

/** So are painted weights, which every chain is bound with. */
export const skinKey = ({ skin }: Source): string => skin?.hash ?? "";
const MOST_GROWN = 64e6; // bytes of weights and sculpts that were replaced: the core gives them back with the character

/** Poses made by hand are clips that change while playing; only chains that play one bind again. */
export const posesKey = ({ poses = [] }: Source, clip?: string | null): string => JSON.stringify(clip === undefined ? poses : poses.filter(one => one.clip === clip));

let compiled: Promise<WebAssembly.Module> | undefined;
/** The module, compiled once for all lanes, while it arrives. */
export function coreModule(): Promise<WebAssembly.Module> {
    compiled ??= fetch(new URL("./supple.wasm", import.meta.url)).then(answer => {
        if (!answer.ok) throw new Error(`supple.wasm: the server answered ${answer.status}; reload the page`);
        return compile(answer);
    });
    compiled.catch(() => (compiled = undefined));
    return compiled;
}

export class Lane {
    character!: Remote<Character>;
    motions: MotionSaid[] = [];
    private key = "";
    private maps: NonNullable<Source["maps"]> = [];
    private sculpts = "";
    private skin = "";
    private old = 0;
    private poses: PoseClip[] = [];

    private constructor(readonly supple: Remote<Supple>) {}

    /** quick: on one thread, which starts soonest and is all that plain skinning needs. */
    static async open(quick = false): Promise<Lane> {
        const threads = !quick && maySharedMemory() ? Math.max(1, Math.min(MOST_THREADS, navigator.hardwareConcurrency || 1)) : 1;
        return new Lane(await connect({ threads, wasm: await coreModule() }));
    }

    /** Loads the character, unless it is there. */
    async load(source: Source): Promise<void> {
        const key = characterKey(source), maps = source.maps ?? [], poses = source.poses ?? [];
        // A map or poses in place of others are given; what is gone needs the file again. So do the file's own sculpts and weights, when those of the session are gone.
        if (this.key === key && this.old < MOST_GROWN && this.maps.every(old => maps.some(one => one.name === old.name)) && this.poses.every(old => poses.some(one => one.clip === old.clip)) && (!this.sculpts || source.sculpts?.length) && (!this.skin || source.skin)) {
            for (const one of poses) if (!this.poses.includes(one) && !this.poses.some(old => JSON.stringify(old) === JSON.stringify(one))) await putPoses(this.character, one);
            this.poses = poses;
            for (const { name, file } of maps) if (!this.maps.some(old => old.name === name && old.file.hash === file.hash)) await this.character.map(name, numbersOf(file.name, await fileBytes(file)));
            this.maps = maps;
            await this.takeSkin(source);
            return this.takeSculpts(source);
        }
        if (this.key) await this.character.free();
        this.key = "";
        ({ character: this.character, motions: this.motions } = await read(this.supple, source));
        this.key = key;
        this.maps = maps;
        this.poses = poses;
        this.sculpts = this.skin = this.given = "";
        this.old = 0;
        await this.takeSkin(source);
        await this.takeSculpts(source);
    }

    private given = "";
    /** Meshes that bodies of the world name, handed over to the character that is loaded. */
    async props(files: FileRef[] = []): Promise<void> {
        const key = files.map(one => `${one.name}=${one.hash}`).join();
        if (key === this.given) return;
        for (const one of files) await this.character.prop(one.name, await fileBytes(one));
        this.given = key;
    }

    /** So many bytes were replaced in the character. */
    grown(bytes: number): void { this.old += bytes; }

    private async takeSkin(source: Source): Promise<void> {
        const key = skinKey(source);
        if (key === this.skin) return;
        this.skin = key;
        const { begin, joints, values } = weightsIn(await fileBytes(source.skin!));
        await this.character.weights(begin, joints, values);
        this.grown(source.skin!.bytes);
    }

    /** Sculpts of the session, in place of those that the character brings, as `--example` has it. */
    private async takeSculpts(source: Source): Promise<void> {
        const key = sculptsKey(source);
        if (key === this.sculpts) return;
        this.sculpts = key;
        await this.character.example({});
        for (const { file, clip, time } of source.sculpts ?? []) {
            const sculpt = await this.supple.load(file.name, await fileBytes(file));
            await this.character.example({ name: file.name, ...(clip ? { clip } : {}), time }, await sculpt.array("points") as Float32Array);
            await sculpt.free();
            this.grown(file.bytes);
        }
    }

    close(): void {
        void this.supple.close().catch(() => undefined);
    }
}

/** Whether the lane is of no use after this error: the worker died, or the module stopped in the middle. */
export function isFatal(error: unknown): boolean {
    return !(error instanceof SuppleError) || error.code === "dead" || error.code === "memory";
}

/** What the rigging functions of the core say of a motion. */
export interface MotionSaid {
    name: string;
    clip: string;
    guessed: number;
    pairs: number;
    without: string[];
}

async function read(supple: Remote<Supple>, source: Source): Promise<{ character: Remote<Character>; motions: MotionSaid[] }> {
    const options = { ...(source.unit === undefined ? {} : { unit: source.unit }), ...(source.up === undefined ? {} : { up: source.up }) };
    let character = await loaded(supple, source, options);
    if (source.skeleton) {
        // As `supple weights --skeleton` leaves it: read from a file, joints stand in the order of files, and sums of their shares have the same bits.
        const rigged = await character.weigh({}, undefined, { name: source.skeleton.name, bytes: await fileBytes(source.skeleton) }), file = await rigged.write();
        await Promise.all([character.free(), rigged.free()]);
        character = await supple.load(weightsName(source), file);
    } else if (source.weights === "automatic") {
        const weighed = await character.weigh({});
        await character.free();
        character = weighed;
    }
    for (const { file, name } of source.maps ?? []) await character.map(name, numbersOf(file.name, await fileBytes(file)));
    const motions: MotionSaid[] = [];
    for (const file of source.motions ?? []) {
        const { clip, guessed, pairs, without_partner: without } = await character.motion(file.name, await fileBytes(file), {});
        motions.push({ name: file.name, clip, guessed, pairs: pairs.length, without });
    }
    for (const one of source.poses ?? []) await putPoses(character, one);
    if (source.bend) {
        const [{ joints }, rest] = await Promise.all([character.inspect(), character.array("joint_rest")]), { name, fps, local } = bendClip(joints, rest as Float32Array, source.bend);
        await character.clip({ name, fps }, local);
    }
    return { character, motions };
}

const putPoses = (character: Remote<Character>, poses: PoseClip) => character.motion(`${poses.clip}.json`, new TextEncoder().encode(posesText(poses)));

/** A map's numbers: a JSON array, or text with blanks, commas or lines between. */
export function numbersOf(name: string, bytes: Uint8Array): Float32Array {
    const values = new TextDecoder().decode(bytes).replace(/[[\],;]/g, " ").trim().split(/\s+/).map(Number), bad = values.findIndex(value => !Number.isFinite(value));
    if (!values.length || bad >= 0) throw new SuppleError(`'${name}' is not a map: ${bad >= 0 ? `entry ${bad + 1} is not a number` : "it is empty"}; give one number from 0 to 1 a point`, "input");
    return Float32Array.from(values);
}

async function loaded(supple: Remote<Supple>, source: Source, options: { unit?: number; up?: "x" | "y" | "z" }): Promise<Remote<Character>> {
    if (source.builtin) return supple.load(source.builtin, undefined, options);
    const file = source.file;
    if (!file) throw new SuppleError("the session names no character; drop one", "input");
    const beside: Record<string, Uint8Array> = {};
    for (const one of source.beside ?? []) beside[one.name] = await fileBytes(one);
    return supple.load(file.name, await fileBytes(file), options, beside);
}

/** Whether joints move its skin: a plain mesh has one that carries all of it. */
export const rigged = (info: CharacterInfo | undefined): boolean => info?.joints.some(one => one.skin) ?? false;

/** What is drawn of a character: its surface in stored vertices, and its skeleton. */
export interface Shape {
    info: CharacterInfo;
    /** Three floats a point, at rest. */
    points: Float32Array;
    vertexPoints: Uint32Array;
    /** Corners of polygons, and where each begins. */
    faceBegin: Uint32Array;
    cornerVertices: Uint32Array;
    weightBegin: Uint32Array;
    weightJoints: Uint32Array;
    weightValues: Float32Array;
    jointRest: Float32Array;
    /** Three floats a point, linear: its vertex colors or its materials' base colors. */
    colors: Float32Array | undefined;
}

export async function shapeOf(character: Remote<Character>): Promise<Shape> {
    const [info, points, vertexPoints, faceBegin, cornerVertices, weightBegin, weightJoints, weightValues, jointRest, colors] = await Promise.all([
        character.inspect(), character.array("points"), character.array("vertex_points"), character.array("face_begin"), character.array("corner_vertices"),
        character.array("weight_begin"), character.array("weight_joints"), character.array("weight_values"), character.array("joint_rest"),
        character.array("colors").catch(() => undefined), // a file without colors has no such array
    ]);
    return { info, points, vertexPoints, faceBegin, cornerVertices, weightBegin, weightJoints, weightValues, jointRest, colors } as Shape;
}
