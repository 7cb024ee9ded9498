// Beside the brush: points within a line on the screen, how symmetric a map is, and a map as a vertex group of Blender's.
import type { Frame } from "../frames.ts";
import type { Shape } from "../lane.ts";
import type { View } from "../view.ts";

const EVEN = 0.005; // values closer than this look the same

/** Whether a place is within a closed line: an odd number of its pieces pass to the right. */
export function within(x: number, y: number, line: { x: number; y: number }[]): boolean {
    let inside = false;
    for (let i = 0, k = line.length - 1; i < line.length; k = i++) {
        const a = line[i]!, b = line[k]!;
        if (a.y > y !== b.y > y && x < (b.x - a.x) * (y - a.y) / (b.y - a.y) + a.x) inside = !inside;
    }
    return inside;
}

/** 1 at points of a skin within a line (pixels of the page) whose normals face the camera. */
export function pointsWithin(line: { x: number; y: number }[], shape: Shape, { points, normals }: Frame, view: View, chain: number, at: number): Uint8Array {
    const out = new Uint8Array(shape.info.points), { x, y, z } = view.camera.position;
    shape.vertexPoints.forEach((p, v) => {
        const faces = (x - points[3 * p]!) * normals[3 * v]! + (y - points[3 * p + 1]!) * normals[3 * v + 1]! + (z - points[3 * p + 2]!) * normals[3 * v + 2]!, place = out[p] || faces <= 0 ? null : view.pixel(p, chain, at);
        if (place && within(place.x, place.y, line)) out[p] = 1;
    });
    return out;
}

/** Points without a partner, those that differ from it and by how much at most. */
export function asymmetry(values: Float32Array, partner: Int32Array): { alone: number; differ: number; most: number } {
    const out = { alone: 0, differ: 0, most: 0 };
    partner.forEach((other, p) => {
        const by = other < 0 ? 0 : Math.abs(values[p]! - values[other]!);
        if (other < 0) ++out.alone;
        if (by > EVEN) ++out.differ;
        out.most = Math.max(out.most, by);
    });
    return out;
}

/**
 * A script for Blender's Text Editor. Run on the mesh that was imported from the character's file, it makes the vertex group; with SAVE it writes the
 * group beside the .blend file as the text that the studio and --map take. Blender has the stored vertices of a GLB, or the points where it merged them.
 */
export function groupScript(name: string, values: Float32Array, vertexPoints: Uint32Array): string {
    const numbers = Array.from(values, one => Number(one.toFixed(4))), merged = vertexPoints.length === values.length && vertexPoints.every((p, v) => p === v);
    return `# Vertex group of the studio for Blender: open in the Text Editor, choose the mesh, run. SAVE = True writes the group back to ${name}.txt.
import bpy

SAVE = False
NAME = ${JSON.stringify(name)}
VALUES = ${JSON.stringify(numbers)}
POINTS = ${merged ? "None" : JSON.stringify([...vertexPoints])}  # of each stored vertex; None: they are the points

mesh = bpy.context.object
count = len(mesh.data.vertices)
if count == len(VALUES):
    values = VALUES
elif POINTS and count == len(POINTS):
    values = [VALUES[p] for p in POINTS]
else:
    raise ValueError(f"'{mesh.name}' has {count} vertices and the map {len(VALUES)}: import the character's own file")
if SAVE:
    group = mesh.vertex_groups[NAME].index
    found = [next((g.weight for g in v.groups if g.group == group), 0.0) for v in mesh.data.vertices]
    with open(bpy.path.abspath(f"//{NAME}.txt"), "w") as file:
        file.write("\\n".join(f"{w:.4g}" for w in found) + "\\n")
else:
    group = mesh.vertex_groups.get(NAME) or mesh.vertex_groups.new(name=NAME)
    for i, w in enumerate(values):
        group.add([i], w, "REPLACE")
`;
}
