"""What a GPU of a 3D layout sends in one training step, by kind of traffic, and what it holds of the model.

Sources: Shoeybi et al. 2019, "Megatron-LM", section 3 (tensor parallelism: two all-reduces a layer forward, two
backward); Narayanan et al. 2021, "Efficient Large-Scale Language Model Training on GPU Clusters", sections 3.2 and 3.3
(messages between stages, gradients over the copies); Rajbhandari et al. 2020 (ZeRO). Values have 16 bits, collectives
are rings. Closed forms; no NumPy.
"""

from __future__ import annotations

from simlib import zero
from simlib.collectives import costs
from simlib.errors import BadArgument, whole_number
from simlib.tensor_parallel import collectives_per_layer, elements_between_stages, elements_sent_per_all_reduce
from simlib.zero import GRADIENT_BYTES

VALUE = 2  # bytes of a 16-bit value


def data_size(gpus: int, tensor: int, pipeline: int) -> int:
    """Copies of the model: GPUs over tensor x pipeline. Raises BadArgument where that is no whole number.

    >>> data_size(3072, 8, 64)
    6
    """
    world, copy = whole_number("gpus", gpus), whole_number("tensor", tensor) * whole_number("pipeline", pipeline)
    if world % copy:
        raise BadArgument("gpus", gpus, f"a multiple of tensor x pipeline ({copy:,})")
    return world // copy


def micro_batches(batch: int, data: int, micro_batch: int) -> int:
    """Micro-batches that each copy runs in a step. Raises BadArgument where the batch does not come out even.

    >>> micro_batches(3072, 6, 1)
    512
    """
    sequences = whole_number("batch", batch)
    at_once = whole_number("data", data) * whole_number("micro_batch", micro_batch)
    if sequences % at_once:
        raise BadArgument("batch", batch, f"a multiple of data x micro_batch ({at_once:,})")
    return sequences // at_once


def state_bytes(params: float, data: int, tensor: int, pipeline: int, stage: int = 0) -> float:
    """Bytes of model states on a GPU: P / (t p) parameters, of which ZeRO's `stage` divides parts by d.

    >>> state_bytes(70e9, 2, 8, 4) / 1e9, state_bytes(70e9, 2, 8, 4, stage=1) / 1e9
    (35.0, 21.875)
    """
    copies = whole_number("data", data)
    shards = whole_number("tensor", tensor) * whole_number("pipeline", pipeline)
    return zero.bytes_per_gpu(whole_number("params", params), copies, stage) / shards


def tensor_bytes(
    layers: int,
    hidden: int,
    sequence: int,
    tensor: int,
    pipeline: int,
    micro_batch: int,
    micro_batches: int,
    recompute: bool = False,
) -> float:
    """Bytes of a GPU's tensor-parallel all-reduces: 4 (or, recomputed, 6) for each of its layers and micro-batches.

    >>> tensor_bytes(80, 8192, 4096, 8, 4, 1, 128) / 1e9
    1202.59084288
    """
    stage_layers = whole_number("layers", layers) / whole_number("pipeline", pipeline)
    each = VALUE * elements_sent_per_all_reduce(sequence, micro_batch, hidden, tensor)
    return (
        collectives_per_layer(recompute=recompute) * stage_layers * whole_number("micro_batches", micro_batches) * each
    )


def pipeline_bytes(hidden: int, sequence: int, pipeline: int, micro_batch: int, micro_batches: int) -> float:
    """Bytes that a GPU of a middle stage sends: an output onwards and a gradient back, for each micro-batch.

    The first and the last stage send one of the two; of two stages each is one of these. One stage sends nothing.

    >>> pipeline_bytes(8192, 4096, 4, 1, 128) / 1e9
    17.179869184
    """
    directions = min(2, whole_number("pipeline", pipeline) - 1)
    each = VALUE * elements_between_stages(sequence, micro_batch, hidden)
    return directions * whole_number("micro_batches", micro_batches) * each


def data_bytes(params: float, data: int, tensor: int, pipeline: int) -> float:
    """Bytes of the ring all-reduce of a GPU's gradients over the copies: 2 (d - 1) / d of 2 P / (t p).

    >>> data_bytes(70e9, 2, 8, 4) / 1e9
    4.375
    """
    shards = whole_number("tensor", tensor) * whole_number("pipeline", pipeline)
    own = GRADIENT_BYTES * whole_number("params", params) / shards
    return costs.ring_bytes_sent(own, whole_number("data", data))
