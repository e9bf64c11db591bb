"""What is wrong with somebody's orders beside those of a schedule: their form, where they differ, what they would do.

Sentences say it as `CannotRun` does; a rank is called a stage where `noun` says so. Orders are lists of texts here,
as somebody writes them: "0F2", a list for each rank.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Any, NamedTuple

from simlib.errors import BadArgument
from simlib.pipeline.diagnosis import CannotRun
from simlib.pipeline.operations import FORWARD, Operation, parse_operation
from simlib.pipeline.timeline import Timeline, time_orders

Rows = Sequence[Sequence[str]]

_OPERATION = re.compile(r"(\d{1,6})([FB])(\d{1,6})")


class Difference(NamedTuple):
    """The first place at which two orders differ; None where one of them has ended."""

    rank: int
    place: int
    expected: str | None
    got: str | None


def refusal(got: Any, ranks: int, micro_batches: int, noun: str = "stage") -> tuple[str | None, str] | None:
    """Why `got` is no list of `ranks` rows of operations: the kind of error if it has one, and a sentence; or None.

    >>> refusal([["0F0", "0b0"]], 1, 1)
    (None, "'0b0' in stage 0's list is no operation. Write the kind as a capital letter, F or B.")
    """
    if isinstance(got, (list, tuple)) and got and all(isinstance(step, str) for step in got):
        if any(len(step.replace(",", " ").split()) > 1 for step in got):
            said = f"{noun.capitalize()} 0's order is one string, {_short(got[0])}."
            return "wrong_type", f"{said} Return a list of strings for each {noun}."
        return (
            "wrong_shape",
            f"This is one list of operations. Return a list of {ranks} such lists, one for each {noun}.",
        )
    if not isinstance(got, (list, tuple)) or not all(isinstance(row, (list, tuple)) for row in got):
        return "wrong_type", f"Return a list with one list of operations for each {noun}, not {_short(got)}."
    for rank, row in enumerate(got):
        for step in row:
            if not isinstance(step, str):
                text = (
                    f'{noun.capitalize()} {rank}\'s list holds {_short(step)}. An operation is a string, such as "0F0".'
                )
                return "wrong_type", text
            if not _OPERATION.fullmatch(step):
                return None, f"{_short(step)} in {noun} {rank}'s list is no operation. {_how(step)}"
    if len(got) != ranks:
        of = " Yours has one for each micro-batch." if len(got) == micro_batches else ""
        text = f"There are {count(len(got), 'list')}, and {count(ranks, noun)}: one list for each {noun}.{of}"
        return "wrong_shape", text
    return None


def first_difference(expected: Rows, got: Rows) -> Difference | None:
    """Where the orders of as many ranks differ first, rank by rank; None where they are the same.

    >>> first_difference([["0F0", "0B0"]], [["0F0"]])
    Difference(rank=0, place=1, expected='0B0', got=None)
    """
    for rank, (right, row) in enumerate(zip(expected, got, strict=True)):
        for place in range(max(len(right), len(row))):
            wanted, found = (steps[place] if place < len(steps) else None for steps in (right, row))
            if wanted != found:
                return Difference(rank, place, wanted, found)
    return None


def said_of(difference: Difference, expected: Rows, noun: str = "stage") -> str:
    """The difference in a sentence.

    >>> said_of(Difference(0, 1, "0B0", "0F1"), [["0F0", "0B0"]])
    'Stage 0, operation 2 of 2: expected 0B0, yours 0F1.'
    """
    rank, place, wanted, found = difference
    name = f"{noun.capitalize()} {rank}"
    if wanted is None:
        right = len(expected[rank])
        return (
            f"{name}: its {count(right, 'operation')} {'is' if right == 1 else 'are'} right, and then {found} follows."
        )
    if found is None:
        return f"{name}: its list ends after {count(place, 'operation')}; {wanted} is expected next."
    return f"{name}, operation {place + 1} of {len(expected[rank])}: expected {wanted}, yours {found}."


def consequences(expected: Rows, got: Rows, noun: str = "stage", chunks: int = 1) -> list[str]:
    """What follows from the orders `got`, in sentences, the gravest first; no sentence where nothing does.

    An operation that is missing or twice, one that can never start, more activations held than `expected` has
    anywhere on that rank, a longer step. Times are F = 1 and B = 2, divided by `chunks`.

    >>> consequences([["0F0", "0B0", "0F1", "0B1"]], [["0F0", "0F1", "0B0", "0B1"]])
    ['With 0F1, its operation 2, stage 0 holds the activations of 2 micro-batches; it need never hold more than 1.']
    """
    said = [_miscounted(expected, got, noun)]
    known = {step for row in expected for step in row}
    strange = next((step for row in got for step in row if step not in known), None)
    if strange is not None:
        return [*filter(None, said), _beyond(expected, strange)]
    if said[0] is not None and said[0].endswith("twice."):
        return [said[0]]
    try:
        timeline = time_orders(got, chunks=chunks)
    except CannotRun as error:
        # `noun` is "stage" where each rank has one stage, of its own number
        told = str(error) if noun == "rank" else str(error).replace("rank", noun)
        return [*filter(None, said), f"As it stands it cannot run: {told}."]
    except BadArgument:
        return list(filter(None, said))
    return list(filter(None, [*said, _overfull(expected, got, noun, chunks), _slower(expected, timeline, chunks)]))


def _miscounted(expected: Rows, got: Rows, noun: str) -> str | None:
    for rank, (right, row) in enumerate(zip(expected, got, strict=True)):
        missing, extra = Counter(right) - Counter(row), Counter(row) - Counter(right)
        twice = next((step for step in extra if step in right), None)
        if twice:
            return f"{noun.capitalize()} {rank} runs {twice} twice."
        if missing and not extra:
            return f"{noun.capitalize()} {rank} never runs {next(iter(missing))}."
    return None


def _beyond(expected: Rows, strange: str) -> str:
    """What there is where an operation is none of this pipeline's."""
    parts = [_OPERATION.fullmatch(step) for row in expected for step in row]
    stages, micro_batches = ({int(part[at]) for part in parts if part} for at in (1, 3))
    return f"There is no {strange}: stages are 0 to {max(stages)}, micro-batches 0 to {max(micro_batches)}."


def _overfull(expected: Rows, got: Rows, noun: str, chunks: int) -> str | None:
    for rank, (right, row) in enumerate(zip(expected, got, strict=True)):
        cap, counts = max(_held(right), default=0), _held(row)
        place = next((at for at, held in enumerate(counts) if held > cap), None)
        if place is not None:
            # Where it begins is told, and how far it goes
            most = max(counts)
            what = "micro-batches" if chunks == 1 else "micro-batches' chunks"
            later = f" (later {most})" if most > counts[place] else ""
            return (
                f"With {row[place]}, its operation {place + 1}, {noun} {rank} holds the activations of "
                f"{counts[place]} {what}{later}; it need never hold more than {cap}."
            )
    return None


def _held(row: Sequence[str]) -> list[int]:
    """Activations held after each operation."""
    held, counts = 0, []
    for step in row:
        operation = parse_operation(step)
        assert isinstance(operation, Operation)  # a pair does not match what `refusal` lets through
        held += 1 if operation.kind == FORWARD else -1
        counts.append(held)
    return counts


def _slower(expected: Rows, timeline: Timeline, chunks: int) -> str | None:
    least = time_orders(expected, chunks=chunks).makespan
    if timeline.makespan <= least:
        return None
    return (
        f"It would run, and be done at time {timeline.makespan:g}, not {least:g} (a forward pass takes {1 / chunks:g})."
    )


def count(number: int, thing: str) -> str:
    """A number of things.

    >>> count(1, "stage"), count(2, "micro-batch")
    ('1 stage', '2 micro-batches')
    """
    return f"{number} {thing}{'' if number == 1 else 'es' if thing.endswith('ch') else 's'}"


def moved(step: str, stages: int, micro_batches: int) -> str:
    """The operation that much further on.

    >>> moved("0F0", 0, 1)
    '0F1'
    """
    stage, kind, micro_batch = _OPERATION.fullmatch(step).groups()  # type: ignore[union-attr]  # it was let through
    return f"{int(stage) + stages}{kind}{int(micro_batch) + micro_batches}"


def _how(step: str) -> str:
    if not step.strip():
        return "Leave idle times out."
    if re.fullmatch(r"-?\d+[FB]-?\d+", step):
        return "Stages and micro-batches are counted from 0 up."
    if _OPERATION.fullmatch(step.upper()):
        return "Write the kind as a capital letter, F or B."
    return "Write stage, then F or B, then micro-batch, without blanks: 0F0."


def _short(value: Any) -> str:
    return f"{value!r:.60}"
