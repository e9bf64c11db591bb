"""ZB-V: the model folded over the ranks like a V, the backward pass in two halves (Qi et al. 2023, section 6).

Rank r has model stages r and 2p-1-r: the first rank has the first stage and the last. The last
stage's backward pass can start the moment its forward pass ends, on the same rank, so that memory is
freed at once; and W passes, which nobody waits for, fill what would be idle. With F = I = W each
rank works from its start to its end without a break, on the memory of 1F1B's first stage: 2p
activations of half a rank's layers.

    rank 0   0F0 0F1 0F2 3F0 3I0 3W0 3F1 3I1 3W1 0F3 0I0 0W0 …          (p = 2)
    rank 1   .   1F0 2F0 1F1 2F1 2I0 2W0 1F2 1I0 1W0 2F2 2I1 2W1 …

The pattern is made for F = I = W, as torch.distributed.pipelining has it; other times keep the order.
"""

from __future__ import annotations

from simlib.pipeline.operations import FORWARD, INPUT, WEIGHT, Operation
from simlib.pipeline.rows import Orders, Row


def orders(stages: int, micro_batches: int) -> Orders:
    """The order of each of `stages` ranks, two model stages each.

    >>> " ".join(map(str, orders(2, 2)[1]))
    '1F0 2F0 1F1 2F1 2I0 2W0 1I0 1W0 2I1 2W1 1I1 1W1'
    """
    return tuple(_row(rank, stages, micro_batches) for rank in range(stages))


def _row(rank: int, stages: int, micro_batches: int) -> Row:
    down, up = rank, 2 * stages - 1 - rank  # the stage on the way down the V, and the one on the way up
    planned = max(2 * stages - 1, micro_batches)  # the pattern needs so many to unfold; those too many are left out
    row: list[Operation] = []
    done = {(stage, kind): 0 for stage in (down, up) for kind in (FORWARD, INPUT, WEIGHT)}

    def add(stage: int, *kinds: str) -> None:
        for kind in kinds:
            if done[stage, kind] < micro_batches:
                row.append(Operation(stage, kind, done[stage, kind]))
            done[stage, kind] += 1

    # Warm-up: down as long as nothing comes back up, then both ways, then the first to have come back up goes back
    for _ in range(2 * (stages - rank) - 1):
        add(down, FORWARD)
    for _ in range(rank):
        add(up, FORWARD)
        add(down, FORWARD)
    for _ in range(stages - rank):
        add(up, FORWARD, INPUT, WEIGHT)
    # Steady: a forward, its I and its W in both stages in turn
    while done[up, FORWARD] < planned:
        if done[down, FORWARD] < planned:
            add(down, FORWARD)
        add(down, INPUT, WEIGHT)
        add(up, FORWARD, INPUT, WEIGHT)
    # Cool-down: first what others wait for, then the W passes put off
    for _ in range(rank):
        add(down, INPUT)
        add(up, INPUT)
    for _ in range(stages - rank):
        add(down, INPUT, WEIGHT)
    for stage in (up, down):
        while done[stage, WEIGHT] < planned:
            add(stage, WEIGHT)
    return Row.of(row)
