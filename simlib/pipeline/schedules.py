"""A named schedule for any sizes and times: its orders, timed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from simlib.pipeline import (
    dualpipe,
    dualpipe_v,
    gpipe,
    interleaved,
    interleaved_zero_bubble,
    looped_bfs,
    one_f_one_b,
    zero_bubble,
    zero_bubble_v,
)
from simlib.pipeline.durations import StageTimes, Times, durations
from simlib.pipeline.operations import Operation
from simlib.pipeline.rows import Orders, forwards_only
from simlib.pipeline.sizes import Sizes, checked_sizes
from simlib.pipeline.timeline import Timeline, run


@dataclass(frozen=True)
class Schedule:
    """A schedule, built and timed. Tuples have one entry per rank; times are in the unit given."""

    name: str
    stages: int  # ranks
    micro_batches: int
    chunks: int  # model stages per rank
    timeline: Timeline = field(repr=False)

    @property
    def orders(self) -> Orders:
        """A row of operations per rank, in the order in which it runs them."""
        return self.timeline.orders

    @property
    def makespan(self) -> float:
        """From time 0 to the last end of all."""
        return self.timeline.makespan

    @property
    def span(self) -> tuple[float, ...]:
        """From a rank's first start to its last end."""
        return self.timeline.span

    @property
    def busy(self) -> tuple[float, ...]:
        """How long a rank computes."""
        return self.timeline.busy

    @property
    def idle(self) -> tuple[float, ...]:
        """The makespan less `busy`."""
        return self.timeline.idle

    @property
    def bubble(self) -> float:
        """The idle share of all ranks' time, sum of idle / (ranks x makespan)."""
        return self.timeline.bubble

    @property
    def bubble_of_ideal(self) -> float:
        """Mean idle over mean busy time."""
        return self.timeline.bubble_of_ideal

    @property
    def peak_activations(self) -> tuple[int, ...]:
        """The most stage activations a rank holds at once, each from its F to the B or W that frees it."""
        return self.timeline.peak_activations

    @property
    def slot(self) -> float | None:
        """The common divisor of all times in use: how long a cell of `grid` lasts. None where they have none."""
        return self.timeline.slot

    @property
    def grid(self) -> list[list[str | None]] | None:
        """A row of cells per rank: operations' texts, None while idle. None instead of rows without a `slot`."""
        return self.timeline.grid


def schedule(
    name: str,
    stages: int,
    micro_batches: int,
    chunks: int = 1,
    forward: Times = 1,
    backward: Times = 2,
    input: Times = 1,
    weight: Times = 1,
    forward_only: bool = False,
    *,
    latency: float = 0,
    overlapped: float | None = None,
    exceptions: Mapping[Operation | str, float] | None = None,
) -> Schedule:
    """The schedule `name` for `stages` ranks and `micro_batches`, timed.

    `chunks` is the number of model stages on each rank, for interleaved, looped-bfs and zb-h1 (zb-v and
    dualpipe-v always have 2). The micro-batches of dualpipe are those of both directions together.

    The times, in any unit, are a rank's for one micro-batch: F, B, and of a split backward pass I and W;
    they are divided among its chunks. A sequence instead of a number gives each model stage a time of its
    own, undivided. `latency` is what a message between ranks takes, `overlapped` what an overlapping pair
    of DualPipe takes (default: forward + backward), `exceptions` gives single operations ("0F3") a time,
    of which the plans of zb-h1 and zb-h2 know nothing. With `forward_only` the backward passes are left out.

    Raises BadArgument for an unknown name, sizes that the schedule does not take, and times that are none.

    >>> pipeline = schedule("1f1b", 4, 8)
    >>> pipeline.makespan, pipeline.idle, pipeline.peak_activations
    (33.0, (9.0, 9.0, 9.0, 9.0), (4, 3, 2, 1))
    >>> schedule("gpipe", 2, 3, forward_only=True).grid
    [['0F0', '0F1', '0F2', None], [None, '1F0', '1F1', '1F2']]
    """
    sizes = checked_sizes(name, stages, micro_batches, chunks)
    times = StageTimes(forward, backward, input, weight, sizes.chunks, overlapped, exceptions, latency)
    orders = _ORDERS[name](sizes, times)
    if forward_only:
        orders = forwards_only(orders)
    return Schedule(name, *sizes, run(orders, durations(orders, times)))


def _zb_h1(sizes: Sizes, times: StageTimes) -> Orders:
    if sizes.chunks > 1:
        return interleaved_zero_bubble.orders(*sizes)
    return zero_bubble.orders(sizes.stages, sizes.micro_batches, times, memory=sizes.stages)


def _zb_h2(sizes: Sizes, times: StageTimes) -> Orders:
    return zero_bubble.orders(sizes.stages, sizes.micro_batches, times, memory=2 * sizes.stages)


_ORDERS: dict[str, Callable[[Sizes, StageTimes], Orders]] = {
    "gpipe": lambda sizes, _: gpipe.orders(sizes.stages, sizes.micro_batches),
    "1f1b": lambda sizes, _: one_f_one_b.orders(sizes.stages, sizes.micro_batches),
    "interleaved": lambda sizes, _: interleaved.orders(*sizes),
    "looped-bfs": lambda sizes, _: looped_bfs.orders(*sizes),
    "zb-h1": _zb_h1,
    "zb-h2": _zb_h2,
    "zb-v": lambda sizes, _: zero_bubble_v.orders(sizes.stages, sizes.micro_batches),
    "dualpipe": lambda sizes, _: dualpipe.orders(sizes.stages, sizes.micro_batches),
    "dualpipe-v": lambda sizes, _: dualpipe_v.orders(sizes.stages, sizes.micro_batches),
}
