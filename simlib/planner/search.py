"""Every layout of a model on a cluster: sizes that divide, those that fit, and why the others do not.

Sizes come from the divisors of the GPUs; what does not divide is refused before anything is computed. Bytes are
computed before seconds, and seconds only for what fits.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

from simlib.planner.choices import Problem, divisors
from simlib.planner.costs import Cluster, Timing, activations, cluster, layout, states, timing
from simlib.planner.layout import CHECKPOINTING, Layout, MemoryUse
from simlib.planner.placement import placements
from simlib.planner.stages import split_layers
from simlib.planner.work import TensorWork, Work

ZERO_STAGES = (0, 1, 2, 3)

TOO_LITTLE_MEMORY = "too little memory"
HEADS = "attention heads not divisible by tensor"
KV_HEADS = "key-value heads neither divisible by tensor nor its divisor"
FFN = "MLP width not divisible by tensor"
LAYERS = "layers not divisible by pipeline"
BATCH = "batch not divisible by data"
ROUNDS = "micro-batches not a multiple of the stages, as chunks need"

Progress = Callable[[int, int], None]


def search(problem: Problem, progress: Progress | None = None) -> tuple[list[Layout], dict[str, int]]:
    """The layouts that fit, fastest first, and how many were refused for which reason.

    Memory refuses single layouts; heads, MLP width, layers and batch refuse a (data, tensor, pipeline) with all
    that it would hold; the rounds of chunks refuse a (data, tensor, pipeline, chunks, micro-batch).
    `progress(done, of)` is called before each (data, tensor, pipeline); what it raises ends the search.
    """
    found: list[Layout] = []
    rejected: Counter[str] = Counter()
    work = Work(problem.shape, problem.hardware, problem.sequence, problem.settings)
    tensors: dict[tuple[int, int], TensorWork] = {}
    sizes = list(_sizes(problem))
    for done, (data, tensor, pipeline) in enumerate(sizes):
        if progress is not None:
            progress(done, len(sizes))
        reason = refusal(problem, data, tensor, pipeline)
        if reason is not None:
            rejected[reason] += 1
            continue
        split = split_layers(problem.shape.layers, pipeline)
        assert split is not None  # refused above
        for place in placements(tensor, data, problem.gpus, problem.hardware.gpus_per_server):
            if problem.allows("tensor_inside", place.tensor_inside):
                key = (tensor, place.tensor.in_server)
                if key not in tensors:
                    tensors[key] = work.tensor(place.tensor)
                _explore(problem, cluster(work, tensors[key], place, split, data), found, rejected)
    found.sort(key=_rank)
    return found, dict(rejected)


def refusal(problem: Problem, data: int, tensor: int, pipeline: int) -> str | None:
    """Why these sizes cannot be, or None."""
    shape = problem.shape
    kv_heads = shape.kv_heads or shape.heads
    if shape.heads % tensor:
        return HEADS
    if kv_heads % tensor and tensor % kv_heads:
        return KV_HEADS
    if shape.ffn_width % tensor:
        return FFN
    if split_layers(shape.layers, pipeline) is None:
        return LAYERS
    return BATCH if problem.global_batch % data else None


def fullest(
    of_states: list[tuple[float, float, float, float]],
    kept: list[float],
    working: float,
    micro_batch: int,
    reserved: float,
) -> tuple[float, int]:
    """(bytes, which) of the fullest of the candidate stages."""
    best, which = -1.0, 0
    for place, (weights, gradients, optimizer, gathered) in enumerate(of_states):
        size = weights + gradients + optimizer + gathered + kept[place] * micro_batch
        if size > best:
            best, which = size, place
    return best + working * micro_batch + reserved, which


def memory_use(
    of_state: tuple[float, float, float, float], kept: float, working: float, micro_batch: int, reserved: float
) -> MemoryUse:
    """The bytes of one stage, by category."""
    weights, gradients, optimizer, gathered = of_state
    other = gathered + working * micro_batch + reserved
    return MemoryUse(weights, gradients, optimizer, kept * micro_batch, other)


def zero_stages(problem: Problem, data: int) -> list[int]:
    """The ZeRO stages to try: with a single copy there is nothing to shard, and only stage 0 is one of its own."""
    return [stage for stage in ZERO_STAGES if (stage == 0 or data > 1) and problem.allows("zero", stage)]


def _sizes(problem: Problem) -> Iterator[tuple[int, int, int]]:
    for tensor in divisors(problem.gpus):
        if problem.allows("tensor", tensor):
            for pipeline in divisors(problem.gpus // tensor):
                data = problem.gpus // tensor // pipeline
                if problem.allows("pipeline", pipeline) and problem.allows("data", data):
                    yield data, tensor, pipeline


def _explore(problem: Problem, cluster: Cluster, found: list[Layout], rejected: Counter[str]) -> None:
    """Adds every layout of `cluster` to `found`, or its reason to `rejected`."""
    share = problem.global_batch // cluster.data
    capacity, reserved = problem.hardware.memory_bytes, problem.settings.reserved_bytes
    zeros = [(zero, states(cluster, zero)) for zero in zero_stages(problem, cluster.data)]
    modes = [mode for mode in CHECKPOINTING if problem.allows("checkpointing", mode)]
    for micro_batch in divisors(share):
        if not problem.allows("micro_batch", micro_batch):
            continue
        m = share // micro_batch
        for chunks in _chunks(problem, cluster):
            if chunks > 1 and m % cluster.split.stages:
                rejected[ROUNDS] += 1
                continue
            for mode in modes:
                kept, working = activations(cluster, chunks, m, mode)
                timed: Timing | None = None
                for zero, of_states in zeros:
                    size, which = fullest(of_states, kept, working, micro_batch, reserved)
                    if size > capacity:
                        rejected[TOO_LITTLE_MEMORY] += 1
                        continue
                    if timed is None:
                        timed = timing(cluster, micro_batch, m, chunks, mode)
                    memory = memory_use(of_states[which], kept[which], working, micro_batch, reserved)
                    found.append(layout(cluster, zero, micro_batch, chunks, mode, timed, memory))


def _chunks(problem: Problem, cluster: Cluster) -> list[int]:
    if cluster.split.stages == 1:
        possible = [1]
    else:
        possible = divisors(cluster.split.layers)
    return [chunks for chunks in possible if problem.allows("chunks", chunks)]


def _rank(layout: Layout) -> tuple[float, float, int, int]:
    """Fastest first; of equally fast ones the emptier, then the simpler."""
    return layout.step_seconds, layout.bytes_per_gpu, layout.zero, layout.chunks
