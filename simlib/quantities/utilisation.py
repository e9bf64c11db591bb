"""Quantities of runs that papers report, and of what more GPUs bring."""

from __future__ import annotations

from simlib import hardware, models, published, scaling, throughput
from simlib.errors import BadArgument
from simlib.quantities.parameters import GPUS
from simlib.quantities.registry import NUMBER, WHOLE, WORD, Outcome, Parameter, define, written

RUN = Parameter("run", WORD, f"a published run: {', '.join(published.RUNS)}", "run")
_PALM = "Chowdhery et al. 2022, PaLM, appendix B"
_PRINTED = "the run's own paper"


@define("run.utilisation", RUN, formula="as printed", source=_PRINTED)
def _utilisation(run: str) -> Outcome:
    """The share of peak that a paper prints for its run: MFU, or HFU where it counts recomputation."""
    found = published.find(run)
    kind = "recomputation counted" if found.counts_recomputation else "recomputation not counted"
    return Outcome(found.utilisation, f"printed for {found.name}, {kind} ({found.source})")


@define("run.gpus", RUN, formula="as printed", source=_PRINTED)
def _gpus(run: str) -> Outcome:
    """How many accelerators a published run had."""
    found = published.find(run)
    return Outcome(found.gpus, f"printed for {found.name} ({found.source})")


@define("run.tokens_per_second", RUN, formula="as printed", source=_PRINTED)
def _tokens_per_second(run: str) -> Outcome:
    """Tokens a second of a published run, all accelerators together."""
    found = published.find(run)
    if found.tokens_per_second is None:
        printed = ", ".join(name for name, other in published.RUNS.items() if other.tokens_per_second is not None)
        raise BadArgument("run", run, f"one whose paper prints tokens a second: {printed}")
    return Outcome(found.tokens_per_second, f"printed for {found.name} ({found.source})")


@define("run.flops_per_gpu", RUN, unit="FLOP/s", formula="as printed, or tokens a second x FLOPs / N", source=_PRINTED)
def _flops_per_gpu(run: str) -> Outcome:
    """FLOP/s that each accelerator of a published run achieved, counted as its paper counts them."""
    found = published.find(run)
    if found.flops_per_gpu is not None:
        return Outcome(found.flops_per_gpu, f"printed for {found.name} ({found.source})")
    each = models.find(found.model).shape.flops_per_token()
    rate = found.tokens_per_second or 0
    worked = f"{written(rate)} x {written(each)} / {found.gpus:,}"
    value = rate * each / found.gpus
    return Outcome(value, worked=f"{worked} = {written(value)} FLOP/s")


@define(
    "run.computed_utilisation",
    RUN,
    formula="achieved FLOP/s / peak",
    source=_PALM,
)
def _computed_utilisation(run: str) -> Outcome:
    """The share of the dense 16-bit peak, worked out from a run's speed; printed figures are rounded."""
    found = published.find(run)
    speed = _flops_per_gpu(run)
    assert isinstance(speed, Outcome)
    assert isinstance(speed.value, (int, float))
    peak = hardware.find(found.hardware).peak_flops
    value = throughput.utilisation(speed.value, 1, peak)
    return Outcome(value, worked=f"{written(speed.value)} / {written(peak)} = {written(value)}")


_SECONDS_ONE = Parameter("seconds_one", NUMBER, "seconds that one GPU takes", "seconds_one", unit="s")
_SECONDS_MANY = Parameter("seconds_many", NUMBER, "seconds that the GPUs take together", "seconds_many", unit="s")
_WORK_ONE = Parameter("work_one", NUMBER, "what one GPU does in its time, in samples or tokens", "work_one", 1)
_WORK_MANY = Parameter("work_many", NUMBER, "what the GPUs do in theirs", "work_many", 1)
_SPEED_UP = "(work_many / seconds_many) / (work_one / seconds_one)"
_SCALING = "How to Scale Your Model, chapter 1; strong scaling: Amdahl 1967"


@define("scaling.speed_up", _SECONDS_ONE, _SECONDS_MANY, _WORK_ONE, _WORK_MANY, formula=_SPEED_UP, source=_SCALING)
def _speed_up(seconds_one: float, seconds_many: float, work_one: float, work_many: float) -> float:
    """How many times as much work a second many GPUs do as one."""
    return scaling.speed_up(seconds_one, seconds_many, work_one, work_many)


@define(
    "scaling.efficiency",
    GPUS,
    _SECONDS_ONE,
    _SECONDS_MANY,
    _WORK_ONE,
    _WORK_MANY,
    formula=f"{_SPEED_UP} / N",
    source=_SCALING,
)
def _efficiency(gpus: int, seconds_one: float, seconds_many: float, work_one: float, work_many: float) -> float:
    """The speed-up over the number of GPUs."""
    return scaling.efficiency(gpus, seconds_one, seconds_many, work_one, work_many)


@define(
    "scaling.tokens_per_step",
    GPUS,
    Parameter("micro_batch", WHOLE, "sequences in a micro-batch", "b"),
    Parameter("sequence", WHOLE, "tokens of one sequence", "s"),
    Parameter("micro_batches", WHOLE, "micro-batches that each copy of the model reads", "m", 1),
    Parameter("tensor", WHOLE, "the tensor-parallel size", "t", 1),
    Parameter("pipeline", WHOLE, "pipeline stages", "p", 1),
    formula="N / (t x p) x m x b x s",
    source="Narayanan et al. 2021, Efficient Large-Scale Language Model Training on GPU Clusters, section 3",
)
def _tokens_per_step(gpus: int, micro_batch: int, sequence: int, micro_batches: int, tensor: int, pipeline: int) -> int:
    """Tokens of one step; GPUs of a tensor- or pipeline-parallel group share theirs."""
    return scaling.tokens_per_step(gpus, micro_batch, sequence, micro_batches, tensor, pipeline)
