"""Named arrays that lie one after another in a flat one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise
from math import prod
from typing import Any

import numpy as np
import numpy.typing as npt

from simlib.errors import BadArgument

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Layout:
    """Which parameter lies where: names with their shapes, in order.

    >>> layout = Layout((("weight", (2, 3)), ("bias", (3,))))
    >>> layout.size, layout.views(np.arange(9.0))["bias"].tolist()
    (9, [6.0, 7.0, 8.0])
    """

    slots: tuple[tuple[str, tuple[int, ...]], ...]

    @cached_property
    def bounds(self) -> dict[str, tuple[int, int]]:
        """(start, stop) of each parameter in the flat array."""
        edges = pairwise(accumulate((prod(shape) for _, shape in self.slots), initial=0))
        return {name: edge for (name, _), edge in zip(self.slots, edges, strict=True)}

    @cached_property
    def size(self) -> int:
        """Elements of the flat array."""
        return sum(prod(shape) for _, shape in self.slots)

    @cached_property
    def _cuts(self) -> tuple[tuple[str, slice, tuple[int, ...]], ...]:
        return tuple((name, slice(*self.bounds[name]), shape) for name, shape in self.slots)

    def views(self, flat: Array) -> dict[str, Array]:
        """Each parameter in its shape, as a view into `flat`: what is written there is written in both."""
        if flat.shape != (self.size,):
            raise BadArgument("the shape of the parameters", flat.shape, f"({self.size:,},): one flat array")
        return {name: flat[cut].reshape(shape) for name, cut, shape in self._cuts}

    def pack(self, arrays: Mapping[str, Array]) -> Array:
        """The flat array of `arrays`, given by name."""
        for name, shape in self.slots:
            if name not in arrays or arrays[name].shape != shape:
                found = arrays[name].shape if name in arrays else "missing"
                raise BadArgument(f"the shape of {name}", found, str(shape))
        return np.concatenate([arrays[name].reshape(-1) for name, _ in self.slots])
