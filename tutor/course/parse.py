"""A lesson file read: front matter, steps, prose, and the TOML of its live, ask and code blocks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from tutor.course.blocks import BLOCKS, read_block
from tutor.course.fields import Fields, check_id
from tutor.course.model import Block, CourseError, Exercise, Lesson, Live, Place, Prose, Question, Step

LARGEST = 1_000_000  # bytes of a lesson file
_FRONT = "+++"
HEADING = re.compile(r"## +(?P<title>.*?)\s*(?:\{#(?P<id>[^}]*)\})?\s*$")
FENCE = re.compile(r" {0,3}(?P<marks>`{3,}|~{3,})[ \t]*(?P<kind>[^\s`]*)[ \t]*(?P<rest>[^`]*?)\s*$")


def read_text(file: Path) -> str:
    """The text of a course file with line ends made `\\n`. Raises CourseError when it cannot be read."""
    place = Place(file, 1)
    try:
        if not file.is_file():
            raise CourseError(place, "no such file" if not file.exists() else "not a file")
        data = file.read_bytes() if file.stat().st_size <= LARGEST else None
    except (OSError, ValueError) as error:
        raise CourseError(place, f"cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if data is None:
        raise CourseError(place, f"larger than {LARGEST:,} bytes")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data[: error.start].count(b"\n") + 1
        raise CourseError(Place(file, line), "not UTF-8 text") from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def parse_lesson(text: str, file: Path) -> Lesson:
    """The lesson in `text`, which stands in `file`. Raises CourseError with file and line."""
    lines = text.split("\n")
    lesson, after = lesson_of(lines, file)
    steps = tuple(steps_of(lines, after, file))
    if not steps:
        raise CourseError(
            Place(file, len(lines)), "a lesson without steps; expected a line such as ## Title {#step-id}"
        )
    return lesson(steps)


def lesson_of(lines: list[str], file: Path) -> tuple[Callable[[tuple[Step, ...]], Lesson], int]:
    """What makes the lesson of its steps, from the front matter, and the index of the line after that."""
    front, after = _front_matter(lines, file)
    identity = check_id(front.text("id", required=True), "lesson", front.at("id"))
    title, about = front.text("title", required=True), front.text("about")
    minutes = front.whole("minutes", 0, 0, 10_000)
    needs = tuple(check_id(need, "lesson", front.at("needs")) for need in front.texts("needs"))
    front.done()
    return lambda steps: Lesson(identity, title, about, minutes, needs, steps, file.parent), after


def _front_matter(lines: list[str], file: Path) -> tuple[Fields, int]:
    """The front matter and the index of the first line after it."""
    place = Place(file, 1)
    if lines[0].rstrip() != _FRONT:
        raise CourseError(place, f"a lesson begins with a line {_FRONT}, its TOML and another line {_FRONT}")
    for index in range(1, len(lines)):
        if lines[index].rstrip() == _FRONT:
            return Fields.read("\n".join(lines[1:index]), "front matter", place), index + 1
    raise CourseError(place, f"the front matter has no closing line {_FRONT}")


@dataclass(frozen=True)
class _Piece:
    """A heading, a stretch of prose or a fenced block, as found in the file."""

    kind: str  # "heading", "prose" or a kind of block
    name: str  # a heading's id, a block's id
    text: str  # a heading's title, the prose, the block's TOML
    line: int


def _pieces(lines: list[str], start: int, file: Path) -> Iterator[_Piece]:
    prose: list[str] = []
    first = start

    def so_far() -> Iterator[_Piece]:
        # Blank lines around a stretch of prose are not part of it
        skipped = next((index for index, line in enumerate(prose) if line.strip()), len(prose))
        text = "\n".join(prose[skipped:]).rstrip()
        if text:
            yield _Piece("prose", "", text, first + skipped + 1)

    index = start
    while index < len(lines):
        line = lines[index]
        fence = FENCE.match(line)
        if fence:
            end = _closing_fence(lines, index, fence["marks"], file)
            if fence["kind"] not in BLOCKS:
                prose += lines[index : end + 1]
                index = end + 1
                continue
            yield from so_far()
            yield _Piece(fence["kind"], fence["rest"], "\n".join(lines[index + 1 : end]), index + 1)
            index, prose, first = end + 1, [], end + 1
            continue
        heading = HEADING.match(line)
        if heading:
            yield from so_far()
            if heading["id"] is None:
                raise CourseError(
                    Place(file, index + 1), f"step {heading['title']!r} has no id; write ## Title {{#step-id}}"
                )
            yield _Piece("heading", heading["id"], heading["title"], index + 1)
            index, prose, first = index + 1, [], index + 1
            continue
        prose.append(line)
        index += 1
    yield from so_far()


def _closing_fence(lines: list[str], start: int, marks: str, file: Path) -> int:
    for index in range(start + 1, len(lines)):
        line = lines[index].strip()
        if line.startswith(marks) and not line.strip(marks[0]):
            return index
    raise CourseError(Place(file, start + 1), f"this block has no closing line {marks}")


def steps_of(lines: list[str], start: int, file: Path) -> Iterator[Step]:
    """The steps in `lines` from the index `start` on. Raises CourseError with file and line."""
    heading: _Piece | None = None
    blocks: list[Block] = []

    def finished(heading: _Piece) -> Step:
        return Step(heading.name, heading.text, tuple(blocks), Place(file, heading.line))

    for piece in _pieces(lines, start, file):
        place = Place(file, piece.line)
        if piece.kind == "heading":
            if heading is not None:
                yield finished(heading)
            if not piece.text:
                raise CourseError(place, "a step without a title; write ## Title {#step-id}")
            check_id(piece.name, "step", place)
            heading, blocks = piece, []
            continue
        if heading is None:
            raise CourseError(place, "text before the first step; begin a step with ## Title {#step-id}")
        if piece.kind == "prose":
            blocks.append(Prose(piece.text, place))
            continue
        block = read_block(piece.kind, piece.name, piece.text, place)
        _refuse_second(blocks, block, place)
        blocks.append(block)
    if heading is not None:
        yield finished(heading)


def _refuse_second(blocks: list[Block], block: Block, place: Place) -> None:
    kinds, what = (
        ((Live,), "live picture") if isinstance(block, Live) else ((Question, Exercise), "question or exercise")
    )
    if any(isinstance(other, kinds) for other in blocks):
        raise CourseError(place, f"a second {what} in one step; begin another step before it")
