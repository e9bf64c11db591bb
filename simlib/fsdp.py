"""Fully sharded data parallelism: when full weights are gathered and freed, and what a step holds at its peak.

Sources: Zhao et al. 2023, "PyTorch FSDP: Experiences on Scaling Fully Sharded Data Parallel"; Rajbhandari et al.
2020, section 5.3.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from simlib.errors import BadArgument, positive_number, whole_number

UNSHARD, RESHARD = "UNSHARD", "RESHARD"


@dataclass(frozen=True)
class Moment:
    """One pass of one layer, and the bytes on a GPU while it runs."""

    layer: int
    backward: bool
    gathered: tuple[int, ...]  # layers whose full weights are there
    bytes: float


def step_moments(
    layer_params: Sequence[float],
    gpus: int,
    prefetch: int = 1,
    weight_bytes: float = 2,
    gradient_bytes: float = 2,
    optimizer_bytes: float = 12,
) -> list[Moment]:
    """The passes of one step of stage 3, forward through all layers and backward again, with the bytes of each.

    A GPU always holds its shards of weights, gradients and optimizer states, and while a layer runs the full
    weights of it and of the `prefetch` layers that follow; backward also the layer's full gradients, until they are
    reduce-scattered. Activations are not counted. Raises BadArgument for sizes that are not positive.

    >>> [moment.bytes for moment in step_moments([100, 100, 100], gpus=4, prefetch=0)]
    [1400.0, 1400.0, 1400.0, 1600.0, 1600.0, 1600.0]
    """
    if not len(layer_params):
        raise BadArgument("layer_params", layer_params, "the parameters of at least one layer")
    sizes = [whole_number(f"layer_params[{place}]", size) for place, size in enumerate(layer_params)]
    n, ahead = whole_number("gpus", gpus), whole_number("prefetch", prefetch, 0)
    weight, gradient, optimizer = (
        positive_number(name, size, zero=True)
        for name, size in (
            ("weight_bytes", weight_bytes),
            ("gradient_bytes", gradient_bytes),
            ("optimizer_bytes", optimizer_bytes),
        )
    )
    shards = sum(sizes) * (weight + gradient + optimizer) / n
    moments = []
    for backward in (False, True):
        order = list(range(len(sizes)))[:: -1 if backward else 1]
        for place, layer in enumerate(order):
            gathered = order[place : place + 1 + ahead]
            held = shards + weight * sum(sizes[other] for other in gathered)
            held += gradient * sizes[layer] if backward else 0
            moments.append(Moment(layer, backward, tuple(gathered), held))
    return moments


def gather_and_free(order: Iterable[str | None], most_gathered: int = 3) -> list[str]:
    """A pipeline rank's order with the gathering and freeing of its stages' weights put in.

    `order` holds operations such as "0F1" (stage 0, forward, micro-batch 1), and None or blanks where it idles. Before
    an operation the weights of the next `most_gathered` stages to be used are there, each gathered once; stages that
    are not among them are freed. As PyTorch lowers its schedules.
    Raises BadArgument for an operation without a stage.

    >>> gather_and_free(["0F0", "0F1", None, "0B0", "0B1"])
    ['0UNSHARD', '0F0', '0F1', '0B0', '0B1', '0RESHARD']
    """
    most = whole_number("most_gathered", most_gathered)
    operations = [operation.strip() for operation in order if operation and operation.strip()]
    stages = [_stage(operation) for operation in operations]
    gathered: list[int] = []
    lowered: list[str] = []
    for place, operation in enumerate(operations):
        needed = list(dict.fromkeys(stages[place:]))[:most]
        lowered += [f"{stage}{RESHARD}" for stage in gathered if stage not in needed]
        lowered += [f"{stage}{UNSHARD}" for stage in needed if stage not in gathered]
        gathered = needed
        lowered.append(operation)
    return lowered + [f"{stage}{RESHARD}" for stage in gathered]


def _stage(operation: str) -> int:
    match = re.match(r"(\d+)[A-Z]", operation)
    if not match:
        raise BadArgument("operation", operation, "a stage, a kind and a micro-batch, such as 0F1")
    return int(match[1])
