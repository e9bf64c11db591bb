"""Quantities of machines and of whole training runs."""

from __future__ import annotations

from simlib import hardware as machines
from simlib import transformer
from simlib.errors import whole_number
from simlib.quantities.parameters import GPUS, HARDWARE, PARAMS, TOKENS
from simlib.quantities.registry import NUMBER, WHOLE, Outcome, Parameter, define

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
    "training.seconds",
    PARAMS,
    TOKENS,
    GPUS,
    Parameter("flops_per_gpu", NUMBER, "FLOP/s that each GPU achieves", "X"),
    Parameter("passes", NUMBER, "FLOPs per parameter and token: 6, or 8 with full recomputation", "k", 6),
    unit="s",
    formula="k x P x tokens / (N x X)",
    source=_NARAYANAN,
)
def _training_seconds(params: int, tokens: float, gpus: int, flops_per_gpu: float, passes: float) -> float:
    """Seconds that a whole training run takes."""
    return transformer.training_seconds(params, tokens, gpus, flops_per_gpu, passes)
