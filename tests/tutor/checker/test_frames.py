from __future__ import annotations

import contextlib
import json
import math
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from tutor.checker.inside import frames
from tutor.checker.inside.frames import FrameError, TooLarge, Unknown, decode_frame, encode

dtypes = st.one_of(
    hnp.boolean_dtypes(),
    hnp.integer_dtypes(endianness="<"),
    hnp.unsigned_integer_dtypes(endianness="<"),
    hnp.floating_dtypes(endianness="<", sizes=(16, 32, 64)),
    hnp.complex_number_dtypes(endianness="<", sizes=(64, 128)),
)
arrays = hnp.arrays(dtypes, hnp.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4))
plain = st.one_of(
    st.none(), st.booleans(), st.integers(-(2**900), 2**900), st.floats(), st.text(), st.complex_numbers()
)
values = st.recursive(
    plain | arrays,
    lambda inner: (
        st.lists(inner, max_size=4) | st.tuples(inner, inner) | st.dictionaries(st.text() | st.integers(), inner)
    ),
    max_leaves=12,
)


def same(one: object, other: object) -> bool:
    if type(one) is not type(other):
        return False
    if isinstance(one, np.ndarray):
        return one.dtype == other.dtype and one.shape == other.shape and one.tobytes() == other.tobytes()
    if isinstance(one, (list, tuple)):
        return len(one) == len(other) and all(map(same, one, other))
    if isinstance(one, dict):
        return list(one) == list(other) and all(same(one[key], other[key]) for key in one)
    if isinstance(one, float) and math.isnan(one):
        return math.isnan(other)
    if isinstance(one, complex):
        return repr(one) == repr(other)
    return one == other


@given(values)
def test_a_value_comes_back_as_it_went(value: object) -> None:
    assert same(decode_frame(encode(value)), value)


@given(dtypes)
def test_numpy_scalars_stay_scalars(dtype: np.dtype) -> None:
    back = decode_frame(encode(np.ones((), dtype)[()]))
    assert isinstance(back, np.generic)
    assert back.dtype == dtype


@given(st.binary(max_size=300))
def test_any_bytes_are_a_value_or_an_error_of_ours(data: bytes) -> None:
    frame = struct.pack("<II", min(len(data), 200), max(0, len(data) - 200)) + data
    with contextlib.suppress(FrameError):
        decode_frame(frame)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["array", "scalar", "tuple", "dict", "int", "float", "complex", "unknown", "x"]),
            inner,
            max_size=2,
        )
    ),
    max_leaves=10,
)


@given(json_values, json_values, st.binary(max_size=40))
def test_a_forged_header_is_a_value_or_an_error_of_ours(tree: object, described: object, body: bytes) -> None:
    header = json.dumps({"value": tree, "arrays": described}).encode("ascii")
    with contextlib.suppress(FrameError):
        frames.decode(header, body)


@pytest.mark.parametrize(
    ("header", "body"),
    [
        ('{"value": NaN, "arrays": []}', b""),
        ('{"value": {"array": 0}, "arrays": [["|O", [1]]]}', b"12345678"),
        ('{"value": {"array": 0}, "arrays": [["<f16", [1]]]}', b"1234567812345678"),
        ('{"value": {"array": 0}, "arrays": [["<i8", [-1]]]}', b"12345678"),
        ('{"value": {"array": 0}, "arrays": [["<i8", [2]]]}', b"12345678"),
        ('{"value": {"array": 0}, "arrays": [["<i8", [4294967296, 4294967296]]]}', b"12345678"),
        ('{"value": {"array": 0}, "arrays": [["<i8", [1, 1, 1, 1, 1, 1, 1, 1, 1]]]}', b"12345678"),
        ('{"value": {"array": 0}, "arrays": [["<i8", [true]]]}', b"12345678"),
        ('{"value": {"array": true}, "arrays": [["<i8", [1]]]}', b"12345678"),
        ('{"value": {"array": 1}, "arrays": [["<i8", [1]]]}', b"12345678"),
        ('{"value": {"scalar": 0}, "arrays": [["<i8", [2]]]}', b"1234567812345678"),
        ('{"value": 1, "arrays": []}', b"left over"),
        ('{"value": ' + "[" * 100_000 + "]" * 100_000 + ', "arrays": []}', b""),
        ('{"value": ' + "[" * 40 + "]" * 40 + ', "arrays": []}', b""),
        ('{"value": {"dict": [[[1], 2]]}, "arrays": []}', b""),
        ('{"value": {"int": "0x' + "f" * 300 + '"}, "arrays": []}', b""),
        ('{"value": ' + "9" * 5000 + ', "arrays": []}', b""),
        ("[]", b""),
        ("\xff", b""),
    ],
)
def test_what_encode_would_not_write_is_refused(header: str, body: bytes) -> None:
    with pytest.raises(FrameError):
        frames.decode(header.encode("latin-1"), body)


@pytest.mark.parametrize(
    ("value", "what"),
    [
        pytest.param(10**5000, "an integer of 16,610 bits", id="huge"),
        ({1}, "a set"),
        ((i for i in ()), "a generator"),
        (np.array([None]), "a NumPy array of dtype object"),
        (np.zeros(2, np.longdouble), f"a NumPy array of dtype {np.dtype(np.longdouble).name}"),
        (np.zeros(1, [("x", "i4")]), "a NumPy array of dtype void32"),
        (np.array(["a"]), "a NumPy array of dtype str32"),
        (np.zeros([1] * 9), "a NumPy array of dtype float64 with 9 dimensions"),
        (b"bytes", "a bytes"),
    ],
)
def test_what_has_no_place_in_a_frame_is_named(value: object, what: str) -> None:
    assert decode_frame(encode(value)) == Unknown(what)


def test_a_list_that_holds_itself_ends() -> None:
    knot: list[object] = []
    knot.append(knot)
    back = decode_frame(encode(knot))
    for _ in range(frames.MOST_DEPTH - 1):
        (back,) = back
    assert back == [Unknown("something nested more than 32 deep")]
    knot.append(knot)
    with pytest.raises(TooLarge):
        encode(knot)


def test_a_subclass_cannot_lie_about_its_shape() -> None:
    class Lying(np.ndarray):
        shape = (7,)
        nbytes = 0

        def tobytes(self) -> bytes:
            return b"lies"

        def __len__(self) -> int:
            return 7

    back = decode_frame(encode(np.arange(3).view(Lying)))
    assert type(back) is np.ndarray
    assert back.tolist() == [0, 1, 2]


def test_big_endian_and_strided_arrays_go_as_plain_ones() -> None:
    array = np.arange(12, dtype=">i4").reshape(3, 4)[::-1, ::2]
    back = decode_frame(encode(array))
    assert back.dtype.str == "<i4"
    assert back.tolist() == array.tolist()


def test_sizes_are_bounded_before_they_are_copied() -> None:
    with pytest.raises(TooLarge):
        encode([np.zeros(1000)] * 3, most=10_000)
    with pytest.raises(TooLarge):
        encode([0] * (frames.MOST_PARTS + 1))
    with pytest.raises(TooLarge):
        frames.lengths(struct.pack("<II", 10, 0xFFFFFFFF), most=1 << 25)
    with pytest.raises(TooLarge):
        frames.lengths(struct.pack("<II", 0xFFFFFFFF, 0), most=1 << 25)
