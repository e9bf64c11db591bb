"""Quantities of machines and of whole training runs."""

from __future__ import annotations

from simlib import hardware as machines
from simlib import throughput, transformer, zero
from simlib.errors import whole_number
from simlib.quantities.parameters import GPUS, HARDWARE, OPTIMIZER_BYTES, PARAMS, TOKENS
from simlib.quantities.registry import NUMBER, WHOLE, Outcome, Parameter, define

PASSES = Parameter("passes", NUMBER, "FLOPs per parameter and token: 6, or 8 with full recomputation", "k", 6)

_ZERO = "Rajbhandari et al. 2020, ZeRO: Memory Optimizations Toward Training Trillion Parameter Models"
_NARAYANAN = "Narayanan et al. 2021, Efficient Large-Scale Language Model Training on GPU Clusters, section 5.1"


@define("hardware.memory_bytes", HARDWARE, unit="B", formula="as published", source="the machine's own data sheet")
def _memory_bytes(hardware: str) -> Outcome:
    """Bytes of memory of one GPU (or TPU chip)."""
    machine = machines.find(hardware)
    return Outcome(machine.memory_bytes, f"memory of the {machine.name}")


@define(
    "hardware.peak_flops",
    HARDWARE,
    unit="FLOP/s",
    formula="dense 16-bit, as published",
    source="the machine's own data sheet",
)
def _peak_flops(hardware: str) -> Outcome:
    """Peak FLOP/s of one GPU (or TPU chip) in dense 16-bit matrix arithmetic."""
    machine = machines.find(hardware)
    return Outcome(machine.peak_flops, f"dense 16-bit peak of the {machine.name}")


@define(
    "hardware.bandwidth",
    HARDWARE,
    Parameter("gpus", WHOLE, "how many GPUs talk", "N"),
    unit="B/s",
    formula="inside a server its fast links', beyond the network's",
    source="the machine's own data sheet",
)
def _bandwidth(hardware: str, gpus: int) -> Outcome:
    """Bytes per second and direction that a ring of so many GPUs gets."""
    machine = machines.find(hardware)
    inside = whole_number("gpus", gpus) <= machine.gpus_per_server
    what = f"fast links that join {machine.gpus_per_server:,}" if inside else "network between servers"
    return Outcome(machine.bandwidth(gpus), f"{machine.name}, {what}")


@define(
    "training.state_bytes", PARAMS, OPTIMIZER_BYTES, unit="B", formula="(4 + K) x P", source=f"{_ZERO}, section 3.1"
)
def _state_bytes(params: int, optimizer_bytes: float) -> float:
    """Bytes of model states of a whole model, before any activation."""
    return zero.bytes_per_gpu(params, 1, 0, optimizer_bytes)


@define(
    "training.flops",
    PARAMS,
    TOKENS,
    PASSES,
    unit="FLOP",
    formula="k x P x tokens",
    source=_NARAYANAN,
)
def _training_flops(params: int, tokens: float, passes: float) -> float:
    """FLOPs of a whole training run."""
    return transformer.training_seconds(params, tokens, 1, 1, passes)


@define(
    "machine.utilisation",
    Parameter("flops_per_second", NUMBER, "FLOP/s that all GPUs together achieve", "achieved", unit="FLOP/s"),
    GPUS,
    HARDWARE,
    formula="achieved / (N x peak)",
    source="Chowdhery et al. 2022, PaLM, appendix B",
)
def _utilisation(flops_per_second: float, gpus: int, hardware: str) -> Outcome:
    """The share of peak: MFU of model FLOPs, HFU of all FLOPs done."""
    peak = machines.find(hardware).peak_flops
    return Outcome(throughput.utilisation(flops_per_second, gpus, peak), symbols={"peak": peak})


@define(
    "training.seconds",
    PARAMS,
    TOKENS,
    GPUS,
    Parameter("flops_per_gpu", NUMBER, "FLOP/s that each GPU achieves", "X", unit="FLOP/s"),
    PASSES,
    unit="s",
    formula="k x P x tokens / (N x X)",
    source=_NARAYANAN,
)
def _training_seconds(params: int, tokens: float, gpus: int, flops_per_gpu: float, passes: float) -> float:
    """Seconds that a whole training run takes."""
    return transformer.training_seconds(params, tokens, gpus, flops_per_gpu, passes)
