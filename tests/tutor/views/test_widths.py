"""Pictures fill the width they have, 40 to 250 columns: wide ones scroll beside their heads, small ones stay small."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

from tutor.course.load import load
from tutor.views.picture import Picture, Role
from tutor.views.topics import TOPICS, topic

WIDTHS = (40, 60, 80, 100, 120, 160, 250)
BARS = ("traffic", "seconds", "step", "buckets", "zero", "activations", "peak", "layout")
LARGE: dict[str, dict[str, Any]] = {
    "all-reduce": {"workers": 24, "seed": 1},
    "pipeline": {"stages": 12, "micro_batches": 96},
    "schedules": {"stages": 8, "micro_batches": 64},
    "all-to-all": {"workers": 20, "seed": 1},
    "stages": {"stages": 12, "chunks": 4, "layers": 96},
    "mesh": {"data": 8, "tensor": 8, "pipeline": 4},
}


def lessons_pictures() -> list[tuple[str, dict[str, Any]]]:
    lives = [step.live for lesson in load().lessons for step in lesson.steps]
    return [(live.topic, dict(live.parameters)) for live in lives if live]


@cache
def pictures() -> list[tuple[str, Picture]]:
    found = []
    for name, given in [*((name, {}) for name in TOPICS), *LARGE.items(), *lessons_pictures()]:
        scene = topic(name).scene(given)
        for step in sorted({0, min(1, scene.last_step), scene.last_step}):
            found.append((f"{name} {given} step {step}", scene.picture(step)))
    return found


def lines(picture: Picture, width: int) -> list[str]:
    return ["".join(run.text for run in picture.line(row, width)).rstrip() for row in range(picture.size(width).rows)]


@pytest.mark.parametrize("width", WIDTHS)
def test_nothing_is_cut_and_nothing_is_padded(width: int) -> None:
    for name, picture in pictures():
        columns, rows = picture.size(width)
        drawn = lines(picture, width)
        assert len(drawn) == rows
        # What is wider scrolls, and blanks are never a reason to, but for a tick and an arrow that may come
        assert max(map(len, drawn)) <= columns, name
        assert columns <= max(width, *map(len, drawn)) + 2, name


@pytest.mark.parametrize("width", WIDTHS)
def test_what_stays_while_it_scrolls_leaves_room_for_what_moves(width: int) -> None:
    for name, picture in pictures():
        if picture.size(width).columns > width:
            assert 0 < picture.head_columns <= width - 12, f"{name} has {picture.head_columns} of {width} fixed"
            # All that is fixed names a row
            body = range(picture.head_rows, picture.size(width).rows - picture.foot_rows(width))
            heads = [picture.line(row, width, 0, picture.head_columns) for row in body]
            assert any(run.role in (Role.HEAD, Role.QUIET, *_RANKS) for row in heads for run in row), name


_RANKS = [role for role in Role if role.startswith("rank-")]


@pytest.mark.parametrize("width", WIDTHS)
def test_notes_and_legends_never_have_to_be_scrolled_to(width: int) -> None:
    for name, picture in pictures():
        foot = picture.foot_rows(width)
        assert all(len(row) <= width for row in lines(picture, width)[-foot:] if foot), name


@pytest.mark.parametrize("name", BARS)
def test_bars_fill_the_width(name: str) -> None:
    picture = topic(name).scene({}).picture(0)
    for width in WIDTHS:
        longest = max(map(len, lines(picture, width)))
        assert width - 10 <= longest, f"{longest} of {width}"


def test_a_small_picture_is_not_padded_out() -> None:
    for name in ("all-reduce", "broadcast", "pipeline", "schedules", "mesh", "pipelined", "tensor"):
        picture = topic(name).scene({}).picture(0)
        assert lines(picture, 250) == lines(picture, 120), name
        assert max(map(len, lines(picture, 250))) < 120, name


def test_a_wider_window_never_shows_less() -> None:
    for name, picture in pictures():
        hidden = [max(0, picture.size(width).columns - width) for width in WIDTHS]
        assert hidden == sorted(hidden, reverse=True), name
