"""Quantities of 3D layouts: sizes, groups of ranks, bytes by kind of traffic, and what the planner says of one."""

from __future__ import annotations

from typing import Any

from simlib import models, planner, traffic
from simlib.errors import one_of, whole_number
from simlib.mesh import Mesh
from simlib.planner import Layout
from simlib.quantities.parameters import GPUS, HARDWARE, MODEL, PARAMS, RECOMPUTE
from simlib.quantities.registry import WHOLE, WORD, Outcome, Parameter, define, written

_NARAYANAN = "Narayanan et al. 2021, Efficient Large-Scale Language Model Training on GPU Clusters"
_PLANNER = f"simlib.planner: {_NARAYANAN}; Korthikanti et al. 2022; Rajbhandari et al. 2020"

DATA = Parameter("data", WHOLE, "copies of the model: the data-parallel size", "d")
TENSOR = Parameter("tensor", WHOLE, "the tensor-parallel size", "t")
PIPELINE = Parameter("pipeline", WHOLE, "pipeline stages", "p")
MICRO_BATCH = Parameter("micro_batch", WHOLE, "sequences in a micro-batch", "b")
MICRO_BATCHES = Parameter("micro_batches", WHOLE, "micro-batches that each copy runs in a step", "m")
BATCH = Parameter("batch", WHOLE, "sequences of a step, all copies together", "B")
RANK = Parameter("rank", WHOLE, "the number of a GPU among all", "rank")
AXIS = Parameter("axis", WORD, "data, tensor or pipeline")
ORDER = Parameter("order", WORD, "the axes, the fastest changing first, as in tp-dp-pp", "order", "tp-dp-pp")

CATEGORIES = ("weights", "gradients", "optimizer", "activations", "other")
_SHORT = {"data": "dp", "tensor": "tp", "pipeline": "pp"}


@define("layout.gpus", DATA, TENSOR, PIPELINE, formula="d x t x p", source=f"{_NARAYANAN}, section 3")
def _gpus(data: int, tensor: int, pipeline: int) -> float:
    """GPUs that a layout takes: the world size."""
    return whole_number("data", data) * whole_number("tensor", tensor) * whole_number("pipeline", pipeline)


@define("layout.data_size", GPUS, TENSOR, PIPELINE, formula="N / (t x p)", source=f"{_NARAYANAN}, section 3")
def _data_size(gpus: int, tensor: int, pipeline: int) -> float:
    """Copies of the model: the data-parallel size."""
    return traffic.data_size(gpus, tensor, pipeline)


@define("layout.micro_batches", BATCH, DATA, MICRO_BATCH, formula="B / (d x b)", source=f"{_NARAYANAN}, section 3.3")
def _micro_batches(batch: int, data: int, micro_batch: int) -> float:
    """Micro-batches that each copy runs in a step."""
    return traffic.micro_batches(batch, data, micro_batch)


@define(
    "layout.global_batch", DATA, MICRO_BATCH, MICRO_BATCHES, formula="d x b x m", source=f"{_NARAYANAN}, section 3.3"
)
def _global_batch(data: int, micro_batch: int, micro_batches: int) -> float:
    """Sequences of a step, all copies together."""
    sizes = {"data": data, "micro_batch": micro_batch, "micro_batches": micro_batches}
    each = [whole_number(name, size) for name, size in sizes.items()]
    return each[0] * each[1] * each[2]


@define(
    "layout.state_bytes",
    PARAMS,
    DATA,
    TENSOR,
    PIPELINE,
    Parameter("stage", WHOLE, "ZeRO stage, 0 to 3", "stage", 0),
    unit="B",
    formula="(weights + gradients + optimizer) x P / (t x p)",
    source=f"{_NARAYANAN}, section 3; Rajbhandari et al. 2020, ZeRO, section 3.1",
)
def _state_bytes(params: int, data: int, tensor: int, pipeline: int, stage: int) -> Outcome:
    """Bytes of model states on one GPU; ZeRO shards parts of them over the copies."""
    value = traffic.state_bytes(params, data, tensor, pipeline, stage)
    parts = [f"{size} / d" if stage >= since else f"{size}" for size, since in ((2, 3), (2, 2), (12, 1))]
    return Outcome(value, f"({' + '.join(parts)}) x P / (t x p)")


@define(
    "layout.tensor_bytes",
    MODEL,
    TENSOR,
    PIPELINE,
    MICRO_BATCH,
    MICRO_BATCHES,
    RECOMPUTE,
    unit="B",
    formula="4 x L / p x m x 2 (t - 1) / t x b x s x h x 2; with full recomputation 6 in place of 4",
    source="Shoeybi et al. 2019, Megatron-LM, section 3",
)
def _tensor_bytes(
    model: str, tensor: int, pipeline: int, micro_batch: int, micro_batches: int, recompute: bool
) -> Outcome:
    """Bytes that one GPU sends in a step to those that hold the other parts of its layers."""
    shape = models.find(model).shape
    sizes = (shape.layers, shape.hidden, shape.sequence, tensor, pipeline, micro_batch, micro_batches)
    count = 6 if recompute else 4
    symbols = {"L": shape.layers, "s": shape.sequence, "h": shape.hidden}
    formula = f"{count} x L / p x m x 2 (t - 1) / t x b x s x h x 2"
    return Outcome(traffic.tensor_bytes(*sizes, recompute), formula, symbols)


@define(
    "layout.pipeline_bytes",
    MODEL,
    PIPELINE,
    MICRO_BATCH,
    MICRO_BATCHES,
    unit="B",
    formula="2 x m x b x s x h x 2; of two stages half",
    source=f"{_NARAYANAN}, section 3.2",
)
def _pipeline_bytes(model: str, pipeline: int, micro_batch: int, micro_batches: int) -> Outcome:
    """Bytes that one GPU of a middle stage sends in a step: outputs onwards, gradients back."""
    shape = models.find(model).shape
    value = traffic.pipeline_bytes(shape.hidden, shape.sequence, pipeline, micro_batch, micro_batches)
    symbols = {"s": shape.sequence, "h": shape.hidden}
    return Outcome(value, f"{min(2, pipeline - 1)} x m x b x s x h x 2", symbols)


@define(
    "layout.data_bytes",
    PARAMS,
    DATA,
    TENSOR,
    PIPELINE,
    unit="B",
    formula="2 (d - 1) / d x 2 x P / (t x p)",
    source=f"{_NARAYANAN}, section 3.3; ring all-reduce: Patarasuk and Yuan 2009",
)
def _data_bytes(params: int, data: int, tensor: int, pipeline: int) -> float:
    """Bytes that one GPU sends in a step to average its gradients over the copies."""
    return traffic.data_bytes(params, data, tensor, pipeline)


def _mesh(data: int, tensor: int, pipeline: int, order: str) -> Mesh:
    sizes = {"tensor": tensor, "data": data, "pipeline": pipeline}
    return Mesh.in_order(order, {_SHORT[name]: whole_number(name, size) for name, size in sizes.items()})


def _axis(axis: str) -> str:
    return _SHORT[one_of("axis", axis, tuple(_SHORT))]


@define(
    "mesh.coordinate",
    RANK,
    AXIS,
    DATA,
    TENSOR,
    PIPELINE,
    ORDER,
    formula="rank // (the sizes of the faster axes) mod the size of the axis",
    source="Megatron-LM, parallel_state.py (order tp-dp-pp)",
)
def _coordinate(rank: int, axis: str, data: int, tensor: int, pipeline: int, order: str) -> Outcome:
    """Where a rank is along an axis: which shard, which stage or which copy it works on."""
    name, built = _axis(axis), _mesh(data, tensor, pipeline, order)
    value = built.coordinates(rank)[name]
    faster = _faster(built, name)
    return Outcome(value, worked=f"{rank} // {faster} mod {built.size(name)} = {value}")


@define(
    "mesh.group",
    RANK,
    AXIS,
    DATA,
    TENSOR,
    PIPELINE,
    ORDER,
    formula="the ranks that differ along the axis alone",
    source="Megatron-LM, parallel_state.py (order tp-dp-pp)",
)
def _group(rank: int, axis: str, data: int, tensor: int, pipeline: int, order: str) -> Outcome:
    """The ranks of the group that a rank is in."""
    name, built = _axis(axis), _mesh(data, tensor, pipeline, order)
    built.coordinates(rank)
    found = next(group for group in built.groups(name) if rank in group)
    return Outcome(list(found), worked=f"every {_faster(built, name)} from {found[0]} = {list(found)}")


def _faster(built: Mesh, axis: str) -> int:
    """The distance between neighbours along an axis: the product of the sizes that change faster."""
    distance = 1
    for name in reversed(built.axes):
        if name == axis:
            break
        distance *= built.size(name)
    return distance


# What the planner makes of one layout. All of these take the same arguments

_LAYOUT = (
    MODEL,
    HARDWARE,
    GPUS,
    BATCH,
    TENSOR,
    PIPELINE,
    Parameter("zero", WHOLE, "ZeRO stage, 0 to 3", "zero", 0),
    Parameter("micro_batch", WHOLE, "sequences in a micro-batch", "b", 1),
    Parameter("checkpointing", WORD, "none, selective or full", "checkpointing", "none"),
)


def _laid_out(**choices: Any) -> Layout:
    model, hardware, gpus, batch = (choices.pop(name) for name in ("model", "hardware", "gpus", "batch"))
    return planner.lay_out(model, hardware, gpus, whole_number("batch", batch), **choices)


def _sum(parts: dict[str, float], value: float) -> Outcome:
    shown = " + ".join(written(size) for size in parts.values() if size)
    names = ", ".join(name for name, size in parts.items() if size)
    return Outcome(value, worked=f"{names}: {shown} = {written(value)}")


def _seconds(layout: Layout) -> dict[str, float]:
    return {part: getattr(layout.parts, part) for part in planner.PARTS}


@define(
    "plan.step_seconds",
    *_LAYOUT,
    unit="s",
    formula="compute + recompute + what is waited for (tensor, pipeline, data) + bubble + optimizer",
    source=_PLANNER,
)
def _step_seconds(**choices: Any) -> Outcome:
    """Seconds of a step of one layout."""
    layout = _laid_out(**choices)
    return _sum(_seconds(layout), layout.step_seconds)


@define(
    "plan.part_seconds",
    Parameter("part", WORD, ", ".join(planner.PARTS)),
    *_LAYOUT,
    unit="s",
    formula="a part of the step",
    source=_PLANNER,
)
def _part_seconds(part: str, **choices: Any) -> Outcome:
    """Seconds of one part of a layout's step; of communication only what is waited for."""
    value = _seconds(_laid_out(**choices))[one_of("part", part, planner.PARTS)]
    return Outcome(value, worked=f"{part} = {written(value)}")


@define(
    "plan.bytes_per_gpu",
    *_LAYOUT,
    unit="B",
    formula="weights + gradients + optimizer + activations + other, on the fullest GPU",
    source=_PLANNER,
)
def _bytes_per_gpu(**choices: Any) -> Outcome:
    """Bytes on the fullest GPU of one layout."""
    memory = _laid_out(**choices).memory
    return _sum({name: getattr(memory, name) for name in CATEGORIES}, memory.total)


@define(
    "plan.part_bytes",
    Parameter("part", WORD, ", ".join(CATEGORIES)),
    *_LAYOUT,
    unit="B",
    formula="a part of the bytes on the fullest GPU",
    source=_PLANNER,
)
def _part_bytes(part: str, **choices: Any) -> Outcome:
    """Bytes on the fullest GPU of one layout, of one category."""
    value: float = getattr(_laid_out(**choices).memory, one_of("part", part, CATEGORIES))
    return Outcome(value, worked=f"{part} = {written(value)}")


@define("plan.mfu", *_LAYOUT, formula="model FLOPs / (seconds x N x peak)", source=_PLANNER)
def _mfu(**choices: Any) -> Outcome:
    """Model FLOPs utilisation of one layout."""
    layout = _laid_out(**choices)
    return Outcome(layout.mfu, worked=f"at {written(layout.step_seconds)} s a step = {written(layout.mfu)}")


@define(
    "plan.layouts_that_fit",
    MODEL,
    HARDWARE,
    GPUS,
    BATCH,
    formula="those that the planner does not refuse",
    source=_PLANNER,
)
def _that_fit(model: str, hardware: str, gpus: int, batch: int) -> Outcome:
    """How many layouts with one model stage on each rank fit the memory."""
    made = planner.plan(model, hardware, gpus, whole_number("batch", batch), chunks=1)
    refused = sum(made.rejected.values())
    count = len(made.layouts)
    return Outcome(count, worked=f"{count + refused:,} - {refused:,} refused = {count:,}")
