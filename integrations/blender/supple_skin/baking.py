"""Bakes: shape keys, point caches and GLB files, always on a copy of the object. The user's own is hidden and stays as it is."""

import os

import bpy

from . import jobs, preview, rig, supple

_ENDINGS = {"PC2": ".pc2", "MDD": ".mdd", "GLB": ".glb"}
FRAMES_MAX = 2000  # of shape keys: each is a whole mesh in the file


def target_path(settings):
    """The output path of a bake, with the ending of its format."""
    path = settings.path.strip()
    if not path:
        raise rig.Refused("Choose a file to bake to")
    if path.startswith("//") and not bpy.data.filepath:
        raise rig.Refused("Save the .blend file first, or give the bake a path of its own: // means beside it")
    path, ending = bpy.path.abspath(path), _ENDINGS[settings.target]
    if os.path.isdir(path):
        path = os.path.join(path, "supple")
    return path if path.lower().endswith(ending) else path + ending


def add_shape_keys(copy, start, points):
    """One shape key per frame, at 1 in its frame and at 0 in the neighboring ones."""
    edit = bpy.context.preferences.edit
    before = edit.keyframe_new_interpolation_type
    edit.keyframe_new_interpolation_type = "LINEAR"
    try:
        copy.shape_key_add(name="Basis", from_mix=False)
        for index, frame_points in enumerate(points):
            frame = start + index
            key = copy.shape_key_add(name=f"frame {frame}", from_mix=False)
            key.data.foreach_set("co", frame_points.ravel())
            for value, at in ((0.0, frame - 1), (1.0, frame), (0.0, frame + 1)):
                if start <= at < start + len(points):
                    key.value = value
                    key.keyframe_insert("value", frame=at)
    finally:
        edit.keyframe_new_interpolation_type = before


def add_cache(copy, kind, path, start):
    """A Mesh Cache modifier before all others."""
    cache = copy.modifiers.new("Supple", "MESH_CACHE")
    cache.cache_format = kind
    cache.filepath = path
    cache.frame_start = start
    cache.forward_axis, cache.up_axis = "POS_Y", "POS_Z"  # the file has Blender's own axes
    while copy.modifiers.find(cache.name) > 0:
        at = copy.modifiers.find(cache.name)
        if hasattr(copy.modifiers, "move"):
            copy.modifiers.move(at, at - 1)
        else:
            break
    return cache


class SUPPLE_OT_bake(jobs.Working, bpy.types.Operator):
    """Write every frame of the scene's range; your mesh is hidden and stays as it is"""

    bl_idname = "supple.bake"
    bl_label = "Bake"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        source = preview.source_of(context)
        return source is not None and source.type == "MESH"

    def prepare(self, context, told):
        source = preview.source_of(context)
        rig.check(source)
        settings = source.supple
        kind = settings.target
        frames = context.scene.frame_end - context.scene.frame_start + 1
        if kind == "KEYS" and frames > FRAMES_MAX:
            raise rig.Refused(f"{frames} frames would make {frames} shape keys; bake to a point cache, or at most {FRAMES_MAX} frames")
        path = None if kind == "KEYS" else target_path(settings)
        return {**preview.read_all(context, source, told), "kind": kind, "path": path}

    def work(self, given, told):
        read = given["read"]
        chain = preview.bind(given, lambda fraction, what: told(0.2 * fraction, what))
        end = (read.frame_end - read.frame_start) / read.fps
        return chain.bake(given["path"], clip=rig.CLIP, end=end, fps=read.fps, preroll=given["preroll"], loop=given["loop"],
                          name="supple" if given["kind"] == "GLB" else None, progress=lambda fraction, what: told(0.2 + 0.8 * fraction, what))  # fmt: skip

    def finish(self, context, given, baked):
        source, kind, read = bpy.data.objects.get(given["source"]), given["kind"], given["read"]
        if source is None:
            raise rig.Refused(f"'{given['source']}' is gone")
        for words in [*read.notes, *baked.report["warnings"]]:
            self.report({"WARNING"}, words)
        if kind == "GLB":
            self.report({"INFO"}, f"{len(baked)} frames are in {given['path']}")
            return
        preview.stop(source.name)
        copy = preview.bare_copy(context, source, source.name + " (baked)")
        del copy[preview.SOURCE]
        copy[preview.BAKED] = source.name
        copy.data.vertices.foreach_set("co", read.character.points[read.vertices].ravel())
        if kind == "KEYS":
            add_shape_keys(copy, read.frame_start, baked.points[:, read.vertices])
        else:
            add_cache(copy, kind, given["path"], read.frame_start)
        copy.data.update()
        source.hide_set(True)
        source.hide_render = True
        for other in context.selected_objects:
            other.select_set(False)
        copy.select_set(True)
        context.view_layer.objects.active = copy
        context.scene.frame_set(context.scene.frame_current)  # keys that were just made count from the next frame on
        self.report({"INFO"}, f"{len(baked)} frames are on '{copy.name}'; '{source.name}' is hidden")


class SUPPLE_OT_back(bpy.types.Operator):
    """Show the mesh that this was baked from, and hide the bake"""

    bl_idname = "supple.back"
    bl_label = "Back to the source"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        return preview.baked_from(context.object) is not None

    def execute(self, context):
        baked, source = context.object, preview.baked_from(context.object)
        source.hide_set(False)
        source.hide_render = False
        baked.hide_render = True
        baked.select_set(False)
        baked.hide_set(True)
        source.select_set(True)
        context.view_layer.objects.active = source
        return {"FINISHED"}


_CLASSES = (SUPPLE_OT_bake, SUPPLE_OT_back)


def register():
    for cls in _CLASSES:
        bpy.utils.register_class(cls)


def unregister():
    for cls in reversed(_CLASSES):
        bpy.utils.unregister_class(cls)
