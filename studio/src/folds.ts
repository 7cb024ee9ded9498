// Folds that are too fine for the points (wrinkle): the same surface with three vertices of its own for every triangle, shaded by waves that its corners know.
import { BufferAttribute, BufferGeometry, DynamicDrawUsage, Sphere, Vector3 } from "three";
import { Relief, cornersOf } from "supple-skin/three";
import type { Folds } from "./frames.ts";
import type { Shape } from "./lane.ts";
import type { Surface } from "./skin.ts";

export class FoldedSurface {
    readonly geometry = new BufferGeometry();
    readonly relief: Relief;
    /** What was taken over from the plain surface, by name. */
    private readonly taken = new Map<string, { from: BufferAttribute; version: number }>();

    constructor({ points, vertexPoints }: Shape, private readonly surface: Surface, readonly waves: Float32Array) {
        this.relief = new Relief(points, waves);
        this.geometry.boundingSphere = new Sphere(new Vector3(), Infinity);
        this.geometry.setAttribute("rippleCorners", cornersOf(Uint32Array.from(surface.triangles, one => vertexPoints[one]!)));
    }

    /** Takes over what has changed of the plain surface, and the heights of a frame. */
    follow(plain: BufferGeometry, { heights }: Folds): void {
        for (const [name, one] of Object.entries(plain.attributes)) this.take(name, one as BufferAttribute);
        this.geometry.groups = plain.groups;
        if (heights === this.heights) return;
        this.heights = heights;
        this.relief.show(heights);
    }
    private heights: Float32Array | undefined;

    private take(name: string, from: BufferAttribute): void {
        const taken = this.taken.get(name);
        if (taken?.from === from && taken.version === from.version) return;
        this.taken.set(name, { from, version: from.version });
        const { triangles } = this.surface, size = from.itemSize, known = this.geometry.getAttribute(name) as BufferAttribute | undefined;
        const Kind = from.array.constructor as new (length: number) => typeof from.array, array = known?.array ?? new Kind(size * triangles.length);
        for (let i = 0, n = triangles.length; i < n; ++i) for (let k = 0; k < size; ++k) array[size * i + k] = from.array[size * triangles[i]! + k]!;
        if (known) known.needsUpdate = true;
        else this.geometry.setAttribute(name, new BufferAttribute(array, size, from.normalized).setUsage(DynamicDrawUsage));
    }

    dispose(): void {
        this.geometry.dispose();
        this.relief.dispose();
    }
}
