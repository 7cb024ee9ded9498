"""The scene around a character: gravity, wind, and solid bodies, as the library's world has them."""
import os

from mathutils import Vector

from . import rig


def bodies_of(settings):
    """Meshes of the chosen collection, and of those inside it."""
    if settings.bodies is None:
        return []
    return [o for o in settings.bodies.all_objects if o.type == "MESH" and o.data.polygons and not rig.armature_of(o)]


def _wind(scene):
    """The sum of the scene's wind force fields: the strength is meters per second along their z axis."""
    total, found = [0.0, 0.0, 0.0], False
    for thing in scene.objects:
        if thing.field and thing.field.type == "WIND" and not thing.hide_get():
            along = thing.matrix_world.to_3x3() @ Vector((0, 0, 1))
            along.normalize()
            total = [t + thing.field.strength * a for t, a in zip(total, along)]
            found = True
    return total if found else None


def _write_body(body, meters, path):
    """An OBJ in meters."""
    lines = ["v %.9g %.9g %.9g" % tuple(float(x) * meters for x in point) for point in body.points]
    lines += ["f " + " ".join(str(corner + 1) for corner in face) for face in body.faces]
    with open(path, "w", encoding="ascii") as file:
        file.write("\n".join(lines) + "\n")


def _keys(body, meters, fps):
    """Its transform in every frame; a single key if it never moves."""
    places = body.places if any(p != body.places[0] for p in body.places) else body.places[:1]
    return [{"time": index / fps, "move": [x * meters for x in place], "turn": list(turn)} for index, (place, turn) in enumerate(places)]


def describe(scene, settings, read, folder):
    """The world of a character; meshes of bodies are written to the folder and needed until the chain is bound."""
    world = {}
    if settings.gravity:
        world["gravity"] = [float(x) for x in scene.gravity] if scene.use_gravity else [0.0, 0.0, 0.0]
    wind = _wind(scene) if settings.wind else None
    if wind:
        world["wind"] = wind
    meters = read.character.inspect()["physics_unit"]  # lengths of a world are meters, whatever the character's unit
    for index, body in enumerate(read.bodies):
        path = os.path.join(folder, f"body{index}.obj")
        _write_body(body, meters, path)
        row = {"name": body.name, "mesh": path, "friction": settings.friction, "keys": _keys(body, meters, read.fps)}
        world.setdefault("bodies", []).append(row)
    return world or None
