"""Every exercise of the course: its task fails kindly, its solution passes, and each known mistake is told as such."""

from __future__ import annotations

import json
import math
import tomllib
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import lessons
from tutor.checker import check_file
from tutor.checker.definition import Definition
from tutor.checker.inside import frames
from tutor.checker.verdict import CheckResult
from tutor.course.model import Exercise, Place
from tutor.views.comparison import Side
from tutor.views.explain import comparison, explained, scene_of
from tutor.views.picture import Role, cell

COURSE = Path(lessons.__file__).parent
FOLDERS = {folder.name: folder for folder in sorted(COURSE.glob("*/exercises/*")) if (folder / "check.py").exists()}
MUTANTS = [(name, file.stem) for name, folder in FOLDERS.items() for file in sorted((folder / "mutants").glob("*.py"))]

# What a learner must read about each mistake: told/<lesson>.toml, [exercise], mutant = "words of the reason"
TOLD = {
    (name, mutant): words
    for file in sorted((Path(__file__).parent / "told").glob("*.toml"))
    for name, mutants in tomllib.loads(file.read_text(encoding="utf-8")).items()
    for mutant, words in mutants.items()
}
# An empty list where there should be none: no number in it differs
UNDRAWN = ("empty_at_the_end",)
# Many results are right there: what differs is what a layout comes to, no number that the function returns
NO_PICTURE = ("choose_layout",)


def exercise(name: str) -> Exercise:
    return Exercise(name, name, FOLDERS[name], "", (), "", Place(FOLDERS[name] / "check.py", 1))


def run(name: str, file: str, seed: int | None = None) -> CheckResult:
    return check_file(FOLDERS[name] / file, exercise(name), seed)


@cache
def of_mutant(name: str, mutant: str) -> CheckResult:
    return run(name, f"mutants/{mutant}.py", seed=3)


@pytest.mark.parametrize("name", list(FOLDERS))
def test_an_exercise_is_whole(name: str) -> None:
    folder = FOLDERS[name]
    assert all((folder / file).is_file() for file in ("task.py", "solution.py", "check.py"))
    assert len(list((folder / "mutants").glob("*.py"))) >= 12  # as the README says
    assert {stem for other, stem in MUTANTS if other == name} == {stem for other, stem in TOLD if other == name}


@pytest.mark.parametrize("name", list(FOLDERS))
def test_the_task_runs_and_fails_with_its_first_difference(name: str) -> None:
    result = run(name, "task.py")
    assert not result.passed
    assert result.error is None
    assert result.cases[0].first_difference is not None
    assert (FOLDERS[name] / "task.py").read_text().count("...") == 0


@pytest.mark.parametrize("name", list(FOLDERS))
def test_a_task_fits_the_narrowest_editor_and_says_how_it_is_checked(name: str) -> None:
    rows = (FOLDERS[name] / "task.py").read_text(encoding="utf-8").splitlines()
    assert [row for row in rows if len(row) > 74] == []
    assert f"Check it with: worldsize check {name}.py" in rows


@pytest.mark.parametrize("seed", [None, 0, 1])
@pytest.mark.parametrize("name", list(FOLDERS))
def test_the_solution_passes(name: str, seed: int | None) -> None:
    result = run(name, "solution.py", seed)
    assert result.passed, result
    assert len(result.cases) >= 4


@pytest.mark.parametrize(("name", "mutant"), MUTANTS)
def test_a_mistake_is_told_as_what_it_is(name: str, mutant: str) -> None:
    result = of_mutant(name, mutant)
    assert not result.passed
    first = result.cases[0]
    assert not first.passed
    assert TOLD[name, mutant] in first.reason
    assert first.reason[0].isupper() or first.reason.startswith(
        ("reduce-scatter", "all-gather", "stage", "result", "'")
    )
    assert len(first.reason) < 400
    json.dumps(result.to_json(), allow_nan=False)


@pytest.mark.parametrize(("name", "mutant"), MUTANTS)
def test_a_wrong_value_is_drawn_in_its_picture(name: str, mutant: str) -> None:
    result = of_mutant(name, mutant)
    first = result.cases[0]
    if first.picture is None:
        assert result.error is not None or first.first_difference is None or mutant in UNDRAWN or name in NO_PICTURE
        return
    scene = scene_of(first.picture)
    if first.picture["topic"] == "waiting":
        assert result.error is not None
        assert [row["line"] for row in scene.data()["rows"] if row["source"]] == [
            waiting["line"] for waiting in result.error.waiting
        ]
        return
    cells = scene.cells(first.picture["step"])
    there = cells[cell(**first.picture["cell"])]
    assert first.first_difference is not None
    expected = first.first_difference.expected
    assert there == expected or math.isclose(there, expected, rel_tol=1e-6)
    drawn = explained(first.picture)
    size = drawn.picture.size(140)
    roles = {run.role for row in range(size.rows) for run in drawn.picture.line(row, 140)}
    assert Role.DIFFERENCE in roles


COMPARED = ("ring_all_reduce", "ring_all_reduce_worker", "gpipe_order", "one_f_one_b_order", "interleaved_order")


@pytest.mark.parametrize(("name", "mutant"), [pair for pair in MUTANTS if pair[0] in COMPARED])
def test_where_a_whole_run_is_known_it_opens_where_the_two_differ(name: str, mutant: str) -> None:
    first = of_mutant(name, mutant).cases[0]
    if first.picture is None or first.picture["topic"] == "waiting":
        return
    compared = comparison(first.picture)
    assert compared is not None
    assert compared.within(compared.opens_at) == compared.opens_at
    for side in Side:
        picture = compared.picture(compared.opens_at, side)
        size = picture.size(140)
        roles = {run.role for row in range(size.rows) for run in picture.line(row, 140) if run.cell is not None}
        # An order may stand still before the first operation that differs: then that it does is marked. In one that
        # ends too early there is nothing to mark, and it is not what is shown first
        assert {Role.DIFFERENCE, Role.OVER} & roles or (side is Side.YOURS is not compared.side)
    assert first.first_difference is not None
    assert name not in ("ring_all_reduce",) or compared.opens_at == first.first_difference.step
    for step in (compared.first_step, compared.last_step):
        assert compared.caption(step)
        assert compared.both(step).words()


def test_the_ring_names_the_step_worker_and_chunk_of_the_lesson_s_table() -> None:
    """The five-row table of the lesson, with one number changed."""
    arrays = [np.array([1, 2, 3]), np.array([10, 20, 30]), np.array([100, 200, 300])]
    table = [
        [[1, 2, 303], [11, 20, 30], [100, 220, 300]],
        [[1, 222, 303], [11, 20, 333], [111, 220, 300]],
        [[111, 222, 303], [11, 222, 333], [111, 220, 333]],
        [[111, 222, 333], [111, 222, 333], [111, 222, 333]],
    ]
    definition = Definition(exercise("ring_all_reduce"))
    trial = definition.trials(0)[0].__class__("the lesson's", {"arrays": arrays}, None)
    right = [[np.array(row) for row in state] for state in table]
    expected = definition.expected(trial)
    assert definition.judge(trial, expected, right, []).case.passed
    right[0][1][0] = 10
    judged = definition.judge(trial, expected, right, []).case
    assert judged.reason.startswith("reduce-scatter step 1, worker 1, chunk 0: expected 11, yours 10.")
    difference = judged.first_difference
    assert difference is not None
    assert (difference.phase, difference.step, difference.worker, difference.chunk) == ("reduce-scatter", 1, 1, 0)
    assert (difference.expected, difference.got) == (11, 10)
    right[0][1][0], right[2][2][2] = 11, 633
    judged = definition.judge(trial, expected, right, []).case
    assert judged.reason.startswith("all-gather step 1 (step 3 of 4), worker 2, chunk 2: expected 333, yours 633.")


def test_zero_bytes_knows_the_lesson_s_figures() -> None:
    definition = Definition(exercise("zero_bytes"))
    trial = definition.trials(0)[0]
    totals = [112e9, 38.5e9, 26.25e9, 14e9]
    for stage, total in enumerate(totals):
        arguments = {"params": 7_000_000_000, "gpus": 8, "stage": stage}
        assert sum(definition.expected(trial.__class__("", arguments, None))) == total


REFERENCE = Path(__file__).parents[1] / "simlib" / "reference_figures.json"


@pytest.mark.parametrize(("stages", "micro_batches"), [(2, 2), (4, 4), (4, 8)])
def test_gpipe_order_is_the_reference_s(stages: int, micro_batches: int) -> None:
    definition = Definition(exercise("gpipe_order"))
    figures = {row["id"]: row for row in json.loads(REFERENCE.read_text(encoding="utf-8"))}
    order = figures[f"gpipe-p{stages}-m{micro_batches}"]["expected"]["order"]
    trial = definition.trials(0)[0].__class__("", {"stages": stages, "micro_batches": micro_batches}, None)
    assert definition.expected(trial) == [order[str(rank)] for rank in range(stages)]


@cache
def prepared(name: str) -> tuple[Definition, list]:
    definition = Definition(exercise(name))
    return definition, [(trial, definition.expected(trial)) for trial in definition.trials(7)]


leaves = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(-(10**300), 10**300)
    | st.floats()
    | st.complex_numbers()
    | st.text(max_size=4)
    | st.sampled_from(["0F0", "0f0", "9F9", "999999F0", "0B0", "", frames.Unknown("a set"), np.float32(2), np.True_])
    | hnp.arrays(
        hnp.scalar_dtypes().filter(lambda kind: kind.kind in "biufc"), hnp.array_shapes(max_side=4, max_dims=3)
    )
)
odd = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner, max_size=4) | st.tuples(inner, inner, inner) | st.dictionaries(st.text(max_size=2), inner)
    ),
    max_leaves=12,
)


@pytest.mark.parametrize("name", list(FOLDERS))
@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_whatever_comes_back_gets_a_verdict(name: str, data: st.DataObject) -> None:
    """Values of any form, alone and in the place of one part of the right result."""
    definition, trials = prepared(name)
    trial, expected = data.draw(st.sampled_from(trials))
    got = frames.decode_frame(frames.encode(expected))
    value = data.draw(odd)
    holder, at = None, got
    for _ in range(data.draw(st.integers(0, 3))):
        if not isinstance(at, (list, np.ndarray)) or len(at) == 0:
            break
        index = data.draw(st.integers(0, len(at) - 1))
        holder, at = (at, index), at[index]
    if holder is None:
        got = value
    elif isinstance(holder[0], list):
        holder[0][holder[1]] = value
    case = definition.judge(trial, expected, got, []).case
    assert case.passed or case.reason
    json.dumps(CheckResult(name, False, (case,)).to_json(), allow_nan=False)
    if case.picture is not None:
        explained(case.picture)
        if (compared := comparison(case.picture)) is not None:
            for step in (compared.first_step, compared.opens_at, compared.last_step):
                compared.both(step).size(80)
                assert compared.caption(step)
