"""Collectives, carried out on simulated workers: one file an algorithm, one kind of trace.

Names are imported when they are first used, so that `simlib.collectives.costs` comes without NumPy.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from simlib.collectives.ring import ring_all_gather, ring_all_reduce, ring_reduce_scatter
    from simlib.collectives.trace import Step, Trace, Transfer

_HOME = {
    "Step": "trace",
    "Trace": "trace",
    "Transfer": "trace",
    "ring_all_gather": "ring",
    "ring_all_reduce": "ring",
    "ring_reduce_scatter": "ring",
}

__all__ = ["Step", "Trace", "Transfer", "ring_all_gather", "ring_all_reduce", "ring_reduce_scatter"]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME})
