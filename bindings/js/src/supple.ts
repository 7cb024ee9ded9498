// Names, texts and arrays over the flat functions: sessions, characters, chains, players and bakes.
import { type Exports, type Imports, type Instance, type Place, inNode, maySharedMemory, ofNodeItself, start } from "./module.ts";
import { heightsOf } from "./ripples.ts";
import type {
    BakeInfo, BakeOptions, ChainInfo, ChainOptions, CharacterArrays, CharacterInfo, CheckOptions, Checkup, DeformerInfo, Drawing, Errors, FitOptions,
    LoadOptions, Measures, MeshArrays, MotionOptions, MotionReport, PlayOptions, Progress, WeightOptions,
} from "./types.ts";
import { bytesOf, floatsOf, indicesOf } from "./numbers.ts";

const ABI = 5;
const INDICES = /^(corners|face_sizes|weight_begin|weight_joints)(#|$)/;
const CODES = ["ok", "input", "file", "memory", "cancelled", "dead", "busy"] as const;
const decoder = new TextDecoder();
const encoder = new TextEncoder();
type Numbers = Float32Array | Float64Array | Uint32Array | Uint8Array;
type Kind = { new (buffer: ArrayBufferLike, at: number, count: number): Numbers };

/** The library's error: the message names the object and the cure. */
export class SuppleError extends Error {
    override name = "SuppleError";
    constructor(message: string, readonly code: (typeof CODES)[number]) {
        super(message);
    }
}

export interface OpenOptions {
    /** How many threads share the work; by default one per core, up to eight, if memory can be shared, else one. */
    threads?: number;
    /** The bytes of supple.wasm, if the page has fetched them itself, or the module that `compile` made from them: compiled once for any number of workers. */
    wasm?: BufferSource | WebAssembly.Module;
}

/** The module's memory, and calls that pass texts and arrays through it. */
class Door {
    private listener: Progress | undefined;
    private thrown: unknown;
    private beside: Record<string, Uint8Array> = {};
    private instance!: Instance;
    private scratch = 0;

    static async open(place: Place, options: OpenOptions): Promise<Door> {
        const door = new Door();
        const imports: Imports = {
            progress: (_user, fraction, what) => door.report(fraction, what),
            read: (_user, path, out, room) => door.read(path, out, room),
        };
        const cores = async () => inNode ? (await ofNodeItself("os")).cpus().length : navigator.hardwareConcurrency;
        const threads = options.threads ?? (maySharedMemory() ? Math.min(await cores() || 1, 8) : 1);
        if (!Number.isInteger(threads) || threads < 1 || threads > 256)
            throw new SuppleError(`threads must be a whole number from 1 to 256, not ${threads}`, "input");
        door.instance = await start(place, threads, imports, options.wasm);
        if (door.call("flat_abi") !== ABI) throw new SuppleError("supple.wasm is of another version than the JavaScript beside it", "input");
        door.scratch = door.alloc(8);
        return door;
    }

    get session(): number { return this.instance.session; }
    get threads(): number { return this.instance.threads; }
    get exports(): Exports { return this.instance.exports; }

    call(name: string, ...parameters: (number | bigint)[]): number {
        const callee = this.exports[name];
        if (!callee) throw new SuppleError(`this build of the module was made without ${name} (SUPPLE_WITHOUT)`, "input");
        return Number(callee(...parameters));
    }

    error(handle: number): SuppleError {
        const sentence = this.text(this.call("flat_error", handle));
        return new SuppleError(sentence, CODES[this.call("flat_status_of", handle)] ?? "input");
    }

    /** Throws the handle's error if the status is not 0. */
    check(handle: number, status: number): void {
        if (status) throw new SuppleError(this.text(this.call("flat_error", handle)), CODES[status] ?? "input");
    }

    text(at: number): string {
        if (!at) return "";
        const bytes = new Uint8Array(this.instance.memory.buffer, at);
        return decoder.decode(bytes.slice(0, bytes.indexOf(0))); // shared memory must be copied from
    }

    json<T>(handle: number, at: number): T {
        if (!at) throw this.error(handle);
        return JSON.parse(this.text(at)) as T;
    }

    view<T extends Numbers>(kind: Kind, at: number, count: number): T {
        return new kind(this.instance.memory.buffer, at, count) as T;
    }

    /** Copies texts and arrays into the module's memory for the duration of a call. */
    lend<T>(lent: (string | Numbers | undefined)[], use: (...at: number[]) => T): T {
        const places: number[] = [];
        try {
            for (const one of lent) places.push(this.put(one));
            return use(...places);
        } finally {
            for (const at of places) if (at) this.call("flat_release", at);
        }
    }

    /** The same for calls with progress; an error that the listener throws stops the work and is thrown again. */
    listen<T>(progress: Progress | undefined, use: (pointer: number) => T): T {
        if (progress && typeof progress !== "function") throw new SuppleError("the listener of progress must be a function", "input");
        this.listener = progress;
        this.thrown = undefined;
        try {
            const made = use(progress ? this.call("supple_progress") : 0);
            if (this.thrown) throw this.thrown;
            return made;
        } finally {
            this.listener = undefined;
        }
    }

    withFiles<T>(files: Record<string, Uint8Array> | undefined, use: (pointer: number) => T): T {
        this.beside = Object.fromEntries(Object.entries(files ?? {}).map(([name, bytes]) => [name, bytesOf(`the bytes of ${name}`, bytes)]));
        try {
            return use(files ? this.call("supple_read") : 0);
        } finally {
            this.beside = {};
        }
    }

    /** An array of a handle, in place: a view that the next call may invalidate. */
    array<T extends Numbers>(handle: number, name: string, kind: Kind): T {
        const at = this.lend([name], text => this.call("flat_array", handle, text, this.scratch));
        const count = Number(this.view<Float64Array>(BigUint64Array as unknown as Kind, this.scratch, 1)[0]);
        if (!at && !count && this.call("flat_status_of", handle)) throw this.error(handle);
        return this.view<T>(kind, at, count);
    }

    written(handle: number): Uint8Array {
        const at = this.call("flat_write", handle, this.scratch);
        if (!at) throw this.error(handle);
        return this.view<Uint8Array>(Uint8Array, at, Number(this.view<Float64Array>(BigUint64Array as unknown as Kind, this.scratch, 1)[0])).slice();
    }

    end(): Promise<void> { return this.instance.end(); }

    alloc(bytes: number): number {
        const at = this.call("flat_alloc", BigInt(bytes));
        if (!at) throw new SuppleError(`out of memory: ${bytes} bytes more do not fit; use a smaller character`, "memory");
        return at;
    }

    private put(one: string | Numbers | undefined): number {
        if (one === undefined) return 0;
        if (typeof one !== "string" && !ArrayBuffer.isView(one)) throw new SuppleError(`a text was expected, not ${one === null ? "null" : typeof one}`, "input");
        const bytes = typeof one === "string" ? encoder.encode(`${one}\0`) : new Uint8Array(one.buffer, one.byteOffset, one.byteLength);
        const at = this.alloc(bytes.length);
        new Uint8Array(this.instance.memory.buffer, at, bytes.length).set(bytes);
        return at;
    }

    private report(fraction: number, what: number): number {
        try {
            return this.listener?.(fraction, this.text(what)) === false ? 0 : 1;
        } catch (error) {
            this.thrown = error;
            return 0;
        }
    }

    private read(path: number, out: number, room: bigint): bigint {
        const bytes = this.beside[this.text(path)];
        if (!bytes) return -1n;
        if (out && Number(room) >= bytes.length) new Uint8Array(this.instance.memory.buffer, out, bytes.length).set(bytes);
        return BigInt(bytes.length);
    }
}

/** An object with a handle. Call free() when it is no longer needed; objects that still use it keep it alive. */
class Thing {
    /** @internal */
    constructor(protected readonly door: Door, protected readonly handle: number, protected readonly living: Set<Thing>) {
        living.add(this);
    }

    free(): void {
        this.living.delete(this);
        this.door.call("flat_free", this.handle);
    }

    protected checkup(options: CheckOptions, progress?: Progress): Checkup {
        return this.door.lend([JSON.stringify(options)], text => this.door.json<Checkup>(this.handle,
            this.door.listen(progress, told => this.door.call("flat_check", this.handle, text!, told, 0))));
    }

    protected make(handle: number): number {
        if (!handle) throw this.door.error(this.handle);
        return handle;
    }
}

const KINDS: Record<string, Kind> = {
    triangles: Uint32Array, vertex_points: Uint32Array, face_begin: Uint32Array, corner_points: Uint32Array, corner_vertices: Uint32Array,
    weight_begin: Uint32Array, weight_joints: Uint32Array, cell_joints: Uint32Array,
};
export type CharacterArray =
    | "points" | "triangles" | "vertex_points" | "face_begin" | "corner_points" | "corner_vertices" | "weight_begin" | "weight_joints" | "weight_values"
    | "cell_centers" | "cell_joints" | "cell_values"
    | "normals" | "joint_rest" | "joint_inverse_bind" | "colors" | `map:${string}`;
type ArrayOf<N extends CharacterArray> =
    N extends "triangles" | "vertex_points" | "face_begin" | "corner_points" | "corner_vertices" | "weight_begin" | "weight_joints" | "cell_joints" ? Uint32Array : Float32Array;

/** A mesh with its skeleton, weights, clips and maps. */
export class Character extends Thing {
    /** Counts, parts, joints, clips, morphs, maps, warnings. */
    inspect(): CharacterInfo {
        return this.door.json(this.handle, this.door.call("flat_inspect", this.handle));
    }

    /** Copies one of its arrays. */
    array<N extends CharacterArray>(name: N): ArrayOf<N> {
        return this.door.array(this.handle, name, KINDS[name] ?? Float32Array).slice() as ArrayOf<N>;
    }

    /** Adds a painted map, 0 to 1 for each point or each stored vertex. Existing chains do not see it. */
    map(name: string, values: ArrayLike<number>): void {
        const own = floatsOf("the values of a map", values);
        this.door.lend([name, own], (text, at) => this.door.check(this.handle, this.door.call("flat_map", this.handle, text, at, BigInt(own.length))));
    }

    /** Adds a sculpt at a time of a clip, three floats per point or stored vertex. Without a time, drops all sculpts. */
    example(description: { name?: string; clip?: string; time?: number; rest_space?: boolean }, points?: ArrayLike<number>): void {
        const own = points && floatsOf("the points of a sculpt", points);
        this.door.lend([JSON.stringify(description), own], (text, at) =>
            this.door.check(this.handle, this.door.call("flat_example", this.handle, text, at, BigInt(own?.length ?? 0))));
    }

    /**
     * Replaces the skin weights: point i follows joints[k] by values[k], k from begin[i] to begin[i + 1] - 1. They are
     * rounded to steps of 2^-22 that sum to exactly 1, so that a file from write() reads back to the same bits;
     * array("weight_values") returns them.
     */
    weights(begin: ArrayLike<number>, joints: ArrayLike<number>, values: ArrayLike<number>): void {
        const rows = indicesOf("weights: begin", begin), own = indicesOf("weights: joints", joints), shares = floatsOf("weights: values", values);
        if (own.length !== shares.length) throw new SuppleError(`weights: ${own.length} joints and ${shares.length} values`, "input");
        this.door.lend([rows, own, shares], (from, which, by) => this.door.check(this.handle,
            this.door.call("flat_weights", this.handle, from, BigInt(rows.length), which, by, BigInt(shares.length))));
    }

    /** Adds a motion: for every frame ten floats per joint, and one weight per morph. */
    clip(description: { name: string; fps: number }, local: ArrayLike<number>, morphs?: ArrayLike<number>): void {
        const own = floatsOf("a motion", local), shapes = morphs && floatsOf("the morphs of a motion", morphs);
        this.door.lend([JSON.stringify(description), own, shapes], (text, at, weights) => this.door.check(this.handle,
            this.door.call("flat_clip", this.handle, text, at, BigInt(own.length), weights, BigInt(shapes?.length ?? 0))));
    }

    /** Fits a rig to shapes of the mesh, frame after frame, with their motion as the clip "fit". */
    fit(frames: ArrayLike<number>, options: FitOptions = {}, progress?: Progress): Character {
        const own = floatsOf("the shapes", frames);
        const made = this.door.lend([JSON.stringify(options), own], (text, at) =>
            this.door.listen(progress, told => this.door.call("flat_fit", this.handle, text, at, BigInt(own.length), told, 0)));
        return new Character(this.door, this.make(made), this.living);
    }

    /**
     * Adds the motion of a file (.bvh, or a clip of another character's file) as a new clip on this character's joints. The report says which
     * joint follows which; pairs found by "shape" are guesses, and `map` corrects them.
     */
    motion(name: string, bytes: Uint8Array | ArrayBuffer, options: MotionOptions = {}, files?: Record<string, Uint8Array>): MotionReport {
        const own = bytesOf(`the bytes of ${name}`, bytes);
        return this.door.lend([name, JSON.stringify(options), own], (text, wanted, at) => this.door.withFiles(files, read =>
            this.door.json<MotionReport>(this.handle, this.door.call("flat_motion", this.handle, text!, at!, BigInt(own.length), wanted!, read, 0))));
    }

    /**
     * Makes a new character with this mesh and automatic weights: for its own joints, or for those of a skeleton file (.bvh, .tgf, a
     * character's), which are fitted into the mesh. inspect().weights is the report.
     */
    weigh(options: WeightOptions = {}, progress?: Progress, skeleton?: { name: string; bytes: Uint8Array }): Character {
        const own = skeleton && bytesOf(`the bytes of ${skeleton.name}`, skeleton.bytes);
        const made = this.door.lend([skeleton?.name, own, JSON.stringify(options)], (name, at, text) =>
            this.door.listen(progress, told => this.door.call("flat_weigh", this.handle, name!, at!, BigInt(own?.length ?? 0), text!, told, 0)));
        return new Character(this.door, this.make(made), this.living);
    }

    /** The doctor: sweeps every joint under several chains and lists the worst first. Without chains: every deformer that fits and needs no settling. */
    check(options: CheckOptions = {}, progress?: Progress): Checkup {
        return this.checkup(options, progress);
    }

    /** The character as the bytes of a GLB. */
    write(): Uint8Array {
        return this.door.written(this.handle);
    }

    /** Provides a mesh that bodies of worlds name, for chains made from now on; undefined removes it. */
    prop(name: string, bytes: Uint8Array | undefined): void {
        const own = bytes && bytesOf(`the bytes of ${name}`, bytes);
        this.door.lend([name, own], (text, at) => this.door.check(this.handle, this.door.call("flat_prop", this.handle, text!, at!, BigInt(own?.length ?? 0))));
    }

    /** Binds deformers in a row to the character: "layers", or options. */
    chain(options: string | ChainOptions, progress?: Progress): Chain {
        const description = JSON.stringify(typeof options === "string" ? { links: options } : options);
        const made = this.door.lend([description], text =>
            this.door.listen(progress, told => this.door.call("flat_chain", this.handle, text, told, 0)));
        return new Chain(this.door, this.make(made), this.living);
    }
}

/** Deformers in a row, bound to a character. */
export class Chain extends Thing {
    /** The links with the values of their parameters, and which parameters have no effect here and why. */
    describe(): ChainInfo {
        return this.door.json(this.handle, this.door.call("flat_describe", this.handle));
    }

    /** The doctor for this chain as it is bound, after those of `chains`: checking one joint at a time does not bind again. */
    check(options: CheckOptions = {}, progress?: Progress): Checkup {
        return this.checkup(options, progress);
    }

    play(options: PlayOptions = {}): Player {
        return new Player(this.door, this.make(this.door.lend([JSON.stringify(options)], text => this.door.call("flat_play", this.handle, text))), this.living);
    }

    /** Bakes all frames of a clip: to an array, or to the bytes of a file. */
    bake(options: BakeOptions = {}, progress?: Progress): Bake {
        const description = JSON.stringify(options.file === undefined ? options : { ...options, memory: true });
        const made = this.door.lend([description], text =>
            this.door.listen(progress, told => this.door.call("flat_bake", this.handle, text, told, 0)));
        return new Bake(this.door, this.make(made), this.living);
    }
}

/** Plays a chain over a clip, or with poses from a live host. */
export class Player extends Thing {
    private local = 0;
    private weights = 0;
    private room = [0, 0];

    /**
     * The skin at a time, forward or backward: three floats per point, a view that is valid until the next call. The same bits for the same
     * time, whatever was evaluated before: a simulation restores its nearest snapshot and steps forward from there.
     */
    evaluate(seconds: number): Float32Array {
        this.door.check(this.handle, this.door.call("flat_evaluate", this.handle, seconds, 0, 0n));
        return this.skin();
    }

    /**
     * The skin `dt` seconds later in the host's pose: ten floats per joint (translation, rotation x y z w, scale, from the parent) and one
     * weight per morph. teleport: the root has jumped, and the jump is not motion.
     */
    live(dt: number, local: ArrayLike<number>, morphs?: ArrayLike<number>, teleport = false): Float32Array {
        const pose = floatsOf("a pose", local), shapes = morphs && floatsOf("the weights of morphs", morphs);
        this.local = this.keep(0, this.local, pose.length);
        this.door.view<Float32Array>(Float32Array, this.local, pose.length).set(pose);
        if (shapes) {
            this.weights = this.keep(1, this.weights, shapes.length);
            this.door.view<Float32Array>(Float32Array, this.weights, shapes.length).set(shapes);
        }
        this.door.check(this.handle, this.door.call("flat_live", this.handle, dt, this.local, BigInt(pose.length), shapes ? this.weights : 0,
            BigInt(shapes?.length ?? 0), teleport ? 1 : 0, 0, 0n));
        return this.skin();
    }

    /** Sets a parameter while playing: "layers.gravity". Only those with `stage` "frame" in deformers(); others, and the world, need a new chain. */
    set(parameter: string, value: number): void {
        this.door.lend([parameter], text => this.door.check(this.handle, this.door.call("flat_set", this.handle, text, value)));
    }

    /**
     * Replaces the forces of the world (its member `forces`) from second `from` on; what follows is simulated again. A hand that pulls adds a
     * key per frame; a chain bound with the final forces gives the same bits.
     */
    forces(forces: object[], from: number): void {
        this.door.lend([JSON.stringify(forces)], text => this.door.check(this.handle, this.door.call("flat_forces", this.handle, text, from)));
    }

    /**
     * Moves the chain's bodies (the member `bodies` of its world, with the same count, kinds and meshes) from second `from` on. A ball that
     * follows a pointer gets a key per frame; a chain bound with the final bodies gives the same bits.
     */
    bodies(bodies: object[], from: number): void {
        this.door.lend([JSON.stringify(bodies)], text => this.door.check(this.handle, this.door.call("flat_bodies", this.handle, text, from)));
    }

    /** The newtons a spring of the world pulled with in the last step, by its index in the list of forces; 0: no link applied it. */
    felt(force: number): number {
        return this.door.call("flat_felt", this.handle, force);
    }

    /** Holds the pose from this second of the clip on, as `supple bake --hold` does after --end; 0: the clip plays on. */
    hold(still: number): void {
        this.door.check(this.handle, this.door.call("flat_hold", this.handle, still));
    }

    /** The frame's points again, in place. */
    skin(): Float32Array {
        return this.door.array(this.handle, "skin", Float32Array);
    }

    /** The frame's morph weights, as `live` takes them. */
    morphs(): Float32Array {
        return this.door.array(this.handle, "morph_weights", Float32Array);
    }

    /** The frame's pose: ten floats per joint. */
    pose(): Float32Array {
        return this.door.array<Float32Array>(this.handle, "local", Float32Array).slice();
    }

    /**
     * Folds of the frame that are too fine for its points, for shading: for each ripple its wave x y z in radians per unit, cosine and sine of its
     * phase, and its height; the same number for each point. Empty unless the last link has them, as `wrinkle` does. `Relief` of supple-skin/three
     * draws them.
     */
    ripples(): Float32Array {
        return this.door.array(this.handle, "ripples", Float32Array);
    }

    /** Only the heights: the rest of a ripple is the same in every frame. */
    rippleHeights(): Float32Array {
        return heightsOf(this.ripples());
    }

    /** The frame's hash: 16 digits, as `supple bake --hashes` prints. */
    hash(): string {
        const at = this.door.call("flat_hash", this.handle);
        if (!at) throw this.door.error(this.handle);
        return this.door.text(at);
    }

    measure(): Measures {
        return this.door.json(this.handle, this.door.call("flat_measure", this.handle));
    }

    /** Distances of the frame to a truth of three floats per point. */
    errors(truth: ArrayLike<number>): Errors {
        const own = floatsOf("the truth", truth);
        return this.door.lend([own], at => this.door.json<Errors>(this.handle, this.door.call("flat_errors", this.handle, at, BigInt(own.length))));
    }

    /**
     * A value for each point: log2 of its worst edge's stretch, the change of curvature, the change of its part's volume as a fraction, the
     * weight of a joint ("weight:Spine"), a map ("map:soft"), or the distance to the points of another frame.
     */
    values(what: "stretch" | "roughness" | "volume" | "distance" | `weight:${string}` | `map:${string}`, others?: ArrayLike<number>): Float32Array {
        if (what !== "distance") return this.filled([what], this.skin().length / 3, (at, count, text) => this.door.call("flat_values", this.handle, text!, at, count));
        const given = floatsOf("the other points", others ?? []);
        return this.filled([given], this.skin().length / 3, (at, count, places) =>
            this.door.call("flat_distances", this.handle, places!, BigInt(given.length), at, count));
    }

    /** Unit normals of the frame, three floats per stored vertex; `vertices` from the character's inspect(). */
    normals(vertices: number): Float32Array {
        if (!Number.isInteger(vertices) || vertices < 0) throw new SuppleError("normals take the number of stored vertices, inspect().vertices", "input");
        return this.filled([], 3 * vertices, (at, count) => this.door.call("flat_normals", this.handle, at, count));
    }

    /** What a link draws of its internals in the frame. */
    draw(link: number, what?: string): Drawing {
        this.door.lend([what], text => this.door.check(this.handle, this.door.call("flat_draw", this.handle, link, text)));
        const [lines, points, triangles] = ["draw_lines", "draw_points", "draw_triangles"].map(name => this.door.array<Float32Array>(this.handle, name, Float32Array).slice());
        const names = decoder.decode(this.door.array<Uint8Array>(this.handle, "draw_names", Uint8Array).slice()).split("\n").filter(Boolean);
        return { lines: lines!, points: points!, triangles: triangles!, names };
    }

    override free(): void {
        for (const at of [this.local, this.weights]) if (at) this.door.call("flat_release", at);
        this.local = this.weights = 0;
        this.room = [0, 0];
        super.free();
    }

    private keep(which: number, at: number, floats: number): number {
        if (at && this.room[which]! >= floats) return at;
        if (at) this.door.call("flat_release", at);
        this.room[which] = floats;
        return this.door.alloc(4 * floats);
    }

    private filled(lent: (string | Float32Array)[], floats: number, fill: (at: number, count: bigint, other?: number) => number): Float32Array {
        return this.door.lend([new Float32Array(floats), ...lent], (at, other) => {
            this.door.check(this.handle, fill(at!, BigInt(floats), other));
            return this.door.view<Float32Array>(Float32Array, at!, floats).slice();
        });
    }
}

/** The result of a bake. */
export class Bake extends Thing {
    inspect(): BakeInfo {
        return this.door.json(this.handle, this.door.call("flat_inspect", this.handle));
    }

    /** All frames one after the other, three floats per point; an error if they went to a file. */
    points(): Float32Array {
        return this.door.array<Float32Array>(this.handle, "points", Float32Array).slice();
    }

    times(): Float64Array {
        return this.door.array<Float64Array>(this.handle, "times", Float64Array).slice();
    }

    files(): { name: string; bytes: Uint8Array }[] {
        return this.inspect().files.map((name, i) => ({ name, bytes: this.door.array<Uint8Array>(this.handle, `file:${i}`, Uint8Array).slice() }));
    }
}

const NAMES: Record<string, string> = {
    points: "points", corners: "corners", faceSizes: "face_sizes", normals: "normals", weightBegin: "weight_begin", weightJoints: "weight_joints",
    weightValues: "weight_values",
};

/** The library in this thread. */
export class Supple {
    private readonly living = new Set<Thing>();

    /** @internal */
    constructor(private readonly door: Door) {}

    /** @internal */
    static async open(place: Place, options: OpenOptions = {}): Promise<Supple> {
        return new Supple(await Door.open(place, options));
    }

    get threads(): number { return this.door.threads; }

    version(): string {
        return this.door.text(this.door.call("flat_version"));
    }

    deformers(): DeformerInfo[] {
        return this.door.json(this.door.session, this.door.call("flat_deformers", this.door.session));
    }

    builtins(): { name: string; summary: string }[] {
        return this.door.json(this.door.session, this.door.call("flat_builtins", this.door.session));
    }

    /**
     * A character from the bytes of a file, whose name's ending gives the format, or a built-in one ("builtin:beast", without bytes).
     * `files` are the files that it references.
     */
    load(name: string, bytes?: Uint8Array | ArrayBuffer, options: LoadOptions = {}, files?: Record<string, Uint8Array>): Character {
        const { session } = this.door, own = bytes && bytesOf(`the bytes of ${name}`, bytes);
        const made = this.door.lend([name, JSON.stringify(options), own], (text, wanted, at) => own
            ? this.door.withFiles(files, read => this.door.call("flat_load_bytes", session, text!, at!, BigInt(own.length), wanted!, read, 0))
            : this.door.call("flat_load", session, text!, wanted!, 0, 0));
        return this.character(session, made);
    }

    /** The same from an address, or in Node from a path. */
    async fetch(address: string | URL, options: LoadOptions = {}): Promise<Character> {
        const name = String(address).replace(/[?#].*$/, "");
        if (inNode && !/^(https?|data|blob):/.test(name)) {
            const { readFile } = await ofNodeItself("fs/promises");
            return this.load(name, await readFile(address), options);
        }
        const answer = await fetch(address);
        if (!answer.ok) throw new SuppleError(`${name}: the server answered ${answer.status} ${answer.statusText}`, "file");
        return this.load(name, await answer.arrayBuffer(), options);
    }

    /** A character from arrays. */
    make(arrays: CharacterArrays, progress?: Progress): Character {
        const { meshes, jointRest, jointInverseBind, ...rest } = arrays, { door } = this;
        if (!Array.isArray(meshes)) throw new SuppleError("a character needs a list of meshes", "input");
        const draft = door.call("flat_draft", door.session);
        if (!draft) throw door.error(door.session);
        const give = (name: string, data: ArrayLike<number> | undefined) => {
            if (!data) return;
            const own = INDICES.test(name) ? indicesOf(name, data) : floatsOf(name, data);
            door.lend([name, own], (text, at) => door.check(draft, door.call("flat_give", draft, text!, at!, BigInt(own.length))));
        };
        try {
            meshes.forEach((mesh, i) => {
                const sign = i ? `#${i + 1}` : "";
                for (const [key, name] of Object.entries(NAMES)) give(name + sign, mesh[key as keyof MeshArrays] as ArrayLike<number> | undefined);
                for (const [name, data] of Object.entries(mesh.maps ?? {})) give(`map:${name}${sign}`, data);
                for (const [name, data] of Object.entries(mesh.morphs ?? {})) give(`morph:${name}${sign}`, data);
            });
            give("joint_rest", jointRest);
            give("joint_inverse_bind", jointInverseBind);
            const parts = meshes.map(({ name, weld, joint }) => ({ name, weld, joint }));
            const made = door.lend([JSON.stringify({ ...rest, parts })], text =>
                door.listen(progress, told => door.call("flat_make", draft, text!, told, 0)));
            return this.character(draft, made);
        } finally {
            door.call("flat_free", draft);
        }
    }

    /** Frees everything and ends the workers. */
    async close(): Promise<void> {
        for (const thing of [...this.living].reverse()) thing.free();
        await this.door.end();
    }

    private character(from: number, handle: number): Character {
        if (!handle) throw this.door.error(from);
        return new Character(this.door, handle, this.living);
    }
}
