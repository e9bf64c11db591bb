"""Arrays as bytes that any transport carries: a header of 64 bytes, then the numbers."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
import numpy.typing as npt

from tutor.checker.inside import frames

Array = npt.NDArray[Any]
Bytes = npt.NDArray[np.uint8]

HEADER = 64
MOST_DIMENSIONS = 7
_DTYPES = tuple(sorted(frames.DTYPES))
_FORM = struct.Struct("<BBBBi7Q")  # three codes and the number of dimensions, a rank, the shape


def describe(array: Array | None, code: int = 0, op: int = 0, root: int = -1) -> bytes:
    """The header of an array (None: of nothing), with what a collective's ranks must agree on."""
    if array is None:
        return _FORM.pack(code, op, 255, 0, root, *[0] * MOST_DIMENSIONS)
    if array.ndim > MOST_DIMENSIONS:
        raise ValueError(f"an array of {array.ndim} dimensions; at most {MOST_DIMENSIONS} are sent")
    if plain(array).dtype.str not in _DTYPES:
        raise ValueError(f"an array of {array.dtype}; what is sent has 1 to 8 bytes a number (16 if complex)")
    shape = [*array.shape, *[0] * (MOST_DIMENSIONS - array.ndim)]
    return _FORM.pack(code, op, _DTYPES.index(plain(array).dtype.str), array.ndim, root, *shape)


def described(header: bytes) -> tuple[int, int, int, np.dtype[Any] | None, tuple[int, ...]]:
    """(code, op, root, dtype, shape) of a header; dtype None for nothing."""
    code, op, dtype, dimensions, root, *shape = _FORM.unpack(header)
    if dtype == 255:
        return code, op, root, None, ()
    return code, op, root, np.dtype(_DTYPES[dtype]), tuple(shape[:dimensions])


def plain(array: Array) -> Array:
    """The array in one piece and in this subject's byte order, little-endian; a copy where it is not so already."""
    return np.ascontiguousarray(array, array.dtype.newbyteorder("<")).reshape(array.shape)


def body(array: Array) -> Bytes:
    """The numbers as bytes."""
    return plain(array).reshape(-1).view(np.uint8)


def pack(array: Array) -> Bytes:
    """Header and numbers in one piece.

    >>> unpack(pack(np.array([[1, 2]])))
    array([[1, 2]])
    """
    packed = np.empty(HEADER + array.nbytes, np.uint8)
    packed[:HEADER] = np.frombuffer(describe(array), np.uint8)
    packed[HEADER:] = body(array)
    return packed


def unpack(packed: Bytes) -> Array:
    """The array of a packed one; it shares its memory."""
    *_, dtype, shape = described(packed[:HEADER].tobytes())
    assert dtype is not None
    return packed[HEADER:].view(dtype).reshape(shape)
