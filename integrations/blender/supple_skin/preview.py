"""Live playback: a copy of the mesh shows the skin while the user's own is hidden. Scrubbing goes both ways."""

import shutil
import tempfile

import bpy
from bpy.app.handlers import persistent

from . import jobs, rig, supple, world

SOURCE = "supple_source"  # on a copy: the name of the object it was made from
BAKED = "supple_baked_from"  # on a bake, which stays when its source goes


class Session:
    """What plays. Holds names rather than Blender's objects: undo replaces those."""

    def __init__(self, source, scene, rig_read, chain, player):
        self.source, self.scene, self.copy = source, scene, ""
        self.rig, self.chain, self.player = rig_read, chain, player
        self.notes = list(rig_read.notes)
        self.stale = ""  # why it shows something else than the settings say


sessions = {}  # by the name of the source


def source_of(context):
    """The object whose settings are shown: the active one, or the one that a copy was made from."""
    active = context.object
    if active is not None and SOURCE in active:
        return bpy.data.objects.get(active[SOURCE])
    return active


def baked_from(thing):
    """The object that a bake was made from; None: it is no bake, or its source is gone."""
    name = thing.get(BAKED) if thing is not None else None
    source = bpy.data.objects.get(name) if name else None
    return source if source is not None and source.name in bpy.context.view_layer.objects else None


# ------------------------------------------------------------------------------------------------ the chain of an object


def recipe(context, mesh_object):
    """What Character.chain takes, read from the settings."""
    settings = mesh_object.supple
    preset = bpy.path.abspath(settings.preset) if settings.preset else None
    return {"links": settings.text(), "set": settings.values(rig.armature_of(mesh_object)), "preset": preset}


def maps_of(mesh_object):
    return [(row.parameter, row.group) for row in mesh_object.supple.maps if row.parameter and row.group]


def read_all(context, mesh_object, told, up="z"):
    """Everything of the scene that a chain needs; `folder` holds bodies until it is bound."""
    from .settings import SCULPTED

    settings = mesh_object.supple
    given = recipe(context, mesh_object)
    read = rig.read(context, mesh_object, maps=maps_of(mesh_object), bodies=world.bodies_of(settings), up=up, told=told)
    wanting = [link for link in settings.links() if link in SCULPTED] if not settings.preset or settings.written.strip() else []
    if wanting and not read.sculpts:
        raise rig.Refused(f"'{wanting[0]}' needs sculpts: give '{mesh_object.name}' shape keys whose names end in @ and a frame, like elbow@12")
    folder = tempfile.mkdtemp(prefix="supple_")
    try:
        given["world"] = world.describe(context.scene, settings, read, folder)
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    loop = settings.loop and read.frame_end > read.frame_start
    out = {"source": mesh_object.name, "read": read, "given": given, "folder": folder, "preroll": settings.preroll, "loop": loop}
    return {**out, "chain": bound_already(out)}


def bound_already(given):
    """The chain of a preview made from exactly the same inputs; None: none. Bodies move, so they are always read again."""
    session, read = sessions.get(given["source"]), given["read"]
    if session is None or read.bodies or session.rig.bodies:
        return None
    same = session.rig.print == read.print and session.given == given["given"] and session.looped == given["loop"]
    return session.chain if same else None


def bind(given, told):
    """Binds the chain; runs in the background."""
    read = given["read"]
    recipe_ = dict(given["given"])
    try:
        if given["chain"] is not None:
            return given["chain"]
        chain = read.character.chain(recipe_.pop("links"), **recipe_)
        end = (read.frame_end - read.frame_start) / read.fps
        chain.bind(rig.CLIP, cycle=(0.0, end) if given["loop"] else None, progress=told)
        return chain
    finally:
        shutil.rmtree(given["folder"], ignore_errors=True)


# ------------------------------------------------------------------------------------------------ the copy


def bare_copy(context, mesh_object, name):
    """The object in world space without armature, parent, motion and shape keys; linked where the source is."""
    copy = mesh_object.copy()
    copy.data = mesh_object.data.copy()
    copy.name = name
    copy[SOURCE] = mesh_object.name
    copy.animation_data_clear()
    if copy.data.shape_keys:
        copy.shape_key_clear()
    for modifier in [m for m in copy.modifiers if m.type == "ARMATURE"]:
        copy.modifiers.remove(modifier)
    for constraint in list(copy.constraints):
        copy.constraints.remove(constraint)
    copy.parent = None
    copy.matrix_world.identity()
    for collection in mesh_object.users_collection or [context.scene.collection]:
        collection.objects.link(copy)
    return copy


def show(session, frame):
    """Shows the skin of a frame on the copy. False: the copy is gone."""
    copy = bpy.data.objects.get(session.copy)
    if copy is None or copy.get(SOURCE) != session.source:
        return False
    read = session.rig
    time = (min(max(frame, read.frame_start), read.frame_end) - read.frame_start) / read.fps
    points = session.player.evaluate(time)[read.vertices]
    if len(copy.data.vertices) != len(points):
        return False
    copy.data.vertices.foreach_set("co", points.ravel())
    copy.data.update()
    return True


def stop(name):
    """Ends a preview and shows the user's own object again."""
    session = sessions.pop(name, None)
    copy = bpy.data.objects.get(session.copy) if session else None
    if copy is not None and copy.get(SOURCE) == name:
        mesh = copy.data
        bpy.data.objects.remove(copy)
        if mesh.users == 0:
            bpy.data.meshes.remove(mesh)
    source = bpy.data.objects.get(name)
    if source is not None and session is not None and source.name in bpy.context.view_layer.objects:
        source.hide_set(False)


# ------------------------------------------------------------------------------------------------ what changes


def parameters_changed(owner):
    """A setting has changed: live ones reach the player at once, the others wait for a refresh."""
    for session in sessions.values():
        source = bpy.data.objects.get(session.source)
        if source is None or owner not in (source, getattr(rig.armature_of(source), "data", None)):
            continue
        try:
            _send_live(session, source)
        except supple.Error as error:
            session.stale = str(error)
        show(session, bpy.context.scene.frame_current)


def _send_live(session, source):
    from .settings import DEFORMERS

    wanted = source.supple
    session.stale = ""
    if session.bound != _bound_by(source):
        session.stale = "the chain, a map, a bone's value or the world changed"
    for link in dict.fromkeys(wanted.links()):
        group = getattr(wanted, "p_" + link)
        for row in DEFORMERS[link]["params"]:
            if row["name"] not in group.bl_rna.properties:
                continue
            value, key = getattr(group, row["name"]), f"{link}.{row['name']}"
            if session.values.get(key) == value:
                continue
            if row["stage"] == "frame" and row["type"] != "choice" and link in session.links:
                session.player.set(key, float(value))
                session.values[key] = value
            else:
                session.stale = f"'{row['name'].replace('_', ' ')}' counts when the skin is bound"


def _bound_by(mesh_object):
    """All settings but the sliders: those that matter when a chain is bound and the scene read."""
    settings = mesh_object.supple
    bones = [text for text in settings.values(rig.armature_of(mesh_object)) if "@" in text.split("=")[0]]
    return (settings.text(), settings.preset, maps_of(mesh_object), bones, settings.preroll, settings.loop, settings.gravity,
            settings.wind, settings.friction, getattr(settings.bodies, "name", None))  # fmt: skip


def remember(session, mesh_object, given):
    """The settings that the player was made with, to detect changes."""
    from .settings import DEFORMERS

    session.given, session.bound = given, _bound_by(mesh_object)
    session.links = mesh_object.supple.links()
    session.values = {}
    for link in DEFORMERS:
        group = getattr(mesh_object.supple, "p_" + link)
        for row in DEFORMERS[link]["params"]:
            if row["name"] in group.bl_rna.properties:
                session.values[f"{link}.{row['name']}"] = getattr(group, row["name"])


@persistent
def frame_changed(scene, depsgraph=None):
    for name, session in list(sessions.items()):
        if session.scene == scene.name and not show(session, scene.frame_current):
            sessions.pop(name)  # the user deleted the copy, or undid it


@persistent
def undone(scene=None, depsgraph=None):
    frame_changed(bpy.context.scene)


@persistent
def file_loaded(*_):
    sessions.clear()


# ------------------------------------------------------------------------------------------------ operators


class SUPPLE_OT_preview(jobs.Working, bpy.types.Operator):
    """Show the skin in the viewport while the timeline plays; your mesh is hidden and stays as it is"""

    bl_idname = "supple.preview"
    bl_label = "Preview"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        source = source_of(context)
        return source is not None and source.type == "MESH"

    def prepare(self, context, told):
        source = source_of(context)
        rig.check(source)
        given = read_all(context, source, told)
        stop(source.name)
        return given

    def work(self, given, told):
        chain, read = bind(given, told), given["read"]
        end = (read.frame_end - read.frame_start) / read.fps
        player = chain.play(rig.CLIP, end=end or None, preroll=given["preroll"], loop=given["loop"])
        player.evaluate(0)
        return chain, player, [] if given["loop"] else chain.describe(rig.CLIP)["notes"]

    def finish(self, context, given, result):
        chain, player, notes = result
        source = bpy.data.objects.get(given["source"])
        if source is None:
            raise rig.Refused(f"'{given['source']}' is gone")
        session = Session(source.name, context.scene.name, given["read"], chain, player)
        session.notes += notes
        session.looped = given["loop"]
        remember(session, source, given["given"])
        copy = bare_copy(context, source, source.name + " (Supple)")
        copy.hide_render = True
        session.copy = copy.name
        sessions[source.name] = session
        source.hide_set(True)
        show(session, context.scene.frame_current)


class SUPPLE_OT_stop(bpy.types.Operator):
    """End the preview and show your own mesh again"""

    bl_idname = "supple.stop"
    bl_label = "Stop preview"
    bl_options = {"REGISTER", "UNDO"}

    @classmethod
    def poll(cls, context):
        source = source_of(context)
        return source is not None and source.name in sessions

    def execute(self, context):
        source = source_of(context)
        stop(source.name)
        context.view_layer.objects.active = source
        return {"FINISHED"}


_CLASSES = (SUPPLE_OT_preview, SUPPLE_OT_stop)
_HANDLERS = (("frame_change_post", frame_changed), ("undo_post", undone), ("redo_post", undone), ("load_post", file_loaded))


def register():
    for cls in _CLASSES:
        bpy.utils.register_class(cls)
    for name, function in _HANDLERS:
        getattr(bpy.app.handlers, name).append(function)


def unregister():
    for name in list(sessions):
        stop(name)
    for name, function in _HANDLERS:
        handlers = getattr(bpy.app.handlers, name)
        if function in handlers:
            handlers.remove(function)
    for cls in reversed(_CLASSES):
        bpy.utils.unregister_class(cls)
