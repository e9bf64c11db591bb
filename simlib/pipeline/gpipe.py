"""GPipe: every forward pass, then every backward pass (Huang et al. 2019).

Four micro-batches through three stages, F 0-3 and B 0-3, with B twice as long as F:

    stage 0   F0 F1 F2 F3 .  .  .  .  .  .  B0 B0 B1 B1 B2 B2 B3 B3
    stage 1   .  F0 F1 F2 F3 .  .  .  B0 B0 B1 B1 B2 B2 B3 B3 .  .
    stage 2   .  .  F0 F1 F2 F3 B0 B0 B1 B1 B2 B2 B3 B3 .  .  .  .

Simple, and it costs memory: when the first backward pass begins, a stage holds the activations of
all m micro-batches. The gradients add up over the micro-batches, so one optimizer step follows.
"""

from __future__ import annotations

from simlib.pipeline.operations import BACKWARD, FORWARD
from simlib.pipeline.rows import Orders, in_sequence, passes


def orders(stages: int, micro_batches: int) -> Orders:
    """The order of each of `stages` ranks: forward passes 0 to m-1, then backward passes 0 to m-1.

    >>> [" ".join(map(str, row)) for row in orders(2, 2)]
    ['0F0 0F1 0B0 0B1', '1F0 1F1 1B0 1B1']
    """
    return tuple(
        in_sequence(passes(stage, FORWARD, range(micro_batches)), passes(stage, BACKWARD, range(micro_batches)))
        for stage in range(stages)
    )
