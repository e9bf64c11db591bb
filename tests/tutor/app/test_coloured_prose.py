"""Prose beside a picture: what the picture draws has its colour in the text too, and its mark at the first mention."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from textual.pilot import Pilot

from tutor.app import theme
from tutor.app.main import TutorApp
from tutor.app.markdown import Coloured, markdown_rows
from tutor.app.screens.lesson import LessonScreen
from tutor.app.theme import Look, role_style
from tutor.app.widgets.picture_view import PictureView
from tutor.app.widgets.prose import Prose
from tutor.course.load import load
from tutor.study import Study
from tutor.views.picture import Role
from tutor.views.terms import INTRODUCED, wording
from tutor.views.topics import topic

Row = list[Segment]
Play = Callable[..., None]


def drawn(source: str, *before: str, name: str = "zero", look: Look = "dark", width: int = 76) -> list[Row]:
    console = Console(width=width)
    console.push_theme(theme.markdown_theme(look))
    terms = wording(topic(name).scene({}).picture(0), 80).after(before)
    return markdown_rows(console, source, width, Coloured(terms, lambda role: role_style(role, look)))


def text(rows: list[Row]) -> str:
    return "\n".join("".join(segment.text for segment in row) for row in rows)


def styles(rows: list[Row], word: str) -> list[Style | None]:
    """How each mention of the word is drawn."""
    return [segment.style for row in rows for segment in row if segment.text.strip() == word]


@pytest.mark.parametrize("look", ["dark", "light", "few"])
def test_every_mention_has_the_picture_s_colour_and_the_first_its_mark(look: Look) -> None:
    rows = drawn(
        "Each averages gradients. The gradients and the *optimizer\nstates* stay; no bias.", look=look, width=90
    )
    assert text(rows) == "Each averages ▒ gradients. The gradients and the ░ optimizer states stay; no bias."
    found = styles(rows, "gradients")
    wanted = role_style(Role.GRADIENTS, look)
    assert [style and style.color for style in found] == [wanted.color] * 2
    # What was said with emphasis keeps it
    for style in (*styles(rows, "optimizer"), *styles(rows, "states")):
        assert style is not None
        assert style.color == role_style(Role.OPTIMIZER, look).color
        assert style.italic or style.underline


def test_what_was_mentioned_in_the_text_before_needs_no_mark() -> None:
    assert text(drawn("The gradients.", "What gradients are.")) == "The gradients."


def test_without_a_picture_a_thing_has_its_look_where_it_is_introduced() -> None:
    console = Console(width=76)
    console.push_theme(theme.markdown_theme("dark"))
    look = Coloured(INTRODUCED, lambda role: role_style(role, "dark"))
    rows = markdown_rows(console, "A weight has\n- its **gradient**, and gradients\n- **gradient clipping**.", 76, look)
    assert text(rows).splitlines()[0] == "A weight has"
    assert "its ▒ gradient, and gradients" in text(rows)
    assert [style and style.color for style in styles(rows, "gradient")] == [role_style(Role.GRADIENTS, "dark").color]
    assert role_style(Role.WEIGHTS, "dark").color not in [segment.style and segment.style.color for segment in rows[0]]


def test_code_lists_and_words_within_words_stay_as_they_are() -> None:
    rows = drawn("Set `weights = 2`, and\n\n- the non-gradients\n- the weights")
    assert text(rows).splitlines()[0] == "Set weights = 2, and"
    assert "non-gradients" in text(rows)
    assert "█ weights" in text(rows)
    assert len(styles(rows, "weights")) == 1


def test_a_paragraph_begins_with_its_word_and_no_mark() -> None:
    assert text(drawn("Gradients come first, and gradients last.")) == "Gradients come first, and ▒ gradients last."


def test_a_mark_never_ends_a_row() -> None:
    source = "It is said of many " + "long " * 20 + "gradients, and of " + "such " * 18 + "weights. " * 3
    for width in range(20, 77):
        rows = drawn(source, width=width)
        assert not any("".join(segment.text for segment in row).rstrip().endswith(("▒", "█")) for row in rows)
        assert all(sum(segment.cell_length for segment in row) <= width for row in rows)
        assert "▒ gradients" in text(rows).replace("\n", "#")


def test_a_picture_lends_only_what_it_draws() -> None:
    assert text(drawn("Weights are gradients that a worker sends.", name="all-reduce")) == (
        "Weights are gradients that a worker sends."
    )
    (sends,) = styles(drawn("Weights that a worker sends to all.", name="all-reduce"), "sends")
    assert sends is not None
    assert sends.color == role_style(Role.SENT, "dark").color


def test_a_step_s_text_and_question_have_the_colours_of_its_picture(study: Study, play: Play) -> None:
    course = load()
    study.course = course
    found = course.find_step("pipeline-backward")
    assert found is not None

    async def scenario(pilot: Pilot[Any]) -> None:
        await pilot.app.push_screen(LessonScreen(study, *found))
        await pilot.pause()
        assert isinstance(pilot.app, TutorApp)
        screen = pilot.app.screen
        rows = [row for prose in screen.query(Prose) for row in prose.laid_out(prose.size.width)]
        said = styles(rows, "backward")
        picture = screen.query_one(PictureView)
        looks = {
            segment.style.bgcolor
            for y in range(picture.size.height)
            for segment in picture.render_line(y)
            if segment.style is not None and segment.text.startswith("«")
        }
        assert len(said) >= 3
        assert {style and style.bgcolor for style in said} == looks
        # Its sign would be an opening quotation mark here
        assert "«" not in text(rows)
        asked = [row for said in screen.query("Said.prompt") for row in said.laid_out(said.size.width)]  # type: ignore[attr-defined]
        (in_question,) = styles(asked, "backward")
        assert in_question is not None
        assert {in_question.bgcolor} == looks
        assert "«" not in text(asked)

    play(scenario)
