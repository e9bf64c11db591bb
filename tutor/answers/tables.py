"""Rows and cells as a person types them: `1 2 303; 11 20 30`, and grids such as `0F0 0F1 .; . 1F0 1F1`."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from tutor.answers.verdict import NotUnderstood
from tutor.course import arithmetic
from tutor.course.arithmetic import NotArithmetic
from tutor.safe_text import visible

LONGEST = 50_000  # characters of a typed table
IDLE = (".", "·", "-", "_", "–", "−")
_OPERATION = re.compile(r"(?P<stage>\d*)(?P<kind>[A-Za-z])(?P<micro_batch>\d+)")

CellTyped = int | float | str | None


def read_rows(text: str, lengths: Sequence[int], *, words: bool) -> list[list[CellTyped]]:
    """The rows in `text`, which must be as long as `lengths`; `words` are accepted where a grid holds operations.

    Rows end at `;` or a line's end, cells at spaces or commas; `.` is an idle or empty cell; everything
    may stand in one row. Raises NotUnderstood with the shape that is asked for.
    """
    if len(text) > LONGEST:
        raise NotUnderstood(f"longer than {LONGEST:,} characters; accepted: {_shape(lengths)}")
    # Python's and JSON's brackets say no more than a row's end does
    plain = re.sub(r"\]\s*,?\s*", ";", text).replace("[", " ")
    rows = [_cells(row, lengths) for row in re.split(r"[;\n]", plain) if row.strip(" ,\t\r|")]
    if not rows:
        raise NotUnderstood(f"nothing was typed; accepted: {_shape(lengths)}")
    if [len(row) for row in rows] != list(lengths):
        rows = _reshaped(rows, lengths)
    return [[_cell(cell, words) for cell in row] for row in rows]


def _cells(row: str, lengths: Sequence[int]) -> list[str]:
    cells = [cell for cell in re.split(r"[\s,|]+", row) if cell]
    # 012. is 0 1 2 . where every cell is one character
    run_together = len(cells) == 1 and len(cells[0]) in lengths and set(cells[0]) & set(IDLE)
    if run_together and len(cells[0]) > 1 and not re.fullmatch(r"[-−–]?\d+(\.\d+)?", cells[0]):
        return list(cells[0])
    return cells


def _reshaped(rows: list[list[str]], lengths: Sequence[int]) -> list[list[str]]:
    flat = [cell for row in rows for cell in row]
    if len(rows) != 1 or len(flat) != sum(lengths):
        if len(rows) != len(lengths):
            found = "is 1 row" if len(rows) == 1 else f"are {len(rows)} rows"
            raise NotUnderstood(f"there {found}; accepted: {_shape(lengths)}")
        number = next(index for index, row in enumerate(rows) if len(row) != lengths[index])
        raise NotUnderstood(
            f"row {number + 1} has {len(rows[number])} values, not {lengths[number]}; accepted: {_shape(lengths)}"
        )
    reshaped, start = [], 0
    for length in lengths:
        reshaped.append(flat[start : start + length])
        start += length
    return reshaped


def _shape(lengths: Sequence[int]) -> str:
    count = len(lengths)
    if len(set(lengths)) == 1:
        each = f"{lengths[0]} value{'s' if lengths[0] != 1 else ''}"
        each = each if count == 1 else f"{each} each"
    else:
        each = f"{', '.join(map(str, lengths))} values"
    return f"{count} row{'s' if count != 1 else ''} of {each}, cells parted by spaces and rows by ;"


def _cell(text: str, words: bool) -> CellTyped:
    if text in IDLE:
        return None
    try:
        return arithmetic.evaluate(arithmetic.parse(text.replace("−", "-")), _no_name, _no_name)
    except NotArithmetic as error:
        if words and re.fullmatch(r"[\w+-]{1,20}", text, re.ASCII):
            return text
        shown = visible(text[:30])
        why = "no number" if re.search(r"[^\W\d_]", text) else error  # 2O2, with a letter O: no part of it is at fault
        raise NotUnderstood(f"{shown!r} in a cell: {why}; accepted: a number, or . for an empty cell") from None


def _no_name(text: str) -> float:
    raise NotArithmetic("no number")


def is_operation(text: str) -> bool:
    """Whether a pipeline's grid may hold `text`: a stage, F, B, I or W, and a micro-batch.

    >>> is_operation("1F0"), is_operation("B12"), is_operation("0X1")
    (True, True, False)
    """
    operation = _OPERATION.fullmatch(text)
    return operation is not None and operation["kind"].upper() in "FBIW"


def same_cell(typed: CellTyped, holds: Any, tolerance: float | None) -> bool:
    """Whether a typed cell says what the picture's cell holds.

    An operation such as 1F0 may be typed without its stage, which the row gives, and a forward pass by
    its micro-batch alone. Whole numbers are compared exactly, others to `tolerance` (0.5% by default).
    """
    if typed is None or holds is None:
        return typed is None and holds is None
    if isinstance(holds, str):
        return _same_word(str(typed), holds)
    if isinstance(typed, str):
        return False
    if tolerance is None:
        tolerance = 0.0 if float(holds).is_integer() else 0.005
    difference, size = abs(typed - float(holds)), abs(float(holds))
    return difference <= size * (tolerance + 1e-9)


def _same_word(typed: str, holds: str) -> bool:
    if typed.casefold() == holds.casefold():
        return True
    operation = _OPERATION.fullmatch(holds)
    if operation is None:
        return False
    if typed.isdecimal():
        return operation["kind"].upper() == "F" and int(typed) == int(operation["micro_batch"])
    other = _OPERATION.fullmatch(typed)
    if other is None:
        return False
    same = other["kind"].upper() == operation["kind"].upper() and int(other["micro_batch"]) == int(
        operation["micro_batch"]
    )
    return same and (not other["stage"] or int(other["stage"]) == int(operation["stage"] or -1))


def show_cell(value: CellTyped) -> str:
    """A cell as it is read back."""
    if value is None:
        return "."
    if isinstance(value, str):
        return value
    return f"{int(value)}" if float(value).is_integer() else f"{value:.6g}"


def show_rows(rows: Sequence[Sequence[CellTyped]]) -> str:
    """Rows in the form in which they are typed."""
    return "; ".join(" ".join(map(show_cell, row)) for row in rows)
