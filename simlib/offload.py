"""ZeRO with states kept in the host's memory: bytes on the GPU and in the host, as DeepSpeed estimates them.

Source: DeepSpeed's estimators of model states (docs, "Memory Requirements"; runtime/zero/stage3.py and
stage_1_and_2.py). 18 bytes a parameter: 2 weights, 4 gradients in FP32, 12 of Adam.
"""

from __future__ import annotations

from dataclasses import dataclass

from simlib.errors import BadArgument, positive_number, whole_number

# Copies and staging buffers that the host needs on top
BUFFER_FACTOR = 1.5


@dataclass(frozen=True)
class HostAndGpu:
    """Bytes in one host's memory and on each of its GPUs."""

    host: float
    gpu: float


def zero2(params: float, gpus: int, offload: bool = False) -> float:
    """Bytes on each GPU at stage 2: the weights, and 1/N of gradients and optimizer states unless those are offloaded.

    >>> zero2(1000, gpus=10), zero2(1000, gpus=10, offload=True)
    (3800.0, 2000.0)
    """
    count, n = whole_number("params", params), whole_number("gpus", gpus)
    return 2.0 * count + (0 if offload else 18 * count / n)


def zero3(
    params: float,
    largest_layer: float,
    gpus_per_node: int,
    nodes: int = 1,
    offload_optimizer: bool = False,
    offload_params: bool = False,
    zero_init: bool = True,
    buffer_factor: float = BUFFER_FACTOR,
) -> HostAndGpu:
    """Bytes in each host and on each GPU at stage 3.

    A GPU holds its shards of what is not offloaded, and the largest layer gathered (its weights and gradients in 16
    bits). Without `zero_init` every GPU's process first builds the whole model in the host's memory, 4 bytes a
    parameter. Raises BadArgument for offloaded weights without an offloaded optimizer, which there is not.

    >>> round(zero3(2.851e9, 32e6, 8, offload_optimizer=True).gpu / 2**30, 2)
    0.78
    """
    total, layer = whole_number("params", params), whole_number("largest_layer", largest_layer)
    local, hosts = whole_number("gpus_per_node", gpus_per_node), whole_number("nodes", nodes)
    buffers = positive_number("buffer_factor", buffer_factor)
    if offload_params and not offload_optimizer:
        raise BadArgument("offload_params", offload_params, "weights are offloaded together with the optimizer alone")
    gathered = 4 * layer
    built = 4 * local * total if not zero_init else 0
    if not offload_optimizer:
        host = built if not zero_init else 4 * local * layer
        return HostAndGpu(host * buffers, gathered + 18 * total / (local * hosts))
    on_host = (18 if offload_params else 16) * total / hosts
    on_gpu = gathered + (0 if offload_params else 2 * total / (local * hosts))
    return HostAndGpu(max(built, on_host) * buffers, on_gpu)
