"""An MLP whose two matrices are split over t GPUs: each stage of its forward pass on every GPU, in numbers.

Y = GeLU(X A) B. A is split by columns and B by rows, so that one all-reduce at the end is all that GPUs exchange.
Sources: Shoeybi et al. 2019, "Megatron-LM", section 3; Korthikanti et al. 2022, section 4.2.2 (sequence parallelism).
NumPy waits until a matrix is split.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from simlib.errors import BadArgument, whole_number
from simlib.tensor_parallel.gelu import gelu, gelu_slope

if TYPE_CHECKING:
    import numpy.typing as npt

    from simlib.collectives.layout import Array
    from simlib.collectives.trace import Trace


@dataclass(frozen=True, eq=False)
class SplitMlp:
    """Y = GeLU(X A) B over t GPUs: A split by columns, B by rows, and one all-reduce of what each GPU contributes."""

    inputs: Array  # X, on every GPU: (tokens, in)
    first: list[Array]  # A_k on GPU k: (in, columns of its part)
    second: list[Array]  # B_k: (columns of its part, outputs)
    products: list[Array]  # X A_k: (tokens, columns of its part)
    hidden: list[Array]  # GeLU(X A_k)
    contributions: list[Array]  # GeLU(X A_k) B_k: (tokens, outputs)
    all_reduce: Trace

    @property
    def output(self) -> Array:
        """What every GPU ends with: (tokens, outputs)."""
        return self.all_reduce.result[0]


@dataclass(frozen=True, eq=False)
class SequenceParallelMlp:
    """The same with the tokens divided over the GPUs before and behind: an all-gather and a reduce-scatter."""

    mlp: SplitMlp
    inputs: list[Array]  # GPU k's own tokens of X
    all_gather: Trace
    reduce_scatter: Trace
    outputs: list[Array]  # GPU k's own tokens of Y


@dataclass(frozen=True, eq=False)
class RowsFirst:
    """A split by rows and X by columns: GeLU of each GPU's partial sum, added up, is not GeLU of the sum."""

    inputs: list[Array]  # X_k: (tokens, its columns)
    first: list[Array]  # A_k: (its rows, hidden)
    partials: list[Array]  # X_k A_k, of which X A is the sum: (tokens, hidden)
    activated: list[Array]  # GeLU(X_k A_k)
    summed: Array  # their sum
    right: Array  # GeLU(X A)


@dataclass(frozen=True, eq=False)
class SplitMlpBackward:
    """The way back through `SplitMlp`: gradients of the loss on each GPU, and one all-reduce in front of the MLP."""

    d_output: Array  # of Y, the same on every GPU: (tokens, outputs)
    d_hidden: list[Array]  # of GeLU(X A_k): (tokens, columns of its part)
    d_products: list[Array]  # of X A_k
    d_first: list[Array]  # of A_k
    d_second: list[Array]  # of B_k
    contributions: list[Array]  # of X, through GPU k's columns alone: (tokens, in)
    all_reduce: Trace

    @property
    def d_inputs(self) -> Array:
        """The gradient of X that every GPU goes on with: (tokens, in)."""
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

    inputs, first = _fitting(x, a)
    second = _matrix("b", b)
    if second.shape[0] != first.shape[1]:
        raise BadArgument("the shape of b", second.shape, f"({first.shape[1]}, out), a row for each column of a")
    t = whole_number("gpus", gpus, 1, 1024)
    columns, rows = np.array_split(first, t, axis=1), np.array_split(second, t, axis=0)
    products = [inputs @ part for part in columns]
    hidden = [_activated(product) for product in products]
    contributions = [own @ part for own, part in zip(hidden, rows, strict=True)]
    return SplitMlp(inputs, columns, rows, products, hidden, contributions, ring_all_reduce(contributions))


def split_mlp_backward(split: SplitMlp, d_output: npt.ArrayLike) -> SplitMlpBackward:
    """Gradients of the parts and of the input, from the gradient of Y, which every GPU has.

    Nothing is sent behind the MLP; the partial gradients of X are added in front of it (Shoeybi et al. 2019, figure 4).
    Raises BadArgument unless `d_output` has the shape of Y.

    >>> split = split_mlp([[1, 2]], [[1, 0], [0, 1]], [[1, 0], [0, 1]], gpus=2)
    >>> split_mlp_backward(split, [[1, 1]]).d_inputs.round(3).tolist()
    [[1.083, 1.086]]
    """
    import numpy as np

    from simlib.collectives.ring import ring_all_reduce

    d_y = _matrix("d_output", d_output)
    if d_y.shape != split.output.shape:
        raise BadArgument("the shape of d_output", d_y.shape, f"{split.output.shape}, that of the output")
    slope = np.vectorize(gelu_slope, otypes=[np.float64])
    d_hidden = [d_y @ part.T for part in split.second]
    d_products = [own * slope(product) for own, product in zip(d_hidden, split.products, strict=True)]
    d_first = [split.inputs.T @ own for own in d_products]
    d_second = [own.T @ d_y for own in split.hidden]
    partials = [own @ part.T for own, part in zip(d_products, split.first, strict=True)]
    return SplitMlpBackward(d_y, d_hidden, d_products, d_first, d_second, partials, ring_all_reduce(partials))


def sequence_parallel_mlp(x: npt.ArrayLike, a: npt.ArrayLike, b: npt.ArrayLike, gpus: int) -> SequenceParallelMlp:
    """The MLP of `split_mlp` with sequence parallelism: each GPU begins and ends with its own tokens.

    Raises BadArgument unless `gpus` divides the tokens, and as `split_mlp` does.

    >>> split = sequence_parallel_mlp([[1, 2], [2, 1]], [[1, 0], [0, 1]], [[1, 0], [0, 1]], gpus=2)
    >>> split.all_gather.bytes_sent, split.reduce_scatter.bytes_sent, split.mlp.all_reduce.bytes_sent
    ([16, 16], [16, 16], [32, 32])
    """
    import numpy as np

    from simlib.collectives.ring import ring_all_gather, ring_reduce_scatter

    mlp = split_mlp(x, a, b, gpus)
    tokens = len(mlp.inputs)
    if not tokens or tokens % gpus:
        raise BadArgument("gpus", gpus, f"a divisor of the {tokens} tokens, which sequence parallelism divides")
    own = np.split(mlp.inputs, gpus)
    scatter = ring_reduce_scatter(mlp.contributions)
    outputs = [piece.reshape(tokens // gpus, -1) for piece in scatter.result]
    return SequenceParallelMlp(mlp, own, ring_all_gather(own), scatter, outputs)


def rows_first(x: npt.ArrayLike, a: npt.ArrayLike, gpus: int) -> RowsFirst:
    """GeLU(X A) with A split the wrong way, by rows, as GPUs would compute it that do not add up before the GeLU.

    >>> wrong = rows_first([[1, 1]], [[1], [1]], gpus=2)
    >>> wrong.summed.round(3).tolist(), wrong.right.round(3).tolist()
    ([[1.682]], [[1.955]])
    """
    import numpy as np

    inputs, first = _fitting(x, a)
    t = whole_number("gpus", gpus, 1, 1024)
    columns, rows = np.array_split(inputs, t, axis=1), np.array_split(first, t, axis=0)
    partials = [own @ part for own, part in zip(columns, rows, strict=True)]
    activated = [_activated(partial) for partial in partials]
    return RowsFirst(columns, rows, partials, activated, np.sum(activated, axis=0), _activated(inputs @ first))


def _fitting(x: npt.ArrayLike, a: npt.ArrayLike) -> tuple[Array, Array]:
    inputs, first = _matrix("x", x), _matrix("a", a)
    if first.shape[0] != inputs.shape[1]:
        raise BadArgument("the shape of a", first.shape, f"({inputs.shape[1]}, hidden), a row for each column of x")
    return inputs, first


def _matrix(name: str, matrix: npt.ArrayLike) -> Array:
    import numpy as np

    try:
        array = np.asarray(matrix, dtype=np.float64)
    except (TypeError, ValueError):
        raise BadArgument(name, matrix, "rows of numbers, all of one length") from None
    if array.ndim != 2:
        raise BadArgument(f"the shape of {name}", array.shape, "two dimensions")
    return array


def _activated(product: Array) -> Array:
    import numpy as np

    found: Array = np.vectorize(gelu, otypes=[np.float64])(product)
    return found
