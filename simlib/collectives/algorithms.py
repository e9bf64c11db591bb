"""All-reduces by the name of their algorithm."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from simlib.collectives.direct import direct_all_reduce
from simlib.collectives.double_tree import double_tree_all_reduce
from simlib.collectives.halving_doubling import halving_doubling_all_reduce
from simlib.collectives.hierarchical import hierarchical_all_reduce
from simlib.collectives.naive import naive_all_reduce
from simlib.collectives.ring import ring_all_reduce
from simlib.collectives.trace import Trace
from simlib.collectives.tree import tree_all_reduce
from simlib.errors import BadArgument, one_of

if TYPE_CHECKING:
    import numpy.typing as npt

_PLAIN = {
    "ring": ring_all_reduce,
    "naive": naive_all_reduce,
    "direct": direct_all_reduce,
    "tree": tree_all_reduce,
    "double-tree": double_tree_all_reduce,
    "halving-doubling": halving_doubling_all_reduce,
}

ALL_REDUCE_ALGORITHMS = (*_PLAIN, "hierarchical")


def all_reduce(
    arrays: Sequence[npt.ArrayLike], op: str = "sum", algorithm: str = "ring", gpus_per_node: int | None = None
) -> Trace:
    """Every worker ends with the sum (or "mean", or "max") of all arrays, by any algorithm.

    "hierarchical" needs `gpus_per_node`. Arguments and errors otherwise as in `ring_all_reduce`.

    >>> [all_reduce([[1], [2], [3]], algorithm=name).last_step for name in ("ring", "naive", "direct", "tree")]
    [4, 4, 1, 4]
    """
    if one_of("algorithm", algorithm, ALL_REDUCE_ALGORITHMS) != "hierarchical":
        if gpus_per_node is not None:
            raise BadArgument("gpus_per_node", gpus_per_node, f"nothing with {algorithm}, which knows no servers")
        return _PLAIN[algorithm](arrays, op)
    if gpus_per_node is None:
        raise BadArgument("gpus_per_node", gpus_per_node, "how many workers a server has")
    return hierarchical_all_reduce(arrays, gpus_per_node, op)
