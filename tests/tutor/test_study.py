"""What a learner can do, on a course built here: files are never written over, places are remembered."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tutor.course.model import Course, Exercise, Lesson, Option, Place, Question, Step
from tutor.permissions import Permissions
from tutor.progress.standing import OPEN, REVEALED, SOLVED
from tutor.progress.store import Store
from tutor.study import NotAllowed, Study, Unknown

PLACE = Place(Path("lesson.md"), 1)


@pytest.fixture
def study(tmp_path: Path) -> Study:
    folder = tmp_path / "course" / "double"
    folder.mkdir(parents=True)
    (folder / "task.py").write_bytes(b"def double(x):\r\n    return x\n")
    (folder / "solution.py").write_text("def double(x):\n    return 2 * x\n")
    exercise = Exercise("double", "Double it", folder, "Double it.", ("Twice.", "2 * x"), "Because.", PLACE)
    question = Question(
        "steps", "number", "How many steps?", "ring.steps workers=3", "Two phases.", PLACE, ("One.", "Two.")
    )
    steps = (Step("first", "First", (question,), PLACE), Step("second", "Second", (exercise,), PLACE))
    lesson = Lesson("small", "Small", "A small lesson.", 5, (), steps, tmp_path)
    course = Course("A course", tmp_path, (lesson,), {})
    return Study(course, Store(tmp_path / "progress.db"), tmp_path / "mine", Permissions())


def test_start_writes_the_task_byte_for_byte(study: Study) -> None:
    started = study.start("double")
    assert started.created
    assert started.path.read_bytes() == b"def double(x):\r\n    return x\n"


def test_start_never_writes_over_a_file(study: Study) -> None:
    path = study.start("double").path
    path.write_text("mine")
    again = study.start("double")
    assert not again.created
    assert path.read_text() == "mine"


def test_start_leaves_a_dangling_link_alone(study: Study, tmp_path: Path) -> None:
    study.exercise_folder.mkdir()
    study.exercise_path("double").symlink_to(tmp_path / "elsewhere.py")
    assert not study.start("double").created
    assert not (tmp_path / "elsewhere.py").exists()


def test_reset_keeps_every_earlier_file(study: Study) -> None:
    path = study.start("double").path
    for text in ("first attempt", "second attempt"):
        path.write_text(text)
        study.reset("double")
    kept = sorted(file.read_text() for file in path.parent.iterdir() if file != path)
    assert kept == ["first attempt", "second attempt"]
    assert path.read_bytes() == b"def double(x):\r\n    return x\n"


@pytest.mark.parametrize("line", ["# exercise: double", "\ufeff# exercise: double \r\nx = 1\n"])
def test_the_first_line_names_the_exercise_before_the_stem_does(study: Study, line: str) -> None:
    assert study.exercise_of(Path("attempt7.py"), line.encode()).id == "double"


def test_the_stem_names_it_where_the_first_line_does_not(study: Study) -> None:
    assert study.exercise_of(Path("some/where/double.py"), b"\xff\xfe\x00").id == "double"


@pytest.mark.parametrize("source", [b"", b"\xff\xfe\x00", b"# exercise: nothing like it\n", b"x = 1"])
def test_a_file_for_no_exercise_names_those_there_are(study: Study, source: bytes) -> None:
    with pytest.raises(Unknown, match="double"):
        study.exercise_of(Path("other.py"), source)


def test_the_last_opened_step_is_where_the_learner_is(study: Study) -> None:
    assert study.where() is None
    lesson = study.lesson("small")
    for step in (*lesson.steps, lesson.steps[0], lesson.steps[0]):
        study.open_step(lesson, step)
    found = study.where()
    assert found is not None
    assert found[1].id == "first"
    assert [event.item for event in study.store.events(kind="opened")] == ["first", "second", "first"]


def test_an_exercise_worked_on_since_is_where_the_learner_is_until_it_is_right(study: Study) -> None:
    lesson = study.lesson("small")

    def at() -> str:
        found = study.where()
        assert found is not None
        return found[1].id

    study.open_step(lesson, lesson.steps[0])
    study.start("double")
    assert at() == "second"
    study.store.add("check", "double", right=False)
    assert at() == "second"
    study.store.add("check", "double", right=True)
    assert at() == "first"
    assert study.working_on() is None
    study.store.add("check", "double", right=False)
    # The step that was open before may be opened again, and then it is where the learner is
    study.open_step(lesson, lesson.steps[0])
    assert at() == "first"
    study.store.add("check", "no longer there", right=False)
    assert at() == "first"
    # One's own step is not opened anew by each check
    study.open_step(lesson, lesson.steps[1])
    study.store.add("check", "double", right=False)
    study.open_step(lesson, lesson.steps[1])
    assert [event.item for event in study.store.events(kind="opened")] == ["first", "first", "second"]


def test_a_step_that_has_gone_leads_to_its_lesson(study: Study) -> None:
    study.store.add("opened", "no-longer-there", lesson="small")
    found = study.where()
    assert found is not None
    assert found[1].id == "first"


def test_a_lesson_that_has_gone_leads_nowhere(study: Study) -> None:
    study.store.add("opened", "no-longer-there", lesson="gone too")
    assert study.where() is None


def test_hints_come_one_after_another_and_the_last_stays(study: Study) -> None:
    assert [study.hint("steps").text for _ in range(3)] == ["One.", "Two.", "Two."]


def test_three_wrong_tries_bring_the_answer_as_revealed(study: Study) -> None:
    outcomes = [study.answer("steps", text) for text in ("3", "6", "7")]
    assert [outcome.revealed is not None for outcome in outcomes] == [False, False, True]
    assert [outcome.next_hint for outcome in outcomes] == ["One.", "Two.", None]
    assert outcomes[2].revealed is not None
    # 2 (N - 1) steps, by hand
    assert outcomes[2].revealed.answer.startswith("4")
    assert study.standing("steps").state == REVEALED
    assert study.answer("steps", "4").verdict.right
    assert study.standing("steps").state == REVEALED


def test_a_right_answer_solves_and_is_counted_in_its_lesson(study: Study) -> None:
    assert study.answer("steps", "4").verdict.right
    assert study.standing("steps").state == SOLVED
    assert study.reveal("steps").why
    assert study.standing("steps").state == SOLVED
    (small,) = study.lessons()
    assert (small.solved, small.revealed, small.total) == (1, 0, 2)


def test_text_that_is_no_answer_is_no_try(study: Study) -> None:
    from tutor.answers.verdict import NotUnderstood

    with pytest.raises(NotUnderstood):
        study.answer("steps", "four-ish")
    assert study.standing("steps").tries == 0


def test_an_answer_sent_drops_its_draft(study: Study) -> None:
    study.store.keep_draft("steps", "4")
    study.answer("steps", "4")
    assert study.store.draft("steps") == ""


@pytest.mark.parametrize(("options", "tries"), [(2, 1), (3, 2), (4, 3), (6, 3)])
def test_clicking_through_the_options_of_a_choice_solves_nothing(study: Study, options: int, tries: int) -> None:
    names = tuple(Option(f"option-{number}", f"Option {number}") for number in range(options))
    question = Question("which", "choice", "Which?", names[-1].id, "The last.", PLACE, options=names)
    lesson = study.course.lessons[0]
    steps = (*lesson.steps, Step("third", "Third", (question,), PLACE))
    study.course = replace(study.course, lessons=(replace(lesson, steps=steps),))
    for left in range(tries, 0, -1):
        assert study.tries_left("which") == left
        assert study.standing("which").state == OPEN
        outcome = study.answer("which", names[left - 1].id)
    assert outcome.revealed is not None
    assert (study.tries_left("which"), study.standing("which").state) == (0, REVEALED)


def test_no_try_is_left_once_it_is_solved(study: Study) -> None:
    study.answer("steps", "5")
    assert study.tries_left("steps") == 2
    study.answer("steps", "4")
    assert study.tries_left("steps") == 0


def test_the_solution_revealed_is_not_solved(study: Study) -> None:
    assert "2 * x" in study.reveal("double").answer
    assert study.standing("double").state == REVEALED


def test_near_names_are_offered(study: Study) -> None:
    with pytest.raises(Unknown, match=r"did you mean double\?"):
        study.start("duoble")
    with pytest.raises(Unknown, match="no lesson is called 'x'; there are: small"):
        study.lesson("x")


def test_checks_that_are_off_do_not_run(tmp_path: Path, study: Study) -> None:
    closed = Study(study.course, study.store, study.exercise_folder, Permissions(check_files=False))
    with pytest.raises(NotAllowed):
        closed.check(study.start("double").path)
    assert closed.standing("double").state == OPEN


def test_hints_and_reason_of_an_exercise_have_their_figures(study: Study) -> None:
    (lesson,) = study.course.lessons
    exercise = replace(
        study.exercise("double"),
        hints=("In {{ring.steps workers=3}} steps on \\80 GPUs.",),
        why="{{ring.steps workers=8}}.",
    )
    steps = (lesson.steps[0], replace(lesson.steps[1], blocks=(exercise,)))
    study.course = replace(study.course, lessons=(replace(lesson, steps=steps),))
    assert study.hint("double").text == "In 4 steps on 80 GPUs."  # 2 (3 - 1)
    assert study.reveal("double").why == "14."  # 2 (8 - 1)


def test_of_many_names_only_some_are_told():
    from tutor.study import Unknown

    few, many = (str(Unknown("question", "?", [f"q-{number}" for number in range(count)])) for count in (3, 200))
    assert few.endswith("there are: q-0, q-1, q-2")
    assert many.endswith("there are 200, such as q-0, q-50, q-100, q-150")
