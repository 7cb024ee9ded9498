"""Supple for Blender: skin that keeps its volume, jiggles and folds, on any mesh with an armature.

Written for Blender 3.4 and later: bl_info is for add-ons as they were before 4.2, blender_manifest.toml for extensions."""

bl_info = {
    "name": "Supple",
    "author": "The Supple developers",
    "version": (0, 1, 0),
    "blender": (3, 4, 0),
    "location": "3D View > Sidebar > Supple",
    "description": "Skin that keeps its volume, jiggles and folds: layers of flesh, lattices and dual quaternions, live and baked",
    "category": "Animation",
}

from . import baking, panel, preview, settings

_MODULES = (settings, preview, baking, panel)


def register():
    for module in _MODULES:
        module.register()


def unregister():
    for module in reversed(_MODULES):
        module.unregister()
