// What the page tells the thread that draws: one picture is a list of panes over things that were sent before, and what changed of these.
export type Numbers = Float32Array | Uint32Array | Uint16Array | Int16Array | Uint8Array;

export interface AttributeData {
    id: number;
    array: Numbers;
    size: number;
    normalized: boolean;
    instanced: boolean;
}
export interface GeometryData {
    id: number;
    /** Names to attributes. */
    attributes: Record<string, number>;
    index: number | null;
    groups: { start: number; count: number; materialIndex?: number | undefined }[];
    range: [number, number];
}
/** A value of a material that is not plain. */
export type Special = { color: [number, number, number] } | { vector: [number, number] } | { planes: number[][] };
export interface MaterialData {
    id: number;
    type: string;
    values: Record<string, string | number | boolean | null | Special>;
    textures: Record<string, number>;
    /** What its shader gets in addition to three's own (patterns.ts). */
    squares?: number;
}
/** Four floats a texel. */
export interface Texels {
    data: Float32Array;
    width: number;
    height: number;
}
export interface TextureData {
    id: number;
    image: ImageBitmap | Texels;
    values: Record<string, string | number | boolean>;
    repeat: [number, number];
    offset: [number, number];
}
export interface LightData {
    color: number;
    intensity: number;
    /** Of a sky. */
    ground?: number;
    target?: number[];
    shadow?: { bias: number; normalBias: number; radius: number; size: number; box: [number, number, number, number, number, number] };
}
export interface ObjectData {
    id: number;
    type: string;
    /** To the world. */
    matrix: number[];
    order: number;
    cast: boolean;
    receive: boolean;
    geometry?: number;
    material?: number | number[];
    instances?: { count: number; matrix: number; color: number | null };
    light?: LightData;
    /** Textures of folds in its shading. */
    relief?: { waves: number; heights: number };
}
export type Box = [left: number, bottom: number, width: number, height: number];
export interface PaneData {
    scissor: Box;
    viewport: Box;
    projection: number[];
    camera: number[];
    objects: ObjectData[];
}
export interface PictureData {
    number: number;
    /** Of the page's pixels, and how many of the screen's one of them is. */
    width: number;
    height: number;
    ratio: number;
    attributes: AttributeData[];
    geometries: GeometryData[];
    materials: MaterialData[];
    textures: TextureData[];
    /** What is no longer used. */
    forget: number[];
    panes: PaneData[];
    /** The picture itself is wanted back, and what was shown before stays on the screen. */
    keep: boolean;
}
/** It is on the screen: drawn by the GPU, not only submitted to it. */
export interface DrawnData {
    number: number;
    ms: number;
    kept?: ImageBitmap;
}
export type FromDrawer = DrawnData | { failed: string };
