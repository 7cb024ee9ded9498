// Rings around a joint that turn it, and where things are on the screen.
import { Group, Mesh, MeshBasicMaterial, type Quaternion, TorusGeometry, Vector3 } from "three";
import type { View } from "../view.ts";

export const COLORS = [0xff5a5f, 0x5ed17a, 0x5aa2ff];
const LIT = 0xffc24d; // x, y, z, and the one under the pointer
const SIZE = 0.115; // of the view's height
const STEPS = 40;
export const AXES = [new Vector3(1, 0, 0), new Vector3(0, 1, 0), new Vector3(0, 0, 1)] as const;

/** Where a place of the picture is in pixels of the canvas, in the pane of a chain. */
export function onScreen(view: View, chain: number, place: Vector3): { x: number; y: number } {
    const pane = view.panes.find(one => one.chain === chain) ?? view.panes[0], { clientWidth, clientHeight } = view.canvas, p = place.clone().project(view.camera);
    const [left, top, width, height] = view.wiped || !pane ? [0, 0, clientWidth, clientHeight] : [pane.left, pane.top, pane.width, pane.height];
    return { x: left + (p.x + 1) / 2 * width, y: top + (1 - p.y) / 2 * height };
}
/** Units of the picture that the gizmo spans at a place: its size on the screen is constant. */
export const spanAt = (view: View, place: Vector3): number => 2 * SIZE * Math.tan(view.camera.fov / 2 * Math.PI / 180) * Math.max(1e-6, place.clone().sub(view.camera.position).dot(view.camera.getWorldDirection(new Vector3())));

/** Radians that a pointer went around an axis through a place; along the ring where it is seen from its side. */
export function angleAbout(view: View, chain: number, place: Vector3, axis: Vector3, from: { x: number; y: number }, to: { x: number; y: number }): number {
    const away = view.camera.getWorldDirection(new Vector3()), c = onScreen(view, chain, place), sight = axis.dot(away);
    if (Math.abs(sight) > 0.25) {
        const a = Math.atan2(to.y - c.y, to.x - c.x) - Math.atan2(from.y - c.y, from.x - c.x);
        return Math.sign(sight) * Math.atan2(Math.sin(a), Math.cos(a));
    }
    const tip = onScreen(view, chain, place.clone().addScaledVector(axis, spanAt(view, place))), along = [tip.y - c.y, -(tip.x - c.x)], length = Math.hypot(along[0]!, along[1]!) || 1;
    return -((to.x - from.x) * along[0]! + (to.y - from.y) * along[1]!) / length / length;
}

export class Rings {
    readonly group = new Group();
    private readonly rings: Mesh<TorusGeometry, MeshBasicMaterial>[];
    lit = -1;

    constructor() {
        this.rings = COLORS.map(color => {
            const ring = new Mesh(new TorusGeometry(1, 0.018, 6, 64), new MeshBasicMaterial({ color, depthTest: false, depthWrite: false, transparent: true, opacity: 0.95, toneMapped: false }));
            ring.renderOrder = 25;
            ring.frustumCulled = false;
            return ring;
        });
        this.rings[0]!.rotation.y = Math.PI / 2;
        this.rings[1]!.rotation.x = Math.PI / 2;
        this.group.add(...this.rings);
        this.group.visible = false;
    }

    show(place: Vector3 | undefined, turn: Quaternion, size: number): void {
        this.group.visible = place !== undefined;
        if (!place) return;
        this.group.position.copy(place);
        this.group.quaternion.copy(turn);
        this.group.scale.setScalar(size);
        this.rings.forEach((ring, i) => ring.material.color.set(i === this.lit ? LIT : COLORS[i]!));
    }

    /** The ring under the pointer: 0 to 2, -1: none. */
    at(view: View, chain: number, x: number, y: number, slack: number): number {
        if (!this.group.visible) return -1;
        let best = -1, near = slack;
        const { position, quaternion, scale } = this.group, p = new Vector3();
        AXES.forEach((_, i) => {
            const u = AXES[(i + 1) % 3]!, v = AXES[(i + 2) % 3]!;
            let last: { x: number; y: number } | undefined;
            for (let k = 0; k <= STEPS; ++k) {
                const a = 2 * Math.PI * k / STEPS;
                p.set(0, 0, 0).addScaledVector(u, Math.cos(a)).addScaledVector(v, Math.sin(a)).applyQuaternion(quaternion).multiplyScalar(scale.x).add(position);
                const now = onScreen(view, chain, p), d = last ? toSegment(x, y, last, now) : Infinity;
                if (d < near) near = d, best = i;
                last = now;
            }
        });
        return best;
    }
}

function toSegment(x: number, y: number, a: { x: number; y: number }, b: { x: number; y: number }): number {
    const dx = b.x - a.x, dy = b.y - a.y, t = Math.max(0, Math.min(1, ((x - a.x) * dx + (y - a.y) * dy) / (dx * dx + dy * dy || 1)));
    return Math.hypot(a.x + t * dx - x, a.y + t * dy - y);
}
