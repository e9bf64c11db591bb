"""On every screen: no colour but the terminal's own, no sign but ASCII, words that can be read."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from textual.color import Color
from textual.pilot import Pilot
from textual.screen import Screen
from textual.theme import Theme

from tutor.app import theme
from tutor.app.profile import Profile
from tutor.app.screens.help import Help
from tutor.study import Study
from tutor.views.picture import Role

Play = Callable[..., None]
Shown = Callable[..., str]
Visit = Callable[[Pilot[Any], int], Awaitable[Screen[Any]]]
There = Callable[[Pilot[Any], int | list[str]], Awaitable[Screen[Any]]]
# The screens beside the lessons, by the keys that lead there from the first one
BESIDE = [["p"], ["v"], ["v", "enter"], ["e"], ["r"], ["s"]]


@pytest.mark.parametrize("step", range(7))
def test_nothing_but_ascii_is_drawn_where_nothing_else_can_be(
    play: Play, study: Study, step: int, visit: Visit
) -> None:
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
    play: Play, shown: Shown, place: list[str], there: There
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


def test_few_colours_are_the_terminals_own(play: Play, visit: Visit) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await visit(pilot, 1)
        assert pilot.app.theme == theme.FEW_COLOURS
        for strip in pilot.app.screen._compositor.render_strips():
            for segment in strip:
                for colour in (segment.style.color, segment.style.bgcolor) if segment.style else ():
                    assert colour is None or colour.triplet is None, f"{segment.text!r} is {colour}"

    play(scenario, profile=Profile(few_colours=True))


def test_without_colour_the_terminals_own_is_kept(play: Play, monkeypatch: pytest.MonkeyPatch, visit: Visit) -> None:
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
