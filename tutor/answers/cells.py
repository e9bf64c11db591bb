"""The cells of a question's live picture: those to fill in, and those that expressions name."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Any

from tutor.answers.families import member
from tutor.course import expressions
from tutor.course.expressions import CellLookup, ExpressionError
from tutor.course.model import Course, CourseError, Live, Question, Wrong
from tutor.views import select
from tutor.views.picture import Cell, CellValue
from tutor.views.scene import Scene

STEP = "step"
_ROWS = ("worker", "rank", "stage", "gpu")  # a table's rows, as in tutor.views.select
_ORDER = ("worker", "rank", "gpu", "stage", "chunk", "slot", "part", "matrix", "row", "column", "index")
_SAME = ("index", "matrix", "row")  # not said where all cells asked for have the same
_NAMES = {"gpu": "GPU"}


def live_picture(course: Course, question: Question, seed: int | None = None) -> Live:
    """The live picture of a question as this member shows it, its own parameters put in. Raises CourseError."""
    live = course.live(question.live) if question.live else None
    if live is None:
        missing = (
            f"no live picture is called {question.live!r}" if question.live else "the question names no live picture"
        )
        raise CourseError(question.at("live"), f"{question.id}: {missing}")
    if not question.live_with:
        return live
    variables = member(question, seed)
    try:
        changed = {name: expressions.evaluate(text, variables).value for name, text in question.live_with.items()}
    except ExpressionError as error:
        raise CourseError(question.at("live_with"), f"{question.id}: {error}") from None
    return replace(live, parameters={**live.parameters, **changed}, place=question.at("live_with"))


def scene(live: Live) -> Scene:
    """The scene that a live picture shows. Raises CourseError for a topic or parameter that does not exist."""
    from simlib.errors import BadArgument

    try:
        return _scene(live.topic, json.dumps(dict(live.parameters), sort_keys=True, default=str))
    except BadArgument as error:
        raise CourseError(live.place, f"live {live.id}: {error}") from None


@lru_cache(maxsize=64)
def _scene(topic: str, parameters: str) -> Scene:
    from tutor.views import topics

    return topics.topic(topic).scene(json.loads(parameters))


def lookup(course: Course, question: Question, seed: int | None = None) -> CellLookup:
    """Gives the value of one cell of the question's live picture; built when the first cell is asked for."""

    def look(at: Mapping[str, Any]) -> CellValue:
        try:
            live = live_picture(course, question, seed)
        except CourseError as error:
            raise ExpressionError(error.message) from None
        return lookup_in(live)(at)

    return look


def lookup_in(live: Live) -> CellLookup:
    """Gives the value of one cell of a live picture."""

    def look(at: Mapping[str, Any]) -> CellValue:
        try:
            return select.one(scene(live), _selector(at, live))
        except CourseError as error:
            raise ExpressionError(error.message) from None
        except ValueError as error:
            raise ExpressionError(f"live {live.id}: {error}") from None

    return look


def rows(course: Course, question: Question, seed: int | None = None) -> list[list[tuple[Cell, CellValue]]]:
    """The cells that a table or grid asks for, with what they hold, a row for each worker, rank or stage.

    Raises CourseError.
    """
    live = live_picture(course, question, seed)
    place = question.at("cells")
    try:
        found = select.select(scene(live), _selector(_wanted(question, seed), live))
    except ValueError as error:
        raise CourseError(place, f"{question.id}: {error}") from None
    if not found:
        raise CourseError(place, f"{question.id}: {question.cells!r} names no cell of {live.id}")
    by_row: dict[Any, list[tuple[Cell, CellValue]]] = {}
    for at, value in found:
        coordinates = dict(at)
        row = next((coordinates[name] for name in _ROWS if name in coordinates), None)
        by_row.setdefault(row, []).append((at, value))
    return list(by_row.values())


def places(course: Course, question: Question, seed: int | None = None) -> list[list[Cell]]:
    """The cells of `rows` without what they hold. Raises CourseError."""
    return [[place for place, _ in row] for row in rows(course, question, seed)]


def called(course: Course, question: Question, seed: int | None = None) -> Mapping[str, str]:
    """What the question's picture calls its coordinates, where that is not their own name. Raises CourseError."""
    return scene(live_picture(course, question, seed)).picture(step_asked(course, question, seed)).called


def step_asked(course: Course, question: Question, seed: int | None = None) -> int:
    """The step of the live picture whose cells a table or grid asks for. Raises CourseError."""
    step = _wanted(question, seed).get(STEP, live_picture(course, question, seed).step)
    return step if isinstance(step, int) else 0


def matching(text: str, cells: Iterable[Cell], question: Question, seed: int | None) -> list[Cell]:
    """Those of `cells` that the selector `text` names; none where it cannot be read."""
    try:
        wanted = expressions.coordinates(text, member(question, seed))
    except ExpressionError:
        return []
    return _matching({name: value for name, value in wanted.items() if name != STEP}, cells)


def name(at: Cell, cells: Iterable[Cell] = (), called: Mapping[str, str] = _NAMES) -> str:
    """A cell as a person calls it: `worker 1, chunk 0`; `cells` are its neighbours, the same coordinates left out.

    `called` are the picture's own names of coordinates.

    >>> name((("chunk", 0), ("index", 0), ("worker", 1)), [(("chunk", 1), ("index", 0), ("worker", 1))])
    'worker 1, chunk 0'
    >>> name((("group", 3), ("member", 0)))
    'group D, member 0'
    >>> name((("rank", 1), ("slot", 3)), called={"rank": "stage"})
    'stage 1, slot 3'
    """
    same = {key for key, value in at if key in _SAME and all(dict(other).get(key) == value for other in cells)}
    order = {key: number for number, key in enumerate(_ORDER)}
    shown = sorted((pair for pair in at if pair[0] not in same), key=lambda pair: order.get(pair[0], 99))
    return ", ".join(f"{called.get(key) or _NAMES.get(key, key)} {_written(key, value)}" for key, value in shown)


def _written(coordinate: str, value: int | str) -> int | str:
    """A coordinate's value as the pictures write it: groups have letters."""
    if coordinate != "group" or not isinstance(value, int):
        return value
    from tutor.views.mesh_map import letters

    return letters(value)


def wrong_cell_value(course: Course, question: Question, wrong: Wrong, seed: int | None) -> CellValue:
    """What a known wrong answer puts into its cell: an expression's value, or a grid's operation as written."""
    try:
        value = expressions.evaluate(wrong.match, member(question, seed), lookup(course, question, seed)).value
    except ExpressionError:
        return None if wrong.match == "." else wrong.match
    return value if isinstance(value, (int, float, str)) else None


def _wanted(question: Question, seed: int | None) -> dict[str, Any]:
    try:
        return expressions.coordinates(question.cells, member(question, seed))
    except ExpressionError as error:
        raise CourseError(question.at("cells"), f"{question.id}: {error}") from None


def _selector(at: Mapping[str, Any], live: Live) -> str:
    """The coordinates as views read them; without a step, that at which the picture opens."""
    whole = {
        key: int(value) if isinstance(value, float) and value.is_integer() else value
        for key, value in {STEP: live.step, **at}.items()
    }
    return " ".join(f"{key}={value}" for key, value in whole.items())


def _matching(wanted: Mapping[str, Any], cells: Iterable[Cell]) -> list[Cell]:
    return [at for at in cells if all((key, value) in at for key, value in wanted.items())]
