"""Words found in a course: terms, lessons, steps, exercises, quantities and pictures, and nothing that gives away."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tutor.course.glossary import read_glossary
from tutor.course.load import load
from tutor.search import Search, sentence_with

COURSE = Path(__file__).parent / "app" / "course"
SEARCH = Search(load(COURSE), read_glossary(COURSE))
SHIPPED = Search(load(), read_glossary(load().folder))


def found(words: str) -> list[tuple[str, str]]:
    return [(hit.kind, hit.name) for hit in SEARCH.find(words)]


def test_a_term_comes_before_what_only_has_the_word() -> None:
    first, *others = SEARCH.find("worker")
    assert (first.kind, first.name, first.step, first.lesson) == ("term", "worker", "demo-choice", "demo")
    assert first.text == "One of 2 or more that work together."
    assert first.where == "Demo, step 1 of 6: A picture and a choice"
    assert ("step", "A picture and a choice") in [(hit.kind, hit.name) for hit in others]


@pytest.mark.parametrize(
    ("words", "kind", "name"),
    [
        ("process", "term", "worker"),
        ("second", "lesson", "Second"),
        ("count the steps", "step", "A number"),
        ("sums for everybody", "exercise", "all_sums"),
        ("all_sums", "exercise", "all_sums"),
        ("ring.steps", "quantity", "ring.steps"),
        ("ring steps", "quantity", "ring.steps"),
        ("all-to-all", "picture", "all-to-all"),
        ("zeb", "term", "zebra"),
        ("ZEBRA", "term", "zebra"),
    ],
)
def test_the_best_comes_first(words: str, kind: str, name: str) -> None:
    assert found(words)[0] == (kind, name)


def test_all_words_have_to_be_there() -> None:
    assert ("term", "ring") in found("circle")
    assert ("term", "ring") not in found("circle zebra")
    assert found("zebra nowhere-else") == []
    assert found("") == found("?!") == []


def test_the_sentence_that_has_the_words_is_shown_with_its_figures() -> None:
    (hit,) = [hit for hit in SEARCH.find("workers in a ring of") if hit.name == "A picture and a choice"]
    assert hit.text == "Three workers in a ring of 4 steps."  # 2 (3 - 1)


def test_reasons_hints_and_replies_are_not_searched() -> None:
    for secret in ("each column was added up", "all rows are equal there", "count the numbers of a row"):
        assert found(secret) == []


def test_quantities_and_pictures_lead_to_a_step_where_there_is_one() -> None:
    hits = {(hit.kind, hit.name): hit for hit in SEARCH.find("ring")}
    assert hits["quantity", "ring.steps"].step == "demo-choice"
    assert hits["quantity", "ring.bytes_sent"].step == ""
    (picture,) = [hit for hit in SEARCH.find("zero") if (hit.kind, hit.name) == ("picture", "zero")]
    assert picture.step == "demo-bytes"
    assert "show zero" in picture.text


def test_names_spelt_nearly_so() -> None:
    assert "zebra" in SEARCH.near("zerba")
    assert SEARCH.near("qqqqqq") == []


def test_the_terms_of_a_step_come_first() -> None:
    course = load(COURSE)
    lesson, step = course.lessons[0], course.lessons[0].steps[1]
    hits, own = SEARCH.terms(lesson, step)
    # Defined here; then in the prompt; then the one that the step has nothing to do with
    assert [hit.name for hit in hits] == ["ring", "worker", "zebra"]
    assert own == 2
    hits, own = SEARCH.terms()
    assert ([hit.name for hit in hits], own) == (["ring", "worker", "zebra"], 0)


def test_a_sentence_is_cut_round_the_word() -> None:
    long = "begin " + "filler " * 40 + "needle " + "filler " * 40
    shown = sentence_with(["needle"], long)
    assert "needle" in shown
    assert len(shown) <= 162
    assert shown.startswith("…")
    assert shown.endswith("…")


@pytest.mark.parametrize(
    ("words", "name"),
    [
        ("busbw", "bus bandwidth"),
        ("deadlock", "deadlock"),
        ("reduce scatter", "reduce-scatter"),
        ("bubble", "bubble"),
        ("zero stage 3", "ZeRO stage 3"),
        ("micro batches", "micro-batch"),
        ("patarasuk", "Less is not possible"),
    ],
)
def test_the_course_is_found_by_its_words(words: str, name: str) -> None:
    assert SHIPPED.find(words)[0].name == name


@settings(max_examples=50, deadline=None)
@given(st.text(max_size=20))
def test_whatever_is_typed_there_is_a_list(text: str) -> None:
    hits = SEARCH.find(text)
    assert len(hits) <= 50
    assert all(hit.name and hit.kind for hit in hits)
    SEARCH.near(text)
