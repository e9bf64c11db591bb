"""The linter on an examination: one mistake at a time, each named with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tutor.authoring.lint import Problem, lint


def found(folder: Path, before: str, after: str, file: str = "finals/problems.md") -> list[Problem]:
    path = folder / file
    text = path.read_text()
    assert before in text
    path.write_text(text.replace(before, after, 1))
    return lint(folder)


def test_nothing_is_found_where_nothing_is_wrong(exam_course: Path) -> None:
    assert lint(exam_course) == []


@pytest.mark.parametrize(
    ("before", "after", "line", "message"),
    [
        ('back = ["one-taught", "one-first"]\n', "", 8, "one-a: no back: the steps to return to"),
        (
            '"one-taught"',
            '"one-tought"',
            11,
            "one-a: back names 'one-tought', which no lesson has; near it: one-taught",
        ),
        ('"one-taught"', '"xyz"', 11, "one-a: back names 'xyz', which no lesson has; accepted: the id of a lesson's"),
        ("[10, 20, 30, 40], k", "[10, 20, 30], k", 12, "one-a: 9 members; at least 12 are asked for, so vary more"),
        ('why = "They', 'hints = ["Add."]\nwhy = "They', 15, "one-a: an examination gives no hints"),
        ("## Asked one-b", "## Rest {#rest}\n\nTake a breath.\n\n## Asked one-b", 25, "step rest asks nothing"),
        ("```ask one-a", "```code one-a\n```\n```\n", 8, "one-a: an examination has no exercises"),
        ('id = "finals"', 'id = "final"', 2, "id 'final' is not the name of its folder, 'finals'"),
        ("```ask one-b", "```ask one-a", 26, "question or exercise 'one-a' is there already, in finals, line 8"),
        ("{#asked-one-a}", "{#one-first}", 7, "step 'one-first' is there already, in one, line 7"),
        # The rules of every question
        ('answer = "n + k', 'answer = "14 + 0 * n * q + k', 14, "one-a: '14 + 0 * n * q + k + 0 * n / n': no variable"),
        ('is = "n + 0', 'is = "n + k + 0', 16, "one-a: wrong 1 comes within tolerance of the right answer"),
        ('"half"', '"helf"', 16, "one-a: unknown misconception 'helf'; near it: half"),
        ('why = "They add."\n', "", 8, "one-a: no why"),
        ("Problem one-a", "Problem of 3 GB", 13, "'3 GB' is typed in"),
        ('about = "Ten problems."', 'about = "In 5 s."', 4, "'5 s' is typed in"),
    ],
)
def test_a_mistake_is_named_with_its_line(exam_course: Path, before: str, after: str, line: int, message: str) -> None:
    problems = found(exam_course, before, after)
    told = [(problem.place.line, problem.message) for problem in problems]
    assert any(at == line and said.startswith(message) for at, said in told), told
    assert all(problem.place.file.name in ("problems.md", "lesson.md") for problem in problems)


def test_ten_problems_at_least(exam_course: Path) -> None:
    file = exam_course / "finals" / "problems.md"
    text = file.read_text()
    file.write_text(text[: text.index("## Asked five-b")])
    told = [(problem.message, problem.warning) for problem in lint(exam_course)]
    assert told == [
        ("9 problems; an examination asks 10", False),
        ("no problem leads back to the lesson 'six'", True),
    ]


def test_back_is_for_problems_alone(exam_course: Path) -> None:
    block = '```ask own\nkind = "number"\nback = ["one-first"]\nprompt = "?"\nanswer = "ring.steps workers=2"\n```\n'
    problems = found(exam_course, "Read this.\n", f"Read this.\n\n{block}", "one/lesson.md")
    assert (13, "own: back is for the problems of an examination") in [
        (problem.place.line, problem.message) for problem in problems
    ]


def test_an_examination_that_is_not_there(exam_course: Path) -> None:
    (exam_course / "finals" / "problems.md").unlink()
    assert [problem.message for problem in lint(exam_course)] == ["no such file"]


def test_the_name_of_an_examination_is_an_id(exam_course: Path) -> None:
    problems = found(exam_course, '"finals"', '"../finals"', "course.toml")
    assert [(problem.place.line, problem.message[:40]) for problem in problems] == [
        (3, "examination id '../finals'; accepted: up "[:40])
    ]
