"""The TOML of one fenced block read: a live picture, a question, an exercise."""

from __future__ import annotations

import re
from typing import Any

from tutor.course.fields import Fields, check_id
from tutor.course.model import (
    ASK,
    CHOICE,
    CHOICES,
    CODE,
    GRID,
    LIVE,
    NUMBER,
    ORDER,
    TABLE,
    CourseError,
    Exercise,
    Live,
    Option,
    Place,
    Question,
    Wrong,
)

BLOCKS = (LIVE, ASK, CODE)
KINDS = (NUMBER, CHOICE, CHOICES, ORDER, TABLE, GRID)
WITH_OPTIONS = (CHOICE, CHOICES, ORDER)
WITH_CELLS = (TABLE, GRID)
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_RESERVED = ("cell", "true", "false")


def read_block(kind: str, name: str, text: str, place: Place) -> Live | Question | Exercise:
    """The block ```` ```KIND NAME ```` at `place` with this TOML. Raises CourseError with file and line."""
    if not name:
        raise CourseError(place, f"this {kind} block has no id; write ```{kind} some-id")
    check_id(name, kind, place)
    fields = Fields.read(text, f"{kind} {name}", place)
    block: Live | Question | Exercise
    if kind == LIVE:
        block = _live(name, fields)
    elif kind == ASK:
        block = _question(name, fields)
    else:
        block = _exercise(name, fields)
    fields.done()
    return block


def _live(name: str, fields: Fields) -> Live:
    topic = fields.text("show", required=True)
    step = fields.whole("step", 0, 0, 1_000_000)
    return Live(name, topic, fields.rest(), fields.place, step)


def _exercise(name: str, fields: Fields) -> Exercise:
    return Exercise(
        id=name,
        title=fields.text("title") or name,
        folder=fields.place.file.parent / "exercises" / name,
        prompt=fields.text("prompt"),
        hints=fields.texts("hints"),
        why=fields.text("why"),
        place=fields.place,
    )


def _question(name: str, fields: Fields) -> Question:
    kind = fields.text("kind", required=True)
    if kind not in KINDS:
        raise fields.error("kind", f"kind is {kind!r}; accepted: {', '.join(KINDS)}")
    given, vary = _given(fields), _vary(fields)
    for variable in given:
        if variable in vary:
            raise fields.error("vary", f"{variable!r} is both given and varied")
    question = Question(
        id=name,
        kind=kind,
        prompt=fields.text("prompt", required=True),
        answer=_answer(fields),
        why=fields.text("why"),
        place=fields.place,
        hints=fields.texts("hints"),
        wrong=_wrong(fields),
        options=_options(fields),
        live=fields.text("live"),
        live_with=_live_with(fields),
        cells=fields.text("cells"),
        unit=fields.text("unit"),
        tolerance=fields.share("tolerance"),
        given=given,
        vary=vary,
        in_order=fields.flag("in_order"),
        back=fields.texts("back"),
        lines=fields.lines,
    )
    _fits_its_kind(question, fields)
    return question


def _answer(fields: Fields) -> str:
    """The answer as text; a list of ids is joined with commas, a bare number is kept for the linter to refuse."""
    value = fields.table.get("answer")
    if isinstance(value, list) and all(isinstance(item, str) for item in value):
        fields.asked.append("answer")
        return ", ".join(value)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        fields.asked.append("answer")
        return repr(value)
    return fields.text("answer")


def _fits_its_kind(question: Question, fields: Fields) -> None:
    """Refuses what a kind of question needs and has not, or has and cannot use."""
    kind = question.kind
    if kind in WITH_CELLS:
        if question.answer:
            raise fields.error("answer", f"a {kind} has no answer: it is in the cells of its live picture")
        if not question.live:
            raise fields.error("live", f"a {kind} needs 'live': the picture whose cells are filled in")
    else:
        if not question.answer:
            raise fields.error("answer", "'answer' is missing")
        if question.cells:
            raise fields.error("cells", f"a {kind} has no cells to fill; accepted for {TABLE} and {GRID}")
    if kind in WITH_OPTIONS:
        _fits_its_options(question, fields)
    elif question.options:
        raise fields.error("options", f"a {kind} has no options; accepted for {', '.join(WITH_OPTIONS)}")
    if kind in WITH_OPTIONS and (question.unit or question.tolerance is not None):
        raise fields.error("unit" if question.unit else "tolerance", f"a {kind} has no unit and no tolerance")
    for wrong in question.wrong:
        if wrong.at and kind not in WITH_CELLS:
            raise CourseError(wrong.place, f"{fields.what}: 'at' names a cell, which a {kind} has not")
        if not wrong.at and kind in WITH_CELLS:
            raise CourseError(wrong.place, f"{fields.what}: 'at' is missing: the cell in which this is looked for")


def _fits_its_options(question: Question, fields: Fields) -> None:
    known = [option.id for option in question.options]
    if len(known) < 2:
        raise fields.error("options", f"a {question.kind} needs two options or more")
    if len(set(known)) < len(known):
        raise fields.error("options", "two options have the same id")
    answer = ids(question.answer)
    for place, named in [(fields.at("answer"), answer), *((w.place, ids(w.match)) for w in question.wrong)]:
        for id in named:
            plain = id.removeprefix("!") if question.kind == CHOICES and place != fields.at("answer") else id
            if plain not in known:
                raise CourseError(place, f"{fields.what}: no option {plain!r}; there are: {', '.join(known)}")
    if question.kind == CHOICE and len(answer) != 1:
        raise fields.error("answer", f"a {CHOICE} has one answer; accepted: one of {', '.join(known)}")
    if question.kind == ORDER and sorted(answer) != sorted(known):
        raise fields.error("answer", f"an {ORDER} names every option once: {', '.join(known)}")


def ids(text: str) -> list[str]:
    """The ids in a text that parts them by commas.

    >>> ids("reduce-scatter, all-gather")
    ['reduce-scatter', 'all-gather']
    """
    return [part.strip() for part in text.split(",") if part.strip()]


def _options(fields: Fields) -> tuple[Option, ...]:
    options: list[Option] = []
    for key in ("options", "option"):
        for number, table in enumerate(fields.tables(key)):
            place = Place(fields.place.file, fields.table_line(key, number))
            entry = Fields(table, f"{fields.what}: option {len(options) + 1}", place)
            identity = check_id(entry.text("id", required=True), "option", place)
            options.append(Option(identity, entry.text("text", required=True)))
            entry.done()
    return tuple(options)


def _wrong(fields: Fields) -> tuple[Wrong, ...]:
    tables = fields.tables("wrong")
    found: list[Wrong] = []
    for number, table in enumerate(tables):
        place = Place(fields.place.file, fields.table_line("wrong", number))
        entry = Fields(table, f"{fields.what}: wrong {number + 1}", place)
        found.append(
            Wrong(
                match=_typed(entry, "is"),
                misconception=entry.text("misconception", required=True),
                say=entry.text("say", required=True),
                place=place,
                at=entry.text("at"),
            )
        )
        entry.done()
    return tuple(found)


def _typed(entry: Fields, key: str) -> str:
    """An expression; a bare number is kept as text for the linter to refuse."""
    value = entry.table.get(key)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        entry.asked.append(key)
        return repr(value)
    return entry.text(key, required=True)


def _live_with(fields: Fields) -> dict[str, str]:
    changed: dict[str, str] = {}
    for name, value in fields.mapping("live_with").items():
        if isinstance(value, bool) or not isinstance(value, (str, int, float)):
            raise fields.error("live_with", f"{name} is {value!r}; accepted: a number or an expression in quotes")
        changed[name] = value if isinstance(value, str) else repr(value)
    return changed


def _given(fields: Fields) -> dict[str, float | str]:
    return {name: _variable(fields, "given", name, value) for name, value in fields.mapping("given").items()}


def _vary(fields: Fields) -> dict[str, tuple[float | str, ...]]:
    varied: dict[str, tuple[float | str, ...]] = {}
    for name, values in fields.mapping("vary").items():
        if not isinstance(values, list) or not values:
            raise fields.error("vary", f"{name} is {values!r}; accepted: a list of values, such as {name} = [2, 4, 8]")
        varied[name] = tuple(_variable(fields, "vary", name, value) for value in values)
    return varied


def _variable(fields: Fields, key: str, name: str, value: Any) -> float | str:
    if not _VARIABLE.fullmatch(name) or name in _RESERVED:
        raise fields.error(key, f"{name!r} cannot be a variable; accepted: letters, digits and _")
    if isinstance(value, str):
        return value
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value != value or abs(value) > 1e300:
        raise fields.error(key, f"{name} is {value!r}; accepted: a number or text")
    return value
