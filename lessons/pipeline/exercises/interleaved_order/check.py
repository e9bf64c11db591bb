"""Checks interleaved_order op for op, and tells a slip in placement, rounds or warm-up as what it is."""

from functools import partial

import numpy as np

from simlib.errors import BadArgument
from simlib.pipeline import schedule, time_orders
from simlib.pipeline.placement import rank_of_stage
from simlib.pipeline.review import consequences, count, first_difference, moved, refusal, said_of


def cases(seed):
    """Whole rounds of as many micro-batches as ranks; then larger rounds, fewer micro-batches than ranks, one rank."""
    rng = np.random.default_rng(seed)
    yield _case(3, 6, 2)
    yield _case(int(rng.integers(2, 5)), None, 3)
    yield _case(4, 10, 2)
    ranks = int(rng.integers(4, 7))
    yield _case(ranks, ranks - int(rng.integers(1, 3)), 2)
    yield _case(1, int(rng.integers(2, 5)), 2)


def _case(ranks, micro_batches, chunks):
    micro_batches = 2 * ranks if micro_batches is None else micro_batches
    name = f"{count(ranks, 'rank')}, {count(micro_batches, 'micro-batch')}, {count(chunks, 'chunk')} each"
    return name, {"ranks": ranks, "micro_batches": micro_batches, "chunks": chunks}, None


def expected(arguments):
    """A list of operations for each rank."""
    return [[str(step) for step in row] for row in _timed(arguments).orders]


def _timed(arguments):
    return schedule("interleaved", arguments["ranks"], arguments["micro_batches"], arguments["chunks"])


def explain(arguments, expected, got, difference):
    """The first operation that differs, the slip that it looks like, and what the order would do."""
    refused = refusal(got, arguments["ranks"], arguments["micro_batches"], "rank")
    if refused is not None:
        return {"kind": refused[0], "reason": refused[1], "first_difference": None}
    got = [list(row) for row in got]
    found = first_difference(expected, got)
    slip = _slip(arguments, expected, got)
    follows = consequences(expected, got, "rank", arguments["chunks"])
    said = [said_of(found, expected, "rank"), *filter(None, [slip]), *(follows[:1] if slip else follows[:2])]
    if len(said) == 1 and all(sorted(row) == sorted(right) for row, right in zip(got, expected)):
        said.append("It would run, in an order that is not the interleaved schedule's.")
    answer = {
        "kind": None,
        "reason": " ".join(said),
        "first_difference": {"worker": found.rank, "index": found.place, "expected": found.expected, "got": found.got},
    }
    if found.expected is not None:
        timed = _timed(arguments)
        slot = round(timed.timeline.starts[found.rank][found.place] / timed.slot)
        answer["picture"] = {
            "topic": "pipeline",
            "parameters": {
                "schedule": "interleaved",
                "stages": arguments["ranks"],
                "micro_batches": arguments["micro_batches"],
                "chunks": arguments["chunks"],
            },
            "step": 0,
            "cell": {"rank": found.rank, "slot": slot},
            "yours": found.got,
            "own": {"orders": got},
        }
    return answer


def _slip(arguments, expected, got):
    """Which known mistake makes these rows; None if none does."""
    ranks, micro_batches, chunks = (arguments[name] for name in ("ranks", "micro_batches", "chunks"))
    if got == [[moved(step, 0, 1) for step in row] for row in expected]:
        return "Micro-batches are counted from 0."
    if got == expected[::-1]:
        return "The lists come in the order of the ranks, rank 0 first."
    orders = partial(_orders, ranks, micro_batches, chunks)
    size = micro_batches // max(1, micro_batches // ranks)
    slips = (
        ({"stage": lambda rank, chunk: rank * chunks + chunk}, _PLACED.format(ranks=ranks)),
        ({"stage": lambda rank, chunk: chunk}, "That is the number of the chunk. " + _PLACED.format(ranks=ranks)),
        ({"stage": lambda rank, chunk: rank}, f"A rank has {chunks} model stages, and not its own number alone."),
        ({"stage": partial(_in_a_v, ranks, chunks)}, "That is the V placement. " + _PLACED.format(ranks=ranks)),
        ({"upwards": True}, "Backward, a micro-batch comes to the rank's last chunk first."),
        ({"size": micro_batches}, f"All micro-batches go through a chunk at once. A round has {size} of them."),
        ({"size": 1}, f"Each micro-batch goes through all chunks by itself. A round has {size} of them."),
        (
            {"size": ranks, "warmup": lambda rank: 2 * (ranks - 1 - rank) + (chunks - 1) * min(ranks, micro_batches)},
            f"A round has {size} micro-batches here: {micro_batches} do not make rounds of {ranks}.",
        ),
        (
            {"warmup": lambda rank: ranks - 1 - rank},
            "That is the warm-up of 1F1B. With chunks a gradient is back later.",
        ),
        (
            {"warmup": lambda rank: ranks - 1 - rank + (chunks - 1) * size},
            "The warm-up counts each rank that comes after twice, so that messages have time to arrive. "
            + _with_messages(expected, got, chunks),
        ),
        (
            {"warmup": lambda rank: 2 * (ranks - 1 - rank)},
            "The warm-up leaves out the rounds through the other chunks.",
        ),
        (
            {"warmup": lambda rank: 2 * (ranks - 1 - rank) + (chunks - 1) * size + 1},
            "The warm-up has one forward pass too many: the pass that is then made in turn is none of it.",
        ),
        (
            {"warmup": lambda rank: 2 * (ranks - rank) + (chunks - 1) * size},
            "The warm-up counts the rank itself among those that come after: there are N - 1 - rank of them.",
        ),
        (
            {"warmup": lambda rank: 2 * (ranks - 1 - rank) + chunks * size},
            f"The warm-up has one round too many: the rounds through the other chunks are {chunks - 1}.",
        ),
        ({"warmup": lambda rank: micro_batches * chunks}, "All forward passes come first: this is no 1F1B."),
    )
    if micro_batches % ranks and all(
        row and max(map(_micro_batch, row)) < micro_batches // ranks * ranks for row in got
    ):
        return f"A round has {size} micro-batches here: rounds of {ranks} leave some of the {micro_batches} out."
    return next((said for changed, said in slips if got == orders(**changed)), None)


def _with_messages(expected, got, chunks):
    """How long both take where a message takes as long as half a chunk's forward pass."""
    latency = 0.5 / chunks
    try:
        right, yours = (time_orders(rows, chunks=chunks, latency=latency).makespan for rows in (expected, got))
    except BadArgument:
        return ""
    return f"If each takes {latency:g}, yours is done at time {yours:g}, not {right:g}."


def _micro_batch(step):
    return int(step.replace("B", "F").split("F")[1])


_PLACED = "Model stage s is on rank s mod {ranks}."


def _in_a_v(ranks, chunks, rank, chunk):
    stages = [stage for stage in range(ranks * chunks) if rank_of_stage(stage, ranks, chunks, "v") == rank]
    return stages[chunk]


def _orders(ranks, micro_batches, chunks, stage=None, size=None, warmup=None, upwards=False):
    """The schedule with one thing otherwise: where stages are, how large rounds are, how long a rank warms up."""
    whole = micro_batches // max(1, micro_batches // ranks)
    stage = stage or (lambda rank, chunk: chunk * ranks + rank)
    warmup = warmup or (lambda rank: 2 * (ranks - 1 - rank) + (chunks - 1) * whole)
    rows = []
    for rank in range(ranks):
        stages = [stage(rank, chunk) for chunk in range(chunks)]
        forward = _passes("F", stages, micro_batches, size or whole)
        backward = _passes("B", stages if upwards else stages[::-1], micro_batches, size or whole)
        first = min(warmup(rank), len(forward))
        row = forward[:first]
        for pair in zip(forward[first:], backward):
            row += pair
        rows.append(row + backward[len(backward) - first :])
    return rows


def _passes(kind, stages, micro_batches, size):
    return [
        f"{stage}{kind}{micro_batch}"
        for start in range(0, micro_batches, size)
        for stage in stages
        for micro_batch in range(start, min(start + size, micro_batches))
    ]
