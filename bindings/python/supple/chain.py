"""Chains of deformers, and what they bake."""
from __future__ import annotations

import json
import math
import os
from typing import Any, Dict, Iterator, List, Optional, Sequence, Tuple, Union

from . import _flat
from ._arrays import numpy, view
from ._flat import Handle, InputError, Progress, Watch, description, encode, lib

Path = Union[str, "os.PathLike[str]"]
ClipName = Union[str, int, bool, None]


def _read_json(given: Union[Dict[str, Any], Path, None], what: str) -> Tuple[Optional[Dict[str, Any]], str]:
    """A dict, or the contents of a file; and the folder that its paths are relative to."""
    if given is None or isinstance(given, dict):
        return given, ""
    path = os.fspath(given)
    try:
        with open(path, encoding="utf-8-sig") as file:
            return json.load(file), os.path.dirname(path)
    except OSError as error:
        raise _flat.FileError(f"cannot read the {what} '{path}': {error.strerror}") from None
    except ValueError as error:
        raise InputError(f"{what} '{path}': {error}") from None


def _place_meshes(world: Optional[Dict[str, Any]], folder: str) -> Optional[Dict[str, Any]]:
    """Files that bodies name are relative to the world's folder."""
    bodies = world.get("bodies") if isinstance(world, dict) else None
    if not folder or not isinstance(bodies, list):
        return world

    def place(body: Any) -> Any:
        name = body.get("mesh") if isinstance(body, dict) else None
        if not isinstance(name, str) or name.startswith(("/", "builtin:")):
            return body
        return {**body, "mesh": os.path.join(folder, name)}

    return {**world, "bodies": [place(b) for b in bodies]}  # type: ignore[dict-item]


def _settings(given: Union[Dict[str, Any], Sequence[str], None]) -> Optional[List[str]]:
    if given is None:
        return None
    if isinstance(given, str):
        return [given]
    if not isinstance(given, dict):
        return [str(s) for s in given]

    def text(value: Any) -> str:
        return {True: "true", False: "false"}[value] if isinstance(value, bool) else str(value)

    return [f"{name}={text(value)}" for name, value in given.items()]


def _share(progress: Optional[Progress], begin: float, end: float) -> Optional[Progress]:
    """A share of the progress bar."""
    if progress is None:
        return None
    told = progress
    return lambda fraction, what: told(begin + (end - begin) * fraction, what)


_BINDING = 0.2  # share of the bar if the chain has to be bound first


class Chain:
    """Deformers in order, for one character. A chain is bound when it is first played, once for each clip."""

    def __init__(
        self,
        character: "Character",
        links: Optional[str],
        *,
        set: Union[Dict[str, Any], Sequence[str], None],
        preset: Union[Dict[str, Any], Path, None],
        world: Union[Dict[str, Any], Path, None],
        step: Optional[float],
        progress: Optional[Progress],
    ):
        self.character = character
        self._progress = progress
        self._bound: Dict[Any, Handle] = {}
        preset, folder = _read_json(preset, "preset")
        if world is None and isinstance(preset, dict) and isinstance(preset.get("world"), dict):
            world = preset["world"]
        else:
            world, folder = _read_json(world, "world")
        self._recipe = {
            "links": links, "set": _settings(set), "preset": preset, "world": _place_meshes(world, folder), "step": step
        }  # fmt: skip

    def __repr__(self) -> str:
        return f"<supple.Chain '{self._recipe['links'] or 'linear'}' of '{self.character.name}'>"

    def _clip(self, clip: ClipName) -> Union[str, int, None]:
        """None: the first of the character; False: none."""
        if clip is False:
            return None
        if clip is not None:
            return clip
        return 0 if self.character.inspect()["clips"] else None

    def bind(self, clip: ClipName = None, *, cycle: Optional[Tuple[float, float]] = None,
             progress: Optional[Progress] = None) -> Handle:  # fmt: skip
        """Does the slow work for a clip now rather than when it is played. False: for a host that delivers poses."""
        wanted = self._clip(clip)
        key = (wanted, cycle)
        if key not in self._bound:
            watch, me = Watch(progress or self._progress), self.character._handle.__index__()
            text = description(**self._recipe, clip=wanted, cycle=list(cycle) if cycle else None)
            self._bound[key] = _flat.made(lib.flat_chain(me, text, watch.function, None), me, watch)
        return self._bound[key]

    def describe(self, clip: ClipName = None) -> Dict[str, Any]:
        """The bound chain: {"text", "dynamic", "notes", "links": [{"name", "values", "idle"}]}."""
        handle = self.bind(clip)
        return _flat.answer(lib.flat_describe(handle.__index__()), handle.number)

    def check(
        self,
        clip: ClipName = None,
        *,
        joints: Optional[Sequence[str]] = None,
        beside: Optional[Sequence[str]] = None,
        full: bool = False,
        preroll: Optional[float] = None,
        progress: Optional[Progress] = None,
    ) -> Dict[str, Any]:
        """The doctor for this chain as it is bound, after the chains in `beside`: see Character.check."""
        handle = self.bind(clip)
        return character_module._check(handle.__index__(), progress, chains=character_module._names(beside),
                                       joints=character_module._names(joints), full=full or None, preroll=preroll)  # fmt: skip

    def _until(self, clip: ClipName, start: float, end: Optional[float]) -> float:
        """The requested end, that of the clip, or the start for the rest pose."""
        wanted = self._clip(clip)
        found = [c.seconds for i, c in enumerate(self.character.clips) if wanted in (i, c.name)] if end is None else [end]
        return found[0] if found else start

    def _cycle(self, clip: ClipName, start: float, end: Optional[float], loop: bool) -> Optional[Tuple[float, float]]:
        return (start, self._until(clip, start, end)) if loop else None

    def play(
        self,
        clip: ClipName = None,
        *,
        start: float = 0.0,
        end: Optional[float] = None,
        preroll: Optional[float] = None,
        loop: bool = False,
        progress: Optional[Progress] = None,
    ) -> "Player":
        """Plays a clip (None: the first, False: the rest pose) frame by frame, forward or backward."""
        handle = self.bind(clip, cycle=self._cycle(clip, start, end, loop), progress=progress)
        text = description(start=start, end=end, preroll=preroll, loop=loop or None)
        number = handle.__index__()
        return player_module.Player(self, _flat.made(lib.flat_play(number, text), number), start=start,
                                    end=self._until(clip, start, end), loop=loop)  # fmt: skip

    def live(self, *, progress: Optional[Progress] = None) -> "Player":
        """For a host that delivers poses: see Player.step."""
        handle = self.bind(False, progress=progress)
        made = _flat.made(lib.flat_play(handle.__index__(), b'{"live":true}'), handle.number)
        return player_module.Player(self, made, live=True)

    def bake(
        self,
        file: Optional[Path] = None,
        *,
        clip: ClipName = None,
        start: float = 0.0,
        end: Optional[float] = None,
        hold: float = 0.0,
        fps: float = 30.0,
        preroll: Optional[float] = None,
        loop: bool = False,
        memory: bool = False,
        name: Optional[str] = None,
        flat: bool = False,
        sparse: bool = False,
        progress: Optional[Progress] = None,
    ) -> "Bake":
        """All frames of a clip, as `supple bake` has them.

        Without a file they are the array `points` of what is returned. With one (.glb, .gltf, .usda, .pc2, .mdd, .npy, .obj)
        they are written there; with memory too, `files` has the bytes and nothing is written. For `hold` seconds behind the
        end its pose is held."""
        cycle = self._cycle(clip, start, end, loop)
        bound = (self._clip(clip), cycle) in self._bound
        handle = self.bind(clip, cycle=cycle, progress=_share(progress, 0.0, _BINDING))
        watch, number = Watch(progress if bound else _share(progress, _BINDING, 1.0)), handle.__index__()
        text = description(start=start, end=end, hold=hold or None, fps=fps, preroll=preroll, loop=loop or None, name=name, flat=flat or None,
                           sparse=sparse or None, memory=memory or None,
                           file=None if file is None else encode(file).decode("utf-8", "surrogateescape"))  # fmt: skip
        return Bake(self, _flat.made(lib.flat_bake(number, text, watch.function, None), number, watch), memory)

    def measure(self, clip: ClipName = None, *, fps: float = 30.0, progress: Optional[Progress] = None, **play: Any) -> Dict[str, Any]:
        """Measurements of every frame: {"time", "volume", "volume_rest", "stretch", "roughness", "crossings"}, a list (or array) each."""
        player = self.play(clip, progress=_share(progress, 0.0, _BINDING), **play)
        rows: Dict[str, List[float]] = {k: [] for k in ("time", "volume", "volume_rest", "stretch", "roughness", "crossings")}
        count = player.frame_count(fps)
        for index, frame in enumerate(player.frames(fps)):
            if progress and progress(_BINDING + (1 - _BINDING) * index / count, "measure") is False:
                raise _flat.Cancelled("the measuring was stopped")
            seen = player.measure()
            rows["time"].append(frame.time)
            for key in rows:
                if key != "time":
                    rows[key].append(math.inf if seen[key] is None else seen[key])  # too many crossings to count
        return {k: numpy.array(v) if numpy is not None else v for k, v in rows.items()}


class Bake(Sequence):
    """The frames of a bake: a sequence of arrays, points x 3 each."""

    def __init__(self, chain: Chain, handle: Handle, memory: bool):
        self.chain = chain
        self._handle = handle
        self._memory = memory
        self.report: Dict[str, Any] = _flat.answer(lib.flat_inspect(handle.__index__()), handle.number)
        """Frames, fps, hash, fallbacks, bytes, files and warnings, as `supple bake --json` prints them."""

    def __repr__(self) -> str:
        seen = self.report
        return f"<supple.Bake of '{seen['chain']}': {seen['frames']} frames of {seen['points']} points, hash {seen['hash']}>"

    @property
    def points(self) -> Any:
        """Frames x points x 3, in the library's memory. None if the frames went to a file."""
        return view(self._handle, "points", "f", 3, frames=self.report["frames"])

    @property
    def times(self) -> Any:
        """Seconds of each frame in the clip."""
        return view(self._handle, "times", "d")

    @property
    def hash(self) -> str:
        """The hash of all frames, as `supple bake` prints it."""
        return self.report["hash"]

    @property
    def hashes(self) -> List[str]:
        """The hash of each frame, as `supple bake --hashes` prints them."""
        return self.report["hashes"]

    @property
    def files(self) -> Dict[str, bytes]:
        """For a bake to memory: the bytes of each file by its name."""
        if not self._memory:
            return {}
        return {name: bytes(view(self._handle, f"file:{i}", "B")) for i, name in enumerate(self.report["files"])}

    def __len__(self) -> int:
        return self.report["frames"]

    def __getitem__(self, index: Any) -> Any:
        points = self.points
        if points is None:
            raise InputError("the frames went to a file; bake without one to have them here")
        if numpy is not None:
            return points[index]
        count, size = len(self), self.report["points"] * 12
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(count))]
        at = index + count if index < 0 else index
        if not 0 <= at < count:
            raise IndexError("there is no such frame")
        return points.cast("B")[at * size : (at + 1) * size].cast("f", (self.report["points"], 3))


from . import character as character_module  # noqa: E402
from . import player as player_module  # noqa: E402  (both need the other)
from .character import Character  # noqa: E402
from .player import Player  # noqa: E402
