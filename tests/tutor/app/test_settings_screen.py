"""Settings in the app: in use at once, remembered, and never a theme that the terminal cannot show."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from textual.color import Color
from textual.pilot import Pilot

from tutor.app import theme
from tutor.app.main import TutorApp
from tutor.app.profile import Profile
from tutor.app.screens.home import Home
from tutor.app.screens.settings import SettingsScreen
from tutor.settings import NAME, Settings, read, write
from tutor.study import Study

Play = Callable[..., None]
Shown = Callable[..., str]


async def choose(pilot: Pilot[Any], id: str) -> None:
    """Opens the settings and takes one into use."""
    if isinstance(pilot.app.screen, Home):
        await pilot.press("s")
        await pilot.pause()
    choices = pilot.app.screen.query_one("#choices")
    at = [entry.id for entry in choices.entries(80)].index(id)  # type: ignore[attr-defined]
    choices._choose(at)  # type: ignore[attr-defined]
    await pilot.press("enter")
    await pilot.pause()
    await pilot.pause()


def drawn(app: TutorApp) -> set[str]:
    """Every colour that is on the screen."""
    found = set()
    for strip in app.screen._compositor.render_strips():
        for segment in strip:
            for colour in (segment.style.color, segment.style.bgcolor) if segment.style else ():
                if colour is not None and colour.triplet is not None:
                    found.add(colour.triplet.hex)
    return found


def test_the_light_theme_is_in_use_at_once_everywhere_and_the_next_time(play: Play, shown: Shown, study: Study) -> None:
    dark, light = theme.many_colours, theme.light_colours

    async def scenario(pilot: Pilot[Any]) -> None:
        assert dark.background in drawn(pilot.app)
        await choose(pilot, f"theme {theme.LIGHT}")
        assert isinstance(pilot.app.screen, SettingsScreen)
        assert "✓ our own, light" in shown(pilot.app)
        await pilot.press("escape")
        await pilot.pause()
        await pilot.pause()
        assert isinstance(pilot.app.screen, Home)
        found = drawn(pilot.app)
        assert {str(light.background), str(light.foreground), light.variables["quiet"]} <= found
        assert not {str(dark.background), str(dark.foreground), dark.variables["quiet"]} & found
        await pilot.press("enter")
        await pilot.pause()
        assert dark.background not in drawn(pilot.app)
        assert theme.role_style(theme.Role.HEAD, "light").color.triplet.hex in drawn(pilot.app)

    play(scenario)
    assert TutorApp(study).theme == theme.LIGHT


def test_themes_of_textual_have_all_that_the_stylesheets_ask_for(play: Play, shown: Shown) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        for name in pilot.app.themes_offered:
            await choose(pilot, f"theme {name}")
            assert pilot.app.theme == name
        await pilot.press("escape", "enter")
        await pilot.pause()
        assert "Demo" in shown(pilot.app)

    play(scenario)


def test_few_colours_stay_few_whatever_was_chosen_elsewhere(play: Play, shown: Shown, study: Study) -> None:
    write(study.store.file.with_name(NAME), Settings(theme=theme.LIGHT))

    async def scenario(pilot: Pilot[Any]) -> None:
        assert pilot.app.theme == theme.FEW_COLOURS
        await pilot.press("s")
        await pilot.pause()
        assert "This terminal shows 16 colours or none" in shown(pilot.app)
        await choose(pilot, "motion off")

    play(scenario, profile=Profile(few_colours=True))
    # What was chosen on the other terminal is still chosen there
    assert read(study.store.file.with_name(NAME))[0] == Settings(theme.LIGHT, "off")


def test_motion_is_remembered_however_it_was_changed(play: Play, study: Study) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        assert pilot.app.motion
        await choose(pilot, "motion off")
        assert not pilot.app.motion

    play(scenario)
    assert not TutorApp(study).motion

    async def with_the_key(pilot: Pilot[Any]) -> None:
        await pilot.press("f9")
        assert pilot.app.motion

    play(with_the_key)
    assert TutorApp(study, Profile(remote=True)).motion


@pytest.mark.parametrize("text", ["{", '{"theme": 7}'])
def test_a_damaged_file_is_said_on_the_first_screen(play: Play, shown: Shown, study: Study, text: str) -> None:
    study.store.file.with_name(NAME).write_text(text)

    async def scenario(pilot: Pilot[Any]) -> None:
        assert "settings.json is damaged and is passed over" in shown(pilot.app)
        assert pilot.app.theme == theme.MANY_COLOURS

    play(scenario)


def test_a_theme_that_is_gone_gives_way(study: Study) -> None:
    write(study.store.file.with_name(NAME), Settings(theme="of another version"))
    assert TutorApp(study).theme == theme.MANY_COLOURS


@pytest.mark.parametrize("word", ["quiet", "focus", "right", "wrong", "code"])
def test_words_can_be_read_in_every_theme_that_is_offered(study: Study, word: str) -> None:
    app = TutorApp(study)
    for name in app.themes_offered:
        found = app.available_themes[name]
        if found.ansi:
            continue  # the terminal's own colours
        app.set_reactive(TutorApp.theme, name)
        colour = getattr(theme.words(app), word).color.triplet.hex
        page = Color.parse(found.to_color_system().generate()["background"])
        light, dark = sorted((luminance(Color.parse(colour)), luminance(page)), reverse=True)
        # 4.5 is what the Web Content Accessibility Guidelines ask of running text
        assert (light + 0.05) / (dark + 0.05) >= 4.5, name


def luminance(colour: Color) -> float:
    channels = [channel / 255 for channel in (colour.r, colour.g, colour.b)]
    red, green, blue = (c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
