"""A playing copy of a chain: frames of a clip, or of poses that a host delivers."""
from __future__ import annotations

import json
import math
from typing import Any, Dict, Iterator, List, NamedTuple, Optional

from . import _flat
from ._arrays import Given, room, view
from ._flat import Handle, InputError, encode, lib


class Frame(NamedTuple):
    """A time and the skin then. `points` is the player's own memory: the next frame overwrites it, so copy what should stay."""

    time: float
    points: Any


class Player:
    """Made by Chain.play and Chain.live. Use it from one thread at a time; players of one chain may run in different threads."""

    def __init__(
        self,
        chain: "Chain",
        handle: Handle,
        *,
        start: float = 0.0,
        end: float = 0.0,
        loop: bool = False,
        live: bool = False,
    ):
        self.chain, self._handle, self._live = chain, handle, live
        self._start, self._end, self._loop = start, end, loop
        self._points = view(handle, "skin", "f", 3)
        self._number = handle.number

    @property
    def points(self) -> Any:
        """The skin of the last frame, points x 3: the player's own memory, always the same array."""
        return self._points

    @property
    def local(self) -> Any:
        """Local transforms of the last frame, joints x 10."""
        return view(self._handle, "local", "f", 10)

    # ------------------------------------------------------------------------------------------ frames

    def evaluate(self, time: float) -> Any:
        """The skin at any time of the clip. The same bits for the same time, whatever was evaluated before."""
        status = lib.flat_evaluate(self._handle.__index__(), _flat.real("the time of a frame", time), None, 0)
        if status:
            raise _flat.fail(self._number, status)
        return self._points

    def step(self, dt: float, local: Any, morphs: Any = None, *, teleport: bool = False) -> Any:
        """A live host: advances by dt seconds to a new pose, joints x 10 floats, and one weight per morph."""
        pose, weights = Given(local, "f", "local"), Given(morphs, "f", "morphs")
        status = lib.flat_live(self._handle.__index__(), _flat.real("the length of a step", dt), pose.address, pose.count, weights.address, weights.count,
                               int(teleport), None, 0)  # fmt: skip
        if status:
            raise _flat.fail(self._number, status)
        return self._points

    def frame_count(self, fps: float = 30.0) -> int:
        """How many frames `frames` gives: those of `supple bake`."""
        if not fps > 0:
            raise InputError("fps must be above 0")
        frames = (self._end - self._start) * fps
        count = max(0, math.floor(frames + 1e-6)) + 1
        if self._loop and count > 1 and abs(frames - (count - 1)) <= 1e-6:
            count -= 1  # the end of a loop repeats its first frame
        return count

    def frames(self, fps: float = 30.0) -> Iterator[Frame]:
        """Frame after frame. All of them share one array: copy what should stay."""
        for index in range(self.frame_count(fps)):
            time = self._start + index / fps
            yield Frame(time, self.evaluate(time))

    def __iter__(self) -> Iterator[Frame]:
        return self.frames()

    def set(self, parameter: str, value: float) -> None:
        """Sets a parameter that may change while playing: "layers.gravity", "smooth#2.step"."""
        _flat.check(lib.flat_set(self._handle.__index__(), encode(parameter), _flat.real("a parameter", value)), self._number)

    def bodies(self, bodies: List[Dict[str, Any]], start: float = 0.0) -> None:
        """Moves the chain's bodies (the member "bodies" of its world, same count and kinds) from second `start` on."""
        _flat.check(lib.flat_bodies(self._handle.__index__(), encode(json.dumps(bodies)), start), self._number)

    def forces(self, forces: List[Dict[str, Any]], start: float = 0.0) -> None:
        """Replaces the forces of the chain's world (its member "forces") from second `start` on."""
        _flat.check(lib.flat_forces(self._handle.__index__(), encode(json.dumps(forces)), start), self._number)

    def felt(self, force: int) -> float:
        """The newtons a spring of the world pulled with in the last step, by its index in the list of forces."""
        return float(lib.flat_felt(self._handle.__index__(), force))

    def hold(self, still: float) -> None:
        """Holds the pose from this second of the clip on; 0: the clip plays on."""
        _flat.check(lib.flat_hold(self._handle.__index__(), _flat.real("the second of a held pose", still)), self._number)

    # ------------------------------------------------------------------------------------------ about the last frame

    @property
    def hash(self) -> str:
        """The hash of the last frame, as `supple bake --hashes` prints it."""
        text = lib.flat_hash(self._handle.__index__())
        if text is None:
            raise _flat.fail(self._number)
        return text.decode()

    def measure(self) -> Dict[str, Any]:
        """Volumes, stretch, roughness, crossings and fallbacks of the last frame."""
        return _flat.answer(lib.flat_measure(self._handle.__index__()), self._number)

    def errors(self, truth: Any) -> Dict[str, float]:
        """Distances of the last frame to a truth (points x 3): {"max", "mean", "rms", "erms"}."""
        given = Given(truth, "f", "truth")
        return _flat.answer(lib.flat_errors(self._handle.__index__(), given.address, given.count), self._number)

    def _values(self, what: bytes) -> Any:
        memory, shown = room(len(self._points))
        _flat.check(lib.flat_values(self._handle.__index__(), what, memory, len(memory)), self._number)
        return shown

    def stretch(self) -> Any:
        """Per point: log2 of its worst edge against rest; above 0 longer, below 0 shorter."""
        return self._values(b"stretch")

    def roughness(self) -> Any:
        """Per point: change of the mean curvature against rest, times the diagonal."""
        return self._values(b"roughness")

    def volume(self) -> Any:
        """Per point: change of the volume of its part (the skin around a joint), as a fraction of rest."""
        return self._values(b"volume")

    def weight(self, joint: str) -> Any:
        """Per point: how much it follows the joint, from 0 to 1."""
        return self._values(b"weight:" + encode(joint))

    def distance(self, others: Any) -> Any:
        """Per point: its distance from another position (points x 3)."""
        given = Given(others, "f", "others")
        memory, shown = room(len(self._points))
        _flat.check(lib.flat_distances(self._handle.__index__(), given.address, given.count, memory, len(memory)), self._number)
        return shown

    def normals(self) -> Any:
        """Unit normals of the last frame, stored vertices x 3."""
        memory, shown = room(len(self.chain.character.vertex_points), 3)
        _flat.check(lib.flat_normals(self._handle.__index__(), memory, len(memory)), self._number)
        return shown

    def ripples(self) -> Any:
        """
        Folds of the last frame that are too fine for the points, for shading: points x ripples x 6 (wave x y z in radians per
        unit, cosine and sine of the phase, height); no ripples unless the last link is such as `wrinkle`.
        """
        return view(self._handle, "ripples", "f", 6, frames=len(self._points))

    def draw(self, link: int, what: Optional[str] = None) -> Dict[str, Any]:
        """What a link draws of its internals in the last frame: {"lines", "points", "triangles"}, corners x 4 (x y z value)."""
        text = None if what is None else encode(what)
        _flat.check(lib.flat_draw(self._handle.__index__(), link, text), self._number)
        return {kind: view(self._handle, "draw_" + kind, "f", 4) for kind in ("lines", "points", "triangles")}


from .chain import Chain  # noqa: E402  (both need the other)
