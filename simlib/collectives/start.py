"""How a collective starts: arguments checked, arrays cut into chunks, and who is due what at the end."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from simlib.collectives.layout import Array, Layout, check_arrays, check_equal_arrays
from simlib.collectives.plan import Indices, Moves
from simlib.collectives.trace import Trace
from simlib.errors import BadArgument, one_of

OPS = ("sum", "mean", "max")

# The steps of an algorithm among N workers
Steps = Callable[[int], Iterator[Moves]]


def all_reduce_trace(
    algorithm: str, arrays: Sequence[npt.ArrayLike], op: str, steps: Steps, chunks: int | None = None
) -> Trace:
    """The trace of an all-reduce: all start with a whole array, all are due the whole result.

    Arrays are cut into `chunks` chunks, or into one per worker.
    """
    values, shape = _combinable(arrays, op)
    workers = len(values)
    layout = Layout.split(values.shape[1], workers if chunks is None else chunks)
    due = ((0, len(layout.lengths)),) * workers
    return _trace(
        "all-reduce", algorithm, op, layout, layout.pack(values), _everything(workers, layout), due, shape, steps
    )


def reduce_scatter_trace(
    algorithm: str, arrays: Sequence[npt.ArrayLike], op: str, steps: Steps, owned: Callable[[int, int], int]
) -> Trace:
    """The trace of a reduce-scatter: all start with a whole array, rank r of N is due chunk `owned(r, N)`."""
    values, shape = _combinable(arrays, op)
    workers = len(values)
    layout = Layout.split(values.shape[1], workers)
    due = tuple((owned(rank, workers), owned(rank, workers) + 1) for rank in range(workers))
    return _trace(
        "reduce-scatter", algorithm, op, layout, layout.pack(values), _everything(workers, layout), due, shape, steps
    )


def all_gather_trace(algorithm: str, pieces: Sequence[npt.ArrayLike], steps: Steps) -> Trace:
    """The trace of an all-gather: rank r starts with piece r, all are due all pieces."""
    layout, start, shape = joined_pieces(pieces)
    workers = len(start)
    held = np.eye(workers, dtype=np.intp)
    return _trace("all-gather", algorithm, None, layout, start, held, ((0, workers),) * workers, shape, steps)


def joined_pieces(pieces: Sequence[npt.ArrayLike]) -> tuple[Layout, Array, tuple[int, ...]]:
    """One chunk per piece; the start, where rank r holds piece r and zeros; and the shape of all pieces joined."""
    checked = [np.atleast_1d(piece) for piece in check_arrays(pieces, "pieces")]
    for rank, piece in enumerate(checked):
        if piece.shape[1:] != checked[0].shape[1:]:
            raise BadArgument(
                f"the shape of pieces[{rank}]",
                piece.shape,
                f"as pieces[0] after the first axis, which is {checked[0].shape[1:]}",
            )
    layout = Layout(tuple(piece.size for piece in checked))
    workers = len(checked)
    start = np.zeros((workers, workers, layout.width), dtype=checked[0].dtype)
    for rank, piece in enumerate(checked):
        start[rank, rank, : piece.size] = piece.reshape(-1)
    return layout, start, (sum(len(piece) for piece in checked), *checked[0].shape[1:])


def _combinable(arrays: Sequence[npt.ArrayLike], op: str) -> tuple[Array, tuple[int, ...]]:
    """(workers, length), one row a worker, in a dtype that `op` can be computed in; and the arrays' shape."""
    one_of("op", op, OPS)
    checked = check_equal_arrays(arrays)
    kind = checked[0].dtype.kind
    if op == "max" and kind == "c":
        raise BadArgument("op", op, "sum or mean: complex numbers have no larger one")
    dtype = np.dtype(np.float64) if op == "mean" and kind in "iu" else checked[0].dtype
    values = np.empty((len(checked), checked[0].size), dtype=dtype)
    for row, array in zip(values, checked, strict=True):
        row[...] = array.reshape(-1)
    return values, checked[0].shape


def _everything(workers: int, layout: Layout) -> Indices:
    return np.ones((workers, len(layout.lengths)), dtype=np.intp)


def _trace(
    collective: str,
    algorithm: str,
    op: str | None,
    layout: Layout,
    start: Array,
    contributions: Indices,
    due: tuple[tuple[int, int], ...],
    shape: tuple[int, ...],
    steps: Steps,
) -> Trace:
    workers = len(start)
    return Trace(collective, algorithm, op, layout, start, contributions, due, shape, lambda: steps(workers))
