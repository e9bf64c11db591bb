"""Frames as differences: the terminal shows what whole frames would show, in a fraction of the bytes."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import pyte
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.color import ColorSystem
from rich.console import Console
from rich.segment import Segment
from rich.style import Style
from textual._compositor import LayoutUpdate
from textual.app import App
from textual.geometry import Offset, Region, Size
from textual.pilot import Pilot
from textual.strip import Strip

from tutor.app.frames import OnlyChanges, Piece, Shown, in_one_piece
from tutor.app.written import PLAIN, Look, Run, written

SIZE = Size(16, 4)
STYLES = [
    None,
    Style(color="#dfe5ee", bgcolor="#0b0f14"),
    Style(color="#8c98a8", bgcolor="#0b0f14"),
    Style(color="#ff7b72", bgcolor="#0b0f14", bold=True),
    Style(color="red", bold=True),
    Style(reverse=True),
    Style(underline=True, italic=True, bgcolor="#ffe08a"),
    Style(color="default", bgcolor="default"),
]
# A blank in each of the looks too; the last one takes two columns
SIGNS = ["a", "b", " ", "→", "█", "中"]


@st.composite
def pieces(draw: st.DrawFn) -> Piece:
    """A strip somewhere on the screen, of a few signs in a few styles."""
    row = draw(st.integers(0, SIZE.height - 1))
    column = draw(st.integers(0, SIZE.width - 1))
    segments = draw(st.lists(st.tuples(st.sampled_from(SIGNS), st.integers(1, 5), st.sampled_from(STYLES)), max_size=4))
    strip = Strip([Segment(sign * count, style) for sign, count, style in segments])
    return Piece(row, column, strip.crop(0, SIZE.width - column))


def cells(screen: pyte.Screen) -> list[Any]:
    """What is seen of every cell: of a blank that is not underlined or reversed, only its background."""

    def seen(cell: Any) -> Any:
        if cell.data == " " and not (cell.underscore or cell.reverse):
            return " ", cell.bg
        return cell._replace(italics=False) if cell.data == " " else cell

    return [seen(screen.buffer[row][column]) for row in range(SIZE.height) for column in range(SIZE.width)]


@settings(max_examples=150, deadline=None)
@given(st.lists(st.lists(pieces(), min_size=1, max_size=5), min_size=1, max_size=6))
def test_the_terminal_shows_what_was_drawn(frames: list[list[Piece]]) -> None:
    console = Console(file=io.StringIO(), force_terminal=True, color_system="256")
    screens = [pyte.Screen(SIZE.width, SIZE.height) for _ in range(2)]
    by_changes, by_pieces = (pyte.Stream(screen) for screen in screens)
    shown = Shown()
    # As the terminal is when the app begins: cleared
    blank = Strip([Segment(" " * SIZE.width)])
    for frame in [[Piece(row, 0, blank) for row in range(SIZE.height)], *frames]:
        by_changes.feed(shown.changes(frame, SIZE, ColorSystem.EIGHT_BIT))
        for row, column, strip in frame:
            by_pieces.feed(f"\x1b[{row + 1};{column + 1}H{strip.render(console)}")
        assert cells(screens[0]) == cells(screens[1])


def frame(*texts: str) -> list[Piece]:
    return [Piece(row, 0, Strip([Segment(text, STYLES[1])])) for row, text in enumerate(texts)]


def test_what_is_there_already_is_not_sent() -> None:
    shown = Shown()
    first = shown.changes(frame("one two", "three"), SIZE, ColorSystem.EIGHT_BIT)
    assert "one two" in first
    assert shown.changes(frame("one two", "three"), SIZE, ColorSystem.EIGHT_BIT) == ""
    again = shown.changes(frame("one ten", "three"), SIZE, ColorSystem.EIGHT_BIT)
    assert "en" in again
    assert "one" not in again
    assert "three" not in again


@pytest.mark.parametrize("how", ["forgotten", "another size"])
def test_a_terminal_that_may_show_anything_is_drawn_whole(how: str) -> None:
    shown = Shown()
    shown.changes(frame("one two"), SIZE, ColorSystem.EIGHT_BIT)
    if how == "forgotten":
        shown.forget()
    size = SIZE if how == "forgotten" else Size(17, 4)
    assert "one two" in shown.changes(frame("one two"), size, ColorSystem.EIGHT_BIT)


def test_a_step_of_the_picture_is_a_few_hundred_bytes(
    play: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    sent: list[tuple[int, ...]] = []

    def display(app: App[Any], _screen: object, renderable: object) -> None:
        if isinstance(renderable, OnlyChanges) and not app._batch_count:
            sent.append(
                (len(renderable.render_segments(app.console)), len(renderable.frame.render_segments(app.console)))
            )

    monkeypatch.setattr(App, "_display", display)

    async def scenario(pilot: Pilot[Any]) -> None:
        await pilot.press("enter")
        await pilot.pause()
        # With the first step come the rows of its messages; from then on they change
        await pilot.press("right")
        await pilot.pause()
        sent.clear()
        await pilot.press("right")
        await pilot.pause()

    play(scenario)
    assert sent
    ours, whole = (sum(sizes) for sizes in zip(*sent, strict=True))
    assert ours < 500
    assert ours < whole / 2


def test_a_layout_is_taken_apart_by_columns() -> None:
    left, right = Strip([Segment("ab")]), Strip([Segment("cd")])
    console = Console(file=io.StringIO(), force_terminal=True, color_system="256")
    update = OnlyChanges(LayoutUpdate([[left, right]], Region(3, 1, 4, 1)), Shown(), SIZE)
    screen = pyte.Screen(SIZE.width, SIZE.height)
    pyte.Stream(screen).feed(update.render_segments(console))
    assert screen.display[1] == "   abcd".ljust(SIZE.width)


def test_only_a_long_frame_asks_to_be_shown_at_once() -> None:
    assert in_one_piece("short", None, synchronised=True) == "short"
    long = "x" * 5000
    assert in_one_piece(long, None, synchronised=True) == f"\x1b[?2026h{long}\x1b[?2026l"
    assert in_one_piece(long, None, synchronised=False) == long


def test_the_terminal_s_cursor_is_left_where_one_types() -> None:
    screen = pyte.Screen(16, 4)
    pyte.Stream(screen).feed(in_one_piece("text", Offset(5, 2), synchronised=True))
    assert (screen.cursor.x, screen.cursor.y) == (5, 2)


@pytest.mark.parametrize(
    ("at", "then"), [((0, 3), (1, 7)), ((0, 12), (1, 3)), ((0, 12), (3, 9)), ((2, 3), (1, 0)), ((0, 15), (1, 2))]
)
def test_from_one_run_to_the_next(at: tuple[int, int], then: tuple[int, int]) -> None:
    """Also from the right edge, where terminals differ in where the cursor is."""
    screen = pyte.Screen(16, 4)
    pyte.Stream(screen).feed(written([Run(PLAIN, *at, "a"), Run(PLAIN, *then, "b")], 16))
    assert (screen.buffer[at[0]][at[1]].data, screen.buffer[then[0]][then[1]].data) == ("a", "b")
    assert sum(cell.data != " " for row in screen.buffer.values() for cell in row.values()) == 2


def test_blanks_are_written_on_the_way_to_other_text() -> None:
    grey, blank = Look("", "38;5;109", "48;5;16"), Look("", "", "48;5;16")
    assert written([Run(blank, 0, 3, " "), Run(grey, 1, 3, "a")], 16) == "\x1b[1;4H\x1b[38;5;109;48;5;16m \v\ba\x1b[m"
