"""One look is one thing: what legends of all pictures call a sign in a colour, and what the words beside them mean."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest

from simlib.errors import BadArgument
from tutor.course.load import load
from tutor.views import palette
from tutor.views.picture import Picture, Role
from tutor.views.terms import TERMS, Term, Wording, wording
from tutor.views.topics import TOPICS, topic

_WIDE = 250
# Roles that say how a text is meant, and not what a thing is
_OF_TEXT = {Role.PLAIN, Role.QUIET, Role.HEAD}
_OF_MARKS = {Role.YOURS, Role.ENGINE, Role.DIFFERENCE, Role.CURSOR, Role.BLANK}
# Ranks have names and groups of them letters: their colours only help to follow one. test_palette.py has it that
# they are no term's
_OF_RANKS = {*palette.RANKS, *palette.GROUPS}


def scenes() -> Iterator[tuple[str, Picture]]:
    """Every topic as it opens, with each of its choices, and as the lessons show it; at the start and further on."""
    given = [(name, {}) for name in TOPICS]
    for name in TOPICS:
        for parameter in topic(name).parameters:
            if parameter.kind in ("choice", "flag") and parameter.name not in ("model", "hardware", "dtype", "op"):
                given += [(name, {parameter.name: choice}) for choice in parameter.choices or (True, False)]
    given += [("all-reduce", {"algorithm": "hierarchical", "workers": 4, "nodes": 2})]
    given += [("checkpointing", {"every": every}) for every in (0, 4)]
    given += [
        (step.live.topic, step.live.parameters) for lesson in load().lessons for step in lesson.steps if step.live
    ]
    for name, parameters in given:
        try:
            scene = topic(name).scene(parameters)
        except BadArgument:  # one choice that asks for another
            continue
        for step in sorted({0, scene.last_step // 2, scene.last_step}):
            yield f"{name} {parameters} step {step}", scene.picture(step)


@pytest.fixture(scope="module")
def pictures() -> list[tuple[str, Picture]]:
    return list(scenes())


def legend(picture: Picture) -> Iterator[tuple[Role, str, str]]:
    """The items of a picture's legend that have a look: its role, its sign, and what it is called."""
    for width in (60, _WIDE):
        rows = picture.size(width).rows
        for row in range(rows - picture.foot_rows(width), rows):
            item: list[tuple[str, Role]] = []
            for text, role, place in [*picture.line(row, width), ("   ", Role.PLAIN, None)]:
                if (text.isspace() and len(text) > 2) and role is Role.PLAIN:
                    looks = [(text, role) for text, role in item if role not in _OF_TEXT]
                    # "worker 0 → worker 1: chunk 0" is told, not explained
                    if looks and item[0][1] not in _OF_TEXT:
                        text, role = looks[0]
                        whole = "".join(text for text, _ in item).strip()
                        sign, _, name = whole.partition(" ")
                        yield role, text.strip() if text.strip() in whole.split()[0] else sign, name
                    item = []
                else:
                    assert place is None
                    item.append((text, role))


def of_look(role: Role, sign: str) -> list[Term]:
    return [term for term in TERMS if term.role is role and sign in {*term.signs, *(2 * s for s in term.signs)}]


def test_every_item_of_a_legend_is_one_thing_and_is_called_by_its_name(pictures: list[tuple[str, Picture]]) -> None:
    seen: set[tuple[Role, str]] = set()
    for name, picture in pictures:
        for role, sign, label in legend(picture):
            if role in _OF_RANKS | _OF_MARKS:
                continue
            seen.add((role, sign))
            means = of_look(role, sign)
            assert len(means) == 1, f"{name}: {sign} {label}, {role}, is {[term.name for term in means]}"
            said = f"{means[0].words}|{means[0].in_legends or means[0].words}"
            assert re.search(rf"\b(?:{said})\b", label, re.IGNORECASE), f"{name}: {sign} {label} is {means[0].name}"
    # What is nowhere explained cannot be learned
    explained = {term.name for role, sign in seen for term in of_look(role, sign)}
    assert {term.name for term in TERMS if term.signs} == explained


def test_a_bar_that_has_a_name_has_the_look_of_what_it_is(pictures: list[tuple[str, Picture]]) -> None:
    checked = set()
    for name, picture in pictures:
        for row in range(picture.size(80).rows):
            line = picture.line(row, 80)
            if not line or line[0].role is not Role.HEAD:
                continue
            looks = {run.role for run in line[1:] if run.role not in _OF_TEXT and not run.text.isspace()}
            means = next((term for term in TERMS if re.fullmatch(term.words, line[0].text.strip())), None)
            if means is not None and len(looks - {Role.OVER, *_OF_RANKS}) == 1:
                checked.add(means.name)
                assert looks - _OF_RANKS == {means.role}, f"{name}: {line[0].text} is drawn as {looks}"
    assert checked >= {"compute", "weights", "gradients", "optimizer", "activations"}


def test_no_two_things_have_one_look() -> None:
    looks = [(term.role, sign) for term in TERMS for sign in term.signs]
    assert len(looks) == len(set(looks))


def test_a_thing_has_one_colour() -> None:
    roles: dict[str, set[Role]] = {}
    for term in TERMS:
        roles.setdefault(term.name, set()).add(term.role)
    # Done again, in the colour of what is: the sign says it
    again = roles.pop("recomputed")
    assert all(of_look(role, palette.AGAIN)[0].name == "recomputed" for role in again)
    assert all(len(found) == 1 for found in roles.values()), roles


def test_no_picture_has_a_role_that_is_no_thing(pictures: list[tuple[str, Picture]]) -> None:
    things = {term.role for term in TERMS} | _OF_TEXT | _OF_MARKS | _OF_RANKS | {Role.CAPACITY, Role.OVER}
    for name, picture in pictures:
        drawn = {run.role for row in range(picture.size(80).rows) for run in picture.line(row, 80)}
        assert drawn <= things, f"{name}: {drawn - things}"


def words_of(picture: Picture, text: str) -> list[tuple[str, str]]:
    return [(text[start:end], term.name) for start, end, term in wording(picture, 80).found(text)]


def test_the_words_of_a_picture_are_those_of_what_it_draws() -> None:
    bars = topic("zero").scene({}).picture(0)
    said = "Weights stay whole; a gradient and the optimizer states are sent. Weight-loss: no."
    assert words_of(bars, said) == [
        ("Weights", "weights"),
        ("gradient", "gradients"),
        ("optimizer states", "optimizer"),
    ]
    slots = topic("pipeline").scene({"schedule": "zb-h1"}).picture(0)
    assert words_of(slots, "weight gradients fill the bubble after a forward pass") == [
        ("weight gradients", "weight gradient"),
        ("bubble", "idle"),
        ("forward", "forward"),
    ]
    table = topic("all-reduce").scene({}).picture(1)
    assert words_of(table, "worker 0 sends a chunk, which arrives, but not a resent one") == [
        ("worker 0", "worker 0"),
        ("sends", "sent"),
        ("arrives", "arrived"),
    ]


def test_parts_with_signs_of_their_own_are_only_those_that_are_drawn() -> None:
    parts = topic("activations").scene({}).picture(0)
    said = "activations of attention, its scores, checkpoints; recomputed"
    assert [name for _, name in words_of(parts, said)] == ["activations", "attention", "scores", "checkpoints"]
    again = topic("checkpointing").scene({}).picture(0)
    assert [name for _, name in words_of(again, said)] == ["activations", "checkpoints", "recomputed"]


def test_ranks_have_the_colours_of_their_row() -> None:
    stages = topic("stages").scene({"stages": 4}).picture(0)
    found = {term.name: term.role for *_, term in wording(stages, 80).found("rank 0 and rank 3 and rank 12")}
    assert found == {"rank 0": Role.RANK_0, "rank 3": Role.RANK_3}


def test_a_rank_has_its_colour_wherever_a_picture_names_it(pictures: list[tuple[str, Picture]]) -> None:
    found: dict[str, set[Role]] = {}
    for name, picture in pictures:
        for row in range(picture.size(80).rows):
            for run in picture.line(row, 80):
                for rank in re.findall(r"\b(?:worker|rank|GPU) (\d+)", run.text):
                    assert run.role is palette.of_rank(int(rank)), f"{name}: {run}"
                    found.setdefault(run.text.split()[0], set()).add(run.role)
    assert {name for name, roles in found.items() if len(roles) >= 4} == {"worker", "rank", "GPU"}


def test_what_was_said_before_is_known() -> None:
    found = wording(topic("zero").scene({}).picture(0), 80)
    assert found.known == frozenset()
    assert found.after(["Gradients are.", "No more."]).known == {"gradients"}
    assert found.unmarked().known >= {"weights", "gradients", "optimizer"}
    assert list(Wording(()).found("weights")) == []
