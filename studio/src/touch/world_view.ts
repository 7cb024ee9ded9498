// The drawn world: arrows of gravity, wind and pushes, bodies where keys and joints put them, muscles on their bones.
import { BufferAttribute, BufferGeometry, ConeGeometry, CylinderGeometry, Group, Matrix4, Mesh, MeshBasicMaterial, MeshStandardMaterial, Quaternion, SphereGeometry, Vector3 } from "three";
import type { App } from "../app.ts";
import { fileBytes } from "../files.ts";
import { Lane, type Shape } from "../lane.ts";
import { jointPlaces } from "../overlay.ts";
import type { FileRef } from "../session.ts";
import { axes } from "../view.ts";
import type { Place } from "./take.ts";
import { skinning } from "./weights_rows.ts";
import { type Body, movedBy, pivotOf, turnedBy } from "./world.ts";

/** A mesh for bodies, in the character's space and units. */
export interface Prop {
    points: Float32Array;
    triangles: Uint32Array;
    center: Vector3;
}
const ROWS = { y: [[1, 0, 0], [0, 1, 0], [0, 0, 1]], z: [[1, 0, 0], [0, 0, 1], [0, -1, 0]], x: [[0, -1, 0], [1, 0, 0], [0, 0, 1]] } as const; // right, up and front of each convention

/**
 * Reads a mesh in a worker of its own, and brings it to the character's units and axes as the core does (world_bodies.c,
 * unit_map).
 */
export async function readProp(file: FileRef, shape: Shape): Promise<Prop> {
    const lane = await Lane.open(true);
    try {
        const other = await lane.supple.load(file.name, await fileBytes(file)), [info, points, triangles] = await Promise.all([other.inspect(), other.array("points"), other.array("triangles")]);
        if (!info.triangles) throw new Error(`'${file.name}' has no faces: a body needs some`);
        const turn = !info.up_assumed && !shape.info.up_assumed, from = ROWS[turn ? info.up : "y"], to = ROWS[turn ? shape.info.up : "y"], scale = info.metres_per_unit / shape.info.physics_unit, low = new Vector3(Infinity, Infinity, Infinity), high = low.clone().negate(), p = new Vector3();
        const made = new Float32Array(points.length), way = [0, 1, 2].map(i => [0, 1, 2].map(j => scale * (to[0]![i]! * from[0]![j]! + to[1]![i]! * from[1]![j]! + to[2]![i]! * from[2]![j]!)));
        for (let i = 0; i < points.length; i += 3) {
            for (let k = 0; k < 3; ++k) made[i + k] = way[k]![0]! * points[i]! + way[k]![1]! * points[i + 1]! + way[k]![2]! * points[i + 2]!;
            low.min(p.fromArray(made, i)), high.max(p);
        }
        return { points: made, triangles: triangles as Uint32Array, center: low.add(high).multiplyScalar(0.5) };
    } finally {
        lane.close();
    }
}

/** A sphere drawn apart along y. */
function capsuleGeometry(radius: number, length: number): SphereGeometry {
    const made = new SphereGeometry(radius, 28, 20), place = made.getAttribute("position");
    for (let i = 0; i < place.count; ++i) place.setY(i, place.getY(i) + (place.getY(i) >= 0 ? 0.5 : -0.5) * length);
    return made;
}

export interface Arrow {
    from: Vector3;
    to: Vector3;
    color: number;
}

export class WorldView {
    readonly group = new Group();
    private readonly arrows: { shaft: Mesh<CylinderGeometry, MeshBasicMaterial>; tip: Mesh<ConeGeometry, MeshBasicMaterial> }[] = [];
    private readonly muscles: Mesh<SphereGeometry, MeshBasicMaterial>[] = [];
    private solids: { mesh: Mesh; base: Quaternion }[] = [];
    private solidsKey = "";
    readonly props = new Map<string, Prop | undefined>();
    private inverse: { of: Shape; values: Float32Array } | undefined;
    private skins: { pose: Float32Array; turns: Matrix4[] } | undefined;

    constructor(private readonly app: App, private readonly changed: () => void) {
        app.view.stage.scene.add(this.group);
    }

    get unit(): number { return this.app.engine.info?.physics_unit ?? 1; }
    private get pose(): Float32Array | undefined {
        const { engine, view, store } = this.app, chain = view.panes[0]?.chain ?? store.now.active; // all chains are in one pose
        return view.frameOf(chain, store.now.frame)?.frame.pose ?? engine.base()?.any(store.now.frame)?.pose;
    }

    /** What carries the skin of a joint in the pose that is shown; undefined: none does, or it is not known yet. */
    carry(joint: string | undefined): Matrix4 | undefined {
        const { engine } = this.app, { shape } = engine, at = joint === undefined ? -1 : engine.info?.joints.findIndex(one => one.name === joint) ?? -1, { pose } = this;
        if (!shape || at < 0 || !pose) return undefined;
        if (this.inverse?.of !== shape) {
            this.inverse = { of: shape, values: new Float32Array() };
            void engine.fileArray("joint_inverse_bind").then(values => {
                if (values) this.inverse = { of: shape, values }, this.skins = undefined, this.changed();
            });
        }
        if (!this.inverse.values.length) return undefined;
        if (this.skins?.pose !== pose) this.skins = { pose, turns: skinning(shape, pose, this.inverse.values) };
        return this.skins.turns[at];
    }

    /** Where a body's pivot is and how it is turned, in units of the picture. */
    standing(body: Body, time: number): { place: Vector3; turn: Quaternion } {
        const place = new Vector3(...pivotOf(body)).add(new Vector3(...movedBy(body, time))).divideScalar(this.unit), turn = turnedBy(body, time), carry = this.carry(body.joint);
        if (!carry) return { place, turn };
        return { place: place.applyMatrix4(carry), turn: turn.premultiply(new Quaternion().setFromRotationMatrix(new Matrix4().extractRotation(carry))) };
    }

    private prop(name: string): Prop | undefined {
        const { store, engine, say } = this.app, { shape } = engine, file = store.now.world?.files?.find(one => one.name === name), key = `${file?.hash}|${shape?.info.name}|${this.unit}`;
        if (!file || !shape) return undefined;
        if (!this.props.has(key)) {
            this.props.set(key, undefined);
            void readProp(file, shape).then(made => (this.props.set(key, made), this.changed()), error => say(String((error as Error).message), "bad"));
        }
        return this.props.get(key);
    }

    private solid(body: Body, faint: boolean): { mesh: Mesh; base: Quaternion } | undefined {
        const { unit } = this, { sphere, capsule } = body, base = new Quaternion(), prop = body.mesh === undefined ? undefined : this.prop(body.mesh);
        if (!sphere && !capsule && !prop) return undefined;
        let geometry: BufferGeometry;
        if (sphere) geometry = new SphereGeometry(sphere.radius / unit, 32, 20);
        else if (capsule) {
            const way = new Vector3(...capsule.to).sub(new Vector3(...capsule.from));
            geometry = capsuleGeometry(capsule.radius / unit, way.length() / unit);
            base.setFromUnitVectors(new Vector3(0, 1, 0), way.normalize());
        } else {
            const pivot = new Vector3(...pivotOf(body)).divideScalar(unit), places = prop!.points.slice();
            for (let i = 0; i < places.length; i += 3) places[i]! -= pivot.x, places[i + 1]! -= pivot.y, places[i + 2]! -= pivot.z;
            geometry = new BufferGeometry().setAttribute("position", new BufferAttribute(places, 3)).setIndex(new BufferAttribute(prop!.triangles, 1)).toNonIndexed(); // its edges stay
            geometry.computeVertexNormals();
        }
        const mesh = new Mesh(geometry, new MeshStandardMaterial({ color: 0x8fa3b8, roughness: 0.35, transparent: true, opacity: faint ? 0.4 : 0.72 }));
        mesh.castShadow = true;
        mesh.frustumCulled = false;
        this.group.add(mesh);
        return { mesh, base };
    }

    /** Bodies of the world file, then those that are edited; `moved` says where one is while it is dragged. */
    showBodies(bodies: Body[], own: number, time: number, moved: (at: number) => { by: Vector3; turn: Quaternion } | undefined): void {
        const key = JSON.stringify([bodies.map(({ sphere, capsule, mesh, pivot }) => [sphere?.radius, capsule, mesh, pivot, mesh !== undefined && Boolean(this.prop(mesh))]), own, this.unit]);
        if (key !== this.solidsKey) {
            this.solidsKey = key;
            for (const { mesh } of this.solids) mesh.removeFromParent(), mesh.geometry.dispose(), (mesh.material as MeshStandardMaterial).dispose();
            this.solids = bodies.map((body, i) => this.solid(body, i < bodies.length - own) ?? { mesh: new Mesh(), base: new Quaternion() });
        }
        this.solids.forEach(({ mesh, base }, i) => {
            const { place, turn } = this.standing(bodies[i]!, time), drag = moved(i);
            mesh.position.copy(place);
            mesh.quaternion.copy(turn).multiply(base);
            if (drag) mesh.position.add(drag.by), mesh.quaternion.premultiply(drag.turn);
        });
    }

    showArrows(all: Arrow[]): void {
        const size = 0.012 * (this.app.engine.info?.diagonal ?? 1), up = new Vector3(0, 1, 0);
        while (this.arrows.length < all.length) {
            const material = () => new MeshBasicMaterial({ depthTest: false, depthWrite: false, transparent: true, opacity: 0.95, toneMapped: false });
            const one = { shaft: new Mesh(new CylinderGeometry(1, 1, 1, 10).translate(0, 0.5, 0), material()), tip: new Mesh(new ConeGeometry(1, 1, 18).translate(0, 0.5, 0), material()) };
            for (const part of [one.shaft, one.tip]) part.renderOrder = 24, part.frustumCulled = false, this.group.add(part);
            this.arrows.push(one);
        }
        this.arrows.forEach(({ shaft, tip }, i) => {
            const arrow = all[i];
            shaft.visible = tip.visible = Boolean(arrow);
            if (!arrow) return;
            const way = arrow.to.clone().sub(arrow.from), length = way.length(), turn = new Quaternion().setFromUnitVectors(up, length ? way.normalize() : up);
            shaft.material.color.set(arrow.color), tip.material.color.set(arrow.color);
            shaft.position.copy(arrow.from), tip.position.copy(arrow.to);
            shaft.quaternion.copy(turn), tip.quaternion.copy(turn);
            shaft.scale.set(0.35 * size, Math.max(1e-6, length), 0.35 * size);
            tip.scale.set(1.5 * size, 3.6 * size, 1.5 * size);
        });
    }

    /** The two ends of a joint's bone in the pose that is shown. */
    bone(joint: string): [Vector3, Vector3] | undefined {
        const { shape } = this.app.engine, { pose } = this, at = shape?.info.joints.findIndex(one => one.name === joint) ?? -1;
        if (!shape || !pose || at < 0) return undefined;
        const places = jointPlaces(shape, pose), child = shape.info.joints.findIndex(one => one.parent === at);
        return [places[at]!, child >= 0 ? places[child]! : places[at]!.clone().addScaledVector(axes(shape, shape.jointRest).up, 0.05 * shape.info.diagonal)];
    }

    /** Muscles as spindles along their bones: thicker and redder as they pull. */
    showMuscles(all: { joint: string; value: number }[]): void {
        const diagonal = this.app.engine.info?.diagonal ?? 1;
        while (this.muscles.length < all.length) {
            const mesh = new Mesh(new SphereGeometry(1, 20, 14), new MeshBasicMaterial({ depthTest: false, depthWrite: false, transparent: true, toneMapped: false }));
            mesh.renderOrder = 23;
            mesh.frustumCulled = false;
            this.muscles.push(mesh);
            this.group.add(mesh);
        }
        this.muscles.forEach((mesh, i) => {
            const one = all[i], ends = one && this.bone(one.joint);
            mesh.visible = Boolean(ends);
            if (!one || !ends) return;
            const way = ends[1].clone().sub(ends[0]), length = Math.max(way.length(), 0.02 * diagonal), wide = Math.min(0.2 * length, 0.03 * diagonal) * (0.55 + 0.75 * one.value);
            mesh.position.copy(ends[0]).add(ends[1]).multiplyScalar(0.5);
            mesh.quaternion.setFromUnitVectors(new Vector3(0, 1, 0), way.normalize());
            mesh.scale.set(wide, length * (0.42 - 0.08 * one.value), wide);
            mesh.material.color.setRGB(0.95, 0.45 - 0.3 * one.value, 0.42 - 0.3 * one.value);
            mesh.material.opacity = 0.45 + 0.4 * one.value;
        });
    }
}

/** The point of the skin at rest that is nearest to a place in meters. */
export function nearestPoint({ points, info }: Shape, at: Place): number {
    const [x, y, z] = at.map(one => one / info.physics_unit) as Place;
    let best = 0, far = Infinity;
    for (let i = 0; i < info.points; ++i) {
        const d = (points[3 * i]! - x) ** 2 + (points[3 * i + 1]! - y) ** 2 + (points[3 * i + 2]! - z) ** 2;
        if (d < far) best = i, far = d;
    }
    return best;
}
