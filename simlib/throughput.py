"""How long a data-parallel step takes, and how much of the machine it uses.

The machine model: every GPU reaches the same share of its peak in matrix arithmetic, messages have no latency,
and gradients go around one ring over all GPUs, as fast as its slowest link. Only the backward pass, two thirds
of the compute, can hide communication (Li et al. 2020, "PyTorch Distributed"). MFU and HFU as in Chowdhery et al.
2022, "PaLM", appendix B. Closed forms; no NumPy.
"""

from __future__ import annotations

from dataclasses import dataclass

from simlib.collectives.costs import ring_all_reduce_time
from simlib.errors import positive_number, whole_number
from simlib.hardware import Hardware
from simlib.models import Model

# The share of peak that the machine model's matrix multiplications reach; no step can use more
MATMUL_EFFICIENCY = 0.473
GRADIENT_BYTES = 2  # gradients travel in 16 bits
BACKWARD_SHARE = 2 / 3  # of the compute without recomputation


@dataclass(frozen=True)
class StepTime:
    """Where the time of one step goes, in seconds; shares of the machine's peak as numbers from 0 to 1."""

    flops: float  # model FLOPs of the step, recomputation not counted
    compute: float
    sync: float  # the all-reduce of the gradients, alone
    exposed: float  # what of it the backward pass does not hide
    seconds: float
    mfu: float
    hfu: float


def model_flops(model: Model, tokens: float) -> float:
    """Model FLOPs of `tokens` tokens at the model's own context: tokens x (6 P + 12 L H Q T)."""
    return positive_number("tokens", tokens) * model.shape.flops_per_token()


def compute_seconds(model: Model, gpus: int, hardware: Hardware, tokens: float, recompute: bool = False) -> float:
    """Seconds of arithmetic of one step: FLOPs over GPUs x 0.473 x peak; a third more with full recomputation."""
    rate = whole_number("gpus", gpus) * MATMUL_EFFICIENCY * hardware.peak_flops
    return model_flops(model, tokens) * (4 / 3 if recompute else 1) / rate


def sync_seconds(model: Model, gpus: int, hardware: Hardware) -> float:
    """Seconds of the ring all-reduce of 16-bit gradients, on NVLink inside a server and on the network beyond."""
    size = GRADIENT_BYTES * model.shape.params
    return ring_all_reduce_time(size, gpus, 0, hardware.bandwidth(whole_number("gpus", gpus)))


def step_time(
    model: Model,
    gpus: int,
    hardware: Hardware,
    tokens: float,
    overlap: bool = True,
    recompute: bool = False,
) -> StepTime:
    """The time of one step of `tokens` tokens in all.

    With `overlap` the backward pass (with `recompute`: the recomputed forward passes too) hides what it can of
    the synchronisation; without it, synchronisation comes after the compute.
    Raises BadArgument for sizes that are not positive.

    >>> from simlib import hardware, models
    >>> step = step_time(models.find("llama-7b"), 64, hardware.find("h100"), 2**20, overlap=False)
    >>> round(step.compute, 2), round(step.sync, 2), round(step.seconds, 2), round(step.mfu, 3)
    (1.64, 0.53, 2.17, 0.357)
    """
    flops = model_flops(model, tokens)
    base = compute_seconds(model, gpus, hardware, tokens)
    compute = compute_seconds(model, gpus, hardware, tokens, recompute)
    sync = sync_seconds(model, gpus, hardware)
    # The forward pass of the step itself, a third of the base, has no gradients to send yet
    hides = compute - (1 - BACKWARD_SHARE) * base
    exposed = max(0.0, sync - hides) if overlap else sync
    seconds = compute + exposed
    used = utilisation(flops / seconds, gpus, hardware.peak_flops)
    return StepTime(flops, compute, sync, exposed, seconds, used, used * compute / base)


def utilisation(flops_per_second: float, gpus: int, peak_flops: float) -> float:
    """The share of peak: MFU for model FLOPs, HFU for all FLOPs that the hardware did, recomputed ones too.

    Use a dense peak: data sheets print twice as much for sparse matrices.

    >>> round(utilisation(502e15, 3072, 312e12), 2)
    0.52
    """
    achieved = positive_number("flops_per_second", flops_per_second, zero=True)
    return achieved / (whole_number("gpus", gpus) * positive_number("peak_flops", peak_flops))


@dataclass(frozen=True)
class PeakShares:
    """What becomes of the FLOPs that the GPUs could do during a step: shares from 0 to 1 that add up to 1."""

    model: float  # the MFU
    recomputed: float  # with it, the HFU
    unreached: float  # while computing, below the peak: what the matrix products do not reach
    waiting: float  # while nothing is computed


def peak_shares(step: StepTime) -> PeakShares:
    """The step's use of the peak.

    >>> from simlib import hardware, models
    >>> step = step_time(models.find("llama-7b"), 64, hardware.find("h100"), 2**20, overlap=False)
    >>> shares = peak_shares(step)
    >>> round(shares.model, 3), round(shares.unreached, 3), round(shares.waiting, 3)
    (0.357, 0.398, 0.244)
    """
    computing = step.compute / step.seconds
    return PeakShares(step.mfu, step.hfu - step.mfu, computing - step.hfu, step.exposed / step.seconds)
