"""Quantities of pipelines: bubbles, slots, activations held."""

from __future__ import annotations

from simlib.pipeline import formulas
from simlib.quantities.parameters import CHUNKS, MICRO_BATCHES, STAGES
from simlib.quantities.registry import NUMBER, WHOLE, WORD, Outcome, Parameter, define

_GPIPE = "Huang et al. 2019, GPipe, section 2.3"
_MEGATRON = "Narayanan et al. 2021, Efficient Large-Scale Language Model Training on GPU Clusters, section 2.2"
_ZERO_BUBBLE = "Qi et al. 2023, Zero Bubble Pipeline Parallelism, section 2.3"

FORWARD = Parameter("forward", NUMBER, "time of a forward pass", "F", 1)
INPUT = Parameter("input", NUMBER, "time of the gradient of a stage's input", "I", 1)
WEIGHT = Parameter("weight", NUMBER, "time of the gradient of a stage's weights", "W", 1)


@define("pipeline.bubble", STAGES, MICRO_BATCHES, CHUNKS, formula="(p - 1) / (v x m + p - 1)", source=_GPIPE)
def _bubble(stages: int, micro_batches: int, chunks: int) -> Outcome:
    """Idle time as a share of the total time of a step (GPipe, 1F1B, interleaved)."""
    formula = "(p - 1) / (m + p - 1)" if chunks == 1 else "(p - 1) / (v x m + p - 1)"
    return Outcome(formulas.bubble(stages, micro_batches, chunks), formula)


@define("pipeline.bubble_of_ideal", STAGES, MICRO_BATCHES, CHUNKS, formula="(p - 1) / (v x m)", source=_MEGATRON)
def _bubble_of_ideal(stages: int, micro_batches: int, chunks: int) -> Outcome:
    """Idle time as a share of the time that the work alone would take."""
    formula = "(p - 1) / m" if chunks == 1 else "(p - 1) / (v x m)"
    return Outcome(formulas.bubble_of_ideal(stages, micro_batches, chunks), formula)


@define(
    "pipeline.zero_bubble_idle", STAGES, FORWARD, INPUT, WEIGHT, formula="(p - 1) x (F + I - W)", source=_ZERO_BUBBLE
)
def _zero_bubble_idle(stages: int, forward: float, input: float, weight: float) -> float:
    """The time that a rank of the schedule ZB-H1 idles in a step, in the unit of the three times."""
    return formulas.zero_bubble_idle(stages, forward, input, weight)


@define(
    "pipeline.zero_bubble",
    STAGES,
    MICRO_BATCHES,
    FORWARD,
    INPUT,
    WEIGHT,
    formula="(p - 1) x (F + I - W) / (m x (F + I + W) + (p - 1) x (F + I - W))",
    source=_ZERO_BUBBLE,
)
def _zero_bubble(stages: int, micro_batches: int, forward: float, input: float, weight: float) -> float:
    """Idle time of the schedule ZB-H1 as a share of the total time of a step."""
    return formulas.zero_bubble(stages, micro_batches, forward, input, weight)


@define("pipeline.slots", STAGES, MICRO_BATCHES, formula="p x (m + p - 1)", source=_GPIPE)
def _slots(stages: int, micro_batches: int) -> int:
    """Cells of the grid of the forward passes, one a stage and slot, idle ones too."""
    return formulas.total_slots(stages, micro_batches)


@define("pipeline.idle_slots", STAGES, MICRO_BATCHES, formula="p x (p - 1)", source=_GPIPE)
def _idle_slots(stages: int, micro_batches: int) -> int:
    """Idle cells of the grid of the forward passes; the number of micro-batches does not change them."""
    return formulas.idle_slots(stages, micro_batches)


@define(
    "pipeline.peak_activations",
    Parameter("schedule", WORD, "a schedule, such as gpipe, 1f1b, interleaved or zb-h1"),
    STAGES,
    MICRO_BATCHES,
    Parameter("stage", WHOLE, "the stage asked about, from 0", "stage"),
    CHUNKS,
    formula="gpipe: m; 1f1b: min(m, p - stage); others as their schedules give it",
    source=_MEGATRON,
)
def _peak_activations(schedule: str, stages: int, micro_batches: int, stage: int, chunks: int) -> Outcome:
    """The most micro-batches' activations that a stage holds at once."""
    held = formulas.peak_activations(schedule, stages, micro_batches, stage, chunks)
    formula = {"gpipe": "m", "1f1b": "min(m, p - stage)"}.get(schedule, "")
    if formula:
        return Outcome(held, formula)
    formula = f"the most activations that {schedule} holds at once"
    return Outcome(held, formula, worked=f"{formula} with p = {stages}, m = {micro_batches}, v = {chunks} = {held}")
