"""An examination as it is sat: recorded as it happens, taken up again, and never twice."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tutor.answers.families import member
from tutor.answers.verdict import NotUnderstood
from tutor.course.load import load
from tutor.course.model import Course
from tutor.examination.draw import Drawn, Shown, draw
from tutor.examination.page import NotSaved, markdown, save
from tutor.examination.result import Result
from tutor.examination.room import Asked, Examination, NoExamination, UnderWay
from tutor.permissions import Permissions, own_machine
from tutor.progress.store import Store
from tutor.study import Study

Typed = Callable[..., str]


@pytest.fixture
def study(exam_course: Path, tmp_path: Path) -> Iterator[Study]:
    store = Store(tmp_path / "progress.db", clock=lambda: 1_700_000_000.0)
    yield Study(load(exam_course), store, tmp_path / "exercises", own_machine())
    store.close()


@pytest.fixture
def room(study: Study) -> Examination:
    return Examination(study)


def sit(room: Examination, answer: Callable[[Asked], str | None], seed: int = 4) -> Result:
    """A whole examination."""
    sitting = room.sitting() or room.begin(seed)
    while (asked := sitting.next) is not None:
        room.show(sitting, asked)
        assert room.answer(sitting, asked, answer(asked))
        sitting = room.again(sitting)
    return room.end(sitting)


def test_all_right_is_all_firm(room: Examination, right_answer: Typed) -> None:
    result = sit(room, lambda asked: right_answer(room.course, asked))
    assert result.score == len(result.problems) == 10
    assert result.firm == [f"Lesson {name}" for name in ("one", "two", "three", "four", "five", "six")]
    assert result.not_yet_firm == []
    assert room.sitting() is None
    assert room.last() == result


def test_a_wrong_answer_is_named_and_leads_back(room: Examination, right_answer: Typed) -> None:
    def answer(asked: Asked) -> str | None:
        if asked.question.id == "four-a":
            return right_answer(room.course, asked).replace("1", "0").replace("2", "0").replace("3", "0")
        return None if asked.lesson.id == "five" else right_answer(room.course, asked)

    result = sit(room, answer)
    by_id = {problem.problem: problem for problem in result.problems}
    assert not any(by_id[id].right for id in by_id if id.startswith("five"))
    skipped = next(problem for problem in result.problems if problem.lesson == "five")
    assert (skipped.given, skipped.said, skipped.misconception) == ("", "", None)
    titles = [title for title, _ in result.not_yet_firm]
    assert "Lesson five" in titles
    assert "Lesson five" not in result.firm
    steps = dict(result.not_yet_firm)["Lesson five"]
    assert [(step.step, step.number, step.title) for step in steps] == [
        ("five-taught", 2, "Taught in five"),
        ("five-first", 1, "First of five"),
    ]


def test_the_belief_behind_an_answer_is_named(room: Examination) -> None:
    # n alone, which each number's first known mistake is: the last digit, k, left out
    def answer(asked: Asked) -> str | None:
        if asked.question.kind != "number":
            return None
        n = float(member(asked.question, asked.seed)["n"])
        return str(n + (1000 if asked.question.id.endswith("b") else 0))

    result = sit(room, answer)
    wrong = next(problem for problem in result.problems if problem.given)
    assert wrong.misconception == "half"
    assert wrong.belief == "Half will do."
    assert wrong.said.startswith("You left out ")
    page = markdown(result)
    assert "Behind it may be a belief that does not hold: Half will do." in page
    assert f"Your answer: {wrong.given}" in page
    assert f"The right answer: {wrong.answer}" in page


def test_nothing_is_told_before_the_end(room: Examination) -> None:
    sitting = room.begin(4)
    asked = sitting.next
    assert asked is not None
    assert room.answer(sitting, asked, None) is True  # and not whether it was right
    assert room.last() is None


def test_what_is_no_answer_is_no_try(room: Examination) -> None:
    sitting = room.begin(4)
    asked = next(asked for asked in sitting.problems if asked.question.kind == "number")
    with pytest.raises(NotUnderstood):
        room.answer(sitting, asked, "many")
    assert room.again(sitting).answers == {}


def test_an_examination_broken_off_goes_on_where_it_was_left(study: Study, room: Examination) -> None:
    sitting = room.begin(4)
    for _ in range(3):
        asked = sitting.next
        assert asked is not None
        room.answer(sitting, asked, None)
        sitting = room.again(sitting)
    study.store.close()
    again = Examination(Study(study.course, Store(study.store.file), study.exercise_folder, own_machine()))
    taken_up = again.sitting()
    assert taken_up is not None
    assert taken_up.problems == sitting.problems
    assert taken_up.next is not None
    assert taken_up.next.number == 4
    with pytest.raises(UnderWay):
        again.begin(9)


def test_of_two_sessions_the_first_answer_counts(study: Study, room: Examination) -> None:
    other = Examination(Study(study.course, Store(study.store.file), study.exercise_folder, own_machine()))
    sitting = room.begin(4)
    theirs = other.sitting()
    assert theirs == sitting
    asked = sitting.next
    assert asked is not None
    assert room.answer(sitting, asked, None) is True
    assert other.answer(theirs, asked, "1") is False
    assert other.again(theirs).answers == {1: None}


def test_two_sessions_that_begin_at_once_sit_the_same(
    study: Study, room: Examination, monkeypatch: pytest.MonkeyPatch
) -> None:
    def late(course: Course, seed: int, shown: Shown) -> list[Drawn]:
        if seed == 5:
            Examination(study).begin(4)  # the other is faster, after this one has looked
        return draw(course, seed, shown)

    monkeypatch.setattr("tutor.examination.room.draw", late)
    assert room.begin(5).seed == 4
    assert len(study.store.events(kind="exam")) == 1


def test_numbers_that_were_shown_do_not_come_again(study: Study, room: Examination) -> None:
    shown: set[tuple[str, int]] = set()
    for seed in range(4):
        result = sit(room, lambda _: None, seed)
        drawn = {
            (event.item, event.detail["seed"])
            for event in study.store.events(kind="exam-shown")
            if event.detail["seed"] is not None
        }
        assert len(drawn) == len(shown) + len(result.problems)
        shown = drawn


def test_numbers_shown_in_practice_do_not_come_either(study: Study, room: Examination) -> None:
    first = Examination(study).begin(4).problems[0]
    study.store.close()
    file = study.store.file.with_name("other.db")
    store = Store(file)
    store.add("answer", first.question.id, seed=first.seed + 12, right=True)  # seeds go round: the same numbers
    drawn = Examination(Study(study.course, store, study.exercise_folder, own_machine())).begin(4).problems
    assert (first.question.id, first.seed) not in [(asked.question.id, asked.seed % 12) for asked in drawn]
    store.close()


def test_numbers_that_were_shown_do_not_come_again_when_a_family_has_grown(
    exam_course: Path, study: Study, room: Examination
) -> None:
    for seed in range(2):
        sit(room, lambda _: None, seed)
    file = exam_course / "finals" / "problems.md"
    file.write_text(file.read_text().replace("n = [10, 20, 30, 40]", "n = [50, 10, 20, 30, 40]"))
    grown = Examination(Study(load(exam_course), study.store, study.exercise_folder, own_machine()))
    for seed in range(2, 7):
        sit(grown, lambda _: None, seed)
    shown = [(event.item, str(event.detail["numbers"])) for event in study.store.events(kind="exam-shown")]
    assert len(set(shown)) == len(shown) == 70


def test_without_problems_there_is_nothing_to_sit(exam_course: Path, study: Study) -> None:
    toml = exam_course / "course.toml"
    toml.write_text(toml.read_text().replace('examination = "finals"\n', ""))
    room = Examination(Study(load(exam_course), study.store, study.exercise_folder, own_machine()))
    assert not room.exists
    with pytest.raises(NoExamination, match="no examination"):
        room.begin()


@pytest.mark.parametrize("junk", [None, 3, "abc", [], [3], [["one-a"]], [["one-a", "x"]], [["one-a", -1]], {"a": []}])
def test_a_record_from_elsewhere_may_hold_anything(study: Study, room: Examination, junk: object) -> None:
    study.store.add("exam", "examination", seed=junk, problems=junk)
    study.store.add("exam-shown", "one-a", exam=junk, seed=junk, numbers=junk)
    study.store.add("exam-result", "examination", exam=junk, result=junk)
    assert room.sitting() is None
    assert room.last() is None
    sitting = room.begin(4)
    study.store.add("exam-answer", sitting.problems[0].question.id, exam=sitting.id, text=junk)
    answers = room.again(sitting).answers
    assert set(answers) == {1}
    assert answers[1] in (None, "abc")


def test_answers_of_the_examination_leave_the_lessons_as_they_are(study: Study, room: Examination) -> None:
    sit(room, lambda _: None)
    assert dict(study.standings()) == {}


def test_a_problem_that_the_course_has_dropped_is_not_asked(exam_course: Path, study: Study, room: Examination) -> None:
    sitting = room.begin(4)
    gone = sitting.problems[0].question.id
    file = exam_course / "finals" / "problems.md"
    file.write_text(file.read_text().replace(f"```ask {gone}\n", f"```ask {gone}-new\n"))
    later = Examination(Study(load(exam_course), study.store, study.exercise_folder, own_machine())).sitting()
    assert later is not None
    assert gone not in [asked.question.id for asked in later.problems]
    assert [asked.number for asked in later.problems] == list(range(1, 10))


# The page


def test_the_page_says_all_of_it(room: Examination, right_answer: Typed) -> None:
    result = sit(room, lambda asked: right_answer(room.course, asked) if asked.lesson.id != "six" else None)
    page = markdown(result)
    assert f"{result.score} of 10 right (seed 4)." in page
    assert "## Firm\n\n- Lesson one\n" in page
    assert "## Not yet firm\n\n- Lesson six\n  - go back to step 2, Taught in six (six-taught)\n" in page
    for number, problem in enumerate(result.problems, start=1):
        assert f"### {number}. {problem.title} ({'right' if problem.right else 'not answered'})" in page
        assert problem.question in page
    assert "Go back to Lesson six, step 2: Taught in six (six-taught)." in page
    assert max(map(len, page.splitlines())) <= 80


def test_a_step_of_another_lesson_is_listed_with_that_lesson(room: Examination) -> None:
    result = sit(room, lambda _: None)
    problem = next(problem for problem in result.problems if problem.lesson == "six")
    elsewhere = replace(problem.back[0], lesson="five", lesson_title="Lesson five", number=7)
    page = markdown(replace(result, problems=(replace(problem, back=(elsewhere,)),)))
    assert "- Lesson six\n  - go back to Lesson five, step 7, Taught in six (six-taught)\n" in page


def test_the_picture_that_was_asked_about_is_on_the_page(room: Examination) -> None:
    result = sit(room, lambda _: None)
    for problem in result.problems:
        assert bool(problem.picture) == (problem.problem == "three-b")
        assert problem.picture in markdown(result)


def test_a_page_is_kept_as_it_was(room: Examination, exam_course: Path, study: Study) -> None:
    result = sit(room, lambda _: None)
    file = exam_course / "finals" / "problems.md"
    file.write_text(file.read_text().replace("They add.", "Because."))
    later = Examination(Study(load(exam_course), study.store, study.exercise_folder, own_machine()))
    assert later.last() == result
    assert Result.from_json(result.to_json()) == result


@pytest.mark.parametrize(
    ("field", "value"), [("title", 3), ("right", "yes"), ("answer", None), ("back", [{"step": 1}])]
)
def test_a_page_from_elsewhere_that_is_none_is_left_out(
    study: Study, room: Examination, field: str, value: object
) -> None:
    result = sit(room, lambda _: None)
    data = result.to_json()
    data["problems"][3][field] = value
    study.store.add("exam-result", "examination", exam="elsewhere", result=data)
    assert room.last() == result


def test_a_page_is_never_written_over_another(room: Examination, tmp_path: Path) -> None:
    result = sit(room, lambda _: None)
    folder = tmp_path / "mine"
    first = save(result, folder, own_machine())
    second = save(result, folder, own_machine())
    assert (first.name, second.name) == ("examination-2023-11-14.md", "examination-2023-11-14-2.md")
    assert first.read_text() == second.read_text() == markdown(result)
    with pytest.raises(NotSaved, match="exists and is left as it is"):
        save(result, folder, own_machine(), str(first))


def test_where_files_are_confined_a_page_stays_in_the_folder(room: Examination, tmp_path: Path) -> None:
    result = sit(room, lambda _: None)
    folder, confined = tmp_path / "mine", Permissions(any_file=False)
    assert save(result, folder, confined, "page.md") == (folder / "page.md").resolve()
    (folder / "out").symlink_to(tmp_path)
    for name in ("../page.md", str(tmp_path / "page.md"), "out/page.md"):
        with pytest.raises(NotSaved, match="outside your folder"):
            save(result, folder, confined, name)
    assert not (tmp_path / "page.md").exists()
