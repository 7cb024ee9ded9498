// The skin under the pointer, as it is shown: a tree of its triangles (three-mesh-bvh), refitted when the skin has moved.
import { type BufferAttribute, BufferGeometry, DoubleSide, Raycaster, Vector2, Vector3 } from "three";
import { MeshBVH } from "three-mesh-bvh";
import type { Frame } from "../frames.ts";
import type { Shape } from "../lane.ts";
import type { Skin } from "../skin.ts";
import type { Pane, View } from "../view.ts";

export interface Hit {
    chain: number;
    /** In the picture's space, and where that spot of the skin is at rest. */
    place: Vector3;
    rest: Vector3;
    normal: Vector3;
    /** The nearest corner of the triangle, as a number of a point. */
    point: number;
}

/** The pane under a pointer, which is in pixels of the canvas. */
export function paneAt(view: View, x: number, y: number): Pane | undefined {
    return view.panes.find(pane => x >= pane.left && x < pane.left + pane.width && y >= pane.top && y < pane.top + pane.height);
}

/** Which boxes of a tree hold each point's triangles: after a step of a brush only these are fitted again. */
class Branches {
    private readonly leafOf: Uint32Array;
    /** Of each box; its own number: the whole. */
    private readonly parentOf: Uint32Array;
    private readonly begin: Uint32Array;
    private readonly triangles: Uint32Array;

    constructor(bvh: MeshBVH, corners: Uint32Array, vertexPoints: Uint32Array, points: number) {
        const path: number[] = [], above: number[] = [];
        this.leafOf = new Uint32Array(corners.length / 3);
        bvh.shapecast({
            intersectsBounds: (_box, _leaf, _score, depth, node) => {
                path[depth] = node;
                above[node] = depth ? path[depth - 1]! : node;
                return true;
            },
            intersectsRange: (offset, count, _contained, _depth, node) => {
                for (let i = offset; i < offset + count; ++i) this.leafOf[bvh.resolveTriangleIndex(i)] = node;
                return false;
            },
        });
        this.parentOf = Uint32Array.from(above);
        this.begin = new Uint32Array(points + 1);
        this.triangles = new Uint32Array(corners.length);
        for (const vertex of corners) ++this.begin[vertexPoints[vertex]! + 1]!;
        for (let i = 0; i < points; ++i) this.begin[i + 1]! += this.begin[i]!;
        const at = this.begin.slice(0, points);
        corners.forEach((vertex, i) => (this.triangles[at[vertexPoints[vertex]!]!++] = Math.floor(i / 3)));
    }

    /** The boxes around points of some steps, up to the whole. */
    around(steps: number[][], from: number, to: number): Set<number> {
        const out = new Set<number>();
        for (let step = from; step < to; ++step) for (const p of steps[step]!) for (let i = this.begin[p]!; i < this.begin[p + 1]!; ++i) {
            for (let node = this.leafOf[this.triangles[i]!]!; !out.has(node); node = this.parentOf[node]!) out.add(node);
        }
        return out;
    }
}

export class Picker {
    private readonly trees = new WeakMap<Skin, { bvh: MeshBVH; geometry: BufferGeometry; frame: Frame | undefined; branches: Branches }>();
    private readonly caster = new Raycaster();

    constructor(private readonly view: View) {}

    /** Through the camera, into the pane's picture. */
    ray(x: number, y: number, pane: Pane): Raycaster {
        const { clientWidth, clientHeight } = this.view.canvas, whole = this.view.wiped;
        const [left, top, width, height] = whole ? [0, 0, clientWidth, clientHeight] : [pane.left, pane.top, pane.width, pane.height];
        this.view.camera.updateMatrixWorld();
        this.caster.setFromCamera(new Vector2(2 * (x - left) / width - 1, 1 - 2 * (y - top) / height), this.view.camera);
        return this.caster;
    }

    private tree(skin: Skin, shape: Shape): MeshBVH {
        let found = this.trees.get(skin);
        if (!found) {
            const geometry = new BufferGeometry(); // a description of its own: the tree must not change the order of the drawn triangles
            geometry.setAttribute("position", skin.geometry.getAttribute("position"));
            geometry.setIndex(skin.geometry.getIndex());
            const bvh = new MeshBVH(geometry, { indirect: true });
            found = { bvh, geometry, frame: skin.frame, branches: new Branches(bvh, skin.geometry.getIndex()!.array as Uint32Array, shape.vertexPoints, shape.info.points) };
            this.trees.set(skin, found);
        } else if (found.frame !== skin.frame) {
            const was = found.frame?.stroke, is = skin.frame?.stroke;
            const from = is && (found.frame === is.from.deref() ? 0 : was?.steps === is.steps ? was.at : undefined);
            found.bvh.refit(from === undefined ? undefined : found.branches.around(is!.steps, from, is!.at));
            found.frame = skin.frame;
        }
        return found.bvh;
    }

    hit(x: number, y: number, shape: Shape): Hit | undefined {
        const pane = paneAt(this.view, x, y), skin = pane && this.view.skins.get(pane.chain);
        if (!pane || !skin) return undefined;
        const { ray } = this.ray(x, y, pane), bvh = this.tree(skin, shape), found = bvh.raycastFirst(ray, DoubleSide);
        if (!found?.face) return undefined;
        const position = skin.geometry.getAttribute("position") as BufferAttribute, rest = skin.geometry.getAttribute("rest") as BufferAttribute, { a, b, c } = found.face;
        const corners = [a, b, c], places = corners.map(i => new Vector3().fromBufferAttribute(position, i)), share = weightsIn(found.point, places as [Vector3, Vector3, Vector3]), at = new Vector3();
        corners.forEach((i, k) => at.addScaledVector(new Vector3().fromBufferAttribute(rest, i), share[k]!));
        const nearest = corners[places.map(one => one.distanceToSquared(found.point)).reduce((best, one, i, all) => (one < all[best]! ? i : best), 0)]!;
        const normal = found.face.normal.clone();
        if (normal.dot(ray.direction) > 0) normal.negate();
        return { chain: pane.chain, place: found.point.clone(), rest: at, normal, point: shape.vertexPoints[nearest]! };
    }
}

/** Barycentric weights of a place in a triangle; a third each where it has no area. */
function weightsIn(place: Vector3, [a, b, c]: [Vector3, Vector3, Vector3]): [number, number, number] {
    const u = b.clone().sub(a), v = c.clone().sub(a), w = place.clone().sub(a), uu = u.dot(u), uv = u.dot(v), vv = v.dot(v), wu = w.dot(u), wv = w.dot(v), d = uu * vv - uv * uv;
    if (!(d > 0)) return [1 / 3, 1 / 3, 1 / 3];
    const s = (vv * wu - uv * wv) / d, t = (uu * wv - uv * wu) / d;
    return [1 - s - t, s, t];
}
