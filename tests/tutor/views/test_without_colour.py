"""Colour is never the only sign: with colours and attributes taken away, what differs still reads differently."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from tutor.views import palette
from tutor.views.ascii import to_ascii
from tutor.views.marks import shown
from tutor.views.picture import Mark, Picture, Role
from tutor.views.topics import TOPICS, topic


def signs(picture: Picture, width: int = 100) -> dict[Role, set[str]]:
    """For each role of a cell's first run, its text with numbers replaced by n; slots of one operation are one text."""
    found: dict[Role, set[str]] = {}
    values = picture.cells()
    for row in range(picture.size(width).rows):
        cells: dict[object, tuple[Role, str]] = {}
        for run in picture.line(row, width):
            if run.cell is not None:
                value = values[run.cell]
                thing = value if isinstance(value, str) else run.cell
                role, text = cells.get(thing, (run.role, ""))
                cells[thing] = (role, text + run.text)
        for role, text in cells.values():
            found.setdefault(role, set()).add(re.sub(r"\d+", "n", to_ascii(text)))
    return found


def test_ring_cells(show):
    found: dict[Role, set[str]] = {}
    for step in (0, 1, 3, 4):
        for role, texts in signs(show("all-reduce", step=step)).items():
            found.setdefault(role, set()).update(texts)
    assert found == {
        Role.PLAIN: {"n"},
        Role.SENT: {"n>", "n*>"},
        Role.RECEIVED: {">n", ">n*"},
        Role.FINISHED: {"n*"},
    }
    assert signs(show("all-gather", step=0))[Role.ABSENT] == {"."}


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("1f1b", {"stages": 4, "micro_batches": 8}),
        ("gpipe", {"stages": 3, "micro_batches": 12, "forward": 2, "backward": 3}),
        ("zb-h1", {"stages": 4, "micro_batches": 8}),
        ("zb-h1", {"stages": 4, "micro_batches": 8, "forward": 2, "input": 3, "weight": 2}),
    ],
)
def test_slots(name, parameters):
    picture = topic("pipeline").scene({"schedule": name, **parameters}).picture(0)
    found = signs(picture, 250)
    roles = list(found)
    assert {Role.FORWARD, Role.IDLE} < set(roles)
    for role in roles:
        for other in roles[: roles.index(role)]:
            assert not found[role] & found[other], (role, other)


def test_parts_of_a_bar(show):
    bar = "".join(to_ascii(run.text) for run in show("zero").line(1, 80))
    assert re.fullmatch(r"stage 0 W+G+O+\|O+ *", bar)
    fits = [to_ascii("".join(run.text for run in show("zero").line(row, 80))) for row in range(8, 12)]
    assert ["!" in row for row in fits] == [True, False, False, False]


# What a text is, and not what a thing is; ranks have names, and what is over the line stands behind it
OTHERS = {Role.PLAIN, Role.QUIET, Role.HEAD, Role.CAPACITY, Role.OVER, *palette.RANKS, *palette.GROUPS}


def looks(picture: Picture, width: int = 100) -> Iterator[tuple[str, frozenset[Role]]]:
    """What each thing looks like in black, numbers as n and a fill as one sign, and the roles that it has in colour."""
    values = picture.cells()
    for row in range(picture.size(width).rows):
        things: dict[object, list[tuple[str, Role]]] = {}
        for at, run in enumerate(picture.line(row, width)):
            thing: object = at
            if run.cell is not None:
                value = values[run.cell]
                # All slots of an operation, all values of a chunk
                thing = value if isinstance(value, str) else tuple(pair for pair in run.cell if pair[0] != "index")
            things.setdefault(thing, []).append((run.text, run.role))
        for runs in things.values():
            roles = frozenset(role for text, role in runs if role not in OTHERS and text.strip())
            if roles:
                text = re.sub(r"-?\d[\d.,e+-]*", "n", " ".join("".join(text for text, _ in runs).split()))
                yield re.sub(r"(\W)\1+", r"\1", re.sub(r"n( n)+", "n", text)), roles


# A matrix has its name and one sign for all its numbers: test_tensor.py
@pytest.mark.parametrize("name", [name for name in TOPICS if name != "tensor"])
def test_no_two_things_of_a_picture_look_alike_in_black(name):
    choices = [{}] + [
        {parameter.name: choice}
        for parameter in topic(name).parameters
        if parameter.name in ("algorithm", "part", "schedule", "mode", "first", "layer", "recompute")
        for choice in parameter.choices or (True,)
    ]
    for given in choices:
        scene = topic(name).scene(given)
        for step in {0, scene.last_step // 2, scene.last_step}:
            seen: dict[str, frozenset[Role]] = {}
            for text, roles in looks(scene.picture(step)):
                # Lines between names lead one way, which says the same
                if text not in (palette.ARROW, palette.BACK_ARROW):
                    assert seen.setdefault(text, roles) == roles, (given, step, text, seen[text], roles)


def test_marks():
    marks = {
        role: shown("11", Role.PLAIN, Mark(role, "10"), 2)[0] for role in (Role.YOURS, Role.DIFFERENCE, Role.CURSOR)
    }
    marks |= {role: shown("11", Role.PLAIN, Mark(role), 2)[0] for role in (Role.ENGINE, Role.BLANK)}
    marks[Role.PLAIN] = "11"
    assert len({re.sub(r"\d+", "n", to_ascii(text)) for text in marks.values()}) == len(marks)
