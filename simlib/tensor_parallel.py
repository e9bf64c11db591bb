"""Tensor parallelism: an MLP whose matrices are split over t GPUs, and what splitting costs in messages and bytes.

Source: Shoeybi et al. 2019, "Megatron-LM", section 3; Korthikanti et al. 2022, section 4.2.2 (sequence parallelism);
Narayanan et al. 2021, section 4.1 (messages between pipeline stages). NumPy waits until a matrix is split.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import pi, sqrt, tanh
from typing import TYPE_CHECKING

from simlib.errors import BadArgument, positive_number, whole_number

if TYPE_CHECKING:
    import numpy.typing as npt

    from simlib.collectives.layout import Array
    from simlib.collectives.trace import Trace


def gelu(x: float) -> float:
    """GeLU of one number, by the tanh approximation: x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))).

    Source: Hendrycks and Gimpel 2016, "Gaussian Error Linear Units".

    >>> round(gelu(2), 3), round(gelu(1) + gelu(1), 3)
    (1.955, 1.682)
    """
    return x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x**3)))


@dataclass(frozen=True, eq=False)
class SplitMlp:
    """Y = GeLU(X A) B over t GPUs: A split by columns, B by rows, and one all-reduce of what each GPU contributes."""

    hidden: list[Array]  # GeLU(X A_k) on GPU k: (tokens, columns of its part)
    contributions: list[Array]  # GeLU(X A_k) B_k on GPU k: (tokens, outputs)
    all_reduce: Trace

    @property
    def output(self) -> Array:
        """What every GPU ends with: (tokens, outputs)."""
        return self.all_reduce.result[0]


def split_mlp(x: npt.ArrayLike, a: npt.ArrayLike, b: npt.ArrayLike, gpus: int) -> SplitMlp:
    """An MLP of inputs (tokens, in), first matrix (in, hidden) and second (hidden, out) over `gpus` GPUs.

    Columns of A and rows of B are cut as by `numpy.array_split`. Raises BadArgument for shapes that do not fit.

    >>> split = split_mlp([[1, 2]], [[1, 0, 1, 0], [0, 1, 0, 0]], [[1, 0], [0, 1], [1, 1], [0, 0]], gpus=2)
    >>> [part.round(3).tolist() for part in split.contributions], split.output.round(3).tolist()
    ([[[0.841, 1.955]], [[0.841, 0.841]]], [[1.682, 2.796]])
    """
    import numpy as np

    from simlib.collectives.ring import ring_all_reduce

    inputs, first, second = (np.asarray(matrix, dtype=np.float64) for matrix in (x, a, b))
    for name, matrix in (("x", inputs), ("a", first), ("b", second)):
        if matrix.ndim != 2:
            raise BadArgument(f"the shape of {name}", matrix.shape, "two dimensions")
    if first.shape[0] != inputs.shape[1]:
        raise BadArgument("the shape of a", first.shape, f"({inputs.shape[1]}, hidden), a row for each column of x")
    if second.shape[0] != first.shape[1]:
        raise BadArgument("the shape of b", second.shape, f"({first.shape[1]}, out), a row for each column of a")
    t = whole_number("gpus", gpus, 1, 1024)
    activation = np.vectorize(gelu, otypes=[np.float64])
    hidden = [activation(inputs @ part) for part in np.array_split(first, t, axis=1)]
    parts = np.array_split(second, t, axis=0)
    contributions = [own @ part for own, part in zip(hidden, parts, strict=True)]
    return SplitMlp(hidden, contributions, ring_all_reduce(contributions))


def collectives_per_layer(sequence_parallel: bool = False, recompute: bool = False) -> int:
    """Collectives of one transformer layer in one step, forward and backward.

    Two all-reduces forward (attention, MLP), two backward; with full recomputation the forward ones again. With
    sequence parallelism each is a reduce-scatter and an all-gather, of the same bytes together.

    >>> collectives_per_layer(), collectives_per_layer(sequence_parallel=True), collectives_per_layer(recompute=True)
    (4, 8, 6)
    """
    return (6 if recompute else 4) * (2 if sequence_parallel else 1)


def elements_sent_per_all_reduce(sequence: int, micro_batch: int, hidden: int, tensor: int) -> float:
    """Elements that each GPU sends in one all-reduce of a layer's output: 2 (t - 1) / t x b s h.

    >>> elements_sent_per_all_reduce(2048, 1, 4096, 2)
    8388608.0
    """
    t = whole_number("tensor", tensor)
    return 2 * (t - 1) / t * _activation(sequence, micro_batch, hidden)


def elements_between_stages(
    sequence: int, micro_batch: int, hidden: int, tensor: int = 1, scatter_gather: bool = False
) -> float:
    """Elements that each GPU of a pipeline stage sends to the next: b s h, or b s h / t.

    All t GPUs of a stage hold the same output. With `scatter_gather` each sends its own slice over the network, and
    the receiving server puts them together over its fast links.
    """
    whole = _activation(sequence, micro_batch, hidden)
    return whole / whole_number("tensor", tensor) if scatter_gather else whole


def weights_gathered_or_sums_reduced(flops_per_byte: float) -> float:
    """Inner dimension D from which two all-reduces of partial products beat an all-gather of the weights.

    `flops_per_byte` is the chip's FLOP/s over its link's bytes per second: the product must have D above twice that.

    >>> weights_gathered_or_sums_reduced(2550)
    5100.0
    """
    return 2 * positive_number("flops_per_byte", flops_per_byte)


def _activation(sequence: int, micro_batch: int, hidden: int) -> int:
    return (
        whole_number("sequence", sequence) * whole_number("micro_batch", micro_batch) * whole_number("hidden", hidden)
    )
