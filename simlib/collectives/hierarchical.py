"""Two levels: rings inside each server, and between servers rings of the GPUs that hold the same slice.

Inside a server a reduce-scatter leaves each GPU with one slice of the server's sum; that slice is all-reduced with
the GPUs of the same place in the other servers; an all-gather inside puts the slices together. The slow links
between servers carry 1 / (GPUs per server) of the array per GPU, instead of all of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from simlib.collectives import ring
from simlib.collectives.layout import Layout, check_count
from simlib.collectives.plan import Moves
from simlib.collectives.start import all_reduce_trace
from simlib.collectives.trace import Trace
from simlib.errors import BadArgument, whole_number


def all_reduce_steps(world_size: int, gpus_per_node: int) -> Iterator[Moves]:
    """Ranks count through a server first. Slice g consists of one chunk per server: g x servers and the following."""
    nodes = world_size // gpus_per_node
    for step in ring.reduce_scatter_steps(gpus_per_node, first_chunk=-1):
        yield _inside_every_node(step, nodes, gpus_per_node)
    for step in ring.all_reduce_steps(nodes):
        yield _between_nodes(step, nodes, gpus_per_node)
    for step in ring.all_gather_steps(gpus_per_node):
        yield _inside_every_node(step, nodes, gpus_per_node)


def _inside_every_node(step: Moves, nodes: int, gpus_per_node: int) -> Moves:
    """A step among the GPUs of one server, with slices for chunks, done in every server."""
    node = np.arange(nodes)[:, None, None] * gpus_per_node
    chunk = np.arange(nodes)  # of a slice
    chunks = step.chunks[:, None] * nodes + chunk
    return _columns(
        step, f"{step.phase} inside", node + step.sources[:, None], node + step.destinations[:, None], chunks
    )


def _between_nodes(step: Moves, nodes: int, gpus_per_node: int) -> Moves:
    """A step among servers, done by the GPUs of every place with their own slice."""
    place = np.arange(gpus_per_node)[:, None]
    chunks = place * nodes + step.chunks
    return _columns(
        step,
        f"{step.phase} between",
        step.sources * gpus_per_node + place,
        step.destinations * gpus_per_node + place,
        chunks,
    )


def _columns(step: Moves, phase: str, *columns: npt.NDArray[np.intp]) -> Moves:
    sources, destinations, chunks = (column.reshape(-1) for column in np.broadcast_arrays(*columns))
    return Moves(phase, sources, destinations, chunks, np.full(len(sources), bool(step.adds[0])), chunks)


def hierarchical_all_reduce(arrays: Sequence[npt.ArrayLike], gpus_per_node: int, op: str = "sum") -> Trace:
    """Every worker ends with the sum (or "mean", or "max") of all arrays; servers have `gpus_per_node` workers each.

    Arguments and errors as in `ring_all_reduce`; raises BadArgument also where servers would not be full.

    >>> trace = hierarchical_all_reduce([[1, 2, 3, 4]] * 4, gpus_per_node=2)
    >>> [step.phase for step in trace.steps]
    ['reduce-scatter inside', 'reduce-scatter between', 'all-gather between', 'all-gather inside']
    """
    size = whole_number("gpus_per_node", gpus_per_node)
    workers = check_count(arrays)
    if workers % size:
        raise BadArgument("gpus_per_node", size, f"a divisor of the number of workers ({workers})")
    nodes = workers // size

    def layout(length: int, _: int) -> Layout:
        slices = Layout.split(length, size).lengths
        return Layout(tuple(chunk for part in slices for chunk in Layout.split(part, nodes).lengths))

    return all_reduce_trace("hierarchical", arrays, op, lambda n: all_reduce_steps(n, size), layout)
