"""Sessions and characters: from files, from memory, from arrays."""
from __future__ import annotations

import os
import sys
from typing import Any, Callable, Dict, Iterable, Iterator, List, MutableMapping, NamedTuple, Optional, Sequence, Tuple, Union

from . import _flat
from ._arrays import Given, shape_of, view
from ._flat import Handle, InputError, Progress, Watch, description, encode, lib

Path = Union[str, "os.PathLike[str]"]


class Joint(NamedTuple):
    """A joint of the skeleton. `parent` is an index into the joints, -1 for a root; `id` the file's own number."""

    name: str
    parent: int
    skin: bool
    id: int


class Part(NamedTuple):
    """One mesh of the character: where its points, stored vertices and faces begin, and how many there are."""

    name: str
    point_begin: int
    point_count: int
    vertex_begin: int
    vertex_count: int
    face_begin: int
    face_count: int


class Clip(NamedTuple):
    """A motion of the character."""

    name: str
    seconds: float


class Example(NamedTuple):
    """A sculpt of the character at a time of a clip."""

    name: str
    clip: Optional[str]
    time: float


class Session:
    """The threads that work on characters; 0 is one per core. Callers without a session of their own share one."""

    def __init__(self, threads: int = 0):
        if not 0 <= threads <= 256:
            raise _flat.InputError(f"a session has 1 to 256 threads, or 0 for one per core, not {threads}")
        number = lib.flat_open(threads)
        if not number:
            raise _flat.OutOfMemory("a session with its threads could not be made")
        self._handle = Handle(number)

    def deformers(self) -> List[Dict[str, Any]]:
        """Every deformer with its parameters, as `supple deformers --json` lists them."""
        return _flat.answer(lib.flat_deformers(self._handle.__index__()), self._handle.number)

    def builtins(self) -> List[Dict[str, str]]:
        """The built-in characters."""
        return _flat.answer(lib.flat_builtins(self._handle.__index__()), self._handle.number)

    def load(
        self,
        path: Path,
        *,
        unit: Optional[float] = None,
        up: Optional[str] = None,
        fps: Optional[float] = None,
        meshes: Optional[Sequence[str]] = None,
        dress: Optional[Sequence[str]] = None,
        progress: Optional[Progress] = None,
    ) -> "Character":
        """A character from a file, or a built-in one ("builtin:beast", "builtin:arm?points=30000").

        unit: metres per unit, and up: "x", "y" or "z", where the file is wrong. meshes: names (with * and ?) of those to read.
        dress: clothes without a skin that take the weights of the body. fps: of a sequence of files."""
        watch, me = Watch(progress), self._handle.__index__()
        options = description(unit=unit, up=up, fps=fps, meshes=_names(meshes), dress=_names(dress))
        return Character(_flat.made(lib.flat_load(me, encode(path), options, watch.function, None), me, watch), self)

    def load_bytes(
        self,
        name: str,
        data: bytes,
        *,
        read: Optional[Callable[[str], Optional[bytes]]] = None,
        unit: Optional[float] = None,
        up: Optional[str] = None,
        meshes: Optional[Sequence[str]] = None,
        dress: Optional[Sequence[str]] = None,
    ) -> "Character":
        """The same from memory; the name's ending gives the format. `read` returns the files that this one references."""
        data, me = bytes(data), self._handle.__index__()
        options = description(unit=unit, up=up, meshes=_names(meshes), dress=_names(dress))
        function = _flat.reader(read) if read else _flat.NO_READER
        return Character(_flat.made(lib.flat_load_bytes(me, encode(name), data, len(data), options, function, None), me), self)

    def character(
        self,
        points: Any,
        faces: Any,
        *,
        joints: Iterable[Tuple[str, Union[int, str, None]]] = (),
        rest: Any = None,
        weights: Any = None,
        inverse_bind: Any = None,
        maps: Optional[Dict[str, Any]] = None,
        morphs: Optional[Dict[str, Any]] = None,
        normals: Any = None,
        name: str = "character",
        unit: Optional[float] = None,
        up: str = "y",
        weld: bool = False,
        progress: Optional[Progress] = None,
    ) -> "Character":
        """A character from arrays.

        points: n x 3. faces: triangles (m x 3), quads (m x 4), or a list of polygons. joints: (name, parent) with the parent's
        index or name, None for a root. rest: joints x 10 (translation, rotation x y z w, scale, from the parent); the rest pose
        is the bind pose unless inverse_bind (joints x 3 x 4) says another. weights: points x joints, or the three arrays
        (begin, joints, values), or "automatic". maps: name to a value from 0 to 1 per point. morphs: name to n x 3
        displacements. unit: metres per unit; without it 1, and physics takes a character of implausible size for a plausible one.
        weld: points at one place with the same weights become one; `vertex_points` is the way back."""
        me = self._handle.__index__()
        draft = _flat.made(lib.flat_draft(me), me)
        sizes, corners = _polygons(faces)
        pairs = [{"name": str(n), **({} if p is None else {"parent": p})} for n, p in joints]

        def give(key: str, values: Any, kind: str) -> None:
            if values is None:
                return
            given = Given(values, kind, key)
            _flat.check(lib.flat_give(draft.number, encode(key), given.address, given.count), draft.number)

        give("points", points, "f"), give("corners", corners, "I"), give("face_sizes", sizes, "I")
        give("normals", normals, "f"), give("joint_rest", rest, "f"), give("joint_inverse_bind", inverse_bind, "f")
        automatic = isinstance(weights, str)
        if weights is not None and not automatic:
            begin, of, values = weights if isinstance(weights, tuple) and len(weights) == 3 else _sparse(weights, len(pairs))
            give("weight_begin", begin, "I"), give("weight_joints", of, "I"), give("weight_values", values, "f")
        for key, values in (maps or {}).items():
            give("map:" + key, values, "f")
        for key, values in (morphs or {}).items():
            give("morph:" + key, values, "f")
        watch = Watch(progress)
        text = description(name=name, unit=unit, up=up, joints=pairs, parts=[{"name": name, "weld": weld}],
                           weights=weights if automatic else None)  # fmt: skip
        made = _flat.made(lib.flat_make(draft.number, text, watch.function, None), draft.number, watch)
        return Character(made, self)


def _names(names: Optional[Sequence[str]]) -> Optional[List[str]]:
    return None if names is None else [names] if isinstance(names, str) else list(names)


def _polygons(faces: Any) -> Tuple[Any, Any]:
    """The faces' sizes (None: triangles) and corners."""
    if hasattr(faces, "shape"):
        if len(faces.shape) != 2:
            raise InputError(f"faces have the shape {tuple(faces.shape)}; give m x 3, m x 4, or a list of polygons")
        return (None if faces.shape[1] == 3 else [faces.shape[1]] * faces.shape[0]), faces
    faces = [list(face) for face in faces]
    sizes = [len(face) for face in faces]
    return (None if all(s == 3 for s in sizes) else sizes), [corner for face in faces for corner in face]


def _sparse(weights: Any, joints: int) -> Tuple[Any, Any, Any]:
    """Converts weights of every joint (points x joints) to lists of the nonzero ones."""
    shape = shape_of(weights)
    if len(shape) != 2 or shape[1] != joints:
        raise InputError(f"weights have the shape {tuple(shape)}; with {joints} joints give points x {joints}, or 'automatic'")
    begin, of, values = [0], [], []
    for row in weights.tolist() if hasattr(weights, "tolist") else weights:
        for joint, value in enumerate(row):
            if value != 0:
                of.append(joint), values.append(value)
        begin.append(len(of))
    return begin, of, values


def _check(number: int, progress: Optional[Progress], **wish: Any) -> Dict[str, Any]:
    watch = Watch(progress)
    text = lib.flat_check(number, description(**wish), watch.function, None)
    if watch.raised:
        raise watch.raised
    return _flat.answer(text, number)


class Maps(MutableMapping):
    """The maps of a character by name: `character.maps["stiffness"] = values`, one from 0 to 1 per point."""

    def __init__(self, character: "Character"):
        self._character = character

    def __getitem__(self, name: str) -> Any:
        found = view(self._character._handle, "map:" + name, "f")
        if found is None:
            raise KeyError(name)
        return found

    def __setitem__(self, name: str, values: Any) -> None:
        given, me = Given(values, "f", f"map '{name}'"), self._character._handle.__index__()
        _flat.check(lib.flat_map(me, encode(name), given.address, given.count), me)

    def __delitem__(self, name: str) -> None:
        raise TypeError("a map cannot be removed; set it to 1")

    def __iter__(self) -> Iterator[str]:
        return iter(self._character.inspect()["maps"])

    def __len__(self) -> int:
        return len(self._character.inspect()["maps"])


class Character:
    """Mesh, skeleton, weights, and clips. Made by load, load_bytes, character or Character.fit."""

    def __init__(self, handle: Handle, session: Session):
        self._handle, self._session = handle, session

    def __repr__(self) -> str:
        seen = self.inspect()
        return f"<supple.Character '{seen['name']}': {seen['points']} points, {len(seen['joints'])} joints, {len(seen['clips'])} clips>"

    def inspect(self) -> Dict[str, Any]:
        """Counts, parts, joints, clips, sculpts, morphs, maps, unit and warnings."""
        return _flat.answer(lib.flat_inspect(self._handle.__index__()), self._handle.number)

    # ------------------------------------------------------------------------------------------ what it has

    @property
    def name(self) -> str:
        return self.inspect()["name"]

    @property
    def warnings(self) -> List[str]:
        """What was unusual about the file, and what was done about it."""
        return self.inspect()["warnings"]

    @property
    def joints(self) -> List[Joint]:
        return [Joint(j["name"], j["parent"], j["skin"], j["id"]) for j in self.inspect()["joints"]]

    @property
    def parts(self) -> List[Part]:
        return [Part(**part) for part in self.inspect()["parts"]]

    @property
    def clips(self) -> List[Clip]:
        return [Clip(c["name"], c["seconds"]) for c in self.inspect()["clips"]]

    @property
    def examples(self) -> List[Example]:
        return [Example(e["name"], e["clip"], e["time"]) for e in self.inspect()["examples"]]

    @property
    def morphs(self) -> List[str]:
        return self.inspect()["morphs"]

    @property
    def maps(self) -> Maps:
        """Painted maps by name; set one to add it. Chains that are already bound do not see it."""
        return Maps(self)

    def set_weights(self, weights: Any) -> None:
        """Skin weights in place of those that are there: points x joints, or the three arrays begin, joints, values. They are
        kept in steps of 2^-22 that sum to exactly 1: save() and who reads the file have the same bits."""
        begin, of, values = weights if isinstance(weights, tuple) and len(weights) == 3 else _sparse(weights, len(self.inspect()["joints"]))
        a, b, c = Given(begin, "I", "weight_begin"), Given(of, "I", "weight_joints"), Given(values, "f", "weight_values")
        if b.count != c.count:
            raise ValueError(f"weights: {b.count} joints and {c.count} values")
        me = self._handle.__index__()
        _flat.check(lib.flat_weights(me, a.address, a.count, b.address, c.address, c.count), me)

    @property
    def points(self) -> Any:
        """The rest shape, points x 3."""
        return view(self._handle, "points", "f", 3)

    @property
    def triangles(self) -> Any:
        """Triangles x 3, indices of points."""
        return view(self._handle, "triangles", "I", 3)

    @property
    def vertex_points(self) -> Any:
        """The point of each stored vertex: points on a texture seam are several vertices."""
        return view(self._handle, "vertex_points", "I")

    @property
    def faces(self) -> List[List[int]]:
        """The polygons, as indices of points."""
        begin, corners = view(self._handle, "face_begin", "I"), view(self._handle, "corner_points", "I")
        if begin is None or corners is None:
            return []
        begin, corners = begin.tolist(), corners.tolist()
        return [corners[a:b] for a, b in zip(begin, begin[1:])]

    @property
    def weights(self) -> Tuple[Any, Any, Any]:
        """(begin, joints, values): the influences of point p are begin[p] up to begin[p + 1]."""
        return tuple(view(self._handle, "weight_" + n, k) for n, k in (("begin", "I"), ("joints", "I"), ("values", "f")))  # type: ignore[return-value]

    @property
    def rest(self) -> Any:
        """Local rest transforms, joints x 10: translation, rotation x y z w, scale."""
        return view(self._handle, "joint_rest", "f", 10)

    @property
    def inverse_bind(self) -> Any:
        """From rest space to the joints, joints x 12: three rows of four."""
        return view(self._handle, "joint_inverse_bind", "f", 12)

    # ------------------------------------------------------------------------------------------ what can be added

    def add_clip(self, name: str, local: Any, *, fps: float = 30.0, morphs: Any = None) -> None:
        """A motion: local transforms, frames x joints x 10, in the order of `joints`; weights of morphs, frames x morphs."""
        given, weights, me = Given(local, "f", "local"), Given(morphs, "f", "morphs"), self._handle.__index__()
        text = description(name=name, fps=fps)
        _flat.check(lib.flat_clip(me, text, given.address, given.count, weights.address, weights.count), me)

    def add_example(
        self, points: Any, time: float, *, clip: Optional[str] = None, name: Optional[str] = None, rest_space: bool = False
    ) -> None:
        """A sculpt of all points (or stored vertices) at a time of a clip, for the deformers that learn from them."""
        given, me = Given(points, "f", "points"), self._handle.__index__()
        text = description(name=name, clip=clip, time=time, rest_space=rest_space or None)
        _flat.check(lib.flat_example(me, text, given.address, given.count), me)

    def add_motion(
        self,
        source: Path,
        data: Optional[bytes] = None,
        *,
        name: Optional[str] = None,
        clip: Union[str, int, None] = None,
        fps: Optional[float] = None,
        map: Optional[Dict[str, Optional[str]]] = None,
        keep_first: bool = False,
        read: Optional[Callable[[str], Optional[bytes]]] = None,
    ) -> Dict[str, Any]:
        """The motion of a file (.bvh, or a clip of another character's file) on this character's joints, as a new clip.

        data: the file's bytes, where they are in memory. Returns who follows whom: {"clip", "seconds", "pairs", "guessed",
        "without_partner", ...}; a pair that was found by "shape" is a guess, and map ({"joint": "joint of the motion" or None})
        corrects it."""
        me = self._handle.__index__()
        text = description(name=name, clip=clip, fps=fps, map=map, keep_first=keep_first or None)
        reader = _flat.reader(read) if read else _flat.NO_READER
        size = 0 if data is None else len(data)
        return _flat.answer(lib.flat_motion(me, encode(source), data, size, text, reader, None), me)

    def clear_examples(self) -> None:
        """Drops all sculpts."""
        _flat.check(lib.flat_example(self._handle.__index__(), b"{}", None, 0), self._handle.number)

    # ------------------------------------------------------------------------------------------ what is made of it

    def chain(
        self,
        links: Optional[str] = None,
        *,
        set: Union[Dict[str, Any], Sequence[str], None] = None,
        preset: Union[Dict[str, Any], Path, None] = None,
        world: Union[Dict[str, Any], Path, None] = None,
        step: Optional[float] = None,
        progress: Optional[Progress] = None,
    ) -> "Chain":
        """Deformers in order, written as on the command line: "layers", "dualquat,smooth", "dualquat(blend=0.8)".

        set: {"layers.stiffness_fat": 0.4, "layers.stiffness@Spine*": 0.3}, or the texts of --set. preset, world: a dict, or a
        file. step: seconds of the fixed clock. A chain is bound when it is first played, to the clip that is played."""
        return chain_module.Chain(self, links, set=set, preset=preset, world=world, step=step, progress=progress)

    def fit(
        self,
        frames: Any,
        *,
        bones: Optional[int] = None,
        error: Optional[float] = None,
        influences: Optional[int] = None,
        smooth: Optional[float] = None,
        rigid: Optional[float] = None,
        seed: Optional[int] = None,
        flat: bool = False,
        fps: float = 30.0,
        progress: Optional[Progress] = None,
    ) -> "Character":
        """A new character: this mesh with the bones, weights and motion (the clip "fit") that come nearest to shapes of it
        (frames x points x 3). `inspect()["fit"]` says how near. error: as few bones as reach this E_RMS."""
        given, watch, me = Given(frames, "f", "frames"), Watch(progress), self._handle.__index__()
        text = description(bones=bones, error=error, influences=influences, smooth=smooth, rigid=rigid, seed=seed,
                           flat=flat or None, fps=fps)  # fmt: skip
        number = lib.flat_fit(me, text, given.address, given.count, watch.function, None)
        return Character(_flat.made(number, me, watch), self._session)

    def weigh(
        self,
        skeleton: Optional[Path] = None,
        data: Optional[bytes] = None,
        *,
        method: Optional[str] = None,
        cells: Optional[int] = None,
        influences: Optional[int] = None,
        spread: Optional[float] = None,
        mask: Optional[str] = None,
        center: bool = False,
        progress: Optional[Progress] = None,
    ) -> "Character":
        """A new character: this mesh with automatic weights, as `supple weights` makes them.

        Without a skeleton its own joints and clips stay; with one (.bvh, .tgf, or another character's file; data: its bytes)
        those joints are fitted into the mesh. `inspect()["weights"]` says what was found."""
        watch, me = Watch(progress), self._handle.__index__()
        text = description(method=method, cells=cells, influences=influences, spread=spread, mask=mask, center=center or None)
        path, size = None if skeleton is None else encode(skeleton), 0 if data is None else len(data)
        number = lib.flat_weigh(me, path, data, size, text, watch.function, None)
        return Character(_flat.made(number, me, watch), self._session)

    def check(
        self,
        chains: Optional[Sequence[str]] = None,
        *,
        joints: Optional[Sequence[str]] = None,
        clip: Union[str, int, None] = None,
        full: bool = False,
        preroll: Optional[float] = None,
        top: Optional[int] = None,
        world: Optional[Dict[str, Any]] = None,
        progress: Optional[Progress] = None,
    ) -> Dict[str, Any]:
        """The doctor: sweeps every joint (or those that patterns name) under several chains, worst first, as `supple check --json`
        prints it. Without chains: every deformer that fits and needs no settling."""
        me = self._handle.__index__()
        return _check(me, progress, chains=_names(chains), joints=_names(joints), clip=clip, full=full or None,
                      preroll=preroll, top=top, world=world)  # fmt: skip

    def to_bytes(self) -> bytes:
        """The character as a GLB."""
        import ctypes

        size, me = ctypes.c_uint64(), self._handle.__index__()
        address = lib.flat_write(me, ctypes.byref(size))
        if not address:
            raise _flat.fail(me)
        return ctypes.string_at(address, size.value)

    def save(self, path: Path) -> None:
        """Writes the character as a GLB, whole or not at all."""
        data, target = self.to_bytes(), os.fspath(path)
        beside = f"{target}.{os.getpid()}.part"
        try:
            with open(beside, "wb") as file:
                file.write(data)
            os.replace(beside, target)
        except OSError as error:
            if os.path.exists(beside):
                os.remove(beside)
            raise _flat.FileError(f"cannot write '{target}': {error.strerror}") from None


_standard: Optional[Session] = None


def _session() -> Session:
    global _standard
    if _standard is None:
        _standard = Session()
    return _standard


def _forget() -> None:
    global _standard
    _standard = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)  # threads do not follow a fork


def load(path: Path, **options: Any) -> Character:
    """A character from a file, or a built-in one ("builtin:beast"). Options: see Session.load."""
    return _session().load(path, **options)


def load_bytes(name: str, data: bytes, **options: Any) -> Character:
    """A character from the bytes of a file. Options: see Session.load_bytes."""
    return _session().load_bytes(name, data, **options)


def character(points: Any, faces: Any, **options: Any) -> Character:
    """A character from arrays. Options: see Session.character."""
    return _session().character(points, faces, **options)


def deformers() -> List[Dict[str, Any]]:
    """Every deformer with its parameters, as `supple deformers --json` lists them."""
    return _session().deformers()


def builtins() -> List[Dict[str, str]]:
    """The built-in characters."""
    return _session().builtins()


from . import chain as chain_module  # noqa: E402  (both need the other)
from .chain import Chain  # noqa: E402
