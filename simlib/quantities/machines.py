"""Quantities of machines and of whole training runs."""

from __future__ import annotations

from simlib import hardware as machines
from simlib.errors import positive_number, whole_number
from simlib.quantities.parameters import GPUS, HARDWARE, PARAMS, TOKENS
from simlib.quantities.registry import NUMBER, Outcome, Parameter, define

_NARAYANAN = "Narayanan et al. 2021, Efficient Large-Scale Language Model Training on GPU Clusters, section 5.1"


@define("hardware.memory_bytes", HARDWARE, unit="B", formula="as published", source="the machine's own data sheet")
def _memory_bytes(hardware: str) -> Outcome:
    """Bytes of memory of one GPU (or TPU chip)."""
    machine = machines.find(hardware)
    return Outcome(machine.memory_bytes, f"memory of the {machine.name}")


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
    work = positive_number("passes", passes) * whole_number("params", params) * positive_number("tokens", tokens)
    return work / (whole_number("gpus", gpus) * positive_number("flops_per_gpu", flops_per_gpu))
