"""Pipeline schedules: which rank runs which micro-batch when, for any schedule, sizes and times.

`schedule` builds a named one, `time_orders` times anyone's orders, `formulas` has what can be said
without either. Each schedule's file draws and explains it.

Names are imported when they are first used, so that `simlib.pipeline.formulas` comes alone.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from simlib.pipeline.diagnosis import CannotRun
    from simlib.pipeline.operations import Operation, Overlap, parse_operation
    from simlib.pipeline.rows import parse_orders
    from simlib.pipeline.schedules import Schedule, schedule
    from simlib.pipeline.sizes import SCHEDULES
    from simlib.pipeline.timeline import Timeline, time_orders

_HOME = {
    "SCHEDULES": "sizes",
    "CannotRun": "diagnosis",
    "Operation": "operations",
    "Overlap": "operations",
    "Schedule": "schedules",
    "Timeline": "timeline",
    "parse_operation": "operations",
    "parse_orders": "rows",
    "schedule": "schedules",
    "time_orders": "timeline",
}

__all__ = [
    "SCHEDULES",
    "CannotRun",
    "Operation",
    "Overlap",
    "Schedule",
    "Timeline",
    "parse_operation",
    "parse_orders",
    "schedule",
    "time_orders",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME})
