"""From a mesh with an armature to a character, and its motion frame by frame. Reads only: nothing of the user's changes."""
from __future__ import annotations

import hashlib
import re
from typing import List, NamedTuple, Optional, Tuple

import bpy
import numpy as np
from mathutils import Matrix

from . import supple

CLIP = "blender"
SCULPT = re.compile(r"(.*)@ *(\d+(?:\.\d+)?)")  # a shape key that is a sculpt: "elbow@12"


class Refused(Exception):
    """Why this object cannot be used, as a sentence with the cure."""


class Body(NamedTuple):
    """A solid body: its shape around its own origin, and the transform of that origin in every frame."""

    name: str
    points: "np.ndarray"
    faces: List[List[int]]
    places: List[Tuple]  # (location, rotation x y z w)


class Rig(NamedTuple):
    """A character in world space, with the motion of the scene's frames as its clip."""

    character: "supple.Character"
    vertices: "np.ndarray"  # the point of each vertex: those at one place with the same weights are one point, so that seams hold
    frame_start: int
    frame_end: int
    fps: float
    notes: List[str]
    bodies: List[Body]
    sculpts: int
    print: str  # the same for the same mesh, weights, maps and motion


# ------------------------------------------------------------------------------------------------ what may be used


def armature_modifier(mesh_object) -> Optional["bpy.types.ArmatureModifier"]:
    for modifier in mesh_object.modifiers:
        if modifier.type == "ARMATURE" and modifier.object:
            return modifier
    return None


def armature_of(mesh_object) -> Optional["bpy.types.Object"]:
    """The armature that deforms it: by a modifier, or as a deforming parent."""
    modifier = armature_modifier(mesh_object)
    if modifier:
        return modifier.object
    parent = mesh_object.parent
    return parent if parent and parent.type == "ARMATURE" and mesh_object.parent_type == "ARMATURE" else None


def check(mesh_object) -> "bpy.types.Object":
    """The armature of a usable mesh; raises the reason if there is none."""
    if mesh_object is None or mesh_object.type != "MESH":
        raise Refused("Select a mesh that an armature moves")
    for data, what in ((mesh_object, "object"), (mesh_object.data, "mesh")):
        if data.library:
            raise Refused(f"The {what} '{data.name}' is linked from another file; make it local first (Object > Relations > Make Local)")
        if data.override_library:
            raise Refused(f"The {what} '{data.name}' is a library override; make it local first (Object > Relations > Make Local)")
    if mesh_object.mode != "OBJECT":
        raise Refused("Leave edit, paint and sculpt mode first (Tab)")
    armature = armature_of(mesh_object)
    if armature is None and mesh_object.parent_type == "BONE":
        raise Refused(f"'{mesh_object.name}' hangs on the bone '{mesh_object.parent_bone}' as a rigid part; a skin has an Armature modifier")
    if armature is None:
        raise Refused(f"'{mesh_object.name}' has no armature; parent it to one (Ctrl P, With Automatic Weights)")
    modifier = armature_modifier(mesh_object)
    if modifier and not modifier.use_vertex_groups:
        raise Refused("The armature works by bone envelopes; turn its vertex groups on (Bind To in the Armature modifier)")
    if not mesh_object.data.vertices:
        raise Refused(f"'{mesh_object.name}' has no vertices")
    return armature


# ------------------------------------------------------------------------------------------------ mesh and weights


def rest_points(mesh_object) -> "np.ndarray":
    """Vertices in object space with the current mix of shape keys; sculpts belong to poses and are left out."""
    mesh = mesh_object.data
    points = np.empty((len(mesh.vertices), 3), np.float32)
    keys = mesh.shape_keys
    if not keys or not keys.use_relative:
        mesh.vertices.foreach_get("co", points.ravel())
        return points
    keys.reference_key.data.foreach_get("co", points.ravel())
    own, relative = np.empty_like(points), np.empty_like(points)
    mixed = points.copy()
    for key in keys.key_blocks:
        if key == keys.reference_key or key.mute or key.value == 0 or SCULPT.fullmatch(key.name):
            continue
        key.data.foreach_get("co", own.ravel())
        key.relative_key.data.foreach_get("co", relative.ravel())
        mixed += np.float32(key.value) * (own - relative)
    return mixed


def faces_of(mesh) -> List[List[int]]:
    corners = np.empty(len(mesh.loops), np.int32)
    starts, sizes = np.empty(len(mesh.polygons), np.int32), np.empty(len(mesh.polygons), np.int32)
    mesh.loops.foreach_get("vertex_index", corners)
    mesh.polygons.foreach_get("loop_start", starts)
    mesh.polygons.foreach_get("loop_total", sizes)
    return [corners[s : s + n].tolist() for s, n in zip(starts, sizes)]


def sculpts_of(mesh_object, start: int, end: int) -> List[Tuple[str, float, "np.ndarray"]]:
    """Shape keys whose names end in @ and a frame of the range: how the mesh at rest must be for the pose of that frame."""
    mesh, out = mesh_object.data, []
    for key in mesh.shape_keys.key_blocks if mesh.shape_keys else ():
        named = SCULPT.fullmatch(key.name)
        if not named or key == mesh.shape_keys.reference_key:
            continue
        frame = float(named[2])
        if not start <= frame <= end:
            raise Refused(f"The sculpt '{key.name}' is of frame {frame:g}, but the scene's range is {start} to {end}; rename it, or change the range")
        points, basis = np.empty((len(mesh.vertices), 3), np.float32), np.empty((len(mesh.vertices), 3), np.float32)
        key.data.foreach_get("co", points.ravel())
        key.relative_key.data.foreach_get("co", basis.ravel())
        mixed = rest_points(mesh_object)
        out.append((named[1].strip() or key.name, frame, points if np.array_equal(mixed, basis) else mixed + (points - basis)))
    return out


def weights_of(mesh_object, joints: dict) -> Tuple[Tuple[list, list, list], int]:
    """Influences as (begin, joints, values), and how many vertices have none: these follow the armature's object."""
    of_group = {g.index: joints[g.name] for g in mesh_object.vertex_groups if g.name in joints}
    begin, of, values, loose = [0], [], [], 0
    for vertex in mesh_object.data.vertices:
        for entry in vertex.groups:
            joint = of_group.get(entry.group)
            if joint is not None and entry.weight > 0:
                of.append(joint)
                values.append(entry.weight)
        if len(of) == begin[-1]:
            of.append(0)
            values.append(1.0)
            loose += 1
        begin.append(len(of))
    return (begin, of, values), loose


def group_values(mesh_object, name: str) -> "np.ndarray":
    """A vertex group as a map."""
    group = mesh_object.vertex_groups.get(name)
    if group is None:
        raise Refused(f"'{mesh_object.name}' has no vertex group '{name}'; choose another, or remove that row")
    out = np.zeros(len(mesh_object.data.vertices), np.float32)
    for i, vertex in enumerate(mesh_object.data.vertices):
        for entry in vertex.groups:
            if entry.group == group.index:
                out[i] = entry.weight
    return out


def by_point(character, values: "np.ndarray") -> "np.ndarray":
    """Converts values of vertices to values of points (the mean of a point's vertices), whose order differs even if there are as many."""
    vertices, points = np.array(character.vertex_points), len(character.points)
    first = np.zeros((points, *values.shape[1:]), values.dtype)
    total = np.zeros((points, *values.shape[1:]), np.float64)
    first[vertices] = values
    np.add.at(total, vertices, values)
    counts = np.bincount(vertices, minlength=points)
    alone = counts <= 1
    counts = np.maximum(counts, 1).reshape((-1,) + (1,) * (values.ndim - 1))
    mean = (total / counts).astype(values.dtype)
    mean[alone] = first[alone]
    return mean


# ------------------------------------------------------------------------------------------------ joints and motion


def _row(matrix: Matrix) -> List[float]:
    place, turn, scale = matrix.decompose()
    return [*place, turn.x, turn.y, turn.z, turn.w, *scale]


def _has_shear(matrix: Matrix) -> bool:
    place, turn, scale = matrix.decompose()
    again = Matrix.Translation(place) @ turn.to_matrix().to_4x4() @ Matrix.Diagonal((*scale, 1))
    size = max(abs(x) for row in matrix for x in row)
    return any(abs(a - b) > 1e-3 * size for r, s in zip(matrix, again) for a, b in zip(r, s))


class Motion(NamedTuple):
    """Local transforms, frames x (1 + bones) x 10; where the armature's object and the bodies stand; whether a bone is sheared."""

    local: "np.ndarray"
    worlds: List[Matrix]
    bodies: List[Body]
    sheared: bool


def _body(thing, depsgraph) -> Body:
    """Its shape with modifiers and scale, about its origin."""
    solved = thing.evaluated_get(depsgraph)
    mesh = solved.to_mesh()
    points = np.empty((len(mesh.vertices), 3), np.float32)
    mesh.vertices.foreach_get("co", points.ravel())
    faces = faces_of(mesh)
    solved.to_mesh_clear()
    return Body(thing.name, points * np.array(solved.matrix_world.to_scale(), np.float32), faces, [])


def _pose_rows(solved, bones, parents) -> Tuple[List[List[float]], List[Matrix]]:
    pose = {b.name: b.matrix.copy() for b in solved.pose.bones}
    locals_ = [pose[n] if parents[n] is None else pose[parents[n]].inverted_safe() @ pose[n] for n in bones]
    return [_row(m) for m in locals_], locals_


def sample_motion(armature, start: int, end: int, fps: float, others=(), told=None) -> Motion:
    """In a scene of its own with nothing but the armature, the bodies and what they depend on: the rest of the user's scene is not
    evaluated, and its current frame stays."""
    bones = [b.name for b in armature.data.bones]
    parents = {b.name: b.parent.name if b.parent else None for b in armature.data.bones}
    out = np.empty((end - start + 1, 1 + len(bones), 10), np.float32)
    sheared, worlds, bodies = False, [], []
    scene = bpy.data.scenes.new("supple sampling")
    try:
        for thing in (armature, *others):
            scene.collection.objects.link(thing)
        scene.render.fps, scene.render.fps_base = max(1, round(fps)), max(1, round(fps)) / fps
        for index, frame in enumerate(range(start, end + 1)):
            scene.frame_set(frame)
            depsgraph = scene.view_layers[0].depsgraph
            solved = armature.evaluated_get(depsgraph)
            worlds.append(solved.matrix_world.copy())
            out[index, 0] = _row(worlds[-1])
            out[index, 1:], locals_ = _pose_rows(solved, bones, parents)
            sheared = sheared or (index == 0 and any(_has_shear(m) for m in (worlds[0], *locals_)))
            if index == 0:
                bodies = [_body(thing, depsgraph) for thing in others]
            for thing, body in zip(others, bodies):
                place, turn, _ = thing.evaluated_get(depsgraph).matrix_world.decompose()
                body.places.append((tuple(place), (turn.x, turn.y, turn.z, turn.w)))
            if told and told(index / len(out), "sample") is False:
                raise supple.Cancelled("the sampling was stopped")
    finally:
        bpy.data.scenes.remove(scene)
    for index in range(1, len(out)):  # one side of the sphere, so that keys go the short way
        flip = np.sum(out[index, :, 3:7] * out[index - 1, :, 3:7], axis=1) < 0
        out[index, flip, 3:7] *= -1
    return Motion(out, worlds, bodies, sheared)


def _unit(scene) -> Optional[float]:
    """Meters per unit, if set; otherwise physics judges the size by itself."""
    units = scene.unit_settings
    return units.scale_length if units.system != "NONE" and abs(units.scale_length - 1) > 1e-6 else None


def _in_blender(note: str) -> str:
    """The cure for an implausible size, naming a control of Blender instead of a flag."""
    return re.sub(r"[:;,]? *--unit .*", "; Unit Scale in the scene's units says otherwise (0.01 for centimeters)", note)


def read(context, mesh_object, *, maps=(), bodies=(), up: str = "z", told=None) -> Rig:
    """The character in world space: the rest pose where the armature's object stands in the first frame."""
    armature = check(mesh_object)
    scene = context.scene
    start, end = scene.frame_start, max(scene.frame_end, scene.frame_start)
    fps = scene.render.fps / scene.render.fps_base
    notes = []
    local, worlds, solids, sheared = sample_motion(armature, start, end, fps, bodies, told)
    bones = list(armature.data.bones)
    index = {b.name: 1 + i for i, b in enumerate(bones)}
    joints = [(f"{armature.name} (object)", None)]
    rest = [_row(worlds[0])]
    for bone in bones:
        joints.append((bone.name, index[bone.parent.name] if bone.parent else 0))
        rest.append(_row(bone.parent.matrix_local.inverted_safe() @ bone.matrix_local if bone.parent else bone.matrix_local))
    to_world = worlds[0] @ armature.matrix_world.inverted_safe() @ mesh_object.matrix_world
    place = np.array(to_world, np.float64)
    points = (rest_points(mesh_object).astype(np.float64) @ place[:3, :3].T + place[:3, 3]).astype(np.float32)
    weights, loose = weights_of(mesh_object, {b.name: index[b.name] for b in bones if b.use_deform})
    if loose == len(points):
        raise Refused(f"No vertex of '{mesh_object.name}' is in the group of a bone that deforms; give it weights first")
    if loose:
        notes.append(f"{loose} vertices are in no bone's group and follow the armature as a whole")
    if sheared:
        notes.append("some bones are sheared by the scale of their parents, which joints cannot show; apply the scale (Ctrl A)")
    keys = mesh_object.data.shape_keys
    if keys and any(not SCULPT.fullmatch(k.name) for k in keys.key_blocks if k != keys.reference_key):
        notes.append("shape keys are taken as they are mixed now")
    character = supple.character(points, faces_of(mesh_object.data), joints=joints, rest=rest, weights=weights, name=mesh_object.name,
                                 unit=_unit(scene), up=up, weld=True)  # fmt: skip
    order = [j.id for j in character.joints]
    motion = np.repeat(np.array(character.rest, np.float32)[None], len(local), axis=0)
    for at, own in enumerate(order):
        if 0 <= own < local.shape[1]:
            motion[:, at] = local[:, own]
    character.add_clip(CLIP, motion, fps=fps)
    sculpts = sculpts_of(mesh_object, start, end)
    for name, frame, shape in sculpts:
        shape = (shape.astype(np.float64) @ place[:3, :3].T + place[:3, 3]).astype(np.float32)
        character.add_example(by_point(character, shape), (frame - start) / fps, clip=CLIP, name=name, rest_space=True)
    seen = hashlib.sha1(repr((joints, start, fps, up, _unit(scene), maps)).encode())
    for array in (character.points, character.triangles, *character.weights, character.rest, motion):
        seen.update(np.ascontiguousarray(array))
    for name, frame, shape in sculpts:
        seen.update(repr((name, frame)).encode())
        seen.update(np.ascontiguousarray(shape))
    for name, group in maps:
        character.maps[name] = by_point(character, group_values(mesh_object, group))
        seen.update(np.ascontiguousarray(character.maps[name]))
    return Rig(character, np.array(character.vertex_points), start, end, fps, notes + [_in_blender(w) for w in character.warnings], solids, len(sculpts), seen.hexdigest())
