"""The panels: one on the mesh, in the sidebar of the 3D view, and one on each bone."""

import bpy

from . import preview, rig, supple
from .settings import DEFORMERS, painted


def _lines(layout, words, icon="NONE"):
    """A sentence over several lines: labels do not wrap."""
    region, scale = bpy.context.region, bpy.context.preferences.system.ui_scale
    width = max(20, int((region.width if region else 300) / (7.5 * scale)) - 6)  # letters that fit
    line = ""
    column = layout.column(align=True)
    for word in words.split():
        if line and len(line) + len(word) >= width:
            column.label(text=line, icon=icon)
            line, icon = "", "BLANK1" if icon != "NONE" else "NONE"
        line += (" " if line else "") + word
    if line:
        column.label(text=line, icon=icon)


class SUPPLE_OT_preset(bpy.types.Operator):
    """Set the sliders of a deformer to one of its presets"""

    bl_idname = "supple.preset"
    bl_label = "Preset"
    bl_options = {"REGISTER", "UNDO"}
    deformer: bpy.props.StringProperty()
    preset: bpy.props.StringProperty()

    def execute(self, context):
        group = getattr(preview.source_of(context).supple, "p_" + self.deformer)
        for row in DEFORMERS[self.deformer]["params"]:
            if row["name"] in group.bl_rna.properties:
                group.property_unset(row["name"])
        for found in DEFORMERS[self.deformer]["presets"]:
            for name, text in found["set"].items() if found["name"] == self.preset else ():
                row = next(r for r in DEFORMERS[self.deformer]["params"] if r["name"] == name)
                as_value = {"float": float, "int": int, "bool": lambda t: t == "true"}.get(row["type"], str)
                if name in group.bl_rna.properties:
                    setattr(group, name, as_value(text))
        preview.parameters_changed(preview.source_of(context))
        return {"FINISHED"}


class SUPPLE_MT_presets(bpy.types.Menu):
    bl_label = "Presets"
    bl_idname = "SUPPLE_MT_presets"

    def draw(self, context):
        for link in preview.source_of(context).supple.links():
            for row in [{"name": "", "summary": "As it comes"}, *DEFORMERS[link]["presets"]]:
                text = f"{link}: {row['name'].replace('_', ' ') or 'default'}"
                chosen = self.layout.operator(SUPPLE_OT_preset.bl_idname, text=text)
                chosen.deformer, chosen.preset = link, row["name"]


class SUPPLE_OT_map_add(bpy.types.Operator):
    """Let a vertex group paint a parameter"""

    bl_idname = "supple.map_add"
    bl_label = "Add map"
    bl_options = {"REGISTER", "UNDO"}

    def execute(self, context):
        source = preview.source_of(context)
        row = source.supple.maps.add()
        row.parameter = next(iter(painted(source.supple.links())), "")
        row.group = source.vertex_groups.active.name if source.vertex_groups.active else ""
        return {"FINISHED"}


class SUPPLE_OT_map_remove(bpy.types.Operator):
    """Remove this map; the vertex group stays"""

    bl_idname = "supple.map_remove"
    bl_label = "Remove map"
    bl_options = {"REGISTER", "UNDO"}
    index: bpy.props.IntProperty()

    def execute(self, context):
        source = preview.source_of(context)
        source.supple.maps.remove(self.index)
        preview.parameters_changed(source)
        return {"FINISHED"}


class SUPPLE_MT_map_names(bpy.types.Menu):
    bl_label = "Parameters that can be painted"
    bl_idname = "SUPPLE_MT_map_names"

    def draw(self, context):
        for name in painted(preview.source_of(context).supple.links()):
            chosen = self.layout.operator(SUPPLE_OT_map_name.bl_idname, text=name.replace("_", " "))
            chosen.name = name


class SUPPLE_OT_map_name(bpy.types.Operator):
    """The parameter that the last map paints"""

    bl_idname = "supple.map_name"
    bl_label = "Parameter"
    bl_options = {"REGISTER", "UNDO"}
    name: bpy.props.StringProperty()

    def execute(self, context):
        maps = preview.source_of(context).supple.maps
        if maps:
            maps[len(maps) - 1].parameter = self.name
        return {"FINISHED"}


class SUPPLE_OT_bone_value(bpy.types.Operator):
    """Give a parameter another value around this bone, or remove it"""

    bl_idname = "supple.bone_value"
    bl_label = "Value of a bone"
    bl_options = {"REGISTER", "UNDO"}
    remove: bpy.props.IntProperty(default=-1)

    def execute(self, context):
        bone = context.bone or context.active_bone
        values = bpy.data.armatures[bone.id_data.name].bones[bone.name].supple_values
        if self.remove >= 0:
            values.remove(self.remove)
        else:
            values.add().parameter = "layers.stiffness_fat"
        return {"FINISHED"}


class _Side:
    bl_space_type = "VIEW_3D"
    bl_region_type = "UI"
    bl_category = "Supple"

    @classmethod
    def poll(cls, context):
        source = preview.source_of(context)
        return source is not None and source.type == "MESH"


class _Below(_Side):
    """A panel for usable meshes; the first panel explains why others are not."""

    bl_parent_id = "SUPPLE_PT_main"

    @classmethod
    def poll(cls, context):
        try:
            rig.check(preview.source_of(context))
        except rig.Refused:
            return False
        return True


def _named(layout, owner, name):
    """A choice with its full name beside it: in a narrow sidebar Blender would truncate it."""
    split = layout.split(factor=0.35)
    split.label(text=owner.bl_rna.properties[name].name)
    split.prop(owner, name, text="")


class SUPPLE_PT_main(_Side, bpy.types.Panel):
    bl_label = "Supple"
    bl_idname = "SUPPLE_PT_main"

    def draw(self, context):
        layout, source = self.layout, preview.source_of(context)
        settings = source.supple
        origin = preview.baked_from(source)
        if origin is not None:
            _lines(layout, f"A bake of '{origin.name}'", "INFO")
            layout.operator("supple.back", text=f"Back to {origin.name}", icon="LOOP_BACK")
            return
        try:
            rig.check(source)
        except rig.Refused as error:
            _lines(layout, str(error), "ERROR")
            return
        column = layout.column()
        column.active = not settings.written and not settings.preset
        _named(column, settings, "skinning")
        _named(column, settings, "flesh")
        column.prop(settings, "smooth")
        layout.menu(SUPPLE_MT_presets.bl_idname)
        session = preview.sessions.get(source.name)
        row = layout.row(align=True)
        row.scale_y = 1.4
        row.operator("supple.preview", text="Refresh" if session else "Preview", icon="FILE_REFRESH" if session else "PLAY")
        if session:
            row.operator("supple.stop", text="Stop", icon="X")
            if session.stale:
                _lines(layout, f"Refresh: {session.stale}", "INFO")


class SUPPLE_PT_notes(_Below, bpy.types.Panel):
    """The notes of binding, folded away: long sentences would push the buttons out of sight."""

    bl_label = "Notes"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context):
        source = preview.source_of(context)
        return source is not None and source.name in preview.sessions and bool(preview.sessions[source.name].notes)

    def draw(self, context):
        for note in preview.sessions[preview.source_of(context).name].notes:
            _lines(self.layout, note, "INFO")


class SUPPLE_PT_sliders(_Below, bpy.types.Panel):
    bl_label = "Parameters"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        settings = preview.source_of(context).supple
        self.layout.use_property_split = True
        for link in dict.fromkeys(settings.links()):
            group = getattr(settings, "p_" + link)
            shown = [r for r in DEFORMERS[link]["params"] if r["name"] in group.bl_rna.properties]
            if not shown:
                continue
            box = self.layout.box()
            box.label(text=link.replace("_", " ").capitalize())
            for row in shown:
                unit = f" ({row['unit']})" if row["unit"] else ""
                box.prop(group, row["name"], text=row["name"].replace("_", " ").capitalize() + unit)


class SUPPLE_PT_maps(_Below, bpy.types.Panel):
    bl_label = "Painted maps"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        layout, source = self.layout, preview.source_of(context)
        for index, row in enumerate(source.supple.maps):
            line = layout.row(align=True)
            line.prop(row, "parameter", text="")
            line.prop_search(row, "group", source, "vertex_groups", text="")
            line.operator("supple.map_remove", text="", icon="X").index = index
        line = layout.row(align=True)
        line.operator("supple.map_add", icon="ADD")
        line.menu(SUPPLE_MT_map_names.bl_idname, text="", icon="DOWNARROW_HLT")


class SUPPLE_PT_more(_Below, bpy.types.Panel):
    bl_label = "Chain and world"
    bl_options = {"DEFAULT_CLOSED"}

    def draw(self, context):
        settings = preview.source_of(context).supple
        self.layout.use_property_split = True
        for name in ("written", "preset", "preroll", "loop", "gravity", "wind", "bodies", "friction"):
            self.layout.prop(settings, name)


class SUPPLE_PT_bake(_Below, bpy.types.Panel):
    bl_label = "Bake"

    def draw(self, context):
        layout, settings = self.layout, preview.source_of(context).supple
        _named(layout, settings, "target")
        if settings.target != "KEYS":
            layout.prop(settings, "path")
        scene = context.scene
        layout.label(text=f"Frames {scene.frame_start} to {scene.frame_end}")
        layout.operator("supple.bake", icon="REC")


class SUPPLE_PT_bone(bpy.types.Panel):
    bl_label = "Supple"
    bl_space_type = "PROPERTIES"
    bl_region_type = "WINDOW"
    bl_context = "bone"
    bl_options = {"DEFAULT_CLOSED"}

    @classmethod
    def poll(cls, context):
        return context.bone is not None

    def draw(self, context):
        for index, row in enumerate(context.bone.supple_values):
            line = self.layout.row(align=True)
            line.prop(row, "parameter", text="")
            line.prop(row, "value", text="")
            line.operator("supple.bone_value", text="", icon="X").remove = index
        self.layout.operator("supple.bone_value", text="Add value", icon="ADD").remove = -1


_CLASSES = (SUPPLE_OT_preset, SUPPLE_MT_presets, SUPPLE_OT_map_add, SUPPLE_OT_map_remove, SUPPLE_OT_map_name, SUPPLE_MT_map_names,
            SUPPLE_OT_bone_value, SUPPLE_PT_main, SUPPLE_PT_notes, SUPPLE_PT_bake, SUPPLE_PT_sliders, SUPPLE_PT_maps, SUPPLE_PT_more, SUPPLE_PT_bone)  # fmt: skip


def register():
    for cls in _CLASSES:
        bpy.utils.register_class(cls)


def unregister():
    for cls in reversed(_CLASSES):
        bpy.utils.unregister_class(cls)
