"""Arrays of the library as numpy arrays, or as memoryviews where numpy is not installed. Neither copies."""
from __future__ import annotations

import array
import ctypes
from typing import Any, Optional, Sequence, Tuple

from ._flat import Handle, InputError, encode, fail, lib

try:
    import numpy
except ImportError:
    numpy = None  # type: ignore[assignment]

_TYPES = {"f": ctypes.c_float, "d": ctypes.c_double, "I": ctypes.c_uint32, "B": ctypes.c_uint8}


def view(handle: Handle, name: str, kind: str, width: int = 0, frames: Optional[int] = None) -> Any:
    """An array of a handle, in place and read-only: rows of `width`, optionally divided into `frames`. None: the array is absent."""
    count = ctypes.c_uint64()
    number = handle.__index__()
    address = lib.flat_array(number, encode(name), ctypes.byref(count))
    if not address:
        if count.value == 0 and lib.flat_status_of(number) == 6:
            raise fail(number)
        return None
    memory = (_TYPES[kind] * count.value).from_address(address)
    memory._owner = handle  # a view of the memory keeps it alive
    shape: Tuple[int, ...] = (count.value,)
    if width:
        shape = (count.value // width, width)
    if frames is not None:
        shape = (frames, count.value // max(frames * width, 1), width)
    if numpy is not None:
        found = numpy.frombuffer(memoryview(memory).toreadonly(), dtype=numpy.dtype(_TYPES[kind]), count=count.value)
        return found.reshape(shape)
    flat = memoryview(memory).toreadonly().cast("B")
    return flat.cast(kind, shape) if count.value else flat.cast(kind)


def room(count: int, width: int = 0) -> Tuple[Any, Any]:
    """A buffer of floats to fill: as ctypes passes it, and as the array that users see."""
    memory = (ctypes.c_float * (count * max(width, 1)))()
    if numpy is not None:
        return memory, numpy.frombuffer(memory, dtype=numpy.float32).reshape((count, width) if width else (count,))
    flat = memoryview(memory).cast("B")
    return memory, flat.cast("f", (count, width) if width and count else (len(memory),))


def _flatten(values: Any, out: list) -> None:
    for value in values:
        if isinstance(value, (int, float)):
            out.append(value)
        else:
            _flatten(value, out)


class Given:
    """Converts the caller's numbers for the library; uses them in place if they are contiguous and of the right type."""

    __slots__ = ("address", "count", "_kept")

    def __init__(self, values: Any, kind: str, what: str):
        self._kept: Any = None
        if values is None:
            self.address, self.count = None, 0
            return
        try:
            if numpy is not None:
                kept = numpy.ascontiguousarray(values, dtype=numpy.dtype(_TYPES[kind]))
                if kind == "I" and kept.size and numpy.asarray(values).min() < 0:
                    raise ValueError("an index is negative")
                self.address, self.count = kept.ctypes.data, kept.size
            else:
                kept = self._plain(values, kind)
                self.address, self.count = kept.buffer_info()[0], len(kept)
        except (TypeError, ValueError, OverflowError) as error:
            raise InputError(f"{what}: {error}") from None
        self._kept = kept
        if not self.count:  # an empty array still has an address
            self._kept = ctypes.c_uint64()
            self.address = ctypes.addressof(self._kept)

    @staticmethod
    def _plain(values: Any, kind: str) -> "array.array[Any]":
        code = "f" if kind == "f" else "I"
        if isinstance(values, array.array) and values.typecode == code:
            return values
        if isinstance(values, memoryview):
            values = values.tolist()
        numbers: list = []
        _flatten(values, numbers)
        return array.array(code, numbers)


def shape_of(values: Any) -> Sequence[int]:
    """The shape of an array, or of nested lists."""
    if hasattr(values, "shape"):
        return tuple(values.shape)
    shape = []
    while not isinstance(values, (int, float)):
        shape.append(len(values))
        if not shape[-1]:
            break
        values = values[0]
    return tuple(shape)
