// three.js: a chain replaces the skinning of a SkinnedMesh. The bones remain three's own, moved by an AnimationMixer or by hand.
import {
    Box3, BufferAttribute, type BufferGeometry, DynamicDrawUsage, Matrix3, Matrix4, Mesh, type Object3D, Quaternion, type SkinnedMesh, Sphere, Vector3,
} from "three";
import type { Remote } from "./client.ts";
import { Relief, cornersOf, folded } from "./relief.ts";
import type { Chain, Character, Player, Supple } from "./supple.ts";
import type { ChainOptions, MeshArrays, Progress } from "./types.ts";

export { Relief, cornersOf, folded } from "./relief.ts";

export interface SkinOptions {
    /** The deformers: "layers", or options of a chain. */
    chain: string | ChainOptions;
    /** Meters per unit of the scene; by default 1, or whatever gives a character of implausible size a plausible one. */
    unit?: number;
    progress?: Progress;
}

/** A mesh of three, its replacement, and where its vertices are. */
interface Shown {
    source: SkinnedMesh;
    /** The source's layers: without any it is not drawn, but its children are. */
    layers: number;
    mesh: Mesh;
    vertexBegin: number;
    /** If folds are shaded, its triangles share no vertices: the source's vertex of each. */
    vertices?: ArrayLike<number>;
}

const TELEPORT = 1; // seconds: a longer step means that the tab was suspended
const vector = new Vector3();
const decomposed = { position: new Vector3(), quaternion: new Quaternion(), scale: new Vector3() };

/** The root, and below it every ancestor of a bone: parents first. */
function jointsOf(root: Object3D, meshes: SkinnedMesh[]): Object3D[] {
    const wanted = new Set<Object3D>([root]);
    for (const mesh of meshes)
        for (const bone of mesh.skeleton.bones) {
            let at: Object3D | null = bone;
            for (; at && !wanted.has(at); at = at.parent) wanted.add(at);
            if (!at) throw new Error(`the bone '${bone.name}' of '${mesh.name}' does not stand below '${root.name || root.type}'; give the object that holds both`);
        }
    const list: Object3D[] = [];
    root.traverse(object => wanted.has(object) && list.push(object));
    return list;
}

function put(to: Float32Array, joint: number, { position, quaternion, scale }: { position: Vector3; quaternion: Quaternion; scale: Vector3 }): void {
    position.toArray(to, 10 * joint);
    to.set([quaternion.x, quaternion.y, quaternion.z, quaternion.w], 10 * joint + 3);
    scale.toArray(to, 10 * joint + 7);
}

/** The pose as three has it: the root in world space, the others relative to their parents. */
function readPose(joints: Object3D[], to: Float32Array): void {
    joints[0]!.updateWorldMatrix(true, false);
    joints.forEach((object, i) => {
        if (i && object.matrixAutoUpdate) return put(to, i, object);
        (i ? object.matrix : object.matrixWorld).decompose(decomposed.position, decomposed.quaternion, decomposed.scale);
        return put(to, i, decomposed);
    });
}

/** The map from the mesh's bind space to the world by the current pose of its first bone: points get the size at which they are seen. */
function bindToWorld(mesh: SkinnedMesh): Matrix4 {
    const { bones, boneInverses } = mesh.skeleton;
    return new Matrix4().multiplyMatrices(bones[0]!.matrixWorld, boneInverses[0]!);
}

/** Every bone has one inverse bind; meshes that were bound elsewhere are transformed. */
class Binding {
    readonly inverse = new Map<Object3D, Matrix4>();

    constructor(private readonly toWorld: Matrix4) {}

    /** The map of the mesh's points to the common rest pose. */
    take(mesh: SkinnedMesh): Matrix4 {
        const { bones, boneInverses } = mesh.skeleton;
        const common = bones.findIndex(bone => this.inverse.has(bone));
        const carry = common < 0 ? this.toWorld.clone() : this.inverse.get(bones[common]!)!.clone().invert().multiply(boneInverses[common]!);
        const back = carry.clone().invert();
        bones.forEach((bone, i) => {
            const own = boneInverses[i]!.clone().multiply(back), known = this.inverse.get(bone);
            if (!known) this.inverse.set(bone, own);
            else if (known.elements.some((value, k) => Math.abs(value - own.elements[k]!) > 1e-3 * (1 + Math.abs(value))))
                throw new Error(`'${mesh.name}' was bound in another pose than the meshes before it (bone '${bone.name}'); give each its own skin`);
        });
        return carry.multiply(mesh.bindMatrix);
    }

    rows(joints: Object3D[]): Float32Array {
        const out = new Float32Array(12 * joints.length);
        joints.forEach((joint, i) => {
            const { elements: m } = this.inverse.get(joint) ?? joint.matrixWorld.clone().invert();
            for (let row = 0; row < 3; ++row) for (let column = 0; column < 4; ++column) out[12 * i + 4 * row + column] = m[4 * column + row]!;
        });
        return out;
    }
}

function vectors(attribute: { count: number; getX(i: number): number; getY(i: number): number; getZ(i: number): number }): Float32Array {
    const out = new Float32Array(3 * attribute.count);
    for (let i = 0; i < attribute.count; ++i) out.set([attribute.getX(i), attribute.getY(i), attribute.getZ(i)], 3 * i);
    return out;
}

function moved(points: Float32Array, matrix: Matrix4, direction = false): Float32Array {
    const turn = new Matrix3().getNormalMatrix(matrix);
    for (let i = 0; i < points.length; i += 3) {
        vector.fromArray(points, i);
        if (direction) vector.applyMatrix3(turn).normalize();
        else vector.applyMatrix4(matrix);
        vector.toArray(points, i);
    }
    return points;
}

function morphsOf(mesh: SkinnedMesh, matrix: Matrix4): Record<string, Float32Array> {
    const { geometry } = mesh, list = geometry.morphAttributes.position ?? [], names = Object.keys(mesh.morphTargetDictionary ?? {});
    const linear = matrix.clone().setPosition(0, 0, 0), rest = vectors(geometry.attributes.position as BufferAttribute), out: Record<string, Float32Array> = {};
    list.forEach((attribute, i) => {
        const deltas = vectors(attribute);
        if (!geometry.morphTargetsRelative) deltas.forEach((_, k) => (deltas[k]! -= rest[k]!));
        const name = names.find(one => mesh.morphTargetDictionary![one] === i) ?? String(i);
        out[name] = moved(deltas, linear);
    });
    return out;
}

/** A mesh of three as arrays, in the common rest pose. */
function arraysOf(mesh: SkinnedMesh, binding: Binding, numbers: Map<Object3D, number>): MeshArrays {
    const { position, normal, skinIndex, skinWeight } = mesh.geometry.attributes as Record<string, BufferAttribute | undefined>;
    if (!position || !skinIndex || !skinWeight) throw new Error(`'${mesh.name}' has no positions, skinIndex or skinWeight`);
    const matrix = binding.take(mesh), count = position.count, { index } = mesh.geometry;
    const begin = Uint32Array.from({ length: count + 1 }, (_, i) => 4 * i), joints = new Uint32Array(4 * count), values = new Float32Array(4 * count);
    for (let i = 0; i < count; ++i)
        for (let k = 0; k < 4; ++k) {
            const bone = mesh.skeleton.bones[skinIndex.getComponent(i, k)];
            values[4 * i + k] = bone ? skinWeight.getComponent(i, k) : 0;
            joints[4 * i + k] = numbers.get(bone ?? mesh.skeleton.bones[0]!)!;
        }
    const arrays: MeshArrays = {
        name: mesh.name || "mesh", weld: true, points: moved(vectors(position), matrix),
        corners: Uint32Array.from({ length: index ? index.count : count }, (_, i) => (index ? index.getX(i) : i)),
        weightBegin: begin, weightJoints: joints, weightValues: values, morphs: morphsOf(mesh, matrix),
    };
    if (normal) arrays.normals = moved(vectors(normal), matrix, true);
    return arrays;
}

/** The visible mesh: the same surface and material, with points of its own. */
function replacement(source: SkinnedMesh, root: Object3D): Mesh {
    const geometry: BufferGeometry = source.geometry.clone();
    for (const name of ["skinIndex", "skinWeight", "tangent"]) geometry.deleteAttribute(name);
    geometry.morphAttributes = {};
    const { count } = geometry.attributes.position!;
    for (const name of ["position", "normal"]) geometry.setAttribute(name, new BufferAttribute(new Float32Array(3 * count), 3).setUsage(DynamicDrawUsage));
    geometry.boundingBox = new Box3();
    geometry.boundingSphere = new Sphere();
    const mesh = new Mesh(geometry, source.material);
    for (const key of ["castShadow", "receiveShadow", "renderOrder", "customDepthMaterial", "customDistanceMaterial"] as const)
        if (source[key] !== undefined) Object.assign(mesh, { [key]: source[key] });
    mesh.name = source.name;
    mesh.layers.mask = source.layers.mask;
    mesh.userData = { ...source.userData, skinOf: source };
    root.add(mesh);
    return mesh;
}

/** Shades folds that are too fine for the points: every triangle has vertices of its own, which store the points at its corners. */
function fold(shown: Shown, relief: Relief, vertexPoints: Uint32Array): void {
    const { mesh, vertexBegin } = shown, { geometry } = mesh, { boundingBox, boundingSphere } = geometry;
    const vertices = geometry.index?.array ?? Uint32Array.from({ length: geometry.attributes.position!.count }, (_, i) => i);
    shown.vertices = vertices;
    if (geometry.index) {
        mesh.geometry = Object.assign(geometry.toNonIndexed(), { boundingBox, boundingSphere });
        geometry.dispose();
    }
    for (const name of ["position", "normal"]) (mesh.geometry.attributes[name] as BufferAttribute).setUsage(DynamicDrawUsage);
    mesh.geometry.setAttribute("rippleCorners", cornersOf(Uint32Array.from(vertices, one => vertexPoints[vertexBegin + one]!)));
    mesh.material = Array.isArray(mesh.material) ? mesh.material.map(one => folded(one, relief)) : folded(mesh.material, relief);
}

/** A chain that replaces the skinning of all SkinnedMeshes below an object. */
export class SuppleSkin {
    private readonly local: Float32Array;
    private readonly weights: Float32Array;
    private busy = false;
    private waiting = 0;
    private jump = true;
    private detached = false;
    private failed: Error | undefined;
    private relief: Relief | undefined;

    private constructor(
        readonly root: Object3D, private readonly shown: Shown[], private readonly joints: Object3D[], private readonly order: number[],
        private readonly morphs: { mesh: SkinnedMesh; index: number }[][], private readonly vertexPoints: Uint32Array,
        /** The chain's player: set parameters, measure, draw. */
        readonly player: Player | Remote<Player>,
        private readonly owned: (Chain | Character | Remote<Chain> | Remote<Character>)[],
    ) {
        this.local = new Float32Array(10 * joints.length);
        this.weights = new Float32Array(morphs.length);
    }

    /** The visible meshes, for raycasts and materials. */
    get meshes(): Mesh[] { return this.shown.map(one => one.mesh); }

    /** False: shows three's own skinning, to compare. */
    set visible(visible: boolean) {
        for (const { source, layers, mesh } of this.shown) {
            mesh.visible = visible;
            source.layers.mask = visible ? 0 : layers;
        }
    }

    /** Binds the chain; the SkinnedMeshes are hidden and meshes with live points take their place. */
    static async attach(supple: Supple | Remote<Supple>, root: Object3D, options: SkinOptions): Promise<SuppleSkin> {
        root.updateWorldMatrix(true, true);
        const sources: SkinnedMesh[] = [];
        root.traverse(object => (object as SkinnedMesh).isSkinnedMesh && sources.push(object as SkinnedMesh));
        if (!sources.length) throw new Error(`there is no SkinnedMesh below '${root.name || root.type}'`);
        const joints = jointsOf(root, sources), numbers = new Map(joints.map((joint, i) => [joint, i]));
        const rest = new Float32Array(10 * joints.length), binding = new Binding(bindToWorld(sources[0]!));
        readPose(joints, rest);
        const meshes = sources.map(mesh => arraysOf(mesh, binding, numbers));
        const parents = joints.map((joint, i) => ({ name: joint.name || `joint ${i}`, parent: i ? numbers.get(joint.parent!)! : undefined }));
        const character = await supple.make({
            name: root.name || "character", unit: options.unit, up: "y", meshes, joints: parents as { name: string; parent?: number }[],
            jointRest: rest, jointInverseBind: binding.rows(joints),
        });
        const chain = await (options.progress ? character.chain(options.chain, options.progress) : character.chain(options.chain));
        const player = await chain.play({ live: true });
        const info = await character.inspect(), vertexPoints = await character.array("vertex_points") as Uint32Array;
        const morphs = info.morphs.map(name => sources.flatMap(mesh => {
            const index = mesh.morphTargetDictionary?.[name];
            return index === undefined ? [] : [{ mesh, index }];
        }));
        const shown = sources.map((source, i) => ({ source, layers: source.layers.mask, mesh: replacement(source, root), vertexBegin: info.parts[i]!.vertex_begin }));
        const skin = new SuppleSkin(root, shown, joints, info.joints.map(joint => joint.id), morphs, vertexPoints, player, [chain, character]);
        await skin.update(0);
        const ripples = await player.ripples();
        if (ripples.length) {
            skin.relief = new Relief(await character.array("points") as Float32Array, ripples);
            for (const one of shown) fold(one, skin.relief, vertexPoints);
            await skin.update(0);
        }
        skin.visible = true;
        return skin;
    }

    /**
     * Call after the mixer's update. In this thread it shows the frame at once; with a worker it shows the newest finished frame and
     * asks for the next one, and returns a promise of it.
     */
    update(dt: number): void | Promise<void> {
        if (this.failed) throw this.failed;
        if (this.detached) throw new Error("the skin was detached");
        this.waiting += dt;
        if (this.busy) return;
        const step = this.waiting;
        readPose(this.joints, this.local);
        const local = this.ordered();
        this.morphs.forEach((targets, i) => (this.weights[i] = targets.reduce((sum, { mesh, index }) => sum || (mesh.morphTargetInfluences?.[index] ?? 0), 0)));
        const jump = this.jump || step > TELEPORT;
        this.waiting = 0;
        this.jump = false;
        const points = this.player.live(Math.min(step, TELEPORT), local, this.weights.length ? this.weights : undefined, jump);
        const vertices = this.vertexPoints.length, normals = this.player.normals(vertices), heights = this.relief && this.player.rippleHeights();
        if (!(points instanceof Promise)) return this.show((this.player as Player).skin(), normals as Float32Array, heights as Float32Array | undefined);
        this.busy = true;
        return Promise.all([points, normals, heights]).then(([skin, unit, folds]) => this.show(skin, unit, folds), error => {
            if (this.detached) return; // nobody is waiting for it any more
            this.failed = error;
            throw error;
        }).finally(() => (this.busy = false));
    }

    /** Call after the character was placed elsewhere: the next update does not count as motion. */
    teleport(): void {
        this.jump = true;
    }

    /** Shows three's own skinning again and frees the chain. */
    async detach(): Promise<void> {
        this.visible = false;
        this.detached = true;
        for (const { mesh } of this.shown) {
            mesh.removeFromParent();
            mesh.geometry.dispose();
            if (this.relief) for (const one of [mesh.material].flat()) one.dispose();
        }
        this.relief?.dispose();
        await this.player.free();
        for (const one of this.owned) await one.free();
    }

    /** Joints in the character's order. */
    private ordered(): Float32Array {
        const out = new Float32Array(this.local.length);
        this.order.forEach((id, i) => out.set(this.local.subarray(10 * id, 10 * id + 10), 10 * i));
        return out;
    }

    /** Writes world-space points and normals into the meshes, which are in the root's own space. */
    private show(points: Float32Array, normals: Float32Array, heights: Float32Array | undefined): void {
        if (this.detached) return;
        if (heights) this.relief!.show(heights);
        const m = this.root.matrixWorld.clone().invert().elements, r = this.root.matrixWorld.elements;
        for (const { mesh, vertexBegin, vertices } of this.shown) {
            const { position, normal } = mesh.geometry.attributes as Record<string, BufferAttribute>;
            const to = position!.array as Float32Array, unit = normal!.array as Float32Array;
            const box = mesh.geometry.boundingBox!.makeEmpty(), { min, max } = box;
            for (let i = 0; i < position!.count; ++i) {
                const vertex = vertexBegin + (vertices ? vertices[i]! : i), p = 3 * this.vertexPoints[vertex]!, x = points[p]!, y = points[p + 1]!, z = points[p + 2]!;
                const px = m[0] * x + m[4] * y + m[8] * z + m[12], py = m[1] * x + m[5] * y + m[9] * z + m[13], pz = m[2] * x + m[6] * y + m[10] * z + m[14];
                to[3 * i] = px, to[3 * i + 1] = py, to[3 * i + 2] = pz;
                if (px < min.x) min.x = px;
                if (py < min.y) min.y = py;
                if (pz < min.z) min.z = pz;
                if (px > max.x) max.x = px;
                if (py > max.y) max.y = py;
                if (pz > max.z) max.z = pz;
                // Normals transform by the transpose of the map from here to the world.
                const n = 3 * vertex, a = normals[n]!, b = normals[n + 1]!, c = normals[n + 2]!;
                const nx = r[0] * a + r[1] * b + r[2] * c, ny = r[4] * a + r[5] * b + r[6] * c, nz = r[8] * a + r[9] * b + r[10] * c;
                const length = 1 / (Math.sqrt(nx * nx + ny * ny + nz * nz) || 1);
                unit[3 * i] = nx * length, unit[3 * i + 1] = ny * length, unit[3 * i + 2] = nz * length;
            }
            box.getBoundingSphere(mesh.geometry.boundingSphere!);
            position!.needsUpdate = normal!.needsUpdate = true;
        }
    }
}
