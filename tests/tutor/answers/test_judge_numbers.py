"""Numbers judged. Right values are published ones: 38.5 GB at ZeRO stage 1 (7e9 on 8), a bubble of 3/11 (4 and 8)."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tutor.answers.judge import judge, prompt, tolerance_shown, truth
from tutor.answers.verdict import NotUnderstood
from tutor.course.model import Course, CourseError, Question
from tutor.course.parse import parse_lesson

Ask = Callable[..., tuple[Course, Question]]
QUESTIONS = Path(__file__).parent / "questions"
STAGE_1 = (QUESTIONS / "stage_1.toml").read_text(encoding="utf-8")
BUBBLE = (QUESTIONS / "bubble.toml").read_text(encoding="utf-8")

STEPS = """\
kind = "number"
prompt = "How many steps?"
answer = "ring.steps workers=8"
why = "Twice N - 1."
unit = "steps"
"""


@pytest.mark.parametrize(
    "text",
    [
        "38.5",
        "38.5 GB",
        "38.5e9",
        "35.86 GiB",
        "38,500 MB",
        "4*7+12*7/8",
        "38.6",
        "38.5 gb a GPU",
        "308 Gbit",
        "0.0385 TB",
    ],
)
@pytest.mark.parametrize("unit", ["GB", "B"])
def test_right_in_every_form(ask: Ask, text: str, unit: str) -> None:
    course, question = ask(STAGE_1.replace('unit = "GB"', f'unit = "{unit}"'))
    verdict = judge(course, question, text)
    assert verdict.right, verdict.reason
    assert verdict.reason == "Only the optimizer states are divided: 38.5 GB."
    assert verdict.misconception is None


@pytest.mark.parametrize(
    ("text", "value", "understood"),
    [
        ("38.5", 38.5, "38.5 GB"),
        ("38.5e9", 38.5, "38.5 GB"),
        ("35.86 GiB", 38.50438180864, "35.86 GiB"),
        ("4*7+12*7/8", 38.5, "38.5 GB"),
        ("38,500 MB", 38.5, "38,500 MB"),
    ],
)
def test_the_value_is_in_the_unit_of_the_question(ask: Ask, text: str, value: float, understood: str) -> None:
    verdict = judge(*ask(STAGE_1), text)
    assert verdict.value == pytest.approx(value)
    assert verdict.understood == understood


@pytest.mark.parametrize(
    ("unit", "text", "right"),
    [
        ("", "3/11", True),
        ("", "27%", True),
        ("", "0.273", True),
        ("", "27.3 %", True),
        ("", "0.27", True),
        ("", "27.27 percent", True),
        ("", "0.3", False),
        ("", "28%", False),
        ("", "27.3", False),
        ("", "3/8", False),
        ("%", "27", True),
        ("%", "27.3", True),
        ("%", "0.273", True),
        ("%", "3/11", True),
        ("%", "27.3%", True),
        ("%", "37.5", False),
        ("%", "30", False),
    ],
)
def test_shares(ask: Ask, unit: str, text: str, right: bool) -> None:
    course, question = ask(f'unit = "{unit}"\n{BUBBLE}' if unit else BUBBLE)
    assert judge(course, question, text).right is right


@pytest.mark.parametrize(("text", "right"), [("0.102", True), ("0.10", True), ("10%", True), ("0.1", False)])
def test_a_rounded_share_needs_two_digits(ask: Ask, text: str, right: bool) -> None:
    course, question = ask('kind = "number"\nprompt = "P"\nanswer = "n / 1000"\ngiven = { n = 102 }\n')
    assert judge(course, question, text).right is right


@pytest.mark.parametrize(
    ("text", "right", "reason"),
    [
        ("14", True, "Twice N - 1."),
        ("14 steps", True, "Twice N - 1."),
        ("2*(8-1)", True, "Twice N - 1."),
        ("14.0", True, "Twice N - 1."),
        ("14.05", False, "14.05 steps is not it: this counts something, so the answer is a whole number."),
        ("16", False, "16 steps is too high."),
        ("13", False, "13 steps is too low."),
        ("1", False, "1 step is too low."),
    ],
)
def test_a_count_is_exact(ask: Ask, text: str, right: bool, reason: str) -> None:
    verdict = judge(*ask(STEPS), text)
    assert (verdict.right, verdict.reason) == (right, reason)


@pytest.mark.parametrize(
    ("tolerance", "text", "right"), [("0.05", "40", True), ("0.0", "38.51", False), ("0.001", "38.6", False)]
)
def test_a_tolerance_of_its_own(ask: Ask, tolerance: str, text: str, right: bool) -> None:
    course, question = ask(f"tolerance = {tolerance}\n{STAGE_1}")
    assert judge(course, question, text).right is right


def test_the_tolerance_is_said_where_it_matters(ask: Ask) -> None:
    assert tolerance_shown(*ask(STAGE_1)) == "to within 0.5%"
    assert tolerance_shown(*ask(f"tolerance = 0.02\n{STAGE_1}")) == "to within 2%"
    assert tolerance_shown(*ask(STEPS)) == ""


def test_the_truth_is_shown_and_worked(ask: Ask) -> None:
    answer = truth(*ask(STAGE_1))
    assert (answer.value, answer.shown) == (38.5e9, "38.5 GB")
    assert "12 x 7e9 / 8" in answer.worked
    assert truth(*ask(STEPS)).shown == "14 steps"
    assert truth(*ask(BUBBLE)).shown == "0.273 (27.3%)"
    assert truth(*ask(BUBBLE.replace("What share?", "Which gradient?"))).shown == "0.273"
    assert truth(*ask(f'unit = "%"\n{BUBBLE}')).shown == "27.3%"


def written(*questions: str) -> Course:
    blocks = "".join(f"## S {{#s{at}}}\n```ask q{at}\n{toml}```\n" for at, toml in enumerate(questions))
    lesson = parse_lesson(f'+++\nid = "one"\ntitle = "One"\n+++\n{blocks}', Path("one/lesson.md"))
    return Course("T", Path(), (lesson,), {})


HERE = written(STAGE_1, BUBBLE, STEPS, STEPS.replace("ring.steps workers=8", "ring.steps workers=1"))


FAMILY = """\
kind = "number"
prompt = "{{n}} workers all-reduce {{mb*1e6 | B}} each; {{name}}."
answer = "ring.bytes_sent workers=n bytes=mb*1e6"
why = "For {{n}}."
hints = ["N is {{n}}."]
unit = "MB"
given = { name = "all at once" }
vary = { n = [2, 4, 8], mb = [100, 500] }
[[wrong]]
is = "mb*1e6"
misconception = "half"
say = "{{mb}} is all of it."
"""


def test_a_family_asks_for_each_member_in_its_own_numbers(ask: Ask) -> None:
    course, question = ask(FAMILY)
    assert prompt(course, question) == "2 workers all-reduce 100 MB each; all at once."
    seen = {prompt(course, question, seed) for seed in range(6)}
    assert len(seen) == 6
    assert prompt(course, question, 6) == prompt(course, question, 0) == prompt(course, question)
    seed = next(seed for seed in range(6) if prompt(course, question, seed).startswith("8 workers all-reduce 500 MB"))
    # 2 * 7/8 of 500 MB
    assert judge(course, question, "875", seed).right
    assert not judge(course, question, "875").right
    assert judge(course, question, "500", seed).reason == "500 is all of it."
    assert judge(course, question, "875", seed).reason == "For 8."


def test_a_seed_may_be_any_whole_number(ask: Ask) -> None:
    course, question = ask(FAMILY)
    for seed in (-1, 10**30):
        assert judge(course, question, truth(course, question, seed).shown, seed).right


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        ("ring.stps workers=8", "q: ring.stps: quantity is 'ring.stps'"),
        ("zero.first_stage_that_fits params=7e12 gpus=1 capacity=1e9", "comes to None, which is no number"),
        ("cell worker=1", "the question names no live picture"),
    ],
)
def test_a_faulty_course_is_named_at_the_line_of_the_answer(ask: Ask, answer: str, message: str) -> None:
    course, question = ask(f'kind = "number"\nprompt = "P"\nanswer = "{answer}"\n')
    with pytest.raises(CourseError) as caught:
        judge(course, question, "1")
    assert message in caught.value.message
    assert caught.value.place.line == 9


@settings(deadline=None)
@given(
    st.builds(
        "{}{}{}".format,
        st.sampled_from(["", "-", "~", "1/"]),
        st.floats(0, allow_infinity=False).map(repr) | st.integers(0, 10**40).map(str),
        st.sampled_from(["", " GB", " GiB", "b", "%", " billion", " ms", " steps", "e5"]),
    )
)
def test_any_number_gets_a_verdict_in_one_line(text: str) -> None:
    for question in HERE.questions().values():
        try:
            verdict = judge(HERE, question, text)
        except NotUnderstood:
            continue
        assert verdict.understood
        assert verdict.reason.splitlines() == [verdict.reason]
        assert math.isfinite(verdict.value)


def test_text_that_is_no_number_is_no_try(ask: Ask) -> None:
    with pytest.raises(NotUnderstood, match=r"accepted: a number such as 12\.5 GB"):
        judge(*ask(STAGE_1), "lots")


def test_a_misconception_that_the_course_has_not_is_left_out(ask: Ask) -> None:
    course, question = ask(STAGE_1.replace("half", "unheard-of"))
    verdict = judge(course, question, "19.25")
    assert (verdict.reason, verdict.misconception) == ("Half.", None)


RATIO = 'kind = "number"\nunit = "x"\nprompt = "P"\nwhy = "W"\nanswer = "n / 7"\nvary = { n = [63, 31] }\n'


@pytest.mark.parametrize(("text", "reason"), [("9.04", "9.04x is too high."), ("1.71", "1.71x is too low.")])
def test_a_ratio_counts_nothing(ask: Ask, text: str, reason: str) -> None:
    verdict = judge(*ask(f"tolerance = 0.0\n{RATIO}"), text)
    assert (verdict.right, verdict.reason) == (False, reason)


def test_only_what_is_whole_for_every_member_is_called_a_whole_number(ask: Ask) -> None:
    question = 'kind = "number"\nunit = "hops"\nprompt = "P"\nwhy = "W"\nanswer = "n / 7"\n'
    sometimes, always = f"{question}vary = {{ n = [63, 31] }}\n", f"{question}vary = {{ n = [63, 35] }}\n"
    assert judge(*ask(sometimes), "8.5").reason == "8.5 hops is too low."
    assert "so the answer is a whole number" in judge(*ask(always), "8.5").reason


@pytest.mark.parametrize(
    ("text", "understood"),
    [("38.5 billion", "38.5 GB"), ("3.85e10", "38.5 GB"), ("38.5 G", "38.5 GB"), ("3.85e11 B", "385 GB")],
)
def test_large_numbers_are_read_back_as_people_write_them(ask: Ask, text: str, understood: str) -> None:
    assert judge(*ask(STAGE_1), text).understood == understood


def test_a_large_count_is_read_back_in_full(ask: Ask) -> None:
    count = 'kind = "number"\nunit = "parameters"\nprompt = "P"\nwhy = "W"\nanswer = "n * 1e9"\ngiven = { n = 112 }\n'
    assert judge(*ask(count), "112 billion").understood == "112,000,000,000 parameters"
    assert judge(*ask(count), "1.12e11").understood == "112,000,000,000 parameters"
