"""The shared library: where it is, what its functions take, and how its errors become exceptions."""
from __future__ import annotations

import ctypes
import json
import os
import sys
import weakref
from pathlib import Path
from typing import Any, Callable, Optional, Union

ABI = 5
"""FLAT_ABI of bindings/flat/flat.h. A library with another number is refused."""

Progress = Callable[[float, str], Optional[bool]]
"""Called during long work with its progress, 0 to 1, and what is being done; returning False stops the work with Cancelled."""


class Error(Exception):
    """The library's error: a sentence that names the object and the cure."""


class InputError(Error, ValueError):
    """The data or a setting is wrong."""


class FileError(Error, OSError):
    """A file could not be read or written."""


class OutOfMemory(Error, MemoryError):
    """There is not enough memory."""


class Cancelled(Error):
    """The progress function asked to stop."""


class Closed(Error):
    """The object was closed."""


class Busy(Error):
    """Another thread is using the object."""


_KINDS = {1: InputError, 2: FileError, 3: OutOfMemory, 4: Cancelled, 5: Closed, 6: Busy}

_PROGRESS = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p, ctypes.c_double, ctypes.c_char_p)
_READ = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p, ctypes.c_uint64)

_TEXT, _HANDLE, _U64, _POINTER = ctypes.c_char_p, ctypes.c_uint32, ctypes.c_uint64, ctypes.c_void_p
_STATUS, _COUNT = ctypes.c_int32, ctypes.POINTER(ctypes.c_uint64)

# name: (result, arguments)
_FUNCTIONS: dict = {
    "flat_version": (_TEXT, []),
    "flat_open": (_HANDLE, [ctypes.c_uint32]),
    "flat_free": (_STATUS, [_HANDLE]),
    "flat_error": (_TEXT, [_HANDLE]),
    "flat_status_of": (_STATUS, [_HANDLE]),
    "flat_deformers": (_TEXT, [_HANDLE]),
    "flat_builtins": (_TEXT, [_HANDLE]),
    "flat_load": (_HANDLE, [_HANDLE, _TEXT, _TEXT, _PROGRESS, _POINTER]),
    "flat_load_bytes": (_HANDLE, [_HANDLE, _TEXT, _POINTER, _U64, _TEXT, _READ, _POINTER]),
    "flat_inspect": (_TEXT, [_HANDLE]),
    "flat_draft": (_HANDLE, [_HANDLE]),
    "flat_give": (_STATUS, [_HANDLE, _TEXT, _POINTER, _U64]),
    "flat_make": (_HANDLE, [_HANDLE, _TEXT, _PROGRESS, _POINTER]),
    "flat_weights": (_STATUS, [_HANDLE, _POINTER, _U64, _POINTER, _POINTER, _U64]),
    "flat_map": (_STATUS, [_HANDLE, _TEXT, _POINTER, _U64]),
    "flat_example": (_STATUS, [_HANDLE, _TEXT, _POINTER, _U64]),
    "flat_clip": (_STATUS, [_HANDLE, _TEXT, _POINTER, _U64, _POINTER, _U64]),
    "flat_fit": (_HANDLE, [_HANDLE, _TEXT, _POINTER, _U64, _PROGRESS, _POINTER]),
    "flat_write": (_POINTER, [_HANDLE, _COUNT]),
    "flat_motion": (_TEXT, [_HANDLE, _TEXT, _POINTER, _U64, _TEXT, _READ, _POINTER]),
    "flat_weigh": (_HANDLE, [_HANDLE, _TEXT, _POINTER, _U64, _TEXT, _PROGRESS, _POINTER]),
    "flat_check": (_TEXT, [_HANDLE, _TEXT, _PROGRESS, _POINTER]),
    "flat_chain": (_HANDLE, [_HANDLE, _TEXT, _PROGRESS, _POINTER]),
    "flat_describe": (_TEXT, [_HANDLE]),
    "flat_play": (_HANDLE, [_HANDLE, _TEXT]),
    "flat_evaluate": (_STATUS, [_HANDLE, ctypes.c_double, _POINTER, _U64]),
    "flat_live": (_STATUS, [_HANDLE, ctypes.c_double, _POINTER, _U64, _POINTER, _U64, ctypes.c_int32, _POINTER, _U64]),
    "flat_set": (_STATUS, [_HANDLE, _TEXT, ctypes.c_double]),
    "flat_forces": (_STATUS, [_HANDLE, _TEXT, ctypes.c_double]),
    "flat_bodies": (_STATUS, [_HANDLE, _TEXT, ctypes.c_double]),
    "flat_felt": (ctypes.c_double, [_HANDLE, ctypes.c_uint32]),
    "flat_hold": (_STATUS, [_HANDLE, ctypes.c_double]),
    "flat_hash": (_TEXT, [_HANDLE]),
    "flat_measure": (_TEXT, [_HANDLE]),
    "flat_errors": (_TEXT, [_HANDLE, _POINTER, _U64]),
    "flat_values": (_STATUS, [_HANDLE, _TEXT, _POINTER, _U64]),
    "flat_distances": (_STATUS, [_HANDLE, _POINTER, _U64, _POINTER, _U64]),
    "flat_normals": (_STATUS, [_HANDLE, _POINTER, _U64]),
    "flat_draw": (_STATUS, [_HANDLE, ctypes.c_uint32, _TEXT]),
    "flat_bake": (_HANDLE, [_HANDLE, _TEXT, _PROGRESS, _POINTER]),
    "flat_array": (_POINTER, [_HANDLE, _TEXT, _COUNT]),
}

# Quick questions about objects that threads share: they keep the interpreter lock until the answer is copied, so that no two
# threads ask the same object at once.
_QUICK = {"flat_version", "flat_error", "flat_status_of", "flat_deformers", "flat_builtins", "flat_inspect", "flat_describe", "flat_hash"}


def _candidates() -> list:
    name = {"win32": "supple_flat.dll", "darwin": "libsupple_flat.dylib"}.get(sys.platform, "libsupple_flat.so")
    here = Path(__file__).resolve().parent
    places = [here / name]
    if here.parent.name == "python" and here.parent.parent.name == "bindings":  # a source tree
        places.append(here.parents[2] / "build" / name)
    asked = os.environ.get("SUPPLE_FLAT")
    return [Path(asked)] if asked else places


def _open_library() -> ctypes.CDLL:
    places = _candidates()
    found = next((p for p in places if p.exists()), None)
    if not found:
        raise ImportError(
            "supple: there is no library at " + " or ".join(map(str, places)) + "; build it with 'make', or set SUPPLE_FLAT to it"
        )
    opened = ctypes.CDLL(str(found))
    if not hasattr(opened, "flat_abi"):
        raise ImportError(f"supple: {found} is another library")
    opened.flat_abi.restype = ctypes.c_uint32
    if opened.flat_abi() != ABI:
        raise ImportError(f"supple: {found} has interface {opened.flat_abi()}, and this package needs {ABI}; install both anew")
    locked = ctypes.PyDLL(str(found))
    for function, (result, arguments) in _FUNCTIONS.items():
        if function in _QUICK:
            setattr(opened, function, getattr(locked, function))
        getattr(opened, function).restype = result
        getattr(opened, function).argtypes = arguments
    return opened


lib = _open_library()


class Handle:
    """A handle of the library, freed when nothing references it any more: views of its arrays do, too."""

    __slots__ = ("number", "_pid", "_end", "__weakref__")

    def __init__(self, number: int):
        self.number = number
        self._pid = os.getpid()
        self._end = weakref.finalize(self, _free, number, self._pid)
        self._end.atexit = False  # the process frees everything, and other threads may still run

    def __index__(self) -> int:
        if os.getpid() != self._pid:  # the library's threads do not follow a fork
            raise Error("this object belongs to the process before the fork; load it again in this one")
        return self.number


def _free(number: int, pid: int) -> None:
    if os.getpid() == pid:
        lib.flat_free(number)


def fail(number: int, status: Optional[int] = None) -> "Error":
    """The exception for what just failed on a handle."""
    status = lib.flat_status_of(number) if status is None else status
    words = (lib.flat_error(number) or b"").decode("utf-8", "replace")
    if status == 6:
        words = "another thread is using this object"
    return _KINDS.get(status, Error)(words)


def check(status: int, number: int) -> None:
    if status:
        raise fail(number, status)


def made(number: int, parent: int, watch: Optional["Watch"] = None) -> Handle:
    """Wraps a new handle, or raises the error."""
    if watch and watch.raised:
        if number:
            lib.flat_free(number)
        raise watch.raised
    if not number:
        raise fail(parent)
    return Handle(number)


def answer(text: Optional[bytes], number: int) -> Any:
    """A JSON answer."""
    if text is None:
        raise fail(number)
    return json.loads(text.decode("utf-8", "replace"))


def real(what: str, value: Any) -> float:
    """Converts to a number for the library; the error names what it is for."""
    try:
        return float(value)
    except OverflowError:
        return float("inf")  # which the library refuses as not finite
    except (TypeError, ValueError):
        raise InputError(f"{what} must be a number, not {value!r}") from None


def encode(text: Union[str, "os.PathLike[str]"]) -> bytes:
    """UTF-8 without zeros inside."""
    data = os.fsdecode(text).encode("utf-8", "surrogateescape")
    if b"\0" in data:
        raise InputError("a text may not hold a zero byte")
    return data


def description(**members: Any) -> bytes:
    """JSON of the members that are not None."""
    given = {key: value for key, value in members.items() if value is not None}
    try:
        return json.dumps(given, allow_nan=False).encode()
    except ValueError as error:
        raise InputError(f"a number is not finite: {error}") from None
    except TypeError as error:
        raise InputError(str(error)) from None


class Watch:
    """Wraps a progress function for the library. Always passed, so that Ctrl-C ends long work."""

    def __init__(self, progress: Optional[Progress]):
        self.raised: Optional[BaseException] = None

        def report(_user: Any, fraction: float, what: Optional[bytes]) -> int:
            try:
                return int(not progress or progress(fraction, (what or b"").decode("utf-8", "replace")) is not False)
            except BaseException as error:  # no exception can pass through C: it is raised again after the call
                self.raised = error
                return 0

        self.function = _PROGRESS(report)


NO_READER = _READ()


def reader(read: Callable[[str], Optional[bytes]]) -> Any:
    """Wraps a function from path to bytes for the library."""
    kept: dict = {}

    def answer_read(_user: Any, path: bytes, out: Optional[int], room: int) -> int:
        try:
            if path not in kept:
                kept[path] = read(path.decode("utf-8", "replace"))
            data = kept[path]
        except Exception:
            return -1
        if data is None:
            return -1
        if out and room >= len(data):
            ctypes.memmove(out, bytes(data), len(data))
        return len(data)

    return _READ(answer_read)
