"""Tables and grids judged, cell by cell. The tables are those of the ring of three and of GPipe with 2 and 3."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tutor.answers import cells
from tutor.answers.judge import judge, prompt, truth
from tutor.answers.tables import read_rows, show_rows
from tutor.answers.verdict import NotUnderstood
from tutor.course.model import Course, CourseError, Question

Ask = Callable[..., tuple[Course, Question]]

RING = 'show = "all-reduce"\nvalues = [[1, 2, 3], [10, 20, 30], [100, 200, 300]]'
PIPELINE = 'show = "pipeline"\nschedule = "gpipe"\nstages = 2\nmicro_batches = 3\nforward_only = true'
FIRST_STEP = """\
kind = "table"
prompt = "What after step 1? Worker 1 began with {{cell step=0 worker=1 chunk=0}}."
live = "picture"
cells = "step=1"
why = "It adds."
[[wrong]]
at = "worker=1 chunk=0"
is = "cell step=0 worker=0 chunk=0"
misconception = "did-not-add"
say = "You replaced, with {{cell step=0 worker=0 chunk=0}}."
"""
GRID = """\
kind = "grid"
prompt = "Fill in."
live = "picture"
cells = ""
why = "So."
[[wrong]]
at = "rank=1 slot=0"
is = "1F0"
misconception = "half"
say = "It has nothing to work on yet."
"""


@pytest.mark.parametrize(
    "text",
    [
        "1 2 303; 11 20 30; 100 220 300",
        "1 2 303\n11 20 30\n100 220 300\n",
        "1,2,303; 11,20,30; 100,220,300;",
        "[[1, 2, 303], [11, 20, 30], [100, 220, 300]]",
        "1 2 303 11 20 30 100 220 300",
        "1 2 3+300; 10+1 20 30; 100 220.0 3e2",
        "| 1 | 2 | 303 |\n| 11 | 20 | 30 |\n| 100 | 220 | 300 |",
    ],
)
def test_a_right_table_in_every_form(ask: Ask, text: str) -> None:
    verdict = judge(*ask(FIRST_STEP, RING), text)
    assert verdict.right, verdict.reason
    assert verdict.value == [[1, 2, 303], [11, 20, 30], [100, 220, 300]]
    assert verdict.understood == "1 2 303; 11 20 30; 100 220 300"
    assert verdict.reason == "It adds."


@pytest.mark.parametrize(
    ("text", "reason", "difference"),
    [
        (
            "1 2 303; 10 20 30; 100 220 300",
            "worker 1, chunk 0: not 10.",
            {"worker": 1, "chunk": 0, "index": 0, "got": 10},
        ),
        ("1 2 3; 11 20 30; 100 2 300", "worker 0, chunk 2: not 3.", {"worker": 0, "chunk": 2, "index": 0, "got": 3}),
        ("1 2 303; 11 20 .; 100 220 300", "worker 1, chunk 2: this cell is empty.", None),
        ("1 2 303.5; 11 20 30; 100 220 300", "worker 0, chunk 2: not 303.5.", None),
        # The known mistake is answered although another cell, too, is wrong
        ("1 2 3; 1 20 30; 100 220 300", "You replaced, with 1.", {"worker": 1, "chunk": 0, "index": 0, "got": 1}),
    ],
)
def test_the_first_difference_is_named_without_the_right_value(
    ask: Ask, text: str, reason: str, difference: dict[str, int] | None
) -> None:
    verdict = judge(*ask(FIRST_STEP, RING), text)
    assert (verdict.right, verdict.reason) == (False, reason)
    assert verdict.difference is not None
    assert difference is None or verdict.difference == difference
    assert verdict.misconception == ("did-not-add" if "replaced" in reason else None)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "1 2 303; 11 20 30",
            "there are 2 rows; accepted: 3 rows of 3 values each, cells parted by spaces and rows by ;",
        ),
        ("1 2 303; 11 20 30 40; 100 220 300", "row 2 has 4 values, not 3; accepted: 3 rows of 3 values each"),
        ("1 2", "there is 1 row; accepted: 3 rows"),
        ("", "nothing was typed; accepted: 3 rows of 3 values each"),
        ("1 2 lots; 11 20 30; 100 220 300", "'lots' in a cell: no number; accepted: a number, or . for an empty cell"),
        ("1 2 2O2; 11 20 30; 100 220 300", "'2O2' in a cell: no number; accepted: a number, or . for an empty cell"),
        ("1 2 9**9**9; 11 20 30; 100 220 300", "'9**9**9' in a cell: the power grows too large"),
        ("1 " * 30_000, "longer than 50,000 characters; accepted: 3 rows"),
    ],
)
def test_what_is_no_table(ask: Ask, text: str, message: str) -> None:
    with pytest.raises(NotUnderstood) as caught:
        judge(*ask(FIRST_STEP, RING), text)
    assert str(caught.value).startswith(message)


@pytest.mark.parametrize(
    "text",
    [
        "0F0 0F1 0F2 .; . 1F0 1F1 1F2",
        "0 1 2 .; . 0 1 2",
        "012.;.012",
        "F0 F1 F2 -\n- f0 f1 f2",
        "0f0,0f1,0f2,·;·,1f0,1f1,1f2",
    ],
)
def test_a_right_grid(ask: Ask, text: str) -> None:
    verdict = judge(*ask(GRID, PIPELINE), text)
    assert verdict.right, verdict.reason


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("0 1 2 .; . 0 1 .", "stage 1, slot 3: not idle."),
        ("0 1 2 .; 0 1 2 .", "stage 1, slot 0: not 0."),
        ("0 1 2 .; 1F0 1F1 1F2 .", "It has nothing to work on yet."),
        ("0 2 1 .; . 0 1 2", "stage 0, slot 1: not 2."),
        ("0B0 1 2 .; . 0 1 2", "stage 0, slot 0: not 0B0."),
        ("1F0 1 2 .; . 0 1 2", "stage 0, slot 0: not 1F0."),
    ],
)
def test_a_wrong_grid(ask: Ask, text: str, reason: str) -> None:
    question = GRID if "nothing to work" in reason else GRID.split("[[wrong]]")[0]
    verdict = judge(*ask(question, PIPELINE), text)
    assert (verdict.right, verdict.reason) == (False, reason)


def test_a_rank_with_two_stages_is_called_a_rank(ask: Ask) -> None:
    interleaved = 'show = "pipeline"\nschedule = "interleaved"\nstages = 2\nmicro_batches = 2\nchunks = 2'
    course, question = ask(GRID.split("[[wrong]]")[0].replace('cells = ""', 'cells = "rank=1 slot=0"'), interleaved)
    # Nothing has come from rank 0 in the first slot
    assert judge(course, question, "1F0").reason == "rank 1, slot 0: not 1F0."


def test_truth_and_prompt_come_from_the_picture(ask: Ask) -> None:
    course, question = ask(FIRST_STEP, RING)
    assert truth(course, question).shown == "1 2 303; 11 20 30; 100 220 300"
    assert prompt(course, question) == "What after step 1? Worker 1 began with 10."
    assert cells.step_asked(course, question) == 1
    assert truth(*ask(GRID, PIPELINE)).shown == "0F0 0F1 0F2 .; . 1F0 1F1 1F2"


def test_a_table_may_ask_for_some_cells_only(ask: Ask) -> None:
    course, question = ask(FIRST_STEP.replace('"step=1"', '"step=4 worker=2"'), RING)
    assert truth(course, question).shown == "111 222 333"
    assert judge(course, question, "111, 222, 333").right


def test_cells_without_a_step_are_those_of_the_picture_as_it_opens(ask: Ask) -> None:
    course, question = ask(FIRST_STEP.replace('cells = "step=1"', 'cells = "worker=0"'), f"{RING}\nstep = 2")
    assert truth(course, question).shown == "1 222 303"
    assert cells.step_asked(course, question) == 2
    assert cells.step_asked(*ask(FIRST_STEP.replace('cells = "step=1"\n', ""), RING)) == 0


def test_members_of_a_family_have_pictures_of_their_own(ask: Ask) -> None:
    course, question = ask(
        'vary = { n = [2, 4], start = [5, 6] }\nlive_with = { workers = "n", seed = "start" }\n' + FIRST_STEP,
        'show = "all-reduce"\nworkers = 3\nseed = 1',
    )
    shapes = {tuple(map(len, truth(course, question, seed).value)) for seed in range(4)}
    assert shapes == {(2, 2), (4, 4, 4, 4)}
    texts = {truth(course, question, seed).shown for seed in range(4)}
    assert len(texts) == 4
    for seed in range(4):
        assert judge(course, question, truth(course, question, seed).shown, seed).right


@pytest.mark.parametrize(
    ("change", "line", "message"),
    [
        (('cells = "step=1"', 'cells = "step=9"'), 14, "q: step is 9; accepted: a whole number from 0 to 4"),
        (('cells = "step=1"', 'cells = "step=1 colour=2"'), 14, "q: 'step=1 colour=2' names no cell of picture"),
        (('cells = "step=1"', 'cells = "step"'), 14, "q: 'step' after a cell; expected arguments"),
        (('live = "picture"', 'live = "film"'), 13, "q: no live picture is called 'film'"),
    ],
)
def test_a_faulty_table_is_named_at_its_line(ask: Ask, change: tuple[str, str], line: int, message: str) -> None:
    course, question = ask(FIRST_STEP.replace(*change), RING)
    with pytest.raises(CourseError) as caught:
        truth(course, question)
    assert caught.value.message.startswith(message)
    assert caught.value.place.line == line


@pytest.mark.parametrize(
    ("live", "message"),
    [
        ('show = "opera"', "live picture: topic is 'opera'; accepted: all-reduce"),
        (
            'show = "all-reduce"\nwrokers = 3',
            "live picture: a parameter of all-reduce is 'wrokers'; accepted: workers",
        ),
        ('show = "all-reduce"\nworkers = 0', "live picture: workers is 0"),
    ],
)
def test_a_faulty_picture_is_named_at_its_line(ask: Ask, live: str, message: str) -> None:
    course, question = ask(FIRST_STEP, live)
    with pytest.raises(CourseError) as caught:
        truth(course, question)
    assert caught.value.message.startswith(message)
    assert caught.value.place.line == 6


@settings(deadline=None)
@given(
    st.text(max_size=60) | st.text("0123456789 .,;-F[]\n", max_size=80),
    st.lists(st.integers(1, 4), min_size=1, max_size=3),
)
def test_any_text_is_rows_of_this_shape_or_not_understood(text: str, lengths: list[int]) -> None:
    try:
        rows = read_rows(text, lengths, words=True)
    except NotUnderstood:
        return
    assert [len(row) for row in rows] == lengths


@settings(deadline=None)
@given(st.lists(st.lists(st.integers(-999, 999) | st.none(), min_size=2, max_size=4), min_size=1, max_size=4))
def test_rows_are_shown_as_they_are_typed(rows: list[list[int | None]]) -> None:
    assert read_rows(show_rows(rows), [len(row) for row in rows], words=False) == rows
