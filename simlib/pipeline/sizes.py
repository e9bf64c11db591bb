"""Which schedules there are, and how many stages, micro-batches and chunks each of them takes."""

from __future__ import annotations

from typing import NamedTuple

from simlib.errors import BadArgument, one_of, whole_number

SCHEDULES = (
    "gpipe",
    "1f1b",
    "interleaved",
    "looped-bfs",
    "zb-h1",
    "zb-h2",
    "zb-v",
    "dualpipe",
    "dualpipe-v",
)
V_SHAPED = ("zb-v", "dualpipe-v")  # rank r holds model stages r and 2p-1-r: two chunks, always
ANY_CHUNKS = ("interleaved", "looped-bfs", "zb-h1")  # rank r holds model stages r, r+p, r+2p, …

MOST_STAGES = 2**14  # model stages of one pipeline
MOST_PASSES = 2**20  # forward passes of one schedule, all stages together: a few seconds of work
MOST_RANKS_FOLDED = 512  # ranks of a schedule whose pattern has 2p micro-batches on each


class Sizes(NamedTuple):
    """A pipeline's sizes: ranks, micro-batches, and model stages (chunks) per rank."""

    stages: int
    micro_batches: int
    chunks: int


def checked_sizes(schedule: str, stages: object, micro_batches: object, chunks: object = 1) -> Sizes:
    """The sizes as ints, if `schedule` can be built for them.

    `stages` is the number of ranks p, `chunks` the number of model stages v on each; the V-shaped
    schedules always have 2, and take 1 (the default) to mean that. Raises BadArgument otherwise.

    >>> checked_sizes("zb-v", 4, 10)
    Sizes(stages=4, micro_batches=10, chunks=2)
    """
    one_of("schedule", schedule, SCHEDULES)
    p = whole_number("stages", stages, 1, MOST_STAGES)
    m = whole_number("micro_batches", micro_batches, 1, MOST_PASSES)
    v = whole_number("chunks", chunks)
    if schedule in V_SHAPED:
        if v > 2:
            raise BadArgument("chunks", chunks, f"2: {schedule} folds the model once over the ranks")
        v = 2
    elif schedule not in ANY_CHUNKS and v != 1:
        raise BadArgument("chunks", chunks, f"1 for {schedule}; {', '.join(ANY_CHUNKS)} take more")
    if p * v > MOST_STAGES:
        raise BadArgument("chunks", chunks, f"at most {MOST_STAGES // p:,} with {p:,} stages")
    if (schedule in V_SHAPED or schedule == "dualpipe") and p > MOST_RANKS_FOLDED:
        accepted = f"at most {MOST_RANKS_FOLDED} for {schedule}, whose pattern grows with their square"
        raise BadArgument("stages", stages, accepted)
    if p * v * m > MOST_PASSES:
        raise BadArgument("micro_batches", micro_batches, f"at most {MOST_PASSES // (p * v):,} with {p * v:,} stages")
    if schedule == "interleaved" or (schedule == "zb-h1" and v > 1):
        _check_rounds(p, m)
    if schedule == "dualpipe" and p % 2:
        raise BadArgument("stages", stages, "an even number for dualpipe: the ranks pair up, r with p-1-r")
    if schedule == "dualpipe" and m % 2:
        raise BadArgument("micro_batches", micro_batches, "an even number for dualpipe: half runs each way")
    if schedule in ("dualpipe", "dualpipe-v") and m < 2 * p:
        raise BadArgument("micro_batches", micro_batches, f"at least twice the stages for {schedule}, here {2 * p}")
    return Sizes(p, m, v)


def _check_rounds(stages: int, micro_batches: int) -> None:
    """Interleaved schedules move micro-batches in rounds of one size, of p or a little more."""

    def splits(number: int) -> bool:
        return number % max(1, number // stages) == 0

    if splits(micro_batches):
        return
    below, above = micro_batches - 1, micro_batches + 1
    while not splits(below):
        below -= 1
    while not splits(above):
        above += 1
    raise BadArgument(
        "micro_batches",
        micro_batches,
        f"a number that splits evenly into max(1, micro_batches // stages) rounds, "
        f"here {micro_batches // stages}: {below} or {above} would",
    )
