# Blender's own skin: blender --background --python blender.py -- CHARACTER.glb CLIP. Prints one JSON object of milliseconds of
# CPU time a frame, under each modifier, for the mesh with the most points.
import json
import sys
import time

import bpy
import numpy as np

# Debian's importer uses names that its numpy has dropped.
for name, kind in (("bool", bool), ("int", int), ("float", float), ("object", object)):
    setattr(np, name, kind)

path, clip = sys.argv[sys.argv.index("--") + 1:]
bpy.ops.wm.read_factory_settings(use_empty=True)
bpy.ops.import_scene.gltf(filepath=path)
body = max((o for o in bpy.data.objects if o.type == "MESH"), key=lambda o: len(o.data.vertices))
rig = next(o for o in bpy.data.objects if o.type == "ARMATURE")
rig.animation_data_create()
rig.animation_data.action = next(a for a in bpy.data.actions if clip in a.name)
scene = bpy.context.scene
first, last = (int(f) for f in rig.animation_data.action.frame_range)


def milliseconds(count):
    frames = range(first, min(last, first + count) + 1)
    scene.frame_set(first)
    begin = time.process_time()
    for frame in frames:
        scene.frame_set(frame)
        body.evaluated_get(bpy.context.evaluated_depsgraph_get()).data.vertices[0].co
    return 1000 * (time.process_time() - begin) / len(frames)


result = {"version": bpy.app.version_string, "points": len(body.data.vertices), "armature": milliseconds(30)}
smooth = body.modifiers.new("smooth", "CORRECTIVE_SMOOTH")
smooth.use_only_smooth = False
result["corrective smooth"] = milliseconds(30)
body.modifiers.remove(smooth)
soft = body.modifiers.new("soft", "SOFT_BODY")
body.soft_body.use_self_collision = False
result["soft body"] = milliseconds(4)
body.soft_body.use_self_collision = True
soft.point_cache.frame_end = 1 + soft.point_cache.frame_end  # a changed cache is thrown away
result["soft body, self-collision"] = milliseconds(2)
print("RESULT " + json.dumps(result))
