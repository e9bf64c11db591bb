"""What holds on every screen: help, palette, leaving, small windows, no colour, no Unicode."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from typing import Any

import pytest
from textual.binding import Binding
from textual.color import Color
from textual.command import CommandPalette
from textual.pilot import Pilot
from textual.screen import Screen
from textual.theme import Theme
from textual.widgets import Input

from tutor.app import theme
from tutor.app.main import TutorApp
from tutor.app.profile import Profile
from tutor.app.screens.editor import Code
from tutor.app.screens.help import Help, key_rows, own_bindings
from tutor.app.screens.home import Home
from tutor.app.screens.small import TooSmall
from tutor.app.widgets.picture_view import PictureView
from tutor.app.widgets.rules import KeyBar
from tutor.progress.store import ProgressError
from tutor.study import Study
from tutor.views.picture import Role, cell
from tutor.views.topics import topic

Play = Callable[..., None]
Shown = Callable[..., str]


async def visit(pilot: Pilot[Any], step: int) -> Screen[Any]:
    """The home screen (0), or a step of the demo lesson with the keys on what is asked there."""
    if step:
        await pilot.press("enter")
        await pilot.pause()
        screen = pilot.app.screen
        await screen.action_step(step - 1 - screen.lesson.steps.index(screen.step))
        screen.view.focus_task()
        await pilot.pause()
    return pilot.app.screen


# The screens beside the lessons, by the keys that lead there from the first one
BESIDE = [["p"], ["v"], ["v", "enter"], ["e"], ["r"], ["s"]]


async def there(pilot: Pilot[Any], place: int | list[str]) -> Screen[Any]:
    """A step, or a screen beside the lessons."""
    if isinstance(place, int):
        return await visit(pilot, place)
    for key in place:
        await pilot.press(key)
        await pilot.pause()
    return pilot.app.screen


@pytest.mark.parametrize("place", [*range(7), *BESIDE])
def test_every_binding_has_an_id_and_stands_in_help_and_palette(play: Play, place: int | list[str]) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        screen = await there(pilot, place)
        ours = [
            (node, binding)
            for node, bindings in screen._binding_chain
            for _, binding in bindings
            if type(node).__module__.startswith("tutor.") and binding in own_class_bindings(node)
        ]
        assert ours
        for node, binding in ours:
            assert binding.id, f"{binding} of {node} has no id"
            assert binding.description, f"{binding} of {node} says nothing"
        active = {active.binding.id for _, active in own_bindings(screen)}
        assert {"app.quit", "app.help", "app.suspend"} <= active
        listed = [what for _, what in key_rows(screen)]
        assert len(listed) == len({(id(each.node), each.binding.action) for _, each in own_bindings(screen)})
        await pilot.press("ctrl+p")
        await pilot.pause(0.3)
        palette = pilot.app.screen
        assert isinstance(palette, CommandPalette)
        assert not palette.query_one(Input).cursor_blink
        options = palette.query_one("CommandList")
        names = {str(options.get_option_at_index(number).prompt) for number in range(options.option_count)}
        for what in listed:
            if what != "Everything":
                assert any(what in name for name in names), f"{what} is not in the palette"

    play(scenario)


def own_class_bindings(node: object) -> list[Binding]:
    """The bindings that classes of the app declare, and not Textual's own below them."""
    return [
        binding
        for base in type(node).__mro__
        if base.__module__.startswith("tutor.")
        for declared in base.__dict__.get("BINDINGS", [])
        for binding in Binding.make_bindings([declared])
    ]


def test_the_palette_does_what_a_key_does(play: Play) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        screen = await visit(pilot, 1)
        await pilot.press("ctrl+p")
        await pilot.pause(0.3)
        await pilot.press(*"next step")
        await pilot.pause(0.3)
        await pilot.press("enter")
        await pilot.pause(0.3)
        assert screen.step.id == "demo-number"

    play(scenario)


@pytest.mark.parametrize("place", [*range(7), *BESIDE])
def test_the_key_row_fits_and_ends_with_help(play: Play, place: int | list[str]) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        for columns in (80, 40):
            await pilot.resize_terminal(columns, 24)
            screen = await there(pilot, place) if columns == 80 else pilot.app.screen
            await pilot.pause()
            bar = screen.query_one(KeyBar)
            row = "".join(segment.text for segment in bar.rows(columns - 2)[0])
            assert len(row) <= columns - 2
            assert row.endswith((" ? help", " F1 help"))
            assert row.count("   ") <= 4

    play(scenario)


def test_help_explains_the_screen_and_goes_away(play: Play, shown: Shown) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        screen = await visit(pilot, 2)
        await pilot.press("f1")
        await pilot.pause()
        assert isinstance(pilot.app.screen, Help)
        assert "nothing that you have typed gets lost" in shown(pilot.app)
        assert "F2" in shown(pilot.app)
        await pilot.press("pagedown", "pageup", "j", "k", "f1")
        await pilot.pause()
        assert pilot.app.screen is screen
        # A question mark that is typed is no call for help, but one on the lessons is
        await pilot.press("question_mark")
        assert pilot.app.focused.value == "?"
        await pilot.press("escape", "question_mark")
        await pilot.pause()
        assert isinstance(pilot.app.screen, Help)

    play(scenario)


@pytest.mark.parametrize("away", ["f8", "escape", "f1", "f4"])
def test_a_note_goes_with_the_step_or_screen_that_it_is_about(play: Play, shown: Shown, away: str) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await visit(pilot, 1)
        line = f"Saved: /nowhere/{'a' * 40}"
        pilot.app.say(line)
        await pilot.pause()
        # Unbroken, so that the path can be copied
        assert line in shown(pilot.app)
        await pilot.press(away)
        await pilot.pause()
        assert "Saved" not in shown(pilot.app)
        assert not pilot.app._notifications

    play(scenario)


@pytest.mark.parametrize("away", ["f8", "escape"])
def test_what_went_wrong_on_the_way_out_is_still_said(play: Play, away: str) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await visit(pilot, 1)
        pilot.app.complain("The disk is full.")
        await pilot.press(away)
        await pilot.pause()
        assert [note.message for note in pilot.app._notifications] == ["The disk is full."]

    play(scenario)


@pytest.mark.parametrize("step", [0, 2, 5])
def test_ctrl_c_says_how_to_quit_and_ctrl_q_quits(play: Play, step: int) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await visit(pilot, step)
        await pilot.press("ctrl+c")
        await pilot.pause()
        assert any("ctrl+q quits" in note.message for note in pilot.app._notifications)
        await pilot.press("ctrl+q")
        await pilot.pause()
        assert pilot.app.return_code == 0

    play(scenario)


def test_quitting_keeps_what_is_half_typed(play: Play, study: Study) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await visit(pilot, 2)
        await pilot.press("4", "2", "ctrl+q")

    play(scenario)
    assert study.store.draft("demo-steps") == "42"


def test_a_window_that_is_too_small_says_so_until_it_has_grown(play: Play, shown: Shown) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        screen = await visit(pilot, 2)
        await pilot.press("4")
        await pilot.resize_terminal(20, 5)
        await pilot.pause()
        assert isinstance(pilot.app.screen, TooSmall)
        assert shown(pilot.app).split() == ["too", "small:", "20x5;", "needed:", "40x12"]
        await pilot.resize_terminal(30, 11)
        await pilot.pause()
        assert "30x11" in shown(pilot.app)
        await pilot.press("q")
        await pilot.resize_terminal(80, 24)
        await pilot.pause()
        assert pilot.app.screen is screen
        await pilot.press("2")
        assert pilot.app.focused.value == "42"

    play(scenario)


@pytest.mark.parametrize("step", range(7))
def test_nothing_but_ascii_is_drawn_where_nothing_else_can_be(play: Play, study: Study, step: int) -> None:
    study.reveal("demo-steps")
    drawn: dict[bool, str] = {}

    async def scenario(pilot: Pilot[Any]) -> None:
        await visit(pilot, step)
        text = "\n".join(strip.text for strip in pilot.app.screen._compositor.render_strips())
        drawn[pilot.app.profile.ascii_only] = text

    play(scenario, profile=Profile(ascii_only=False))
    play(scenario, profile=Profile(ascii_only=True))
    assert drawn[True].isascii()
    assert not drawn[False].isascii()
    # A sign without a plain form would come out as a question mark
    assert drawn[True].count("?") == drawn[False].count("?")


@pytest.mark.parametrize("place", BESIDE)
def test_screens_beside_the_lessons_explain_themselves_and_draw_in_ascii_and_few_colours(
    play: Play, shown: Shown, place: list[str]
) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        screen = await there(pilot, place)
        assert screen.HELP.strip()
        for strip in screen._compositor.render_strips():
            assert strip.text.isascii()
            for segment in strip:
                for colour in (segment.style.color, segment.style.bgcolor) if segment.style else ():
                    assert colour is None or colour.triplet is None, f"{segment.text!r} is {colour}"
        await pilot.press("f1")
        await pilot.pause()
        assert isinstance(pilot.app.screen, Help)

    play(scenario, size=(40, 12), profile=Profile(ascii_only=True, few_colours=True))


def test_few_colours_are_the_terminals_own(play: Play) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await visit(pilot, 1)
        assert pilot.app.theme == theme.FEW_COLOURS
        for strip in pilot.app.screen._compositor.render_strips():
            for segment in strip:
                for colour in (segment.style.color, segment.style.bgcolor) if segment.style else ():
                    assert colour is None or colour.triplet is None, f"{segment.text!r} is {colour}"

    play(scenario, profile=Profile(few_colours=True))


def test_without_colour_the_terminals_own_is_kept(play: Play, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")

    async def scenario(pilot: Pilot[Any]) -> None:
        await visit(pilot, 1)
        filters = pilot.app.get_line_filters()
        for strip in pilot.app.screen._compositor.render_strips():
            for colour_filter in filters:
                strip = strip.apply_filter(colour_filter, Color(0, 0, 0))
            for segment in strip:
                assert segment.style is None or segment.style.color is None or segment.style.color.is_default
                assert segment.style is None or segment.style.bgcolor is None or segment.style.bgcolor.is_default

    play(scenario, profile=Profile(few_colours=True))


@pytest.mark.parametrize("look", [theme.many_colours, theme.light_colours])
@pytest.mark.parametrize("name", ["foreground", "quiet", "focus", "right", "wrong"])
def test_words_can_be_read_on_their_background(name: str, look: Theme) -> None:
    # 4.5 is what the Web Content Accessibility Guidelines ask of running text
    colour = look.foreground if name == "foreground" else look.variables[name]
    assert contrast(Color.parse(str(colour)), Color.parse(str(look.background))) >= 4.5


def contrast(one: Color, other: Color) -> float:
    def luminance(colour: Color) -> float:
        channels = [channel / 255 for channel in (colour.r, colour.g, colour.b)]
        red, green, blue = (c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def test_every_role_has_a_look_with_many_and_with_few_colours() -> None:
    for role in Role:
        for look in ("dark", "light"):
            assert theme.role_style(role, look) is not None
        few = theme.role_style(role, "few")
        assert few.color is None or few.color.triplet is None


def test_steps_that_are_left_are_not_kept(play: Play) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        screen = await visit(pilot, 1)
        left = []
        for by in (1, 1, 1, 1, 1, -1, -1, -1, -1, -1):
            left += [weakref.ref(screen.view), *(weakref.ref(widget) for widget in screen.view.query("*"))]
            # With what they had drawn, which Textual's own cache would keep
            left += [weakref.ref(widget._styles_cache) for widget in screen.view.query("*")]
            await screen.action_step(by)
            await pilot.pause()
        await pilot.press("right", "enter", "down")
        await pilot.pause()
        gc.collect()
        kept = [ref() for ref in left if ref() is not None]
        assert not kept, kept

    play(scenario)


def test_a_lesson_that_is_left_is_not_kept(play: Play) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        left = weakref.ref(await visit(pilot, 1))
        await pilot.press("escape")
        await pilot.pause()
        await pilot.press("down", "up")
        await pilot.pause()
        gc.collect()
        assert left() is None

    play(scenario)


def test_an_editor_that_is_closed_is_not_kept(play: Play, until: Any) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await visit(pilot, 5)
        await pilot.press("e")
        await pilot.pause()
        left = [weakref.ref(pilot.app.screen), weakref.ref(pilot.app.screen.query_one(Code))]
        await pilot.press("x", "escape")
        await pilot.pause()
        await pilot.press("down", "up")
        # The timer of the draft it has left knows it for another half second
        await until(pilot, lambda: gc.collect() >= 0 and [ref() for ref in left] == [None, None])

    play(scenario)


def test_an_error_of_our_own_is_one_line_and_a_file(
    study: Study, capsys: pytest.CaptureFixture[str], play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: Home) -> None:
        raise RuntimeError("a mistake of ours")

    monkeypatch.setattr(Home, "on_screen_resume", broken)

    async def scenario(pilot: Pilot[Any]) -> None:
        await pilot.pause()

    with pytest.raises(RuntimeError, match="a mistake of ours"):
        play(scenario)
    said = capsys.readouterr().err
    assert "The tutor has failed, and is sorry." in said
    assert "Traceback" not in said
    assert "a mistake of ours" in study.store.file.with_name("crash.txt").read_text()


def test_progress_that_cannot_be_kept_ends_with_one_line(
    study: Study, capsys: pytest.CaptureFixture[str], play: Play, monkeypatch: pytest.MonkeyPatch
) -> None:
    def locked() -> None:
        raise ProgressError("your progress is locked by another program")

    monkeypatch.setattr(study, "lessons", locked)

    async def scenario(pilot: Pilot[Any]) -> None:
        await pilot.pause()

    with pytest.raises(ProgressError):
        play(scenario)
    said = capsys.readouterr().err
    assert "your progress is locked by another program" in said
    assert "Traceback" not in said


# Pictures larger than their window


def test_a_wide_picture_scrolls_beside_its_heads(play: Play) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        picture = topic("all-reduce").scene({"workers": 12, "seed": 1}).picture(3)
        view = PictureView(picture)
        view.styles.max_height = 10
        await pilot.app.screen.mount(view, before=0)
        await pilot.pause()

        def rows() -> list[str]:
            return [view.render_line(y).text for y in range(view.size.height)]

        assert picture.size(40).columns > 40
        before = rows()
        assert before[0].startswith("chunk")
        view.action_pan(8, 0)
        await pilot.pause()
        assert [row[: picture.head_columns] for row in rows()] == [row[: picture.head_columns] for row in before]
        assert rows()[1] != before[1]
        view.action_pan(0, 4)
        await pilot.pause()
        assert rows()[0].startswith("chunk")
        assert rows()[1].startswith("worker 4")
        view.bring_into_sight(cell(worker=0, chunk=11, index=0))
        await pilot.pause()
        assert rows()[1].startswith("worker 0")
        assert view.place_of(cell(worker=0, chunk=11, index=0)) is not None
        assert view.place_of(cell(worker=99, chunk=0, index=0)) is None
        assert not before[0].endswith("11")
        assert rows()[0].rstrip().endswith("11")

    play(scenario, size=(40, 24))


def test_the_app_without_a_profile_takes_a_full_terminal(study: Study) -> None:
    assert TutorApp(study).profile == Profile()
