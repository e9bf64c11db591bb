"""Pipeline schedules: which rank runs which micro-batch when, for any schedule, sizes and times.

`schedule` builds a named one, `time_orders` times anyone's orders, `formulas` has what can be said
without either. Each schedule's file draws and explains it.
"""

from simlib.pipeline.diagnosis import CannotRun
from simlib.pipeline.operations import Operation, Overlap, parse_operation, parse_orders
from simlib.pipeline.schedules import Schedule, schedule
from simlib.pipeline.sizes import SCHEDULES
from simlib.pipeline.timeline import Timeline, time_orders

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
