// The cells that automatic weights spread through, over the skin and in its pose: a box each, in the color of the joint's share there.
import { BoxGeometry, Color, Group, InstancedMesh, Matrix4, MeshStandardMaterial } from "three";
import { colorsOf } from "../heat.ts";

export interface Cells {
    size: number;
    centers: Float32Array;
    /** Four joints a cell, strongest first, and their shares; 2^32 - 1: no more. */
    joints: Uint32Array;
    values: Float32Array;
}
const JOINTS = 4;
const GAP = 0.88; // of a cell's side that its box has: one sees between them

export class CellBoxes {
    mesh: InstancedMesh<BoxGeometry, MeshStandardMaterial> | undefined;
    private shown: [Cells, number, Float32Array] | undefined;

    readonly group = new Group();

    /** Shares of a joint, a number a cell. */
    static column({ joints, values, centers }: Cells, joint: number): Float32Array {
        const out = new Float32Array(centers.length / 3);
        for (let c = 0; c < out.length; ++c) for (let i = JOINTS * c; i < JOINTS * c + JOINTS; ++i) if (joints[i] === joint) out[c] = values[i]!;
        return out;
    }

    hide(): void {
        if (this.mesh) this.mesh.visible = false;
    }

    show(cells: Cells, joint: number, pose: Float32Array, turns: Matrix4[]): void {
        const count = cells.centers.length / 3, { shown } = this;
        if (this.mesh?.count !== count) {
            this.mesh?.removeFromParent();
            this.mesh?.geometry.dispose();
            this.mesh?.material.dispose();
            this.mesh?.dispose();
            this.mesh = new InstancedMesh(new BoxGeometry(1, 1, 1), new MeshStandardMaterial({ roughness: 0.85, transparent: true, opacity: 0.5 }), count);
            this.mesh.frustumCulled = false;
            this.group.add(this.mesh);
            this.shown = undefined;
        }
        const { mesh } = this;
        mesh.visible = true;
        if (shown?.[0] === cells && shown[1] === joint && shown[2] === pose) return;
        if (shown?.[0] !== cells || shown[1] !== joint) {
            const colors = colorsOf(CellBoxes.column(cells, joint)), color = new Color();
            for (let c = 0; c < count; ++c) mesh.setColorAt(c, color.fromArray(colors, 3 * c));
            mesh.instanceColor!.needsUpdate = true;
        }
        if (shown?.[0] !== cells || shown[2] !== pose) this.place(cells, turns, mesh);
        this.shown = [cells, joint, pose];
    }

    /** Each where its joints carry it, as they would carry skin. */
    private place({ size, centers, joints, values }: Cells, turns: Matrix4[], mesh: InstancedMesh): void {
        const blend = new Matrix4(), to = blend.elements, home = new Matrix4(), side = GAP * size;
        for (let c = 0; c < centers.length / 3; ++c) {
            let sum = 0;
            to.fill(0);
            for (let i = JOINTS * c; i < JOINTS * c + JOINTS; ++i) {
                const turn = turns[joints[i]!]?.elements, by = values[i]!;
                if (!turn || !(by > 0)) continue;
                sum += by;
                for (let k = 0; k < 16; ++k) to[k]! += by * turn[k]!;
            }
            if (sum > 0) for (let k = 0; k < 16; ++k) to[k]! /= sum;
            else blend.identity();
            mesh.setMatrixAt(c, blend.multiply(home.makeScale(side, side, side).setPosition(centers[3 * c]!, centers[3 * c + 1]!, centers[3 * c + 2]!)));
        }
        mesh.instanceMatrix.needsUpdate = true;
    }
}
