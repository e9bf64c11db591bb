"""Values as frames, the language between the tutor and the process that runs a learner's file.

A frame is two little-endian u32 (the lengths of header and body), a JSON header and a body of raw
array bytes. The header's `value` is a tree in which lists, strings, finite numbers, booleans and None
stand for themselves; everything else is an object with one key that says what it is. Nothing is
unpickled, and every length is checked before it is believed.
"""

from __future__ import annotations

import json
import math
import struct
from dataclasses import dataclass
from typing import Any

import numpy as np

LENGTHS = struct.Struct("<II")
DTYPES = frozenset(
    ("|b1", "|i1", "|u1", "<i2", "<i4", "<i8", "<u2", "<u4", "<u8", "<f2", "<f4", "<f8", "<c8", "<c16"),
)
MOST_HEADER = 4 << 20
MOST_DEPTH = 32
MOST_PARTS = 400_000
MOST_DIMENSIONS = 8
MOST_INTEGER_BITS = 1024

# held here, since a learner's file may replace what the modules hold
_to_json = json.JSONEncoder(allow_nan=False).encode
_ndarray, _generic, _array, _contiguous = np.ndarray, np.generic, np.array, np.ascontiguousarray


class FrameError(ValueError):
    """Bytes that are no frame, with what is wrong with them."""


class TooLarge(FrameError):
    """A value or a frame over a limit."""


@dataclass(frozen=True)
class Unknown:
    """Stands for a value that has no place in a frame. It equals nothing that an exercise expects."""

    what: str

    def __repr__(self) -> str:
        return self.what


def encode(value: object, most: int = (1 << 32) - 1) -> bytes:
    """The frame of `value`. What has no place in a frame becomes an `Unknown`.

    Arrays of subclasses go as plain arrays, big-endian ones as little-endian. Raises TooLarge over `most` bytes.

    >>> decode_frame(encode({"step": 1, "chunks": [np.arange(3), (1, None)]}))
    {'step': 1, 'chunks': [array([0, 1, 2]), (1, None)]}
    """
    arrays: list[np.ndarray[Any, Any]] = []
    tree = _Tree(arrays, most).of(value, 0)
    header = {"value": tree, "arrays": [[array.dtype.str, list(array.shape)] for array in arrays]}
    head = _to_json(header).encode("ascii")
    body_length = sum(array.nbytes for array in arrays)
    if len(head) > MOST_HEADER or len(head) + body_length > most:
        raise TooLarge(f"a value of {len(head) + body_length:,} bytes")
    return b"".join([LENGTHS.pack(len(head), body_length), head, *(array.tobytes() for array in arrays)])


class _Tree:
    """Turns a value into the header's tree and collects its arrays."""

    def __init__(self, arrays: list[np.ndarray[Any, Any]], most: int) -> None:
        self._arrays = arrays
        self._room = most
        self._parts = 0

    def of(self, value: Any, depth: int) -> Any:
        self._parts += 1
        if self._parts > MOST_PARTS:
            raise TooLarge(f"a value of more than {MOST_PARTS:,} parts")
        if value is None or value is True or value is False:
            return value
        if isinstance(value, (_ndarray, _generic)):
            return self._numbers(value)
        if isinstance(value, str):
            return str.__str__(value)
        if isinstance(value, int):
            return _integer(int.__index__(value))
        if isinstance(value, float):
            number = float.__float__(value)
            return number if math.isfinite(number) else {"float": repr(number)}
        if isinstance(value, complex):
            return {"complex": [repr(value.real), repr(value.imag)]}
        if isinstance(value, Unknown):
            return {"unknown": value.what}
        if depth >= MOST_DEPTH:
            return {"unknown": f"something nested more than {MOST_DEPTH} deep"}
        if isinstance(value, list):
            return [self.of(part, depth + 1) for part in list.__iter__(value)]
        if isinstance(value, tuple):
            return {"tuple": [self.of(part, depth + 1) for part in tuple.__iter__(value)]}
        if isinstance(value, dict):
            pairs = list(dict.items(value))
            return {"dict": [[self.of(key, depth + 1), self.of(part, depth + 1)] for key, part in pairs]}
        return {"unknown": article(value)}

    def _numbers(self, value: Any) -> Any:
        # a subclass may lie about its shape and dtype; the plain array below it cannot
        plain = _ndarray.view(value, _ndarray) if isinstance(value, _ndarray) else _array(value)
        dtype = plain.dtype.newbyteorder("<") if plain.dtype.kind in "iufc" else plain.dtype
        if dtype.str not in DTYPES or plain.ndim > MOST_DIMENSIONS:
            dimensions = f" with {plain.ndim} dimensions" if plain.ndim > MOST_DIMENSIONS else ""
            return {"unknown": f"a NumPy array of dtype {plain.dtype.name}{dimensions}"}
        self._room -= plain.size * dtype.itemsize
        if self._room < 0:
            raise TooLarge("arrays of more bytes than are read")
        self._arrays.append(_contiguous(plain, dtype=dtype).reshape(plain.shape))
        return {"array" if isinstance(value, _ndarray) else "scalar": len(self._arrays) - 1}


def _integer(value: int) -> Any:
    if -(1 << 63) <= value < 1 << 63:
        return value
    if value.bit_length() > MOST_INTEGER_BITS:
        return {"unknown": f"an integer of {value.bit_length():,} bits"}
    return {"int": hex(value)}


def article(value: object) -> str:
    """What a value is called when nothing else is known of it: "a generator"."""
    name = type(value).__name__
    return f"{'an' if name[:1].lower() in 'aeiou' else 'a'} {name[:200]}"


def lengths(start: bytes, most: int) -> tuple[int, int]:
    """Header and body length of the frame that begins with these eight bytes; raises TooLarge over `most` bytes."""
    header, body = LENGTHS.unpack(start)
    if header > MOST_HEADER or header + body > most:
        raise TooLarge(f"a frame of {header + body:,} bytes")
    return header, body


def decode_frame(frame: bytes) -> Any:
    """The value of one whole frame."""
    header, body = LENGTHS.unpack(frame[: LENGTHS.size])
    if len(frame) != LENGTHS.size + header + body:
        raise FrameError("the frame's length is not what it says")
    start = LENGTHS.size + header
    return decode(frame[LENGTHS.size : start], frame[start:])


def decode(header: bytes, body: bytes) -> Any:
    """The value of a frame's header and body; raises FrameError for anything that `encode` would not write."""
    try:
        head = json.loads(header.decode("ascii"), parse_constant=_refuse)
        if set(head) != {"value", "arrays"}:
            raise FrameError("the header is not one of ours")
        return _value(head["value"], _arrays(head["arrays"], body), 0)
    except FrameError:
        raise
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError, OverflowError) as error:
        raise FrameError(f"the header cannot be read ({type(error).__name__})") from None


def _refuse(constant: str) -> None:
    raise FrameError(f"{constant} is no number of a frame")


def _arrays(described: Any, body: bytes) -> list[np.ndarray[Any, Any]]:
    arrays = []
    position = 0
    for dtype, shape in described:
        if dtype not in DTYPES or type(shape) is not list or len(shape) > MOST_DIMENSIONS:
            raise FrameError("an array's dtype or shape is not one of ours")
        if any(type(length) is not int or length < 0 for length in shape):
            raise FrameError("an array's shape is not made of lengths")
        count = math.prod(shape)
        stop = position + count * np.dtype(dtype).itemsize
        if stop > len(body):
            raise FrameError("the body is shorter than its arrays")
        arrays.append(
            np.frombuffer(body, dtype, count, position).reshape(shape).copy() if count else _empty(dtype, shape)
        )
        position = stop
    if position != len(body):
        raise FrameError("the body is longer than its arrays")
    return arrays


def _empty(dtype: str, shape: list[int]) -> np.ndarray[Any, Any]:
    if any(length >= 1 << 31 for length in shape):
        raise FrameError("an array's shape is not made of lengths")
    return np.zeros(shape, dtype)


def _value(tree: Any, arrays: list[np.ndarray[Any, Any]], depth: int) -> Any:
    if depth > MOST_DEPTH + 1:
        raise FrameError("the value is nested too deep")
    if tree is None or isinstance(tree, (bool, int, float, str)):
        return tree
    if isinstance(tree, list):
        return [_value(part, arrays, depth + 1) for part in tree]
    ((kind, content),) = tree.items()
    if kind in ("array", "scalar"):
        if type(content) is not int or not 0 <= content < len(arrays):
            raise FrameError("an array that is not there")
        return arrays[content] if kind == "array" else arrays[content].reshape(())[()]
    if kind == "tuple":
        return tuple(_value(part, arrays, depth + 1) for part in content)
    if kind == "dict":
        return {_value(key, arrays, depth + 1): _value(part, arrays, depth + 1) for key, part in content}
    if kind == "int" and isinstance(content, str) and len(content) <= MOST_INTEGER_BITS // 4 + 3:
        return int(content, 16)
    if kind == "float" and content in ("nan", "inf", "-inf"):
        return float(content)
    if kind == "complex":
        real, imaginary = content
        return complex(float(real), float(imaginary))
    if kind == "unknown" and isinstance(content, str):
        return Unknown(content)
    raise FrameError("a value of no known kind")
