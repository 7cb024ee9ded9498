// Who is whose partner across x: by place at rest, or by how faces hang together, which a pose or a lopsided ear does not change. No document and no worker here.
import type { Shape } from "../lane.ts";

export type MirrorBy = "place" | "topology";
const SLACK = 2e-3;   // of the diagonal, between a point's mirrored place and its partner
const SEAMS = 64;     // edges near the middle that are tried as the seam where no place tells it
const ENOUGH = 0.5;   // of the points that a mirror image must cover to be believed
const ALL = 0.95;     // of them, at which no other seam is tried

/** The point nearest to each point's mirrored place, where one is near enough; -1: none. */
export function partnersByPlace({ points, info }: Shape): Int32Array {
    const slack = SLACK * (info.diagonal || 1), cells = new Map<number, number[]>();
    // Cells that share a number are looked through together: what counts is the distance.
    const cell = (x: number, y: number, z: number) => Math.imul(Math.round(x / slack), 73856093) ^ Math.imul(Math.round(y / slack), 19349663) ^ Math.imul(Math.round(z / slack), 83492791);
    for (let i = 0; i < info.points; ++i) {
        const key = cell(points[3 * i]!, points[3 * i + 1]!, points[3 * i + 2]!), there = cells.get(key);
        if (there) there.push(i);
        else cells.set(key, [i]);
    }
    return Int32Array.from({ length: info.points }, (_, i) => {
        const x = -points[3 * i]!, y = points[3 * i + 1]!, z = points[3 * i + 2]!;
        let best = -1, far = slack * slack;
        for (const dx of [-slack, 0, slack]) for (const dy of [-slack, 0, slack]) for (const dz of [-slack, 0, slack]) for (const k of cells.get(cell(x + dx, y + dy, z + dz)) ?? []) {
            const d = (points[3 * k]! - x) ** 2 + (points[3 * k + 1]! - y) ** 2 + (points[3 * k + 2]! - z) ** 2;
            if (d < far) best = k, far = d;
        }
        return best;
    });
}

/** A face and where in it an edge begins. */
interface Side {
    face: number;
    at: number;
}

class Faces {
    private readonly sides = new Map<number, Side>();
    readonly points: number;
    constructor(private readonly shape: Shape) {
        this.points = shape.info.points;
        for (let face = 0; face < shape.info.faces; ++face) for (let at = 0; at < this.size(face); ++at) {
            const key = this.corner(face, at) * this.points + this.corner(face, at + 1);
            this.sides.set(key, this.sides.has(key) ? { face: -1, at: 0 } : { face, at }); // an edge that two faces go along the same way leads nowhere
        }
    }
    size(face: number): number { return this.shape.faceBegin[face + 1]! - this.shape.faceBegin[face]!; }
    corner(face: number, at: number): number {
        const n = this.size(face), { faceBegin, cornerVertices, vertexPoints } = this.shape;
        return vertexPoints[cornerVertices[faceBegin[face]! + (at % n + n) % n]!]!;
    }
    /** The face that goes from a to b. */
    along(a: number, b: number): Side | undefined {
        const found = this.sides.get(a * this.points + b);
        return found && found.face >= 0 ? found : undefined;
    }
}

/** Walks over the faces from an edge and from its image at once, the image the other way around; what contradicts what is known is left alone. */
function walk(faces: Faces, partner: Int32Array, seeds: [number, number, number, number][]): void {
    const seen = new Set<number>(), queue = seeds;
    for (let i = 0; i < queue.length; ++i) {
        const [a, b, aImage, bImage] = queue[i]!, own = faces.along(a, b), image = faces.along(bImage, aImage);
        if (!own || !image || seen.has(own.face)) continue;
        const n = faces.size(own.face);
        if (faces.size(image.face) !== n) continue;
        const pairs = Array.from({ length: n }, (_, k): [number, number] => [faces.corner(own.face, own.at + k), faces.corner(image.face, image.at + 1 - k)]);
        if (pairs.some(([p, q]) => (partner[p]! >= 0 && partner[p] !== q) || (partner[q]! >= 0 && partner[q] !== p))) continue;
        seen.add(own.face);
        for (const [p, q] of pairs) partner[p] = q, partner[q] = p;
        pairs.forEach(([p, pImage], k) => {
            const [q, qImage] = pairs[(k + 1) % n]!;
            queue.push([q, p, qImage, pImage]); // over the edge, into the next face
        });
    }
}

/** By how faces hang together: from where places already agree on over the rest; where none do, from the edge near the middle whose image covers most. */
export function partnersByTopology(shape: Shape, places: Int32Array): Int32Array {
    const faces = new Faces(shape), { points, info } = shape, partner = new Int32Array(info.points).fill(-1), seeds: [number, number, number, number][] = [], middle: [number, number, number][] = [];
    const mutual = (p: number) => (places[p]! >= 0 && places[places[p]!] === p ? places[p]! : -1);
    for (let face = 0; face < info.faces; ++face) for (let at = 0; at < faces.size(face); ++at) {
        const a = faces.corner(face, at), b = faces.corner(face, at + 1), aImage = mutual(a), bImage = mutual(b);
        if (aImage >= 0 && bImage >= 0 && faces.along(bImage, aImage)) seeds.push([a, b, aImage, bImage]);
        else if (a < b && faces.along(b, a)) middle.push([Math.abs(points[3 * a]!) + Math.abs(points[3 * b]!), a, b]);
    }
    walk(faces, partner, seeds);
    const covered = (one: Int32Array) => one.reduce((sum, p) => sum + (p >= 0 ? 1 : 0), 0);
    if (covered(partner) > 0) return partner;
    let best = partner, most = ENOUGH * info.points;
    for (const [, a, b] of middle.sort((one, other) => one[0] - other[0]).slice(0, SEAMS)) {
        const tried = new Int32Array(info.points).fill(-1);
        walk(faces, tried, [[a, b, a, b]]);
        const many = covered(tried);
        if (many > most) best = tried, most = many;
        if (many > ALL * info.points) break;
    }
    return best;
}
