"""How a collective starts: arguments checked, arrays cut into chunks, and who is due what at the end."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import numpy as np
import numpy.typing as npt

from simlib.collectives.layout import MOST_CHUNKS, MOST_WORKERS, Array, Layout, check_arrays, check_equal_arrays
from simlib.collectives.plan import Indices, Moves
from simlib.collectives.trace import Trace
from simlib.errors import BadArgument, one_of, whole_number

OPS = ("sum", "mean", "max")

# The steps of an algorithm among N workers
Steps = Callable[[int], Iterator[Moves]]


def all_reduce_trace(
    algorithm: str,
    arrays: Sequence[npt.ArrayLike],
    op: str,
    steps: Steps,
    layout: Callable[[int, int], Layout] = Layout.split,
) -> Trace:
    """The trace of an all-reduce: all start with a whole array, all are due the whole result.

    `layout(length, workers)` cuts the array; by default into one chunk per worker.
    """
    values, shape = _combinable(arrays, op)
    workers = len(values)
    chunks = layout(values.shape[1], workers)
    due = (_whole(chunks),) * workers
    everything = _everything(workers, chunks)
    return _trace("all-reduce", algorithm, op, chunks, chunks.pack(values), everything, due, shape, steps)


def reduce_trace(
    algorithm: str, arrays: Sequence[npt.ArrayLike], op: str, root: int, steps: Steps, chunks: int = 1
) -> Trace:
    """The trace of a reduce: all start with a whole array, the root is due the whole result."""
    values, shape = _combinable(arrays, op)
    workers = len(values)
    layout = Layout.split(values.shape[1], chunks)
    due = tuple(_whole(layout) if rank == root else (0, 0) for rank in range(workers))
    everything = _everything(workers, layout)
    return _trace("reduce", algorithm, op, layout, layout.pack(values), everything, due, shape, steps)


def broadcast_trace(
    algorithm: str, array: npt.ArrayLike, workers: int, root: int, steps: Steps, chunks: int = 1
) -> Trace:
    """The trace of a broadcast: the root starts with the array, all are due it."""
    [values] = check_arrays([array], "array")
    layout = Layout.split(values.size, chunks)
    start = np.zeros((workers, chunks, layout.width), dtype=values.dtype)
    start[root] = layout.pack(values.reshape(1, -1))[0]
    held = np.zeros((workers, chunks), dtype=np.intp)
    held[root] = 1
    due = (_whole(layout),) * workers
    return _trace("broadcast", algorithm, None, layout, start, held, due, values.shape, steps)


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


def gather_trace(algorithm: str, pieces: Sequence[npt.ArrayLike], root: int, steps: Steps) -> Trace:
    """The trace of a gather: rank r starts with piece r, the root is due all pieces."""
    layout, start, shape = joined_pieces(pieces)
    workers = len(start)
    due = tuple(_whole(layout) if rank == root else (0, 0) for rank in range(workers))
    return _trace("gather", algorithm, None, layout, start, np.eye(workers, dtype=np.intp), due, shape, steps)


def scatter_trace(algorithm: str, pieces: Sequence[npt.ArrayLike], root: int, steps: Steps) -> Trace:
    """The trace of a scatter: the root starts with all pieces, rank r is due piece r."""
    layout, gathered, shape = joined_pieces(pieces)
    workers = len(gathered)
    start = np.zeros_like(gathered)
    start[root] = np.einsum("rrw->rw", gathered)  # piece r is on the diagonal
    held = np.zeros((workers, workers), dtype=np.intp)
    held[root] = 1
    due = tuple((rank, rank + 1) for rank in range(workers))
    return _trace("scatter", algorithm, None, layout, start, held, due, shape, steps)


def all_to_all_trace(algorithm: str, arrays: Sequence[npt.ArrayLike], steps: Steps) -> Trace:
    """The trace of an all-to-all: worker i starts with one chunk for each worker and is due chunk i of each."""
    checked = check_equal_arrays(arrays)
    workers = len(checked)
    layout = Layout.split(checked[0].size, workers)
    start = layout.pack(np.stack([array.reshape(-1) for array in checked]))
    everything = _everything(workers, layout)
    due = (_whole(layout),) * workers
    return _trace("all-to-all", algorithm, None, layout, start, everything, due, checked[0].shape, steps)


def check_root(root: object, workers: int) -> int:
    """`root` as a rank among so many workers; raises BadArgument otherwise."""
    return whole_number("root", root, 0, workers - 1)


def check_chunks(chunks: object) -> int:
    """`chunks` as a number of chunks; raises BadArgument otherwise."""
    return whole_number("chunks", chunks, 1, MOST_CHUNKS)


def check_workers(workers: object) -> int:
    """`workers` as a world size; raises BadArgument otherwise."""
    return whole_number("workers", workers, 1, MOST_WORKERS)


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


def _whole(layout: Layout) -> tuple[int, int]:
    return 0, len(layout.lengths)


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
