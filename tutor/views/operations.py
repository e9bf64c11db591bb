"""How one operation of a pipeline is written in a slot: its micro-batch, with a sign for what it does.

A forward pass is the bare number, a full backward pass has « before it, the half that computes the
input's gradient ‹, the half that computes the weights' gradient w. Where a rank holds several model
stages, a letter says which: a for its first.
"""

from __future__ import annotations

from string import ascii_lowercase
from typing import TYPE_CHECKING

from tutor.views import palette
from tutor.views.layout import Line, note
from tutor.views.picture import Role, Run

if TYPE_CHECKING:
    from simlib.pipeline import Operation, Overlap

SIGNS = {"F": "", "B": palette.BACKWARD, "I": palette.INPUT_GRADIENT, "W": palette.WEIGHT_GRADIENT}
ROLES = {"F": Role.FORWARD, "B": Role.BACKWARD, "I": Role.INPUT_GRADIENT, "W": Role.WEIGHT_GRADIENT}
# What fills the rest of a slot, and the slots after it, while an operation goes on
_GOES_ON = {
    "F": palette.FORWARD_GOES_ON,
    "B": palette.BACKWARD_GOES_ON,
    "I": palette.INPUT_GRADIENT_GOES_ON,
    "W": palette.WEIGHT_GRADIENT_GOES_ON,
}
_NAMES = {"F": "forward", "B": "backward", "I": "input gradient", "W": "weight gradient"}


def label(operation: Operation | Overlap, stages: list[int]) -> str:
    """The text of an operation on a rank that holds the model stages `stages`.

    >>> from simlib.pipeline import parse_operation
    >>> label(parse_operation("0F3"), [0]), label(parse_operation("5B12"), [1, 5]), label(parse_operation("0I1"), [0])
    ('3', '«12b', '‹1')
    >>> label(parse_operation("(0F3;3B5)OVERLAP_F_B"), [0, 3])
    '3a«5b'
    """
    return "".join(f"{SIGNS[part.kind]}{part.micro_batch}{letter(part.stage, stages)}" for part in operation.parts)


def drawn(operation: Operation | Overlap, stages: list[int], columns: int, fill: bool) -> str:
    """The text in so many columns: a blank where it has no sign, and with `fill` a line behind it.

    >>> from simlib.pipeline import parse_operation
    >>> drawn(parse_operation("0F3"), [0], 3, False), drawn(parse_operation("0B3"), [0], 6, True)
    (' 3 ', '«3════')
    """
    text = label(operation, stages)
    text = text if text[:1] in SIGNS.values() else f" {text}"
    return text.ljust(columns, _GOES_ON[operation.parts[-1].kind] if fill else " ")[:columns]


def letter(stage: int, stages: list[int]) -> str:
    """Which of the rank's model stages it is; nothing where it has only one."""
    if len(stages) < 2 or stage not in stages:
        return ""
    at = stages.index(stage)
    return ascii_lowercase[at] if at < len(ascii_lowercase) else "z"


def role(operation: Operation | Overlap) -> Role:
    """The role of an operation; an overlapping pair counts as its backward half, which is the longer."""
    return ROLES[operation.parts[-1].kind]


def spoken(operation: Operation | Overlap, stages: list[int], last: Operation | Overlap | None = None) -> str:
    """The operation in words, or all of its kind up to `last`.

    >>> from simlib.pipeline import parse_operation
    >>> spoken(parse_operation("0F3"), [0]), spoken(parse_operation("5B12"), [1, 5])
    ('forward 3', 'backward 12 of model stage 5')
    """
    return " with ".join(
        f"{_NAMES[part.kind]} {part.micro_batch}"
        + (f" to {end.micro_batch}" if end != part else "")
        + (f" of model stage {part.stage}" if len(stages) > 1 else "")
        for part, end in zip(operation.parts, (last or operation).parts, strict=True)
    )


def legend(kinds: set[str], letters: bool) -> list[Line]:
    """What the signs in use mean."""
    items: list[Line] = [
        [Run(f"{SIGNS[kind]}n", ROLES[kind]), *note(f" {_NAMES[kind]}")] for kind in _NAMES if kind in kinds
    ]
    items.append([Run(palette.IDLE, Role.IDLE), *note(" idle")])
    if letters:
        items.append(note("a, b: a rank's first, second model stage"))
    return items
