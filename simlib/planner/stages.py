"""How layers are cut into pipeline stages, what each stage holds, and how long a micro-batch takes on it.

1F1B keeps min(p, m) micro-batches on the first stage, the interleaved schedule (v + 1) p - 1 chunks of 1/v of its
layers (Narayanan et al. 2021, section 2.2; Korthikanti et al. 2022, section 4.2.3). Tensor parallelism has 4
collectives a layer forward and backward, 6 with full recomputation; sequence parallelism makes each a reduce-scatter
and an all-gather, and gathers the inputs once more in the backward pass, beside the arithmetic (Shoeybi et al. 2019,
section 3; Korthikanti et al. 2022, section 4.2.2). Closed forms; no NumPy.
"""

from __future__ import annotations

from dataclasses import dataclass

from simlib.planner.settings import Settings
from simlib.planner.work import TensorWork

BACKWARD = 2  # backward passes cost twice the forward


@dataclass(frozen=True, slots=True)
class Split:
    """`layers` on each of the stages; with `short_ends` one fewer on the first and the last (Llama 3, section 3.3.2).

    There the embedding and the output layer stand for a layer each.
    """

    stages: int
    layers: int
    short_ends: bool = False

    @property
    def at_ends(self) -> int:
        """Layers of the first and the last stage."""
        return self.layers - self.short_ends

    def candidates(self) -> tuple[int, ...]:
        """The stages that may be the fullest: the first, with short ends the second too, and the last."""
        if self.stages == 1:
            return (0,)
        return (0, 1, self.stages - 1) if self.short_ends and self.stages > 2 else (0, self.stages - 1)


def split_layers(layers: int, stages: int) -> Split | None:
    """Equal stages, or equal but for shorter ends, or None where neither comes out.

    >>> split_layers(96, 8), split_layers(96, 9)
    (Split(stages=8, layers=12, short_ends=False), None)
    >>> split_layers(126, 16)
    Split(stages=16, layers=8, short_ends=True)
    """
    if layers % stages == 0:
        return Split(stages, layers // stages)
    if stages > 1 and (layers + 2) % stages == 0 and layers + 2 > stages:
        return Split(stages, (layers + 2) // stages, short_ends=True)
    return None


def stage_params(work: TensorWork, split: Split, stage: int, tied_embedding: float) -> float:
    """Parameters on a GPU of `stage`; a single stage has a tied embedding (`tied_embedding` parameters) once."""
    first, last = stage == 0, stage == split.stages - 1
    params = (split.at_ends if first or last else split.layers) * work.layer.params
    params += work.first.params if first else 0
    params += work.last.params if last else 0
    return params - (tied_embedding if first and last else 0)


def kept_sequences(split: Split, stage: int, chunks: int, micro_batches: int) -> tuple[float, int]:
    """(layers x micro-batches, micro-batches of the end) whose activations `stage` holds at its fullest moment.

    >>> kept_sequences(Split(8, 12), 0, 1, 64), kept_sequences(Split(8, 12), 0, 3, 64)
    ((96.0, 8), (124.0, 8))
    """
    p, v, m = split.stages, chunks, micro_batches
    in_flight = min(m, p - stage)
    # The warm-up of the interleaved schedule, and the one forward before the first backward
    held = in_flight if v == 1 else min(v * m, 2 * (p - 1 - stage) + (v - 1) * p + 1)
    missing = in_flight if split.short_ends and stage in (0, p - 1) else 0
    return split.layers / v * held - missing, in_flight


def kept_bytes(work: TensorWork, split: Split, chunks: int, micro_batches: int, checkpointing: str) -> list[float]:
    """Bytes of activations for micro-batches of one sequence, for each of the split's candidates."""
    found = []
    for stage in split.candidates():
        layers, in_flight = kept_sequences(split, stage, chunks, micro_batches)
        size = layers * work.layer.kept[checkpointing]
        size += in_flight * work.first.kept if stage == 0 else 0
        size += work.last.kept if stage == split.stages - 1 else 0
        found.append(size)
    return found


@dataclass(frozen=True, slots=True)
class MicroBatch:
    """Seconds of one micro-batch on the busiest stage, forward and backward, and of all stages together."""

    compute: float
    recompute: float
    tensor: float  # exposed
    tensor_hidden: float
    all_stages: float

    @property
    def busy(self) -> float:
        """What the stage is busy for."""
        return self.compute + self.recompute + self.tensor

    @property
    def forward(self) -> float:
        """Seconds of arithmetic of the forward pass."""
        return self.compute / (1 + BACKWARD)

    @property
    def backward(self) -> float:
        """Seconds of arithmetic of the backward pass, recomputation included."""
        return self.compute - self.forward + self.recompute


def micro_batch_seconds(
    work: TensorWork, split: Split, size: int, checkpointing: str, blocks: int, settings: Settings
) -> MicroBatch:
    """The time of a micro-batch of `size` sequences; `blocks` is how many of a layer's parts have collectives."""
    layer, half = work.layer, size * work.collective + work.latency
    recompute = {"none": 0.0, "selective": layer.attention_core, "full": layer.forward}[checkpointing] * size
    exposed, hidden = _collectives(half, size * layer.weight_gradient, checkpointing, blocks, settings)
    compute = (1 + BACKWARD) * size * layer.forward
    stages = []
    for first, last, count in _kinds(split):
        layers = split.at_ends if first or last else split.layers
        ends = (work.first.forward if first else 0.0) + (work.last.forward if last else 0.0)
        stage_compute = layers * compute + (1 + BACKWARD) * size * ends
        # The split embedding's sum at the first stage, the output layer's at the last
        tensor = layers * exposed + 2 * half * (first + last)
        stages.append((stage_compute + layers * recompute + tensor, stage_compute, layers, tensor, count))
    everything = sum(stage[0] * stage[-1] for stage in stages)
    _, stage_compute, layers, tensor, _ = max(stages)
    return MicroBatch(stage_compute, layers * recompute, tensor, layers * hidden, everything)


def _kinds(split: Split) -> list[tuple[bool, bool, int]]:
    """(is the first, is the last, how many) of each kind of stage."""
    if split.stages == 1:
        return [(True, True, 1)]
    middle = [(False, False, split.stages - 2)] if split.stages > 2 else []
    return [(True, False, 1), (False, True, 1), *middle]


def _collectives(
    half: float, weight_gradient: float, checkpointing: str, blocks: int, settings: Settings
) -> tuple[float, float]:
    """(exposed, hidden) seconds of a layer's collectives, each block's all-reduce being two halves."""
    total = (6 if checkpointing == "full" else 4) * blocks * half
    hideable = 2 * blocks * half  # the input gradients' sums
    if settings.sequence_parallel:
        # Only the reduce-scatter half of them; and the inputs are gathered again, beside the arithmetic
        again = blocks * half
        total, hideable = total + again, 2 * again
    hidden = min(hideable, weight_gradient) if settings.overlap_tensor else 0.0
    return total - hidden, hidden
