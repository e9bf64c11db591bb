"""DualPipe: two pipelines through the same ranks, one from each end (DeepSeek-AI 2024, section 3.2.1).

The first half of the micro-batches enters at rank 0, the other half at rank p-1 and runs the other
way; every rank r keeps two model stages, r and p-1-r, so the parameters are held twice. When the
two streams meet, a rank has a forward pass of one and a backward pass of the other at hand and runs
them together, `(0F3;3B5)OVERLAP_F_B`: while one of them waits for its messages, the other computes.

With p = 4 and 8 micro-batches, 0-3 down and 4-7 up, rank 0 runs

    0F0 0F1 0F2   3F4   3I4 3W4 3F5   (0F3;3B5) (3F6;0B0)   3B6 (3F7;0B1)   3B7 0I2   0W2 0I3   0W3

Ranks r and p-1-r run the same row with the two streams exchanged. "Here" and "across" below are the
stage that the micro-batches from this rank's own end come to first, and the other one.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from typing import NamedTuple

from simlib.pipeline.operations import BACKWARD, FORWARD, INPUT, WEIGHT, Operation, Overlap, Step
from simlib.pipeline.rows import Orders, Row


class Stream(NamedTuple):
    """What a rank has to do with one of the two streams: its model stage there, and the first micro-batch."""

    stage: int
    first: int = 0


def orders(stages: int, micro_batches: int) -> Orders:
    """The order of each of `stages` ranks (an even number) for an even number of micro-batches, 2p or more.

    >>> " ".join(map(str, orders(2, 4)[0]))
    '0F0 1F2 0F1 1B2 (1F3;0B0)OVERLAP_F_B 1B3 0I1 0W1'
    """
    half = micro_batches // 2
    rows = []
    for rank in range(stages):
        down, up = Stream(rank), Stream(stages - 1 - rank, half)
        here, across = (down, up) if rank < stages // 2 else (up, down)
        rows.append(row(min(rank, stages - 1 - rank), stages // 2, half, here, across))
    return tuple(rows)


def row(depth: int, depths: int, micro_batches: int, here: Stream, across: Stream) -> Row:
    """The row of a rank that is `depth` ranks from its end, of `depths`, with `micro_batches` in each stream."""
    return Row.of(_Worker(depth, depths, micro_batches, here, across).steps())


class _Worker:
    """A rank that takes the micro-batches of both streams in turn and puts off W passes, first in, first out."""

    def __init__(self, depth: int, depths: int, micro_batches: int, here: Stream, across: Stream) -> None:
        self.depth = depth
        self.inner = depths - 1 - depth  # ranks between this one and the turning point
        self.overlaps = micro_batches - 2 * depths + depth + 1
        self.here = here
        self.across = across
        self.forwards_done = {here: 0, across: 0}
        self.backwards_done = {here: 0, across: 0}
        self.put_off: deque[Operation] = deque()

    def forward(self, stream: Stream) -> Operation:
        micro_batch = stream.first + self.forwards_done[stream]
        self.forwards_done[stream] += 1
        return Operation(stream.stage, FORWARD, micro_batch)

    def backward(self, stream: Stream, kind: str = BACKWARD) -> Operation:
        micro_batch = stream.first + self.backwards_done[stream]
        self.backwards_done[stream] += 1
        if kind == INPUT:
            self.put_off.append(Operation(stream.stage, WEIGHT, micro_batch))
        return Operation(stream.stage, kind, micro_batch)

    def both(self, forward: Stream, backward: Stream) -> Overlap:
        return Overlap(self.forward(forward), self.backward(backward))

    def steps(self) -> Iterator[Step]:
        here, across = self.here, self.across
        # Fill: forward here until the first micro-batch from across arrives, then both in turn
        for _ in range(2 * self.inner):
            yield self.forward(here)
        for _ in range(self.depth + 1):
            yield self.forward(here)
            yield self.forward(across)
        # The first gradients from across come back; there is nothing yet to overlap them with
        for _ in range(self.inner):
            yield self.backward(across, INPUT)
            yield self.put_off.popleft()
            yield self.forward(across)
        # The long middle: forward of one stream with backward of the other
        for turn in range(self.overlaps):
            if turn == 0 and self.inner == 0:
                # At the turning point the first pair would make both neighbours wait: one after the other is faster
                yield self.forward(here)
                yield self.backward(across)
            else:
                yield self.both(here, across)
            yield self.both(across, here)
        # Forwards from here are done
        for _ in range(self.inner):
            yield self.backward(across)
            yield self.both(across, here)
        # Drain: in the second half only I, for others wait; W fills the time in which this rank waits
        drain = [stream for _ in range(self.depth + 1) for stream in (across, here)]
        for turn, stream in enumerate(drain):
            yield self.backward(stream, BACKWARD if turn <= self.depth else INPUT)
        for _ in range(self.inner):
            yield self.put_off.popleft()
            yield self.backward(here, INPUT)
        yield from self.put_off
