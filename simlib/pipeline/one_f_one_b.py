"""1F1B: as soon as a micro-batch can go back, it does (Narayanan et al. 2021, section 2.2, "PipeDream-Flush").

Four micro-batches through three stages, B twice as long as F:

    stage 0   F0 F1 F2 .  .  .  .  B0 B0 F3 B1 B1 .  B2 B2 .  B3 B3
    stage 1   .  F0 F1 .  .  B0 B0 F2 B1 B1 F3 B2 B2 .  B3 B3 .  .
    stage 2   .  .  F0 B0 B0 F1 B1 B1 F2 B2 B2 F3 B3 B3 .  .  .  .

A rank goes through three phases:

1. Warm-up: forward passes only, one for each stage that comes after. The first gradient cannot be
   back earlier: micro-batch 0 has to reach the last stage first.
2. One forward, one backward, in turn, as long as there are forward passes. Each backward pass frees
   what the next forward pass will hold.
3. Cool-down: the backward passes that are left, as many as warm-up had forward ones.

So stage s never holds more than p - s micro-batches' activations, however many there are. The
bubble is GPipe's: the first micro-batch still has to come down, the last still has to go up.
"""

from __future__ import annotations

from simlib.pipeline.operations import BACKWARD, FORWARD
from simlib.pipeline.rows import Orders, Row, in_sequence, in_turn, passes


def orders(stages: int, micro_batches: int) -> Orders:
    """The order of each of `stages` ranks; fewer micro-batches than stages only shorten the warm-up.

    >>> [" ".join(map(str, row)) for row in orders(2, 3)]
    ['0F0 0F1 0B0 0F2 0B1 0B2', '1F0 1B0 1F1 1B1 1F2 1B2']
    """
    return tuple(
        three_phases(
            forwards=passes(stage, FORWARD, range(micro_batches)),
            backwards=passes(stage, BACKWARD, range(micro_batches)),
            warmup=stages - 1 - stage,
        )
        for stage in range(stages)
    )


def three_phases(forwards: Row, backwards: Row, warmup: int) -> Row:
    """A row of the three phases: `warmup` forwards (or all there are), one F one B in turn, the backwards left."""
    warmup = min(warmup, len(forwards))
    steady = in_turn(forwards[warmup:], backwards)
    return in_sequence(forwards[:warmup], steady, backwards[len(backwards) - warmup :])
