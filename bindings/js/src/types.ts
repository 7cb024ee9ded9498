// Inputs and results as objects: the JSON of the flat interface.

/** Called during long work with its progress, 0 to 1; returning false stops it, and the call throws with the code "cancelled". */
export type Progress = (fraction: number, what: string) => boolean | void;

export interface LoadOptions {
    /** Meters per unit, if the file's own is wrong. */
    unit?: number;
    up?: "x" | "y" | "z";
    /** Frames per second of a sequence of files. */
    fps?: number;
    /** Names (with * and ?) of the meshes to read; by default all. */
    meshes?: string[];
    /** Names of meshes without a skin that take their weights from the nearest skinned ones. */
    dress?: string[];
}

/** One parameter of a deformer. */
export interface ParameterInfo {
    name: string;
    type: "float" | "int" | "bool" | "choice" | "text";
    min: number | null;
    max: number | null;
    default: number | boolean | string;
    choices: string[];
    unit: string;
    help: string;
    /** "frame": Player.set changes it while playing; "bind": it needs a new chain. */
    stage: "frame" | "bind";
    /** What it can vary over: "not", "point" (maps) or "bone". */
    varies: string;
    /** When it has an effect: clauses that must all hold, each a list of alternatives. */
    only_with: unknown[];
}

export interface DeformerInfo {
    name: string;
    summary: string;
    paper: string;
    needs: string[];
    dynamic: boolean;
    presets: { name: string; summary: string; [more: string]: unknown }[];
    params: ParameterInfo[];
    [more: string]: unknown;
}

export interface PartInfo {
    name: string;
    point_begin: number;
    point_count: number;
    vertex_begin: number;
    vertex_count: number;
    face_begin: number;
    face_count: number;
}

export interface JointInfo {
    name: string;
    /** -1: none. */
    parent: number;
    /** Whether weights can use it. */
    skin: boolean;
    /** Its index in the file (node) or among the given joints; -1: none. */
    id: number;
}

export interface CharacterInfo {
    name: string;
    points: number;
    vertices: number;
    faces: number;
    triangles: number;
    diagonal: number;
    metres_per_unit: number;
    /** Meters per unit for physics and worlds: different if the file's size is implausible. */
    physics_unit: number;
    up: "x" | "y" | "z";
    /** The file does not define its up axis. */
    up_assumed: boolean;
    parts: PartInfo[];
    joints: JointInfo[];
    clips: { name: string; seconds: number }[];
    examples: { name: string; clip: string | null; time: number }[];
    morphs: string[];
    maps: string[];
    warnings: string[];
    /** Only if weigh() made it. */
    weights?: {
        cells: number; cells_longest: number; cell_size: number; particles: number; iterations: number; influences_max: number; lost_pieces: number; lost_points: number;
        outside_bones: number; outside_joints: string[]; idle_joints: string[];
        /** The factor that made a captured skeleton as tall as the mesh; 1: none. */
        scale: number;
    };
    fit?: { bones: number; frames: number; erms: number; rms: number; max: number; rounds: number };
}

export interface ChainOptions {
    /** The deformers in a row: "layers", "dualquat,smooth". */
    links?: string;
    /** The clip that the chain is bound to, by name or number; null or none: a live host. */
    clip?: string | number | null;
    /** Settings as on the command line: "layers.gravity=0.5". */
    set?: string[];
    preset?: object;
    world?: object;
    step?: number;
    cycle?: [number, number];
}

export interface ChainInfo {
    text: string;
    dynamic: boolean;
    notes: string[];
    links: { name: string; values: Record<string, number | boolean | string>; idle: Record<string, string>; inert?: string }[];
}

export interface PlayOptions {
    /** By name or number; by default the chain's. */
    clip?: string | number | null;
    start?: number;
    end?: number;
    preroll?: number;
    loop?: boolean;
    /** A live host delivers poses, by Player.live. */
    live?: boolean;
    /** States kept for seeking back, 16 by default: with more of them, less is simulated again. */
    snapshots?: number;
}

export interface BakeOptions {
    clip?: string | number | null;
    start?: number;
    end?: number;
    /** Seconds for which the last pose is held after the end. */
    hold?: number;
    fps?: number;
    preroll?: number;
    loop?: boolean;
    /** "walk.glb": the frames become a file whose bytes are in Bake.files; by default an array. */
    file?: string;
    /** Name of the new clip. */
    name?: string;
    flat?: boolean;
    sparse?: boolean;
}

export interface BakeInfo {
    frames: number;
    fps: number;
    start: number;
    points: number;
    chain: string;
    bytes: number;
    hash: string;
    hashes: string[];
    fallbacks: Record<string, number>;
    files: string[];
    warnings: string[];
}

export interface Measures {
    volume: number;
    volume_rest: number;
    stretch: number;
    roughness: number;
    crossings: number | null; // null: too many triangles lie in one place to count
    parts: { name: string; volume: number; volume_rest: number }[];
    fallbacks: Record<string, number>;
}

export interface Errors {
    max: number;
    mean: number;
    rms: number;
    erms: number;
}

/** A mesh of a character made from arrays. Float32Array and, for integers, Uint32Array are not converted. Faces are triangles unless `faceSizes` is given. */
export interface MeshArrays {
    name?: string;
    /** Three floats per vertex. */
    points: ArrayLike<number>;
    corners: ArrayLike<number>;
    faceSizes?: ArrayLike<number>;
    normals?: ArrayLike<number>;
    /** Joins vertices at the same place into one point. */
    weld?: boolean;
    /** The joint that a mesh without weights follows. */
    joint?: number;
    /** Where the influences of each vertex begin, and their total. */
    weightBegin?: ArrayLike<number>;
    weightJoints?: ArrayLike<number>;
    weightValues?: ArrayLike<number>;
    maps?: Record<string, ArrayLike<number>>;
    morphs?: Record<string, ArrayLike<number>>;
}

export interface CharacterArrays {
    name?: string;
    unit?: number;
    up?: "x" | "y" | "z";
    meshes: MeshArrays[];
    joints?: { name: string; parent?: number | string }[];
    /** Ten floats per joint: translation, rotation x y z w, scale, from the parent. */
    jointRest?: ArrayLike<number>;
    /** Twelve floats per joint, three rows of four; by default the rest pose is the bind pose. */
    jointInverseBind?: ArrayLike<number>;
    weights?: "automatic";
}

export interface MotionOptions {
    /** Name of the new clip; by default that of the motion. */
    name?: string;
    /** Which clip of another character's file, by name or number; by default the first. */
    clip?: string | number;
    /** Keys per second of another character's clip; by default 30. */
    fps?: number;
    /** Pairs that names do not give: joint of the character to joint of the motion; null: none. */
    map?: Record<string, string | null>;
    /** Keep a first frame that only shows a straight pose. */
    keep_first?: boolean;
}

export interface MotionReport {
    /** The new clip. */
    clip: string;
    seconds: number;
    /** Of the motion. */
    name: string;
    frames_left_out: number;
    /** How many pairs are guesses from the shape of the skeleton. */
    guessed: number;
    side_guessed: boolean;
    rest_from_frame: boolean;
    scale: number;
    pairs: { joint: string; follows: string; as: string; by: "map" | "name" | "shape" }[];
    /** Joints of the skin without a partner: they keep their rest transform on their parent. */
    without_partner: string[];
    warnings: string[];
}

export interface WeightOptions {
    method?: "screened" | "diffuse";
    /** Along the longest side, 4 to 256; by default from the thinnest limb. */
    cells?: number;
    /** Keep the cells that weights spread through, as arrays "cell_centers", "cell_joints" and "cell_values". */
    keep_cells?: boolean;
    /** The most per point. */
    influences?: number;
    /** Larger makes sharper transitions at the joints. */
    spread?: number;
    /** A map: 1 takes the new weights, 0 keeps the old. */
    mask?: string;
    /** First move joints to the middle of the limb around them; clips are dropped. */
    center?: boolean;
}

export interface CheckOptions {
    /** One chain each: "linear", "layers(cage=800)". */
    chains?: string[];
    /** The clip that chains are bound to; by default the first. */
    clip?: string | number;
    /** Names or patterns ("Spine*"); by default every joint. */
    joints?: string[];
    /** Use the usual range for every joint, whatever the clips do. */
    full?: boolean;
    /** Seconds that a simulation settles in every pose; 0.5. */
    preroll?: number;
    /** How many joints to list; by default all. */
    top?: number;
    world?: object;
}

/** What `supple check --json` prints. */
export interface Checkup {
    joints_checked: number;
    self_intersections_rest: number;
    chains: string[];
    /** Worst first. */
    joints: {
        joint: string;
        badness: number;
        range: "clips" | "usual";
        sweeps: { motion: "bend" | "twist"; axis: [number, number, number]; from: number; to: number }[];
        chains: {
            chain: string; volume_change: number; worst_motion: "bend" | "twist"; worst_angle: number; volume_loss: number;
            /** null: too many cross at rest to count. */
            intersections_added: number | null;
            stretch_max: number; roughness_max: number; badness: number;
        }[];
        best: string;
        advice: string;
    }[];
    left_out: { chain: string; why: string }[];
}

export interface FitOptions {
    bones?: number;
    error?: number;
    influences?: number;
    smooth?: number;
    rigid?: boolean;
    seed?: number;
    flat?: boolean;
    fps?: number;
}

/** Lines (two corners each), points and triangles (three) of a link; x y z and a value per corner. */
export interface Drawing {
    lines: Float32Array;
    points: Float32Array;
    triangles: Float32Array;
    /** Everything that the link can draw, whatever was requested: "cage", "contacts". */
    names: string[];
}
