"""Options and orders judged."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tutor.answers.judge import judge, options_shown, truth
from tutor.answers.verdict import NotUnderstood
from tutor.course.model import Course, Question

Ask = Callable[..., tuple[Course, Question]]

OPTIONS = """\
options = [
  { id = "scatter", text = "A reduce-scatter" },
  { id = "gather", text = "An all-gather, {{1 + 1}} of them" },
  { id = "barrier", text = "A barrier" },
  { id = "nothing", text = "Nothing at all" },
]
"""
CHOICE = f"""\
kind = "choice"
prompt = "Which?"
answer = "scatter"
why = "Because."
{OPTIONS}
[[wrong]]
is = "barrier"
misconception = "half"
say = "A barrier moves no values."
"""
CHOICES = f"""\
kind = "choices"
prompt = "Which?"
answer = "scatter, gather"
why = "Both."
{OPTIONS}
[[wrong]]
is = "barrier"
misconception = "half"
say = "A barrier moves no values."
[[wrong]]
is = "scatter, !gather"
misconception = "did-not-add"
say = "What comes after?"
"""
ORDER = f"""\
kind = "order"
prompt = "In which order?"
answer = "scatter, gather, barrier, nothing"
why = "So."
{OPTIONS}
[[wrong]]
is = "gather, scatter"
misconception = "half"
say = "Adding comes first."
"""


@pytest.mark.parametrize("text", ["scatter", " SCATTER ", "A reduce-scatter", "a reduce scatter."])
def test_an_option_by_its_id_or_words(ask: Ask, text: str) -> None:
    verdict = judge(*ask(CHOICE), text)
    assert (verdict.right, verdict.value, verdict.understood) == (True, "scatter", "A reduce-scatter")
    assert verdict.reason == "Because."


def test_an_option_by_the_number_or_letter_it_is_shown_with(ask: Ask) -> None:
    course, question = ask(CHOICE)
    for number, option in enumerate(options_shown(course, question), 1):
        letter = "abcd"[number - 1]
        numbered = (str(number), f"{number}.", f"({number})", f"#{number}", f"option {number}", f"No. {number}")
        for text in (*numbered, letter, f"{letter})", letter.upper()):
            assert judge(course, question, text).value == option.id


def test_an_id_that_is_a_number_comes_before_the_place_in_the_list(ask: Ask) -> None:
    course, question = ask(
        'kind = "choice"\nprompt = "P"\nanswer = "2"\nin_order = true\n'
        'options = [{id = "4", text = "four"}, {id = "2", text = "two"}, {id = "1", text = "one"}]'
    )
    assert judge(course, question, "2").right
    assert judge(course, question, "3").value == "1"


def test_an_id_as_it_is_written_comes_before_one_that_reads_alike(ask: Ask) -> None:
    course, question = ask(
        'kind = "choice"\nprompt = "P"\nanswer = "a_b"\n'
        'options = [{id = "a-b", text = "one"}, {id = "a_b", text = "two"}, {id = "A-B", text = "three"}]'
    )
    assert [judge(course, question, text).value for text in ("a-b", "a_b", "A-B")] == ["a-b", "a_b", "A-B"]


@pytest.mark.parametrize(
    ("text", "reason", "misconception"),
    [("barrier", "A barrier moves no values.", "half"), ("nothing", "That is not it.", None)],
)
def test_a_wrong_option(ask: Ask, text: str, reason: str, misconception: str | None) -> None:
    verdict = judge(*ask(CHOICE), text)
    assert (verdict.right, verdict.reason, verdict.misconception) == (False, reason, misconception)


@pytest.mark.parametrize("text", ["", "5", "e", "scatter, gather", "x" * 3000])
def test_no_option(ask: Ask, text: str) -> None:
    with pytest.raises(NotUnderstood, match=r"accepted: (a number from 1 to 4|numbers, parted by commas)$"):
        judge(*ask(CHOICE), text)


@pytest.mark.parametrize(
    "text",
    [
        "scatter, gather",
        "gather,scatter",
        "gather scatter",
        "scatter; gather\n",
        "gather, gather, scatter",
        "scatter and gather",
        "gather & scatter",
        "gather, and scatter",
        "gather gather and scatter",
        "A reduce-scatter and gather",
    ],
)
def test_several_options_in_any_order(ask: Ask, text: str) -> None:
    verdict = judge(*ask(CHOICES), text)
    assert verdict.right
    assert sorted(verdict.value) == ["gather", "scatter"]


@pytest.mark.parametrize(
    ("text", "reason", "misconception"),
    [
        ("scatter, gather, barrier", "A barrier moves no values.", "half"),
        ("scatter", "What comes after?", "did-not-add"),
        ("gather", "All of these belong, but not all are there.", None),
        ("scatter, gather, nothing", "At least one of these does not belong.", None),
        ("gather, nothing", "At least one of these does not belong, and at least one is missing.", None),
        ("none", "All of these belong, but not all are there.", None),
    ],
)
def test_wrong_sets(ask: Ask, text: str, reason: str, misconception: str | None) -> None:
    verdict = judge(*ask(CHOICES), text)
    assert (verdict.right, verdict.reason, verdict.misconception) == (False, reason, misconception)


@pytest.mark.parametrize(
    "text",
    [
        "scatter, gather, barrier, nothing",
        "scatter > gather > barrier > nothing",
        "scatter gather barrier nothing",
        "scatter gather, barrier and then nothing",
    ],
)
def test_the_right_order(ask: Ask, text: str) -> None:
    assert judge(*ask(ORDER), text).right


def test_numbers_with_dashes_are_an_order_and_no_set(ask: Ask) -> None:
    course, question = ask(ORDER)
    shown = [option.id for option in options_shown(course, question)]
    right = "-".join(str(shown.index(id) + 1) for id in ("scatter", "gather", "barrier", "nothing"))
    assert judge(course, question, right).right
    with pytest.raises(NotUnderstood):
        judge(*ask(CHOICES), "1-2")


def test_several_options_after_one_word(ask: Ask) -> None:
    course, question = ask(CHOICES)
    shown = [option.id for option in options_shown(course, question)]
    first, second = sorted(shown.index(id) + 1 for id in ("scatter", "gather"))
    assert judge(course, question, f"options {first} and {second}").right


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("gather, scatter, barrier, nothing", "Adding comes first."),
        ("scatter, gather, nothing, barrier", "The first 2 are right, the next is not: Nothing at all"),
        ("scatter, barrier, gather, nothing", "The first is right, the next is not: A barrier"),
        ("barrier, scatter, gather, nothing", "The first is not: A barrier"),
    ],
)
def test_wrong_orders(ask: Ask, text: str, reason: str) -> None:
    verdict = judge(*ask(ORDER), text)
    assert (verdict.right, verdict.reason) == (False, reason)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "scatter, gather",
            "[1-4], [1-4] are missing; accepted: every option once, numbers from 1 to 4, parted by commas",
        ),
        ("scatter, scatter, gather, barrier", "[1-4] comes 2 times; accepted: every option once"),
        (
            "scatter, gathr, barrier, nothing",
            "'gathr' is none of the options; accepted: numbers from 1 to 4, parted by commas",
        ),
        ("", "nothing was typed; accepted: numbers from 1 to 4, parted by commas"),
    ],
)
def test_no_order(ask: Ask, text: str, message: str) -> None:
    with pytest.raises(NotUnderstood, match=message):
        judge(*ask(ORDER), text)


@pytest.mark.parametrize("toml", [CHOICE, CHOICES, ORDER], ids=["choice", "choices", "order"])
def test_what_is_shown_as_right_may_be_typed(ask: Ask, toml: str) -> None:
    # "An all-gather, 2 of them": the comma is the option's own
    course, question = ask(toml)
    assert judge(course, question, truth(course, question).shown).right


def test_words_that_do_not_name_options_alone_are_no_list_of_them(ask: Ask) -> None:
    with pytest.raises(NotUnderstood, match="none of the options"):
        judge(*ask(CHOICES), "An all-gather, 2 of them, then something else, A barrier")


def test_options_are_shuffled_the_same_way_each_time_and_another_way_for_another_member(ask: Ask) -> None:
    course, question = ask(CHOICE)
    shown = [option.id for option in options_shown(course, question)]
    assert sorted(shown) == ["barrier", "gather", "nothing", "scatter"]
    assert shown == [option.id for option in options_shown(course, question)]
    assert len({tuple(option.id for option in options_shown(course, question, seed)) for seed in range(20)}) > 5
    assert {option.text for option in options_shown(course, question)} >= {"An all-gather, 2 of them"}


def test_options_stay_as_written_where_the_question_says_so(ask: Ask) -> None:
    course, question = ask(f"in_order = true\n{CHOICE}")
    assert [option.id for option in options_shown(course, question)] == ["scatter", "gather", "barrier", "nothing"]


def test_an_order_is_never_shown_solved(ask: Ask) -> None:
    course, question = ask(ORDER)
    for seed in range(200):
        assert [option.id for option in options_shown(course, question, seed)] != [
            "scatter",
            "gather",
            "barrier",
            "nothing",
        ]


def test_the_truth_is_shown_in_words(ask: Ask) -> None:
    assert truth(*ask(CHOICE)).shown == "A reduce-scatter"
    assert truth(*ask(CHOICES)).shown == "A reduce-scatter; An all-gather, 2 of them"
    assert (
        truth(*ask(ORDER)).shown
        == "A reduce-scatter, then An all-gather, 2 of them, then A barrier, then Nothing at all"
    )
