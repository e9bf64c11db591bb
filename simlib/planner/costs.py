"""What a layout costs: bytes on the fullest GPU, and where the seconds of a step go.

A step is m micro-batches on the busiest stage, what it waits for the others (the bubble), the messages between
stages, the gradients' sum and the optimizer. Sources: Narayanan et al. 2021, sections 2.2, 3 and 4.1 (pipeline,
scatter/gather); Rajbhandari et al. 2020 (what ZeRO shards and sends); Li et al. 2020 and Zhao et al. 2023 (what runs
beside the backward pass). Closed forms; no NumPy.

How it overlaps, where the settings let it: gradients that are complete after the last micro-batch travel during its
backward pass, sharded weights are gathered during the next forward pass. ZeRO 2 and 3 keep no whole gradients, so
each micro-batch's are scattered on its own; ZeRO 3 gathers the weights for each forward and each backward pass; both
do so layer by layer, each time with the latency of a ring.
Stages exchange messages beside the arithmetic only with chunks, and never while the pipeline fills and drains. What
runs beside one message does not hide another: tensor parallelism first, then the stages, then the gradients.

What it leaves out: uneven sequences, the loading of data, checkpoints written, failures, jitter between GPUs, other
traffic on the network, offloading, expert and context parallelism, zero-bubble schedules, 8-bit arithmetic.
"""

from __future__ import annotations

from dataclasses import dataclass

from simlib.planner.layout import Layout, MemoryUse, StepParts
from simlib.planner.placement import Placement
from simlib.planner.stages import MicroBatch, Split, kept_bytes, micro_batch_seconds, stage_params
from simlib.planner.work import VALUE, TensorWork, Work


@dataclass(frozen=True, slots=True)
class Cluster:
    """How one (data, tensor, pipeline) is placed and cut: what the inner choices share."""

    work: Work
    tensor: TensorWork
    placement: Placement
    split: Split
    data: int
    params: tuple[float, ...]  # on a GPU of each of the split's candidates
    data_byte: float  # seconds for each byte of half an all-reduce over the data-parallel group
    data_latency: float
    embedding_sum: float  # seconds: tied embeddings of the first and the last stage add up their gradients


def cluster(work: Work, tensor: TensorWork, placement: Placement, split: Split, data: int) -> Cluster:
    """The shared part of the costs of layouts that are placed and cut alike."""
    tied = work.shape.tied
    embedding = work.shape.vocab * work.shape.hidden / placement.tensor.size
    params = [stage_params(tensor, split, stage, embedding if tied else 0.0) for stage in split.candidates()]
    byte, latency = work.links.ring_rates(placement.data)
    embedding_sum = 0.0
    if tied and split.stages > 1:
        message, delay = work.links.message_rates(placement.stages_together)
        embedding_sum = message * work.settings.gradient_bytes * embedding + delay
    return Cluster(work, tensor, placement, split, data, tuple(params), byte, latency, embedding_sum)


def states(cluster: Cluster, zero: int) -> list[tuple[float, float, float, float]]:
    """(weights, gradients, optimizer, what is gathered or not yet scattered) in bytes, for each candidate stage."""
    settings, d = cluster.work.settings, cluster.data
    # While a layer is at work at stage 3, its weights and the next one's are whole, and its gradients as at stage 2
    largest = max(cluster.tensor.layer.params, cluster.tensor.first.params)
    gathered = 2 * VALUE * largest if zero == 3 and d > 1 else 0.0
    gathered += settings.gradient_bytes * largest if zero >= 2 and d > 1 else 0.0
    return [
        (
            VALUE * params / (d if zero >= 3 else 1),
            settings.gradient_bytes * params / (d if zero >= 2 else 1),
            settings.optimizer_bytes * params / (d if zero >= 1 else 1),
            gathered,
        )
        for params in cluster.params
    ]


def activations(cluster: Cluster, chunks: int, micro_batches: int, checkpointing: str) -> tuple[list[float], float]:
    """Bytes for each sequence of a micro-batch: kept, for each candidate stage, and for the layer being recomputed."""
    kept = kept_bytes(cluster.tensor, cluster.split, chunks, micro_batches, checkpointing)
    return kept, cluster.tensor.layer.working[checkpointing]


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds of a step that do not depend on the ZeRO stage."""

    micro: MicroBatch
    micro_batches: int
    bubble: float
    pipeline: float
    pipeline_hidden: float
    forward_free: float  # arithmetic of a micro-batch's forward pass that nothing else runs beside
    backward_free: float


def timing(cluster: Cluster, micro_batch: int, micro_batches: int, chunks: int, checkpointing: str) -> Timing:
    """The time of m micro-batches through the pipeline: m on the busiest stage, then the others once, over v."""
    work, split, m, v = cluster.work, cluster.split, micro_batches, chunks
    micro = micro_batch_seconds(cluster.tensor, split, micro_batch, checkpointing, work.blocks, work.settings)
    forward, backward = micro.forward, micro.backward - micro.tensor_hidden
    if split.stages == 1:
        return Timing(micro, m, 0.0, 0.0, 0.0, forward, backward)
    message = _message_seconds(cluster, micro_batch)
    steady, filling = 2 * m * v * message, 2 * (split.stages - 1) * message
    bubble = (micro.all_stages - micro.busy) / v
    if not work.settings.overlap_pipeline or v == 1:  # with a single chunk a stage waits for its message
        return Timing(micro, m, bubble, steady + filling, 0.0, forward, backward)
    with_forward, with_backward = min(v * message, forward), min(v * message, backward)
    hidden = m * (with_forward + with_backward)
    free = forward - with_forward, backward - with_backward
    return Timing(micro, m, bubble, steady - hidden + filling, hidden, *free)


def _message_seconds(cluster: Cluster, micro_batch: int) -> float:
    """Of a stage's output to the next: each tensor-parallel GPU sends its slice; whole outputs are gathered there."""
    work, t = cluster.work, cluster.placement.tensor.size
    byte, latency = work.links.message_rates(cluster.placement.stages_together)
    slice_bytes = VALUE * micro_batch * work.shape.sequence * work.shape.hidden / t
    gathering = 0.0
    if t > 1 and not work.settings.sequence_parallel:
        gathering = micro_batch * cluster.tensor.collective + cluster.tensor.latency
    return slice_bytes * byte + latency + gathering


def data_seconds(cluster: Cluster, zero: int, timing: Timing) -> tuple[float, float]:
    """(exposed, hidden) seconds of the gradients' sum and the sharded weights' gathering, in one step."""
    if cluster.data == 1:
        return cluster.embedding_sum, 0.0
    settings, params, m = cluster.work.settings, max(cluster.params), timing.micro_batches
    scatter = settings.gradient_bytes * params * cluster.data_byte
    gather = VALUE * params * cluster.data_byte
    once = cluster.data_latency
    layer_by_layer = cluster.split.layers * once  # a collective for each layer
    forward, backward = timing.forward_free, timing.backward_free
    # (seconds, what it can run beside, how often)
    if zero == 0:
        traffic = [(2 * (scatter + once), backward, 1)]
    elif zero == 1:
        traffic = [(scatter + once, backward, 1), (gather + once, forward, 1)]
    elif zero == 2:
        traffic = [(scatter + layer_by_layer, backward, m), (gather + once, forward, 1)]
    else:
        traffic = [
            (gather + layer_by_layer, forward, m),
            (gather + scatter + 2 * layer_by_layer, backward, m),
        ]
    total = hidden = 0.0
    for seconds, beside, times in traffic:
        total += times * seconds
        hidden += times * min(seconds, beside) if settings.overlap_data else 0.0
    return total - hidden + cluster.embedding_sum, hidden


def layout(
    cluster: Cluster, zero: int, micro_batch: int, chunks: int, checkpointing: str, timing: Timing, memory: MemoryUse
) -> Layout:
    """The layout with its step time and what follows from it."""
    work, gpus = cluster.work, cluster.data * cluster.placement.tensor.size * cluster.split.stages
    m, micro = timing.micro_batches, timing.micro
    data, data_hidden = data_seconds(cluster, zero, timing)
    optimizer = work.optimizer_seconds * max(cluster.params) / (cluster.data if zero else 1)
    compute, recompute, tensor = m * micro.compute, m * micro.recompute, m * micro.tensor
    seconds = compute + recompute + tensor + timing.pipeline + data + timing.bubble + optimizer
    rate = m * micro_batch * cluster.data * work.shape.sequence / seconds
    used = rate / (gpus * work.hardware.peak_flops)
    return Layout(
        cluster.data,
        cluster.placement.tensor.size,
        cluster.split.stages,
        zero,
        micro_batch,
        chunks,
        checkpointing,
        cluster.placement.tensor_inside,
        m,
        memory,
        work.hardware.memory_bytes,
        StepParts(
            compute,
            recompute,
            tensor,
            timing.pipeline,
            data,
            timing.bubble,
            optimizer,
            m * micro.tensor_hidden,
            timing.pipeline_hidden,
            data_hidden,
        ),
        seconds,
        rate,
        used * work.model_flops_per_token,
        used * (work.model_flops_per_token + work.recomputed_flops_per_token(checkpointing)),
    )
