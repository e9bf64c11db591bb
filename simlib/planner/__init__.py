"""Which layouts of a model fit a cluster, how fast each is, and why."""

from simlib.planner.choices import CHOICES, Problem
from simlib.planner.layout import CHECKPOINTING, PARTS, Layout, MemoryUse, StepParts
from simlib.planner.plan import Plan, lay_out, plan
from simlib.planner.settings import LEFT_OUT, MEGATRON_2021, MEGATRON_2022, SETTINGS, Settings
from simlib.planner.why import CAUSES, Reason, why

__all__ = [
    "CAUSES",
    "CHECKPOINTING",
    "CHOICES",
    "LEFT_OUT",
    "MEGATRON_2021",
    "MEGATRON_2022",
    "PARTS",
    "SETTINGS",
    "Layout",
    "MemoryUse",
    "Plan",
    "Problem",
    "Reason",
    "Settings",
    "StepParts",
    "lay_out",
    "plan",
    "why",
]
