"""Checks one_f_one_b_order op for op: there is one order with 1F1B's memory and GPipe's time.

Of an order that could run, it says how many activations it holds where, or how much longer it takes.
"""

import numpy as np

from simlib.pipeline import schedule
from simlib.pipeline.review import consequences, count, first_difference, moved, refusal, said_of

_FEW = "The warm-up cannot have more forward passes than there are micro-batches."


def cases(seed):
    """Three stages first; then more, fewer micro-batches than stages, one stage, and one micro-batch."""
    rng = np.random.default_rng(seed)
    yield _case(3, 5)
    stages = int(rng.integers(4, 7))
    yield _case(stages, stages + int(rng.integers(2, 5)))
    stages = int(rng.integers(5, 8))
    yield _case(stages, stages - int(rng.integers(2, 4)))
    yield _case(1, int(rng.integers(3, 6)))
    yield _case(int(rng.integers(3, 6)), 1)


def _case(stages, micro_batches):
    name = f"{count(stages, 'stage')}, {count(micro_batches, 'micro-batch')}"
    return name, {"stages": stages, "micro_batches": micro_batches}, None


def expected(arguments):
    """A list of operations for each stage."""
    return [[str(step) for step in row] for row in schedule("1f1b", **arguments).orders]


def explain(arguments, expected, got, difference):
    """The first operation that differs, the slip that it looks like, and what the order would do."""
    refused = refusal(got, arguments["stages"], arguments["micro_batches"])
    few = arguments["micro_batches"] < arguments["stages"] - 1
    if refused is not None:
        reason = f"{refused[1]} {_FEW}" if few and refused[0] is None else refused[1]
        return {"kind": refused[0], "reason": reason, "first_difference": None}
    got = [list(row) for row in got]
    found = first_difference(expected, got)
    slip, follows = _slip(arguments, expected, got), consequences(expected, got)
    said = [said_of(found, expected), *filter(None, [slip]), *(follows[:1] if slip else follows[:2])]
    if few and any(text.startswith("There is no") for text in follows):
        said.append(_FEW)
    if len(said) == 1 and all(sorted(row) == sorted(right) for row, right in zip(got, expected)):
        said.append("It would run, in an order that is not 1F1B's.")
    answer = {
        "kind": None,
        "reason": " ".join(said),
        "first_difference": {"worker": found.rank, "index": found.place, "expected": found.expected, "got": found.got},
    }
    if found.expected is not None:
        timed = schedule("1f1b", **arguments)
        slot = round(timed.timeline.starts[found.rank][found.place] / timed.slot)
        # With what the stages hold under it: that is what the order is for
        answer["picture"] = {
            "topic": "schedules",
            "parameters": {"first": "1f1b", "second": "none", **arguments},
            "step": 0,
            "cell": {"schedule": "1f1b", "rank": found.rank, "slot": slot},
            "yours": found.got,
            "own": {"orders": got},
        }
    return answer


def _slip(arguments, expected, got):
    """Which known mistake makes these rows; None if none does."""
    stages, micro_batches = arguments["stages"], arguments["micro_batches"]
    if got == [[moved(step, 0, 1) for step in row] for row in expected]:
        return "Micro-batches are counted from 0."
    if got == [[moved(step, 1, 0) for step in row] for row in expected]:
        return "Stages are counted from 0."
    if got == expected[::-1]:
        return "The lists come in the order of the stages, stage 0 first."
    if got == [[str(step) for step in row] for row in schedule("gpipe", **arguments).orders]:
        return "This is GPipe's order, which keeps every micro-batch's activations until all are forward."
    if got == [_row(stage, micro_batches, stages - 1 - stage, "BF") for stage in range(stages)]:
        return "In turn means one forward pass first, then one backward pass."
    if got == [_row(stage, micro_batches, 0) for stage in range(stages)]:
        return "Without a warm-up each micro-batch is back before the next one goes in: one stage works at a time."
    if got == [_row(stage, micro_batches, 2 * (stages - 1 - stage)) for stage in range(stages)]:
        return "That warm-up is twice as long as it takes until the first gradient can be back."
    if got == [_row(stage, micro_batches, stages - 1) for stage in range(stages)]:
        return "Every stage warms up as stage 0 does. The warm-up is one forward pass for each stage that comes after."
    if got == [_row(stage, micro_batches, stage) for stage in range(stages)]:
        return "The warm-up grows towards the last stage. Who waits longest for the first gradient?"
    for more, said in ((1, "one forward pass too many"), (-1, "one forward pass too few")):
        if got == [_row(stage, micro_batches, max(0, stages - 1 - stage + more)) for stage in range(stages)]:
            return f"The warm-up has {said}: there are p - 1 - stage stages that come after."
    if got == [
        _row(stage, micro_batches, stages - 1 - stage) if stage < stages - 1 else _row(stage, micro_batches, 1)
        for stage in range(stages)
    ]:
        return "The last stage has nobody after it: it needs no warm-up."
    if got == [_again(row, stages - 1 - stage) for stage, row in enumerate(expected)]:
        return "The backward passes that are left at the end go on where those in turn ended, and not from micro-batch 0."
    if got == [_all_in_turn(stage, micro_batches, stages - 1 - stage) for stage in range(stages)]:
        return f"One forward and one backward in turn is for the {micro_batches} - w micro-batches that the warm-up of w leaves."
    if any(_backward(row) != sorted(set(_backward(row))) and len(set(row)) == len(row) for row in got):
        return "Backward passes run from micro-batch 0 up: the one that went forward first comes back first."
    if got == [_left(row) for row in expected]:
        return "The backward passes that are left at the end, one for each of the warm-up, are missing."
    return None


def _row(stage, micro_batches, warmup, turn="FB"):
    """A row with so many forward passes before the two kinds alternate."""
    warmup = min(warmup, micro_batches)
    row = [f"{stage}F{at}" for at in range(warmup)]
    for at in range(micro_batches - warmup):
        pair = {"F": f"{stage}F{warmup + at}", "B": f"{stage}B{at}"}
        row += [pair[kind] for kind in turn]
    return row + [f"{stage}B{at}" for at in range(micro_batches - warmup, micro_batches)]


def _again(row, warmup):
    """The row with the backward passes of its end counted from 0 again."""
    half = len(row) // 2
    warmup = min(warmup, half)
    stage = row[0].split("F")[0]
    return row[: len(row) - warmup] + [f"{stage}B{at}" for at in range(warmup)]


def _all_in_turn(stage, micro_batches, warmup):
    """A row whose pairs are as many as there are micro-batches, whatever the warm-up has done."""
    warmup = min(warmup, micro_batches)
    row = [f"{stage}F{at}" for at in range(warmup)]
    for at in range(micro_batches):
        row += [f"{stage}F{warmup + at}", f"{stage}B{at}"]
    return row + [f"{stage}B{at}" for at in range(micro_batches - warmup, micro_batches)]


def _left(row):
    """The row without the backward passes at its end that follow another one."""
    while len(row) > 1 and "B" in row[-2]:
        row = row[:-1]
    return row


def _backward(row):
    """The micro-batches of the row's backward passes."""
    return [int(step.split("B")[1]) for step in row if "B" in step]
