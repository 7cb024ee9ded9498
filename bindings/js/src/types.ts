// What goes in and comes out as objects: the JSON of the flat interface.

/** Told how far long work is, 0 to 1; false stops it, and the call throws with the code "cancelled". */
export type Progress = (fraction: number, what: string) => boolean | void;

export interface LoadOptions {
    /** Metres a unit, where the file's own is not right. */
    unit?: number;
    up?: "x" | "y" | "z";
    /** Frames a second of a sequence of files. */
    fps?: number;
    /** Names (with * and ?) of the meshes to read; without: all. */
    meshes?: string[];
    /** Names of meshes without a skin that take weights from the nearest skinned ones. */
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
    /** "frame": Player.set changes it while playing; "bind": another chain is needed. */
    stage: "frame" | "bind";
    /** Whether it may differ: "not", by "point" (maps) or by "bone". */
    varies: string;
    /** Clauses of alternatives without which it does nothing. */
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
    /** Whether weights may name it. */
    skin: boolean;
    /** Its number in the file (node) or among the joints that were given; -1: none. */
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
    /** Metres of a unit as physics and worlds have them: another number where the size is implausible. */
    physics_unit: number;
    up: "x" | "y" | "z";
    /** The file does not say which way is up. */
    up_assumed: boolean;
    parts: PartInfo[];
    joints: JointInfo[];
    clips: { name: string; seconds: number }[];
    examples: { name: string; clip: string | null; time: number }[];
    morphs: string[];
    maps: string[];
    warnings: string[];
    /** Where weigh() made it. */
    weights?: {
        cells: number; cells_longest: number; cell_size: number; particles: number; iterations: number; influences_max: number; lost_pieces: number; lost_points: number;
        outside_bones: number; outside_joints: string[]; idle_joints: string[];
        /** By which a captured skeleton was made as tall as the mesh; 1: it was not. */
        scale: number;
    };
    fit?: { bones: number; frames: number; erms: number; rms: number; max: number; rounds: number };
}

export interface ChainOptions {
    /** The deformers in a row: "layers", "dualquat,smooth". */
    links?: string;
    /** A clip by name or number that the chain prepares for; null or none: poses come from outside. */
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
    /** By name or number; without: the chain's. */
    clip?: string | number | null;
    start?: number;
    end?: number;
    preroll?: number;
    loop?: boolean;
    /** Poses come from outside, by Player.live. */
    live?: boolean;
    /** States kept to go back to, 16 without: with more of them less is simulated again. */
    snapshots?: number;
}

export interface BakeOptions {
    clip?: string | number | null;
    start?: number;
    end?: number;
    /** Seconds that the pose of the end is held behind it. */
    hold?: number;
    fps?: number;
    preroll?: number;
    loop?: boolean;
    /** "walk.glb": frames become a file whose bytes Bake.files has; without: an array. */
    file?: string;
    /** Of the new clip. */
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
    crossings: number | null; // null: more triangles lie in one place than can be counted
    parts: { name: string; volume: number; volume_rest: number }[];
    fallbacks: Record<string, number>;
}

export interface Errors {
    max: number;
    mean: number;
    rms: number;
    erms: number;
}

/** A mesh of a character that is made from arrays, best a Float32Array and, for whole numbers, a Uint32Array, which are not converted. Faces are triangles unless `faceSizes` says otherwise. */
export interface MeshArrays {
    name?: string;
    /** Three floats a vertex. */
    points: ArrayLike<number>;
    corners: ArrayLike<number>;
    faceSizes?: ArrayLike<number>;
    normals?: ArrayLike<number>;
    /** Vertices in one place are one point. */
    weld?: boolean;
    /** The joint that a mesh without weights follows. */
    joint?: number;
    /** Where the influences of each vertex begin, and the end. */
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
    /** Ten floats a joint: translation, rotation x y z w, scale, from the parent. */
    jointRest?: ArrayLike<number>;
    /** Twelve floats a joint, three rows of four; without: the rest pose is the bind pose. */
    jointInverseBind?: ArrayLike<number>;
    weights?: "automatic";
}

export interface MotionOptions {
    /** Of the new clip; without: that of the motion. */
    name?: string;
    /** Which clip of another character's file, by name or number; without: the first. */
    clip?: string | number;
    /** Keys a second of another character's clip; 30. */
    fps?: number;
    /** Who follows whom, where names do not tell: joint of the character to joint of the motion; null: nobody. */
    map?: Record<string, string | null>;
    /** A first frame that only shows a straight pose stays. */
    keep_first?: boolean;
}

export interface MotionReport {
    /** The new clip. */
    clip: string;
    seconds: number;
    /** Of the motion. */
    name: string;
    frames_left_out: number;
    /** How many pairs are guesses by the shape of the skeleton. */
    guessed: number;
    side_guessed: boolean;
    rest_from_frame: boolean;
    scale: number;
    pairs: { joint: string; follows: string; as: string; by: "map" | "name" | "shape" }[];
    /** Joints of the skin that keep their place on their parent. */
    without_partner: string[];
    warnings: string[];
}

export interface WeightOptions {
    method?: "screened" | "diffuse";
    /** Along the longest side, 4 to 256; without: from the thinnest limb. */
    cells?: number;
    /** The cells that weights spread through are wanted too, as arrays "cell_centers", "cell_joints" and "cell_values". */
    keep_cells?: boolean;
    /** Of a point at most. */
    influences?: number;
    /** Larger is harder at the joints. */
    spread?: number;
    /** A map: 1 takes the new weights, 0 keeps the old. */
    mask?: string;
    /** Joints move to the middle of the limb around them first; clips stay behind. */
    center?: boolean;
}

export interface CheckOptions {
    /** Each is one chain: "linear", "layers(cage=800)". */
    chains?: string[];
    /** That chains are bound to; without: the first. */
    clip?: string | number;
    /** Names or patterns ("Spine*"); without: every joint. */
    joints?: string[];
    /** The usual range of every joint, whatever clips do. */
    full?: boolean;
    /** Seconds that a simulation settles in every pose; 0.5. */
    preroll?: number;
    /** How many joints are told; without: all. */
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
            /** null: too many pass through each other at rest. */
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

/** Lines (two corners each), points and triangles (three) of a link; x y z and a value a corner. */
export interface Drawing {
    lines: Float32Array;
    points: Float32Array;
    triangles: Float32Array;
    /** All that the link could draw, whatever was asked for: "cage", "contacts". */
    names: string[];
}
