// The face of a cut: where the plane runs inside the skin, flesh is seen instead of the skin's back. Counted by the stencil: a pixel of the plane lies inside where more
// backs than fronts of the surface stand behind the cut.
import {
    AlwaysStencilFunc, BackSide, type BufferGeometry, DecrementWrapStencilOp, DoubleSide, FrontSide, Group, IncrementWrapStencilOp, Mesh, MeshBasicMaterial, MeshStandardMaterial, NotEqualStencilFunc, Plane,
    PlaneGeometry, ReplaceStencilOp, type Side, type StencilOp, Vector3,
} from "three";

const FLESH = 0xc4604f;

function counting(side: Side, step: StencilOp): MeshBasicMaterial {
    return new MeshBasicMaterial({
        side, colorWrite: false, depthWrite: false, depthTest: false, stencilWrite: true, stencilFunc: AlwaysStencilFunc, stencilFail: step, stencilZFail: step, stencilZPass: step,
    });
}

export class Cap {
    readonly group = new Group();
    private readonly counters: Mesh<BufferGeometry, MeshBasicMaterial>[];
    private readonly face: Mesh<PlaneGeometry, MeshStandardMaterial>;

    constructor(private readonly geometry: BufferGeometry) {
        this.counters = [new Mesh(geometry, counting(BackSide, IncrementWrapStencilOp)), new Mesh(geometry, counting(FrontSide, DecrementWrapStencilOp))];
        this.face = new Mesh(new PlaneGeometry(1, 1), new MeshStandardMaterial({
            color: FLESH, roughness: 0.85, side: DoubleSide, stencilWrite: true, stencilRef: 0, stencilFunc: NotEqualStencilFunc, stencilFail: ReplaceStencilOp, stencilZFail: ReplaceStencilOp, stencilZPass: ReplaceStencilOp,
        }));
        this.group.add(...this.counters, this.face);
        [...this.counters, this.face].forEach((one, i) => (one.renderOrder = 1 + i));
        this.group.visible = false;
    }

    /** Cuts there; null: whole. */
    cut(planes: Plane[] | null): void {
        const [plane] = planes ?? [];
        this.group.visible = plane !== undefined && this.fit(plane);
        if (this.group.visible) for (const { material } of this.counters) material.clippingPlanes = planes;
    }

    /** The face spans exactly what the plane cuts: elsewhere an open surface shows backs in front of the plane. False: nothing is cut. */
    private fit(plane: Plane): boolean {
        const { array } = this.geometry.getAttribute("position"), index = this.geometry.index!.array, low = new Vector3(Infinity, Infinity, Infinity), high = new Vector3(-Infinity, -Infinity, -Infinity), a = new Vector3(), b = new Vector3();
        const far = new Float32Array(array.length / 3), { x, y, z } = plane.normal;
        for (let i = 0; i < far.length; ++i) far[i] = x * array[3 * i]! + y * array[3 * i + 1]! + z * array[3 * i + 2]! + plane.constant;
        for (let i = 0; i < index.length; ++i) {
            const from = index[i]!, to = index[i % 3 === 2 ? i - 2 : i + 1]!;
            if (far[from]! * far[to]! >= 0) continue;
            a.fromArray(array, 3 * from).lerp(b.fromArray(array, 3 * to), far[from]! / (far[from]! - far[to]!));
            low.min(a);
            high.max(a);
        }
        if (low.x > high.x) return false;
        this.face.position.addVectors(low, high).multiplyScalar(0.5);
        this.face.quaternion.setFromUnitVectors(new Vector3(0, 0, 1), b.copy(plane.normal).negate()); // its front is towards what was taken away
        const size = high.sub(low), along = (axis: Vector3) => Math.abs(axis.applyQuaternion(this.face.quaternion).dot(size)) || 1e-9;
        this.face.scale.set(along(a.set(1, 0, 0)), along(b.set(0, 1, 0)), 1);
        return true;
    }

    dispose(): void {
        for (const { material } of this.counters) material.dispose();
        this.face.geometry.dispose();
        this.face.material.dispose();
    }
}
