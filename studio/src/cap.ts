// The face of a cut: where the plane runs inside the skin, flesh is seen instead of the skin's back. Counted by the stencil: a pixel of the plane lies inside where more
// backs than fronts of the surface stand behind the cut.
import {
    AlwaysStencilFunc, BackSide, type BufferGeometry, DecrementWrapStencilOp, DoubleSide, FrontSide, Group, IncrementWrapStencilOp, Mesh, MeshBasicMaterial, MeshStandardMaterial, NotEqualStencilFunc, Plane,
    PlaneGeometry, ReplaceStencilOp, type Side, type StencilOp, Vector3,
} from "three";

const FLESH = 0xc4604f;
const REACH = 3; // diagonals: beyond any pose that a camera frames

function counting(side: Side, step: StencilOp): MeshBasicMaterial {
    return new MeshBasicMaterial({
        side, colorWrite: false, depthWrite: false, depthTest: false, stencilWrite: true, stencilFunc: AlwaysStencilFunc, stencilFail: step, stencilZFail: step, stencilZPass: step,
    });
}

export class Cap {
    readonly group = new Group();
    private readonly counters: Mesh<BufferGeometry, MeshBasicMaterial>[];
    private readonly face: Mesh<PlaneGeometry, MeshStandardMaterial>;

    constructor(geometry: BufferGeometry, diagonal: number) {
        this.counters = [new Mesh(geometry, counting(BackSide, IncrementWrapStencilOp)), new Mesh(geometry, counting(FrontSide, DecrementWrapStencilOp))];
        this.face = new Mesh(new PlaneGeometry(REACH * diagonal, REACH * diagonal), new MeshStandardMaterial({
            color: FLESH, roughness: 0.85, side: DoubleSide, stencilWrite: true, stencilRef: 0, stencilFunc: NotEqualStencilFunc, stencilFail: ReplaceStencilOp, stencilZFail: ReplaceStencilOp, stencilZPass: ReplaceStencilOp,
        }));
        this.group.add(...this.counters, this.face);
        [...this.counters, this.face].forEach((one, i) => (one.renderOrder = 1 + i));
        this.group.visible = false;
    }

    /** Cuts there, near this point; null: whole. */
    cut(planes: Plane[] | null, middle: Vector3): void {
        this.group.visible = planes !== null;
        const [plane] = planes ?? [];
        if (!plane) return;
        for (const { material } of this.counters) material.clippingPlanes = planes;
        plane.projectPoint(middle, this.face.position);
        this.face.quaternion.setFromUnitVectors(new Vector3(0, 0, 1), plane.normal);
    }

    dispose(): void {
        for (const { material } of this.counters) material.dispose();
        this.face.geometry.dispose();
        this.face.material.dispose();
    }
}
