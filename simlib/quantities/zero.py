"""Quantities of memory and traffic under ZeRO."""

from __future__ import annotations

from simlib import zero
from simlib.quantities.parameters import GPUS, OPTIMIZER_BYTES, PARAMS, STAGE
from simlib.quantities.registry import NUMBER, WORD, Outcome, Parameter, define, written

_PAPER = "Rajbhandari et al. 2020, ZeRO: Memory Optimizations Toward Training Trillion Parameter Models"
_STATES = f"{_PAPER}, section 5"

_TOTAL = ("(4 + K) x P", "4 x P + K x P / N", "2 x P + (2 + K) x P / N", "(4 + K) x P / N")
_BY_RECIPE = (
    "(W + G + K) x P",
    "(W + G) x P + K x P / N",
    "W x P + (G + K) x P / N",
    "(W + G + K) x P / N",
)


def _share(formula: str, stage: int, sharded_from: int) -> str:
    """`formula`, divided among the GPUs from a stage on."""
    return f"{formula} / N" if stage >= sharded_from else formula


@define(
    "zero.bytes_per_gpu",
    PARAMS,
    GPUS,
    STAGE,
    OPTIMIZER_BYTES,
    unit="B",
    formula=f"stage 0: {_TOTAL[0]}; stage 1: {_TOTAL[1]}; stage 2: {_TOTAL[2]}; stage 3: {_TOTAL[3]}",
    source=_STATES,
)
def _bytes_per_gpu(params: int, gpus: int, stage: int, optimizer_bytes: float) -> Outcome:
    """Bytes of model states (weights, gradients, optimizer) on each GPU."""
    return Outcome(zero.bytes_per_gpu(params, gpus, stage, optimizer_bytes), _TOTAL[stage])


@define(
    "zero.weights_bytes",
    PARAMS,
    GPUS,
    STAGE,
    unit="B",
    formula="stages 0 to 2: 2 x P; stage 3: 2 x P / N",
    source=_STATES,
)
def _weights_bytes(params: int, gpus: int, stage: int) -> Outcome:
    """Bytes of 16-bit weights on each GPU."""
    return Outcome(zero.model_states(params, gpus, stage).weights, _share("2 x P", stage, 3))


@define(
    "zero.gradients_bytes",
    PARAMS,
    GPUS,
    STAGE,
    unit="B",
    formula="stages 0 and 1: 2 x P; stages 2 and 3: 2 x P / N",
    source=_STATES,
)
def _gradients_bytes(params: int, gpus: int, stage: int) -> Outcome:
    """Bytes of 16-bit gradients on each GPU."""
    return Outcome(zero.model_states(params, gpus, stage).gradients, _share("2 x P", stage, 2))


@define(
    "zero.optimizer_bytes",
    PARAMS,
    GPUS,
    STAGE,
    OPTIMIZER_BYTES,
    unit="B",
    formula="stage 0: K x P; stages 1 to 3: K x P / N",
    source=_STATES,
)
def _optimizer_bytes(params: int, gpus: int, stage: int, optimizer_bytes: float) -> Outcome:
    """Bytes of optimizer states on each GPU; with Adam the FP32 master weights, momentum and variance."""
    states = zero.model_states(params, gpus, stage, optimizer_bytes)
    return Outcome(states.optimizer, _share("K x P", stage, 1))


@define(
    "zero.bytes_per_gpu_by_recipe",
    Parameter("recipe", WORD, f"one of {', '.join(zero.RECIPES)}", "recipe"),
    PARAMS,
    GPUS,
    STAGE,
    unit="B",
    formula=(
        "stage 0: (W + G + K) x P; stage 1: (W + G) x P + K x P / N; "
        "stage 2: W x P + (G + K) x P / N; stage 3: (W + G + K) x P / N"
    ),
    source=f"{_STATES}; bytes per parameter as the recipe says",
)
def _bytes_by_recipe(recipe: str, params: int, gpus: int, stage: int) -> Outcome:
    """Bytes of model states on each GPU in other precisions and with other optimizers."""
    kept = zero.recipe(recipe)
    states = zero.model_states(params, gpus, stage, kept.optimizer, kept.weights, kept.gradients)
    symbols = {"W": kept.weights, "G": kept.gradients, "K": kept.optimizer}
    return Outcome(states.total, _BY_RECIPE[stage], symbols)


@define("zero.bytes_per_param", OPTIMIZER_BYTES, unit="B", formula="2 + 2 + K", source=f"{_PAPER}, section 3.1")
def _bytes_per_param(optimizer_bytes: float) -> float:
    """Bytes of model states per parameter, unsharded: 16-bit weight, 16-bit gradient, optimizer states."""
    return zero.bytes_per_gpu(1, 1, 0, optimizer_bytes)


@define(
    "zero.bytes_sent",
    PARAMS,
    GPUS,
    STAGE,
    Parameter("dtype_bytes", NUMBER, "bytes of one weight or gradient on the wire", "dtype_bytes", 2, unit="B"),
    unit="B",
    formula="stages 0 to 2: 2 (N - 1) / N x P x dtype_bytes; stage 3: 3 (N - 1) / N x P x dtype_bytes",
    source=f"{_PAPER}, section 7",
)
def _bytes_sent(params: int, gpus: int, stage: int, dtype_bytes: float) -> Outcome:
    """Bytes that each GPU sends in one step, by ring collectives."""
    passes = zero.collective_passes(stage)
    formula = f"{passes} (N - 1) / N x P x dtype_bytes"
    return Outcome(zero.bytes_sent(params, gpus, stage, dtype_bytes), formula)


@define(
    "zero.first_stage_that_fits",
    PARAMS,
    GPUS,
    Parameter("capacity", NUMBER, "bytes of memory of one GPU", "capacity", unit="B"),
    OPTIMIZER_BYTES,
    formula="the lowest stage whose bytes per GPU are at most the capacity",
    source=_STATES,
)
def _first_stage_that_fits(params: int, gpus: int, capacity: float, optimizer_bytes: float) -> Outcome:
    """The lowest ZeRO stage whose model states fit; nothing where even stage 3 does not."""
    stage = zero.first_stage_that_fits(params, gpus, capacity, optimizer_bytes)
    tried = range(4 if stage is None else stage + 1)
    needs = [zero.bytes_per_gpu(params, gpus, number, optimizer_bytes) for number in tried]
    steps = [
        f"stage {number}: {written(need)} B {'<=' if need <= capacity else '>'} {written(capacity)} B"
        for number, need in zip(tried, needs, strict=True)
    ]
    ending = "none fits" if stage is None else str(stage)
    return Outcome(
        stage, worked="; ".join(steps) + f" = {ending}" if stage is not None else "; ".join([*steps, ending])
    )
