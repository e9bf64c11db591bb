"""How arrays are cut into chunks, and how chunks of unequal length lie in one rectangular array."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from simlib.errors import BadArgument

Array = npt.NDArray[Any]

MOST_WORKERS = 1024
MOST_CHUNKS = 4096


@dataclass(frozen=True)
class Layout:
    """A flat array cut into consecutive chunks.

    >>> Layout.split(10, 4).bounds
    ((0, 3), (3, 6), (6, 8), (8, 10))
    """

    lengths: tuple[int, ...]  # elements in each chunk

    @classmethod
    def split(cls, length: int, chunks: int) -> Layout:
        """`length` elements in `chunks` chunks as `numpy.array_split` cuts them: the first ones are one longer."""
        short, longer = divmod(length, chunks)
        return cls((short + 1,) * longer + (short,) * (chunks - longer))

    @cached_property
    def bounds(self) -> tuple[tuple[int, int], ...]:
        """(start, stop) of each chunk, in elements of the flat array."""
        return tuple(pairwise(accumulate(self.lengths, initial=0)))

    @property
    def width(self) -> int:
        """Elements in the longest chunk: what each chunk is padded to."""
        return max(self.lengths)

    @property
    def even(self) -> bool:
        return min(self.lengths) == self.width

    @cached_property
    def _filled(self) -> npt.NDArray[np.intp]:
        """Where the elements are among the padded ones of one worker."""
        return np.flatnonzero(np.arange(self.width) < np.array(self.lengths)[:, None])

    def pack(self, flat: Array) -> Array:
        """(workers, length) -> (workers, chunks, width), padded with zeros; a view where nothing is padded."""
        workers, chunks = len(flat), len(self.lengths)
        if self.even:
            return flat.reshape(workers, chunks, self.width)
        padded = np.zeros((workers, chunks * self.width), dtype=flat.dtype)
        padded[:, self._filled] = flat
        return padded.reshape(workers, chunks, self.width)

    def unpack(self, values: Array) -> Array:
        """(workers, chunks, width) -> (workers, length); a view where nothing is padded."""
        flat = values.reshape(len(values), len(self.lengths) * self.width)
        return flat if self.even else flat[:, self._filled]


def check_count(arrays: Sequence[npt.ArrayLike], name: str = "arrays") -> int:
    """How many arrays, one per worker, there are. Raises BadArgument for none, or for more than 1024."""
    accepted = f"a list of 1 to {MOST_WORKERS:,} arrays, one per worker"
    if not isinstance(arrays, (list, tuple, np.ndarray)) or (isinstance(arrays, np.ndarray) and arrays.ndim == 0):
        raise BadArgument(name, arrays, accepted)
    if not 1 <= len(arrays) <= MOST_WORKERS:
        raise BadArgument(f"the number of {name}", len(arrays), accepted)
    return len(arrays)


def check_arrays(arrays: Sequence[npt.ArrayLike], name: str = "arrays") -> list[Array]:
    """`arrays`, one per worker, as NumPy arrays of one dtype.

    Lists of Python numbers take the dtype they have in common. Raises BadArgument for no array or more
    than 1024, for arrays of unequal dtype and for what is not numbers.
    """
    check_count(arrays, name)
    checked = []
    for rank, given in enumerate(arrays):
        try:
            array = np.asarray(given)
        except ValueError as ragged:
            raise BadArgument(f"{name}[{rank}]", given, "an array of numbers whose rows are equally long") from ragged
        if array.dtype.kind not in "iufc":
            # NumPy makes an empty list floats; anything else that is no number cannot be added up
            raise BadArgument(f"{name}[{rank}]", given, "an array of numbers: integers, floats or complex")
        checked.append(array)
    if not any(isinstance(given, np.ndarray) for given in arrays):
        common = np.result_type(*checked)
        return [array.astype(common, copy=False) for array in checked]
    for rank, array in enumerate(checked):
        if array.dtype != checked[0].dtype:
            raise BadArgument(f"the dtype of {name}[{rank}]", str(array.dtype), f"{checked[0].dtype}, as {name}[0]")
    return checked


def check_equal_arrays(arrays: Sequence[npt.ArrayLike], name: str = "arrays") -> list[Array]:
    """`check_arrays` for arrays that must also be of one shape."""
    checked = check_arrays(arrays, name)
    for rank, array in enumerate(checked):
        if array.shape != checked[0].shape:
            raise BadArgument(f"the shape of {name}[{rank}]", array.shape, f"{checked[0].shape}, as {name}[0]")
    return checked
