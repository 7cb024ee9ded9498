// What is drawn through the skin: bones, and what links show of themselves.
import {
    BufferAttribute, BufferGeometry, Color, ConeGeometry, Group, InstancedMesh, LineBasicMaterial, LineSegments, Matrix4, Mesh, MeshBasicMaterial, Points, PointsMaterial, Quaternion,
    SphereGeometry, Vector3,
} from "three";
import type { Drawing } from "supple-skin";
import type { Shape } from "./lane.ts";

/** The position of every joint in a pose, from transforms relative to the parents. */
export const jointPlaces = (shape: Shape, pose: Float32Array): Vector3[] => jointFrames(shape, pose).map(one => new Vector3().setFromMatrixPosition(one));

/** How every joint is turned in a pose against its rest. */
export function jointTurns(shape: Shape, pose: Float32Array): Quaternion[] {
    const turn = (one: Matrix4): Quaternion => new Quaternion().setFromRotationMatrix(new Matrix4().extractRotation(one)), rest = jointFrames(shape, shape.jointRest);
    return jointFrames(shape, pose).map((one, i) => turn(one).multiply(turn(rest[i]!).conjugate()));
}

/** The position and rotation of every joint. */
export function jointFrames(shape: Shape, pose: Float32Array): Matrix4[] {
    const { joints } = shape.info, world: Matrix4[] = [];
    joints.forEach((joint, i) => {
        const p = 10 * i, local = new Matrix4().compose(new Vector3(pose[p], pose[p + 1], pose[p + 2]), new Quaternion(pose[p + 3], pose[p + 4], pose[p + 5], pose[p + 6]), new Vector3(pose[p + 7], pose[p + 8], pose[p + 9]));
        world.push(joint.parent >= 0 ? local.premultiply(world[joint.parent]!) : local);
    });
    return world;
}

const BONE = 0xffffff, CHOSEN = 0xffc24d;
const LARGEST = 0.0052, SMALLEST = 0.0016; // diagonals of a joint's ball

export class Bones {
    readonly group = new Group();
    private readonly cones: InstancedMesh;
    private readonly balls: InstancedMesh;
    places: Vector3[] = [];

    constructor(private readonly shape: Shape) {
        const { length } = shape.info.joints, cone = new ConeGeometry(0.09, 1, 4, 1).translate(0, 0.5, 0);
        const material = (opacity: number) => new MeshBasicMaterial({ color: BONE, transparent: true, opacity, depthTest: false, depthWrite: false, toneMapped: false });
        this.cones = new InstancedMesh(cone, material(0.42), Math.max(1, length));
        this.balls = new InstancedMesh(new SphereGeometry(1, 10, 8), material(0.95), Math.max(1, length));
        for (const one of [this.cones, this.balls]) one.frustumCulled = false, one.renderOrder = 10;
        this.group.add(this.cones, this.balls);
        this.group.visible = false;
    }

    show(pose: Float32Array, chosen: string | null): void {
        this.places = jointPlaces(this.shape, pose);
        const { joints, diagonal } = this.shape.info, up = new Vector3(0, 1, 0), matrix = new Matrix4(), turn = new Quaternion(), color = new Color();
        // A ball is at most a third of the adjacent bones: those of fingers stay apart.
        const sizes = new Float32Array(joints.length).fill(LARGEST * diagonal);
        joints.forEach(({ parent }, i) => {
            const length = parent >= 0 ? this.places[i]!.distanceTo(this.places[parent]!) : 0;
            if (length > 1e-6 * diagonal) for (const one of [i, parent]) sizes[one] = Math.max(SMALLEST * diagonal, Math.min(sizes[one]!, length / 3));
        });
        let cones = 0;
        joints.forEach((joint, i) => {
            const at = this.places[i]!, is = joint.name === chosen, size = is ? 0.009 * diagonal : sizes[i]!;
            this.balls.setMatrixAt(i, matrix.compose(at, turn.identity(), new Vector3(size, size, size)));
            this.balls.setColorAt(i, color.set(is ? CHOSEN : BONE));
            if (joint.parent < 0 || !joints[joint.parent]!.skin) return; // what only carries the skeleton is no bone
            const from = this.places[joint.parent]!, way = at.clone().sub(from), length = way.length();
            if (length < 1e-6 * diagonal) return;
            turn.setFromUnitVectors(up, way.multiplyScalar(1 / length));
            const width = Math.min(length, 0.12 * diagonal);
            this.cones.setMatrixAt(cones, matrix.compose(from, turn, new Vector3(width, length, width)));
            this.cones.setColorAt(cones++, color.set(joints[joint.parent]!.name === chosen ? CHOSEN : BONE));
        });
        this.cones.count = cones;
        this.balls.count = joints.length;
        this.cones.instanceMatrix.needsUpdate = this.balls.instanceMatrix.needsUpdate = true;
        if (this.cones.instanceColor) this.cones.instanceColor.needsUpdate = true;
        if (this.balls.instanceColor) this.balls.instanceColor.needsUpdate = true;
    }

    dispose(): void {
        this.cones.dispose();
        this.balls.dispose();
        this.group.removeFromParent();
    }
}

/** Colors of values from 0 to 1; below 0 is "no value". */
function colors(corners: Float32Array): Float32Array {
    const out = new Float32Array(corners.length / 4 * 3), color = new Color();
    for (let i = 0; i < corners.length / 4; ++i) {
        const value = corners[4 * i + 3]!;
        if (value < 0) color.set(0xe8ecf2);
        else color.setHSL(0.58 - 0.56 * Math.min(1, value), 0.75, 0.58);
        color.toArray(out, 3 * i);
    }
    return out;
}
function geometry(corners: Float32Array): BufferGeometry {
    const places = new Float32Array(corners.length / 4 * 3);
    for (let i = 0; i < corners.length / 4; ++i) places.set(corners.subarray(4 * i, 4 * i + 3), 3 * i);
    const made = new BufferGeometry();
    made.setAttribute("position", new BufferAttribute(places, 3));
    made.setAttribute("color", new BufferAttribute(colors(corners), 3));
    return made;
}

/** Lines, points and triangles of a link. */
export class Drawn {
    readonly group = new Group();
    private shown: Drawing | undefined;

    show(drawing: Drawing | undefined, diagonal: number): void {
        if (drawing === this.shown) return;
        this.shown = drawing;
        this.clear();
        if (!drawing) return;
        if (drawing.triangles.length) this.group.add(new Mesh(geometry(drawing.triangles), new MeshBasicMaterial({ vertexColors: true, transparent: true, opacity: 0.22, side: 2, depthWrite: false, depthTest: false, toneMapped: false })));
        if (drawing.lines.length) this.group.add(new LineSegments(geometry(drawing.lines), new LineBasicMaterial({ vertexColors: true, transparent: true, opacity: 0.7, depthTest: false, toneMapped: false })));
        if (drawing.points.length) this.group.add(new Points(geometry(drawing.points), new PointsMaterial({ vertexColors: true, size: 0.006 * diagonal, depthTest: false, transparent: true, toneMapped: false })));
        for (const one of this.group.children) one.renderOrder = 8, one.frustumCulled = false;
    }

    clear(): void {
        for (const one of [...this.group.children] as Mesh[]) {
            one.geometry.dispose();
            (one.material as MeshBasicMaterial).dispose();
            one.removeFromParent();
        }
    }
}
