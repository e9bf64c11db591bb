"""Colours that can be read: contrast on dark and light backgrounds, in truecolour and in the 16 of real terminals."""

from __future__ import annotations

import pytest
from rich.color import EIGHT_BIT_PALETTE, Color, ColorSystem

from tutor.views import palette
from tutor.views.palette import STYLES, rgb, style
from tutor.views.picture import Role
from tutor.views.terminal import nearest_of_256

# The 16 colours as two wide-spread terminals show them
VGA = "000000 aa0000 00aa00 aa5500 0000aa aa00aa 00aaaa aaaaaa 555555 ff5555 55ff55 ffff55 5555ff ff55ff 55ffff ffffff"
XTERM = (
    "000000 cd0000 00cd00 cdcd00 0000ee cd00cd 00cdcd e5e5e5 7f7f7f ff0000 00ff00 ffff00 5c5cff ff00ff 00ffff ffffff"
)
PAGES = {"dark": ["#000000", "#11151c", "#1e1e2e"], "light": ["#ffffff", "#fdf6e3"]}
# Dots of what is not there need not be read, only seen
FAINT = {Role.IDLE, Role.ABSENT}


def luminance(colour: str) -> float:
    """Relative luminance as WCAG 2 defines it."""
    parts = [value / 255 for value in rgb(colour)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def of_256(colour: str) -> set[int]:
    """What pictures that are printed, and those in the app, make of a colour where there are 256."""
    in_app = Color.parse(colour).downgrade(ColorSystem.EIGHT_BIT).number
    assert in_app is not None
    return {nearest_of_256(colour), in_app}


def shown_of_256(colour: str) -> set[str]:
    return {EIGHT_BIT_PALETTE[number].hex for number in of_256(colour)}


@pytest.mark.parametrize("background", ["dark", "light"])
def test_every_role_has_a_style(background):
    assert set(STYLES[background]) == set(Role)


@pytest.mark.parametrize("background", ["dark", "light"])
@pytest.mark.parametrize("role", list(Role))
def test_truecolour_contrast(background, role):
    look = style(role, background)
    pages = [look.background] if look.background else PAGES[background]
    least = 3 if role in FAINT else 4.5
    assert all(contrast(look.foreground, page) >= least for page in pages)


@pytest.mark.parametrize("background", ["dark", "light"])
@pytest.mark.parametrize("role", list(Role))
def test_contrast_at_256_colours(background, role):
    look = style(role, background)
    pages = shown_of_256(look.background) if look.background else {*PAGES[background]}
    least = 3 if role in FAINT else 4.5
    assert all(contrast(one, page) >= least for one in shown_of_256(look.foreground) for page in pages)


@pytest.mark.parametrize("background", ["dark", "light"])
def test_a_rank_has_the_colour_of_nothing_else(background):
    looks = STYLES[background].items()
    ranks = [look.foreground for role, look in looks if role in palette.RANKS]
    taken = {
        colour for role, look in looks if role not in palette.RANKS for colour in (look.foreground, look.background)
    }
    taken -= {None}
    assert not taken & {*ranks}
    assert not {n for colour in taken for n in of_256(colour)} & {n for colour in ranks for n in of_256(colour)}
    # Nor are two ranks one colour; among 16, neighbours still differ
    assert len({n for colour in ranks for n in of_256(colour)}) == len(palette.RANKS)
    few = [style(role, background).ansi for role in palette.RANKS]
    assert all(one != few[at - 1] for at, one in enumerate(few))


@pytest.mark.parametrize("background", ["dark", "light"])
def test_a_group_has_the_background_of_nothing_else(background):
    looks = STYLES[background].items()
    groups = [look.background for role, look in looks if role in palette.GROUPS]
    taken = {look.background for role, look in looks if role not in palette.GROUPS and look.background}
    assert not taken & {*groups}
    assert not {n for colour in taken for n in of_256(colour)} & {n for colour in groups for n in of_256(colour)}
    assert len({n for colour in groups for n in of_256(colour)}) == len(palette.GROUPS)


@pytest.mark.parametrize("background", ["dark", "light"])
@pytest.mark.parametrize("role", list(Role))
@pytest.mark.parametrize("colours", [VGA, XTERM], ids=["vga", "xterm"])
def test_sixteen_colours_contrast(background, role, colours):
    ansi = style(role, background).ansi
    if ansi is not None:
        sixteen = [f"#{colour}" for colour in colours.split()]
        assert contrast(sixteen[ansi], sixteen[0 if background == "dark" else 15]) >= 3


def test_the_same_thing_has_the_same_family_of_colour():
    for background in ("dark", "light"):
        assert style(Role.FORWARD, background).ansi == style(Role.WEIGHTS, background).ansi
        assert style(Role.BACKWARD, background).ansi == style(Role.GRADIENTS, background).ansi


def test_pages():
    assert palette.PAGE["dark"] in PAGES["dark"]
    assert palette.PAGE["light"] in PAGES["light"]
