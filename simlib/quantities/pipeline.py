"""Quantities of pipelines: bubbles, slots, activations held."""

from __future__ import annotations

from simlib.pipeline import formulas, placement
from simlib.quantities.parameters import CHUNKS, MICRO_BATCHES, STAGES
from simlib.quantities.registry import NUMBER, WHOLE, WORD, Outcome, Parameter, define

_GPIPE = "Huang et al. 2019, GPipe, section 2.3"
_SCHEDULE = Parameter("schedule", WORD, "a schedule, such as gpipe, 1f1b, interleaved or zb-h1")
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
    _SCHEDULE,
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


@define(
    "pipeline.micro_batches",
    Parameter("batch", WHOLE, "samples of a step, all GPUs together", "batch"),
    Parameter("micro_batch", WHOLE, "samples of a micro-batch", "b"),
    Parameter("data", WHOLE, "pipelines that share the batch", "d", 1),
    formula="batch / (b x d)",
    source=_MEGATRON,
)
def _micro_batches(batch: int, micro_batch: int, data: int) -> int:
    """Micro-batches that one pipeline gets in a step, of the `data` pipelines that share the batch."""
    return formulas.micro_batches(batch, micro_batch, data)


@define(
    "pipeline.messages",
    STAGES,
    MICRO_BATCHES,
    CHUNKS,
    formula="2 x m x (v x p - 1)",
    source=_MEGATRON,
)
def _messages(stages: int, micro_batches: int, chunks: int) -> int:
    """Messages between ranks in a step: each micro-batch forward and back, from model stage to model stage."""
    return formulas.messages(stages, micro_batches, chunks)


@define(
    "pipeline.layers_built",
    Parameter("layers", WHOLE, "layers that the model should have", "L"),
    STAGES,
    formula="the whole part of L / p, times p",
    source="Arithmetic: what is left over after the division is built by nobody",
)
def _layers_built(layers: int, stages: int) -> Outcome:
    """Layers of the model if each stage builds the whole part of L / p."""
    built = placement.layers_built(layers, stages)
    formula = "the whole part of L / p, times p"
    return Outcome(built, formula, worked=f"{built // stages} a stage x {stages} = {built}")


@define(
    "pipeline.timed_bubble",
    _SCHEDULE,
    STAGES,
    MICRO_BATCHES,
    CHUNKS,
    formula="idle time / total time, as the schedule's operations take their turns",
    source="Huang et al. 2019; Narayanan et al. 2021; Qi et al. 2023; DeepSeek-AI 2024",
)
def _timed_bubble(schedule: str, stages: int, micro_batches: int, chunks: int) -> Outcome:
    """Idle share of the total time of any schedule, timed with F = I = W and B = 2 F."""
    from simlib.pipeline import schedule as timed

    found = timed(schedule, stages, micro_batches, chunks)
    idle, total = sum(found.idle), found.makespan * stages
    formula = f"idle time of {schedule} / total time"
    return Outcome(found.bubble, formula, worked=f"{formula} = {idle:g} / {total:g} = {found.bubble:.6g}")


@define(
    "pipeline.makespan",
    _SCHEDULE,
    STAGES,
    MICRO_BATCHES,
    CHUNKS,
    formula="from the start to the last end, with F = I = W = 1 and B = 2",
    source="Huang et al. 2019; Narayanan et al. 2021; Qi et al. 2023; DeepSeek-AI 2024",
)
def _makespan(schedule: str, stages: int, micro_batches: int, chunks: int) -> Outcome:
    """When the last operation of a step ends, in the unit of the forward pass."""
    from simlib.pipeline import schedule as timed

    found = timed(schedule, stages, micro_batches, chunks)
    formula = f"the last end of {schedule}"
    return Outcome(found.makespan, formula, worked=f"{formula} = {found.makespan:g}")
