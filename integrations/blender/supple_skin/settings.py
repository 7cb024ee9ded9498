"""What users can set on a mesh. Sliders come from the library's parameter tables."""

import bpy
from bpy.props import (BoolProperty, CollectionProperty, EnumProperty, FloatProperty, IntProperty, PointerProperty,
                       StringProperty)  # fmt: skip

from . import supple

DEFORMERS = {d["name"]: d for d in supple.deformers()}
SKINNINGS = ("linear", "dualquat")
FLESH = [n for n in DEFORMERS if n not in SKINNINGS and n != "smooth"]
SCULPTED = [n for n, d in DEFORMERS.items() if "examples" in d["needs"]]  # they learn from shape keys like elbow@12


def _changed(self, context):
    from . import preview

    preview.parameters_changed(self.id_data)


def _property(row):
    """One row of a parameter table as a Blender property; None: panels do not show this kind."""
    about = row["help"] + (f" ({row['unit']})" if row["unit"] else "")
    common = {"name": row["name"].replace("_", " ").capitalize(), "description": about[:1000], "update": _changed}
    if row["type"] == "float":
        return FloatProperty(min=row["min"], max=row["max"], default=row["default"], precision=3, **common)
    if row["type"] == "int":
        return IntProperty(min=int(row["min"]), max=int(row["max"]), default=int(row["default"]), **common)
    if row["type"] == "bool":
        return BoolProperty(default=bool(row["default"]), **common)
    if row["type"] == "choice":
        return EnumProperty(items=[(c, c.replace("_", " ").capitalize(), "") for c in row["choices"]], default=row["default"], **common)
    return None


def _group_class(deformer):
    rows = {row["name"]: _property(row) for row in deformer["params"]}
    shown = {name: made for name, made in rows.items() if made is not None}
    return type(f"SUPPLE_PG_{deformer['name']}", (bpy.types.PropertyGroup,), {"__annotations__": shown})


GROUPS = {name: _group_class(d) for name, d in DEFORMERS.items()}


def painted(links):
    """Names of the maps that the parameters of these deformers can take."""
    return [f"{link}_{row['name']}" for link in links for row in DEFORMERS[link]["params"] if row["varies"] == "point"]


def _map_items(self, context):
    links = self.id_data.supple.links()
    _map_items.kept = [(n, n.replace("_", " "), "") for n in painted(links)] or [("", "nothing to paint", "")]
    return _map_items.kept  # Blender does not keep the texts alive


class SUPPLE_PG_map(bpy.types.PropertyGroup):
    """A vertex group that paints a parameter."""

    parameter: StringProperty(name="Parameter", description="The map's name: deformer_parameter, like layers_stiffness_fat", update=_changed)
    group: StringProperty(name="Vertex group", description="Weight 1 has the slider's value, weight 0 none of it", update=_changed)


class SUPPLE_PG_bone(bpy.types.PropertyGroup):
    """A parameter with another value around one bone."""

    parameter: StringProperty(name="Parameter", description="link.parameter, like layers.stiffness_fat", update=_changed)
    value: FloatProperty(name="Value", description="Instead of the slider's, around this bone", update=_changed)


class SUPPLE_PG_settings(bpy.types.PropertyGroup):
    """On every object; settings that were never changed take no space in the file."""

    skinning: EnumProperty(
        name="Skinning", description="How bones carry the skin before anything else", default="dualquat", update=_changed,
        items=[(n, {"linear": "Linear", "dualquat": "Dual quaternion"}[n], DEFORMERS[n]["summary"]) for n in SKINNINGS],
    )  # fmt: skip
    flesh: EnumProperty(
        name="Deformer", description="What happens to the skin then", default="layers", update=_changed,
        items=[("none", "None", "Skinning alone")] + [(n, n.replace("_", " ").capitalize(), DEFORMERS[n]["summary"] + (": needs sculpts, shape keys whose names end in @ and a frame" if n in SCULPTED else "")) for n in FLESH],
    )  # fmt: skip
    smooth: BoolProperty(name="Smooth", description=DEFORMERS["smooth"]["summary"], default=False, update=_changed)
    written: StringProperty(
        name="Chain", description="Links in order, as on the command line: dualquat,layers(ring=2),smooth. Empty: as chosen above",
        update=_changed,
    )  # fmt: skip
    preset: StringProperty(name="Preset file", description="Links and values from a preset (JSON)", subtype="FILE_PATH", update=_changed)
    maps: CollectionProperty(type=SUPPLE_PG_map)
    preroll: FloatProperty(name="Pre-roll", description="Seconds the first pose is held, so that flesh comes to rest", default=0.5, min=0, max=10, unit="TIME_ABSOLUTE" if bpy.app.version >= (2, 92) else "TIME", update=_changed)  # fmt: skip
    loop: BoolProperty(name="Loop", description="The frames are a cycle: the last flows into the first", default=False, update=_changed)
    gravity: BoolProperty(name="Scene's gravity", description="Gravity of the scene; off: that of the Earth", default=True, update=_changed)
    wind: BoolProperty(name="Wind force fields", description="Wind of the scene's force fields; their strength is meters a second", default=True, update=_changed)  # fmt: skip
    bodies: PointerProperty(
        name="Bodies", type=bpy.types.Collection, update=_changed,
        description="Solid things that the skin must not enter: the meshes of this collection. Closed ones have an inside",
    )  # fmt: skip
    friction: FloatProperty(name="Friction", description="Of the skin on bodies", default=0.5, min=0, max=10, update=_changed)
    target: EnumProperty(
        name="Bake to", default="PC2", items=[
            ("KEYS", "Shape keys", "A copy of the object with one shape key a frame"),
            ("PC2", "Point cache (PC2)", "A copy of the object with a Mesh Cache modifier, and a .pc2 file"),
            ("MDD", "Point cache (MDD)", "A copy of the object with a Mesh Cache modifier, and an .mdd file"),
            ("GLB", "GLB", "A file for game engines: mesh, skeleton and one morph target a frame, without materials"),
        ],
    )  # fmt: skip
    path: StringProperty(name="File", description="Where the cache or GLB goes", subtype="FILE_PATH", default="//supple")

    def links(self):
        """Names of the deformers, in order."""
        if self.written.strip():
            words = self.written.replace("(", ",(").split(",")
            return [w.strip() for w in words if w.strip() in DEFORMERS]
        flesh = [] if self.flesh == "none" else [self.flesh]
        return [self.skinning, *flesh, *(["smooth"] if self.smooth else [])]

    def text(self):
        """The chain as text for the library; None: that of the preset."""
        if self.written.strip():
            return self.written.strip()
        return None if self.preset else ",".join(self.links())

    def values(self, armature=None):
        """Changed sliders, and values of bones, in the form of --set."""
        out = []
        for link in self.links():
            group = getattr(self, "p_" + link)
            for row in DEFORMERS[link]["params"]:
                if row["name"] in group.bl_rna.properties and group.is_property_set(row["name"]):
                    value = getattr(group, row["name"])
                    out.append(f"{link}.{row['name']}={str(value).lower() if isinstance(value, bool) else value}")
        for bone in armature.data.bones if armature else ():
            for row in bone.supple_values:
                if row.parameter.split(".")[0].split("#")[0] in self.links():
                    out.append(f"{row.parameter}@{bone.name}={row.value}")
        return out


for _name, _class in GROUPS.items():
    SUPPLE_PG_settings.__annotations__["p_" + _name] = PointerProperty(type=_class)

_CLASSES = (*GROUPS.values(), SUPPLE_PG_map, SUPPLE_PG_bone, SUPPLE_PG_settings)


def register():
    for cls in _CLASSES:
        bpy.utils.register_class(cls)
    bpy.types.Object.supple = PointerProperty(type=SUPPLE_PG_settings)
    bpy.types.Bone.supple_values = CollectionProperty(type=SUPPLE_PG_bone)


def unregister():
    del bpy.types.Object.supple
    del bpy.types.Bone.supple_values
    for cls in reversed(_CLASSES):
        bpy.utils.unregister_class(cls)
