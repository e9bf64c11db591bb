"""`lessons LESSON` and `lessons STEP`: a lesson's steps, and a step to read."""

from __future__ import annotations

import ast
import json

import pytest

from tutor.cli.main import main
from tutor.cli.opening import open_study
from tutor.course.load import load
from tutor.permissions import own_machine
from tutor.practice.session import Practice

COURSE = load()
Capture = pytest.CaptureFixture[str]


@pytest.mark.parametrize("lesson", COURSE.lessons, ids=lambda lesson: lesson.id)
def test_every_step_can_be_read(lesson, capsys: Capture) -> None:  # type: ignore[no-untyped-def]
    assert main(["lessons", lesson.id]) == 0
    listed = capsys.readouterr().out
    for step in lesson.steps:
        assert f" {step.id} " in listed
    asking = next(step for step in lesson.steps if step.question and step.live)
    assert main(["lessons", asking.id]) == 0
    out = capsys.readouterr().out
    assert "{{" not in out
    assert max(map(len, out.splitlines())) <= 80
    # Where the program has a long name, the line wraps
    assert f"answer {asking.question.id} TEXT" in " ".join(out.split())
    assert main(["lessons", asking.id, "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["step"], told["lesson"], told["question"]) == (asking.id, lesson.id, asking.question.id)
    assert told["text"]


def test_an_exercise_says_how_it_is_begun(capsys: Capture) -> None:
    assert main(["lessons", "ring-write-it"]) == 0
    assert "start ring_all_reduce" in capsys.readouterr().out


@pytest.mark.parametrize("exercise", COURSE.exercises())
def test_a_solution_is_a_python_file_whole(exercise: str, capsys: Capture) -> None:
    assert main(["solution", exercise]) == 0
    out = capsys.readouterr().out
    ast.parse(out)
    assert out.splitlines()[-1].startswith("# ")


def test_commands_for_another_course_name_it(capsys: Capture) -> None:
    course = ["--course", str(COURSE.folder)]
    for words, said in (
        (["lessons", "ring"], ["lessons STEP{}", "plain ring{}"]),
        (["lessons", "ring-first-step"], ["TEXT{}"]),
        (["lessons", "ring-write-it"], ["start ring_all_reduce{}"]),
        (["progress"], ["tutor{} begins."]),
    ):
        assert main([*course, *words]) == 0
        out = " ".join(capsys.readouterr().out.split())
        for one in said:
            assert one.format(f" --course {COURSE.folder}") in out


def test_the_list_fits_the_terminal(capsys: Capture) -> None:
    assert main(["lessons"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80
    assert {lesson.id for lesson in COURSE.lessons} <= {line.split(" ")[0] for line in lines}


def test_nothing_of_that_name(capsys: Capture) -> None:
    assert main(["lessons", "rung"]) == 2
    assert "no lesson is called 'rung'" in capsys.readouterr().err


def test_reading_moves_nobody_but_is_practised(capsys: Capture) -> None:
    assert main(["lessons", "ring-first-step"]) == 0
    capsys.readouterr()
    assert main(["progress", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["where"] is None
    with open_study(None, own_machine()) as study:
        assert {skill.lesson.id for skill in Practice(study).session().scope} == {"ring"}
