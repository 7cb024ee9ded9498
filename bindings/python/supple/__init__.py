"""Supple: deformers for the skin of rigged characters.

    import supple
    run = supple.load("fox.glb").chain("layers").bake(clip="Run")
    run.points  # frames x points x 3

Frames have the bits of the command line (`supple bake`), with any number of threads. Arrays are numpy arrays where numpy is
installed and memoryviews elsewhere; they look at the library's memory and copy nothing. Whatever is wrong is an exception with
a sentence that names the object and the cure (`supple.Error` and below).
"""
from __future__ import annotations

from ._flat import Busy, Cancelled, Closed, Error, FileError, InputError, OutOfMemory, Progress, lib
from .character import Character, Clip, Example, Joint, Part, Session, builtins, character, deformers, load, load_bytes
from .chain import Bake, Chain
from .player import Frame, Player

__version__: str = lib.flat_version().decode()

__all__ = [
    "Bake", "Busy", "Cancelled", "Chain", "Character", "Clip", "Closed", "Error", "Example", "FileError", "Frame", "InputError",
    "Joint", "OutOfMemory", "Part", "Player", "Progress", "Session", "builtins", "character", "deformers", "load", "load_bytes",
]  # fmt: skip
