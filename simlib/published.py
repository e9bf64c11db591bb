"""Training runs that papers report: on how many of which accelerators, how fast, and which utilisation they print."""

from __future__ import annotations

from dataclasses import dataclass

from simlib.errors import BadArgument


@dataclass(frozen=True)
class PublishedRun:
    """One run as it was printed. Shares are numbers from 0 to 1."""

    id: str
    name: str
    model: str  # its id in simlib.models
    gpus: int
    hardware: str  # the id in simlib.hardware
    utilisation: float  # of the dense 16-bit peak
    counts_recomputation: bool  # whether that is HFU, not MFU
    source: str
    tokens_per_second: float | None = None  # all accelerators together
    flops_per_gpu: float | None = None  # achieved FLOP/s, counted as the utilisation is


_LLAMA_3 = "Llama team 2024, The Llama 3 Herd of Models, table 4"

_ALL = (
    PublishedRun(
        "palm-540b",
        "PaLM 540B",
        "palm-540b",
        6144,
        "tpu-v4",
        0.462,
        False,
        "Chowdhery et al. 2022, PaLM, table 3 and appendix B",
        tokens_per_second=238.3e3,
    ),
    PublishedRun(
        "llama-3-405b-8k",
        "Llama 3 405B on 8,192 GPUs",
        "llama-3-405b",
        8192,
        "h100",
        0.43,
        False,
        _LLAMA_3,
        flops_per_gpu=430e12,
    ),
    PublishedRun(
        "llama-3-405b-16k",
        "Llama 3 405B on 16,384 GPUs",
        "llama-3-405b",
        16384,
        "h100",
        0.41,
        False,
        _LLAMA_3,
        flops_per_gpu=400e12,
    ),
    PublishedRun(
        "llama-3-405b-long",
        "Llama 3 405B with a context of 131,072",
        "llama-3-405b",
        16384,
        "h100",
        0.38,
        False,
        _LLAMA_3,
        flops_per_gpu=380e12,
    ),
    PublishedRun(
        "megatron-1t",
        "Megatron-LM 1T",
        "megatron-1t",
        3072,
        "a100",
        0.52,
        True,
        "Narayanan et al. 2021, Efficient Large-Scale Language Model Training on GPU Clusters, table 1",
        flops_per_gpu=502e15 / 3072,
    ),
)

RUNS = {run.id: run for run in _ALL}


def find(run: str) -> PublishedRun:
    """The run with the id `run`. Raises BadArgument that lists the ids.

    >>> find("palm-540b").utilisation
    0.462
    """
    if not isinstance(run, str) or run.lower() not in RUNS:
        raise BadArgument("run", run, ", ".join(RUNS))
    return RUNS[run.lower()]
