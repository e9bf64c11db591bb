"""Checks gpipe_order against the engine's schedule, and says of an order that can never run where it stops."""

import re
from collections import Counter

import numpy as np

from simlib.errors import BadArgument
from simlib.pipeline import CannotRun, schedule, time_orders

_OPERATION = re.compile(r"(\d{1,6})([FB])(\d{1,6})")


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
    name = f"{_count(stages, 'stage')}, {_count(micro_batches, 'micro-batch')}"
    return name, {"stages": stages, "micro_batches": micro_batches}, None


def expected(arguments):
    """A list of operations for each stage."""
    return [[str(step) for step in row] for row in schedule("gpipe", **arguments).orders]


def explain(arguments, expected, got, difference):
    """The first operation that differs, the slip that it looks like, and whether the order can run at all."""
    stages = arguments["stages"]
    if isinstance(got, (list, tuple)) and got and all(isinstance(step, str) for step in got):
        reason = f"This is one list of operations. Return a list of {stages} such lists, one for each stage."
        return _form("wrong_shape", reason)
    if not isinstance(got, (list, tuple)) or not all(isinstance(row, (list, tuple)) for row in got):
        return None
    for stage, row in enumerate(got):
        for step in row:
            if not isinstance(step, str):
                reason = f'Stage {stage}\'s list holds {step!r:.60}. An operation is a string, such as "0F0".'
                return _form("wrong_type", reason)
            if not _OPERATION.fullmatch(step):
                return _form(None, f"{step!r:.60} in stage {stage}'s list is no operation. {_how(step)}")
    if len(got) != stages:
        of = " Yours has one for each micro-batch." if len(got) == arguments["micro_batches"] else ""
        reason = f"There are {_count(len(got), 'list')}, and {_count(stages, 'stage')}: one list for each stage.{of}"
        return _form("wrong_shape", reason)
    return _difference(arguments, expected, [list(row) for row in got])


def _form(kind, reason):
    return {"kind": kind, "reason": reason, "first_difference": None}


def _how(step):
    if not step.strip():
        return "Leave idle times out."
    if _OPERATION.fullmatch(step.upper()):
        return "Write the kind as a capital letter, F or B."
    return "Write stage, then F or B, then micro-batch, without blanks: 0F0."


def _difference(arguments, expected, got):
    rank, place = next(
        (rank, place)
        for rank, (row, right) in enumerate(zip(got, expected))
        for place in range(max(len(row), len(right)))
        if row[place : place + 1] != right[place : place + 1]
    )
    right, yours = (row[rank][place] if place < len(row[rank]) else None for row in (expected, got))
    said = [f"Stage {rank}, operation {place + 1} of {len(expected[rank])}: expected {right}, yours {yours}."]
    if right is None:
        said = [f"Stage {rank}: its {len(expected[rank])} operations are right, and then {yours} follows."]
    elif yours is None:
        said = [f"Stage {rank}: its list ends after {_count(place, 'operation')}; {right} is expected next."]
    slip, stuck = _slip(arguments, expected, got), _cannot_run(expected, got)
    said += filter(None, [slip, stuck])
    if not slip and not stuck and all(sorted(row) == sorted(right) for row, right in zip(got, expected)):
        said.append("It would run, in an order that is not GPipe's.")
    answer = {
        "kind": None,
        "reason": " ".join(said),
        "first_difference": {"worker": rank, "index": place, "expected": right, "got": yours},
    }
    if right is not None:
        timed = schedule("gpipe", **arguments)
        slot = round(timed.timeline.starts[rank][place] / timed.slot)
        answer["picture"] = {
            "topic": "pipeline",
            "parameters": {"schedule": "gpipe", **arguments},
            "step": 0,
            "cell": {"rank": rank, "slot": slot},
            "yours": yours,
        }
    return answer


def _slip(arguments, expected, got):
    """Which known mistake makes these rows; None if none does."""
    stages, micro_batches = arguments["stages"], arguments["micro_batches"]
    half = micro_batches
    if got == [[_moved(step, 0, 1) for step in row] for row in expected]:
        return "Micro-batches are counted from 0."
    if got == [[_moved(step, 1, 0) for step in row] for row in expected]:
        return "Stages are counted from 0."
    if got == expected[::-1]:
        return "The lists come in the order of the stages, stage 0 first."
    if got == [row[:half] for row in expected]:
        return "The backward passes are missing."
    if got == [row[:half] + row[half:][::-1] for row in expected]:
        return (
            "The forward passes are right. The backward passes run in the same order as they do, micro-batch 0 first; "
            "yours begin with the last."
        )
    if got == [[step for pair in zip(row[:half], row[half:]) for step in pair] for row in expected]:
        return "Each micro-batch runs backward right after its forward pass. GPipe runs all forward passes first."
    if got == [[str(step) for step in row] for row in schedule("1f1b", stages, micro_batches).orders]:
        return "This is 1F1B, where backward passes come in between. GPipe runs all forward passes first."
    for rank, (row, right) in enumerate(zip(got, expected)):
        missing, extra = Counter(right) - Counter(row), Counter(row) - Counter(right)
        if missing and not extra:
            return f"Stage {rank} never runs {next(iter(missing))}."
        twice = next((step for step in extra if step in right), None)
        if twice:
            return f"Stage {rank} runs {twice} twice."
    return None


def _moved(step, stages, micro_batches):
    stage, kind, micro_batch = _OPERATION.fullmatch(step).groups()
    return f"{int(stage) + stages}{kind}{int(micro_batch) + micro_batches}"


def _cannot_run(expected, got):
    """Which operation can never start, and why; nothing when each gets its turn, or is none of this pipeline's."""
    known = {step for row in expected for step in row}
    if any(step not in known for row in got for step in row):
        return None
    try:
        time_orders(got)
    except CannotRun as error:
        # here each rank has one stage, of its own number
        return f"As it stands it cannot run: {str(error).replace('rank', 'stage')}."
    except BadArgument:
        return None
    return None


def _count(count, thing):
    return f"{count} {thing}{'' if count == 1 else 'es' if thing.endswith('ch') else 's'}"
