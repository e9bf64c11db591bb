"""What an overlay's mark makes of a cell: other text, another role, and signs that need no colour."""

from __future__ import annotations

import unicodedata

from tutor.safe_text import visible
from tutor.views import palette
from tutor.views.layout import Line, note
from tutor.views.picture import Mark, Overlay, Role, Run

_LONGEST = 16
# Roles of a cell that the learner is filling in: the picture must not give the answer away around it
_ASKED = (Role.BLANK, Role.YOURS)


def shown(text: str, role: Role, mark: Mark | None, columns: int) -> tuple[str, Role]:
    """The text and role of a cell that shows `text`, under `mark`, in a column `columns` wide.

    >>> shown("11", Role.PLAIN, Mark(Role.DIFFERENCE, "10"), 3)
    ('10≠11', <Role.DIFFERENCE: 'difference'>)
    >>> shown("11", Role.PLAIN, Mark(Role.BLANK), 3)[0], shown("11", Role.PLAIN, Mark(Role.CURSOR), 3)[0]
    ('___', '[11]')
    """
    if mark is None:
        return text, role
    given = None if mark.text is None else one_line(mark.text)
    if mark.role is Role.DIFFERENCE and given is not None:
        return f"{given or '_'}{palette.UNEQUAL}{text}", mark.role
    if given == "" or (given is None and mark.role is Role.BLANK):
        given = "_" * max(1, columns)
    return palette.bracketed(mark.role, text if given is None else given), mark.role


def asks(mark: Mark | None) -> bool:
    """Whether the mark hides the engine's value because the learner is to fill it in."""
    return mark is not None and (mark.role in _ASKED or (mark.role is Role.CURSOR and mark.text is not None))


def brackets(overlay: Overlay) -> int:
    """The columns that the overlay's signs add: kept free in every cell, so that a moving cursor moves nothing."""
    return 2 if any(mark.role in (Role.YOURS, Role.ENGINE, Role.CURSOR) for mark in overlay.values()) else 0


def legend(overlay: Overlay) -> list[Line]:
    """What a sign of the overlay means, where it does not say so itself."""
    differing = [mark.text for mark in overlay.values() if mark.role is Role.DIFFERENCE]
    items: list[Line] = []
    if any(text is not None for text in differing):
        items.append([Run(f"a{palette.UNEQUAL}b", Role.DIFFERENCE), *note(" yours a, expected b")])
    if None in differing:
        items.append([Run(f"{palette.UNEQUAL}n", Role.DIFFERENCE), *note(" differs")])
    return items


def spoken(text: str, mark: Mark | None) -> str:
    """The cell in words.

    >>> spoken("11", Mark(Role.DIFFERENCE, "10")), spoken("11", None)
    ('yours 10, expected 11', '11')
    """
    if mark is None:
        return text
    given = None if mark.text is None else one_line(mark.text)
    match mark.role:
        case Role.DIFFERENCE if given is not None:
            return f"yours {given or 'blank'}, expected {text}"
        case Role.DIFFERENCE:
            return f"{text} (differs)"
        case Role.BLANK:
            return given or "blank"
        case Role.YOURS:
            return f"yours {text if given is None else given or 'blank'}"
        case Role.CURSOR:
            return f"{text if given is None else given or 'blank'} (here)"
        case _:
            return text if given is None else given


def one_line(text: str) -> str:
    """Typed text as a cell can show it: one printable column a character, at most 16 of them."""
    safe = "".join(map(one_column, visible(text.strip()[: _LONGEST + 1])))
    return safe if len(safe) <= _LONGEST else safe[: _LONGEST - 1] + "~"


def one_column(character: str) -> str:
    """The character, or one that takes one column in its place."""
    category = unicodedata.category(character)
    if category == "Zs":
        return " "
    wide = unicodedata.east_asian_width(character) in ("W", "F")
    return "?" if wide or category.startswith("M") or not character.isprintable() else character
