"""What each rank of a pipeline holds when: stage activations, from the start of a forward pass to what frees them.

A forward pass leaves activations that its own backward pass needs. They are counted from the forward pass's start to
the end of the backward pass, or of its second half W where it is split (Narayanan et al. 2021, section 2.2; Qi et al.
2023). An activation is that of one model stage: with v chunks, of 1/v of a rank's layers.
"""

from __future__ import annotations

from dataclasses import dataclass

from simlib.pipeline.operations import FORWARD, INPUT
from simlib.pipeline.timeline import Timeline


@dataclass(frozen=True)
class Held:
    """How many activations one rank holds: `counts[n]` from time `times[n]` on, until `times[n + 1]` or the end."""

    times: tuple[float, ...]  # rising, from 0
    counts: tuple[int, ...]

    @property
    def peak(self) -> int:
        """The most at any time."""
        return max(self.counts)


def held_over_time(timeline: Timeline) -> tuple[Held, ...]:
    """What each rank of `timeline` holds at each time. Peaks are `timeline.peak_activations`.

    >>> from simlib.pipeline import schedule
    >>> first, last = held_over_time(schedule("1f1b", 2, 2).timeline)
    >>> first
    Held(times=(0, 1.0, 6.0, 9.0), counts=(1, 2, 1, 0))
    >>> last.times, last.counts
    ((0, 1.0, 7.0), (0, 1, 0))
    """
    return tuple(held_on(timeline, rank) for rank in range(len(timeline.orders)))


def held_on(timeline: Timeline, rank: int) -> Held:
    """What one rank of `timeline` holds at each time: of a large pipeline, one row that is looked at."""
    times: list[float] = [0]
    counts = [0]
    now = 0

    def changes(time: float, by: int) -> None:
        nonlocal now
        now += by
        if time > times[-1]:
            times.append(time)
            counts.append(now)
        else:
            # What is freed and what is stored at one time: only the outcome lasts
            counts[-1] = now

    rows = zip(timeline.orders[rank], timeline.starts[rank], timeline.ends[rank], strict=True)
    for step, start, end in rows:
        kinds = [part.kind for part in step.parts]
        if FORWARD in kinds:
            changes(start, 1)
        if any(kind not in (FORWARD, INPUT) for kind in kinds):
            changes(end, -1)
    kept = [at for at in range(len(times)) if at == 0 or counts[at] != counts[at - 1]]
    return Held(tuple(times[at] for at in kept), tuple(counts[at] for at in kept))
