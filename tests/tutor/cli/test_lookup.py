"""`glossary` and `search` on the command line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tutor.cli.main import main

Capture = pytest.CaptureFixture[str]
DEMO = str(Path(__file__).parent.parent / "app" / "course")


def ask(capsys: Capture, *argv: str) -> Any:
    assert main([*argv, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def printed(capsys: Capture, *argv: str, status: int = 0) -> str:
    assert main(list(argv)) == status
    captured = capsys.readouterr()
    return captured.out if status == 0 else captured.err


def test_the_terms_of_a_course_from_a_to_z(capsys: Capture) -> None:
    terms = ask(capsys, "glossary", "--course", DEMO)["terms"]
    assert [term["name"] for term in terms] == ["ring", "worker", "zebra"]
    assert terms[1] == {
        "name": "worker",
        "also": ["process"],
        "definition": "One of 2 or more that work together.",  # 2 (2 - 1) steps
        "lesson": "demo",
        "step": "demo-choice",
    }
    text = printed(capsys, "glossary", "--course", DEMO)
    assert "worker (also process)\n  One of 2 or more that work together.\n" in text


@pytest.mark.parametrize("words", [["process"], ["WORKERS"]])
def test_one_term_by_any_of_its_names(capsys: Capture, words: list[str]) -> None:
    assert ask(capsys, "glossary", *words, "--course", DEMO)["name"] == "worker"
    text = printed(capsys, "glossary", *words, "--course", DEMO)
    assert "Defined in Demo, step 1 of 6: A picture and a choice." in text


def test_a_step_whose_title_is_a_question_ends_its_sentence(capsys: Capture) -> None:
    text = printed(capsys, "glossary", "gradient")
    assert text.rstrip().endswith("be?")


def test_several_words_are_one_term(capsys: Capture) -> None:
    assert ask(capsys, "glossary", "bus", "bandwidth")["also"] == ["busbw"]


def test_a_term_that_is_not_there_is_one_line_with_what_is_near(capsys: Capture) -> None:
    error = printed(capsys, "glossary", "allredcue", status=2)
    assert error.startswith("worldsize: no term is called 'allredcue'; did you mean ")
    assert "all-reduce" in error
    assert error.count("\n") == 1


def test_a_course_without_a_glossary(capsys: Capture, tmp_path: Path) -> None:
    (tmp_path / "course.toml").write_text('title = "T"\n')
    assert ask(capsys, "glossary", "--course", str(tmp_path)) == {"terms": []}
    assert printed(capsys, "glossary", "--course", str(tmp_path)) == "This course has no glossary.\n"
    assert "the course has no glossary" in printed(capsys, "glossary", "ring", "--course", str(tmp_path), status=2)


@pytest.mark.parametrize("command", [["glossary"], ["glossary", "ring"], ["search", "ring"]])
def test_a_glossary_that_cannot_be_read_is_named_by_file_and_line(
    capsys: Capture, tmp_path: Path, command: list[str]
) -> None:
    (tmp_path / "course.toml").write_text('title = "T"\n')
    (tmp_path / "glossary.toml").write_text("\n[[term]]\n")
    error = printed(capsys, *command, "--course", str(tmp_path), status=2)
    assert error == f"worldsize: {tmp_path / 'glossary.toml'}:2: term 1: 'name' is missing\n"


def test_search_says_what_and_where_best_first(capsys: Capture) -> None:
    found = ask(capsys, "search", "worker", "--course", DEMO)
    assert found["words"] == "worker"
    first = found["hits"][0]
    assert first == {
        "kind": "term",
        "name": "worker",
        "text": "One of 2 or more that work together.",
        "where": "Demo, step 1 of 6: A picture and a choice",
        "lesson": "demo",
        "step": "demo-choice",
    }
    text = printed(capsys, "search", "worker", "--course", DEMO)
    assert text.startswith("worker (term)\n  One of 2 or more that work together.\n  Demo, step 1 of 6")


def test_search_without_a_hit_says_what_is_near(capsys: Capture) -> None:
    assert ask(capsys, "search", "zerba", "--course", DEMO)["hits"] == []
    text = printed(capsys, "search", "zerba", "--course", DEMO)
    assert text.startswith("Nothing has 'zerba'. Did you mean zebra")


def test_search_finds_quantities_and_pictures_too(capsys: Capture) -> None:
    kinds = {(hit["kind"], hit["name"]) for hit in ask(capsys, "search", "all-reduce")["hits"]}
    assert {("term", "all-reduce"), ("picture", "all-reduce")} <= kinds
    assert ask(capsys, "search", "ring.steps")["hits"][0]["kind"] == "quantity"


def test_words_that_nothing_can_be_made_of(capsys: Capture) -> None:
    assert ask(capsys, "search", "?!", "--course", DEMO)["hits"] == []
    assert "WORDS is missing" in printed(capsys, "search", status=2)
