"""In which format weights, gradients and optimizer states are kept.

Mixed precision keeps 16-bit weights and gradients for the passes, and the optimizer's own copy of the weights in
FP32: an update of a ten-thousandth of a weight would be lost in 16 bits (Micikevicius et al. 2018). With Adam's two
averages that is 2 + 2 + 12 bytes a parameter.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from simlib.errors import one_of

Array = npt.NDArray[Any]


@dataclass(frozen=True)
class Precision:
    """Formats by name. `compute` is what the passes add up in, as tensor cores add 16-bit products up in FP32."""

    name: str
    weight: str  # what weights are rounded to
    storage: str  # the NumPy dtype that holds them, and the gradients
    compute: str
    master: str  # the optimizer's copy of the weights, and its states
    weight_bytes: int
    master_bytes: int
    loss_scale: float = 1.0  # the loss is multiplied by it, so that small gradients are not rounded to 0

    @property
    def separate(self) -> bool:
        """Whether the working weights are a copy of their own; if not they are the optimizer's."""
        return self.weight != self.master

    @property
    def bytes_per_parameter(self) -> int:
        """Bytes of weights, gradients and Adam's states."""
        return 2 * self.weight_bytes + (2 + self.separate) * self.master_bytes

    def working(self, master: Array) -> Array:
        """The weights as the passes use them: the optimizer's, rounded."""
        if self.weight == "bfloat16":
            return round_to_bfloat16(master)
        return master.astype(self.storage, copy=False)

    def gradient(self, computed: Array) -> Array:
        """A gradient as it is kept and sent. Beyond the format's range it becomes infinite, as on a GPU."""
        if self.weight == "bfloat16":
            return round_to_bfloat16(computed)
        with np.errstate(over="ignore", under="ignore"):
            return computed.astype(self.storage, copy=False)


MIXED = Precision("mixed", "float16", "float16", "float32", "float32", 2, 4, loss_scale=1024.0)
# NumPy has no bfloat16: its values lie in a float32 array, rounded, and count 2 bytes each
BFLOAT16 = Precision("bfloat16", "bfloat16", "float32", "float32", "float32", 2, 4)
SINGLE = Precision("single", "float32", "float32", "float32", "float32", 4, 4)
DOUBLE = Precision("double", "float64", "float64", "float64", "float64", 8, 8)

_BY_NAME = {made.name: made for made in (MIXED, BFLOAT16, SINGLE, DOUBLE)}


def precision(name: str) -> Precision:
    """A precision by its name: mixed, bfloat16, single, double. Raises BadArgument for another.

    >>> precision("mixed").bytes_per_parameter
    16
    """
    return _BY_NAME[one_of("precision", name, tuple(_BY_NAME))]


def round_to_bfloat16(values: Array) -> Array:
    """float32 values rounded to the nearest that have 8 bits of mantissa (ties to even): FP32's range, coarser steps.

    >>> round_to_bfloat16(np.array([1.0, 1.003, 1.006, 1e30], dtype=np.float32)).tolist()[:3]
    [1.0, 1.0, 1.0078125]
    """
    bits = np.asarray(values, dtype=np.float32).view(np.uint32).astype(np.uint64)
    rounded = ((bits + 0x7FFF + ((bits >> 16) & 1)) & 0xFFFF0000).astype(np.uint32).view(np.float32)
    finite = np.isfinite(values)
    return rounded if finite.all() else np.where(finite, rounded, values).astype(np.float32)
