"""Checks gpipe_order against the engine's schedule, and says of an order that can never run where it stops."""

import numpy as np

from simlib.pipeline import schedule
from simlib.pipeline.review import consequences, count, first_difference, moved, refusal, said_of


def cases(seed):
    """Two stages first; then more, fewer micro-batches than stages, and one of either."""
    rng = np.random.default_rng(seed)
    yield _case(2, 3)
    stages = int(rng.integers(3, 6))
    yield _case(stages, stages + int(rng.integers(1, 5)))
    stages = int(rng.integers(4, 7))
    yield _case(stages, stages - int(rng.integers(1, 3)))
    yield _case(1, int(rng.integers(3, 6)))
    yield _case(int(rng.integers(3, 6)), 1)


def _case(stages, micro_batches):
    name = f"{count(stages, 'stage')}, {count(micro_batches, 'micro-batch')}"
    return name, {"stages": stages, "micro_batches": micro_batches}, None


def expected(arguments):
    """A list of operations for each stage."""
    return [[str(step) for step in row] for row in schedule("gpipe", **arguments).orders]


def explain(arguments, expected, got, difference):
    """The first operation that differs, the slip that it looks like, and whether the order can run at all."""
    refused = refusal(got, arguments["stages"], arguments["micro_batches"])
    if refused is not None:
        return {"kind": refused[0], "reason": refused[1], "first_difference": None}
    got = [list(row) for row in got]
    found = first_difference(expected, got)
    slip, follows = _slip(arguments, expected, got), consequences(expected, got)
    # GPipe's point is neither memory nor time: only what cannot work is told
    told = ("As it stands",) if slip else ("As it stands", "Stage")
    said = [said_of(found, expected), *filter(None, [slip]), *(text for text in follows if text.startswith(told))]
    if len(said) == 1 and all(sorted(row) == sorted(right) for row, right in zip(got, expected)):
        said.append("It would run, in an order that is not GPipe's.")
    answer = {
        "kind": None,
        "reason": " ".join(said),
        "first_difference": {"worker": found.rank, "index": found.place, "expected": found.expected, "got": found.got},
    }
    if found.expected is not None:
        timed = schedule("gpipe", **arguments)
        slot = round(timed.timeline.starts[found.rank][found.place] / timed.slot)
        answer["picture"] = {
            "topic": "pipeline",
            "parameters": {"schedule": "gpipe", **arguments},
            "step": 0,
            "cell": {"rank": found.rank, "slot": slot},
            "yours": found.got,
            "own": {"orders": got, "caps": False},
        }
    return answer


def _slip(arguments, expected, got):
    """Which known mistake makes these rows; None if none does."""
    half = arguments["micro_batches"]
    if got == [[moved(step, 0, 1) for step in row] for row in expected]:
        return "Micro-batches are counted from 0."
    if got == [[moved(step, 1, 0) for step in row] for row in expected]:
        return "Stages are counted from 0."
    if got == expected[::-1]:
        return "The lists come in the order of the stages, stage 0 first."
    stages = arguments["stages"]
    if got == [[f"{micro_batch}{kind}{stage}" for kind in "FB" for micro_batch in range(half)] for stage in range(stages)]:
        return "The stage is written first, then the kind, then the micro-batch."
    if half != stages and got == [[f"{at}{kind}{n}" for kind in "FB" for n in range(stages)] for at in range(stages)]:
        return f"Yours has as many micro-batches as stages, {stages}; there are {half}."
    if got == [row[:half] for row in expected]:
        return "The backward passes are missing."
    if got == [row[:half] + row[half:][::-1] for row in expected]:
        return (
            "The forward passes are right. The backward passes run in the same order as they do, micro-batch 0 first; "
            "yours begin with the last."
        )
    if got == [[step for pair in zip(row[:half], row[half:]) for step in pair] for row in expected]:
        return "Each micro-batch runs backward right after its forward pass. GPipe runs all forward passes first."
    if got == [[str(step) for step in row] for row in schedule("1f1b", **arguments).orders]:
        return "This is 1F1B, where backward passes come in between. GPipe runs all forward passes first."
    return None
