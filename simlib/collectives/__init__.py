"""Collectives, carried out on simulated workers: one file an algorithm, one kind of trace.

Names are imported when they are first used, so that `simlib.collectives.costs` comes without NumPy.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from simlib.collectives.algorithms import ALL_REDUCE_ALGORITHMS, all_reduce
    from simlib.collectives.chain import chain_broadcast, chain_reduce
    from simlib.collectives.direct import direct_all_gather, direct_all_reduce, direct_reduce_scatter
    from simlib.collectives.double_tree import double_tree_all_reduce, nccl_trees
    from simlib.collectives.exchange import all_to_all
    from simlib.collectives.halving_doubling import halving_doubling_all_reduce
    from simlib.collectives.hierarchical import hierarchical_all_reduce
    from simlib.collectives.naive import naive_all_reduce, naive_broadcast, naive_reduce
    from simlib.collectives.ring import ring_all_gather, ring_all_reduce, ring_reduce_scatter
    from simlib.collectives.rooted import gather, scatter
    from simlib.collectives.trace import Step, Trace, Transfer
    from simlib.collectives.tree import tree_all_reduce, tree_broadcast, tree_reduce

_HOME = {
    "ALL_REDUCE_ALGORITHMS": "algorithms",
    "all_reduce": "algorithms",
    "chain_broadcast": "chain",
    "chain_reduce": "chain",
    "direct_all_gather": "direct",
    "direct_all_reduce": "direct",
    "direct_reduce_scatter": "direct",
    "nccl_trees": "double_tree",
    "double_tree_all_reduce": "double_tree",
    "all_to_all": "exchange",
    "halving_doubling_all_reduce": "halving_doubling",
    "hierarchical_all_reduce": "hierarchical",
    "naive_all_reduce": "naive",
    "naive_broadcast": "naive",
    "naive_reduce": "naive",
    "ring_all_gather": "ring",
    "ring_all_reduce": "ring",
    "ring_reduce_scatter": "ring",
    "gather": "rooted",
    "scatter": "rooted",
    "Step": "trace",
    "Trace": "trace",
    "Transfer": "trace",
    "tree_all_reduce": "tree",
    "tree_broadcast": "tree",
    "tree_reduce": "tree",
}

__all__ = [
    "ALL_REDUCE_ALGORITHMS",
    "Step",
    "Trace",
    "Transfer",
    "all_reduce",
    "all_to_all",
    "chain_broadcast",
    "chain_reduce",
    "direct_all_gather",
    "direct_all_reduce",
    "direct_reduce_scatter",
    "double_tree_all_reduce",
    "gather",
    "halving_doubling_all_reduce",
    "hierarchical_all_reduce",
    "naive_all_reduce",
    "naive_broadcast",
    "naive_reduce",
    "nccl_trees",
    "ring_all_gather",
    "ring_all_reduce",
    "ring_reduce_scatter",
    "scatter",
    "tree_all_reduce",
    "tree_broadcast",
    "tree_reduce",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME})
