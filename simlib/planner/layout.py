"""One layout of a model on a cluster, with what it holds and where its time goes."""

from __future__ import annotations

from dataclasses import dataclass

from simlib.errors import positive_number
from simlib.transformer import RECOMPUTATION

CHECKPOINTING = RECOMPUTATION  # none, selective, full
# Parts of a step's time, in the order in which they are shown; the hidden ones cost none
PARTS = ("compute", "recompute", "tensor", "pipeline", "data", "bubble", "optimizer")
NOTICEABLE = 0.01  # of the step: what takes less does not limit it


@dataclass(frozen=True, slots=True)
class MemoryUse:
    """Bytes on the fullest GPU, by what they hold."""

    weights: float
    gradients: float
    optimizer: float
    activations: float  # kept from the forward for the backward pass
    other: float  # a layer at work (recomputed or gathered), and what is reserved

    @property
    def total(self) -> float:
        """Their sum."""
        return self.weights + self.gradients + self.optimizer + self.activations + self.other


@dataclass(frozen=True, slots=True)
class StepParts:
    """Seconds of one step on the busiest pipeline stage. The `hidden` ones run beside compute and cost nothing."""

    compute: float
    recompute: float
    tensor: float
    pipeline: float
    data: float
    bubble: float
    optimizer: float
    tensor_hidden: float
    pipeline_hidden: float
    data_hidden: float

    @property
    def total(self) -> float:
        """Seconds of the step."""
        communication = self.tensor + self.pipeline + self.data
        return self.compute + self.recompute + communication + self.bubble + self.optimizer


@dataclass(frozen=True, slots=True)
class Layout:
    """Sizes and choices, and what comes of them. `data` x `tensor` x `pipeline` is the number of GPUs."""

    data: int
    tensor: int
    pipeline: int
    zero: int
    micro_batch: int  # sequences
    chunks: int  # model stages of each pipeline rank
    checkpointing: str
    tensor_inside: bool  # whether a tensor-parallel group stays inside a server
    micro_batches: int
    memory: MemoryUse
    capacity: float
    parts: StepParts
    step_seconds: float
    tokens_per_second: float
    mfu: float
    hfu: float

    @property
    def gpus(self) -> int:
        """How many GPUs it takes."""
        return self.data * self.tensor * self.pipeline

    @property
    def bytes_per_gpu(self) -> float:
        """Bytes on the fullest GPU."""
        return self.memory.total

    @property
    def fits(self) -> bool:
        """Whether the fullest GPU has room."""
        return self.memory.total <= self.capacity

    @property
    def bubble(self) -> float:
        """The share of the step that the busiest stage waits for others: of the total, as in GPipe."""
        return self.parts.bubble / self.step_seconds

    @property
    def limits(self) -> tuple[str, ...]:
        """What keeps the step from being compute alone, costliest first: parts of at least 1% of it.

        A layout without any is limited by "compute"; one that does not fit by "memory", before all else.
        """
        costs = {part: getattr(self.parts, part) for part in PARTS[1:]}
        found = [part for part, cost in costs.items() if cost >= NOTICEABLE * self.step_seconds]
        found.sort(key=costs.__getitem__, reverse=True)
        return (() if self.fits else ("memory",)) + (tuple(found) or ("compute",))

    def seconds_for(self, tokens: float) -> float:
        """Seconds of a run over so many tokens, at this layout's speed and without a pause."""
        return positive_number("tokens", tokens) / self.tokens_per_second

    def gpu_hours_for(self, tokens: float) -> float:
        """GPU-hours of such a run."""
        return self.gpus * self.seconds_for(tokens) / 3600
