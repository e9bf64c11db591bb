"""Topics of the collectives: their algorithms and knobs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from simlib.errors import BadArgument
from tutor.views import limits
from tutor.views.scene import Parameter, Scene, Topic

if TYPE_CHECKING:
    from simlib.collectives import Trace

_WORKERS = 3
_LADDER = tuple(range(2, 17))
_ALL_REDUCES = ("ring", "naive", "direct", "tree", "double-tree", "halving-doubling", "hierarchical")
_PIECES = ("ring", "direct")
_BROADCASTS = ("tree", "chain", "naive")
_OWNERSHIPS = ("api", "ring")
_OPS = ("sum", "mean", "max")
_DTYPES = ("auto", "int32", "int64", "float16", "float32", "float64")

WORKERS = Parameter("workers", "whole", _WORKERS, "how many GPUs", least=1, most=limits.MOST_WORKERS, ladder=_LADDER)
_values = Parameter("values", "values", None, "a row of numbers for each worker")
LENGTH = Parameter("length", "whole", None, "numbers in an array", least=1, most=limits.MOST_LENGTH)
SEED = Parameter("seed", "whole", None, "draw the numbers from this seed", least=0, most=limits.LARGEST_SEED)
_op = Parameter("op", "choice", "sum", "how arrays are combined", choices=_OPS)
_dtype = Parameter("dtype", "choice", "auto", "type of a number; auto takes 8 bytes", choices=_DTYPES)


def _algorithm(choices: tuple[str, ...]) -> Parameter:
    return Parameter("algorithm", "choice", choices[0], "who sends what to whom", choices=choices)


def _nodes(none: str) -> Parameter:
    help = f"servers that the workers stand in, drawn beside them ({none})"
    return Parameter("nodes", "whole", None, help, least=1, most=limits.MOST_WORKERS)


def _chunks(algorithm: str, default: str) -> Parameter:
    help = f"chunks that follow one another through the {algorithm} ({default})"
    return Parameter("chunks", "whole", None, help, least=1, most=limits.MOST_CHUNKS, ladder=(1, 2, 3, 4, 6, 8, 12, 16))


def _all_reduce(given: Mapping[str, Any]) -> Scene:
    from simlib.collectives import all_reduce, double_tree_all_reduce
    from tutor.views.worker_values import arrays

    start, op, algorithm, nodes = arrays(given, _WORKERS), given["op"], given["algorithm"], given["nodes"]
    _only("double-tree", algorithm, given)
    if algorithm == "hierarchical":
        nodes = _servers(len(start)) if nodes is None else nodes
        if len(start) % nodes:
            raise BadArgument("nodes", nodes, f"a divisor of the number of workers ({len(start)})")
        return _scene(all_reduce(start, op, algorithm, len(start) // nodes), given, nodes)
    if given["chunks"] is not None:
        return _scene(double_tree_all_reduce(start, op, given["chunks"]), given)
    return _scene(all_reduce(start, op, algorithm), given)


def _reduce_scatter(given: Mapping[str, Any]) -> Scene:
    from simlib.collectives import direct_reduce_scatter, ring_reduce_scatter
    from tutor.views.worker_values import arrays

    start, op = arrays(given, _WORKERS), given["op"]
    if given["algorithm"] == "ring":
        return _scene(ring_reduce_scatter(start, op=op, ownership=given["ownership"]), given)
    if given["ownership"] != "api":
        raise BadArgument("ownership", given["ownership"], "api with direct: only a ring can leave them shifted")
    return _scene(direct_reduce_scatter(start, op), given)


def _all_gather(given: Mapping[str, Any]) -> Scene:
    from simlib.collectives import direct_all_gather, ring_all_gather
    from tutor.views.worker_values import arrays

    gathering = ring_all_gather if given["algorithm"] == "ring" else direct_all_gather
    return _scene(gathering(arrays(given, _WORKERS, pieces=True)), given)


def _broadcast(given: Mapping[str, Any]) -> Scene:
    from simlib.collectives import chain_broadcast, naive_broadcast, tree_broadcast
    from tutor.views.worker_values import arrays

    start, algorithm, root = arrays(given, _WORKERS), given["algorithm"], given["root"]
    _only("chain", algorithm, given)
    workers = len(start)
    if root >= workers:
        raise BadArgument("root", root, f"a whole number from 0 to {workers - 1}")
    if algorithm == "chain":
        return _scene(chain_broadcast(start[root], workers, root, given["chunks"]), given)
    return _scene((tree_broadcast if algorithm == "tree" else naive_broadcast)(start[root], workers, root), given)


def _all_to_all(given: Mapping[str, Any]) -> Scene:
    from simlib.collectives import all_to_all
    from tutor.views.worker_values import arrays

    return _scene(all_to_all(arrays(given, _WORKERS)), given)


def _scene(trace: Trace, given: Mapping[str, Any], nodes: int | None = None) -> Scene:
    from tutor.views.collectives import CollectiveScene
    from tutor.views.worker_values import check_result

    check_result(trace.result, given["dtype"])
    return CollectiveScene(trace, given["nodes"] if nodes is None else nodes)


def _only(with_chunks: str, algorithm: str, given: Mapping[str, Any]) -> None:
    """Raises BadArgument for chunks where the algorithm cuts arrays in its own way."""
    if given["chunks"] is not None and algorithm != with_chunks:
        raise BadArgument("chunks", given["chunks"], f"none with {algorithm}: the {with_chunks} alone takes any number")


def _servers(workers: int) -> int:
    """How many servers, where nobody says: two, or as few as divide the workers evenly.

    >>> _servers(8), _servers(9), _servers(3), _servers(1)
    (2, 3, 3, 1)
    """
    return next((count for count in range(2, workers) if workers % count == 0), workers)


COLLECTIVE_TOPICS = (
    Topic(
        "all-reduce",
        "All-reduce: every worker ends with the sum of all arrays",
        (
            WORKERS,
            _values,
            LENGTH,
            SEED,
            _algorithm(_ALL_REDUCES),
            _op,
            _dtype,
            _nodes("hierarchical: two; others: none"),
            _chunks("double-tree", "4 in each tree"),
        ),
        _all_reduce,
    ),
    Topic(
        "reduce-scatter",
        "Reduce-scatter: every worker ends with one slice of the sum",
        (
            WORKERS,
            _values,
            LENGTH,
            SEED,
            _algorithm(_PIECES),
            _op,
            _dtype,
            Parameter(
                "ownership",
                "choice",
                "api",
                "who ends with which slice: rank r with slice r as in the libraries, or as the plain ring leaves it",
                choices=_OWNERSHIPS,
            ),
            _nodes("none"),
        ),
        _reduce_scatter,
    ),
    Topic(
        "all-gather",
        "All-gather: every worker ends with every worker's piece",
        (
            WORKERS,
            _values,
            Parameter(
                "length",
                "whole",
                None,
                "numbers in all pieces together",
                least=1,
                most=limits.MOST_LENGTH,
            ),
            SEED,
            _algorithm(_PIECES),
            _dtype,
            _nodes("none"),
        ),
        _all_gather,
    ),
    Topic(
        "broadcast",
        "Broadcast: every worker ends with the root's array",
        (
            WORKERS,
            Parameter("root", "whole", 0, "whose array it is", least=0, most=limits.MOST_WORKERS - 1),
            Parameter("values", "values", None, "a row of numbers for each worker; the root's is sent"),
            LENGTH,
            SEED,
            _algorithm(_BROADCASTS),
            _dtype,
            _nodes("none"),
            _chunks("chain", "as many as workers"),
        ),
        _broadcast,
    ),
    Topic(
        "all-to-all",
        "All-to-all: every worker has a chunk for every other",
        (WORKERS, _values, LENGTH, SEED, _dtype, _nodes("none")),
        _all_to_all,
    ),
)
