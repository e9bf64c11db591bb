"""Quantities of transformers: parameters, FLOPs, and the step of a published model."""

from __future__ import annotations

from simlib import hardware, models, throughput, transformer
from simlib.quantities.parameters import HARDWARE, MODEL, PARAMS, RECOMPUTE, TOKENS
from simlib.quantities.registry import FLAG, WHOLE, Outcome, Parameter, define

_NARAYANAN = "Narayanan et al. 2021, Efficient Large-Scale Language Model Training on GPU Clusters"
_PALM = "Chowdhery et al. 2022, PaLM, appendix B"
_OVERLAP = "Li et al. 2020, PyTorch Distributed"

LAYERS = Parameter("layers", WHOLE, "transformer layers", "L")
HIDDEN = Parameter("hidden", WHOLE, "hidden size", "h")
VOCAB = Parameter("vocab", WHOLE, "entries of the vocabulary", "V")
SEQUENCE = Parameter("sequence", WHOLE, "tokens of one sequence", "s")
GPUS = Parameter("gpus", WHOLE, "how many GPUs share the batch", "N")
# All quantities of a step take the same arguments, those that do not change them too
OVERLAP = Parameter("overlap", FLAG, "whether the backward pass hides communication", "overlap", True)


@define(
    "transformer.params",
    LAYERS,
    HIDDEN,
    VOCAB,
    SEQUENCE,
    formula="12 x L x h^2 x (1 + 13 / (12 x h) + (V + s) / (12 x L x h))",
    source=f"{_NARAYANAN}, equation 2",
)
def _params(layers: int, hidden: int, vocab: int, sequence: int) -> float:
    """Parameters of a GPT."""
    return transformer.params(layers, hidden, vocab, sequence)


@define(
    "transformer.flops_per_step",
    LAYERS,
    HIDDEN,
    VOCAB,
    SEQUENCE,
    Parameter("batch", WHOLE, "sequences in one step, on all GPUs together", "B"),
    Parameter("recompute", FLAG, "whether all activations are recomputed", "recompute", True),
    unit="FLOP",
    formula=(
        "96 x B x s x L x h^2 x (1 + s / (6 x h) + V / (16 x L x h)); "
        "without recomputation 72 x B x s x L x h^2 x (1 + s / (6 x h) + V / (12 x L x h))"
    ),
    source=f"{_NARAYANAN}, equation 3",
)
def _flops_per_step(layers: int, hidden: int, vocab: int, sequence: int, batch: int, recompute: bool) -> Outcome:
    """FLOPs of one training step of a GPT, forward and backward."""
    first, last = (96, 16) if recompute else (72, 12)
    return Outcome(
        transformer.flops_per_step(layers, hidden, vocab, sequence, batch, recompute),
        f"{first} x B x s x L x h^2 x (1 + s / (6 x h) + V / ({last} x L x h))",
    )


@define(
    "transformer.flops_per_token",
    PARAMS,
    LAYERS,
    Parameter("heads", WHOLE, "attention heads", "H"),
    Parameter("head_size", WHOLE, "numbers in a head", "Q"),
    Parameter("sequence", WHOLE, "tokens of context", "T"),
    unit="FLOP",
    formula="6 x P + 12 x L x H x Q x T",
    source=_PALM,
)
def _flops_of_shape(params: int, layers: int, heads: int, head_size: int, sequence: int) -> float:
    """Model FLOPs of one token, forward and backward; all of the attention matrix counts, the masked half too."""
    return transformer.flops_per_token(params, layers, heads, head_size, sequence)


def _step(
    model: str, gpus: int, hardware_id: str, tokens: float, overlap: bool = True, recompute: bool = False
) -> tuple[throughput.StepTime, dict[str, float]]:
    """The step, and the figures that its formulas name."""
    found, machine = models.find(model), hardware.find(hardware_id)
    step = throughput.step_time(found, gpus, machine, tokens, overlap, recompute)
    shape = found.shape
    symbols = {
        "P": shape.params,
        "L": shape.layers,
        "H": shape.heads,
        "Q": shape.attention_width // shape.heads,
        "T": shape.sequence,
        "efficiency": throughput.MATMUL_EFFICIENCY,
        "peak": machine.peak_flops,
        "bandwidth": machine.bandwidth(gpus),
        "compute": step.compute,
        "sync": step.sync,
        "exposed": step.exposed,
        "seconds": step.seconds,
    }
    return step, symbols


_COMPUTE = "tokens x (6 x P + 12 x L x H x Q x T) / (N x efficiency x peak)"
_MFU = "tokens x (6 x P + 12 x L x H x Q x T) / (seconds x N x peak)"


@define("model.params", MODEL, formula="as counted from the published shape", source="the model's own paper")
def _model_params(model: str) -> Outcome:
    """Parameters of a published model."""
    found = models.find(model)
    return Outcome(found.shape.params, f"parameters of {found.name} ({found.source})")


@define("model.flops_per_token", MODEL, unit="FLOP", formula="6 x P + 12 x L x H x Q x T", source=_PALM)
def _flops_per_token(model: str) -> Outcome:
    """Model FLOPs of one token of a published model, forward and backward, at its own context."""
    _, symbols = _step(model, 1, "h100", 1)
    return Outcome(models.find(model).shape.flops_per_token(), symbols=symbols)


@define(
    "step.compute_seconds", MODEL, GPUS, HARDWARE, TOKENS, OVERLAP, RECOMPUTE, unit="s", formula=_COMPUTE, source=_PALM
)
def _compute_seconds(model: str, gpus: int, hardware: str, tokens: float, overlap: bool, recompute: bool) -> Outcome:
    """Seconds of arithmetic of one step; a third more with full recomputation."""
    step, symbols = _step(model, gpus, hardware, tokens, overlap, recompute)
    return Outcome(step.compute, f"4 / 3 x {_COMPUTE}" if recompute else _COMPUTE, symbols)


@define(
    "step.sync_seconds",
    MODEL,
    GPUS,
    HARDWARE,
    Parameter("tokens", "number", "tokens of a step; gradients do not depend on them", "tokens", 1),
    OVERLAP,
    RECOMPUTE,
    unit="s",
    formula="2 (N - 1) / N x 2 x P / bandwidth",
    source="Patarasuk and Yuan 2009, Bandwidth optimal all-reduce algorithms for clusters of workstations",
)
def _sync_seconds(model: str, gpus: int, hardware: str, tokens: float, overlap: bool, recompute: bool) -> Outcome:
    """Seconds of the ring all-reduce of 16-bit gradients: inside a server on NVLink, beyond on the network."""
    step, symbols = _step(model, gpus, hardware, tokens, overlap, recompute)
    return Outcome(step.sync, symbols=symbols)


@define(
    "step.seconds",
    MODEL,
    GPUS,
    HARDWARE,
    TOKENS,
    OVERLAP,
    RECOMPUTE,
    unit="s",
    formula="compute + max(0, sync - 2 / 3 x compute); without overlap compute + sync",
    source=_OVERLAP,
)
def _seconds(model: str, gpus: int, hardware: str, tokens: float, overlap: bool, recompute: bool) -> Outcome:
    """Seconds of one data-parallel step; two thirds of the compute (three quarters if recomputed) can hide."""
    step, symbols = _step(model, gpus, hardware, tokens, overlap, recompute)
    hidden = "3 / 4" if recompute else "2 / 3"
    formula = f"compute + max(0, sync - {hidden} x compute)" if overlap else "compute + sync"
    return Outcome(step.seconds, formula, symbols)


@define(
    "step.exposed_seconds",
    MODEL,
    GPUS,
    HARDWARE,
    TOKENS,
    OVERLAP,
    RECOMPUTE,
    unit="s",
    formula="max(0, sync - 2 / 3 x compute); without overlap sync",
    source=_OVERLAP,
)
def _exposed(model: str, gpus: int, hardware: str, tokens: float, overlap: bool, recompute: bool) -> Outcome:
    """Seconds of communication that the backward pass does not hide."""
    step, symbols = _step(model, gpus, hardware, tokens, overlap, recompute)
    hidden = "3 / 4" if recompute else "2 / 3"
    return Outcome(step.exposed, f"max(0, sync - {hidden} x compute)" if overlap else "sync", symbols)


@define("step.mfu", MODEL, GPUS, HARDWARE, TOKENS, OVERLAP, RECOMPUTE, formula=_MFU, source=_PALM)
def _mfu(model: str, gpus: int, hardware: str, tokens: float, overlap: bool, recompute: bool) -> Outcome:
    """Model FLOPs utilisation: the share of peak that the step's model FLOPs are; recomputed ones do not count."""
    step, symbols = _step(model, gpus, hardware, tokens, overlap, recompute)
    return Outcome(step.mfu, symbols=symbols)


@define("step.hfu", MODEL, GPUS, HARDWARE, TOKENS, OVERLAP, RECOMPUTE, formula=_MFU, source=_PALM)
def _hfu(model: str, gpus: int, hardware: str, tokens: float, overlap: bool, recompute: bool) -> Outcome:
    """Hardware FLOPs utilisation: recomputed FLOPs count too, a third more with full recomputation."""
    step, symbols = _step(model, gpus, hardware, tokens, overlap, recompute)
    return Outcome(step.hfu, f"4 / 3 x {_MFU}" if recompute else _MFU, symbols)
