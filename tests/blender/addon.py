# Run inside Blender by addon.sh: installs the add-on, previews and bakes, and compares with what the command line says of the same
# character. Arguments: the zip, the program, a folder to work in.
import json
import os
import shutil
import subprocess
import sys
import time

sys.path.append("/usr/lib/python3/dist-packages")  # Debian's numpy, where Blender does not look
import numpy as np

for _name, _kind in {"bool": bool, "int": int, "float": float, "object": object}.items():
    if _name not in np.__dict__:
        setattr(np, _name, _kind)  # Blender 3.4's glTF importer uses names that newer numpy dropped

import bpy

ZIP, PROGRAM, FOLDER = sys.argv[sys.argv.index("--") + 1 :]
held = failed = 0
BEGUN = time.time()


def claim(what, good, more=""):
    global held, failed
    held, failed = held + bool(good), failed + (not good)
    print(f"{'ok' if good else 'FAILED':8} {what}{': ' + str(more) if more != '' else ''}", flush=True)


def refused(what, words):
    """The active object's preview and bake fail with a sentence."""
    for operator in (bpy.ops.supple.preview, bpy.ops.supple.bake):
        try:
            operator()
            claim(f"{what} is refused", False, "it was not")
        except RuntimeError as error:
            claim(f"{what} is refused", words in str(error), str(error).strip().splitlines()[0])


def install():
    bpy.ops.preferences.addon_install(filepath=ZIP, overwrite=True)
    bpy.ops.preferences.addon_enable(module="supple_skin")
    claim("the add-on is enabled", "supple_skin" in bpy.context.preferences.addons)


def arm_scene():
    """The built-in arm as Blender's importer makes it: mesh, armature, action."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.preferences.addon_enable(module="supple_skin")
    bpy.context.scene.render.fps = 30
    bpy.ops.import_scene.gltf(filepath=os.path.join(FOLDER, "arm.glb"))
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, 16
    mesh = next(o for o in scene.objects if o.type == "MESH")
    armature = next(o for o in scene.objects if o.type == "ARMATURE")
    armature.animation_data.action = bpy.data.actions[next(a.name for a in bpy.data.actions if a.name.startswith("flex"))]
    bpy.context.view_layer.objects.active = mesh
    scene.frame_set(1)
    return mesh, armature


def bits(array):
    return np.ascontiguousarray(array, np.float32).tobytes()


def vertices(mesh):
    out = np.empty((len(mesh.vertices), 3), np.float32)
    mesh.vertices.foreach_get("co", out.ravel())
    return out


def shown(thing):
    solved = thing.evaluated_get(bpy.context.evaluated_depsgraph_get())
    return vertices(solved.data)


def program_points(addon, mesh, chain, sets=()):
    """What `supple bake` makes of the character that the add-on reads, written as a GLB. (One that is called y up: a GLB of z up
    has its root turned, which rounds. Gravity is given, so nothing else hangs on it.)"""
    given = addon.preview.read_all(bpy.context, mesh, None, up="y")
    read = given["read"]
    source, out = os.path.join(FOLDER, "read.glb"), os.path.join(FOLDER, "read.npy")
    read.character.save(source)
    world = os.path.join(FOLDER, "world.json")
    with open(world, "w") as file:
        json.dump(given["given"]["world"], file)
    words = [PROGRAM, "bake", source, out, "--clip", addon.rig.CLIP, "--deform", chain, "--fps", "30", "--world", world,
             "--no-verdict", "--quiet", *[w for s in sets for w in ("--set", s)]]  # fmt: skip
    subprocess.run(words, check=True)
    shutil.rmtree(given["folder"])
    return np.load(out)[:, read.vertices], read


def check_preview(addon, chain, skinning, flesh, smooth=False):
    mesh, armature = arm_scene()
    mesh.supple.skinning, mesh.supple.flesh, mesh.supple.smooth = skinning, flesh, smooth
    before = bits(vertices(mesh.data))
    truth, _ = program_points(addon, mesh, chain)
    bpy.ops.supple.preview()
    copy = bpy.data.objects[mesh.name + " (Supple)"]
    same = []
    for frame in (1, 9, 16, 4, 12, 1):  # forwards and backwards
        bpy.context.scene.frame_set(frame)
        same.append(bits(vertices(copy.data)) == bits(truth[frame - 1]))
    claim(f"{chain}: the preview has the command line's bits, scrubbed both ways", all(same), same)
    claim(f"{chain}: the user's mesh is as it was, and hidden", bits(vertices(mesh.data)) == before and mesh.hide_get())
    bpy.ops.supple.stop()
    claim(f"{chain}: stopping shows it again", not mesh.hide_get() and mesh.name + " (Supple)" not in bpy.data.objects)
    return truth


def check_bakes(addon):
    mesh, armature = arm_scene()
    mesh.supple.flesh = "layers"
    before = bits(vertices(mesh.data))
    truth, _ = program_points(addon, mesh, "dualquat,layers")
    for kind in ("PC2", "MDD", "KEYS"):
        bpy.context.view_layer.objects.active = mesh
        mesh.hide_set(False)
        mesh.supple.target, mesh.supple.path = kind, os.path.join(FOLDER, "baked")
        if kind == "MDD":
            bpy.ops.supple.preview()  # whose chain the bake takes
        bpy.ops.supple.bake()
        copy = bpy.context.object
        now = bpy.context.scene.frame_current - 1
        worst = float(np.abs(shown(copy) - truth[now]).max())
        claim(f"{kind}: shows the frame of the scene at once", worst <= 2e-7, worst)
        worst = 0.0
        for frame in (1, 8, 16, 3):
            bpy.context.scene.frame_set(frame)
            bpy.context.view_layer.update()
            worst = max(worst, float(np.abs(shown(copy) - truth[frame - 1]).max()))
        claim(f"{kind}: shows the command line's frames", worst <= (0 if kind != "KEYS" else 2e-7), worst)
        if kind == "KEYS":
            keys = copy.data.shape_keys.key_blocks
            got = np.empty((len(copy.data.vertices), 3), np.float32)
            same = []
            for index in range(len(truth)):
                keys[1 + index].data.foreach_get("co", got.ravel())
                same.append(bits(got) == bits(truth[index]))
            claim("KEYS: every key has the command line's bits", len(keys) == 17 and all(same))
        claim(f"{kind}: the user's mesh is as it was", bits(vertices(mesh.data)) == before and not mesh.data.shape_keys)
        claim(f"{kind}: knows what it was baked from", addon.preview.baked_from(copy) == mesh and mesh.hide_get() and mesh.hide_render)
        bpy.ops.supple.back()
        claim(f"{kind}: the way back", bpy.context.object == mesh and not mesh.hide_get() and not mesh.hide_render and copy.hide_get())
        bpy.data.objects.remove(copy)
    bpy.context.view_layer.objects.active = mesh
    mesh.supple.target, mesh.supple.path = "GLB", os.path.join(FOLDER, "baked")
    bpy.ops.supple.bake()
    said = json.loads(subprocess.run([PROGRAM, "inspect", os.path.join(FOLDER, "baked.glb"), "--json"], capture_output=True).stdout)
    claim("GLB: holds the bake", said["points"] == len(mesh.data.vertices) and any(c["name"] == "supple" for c in said["clips"]))


def check_settings(addon):
    mesh, armature = arm_scene()
    settings = mesh.supple
    settings.skinning, settings.flesh = "dualquat", "layers"
    claim("no slider is moved at first", settings.values(armature) == [], settings.values(armature))
    settings.p_layers.stiffness_fat = 0.25
    armature.data.bones["forearm"].supple_values.add().parameter = "layers.damping"
    armature.data.bones["forearm"].supple_values[0].value = 9
    sets = settings.values(armature)
    claim("sliders and values of bones become settings", sets == ["layers.stiffness_fat=0.25", "layers.damping@forearm=9.0"], sets)
    group = mesh.vertex_groups.new(name="soft")
    group.add(range(0, len(mesh.data.vertices), 2), 0.5, "REPLACE")
    bpy.ops.supple.map_add()
    settings.maps[0].parameter, settings.maps[0].group = "layers_inertia", "soft"
    truth, read = program_points(addon, mesh, "dualquat,layers", sets)
    painted = np.array(read.character.maps["layers_inertia"])[read.vertices]
    claim("a vertex group is a map", np.array_equal(painted, np.where(np.arange(len(painted)) % 2 == 0, np.float32(0.5), 0)))
    bpy.ops.supple.preview()
    bpy.context.scene.frame_set(16)
    copy = bpy.data.objects[mesh.name + " (Supple)"]
    claim("settings, bones and maps: the command line's bits", bits(vertices(copy.data)) == bits(truth[15]))
    again = addon.preview.read_all(bpy.context, mesh, None)
    shutil.rmtree(again["folder"])
    claim("a bake of what is previewed need not bind again", again["chain"] is addon.preview.sessions[mesh.name].chain)
    group.add([0], 0.9, "REPLACE")
    again = addon.preview.read_all(bpy.context, mesh, None)
    shutil.rmtree(again["folder"])
    claim("but of a mesh that was painted since it does", again["chain"] is None)
    group.add([0], 0.5, "REPLACE")
    settings.p_dualquat.blend = 0.0
    again = addon.preview.read_all(bpy.context, mesh, None)
    shutil.rmtree(again["folder"])
    claim("and with another slider", again["chain"] is None)
    claim("a live slider moves the preview", bits(vertices(copy.data)) != bits(truth[15]) and not addon.preview.sessions[mesh.name].stale)
    settings.flesh = "none"
    claim("another chain asks for a refresh", addon.preview.sessions[mesh.name].stale != "")
    settings.flesh = "layers"
    claim("and no longer when it is as it was", addon.preview.sessions[mesh.name].stale == "")
    armature.data.bones["forearm"].supple_values[0].value = 3
    claim("so does a bone's value", addon.preview.sessions[mesh.name].stale != "")
    bpy.ops.supple.preset(deformer="layers", preset="hand")
    claim("a preset sets the sliders", abs(settings.p_layers.stiffness_muscle - 0.675) < 1e-6 and abs(settings.p_layers.project_fat - 0.1) < 1e-6)


def check_sculpts(addon):
    """A shape key of a frame is a sculpt of the rest shape for that frame's pose: as a morph of the same shape on the command line."""
    mesh, armature = arm_scene()
    mesh.supple.path = os.path.join(FOLDER, "x")
    for flesh in ("pose_space", "beam", "fourier"):
        mesh.supple.flesh, mesh.supple.skinning = flesh, "linear"
        refused(f"{flesh} without sculpts", "needs sculpts")
    mesh.shape_key_add(name="Basis", from_mix=False)
    key = mesh.shape_key_add(name="bulge@9", from_mix=False)
    rest, move = vertices(mesh.data), np.zeros((len(mesh.data.vertices), 3), np.float32)
    place = mesh.matrix_world
    claim("the arm stands where its mesh does", all(abs(place[i][j] - (i == j)) == 0 for i in range(4) for j in range(4)))
    middle = int(np.argmin(np.abs(rest - rest.mean(0)).sum(1)))
    move[np.linalg.norm(rest - rest[middle], axis=1) < 0.1] = (0, 0, 1 / 64)
    key.data.foreach_set("co", (rest + move).ravel())
    key.value = 1  # as it is while somebody sculpts
    mesh.supple.flesh, mesh.supple.skinning = "none", "linear"
    given = addon.preview.read_all(bpy.context, mesh, None, up="y")
    shutil.rmtree(given["folder"])
    read = given["read"]
    claim("a sculpt leaves the rest shape as it is", read.sculpts == 1 and bits(read.character.points[read.vertices]) == bits(rest))
    points = read.character.points
    moved = np.zeros((len(points), 3), np.float32)
    moved[read.vertices] = move
    twin = addon.rig.supple.character(points, read.character.triangles.reshape(-1, 3), joints=[(j.name, j.parent) for j in read.character.joints],
                                      rest=read.character.rest, weights=read.character.weights, morphs={"bulge": moved}, up="y")  # fmt: skip
    player, local = read.character.chain("linear").play(addon.rig.CLIP), []
    for frame in range(16):
        player.evaluate(frame / 30)
        local.append(np.array(player.local))
    twin.add_clip(addon.rig.CLIP, np.array(local).reshape(16, -1, 10), fps=30)
    source, out = os.path.join(FOLDER, "twin.glb"), os.path.join(FOLDER, "twin.npy")
    twin.save(source)
    stored = np.array(addon.rig.supple.load(source).vertex_points)  # a file's points are in the order of its faces
    for flesh in ("pose_space", "beam", "fourier"):
        subprocess.run([PROGRAM, "bake", source, out, "--clip", addon.rig.CLIP, "--deform", f"linear,{flesh}", "--fps", "30", "--example", f"{8 / 30!r}=morph:bulge", "--no-verdict", "--quiet"], check=True)
        truth = np.load(out)[:, stored[read.vertices]]
        mesh.supple.flesh = flesh
        bpy.context.view_layer.objects.active = mesh
        bpy.ops.supple.preview()
        copy, worst = bpy.data.objects[mesh.name + " (Supple)"], 0.0
        for frame in (9, 1, 16, 5):
            bpy.context.scene.frame_set(frame)
            worst = max(worst, float(np.abs(vertices(copy.data) - truth[frame - 1]).max()))
        claim(f"{flesh}: the sculpts' frames are the command line's", worst < 1e-6, f"{worst:.1e}")
        addon.preview.stop(mesh.name)
    bpy.context.scene.frame_end = 8
    refused("a sculpt outside the range", "is of frame 9")


def check_moving_object(addon):
    """The armature's object itself moves, turns and is scaled, and the mesh stands elsewhere."""
    mesh, armature = arm_scene()
    armature.scale = (0.5, 0.5, 0.5)
    for frame, x in ((1, 0.0), (16, 2.0)):
        armature.location.x = x
        armature.rotation_mode = "XYZ"
        armature.rotation_euler.z = x
        armature.keyframe_insert("location", frame=frame)
        armature.keyframe_insert("rotation_euler", frame=frame)
    mesh.supple.skinning, mesh.supple.flesh = "linear", "none"
    worst = 0.0
    bpy.context.scene.frame_set(1)
    bpy.ops.supple.preview()
    copy = bpy.data.objects[mesh.name + " (Supple)"]
    for frame in (1, 5, 16):
        bpy.context.scene.frame_set(frame)
        world = np.array(mesh.matrix_world)
        own = shown(mesh) @ world[:3, :3].T + world[:3, 3]  # Blender's own armature modifier
        worst = max(worst, float(np.abs(own - vertices(copy.data)).max()))
    claim("linear skinning agrees with Blender's own modifier on an armature that moves", worst < 2e-5, worst)


def check_real(addon, path):
    """A character of the shared data set: linear skinning against Blender's own modifier."""
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.preferences.addon_enable(module="supple_skin")
    bpy.ops.import_scene.gltf(filepath=path)
    scene = bpy.context.scene
    scene.frame_start, scene.frame_end = 1, 20
    scene.frame_set(1)
    for mesh in [o for o in scene.objects if o.type == "MESH" and addon.rig.armature_of(o)]:
        bpy.context.view_layer.objects.active = mesh
        mesh.supple.skinning, mesh.supple.flesh = "linear", "none"
        bpy.ops.supple.preview()
        copy, worst = bpy.data.objects[mesh.name + " (Supple)"], 0.0
        for frame in (1, 7, 20):
            scene.frame_set(frame)
            mesh.hide_set(False)
            bpy.context.view_layer.update()
            world = np.array(mesh.matrix_world)
            own = shown(mesh) @ world[:3, :3].T + world[:3, 3]
            worst = max(worst, float(np.abs(own - vertices(copy.data)).max() / np.linalg.norm(own.max(0) - own.min(0))))
        claim(f"{os.path.basename(path)}, {mesh.name}: linear skinning agrees with Blender's own", worst < 1e-5, f"{worst:.1e}")
        addon.preview.stop(mesh.name)


def check_world(addon):
    """A ball that is moved into the arm, wind, and a cycle."""
    mesh, armature = arm_scene()
    mesh.supple.flesh = "layers"
    plain, read = program_points(addon, mesh, "dualquat,layers")
    middle = read.character.points.mean(0)
    collection = bpy.data.collections.new("solid")
    bpy.context.scene.collection.children.link(collection)
    bpy.ops.mesh.primitive_uv_sphere_add(radius=0.5, location=middle, segments=12, ring_count=8)
    ball = bpy.context.object
    ball.scale = (0.16, 0.16, 0.16)
    for other in ball.users_collection:
        other.objects.unlink(ball)
    collection.objects.link(ball)
    for frame, z in ((1, 0.3), (10, 0.06)):
        ball.location = (middle[0], middle[1], middle[2] + z)
        ball.keyframe_insert("location", frame=frame)
    bpy.context.view_layer.objects.active = mesh
    mesh.supple.bodies = collection
    bpy.ops.object.effector_add(type="WIND", rotation=(0.3, 0, 0))
    bpy.context.object.field.strength = 4
    bpy.context.view_layer.objects.active = mesh
    truth, read = program_points(addon, mesh, "dualquat,layers")
    claim("a ball moves the skin", float(np.abs(truth - plain).max()) > 1e-3, float(np.abs(truth - plain).max()))
    bpy.ops.supple.preview()
    bpy.context.scene.frame_set(16)
    copy = bpy.data.objects[mesh.name + " (Supple)"]
    claim("bodies and wind: the command line's bits", bits(vertices(copy.data)) == bits(truth[15]))
    words = json.dumps(addon.preview.sessions[mesh.name].given["world"])
    claim("the world has wind, gravity and a body", all(w in words for w in ('"wind"', '"gravity"', '"bodies"')))
    mesh.supple.loop = True
    mesh.supple.target, mesh.supple.path = "PC2", os.path.join(FOLDER, "cycle")
    bpy.ops.supple.bake()
    size = os.path.getsize(os.path.join(FOLDER, "cycle.pc2"))
    claim("a cycle has one frame fewer", size == 32 + 15 * 12 * len(mesh.data.vertices), size)
    claim("nothing is left behind", not [n for n in os.listdir("/tmp") if n.startswith("supple_") and os.path.isdir("/tmp/" + n) and os.path.getmtime("/tmp/" + n) > BEGUN and os.listdir("/tmp/" + n)])


def check_size(addon):
    """A character of 100 m: physics assumes a plausible one here as on the command line."""
    mesh, armature = arm_scene()
    armature.scale = (150, 150, 150)
    bpy.context.view_layer.update()
    mesh.supple.flesh = "layers"
    truth, read = program_points(addon, mesh, "dualquat,layers")
    said = next((n for n in read.notes if "physics assumes" in n), "")
    claim("a size that no character has is noted, with a cure of Blender's", "Unit Scale" in said and "--" not in said, said)
    bpy.ops.supple.preview()
    bpy.context.scene.frame_set(16)
    copy = bpy.data.objects[mesh.name + " (Supple)"]
    claim("and treated as the command line does", bits(vertices(copy.data)) == bits(truth[15]))


def check_undo(addon):
    mesh, armature = arm_scene()
    name = mesh.name
    mesh.supple.flesh = "none"
    bpy.ops.ed.undo_push(message="before")
    bpy.ops.supple.preview("EXEC_DEFAULT", True)
    claim("a preview runs", name in addon.preview.sessions)
    bpy.ops.ed.undo_push(message="after")
    bpy.ops.ed.undo()
    bpy.context.scene.frame_set(5)
    bpy.ops.ed.redo()
    bpy.context.scene.frame_set(9)
    copy = bpy.data.objects.get(name + " (Supple)")
    if copy:
        bpy.data.objects.remove(copy)
    bpy.context.scene.frame_set(10)
    claim("undo, redo and deleting the copy end a preview and do no harm", name not in addon.preview.sessions)
    bpy.ops.wm.read_factory_settings(use_empty=True)
    claim("a new file has no previews", not addon.preview.sessions)


def check_refusals(addon):
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.preferences.addon_enable(module="supple_skin")
    bpy.ops.mesh.primitive_cube_add()
    refused("a mesh without an armature", "has no armature")
    mesh, armature = arm_scene()
    cube = bpy.data.objects.new("part", bpy.data.meshes.new("part"))
    cube.parent, cube.parent_type, cube.parent_bone = armature, "BONE", "forearm"
    bpy.context.scene.collection.objects.link(cube)
    bpy.context.view_layer.objects.active = cube
    refused("a rigid part", "hangs on the bone 'forearm'")
    bpy.context.view_layer.objects.active = mesh
    bpy.ops.object.mode_set(mode="EDIT")
    refused("edit mode", "mode first")
    bpy.ops.object.mode_set(mode="OBJECT")
    mesh.supple.written = "dualquat,layer"
    mesh.supple.path = os.path.join(FOLDER, "x")
    refused("a wrong chain", "did you mean 'layers'")
    mesh.supple.written = ""
    mesh.supple.maps.add().parameter = "layers_inertia"
    mesh.supple.maps[0].group = "none"
    refused("a missing vertex group", "no vertex group 'none'")
    mesh.supple.maps.clear()
    mesh.supple.path = "//x"
    try:
        bpy.ops.supple.bake()
        claim("a bake beside an unsaved file is refused", False)
    except RuntimeError as error:
        claim("a bake beside an unsaved file is refused", "Save the .blend" in str(error))
    library = os.path.join(FOLDER, "library.blend")
    bpy.ops.wm.save_as_mainfile(filepath=library)
    name = mesh.name
    bpy.ops.wm.read_factory_settings(use_empty=True)
    bpy.ops.preferences.addon_enable(module="supple_skin")
    with bpy.data.libraries.load(library, link=True) as (source, target):
        target.objects = [name]
    linked = target.objects[0]
    bpy.context.scene.collection.objects.link(linked)
    bpy.context.view_layer.objects.active = linked
    refused("linked data", "linked from another file")
    own = linked.override_create()
    bpy.context.scene.collection.objects.link(own)
    bpy.context.view_layer.objects.active = own
    refused("a library override", "library override")


install()
import supple_skin as addon

program_arm = addon.rig.supple.load("builtin:arm?points=1000")
program_arm.save(os.path.join(FOLDER, "arm.glb"))
for chain, skinning, flesh, smooth in (("linear", "linear", "none", False), ("dualquat", "dualquat", "none", False),
                                       ("dualquat,smooth", "dualquat", "none", True), ("linear,lattice", "linear", "lattice", False),
                                       ("dualquat,layers", "dualquat", "layers", False), ("linear,bend", "linear", "bend", False),
                                       ("dualquat,wrinkle", "dualquat", "wrinkle", False)):  # fmt: skip
    check_preview(addon, chain, skinning, flesh, smooth)
check_bakes(addon)
check_settings(addon)
check_sculpts(addon)
check_moving_object(addon)
data = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../shared/data/skinned")
for name in ("cesiumman.glb", "fox.glb", "soldier.glb"):
    if os.path.exists(os.path.join(data, name)):
        check_real(addon, os.path.join(data, name))
check_world(addon)
check_size(addon)
check_refusals(addon)
check_undo(addon)
bpy.ops.preferences.addon_disable(module="supple_skin")
claim("the add-on is disabled", "supple_skin" not in bpy.context.preferences.addons and not hasattr(bpy.types.Object, "supple"))
print(f"{held} held, {failed} failed")
sys.exit(failed > 0)
