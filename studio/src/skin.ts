// A character's surface with the points of a frame: one geometry in stored vertices, one group a part, polygon edges as lines.
import {
    BufferAttribute, BufferGeometry, DoubleSide, DynamicDrawUsage, Group, LineBasicMaterial, LineSegments, type Material, Mesh, MeshStandardMaterial, Sphere, Vector3,
} from "three";
import { Cap } from "./cap.ts";
import { FoldedSurface } from "./folds.ts";
import type { Frame } from "./frames.ts";
import type { Shape } from "./lane.ts";
import type { Look } from "./look.ts";

/** Triangles of the polygons, and their edges, which are only worked out when they are drawn. */
export interface Surface {
    triangles: Uint32Array;
    /** Where the triangles of each part begin, and the end. */
    partBegin: number[];
    edges(): Uint32Array;
}

export function surfaceOf({ faceBegin, cornerVertices, info }: Shape): Surface {
    let corners = 0;
    for (let face = 0; face < info.faces; ++face) corners += 3 * Math.max(0, faceBegin[face + 1]! - faceBegin[face]! - 2);
    const triangles = new Uint32Array(corners), partBegin: number[] = [];
    let at = 0;
    for (const part of info.parts) {
        partBegin.push(at);
        for (let face = part.face_begin; face < part.face_begin + part.face_count; ++face) {
            const begin = faceBegin[face]!, end = faceBegin[face + 1]!;
            for (let i = begin + 1; i + 1 < end; ++i) triangles[at++] = cornerVertices[begin]!, triangles[at++] = cornerVertices[i]!, triangles[at++] = cornerVertices[i + 1]!;
        }
    }
    partBegin.push(at);
    let edges: Uint32Array | undefined;
    return { triangles, partBegin, edges: () => (edges ??= edgesOf(faceBegin, cornerVertices, info.faces, info.vertices)) };
}

function edgesOf(faceBegin: Uint32Array, cornerVertices: Uint32Array, faces: number, vertices: number): Uint32Array {
    const edges: number[] = [], seen = new Set<number>();
    for (let face = 0; face < faces; ++face) {
        const begin = faceBegin[face]!, end = faceBegin[face + 1]!;
        for (let i = begin; i < end; ++i) {
            const a = cornerVertices[i]!, b = cornerVertices[i + 1 < end ? i + 1 : begin]!, key = Math.min(a, b) * vertices + Math.max(a, b);
            if (seen.has(key)) continue;
            seen.add(key);
            edges.push(a, b);
        }
    }
    return Uint32Array.from(edges);
}

export const clay = (): MeshStandardMaterial => new MeshStandardMaterial({ color: 0xd98463, roughness: 0.58, metalness: 0, side: DoubleSide });

/** A checkerboard that sticks to the skin at rest: it shows stretch without texture coordinates. */
export function checker(diagonal: number): MeshStandardMaterial {
    const material = new MeshStandardMaterial({ color: 0xffffff, roughness: 0.7, side: DoubleSide });
    material.userData["squares"] = 42 / (diagonal || 1); // along the diagonal: some twenty pairs, as a tailor would check (draw/patterns.ts)
    return material;
}

export class Skin {
    readonly group = new Group();
    readonly geometry = new BufferGeometry();
    readonly mesh: Mesh<BufferGeometry, Material | Material[]>;
    readonly wire: LineSegments<BufferGeometry, LineBasicMaterial>;
    readonly cap: Cap;
    private readonly position: BufferAttribute;
    private readonly normal: BufferAttribute;
    private readonly color: BufferAttribute;
    private shown: Frame | undefined;
    private colored: Float32Array | undefined;
    private revision = 0;
    private folded: FoldedSurface | undefined;

    constructor(private readonly shape: Shape, private readonly surface: Surface) {
        const { vertices } = shape.info;
        this.position = new BufferAttribute(new Float32Array(3 * vertices), 3).setUsage(DynamicDrawUsage);
        this.normal = new BufferAttribute(new Int16Array(3 * vertices), 3, true).setUsage(DynamicDrawUsage);
        this.color = new BufferAttribute(new Float32Array(3 * vertices).fill(1), 3).setUsage(DynamicDrawUsage);
        this.geometry.setAttribute("position", this.position);
        this.geometry.setAttribute("normal", this.normal);
        this.geometry.setAttribute("color", this.color);
        const rest = new Float32Array(3 * vertices);
        for (let i = 0; i < vertices; ++i) rest.set(shape.points.subarray(3 * shape.vertexPoints[i]!, 3 * shape.vertexPoints[i]! + 3), 3 * i);
        this.geometry.setAttribute("rest", new BufferAttribute(rest, 3));
        this.geometry.setIndex(new BufferAttribute(surface.triangles, 1));
        surface.partBegin.slice(0, -1).forEach((begin, i) => this.geometry.addGroup(begin, surface.partBegin[i + 1]! - begin, i));
        this.mesh = new Mesh(this.geometry, shape.info.parts.map(() => clay()));
        this.mesh.castShadow = this.mesh.receiveShadow = true;
        this.mesh.frustumCulled = false; // points move every frame; the character is what is looked at anyway
        const lines = new BufferGeometry();
        lines.setAttribute("position", this.position);
        this.wire = new LineSegments(lines, new LineBasicMaterial({ color: 0x15181d, transparent: true, opacity: 0.34 }));
        this.wire.frustumCulled = false;
        this.wire.visible = false;
        this.geometry.boundingSphere = lines.boundingSphere = new Sphere(new Vector3(), Infinity);
        this.cap = new Cap(this.geometry);
        this.group.add(this.mesh, this.wire, this.cap.group);
    }

    /** Puts a frame's points and normals onto the surface. */
    show(frame: Frame): void {
        if (frame === this.shown) return;
        this.shown = frame;
        const { vertexPoints } = this.shape, to = this.position.array as Float32Array, { points } = frame;
        for (let i = 0, n = vertexPoints.length; i < n; ++i) {
            const p = 3 * vertexPoints[i]!;
            to[3 * i] = points[p]!;
            to[3 * i + 1] = points[p + 1]!;
            to[3 * i + 2] = points[p + 2]!;
        }
        (this.normal.array as Int16Array).set(frame.normals);
        this.position.needsUpdate = this.normal.needsUpdate = true;
    }

    /** When the frame, colors and materials are there: folds lie on a surface of their own, which follows. */
    fold(): void {
        const folds = this.shown?.folds;
        if (folds && this.folded?.waves !== folds.waves) {
            this.folded?.dispose();
            this.folded = new FoldedSurface(this.shape, this.surface, folds.waves);
        }
        if (folds) this.folded!.follow(this.geometry, folds);
        this.mesh.geometry = folds ? this.folded!.geometry : this.geometry;
        this.mesh.userData["relief"] = folds ? this.folded!.relief : undefined;
    }

    set wired(on: boolean) {
        if (on && !this.wire.geometry.index) this.wire.geometry.setIndex(new BufferAttribute(this.surface.edges(), 1));
        this.wire.visible = on;
    }

    get frame(): Frame | undefined { return this.shown; }

    /** Colors per point (three floats each), or none; `revision` changes with their values. */
    paint(colors: Float32Array | undefined, revision = 0): void {
        if (colors === this.colored && revision === this.revision) return;
        this.colored = colors;
        this.revision = revision;
        const to = this.color.array as Float32Array, { vertexPoints } = this.shape;
        if (colors) for (let i = 0; i < vertexPoints.length; ++i) {
            const p = 3 * vertexPoints[i]!;
            to[3 * i] = colors[p]!, to[3 * i + 1] = colors[p + 1]!, to[3 * i + 2] = colors[p + 2]!;
        }
        this.color.needsUpdate = true;
    }

    /** One material a part, or those of the file, each over its own faces. */
    dress(materials: Material[], look: Look | null): void {
        if (this.mesh.material === materials && this.look === look) return;
        this.mesh.material = materials;
        if (this.look === look) return;
        this.look = look;
        this.geometry.clearGroups();
        const { triangles, partBegin } = this.surface;
        if (!look) return partBegin.slice(0, -1).forEach((begin, i) => this.geometry.addGroup(begin, partBegin[i + 1]! - begin, i));
        this.geometry.setAttribute("uv", new BufferAttribute(look.uv, 2));
        for (let begin = 0; begin < triangles.length;) {
            const material = look.materialOf[triangles[begin]!]!;
            let end = begin;
            while (end < triangles.length && look.materialOf[triangles[end]!] === material) end += 3;
            this.geometry.addGroup(begin, end - begin, material);
            begin = end;
        }
    }
    private look: Look | null = null;

    dispose(): void {
        this.geometry.dispose();
        this.folded?.dispose();
        this.wire.geometry.dispose();
        this.wire.material.dispose();
        this.cap.dispose();
        this.group.removeFromParent();
    }
}
