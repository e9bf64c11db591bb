"""Arrays as bytes and back."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from tutor.running.packing import describe, described, pack, unpack

DTYPES = st.sampled_from(["?", "i1", "u1", "<i2", ">i4", "<u8", "<f2", "<f4", ">f8", "<c8", "<c16"])


@given(arrays.arrays(DTYPES, arrays.array_shapes(min_dims=0, max_dims=7, min_side=0, max_side=3)))
def test_an_array_comes_back(array: np.ndarray) -> None:  # type: ignore[type-arg]
    back = unpack(pack(array))
    assert back.shape == array.shape
    assert back.dtype == array.dtype.newbyteorder("<")
    np.testing.assert_array_equal(back, array)


def test_what_ranks_agree_on_comes_back() -> None:
    header = describe(np.zeros((3, 4), np.float32), code=5, op=2, root=1)
    assert described(header) == (5, 2, 1, np.dtype(np.float32), (3, 4))
    assert described(describe(None, code=1)) == (1, 0, -1, None, ())


@pytest.mark.parametrize("array", [np.zeros((1,) * 8), np.zeros(2, np.longdouble)])
def test_what_cannot_be_sent_is_said(array: np.ndarray) -> None:  # type: ignore[type-arg]
    with pytest.raises(ValueError, match=r"dimensions|bytes a number"):
        pack(array)
