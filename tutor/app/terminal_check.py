"""Whether there is a terminal that the app can use; asked before Textual is imported."""

from __future__ import annotations

import os
import sys

from tutor.program import NAME, program

# Below this the pictures cannot be read; the app says so there and comes back when the window grows
LEAST_COLUMNS, LEAST_ROWS = 40, 12

_WITHOUT = f"{program()} plain gives the whole course line by line"


def why_not() -> str | None:
    """One line that says why the app cannot open here, or None when it can."""
    # Textual reads standard input, draws on standard error and measures standard output
    for name, stream in (("input", sys.stdin), ("output", sys.stdout), ("error", sys.stderr)):
        if not _is_terminal(stream):
            return f"the app needs a terminal, and standard {name} is not one. {_WITHOUT}"
    kind = os.environ.get("TERM", "")
    if kind in ("", "dumb", "unknown"):
        said = f"TERM is {kind}" if kind else "TERM is not set"
        return f"the app needs a terminal that can move its cursor, and {said}. {_WITHOUT}"
    return _in_one_row(*_size())


def too_small(columns: int, rows: int) -> str | None:
    """One line that says that this many columns and rows are too few, or None."""
    if columns >= LEAST_COLUMNS and rows >= LEAST_ROWS:
        return None
    return f"too small: {columns}x{rows}; needed: {LEAST_COLUMNS}x{LEAST_ROWS}"


def _in_one_row(columns: int, rows: int) -> str | None:
    """The same, as long as there is room for behind the program's name."""
    whole = too_small(columns, rows)
    if whole is None:
        return None
    needed = f"{LEAST_COLUMNS}x{LEAST_ROWS}"
    said = (whole, f"too small; needed: {needed}", f"needed: {needed}")
    return next((one for one in said if len(f"{NAME}: {one}") <= columns), f"min {needed}")


def _is_terminal(stream: object) -> bool:
    try:
        return bool(stream is not None and stream.isatty())  # type: ignore[attr-defined]
    except (AttributeError, ValueError, OSError):
        return False  # closed


def _size() -> tuple[int, int]:
    """Columns and rows as Textual will see them; a terminal that does not know its size counts as 80x24."""
    import shutil

    size = shutil.get_terminal_size((80, 24))
    return size.columns, size.lines
