"""Lessons of which only the outline has been read: what the home screen and most commands need of thirteen of them.

The blocks of a step are read when somebody asks for them. A file whose outline is not plain is read as a
whole at once, so that its mistake is told as ever.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from tutor.course.blocks import BLOCKS
from tutor.course.model import Block, Lesson, Place, Step
from tutor.course.parse import FENCE, HEADING, lesson_of, parse_lesson, steps_of

_MARKED = re.compile(r"## |\s*(?:```|~~~)")


class UnreadStep(Step):
    """A step whose blocks are read at first use. Raises CourseError then."""

    def __init__(self, outline: _Outline, text: bytes, file: Path) -> None:
        """`text` is the whole lesson's, in UTF-8: as a list of lines it would take three times the memory."""
        # A frozen dataclass sets its fields so; `blocks` is not among them
        object.__setattr__(self, "id", outline.id)
        object.__setattr__(self, "title", outline.title)
        object.__setattr__(self, "place", Place(file, outline.line))
        self.__dict__.update(_outline=outline, _text=text)

    if not TYPE_CHECKING:

        @cached_property
        def blocks(self) -> tuple[Block, ...]:
            lines = self._text.decode().split("\n", self._outline.end)
            (step,) = steps_of(lines[: self._outline.end], self._outline.line - 1, self.place.file)
            return step.blocks

    @property
    def heads(self) -> tuple[tuple[str, str], ...]:
        outline: _Outline = self.__dict__["_outline"]
        return tuple(outline.heads)

    def __eq__(self, other: object) -> bool:
        # By its place first: looking for a step in its lesson reads none
        return isinstance(other, Step) and self.place == other.place and self.blocks == other.blocks

    def __hash__(self) -> int:
        return hash(self.place)

    def __repr__(self) -> str:
        return f"UnreadStep({self.id!r}, {self.title!r}, {self.place})"


@dataclass
class _Outline:
    """What a step's heading and the heads of its blocks say; lines count from 1, the step ends at `end`."""

    id: str
    title: str
    line: int
    heads: list[tuple[str, str]]
    end: int


def skim_lesson(text: str, file: Path) -> Lesson:
    """The lesson in `text`, its steps unread. Raises CourseError with file and line."""
    lines = text.split("\n")
    lesson, start = lesson_of(lines, file)
    outlines = _outlines(lines, start, file)
    if outlines is None:
        return parse_lesson(text, file)
    kept = text.encode()
    return lesson(tuple(UnreadStep(outline, kept, file) for outline in outlines))


def _outlines(lines: list[str], start: int, file: Path) -> list[_Outline] | None:
    """The steps, or None where a heading or block is not written as it should."""
    # Few lines of a lesson begin a step or a block: only those are looked at one by one
    marked = [number for number in range(start, len(lines)) if _MARKED.match(lines[number])]
    if not marked or any(line.strip() for line in lines[start : marked[0]]):
        return None
    found: list[_Outline] = []
    opened = ""  # the marks of the block in which the line stands
    for number in marked:
        line = lines[number]
        if opened:
            closing = line.strip()
            if closing.startswith(opened) and not closing.strip(opened[0]):
                opened = ""
        elif line.startswith("## "):
            heading = HEADING.match(line)
            if not heading or not heading["id"] or not heading["title"]:
                return None
            if found:
                found[-1].end = number
            found.append(_Outline(heading["id"], heading["title"], number + 1, [], len(lines)))
        elif fence := FENCE.match(line):
            if not found or (fence["kind"] in BLOCKS and not fence["rest"]):
                return None
            if fence["kind"] in BLOCKS:
                found[-1].heads.append((fence["kind"], fence["rest"]))
            opened = fence["marks"]
        elif not found:
            return None
    return None if opened else found
