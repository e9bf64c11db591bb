"""Every picture of the course in words: at every step they say all that its cells hold."""

from __future__ import annotations

import re
from collections.abc import Mapping

import pytest

from tutor.course.load import load
from tutor.views.picture import Cell, CellValue, Picture
from tutor.views.scene import Scene
from tutor.views.topics import topic

COURSE = load()
PICTURES = [
    (step.id, step.live)
    for lesson in [*COURSE.lessons, *([COURSE.examination] if COURSE.examination else [])]
    for step in lesson.steps
    if step.live is not None
]
_SIZES = {"B": 1, "KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12, "PB": 1e15, "s": 1, "ms": 1e-3, "us": 1e-6, "%": 0.01}
_FIGURE = re.compile(r"(?<![\w.])(-?[\d.]+(?:e[+-]?\d+)?) ?([KMGTP]?B|ms|us|s|%)(?!\w)")
# "slots 6 to 11 backward 0 to 2 of model stage 1", one row of a grid after the other
_SPAN = re.compile(
    r"slots? (?P<first>\d+)(?: to (?P<last>\d+))? "
    r"(?P<kind>forward|backward|input gradient|weight gradient) (?P<from>\d+)(?: to (?P<to>\d+))?"
    r"(?: of model stage (?P<stage>\d+))?(?: with backward (?P<other>\d+) of model stage (?P<other_stage>\d+))?"
)
_OPERATION = re.compile(r"(?P<stage>\d*)(?P<kind>[FBIW])(?P<micro_batch>\d+)")
_LETTERS = {"forward": "F", "backward": "B", "input gradient": "I", "weight gradient": "W"}


def scene_of(live: object) -> Scene:
    return topic(live.topic).scene(live.parameters)  # type: ignore[attr-defined]


def figures(words: str) -> set[str]:
    """Every figure with a unit, in base units, to the four digits that tables draw."""
    return {f"{float(number) * _SIZES[unit]:.4g}" for number, unit in _FIGURE.findall(words)}


def is_said(picture: Picture, place: Cell, value: CellValue, words: str, said: set[str]) -> bool:
    """Whether the words have this value: as the picture writes it, or as a figure with its unit."""
    written = picture.written(place, value)
    if re.search(rf"(?<![\w.]){re.escape(written)}(?![\w]|\.\d)", words):
        return True
    return isinstance(value, (int, float)) and bool({f"{value:.4g}", f"{value:.3g}"} & said)


def slots(row: str) -> dict[int, str]:
    """What each slot that is not idle does, from a row in words: `F2`, `F2 stage 5`, `F3 stage 0, B5 stage 3`."""
    found = {}
    for span in _SPAN.finditer(row):
        first, last = int(span["first"]), int(span["last"] or span["first"])
        batches = range(int(span["from"]), int(span["to"] or span["from"]) + 1)
        each = (last - first + 1) // len(batches)
        stage = f" stage {span['stage']}" if span["stage"] else ""
        other = f", B{span['other']} stage {span['other_stage']}" if span["other"] else ""
        for slot in range(first, last + 1):
            found[slot] = f"{_LETTERS[span['kind']]}{batches[(slot - first) // each]}{stage}{other}"
    return found


def held(row: str) -> dict[int, int]:
    """How many activations are held in each slot: `slots 4 to 12: 5`."""
    spans = re.finditer(r"slots? (\d+)(?: to (\d+))?: (\d+)", row)
    return {slot: int(span[3]) for span in spans for slot in range(int(span[1]), int(span[2] or span[1]) + 1)}


def rows_by(cells: Mapping[Cell, CellValue], name: str) -> dict[object, list[dict[int, CellValue]]]:
    """The rows of the grids whose cells have `schedule` or `held`: what is in each slot, by the schedule's name."""
    rows: dict[object, dict[object, dict[int, CellValue]]] = {}
    for place, value in cells.items():
        at = dict(place)
        if "slot" in at and (name in at or (name == "schedule" and "held" not in at)):
            of_rank = rows.setdefault(at.get(name), {}).setdefault(at["rank"], {})
            if value is not None:
                of_rank[int(at["slot"])] = value
    return {schedule: list(ranks.values()) for schedule, ranks in rows.items()}


def as_said(row: Mapping[int, CellValue], staged: bool) -> dict[int, str]:
    """A row of operations in the form of `slots`; the stage of an operation where `staged`."""
    told = {}
    for slot, value in row.items():
        operations = _OPERATION.finditer(str(value).removesuffix("OVERLAP_F_B"))
        each = (one["kind"] + one["micro_batch"] + (f" stage {one['stage']}" if staged else "") for one in operations)
        told[slot] = ", ".join(each)
    return told


def check_grids(cells: Mapping[Cell, CellValue], lines: list[str]) -> None:
    """Every grid of slots is said in full, row after row."""
    for schedule, rows in rows_by(cells, "schedule").items():
        of_it = [line for line in lines if schedule is None or line.startswith(f"{schedule}, ")]
        told = [row for line in of_it if "activations held" not in line and (row := slots(line))]
        staged = any("stage" in operation for row in told for operation in row.values())
        assert told == [as_said(row, staged) for row in rows], lines
    for schedule, rows in rows_by(cells, "held").items():
        assert [held(line) for line in lines if re.match(rf"{schedule}, .*activations held: ", line)] == rows, lines


def check_chunks(picture: Picture, lines: list[str]) -> None:
    """Every worker's chunks are said with their values, in their order; those it does not hold too."""
    workers: dict[object, dict[int, list[str]]] = {}
    for place, value in picture.cells().items():
        at = dict(place)
        if {"worker", "chunk", "index"} <= at.keys():
            chunk = workers.setdefault(at["worker"], {}).setdefault(int(at["chunk"]), [])
            if value is not None:
                chunk.append(picture.written(place, value))
    for worker, chunks in workers.items():
        (line,) = [line for line in lines if re.search(rf"(after step \d+|at the start).*, worker {worker}: ", line)]
        said = dict(
            re.findall(r"chunk (\d+) (?:is )?([^;]*?)(?:, finished)?(?=;|$)", line.split(f"worker {worker}: ")[1])
        )
        assert {
            int(chunk): values.replace("not held", "").replace("empty", "").split() for chunk, values in said.items()
        } == chunks


@pytest.mark.parametrize(("step_id", "live"), PICTURES, ids=[name for name, _ in PICTURES])
def test_words_say_all_that_the_picture_holds(step_id: str, live: object) -> None:
    scene = scene_of(live)
    for step in range(scene.last_step + 1):
        picture = scene.picture(step)
        lines = picture.words()
        words = "\n".join(lines)
        said = figures(words)
        for place, value in picture.cells().items():
            if value is None or "slot" in dict(place):
                continue
            spoken = re.sub(r"^(\d+)-(\d+)$", r"layers \1 to \2", value) if isinstance(value, str) else value
            assert is_said(picture, place, spoken, words, said), (step, place, value, lines)
        check_grids(picture.cells(), lines)
        check_chunks(picture, lines)


@pytest.mark.parametrize(("step_id", "live"), PICTURES, ids=[name for name, _ in PICTURES])
def test_words_need_no_signs(step_id: str, live: object) -> None:
    scene = scene_of(live)
    for step in range(scene.last_step + 1):
        for line in scene.picture(step).words():
            assert line.isascii(), line
            assert line == line.strip()
            assert not re.search(r"[=_~|]{2,}", line), line
