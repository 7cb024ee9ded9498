# Run inside Blender by run.sh: imports what we baked, and bakes the same clips with Blender's own Armature modifier.
import os
import sys

sys.path.append("/usr/lib/python3/dist-packages")  # Debian's numpy, where Blender does not look
import numpy as np

for name, kind in {"bool": bool, "int": int, "float": float, "object": object}.items():
    if name not in np.__dict__:
        setattr(np, name, kind)  # Blender 3.4's glTF importer uses names that newer numpy dropped

import bpy

held = failed = 0


def claim(what, error, limit):
    """One line per claim; the error is a part of the diagonal."""
    global held, failed
    good = error <= limit
    held, failed = held + good, failed + (not good)
    print(f"{'ok' if good else 'FAILED':8} {what}: {error:.1e} of the diagonal" + ("" if good else f", wanted {limit:.0e}"))


def read_pc2(path):
    count = int(np.fromfile(path, "<i4", 1, offset=16)[0])
    return np.fromfile(path, "<f4", offset=32).reshape(-1, count, 3).astype(np.float64)


def clear(fps):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.context.scene.render.fps = fps


def to_file_axes(points):
    """Blender turns glTF's y up into z up: x, -z, y."""
    return np.stack([points[:, 0], points[:, 2], -points[:, 1]], 1)


def shown(mesh):
    """World positions of a mesh object with all its modifiers."""
    solved = mesh.evaluated_get(bpy.context.evaluated_depsgraph_get())
    flat = np.empty(3 * len(solved.data.vertices), np.float32)
    solved.data.vertices.foreach_get("co", flat)
    world = np.array(solved.matrix_world)
    return flat.reshape(-1, 3) @ world[:3, :3].T + world[:3, 3]


def stored(mesh):
    """Positions as the file has them."""
    flat = np.empty(3 * len(mesh.data.vertices), np.float32)
    mesh.data.vertices.foreach_get("co", flat)
    return flat.reshape(-1, 3)


def frame_set(frame):
    bpy.context.scene.frame_set(frame)
    bpy.context.view_layer.update()


def worst(mesh, truth, turn):
    diagonal = np.linalg.norm(truth[0].max(0) - truth[0].min(0))
    most = 0.0
    for frame, wanted in enumerate(truth):
        frame_set(frame)
        got = turn(shown(mesh))
        if got.shape != wanted.shape:
            return float("inf")
        most = max(most, np.linalg.norm(got - wanted, axis=1).max())
    return most / diagonal


def import_glb(path, fps):
    clear(fps)
    bpy.ops.import_scene.gltf(filepath=path)
    meshes = [o for o in bpy.data.objects if o.type == "MESH" and not o.name.startswith("Icosphere")]
    return meshes[0]


def play(name):
    """The clip of that name and no other. The importer leaves every clip as a muted track of its owner."""
    owners = [o for o in bpy.data.objects] + [m.shape_keys for m in bpy.data.meshes if m.shape_keys]
    found = False
    for armature in (o for o in bpy.data.objects if o.type == "ARMATURE"):
        for bone in armature.pose.bones:
            bone.matrix_basis.identity()  # a bone without keys in this clip would keep what another left there
    for owner in owners:
        motion = owner.animation_data
        if not motion:
            continue
        # The action itself: strips are moved to begin at frame 1.
        actions = [strip.action for track in motion.nla_tracks if track.name == name for strip in track.strips]
        motion.action = actions[0] if actions else None
        for track in motion.nla_tracks:
            track.mute = True
        found = found or bool(actions)
    assert found, f"no clip '{name}'"


def import_obj(path, fps):
    clear(fps)
    bpy.ops.wm.obj_import(filepath=path, forward_axis="Y", up_axis="Z")
    return [o for o in bpy.data.objects if o.type == "MESH"][0]


def cached(mesh, path, forward="POS_Y", up="POS_Z"):
    for old in list(mesh.modifiers):
        mesh.modifiers.remove(old)
    cache = mesh.modifiers.new("cache", "MESH_CACHE")
    cache.cache_format = os.path.splitext(path)[1][1:].upper()
    cache.filepath = path
    cache.frame_start = 0
    cache.forward_axis, cache.up_axis = forward, up
    return mesh


def check(folder, name):
    here = os.path.join(folder, name)
    fps = int(open(os.path.join(here, "fps")).read())
    clip = open(os.path.join(here, "clip")).read().strip()
    file = lambda text: os.path.join(here, text)
    same = lambda points: points
    truth = {chain: read_pc2(file(f"{chain}.pc2")) for chain in ("linear", "dualquat")}
    objs = sorted(n for n in os.listdir(here) if n.endswith(".obj"))

    most = 0.0
    for i in range(0, len(objs), 5):
        most = max(most, worst(import_obj(file(objs[i]), fps), truth["dualquat"][i : i + 1], same))
    claim(f"{name}: OBJ sequence", most, 1e-6)
    mesh = import_obj(file(objs[0]), fps)
    claim(f"{name}: PC2 through Mesh Cache", worst(cached(mesh, file("dualquat.pc2")), truth["dualquat"], same), 0)
    claim(f"{name}: MDD through Mesh Cache", worst(cached(mesh, file("dualquat.mdd")), truth["dualquat"], same), 0)

    # The recipe of docs/formats.md: on the imported character itself, without its armature and transform.
    mesh = import_glb(file("linear.glb"), fps)
    mesh.parent = None
    mesh.matrix_world.identity()
    cached(mesh, file("dualquat.pc2"), "POS_Z", "NEG_Y")
    claim(f"{name}: PC2 on the imported GLB", worst(mesh, truth["dualquat"], to_file_axes), 0)

    for kind, chain in (("flat", "dualquat"), ("dualquat", "dualquat"), ("sparse", "dualquat"), ("linear", "linear")):
        mesh = import_glb(file(f"{kind}.glb"), fps)
        play("baked")
        claim(f"{name}: GLB {kind}", worst(mesh, truth[chain], to_file_axes), 1e-6)

    # Within a budget, for clients that read no extensions: 0.1 % of the diagonal at rest, which bent limbs make smaller. Equal
    # vertices of the file are one there: they are known by their places at rest.
    rest = stored(import_glb(file("linear.glb"), fps))
    for client in ("unreal", "unity", "godot"):
        mesh = import_glb(file(f"{client}.glb"), fps)
        play("baked")
        same_place = [int(np.argmin(np.linalg.norm(rest - p, axis=1))) for p in stored(mesh)]
        claim(f"{name}: GLB for {client}", worst(mesh, [frame[same_place] for frame in truth["dualquat"]], to_file_axes), 1.3e-3)

    mesh = import_glb(file("linear.glb"), fps)
    play(clip)
    for key in mesh.data.shape_keys.key_blocks[1:]:
        key.value = 0
    armature = next(m for m in mesh.modifiers if m.type == "ARMATURE")
    for volume, chain in ((False, "linear"), (True, "dualquat")):
        armature.use_deform_preserve_volume = volume
        words = "Preserve Volume" if volume else "linear"
        claim(f"{name}: Blender's Armature, {words}, against {chain}", worst(mesh, truth[chain], to_file_axes), 1e-4)


def worn(mesh):
    """What every corner of every face wears: material, place, texture coordinates, in an order of their own."""
    data, uv = mesh.data, mesh.data.uv_layers.active
    rows = []
    for face in data.polygons:
        name = data.materials[face.material_index].name.split(".")[0]
        for loop in face.loop_indices:
            place = mesh.matrix_world @ data.vertices[data.loops[loop].vertex_index].co
            rows.append([name, *place, *uv.data[loop].uv])
    return sorted(rows, key=lambda row: (row[0], *(round(x, 3) for x in row[1:])))


def apart(a, b):
    """The largest difference of two such lists; corners are compared as triangles or polygons have them."""
    if len(a) != len(b) or [row[0] for row in a] != [row[0] for row in b]:
        return float("inf")
    return max(abs(x - y) for p, q in zip(a, b) for x, y in zip(p[1:], q[1:]))


def check_wear(here):
    file = lambda text: os.path.join(here, text)
    if os.path.exists(file("rigged.glb")):
        source = worn(import_glb(file("rigged-source.glb"), 24))
        mesh = import_glb(file("rigged.glb"), 24)
        claim("rigged anew: materials, places and texture coordinates of corners", apart(source, worn(mesh)), 1e-6)
        images = [n.image for m in mesh.data.materials for n in m.node_tree.nodes if n.type == "TEX_IMAGE"]
        claim("rigged anew: the picture", 0 if images and images[0].size[0] > 0 else float("inf"), 0)
    clear(24)
    bpy.ops.wm.obj_import(filepath=file("strip-source.obj"))
    source = [o for o in bpy.data.objects if o.type == "MESH"][0]
    triangles = source.modifiers.new("triangles", "TRIANGULATE")
    triangles.quad_method = "FIXED"
    bpy.context.view_layer.objects.active = source
    bpy.ops.object.modifier_apply(modifier="triangles")
    wanted = worn(source)
    claim("OBJ in a GLB: materials, places and texture coordinates of corners", apart(wanted, worn(import_glb(file("strip.glb"), 24))), 1e-6)


folder = sys.argv[sys.argv.index("--") + 1]
for name in sorted(n for n in os.listdir(folder) if os.path.isdir(os.path.join(folder, n))):
    if name != "wear":
        check(folder, name)
check_wear(os.path.join(folder, "wear"))
print(f"{held} held, {failed} failed")
sys.exit(1 if failed else 0)
