"""How the app looks: one theme for many colours, one for few, and what each role of a picture becomes in them."""

from __future__ import annotations

from functools import lru_cache

from rich.color import Color
from rich.style import Style
from rich.theme import Theme as RichTheme
from textual.theme import Theme

from tutor.views import palette
from tutor.views.picture import Role

MANY_COLOURS, FEW_COLOURS = "worldsize", "worldsize-16"

_BACKGROUND = palette.PAGE["dark"]
_FOREGROUND = "#dfe5ee"
_QUIET = "#8c98a8"
_LINE = "#4b5666"
_FOCUS = "#ffe08a"
_RIGHT = "#7ddc8f"
_WRONG = "#ff7b72"

# What the stylesheets call the colours that Textual's own names do not cover
_OWN_VARIABLES = {
    "quiet": _QUIET,
    "line": _LINE,
    "focus": _FOCUS,
    "right": _RIGHT,
    "wrong": _WRONG,
}

many_colours = Theme(
    name=MANY_COLOURS,
    primary=_FOCUS,
    secondary="#6cd0ff",
    accent=_FOCUS,
    warning="#ffb454",
    error=_WRONG,
    success=_RIGHT,
    foreground=_FOREGROUND,
    background=_BACKGROUND,
    surface=_BACKGROUND,
    panel="#1a212b",
    dark=True,
    variables=_OWN_VARIABLES
    | {
        "border": _FOCUS,
        "border-blurred": _LINE,
        "block-cursor-background": _FOCUS,
        "block-cursor-foreground": _BACKGROUND,
        "block-cursor-text-style": "bold",
        "input-cursor-background": _FOCUS,
        "input-cursor-foreground": _BACKGROUND,
        "input-selection-background": "#3a4657",
        "screen-selection-background": "#3a4657",
        "screen-selection-foreground": _FOREGROUND,
        "scrollbar": _QUIET,
        "scrollbar-hover": _FOREGROUND,
        "scrollbar-active": _FOREGROUND,
        "scrollbar-background": "#1a212b",
        "scrollbar-background-hover": "#1a212b",
        "scrollbar-background-active": "#1a212b",
        "scrollbar-corner-color": _BACKGROUND,
    },
)

# The terminal's own colours: they hold on any background, which shades picked for 24 bits do not
few_colours = Theme(
    name=FEW_COLOURS,
    ansi=True,
    primary="ansi_default",
    secondary="ansi_default",
    accent="ansi_default",
    warning="ansi_default",
    error="ansi_default",
    success="ansi_default",
    foreground="ansi_default",
    background="ansi_default",
    surface="ansi_default",
    panel="ansi_default",
    boost="ansi_default",
    dark=True,
    variables={
        "ansi-background": "ansi_default",
        "ansi-foreground": "ansi_default",
        "quiet": "ansi_default",
        "line": "ansi_default",
        "focus": "ansi_default",
        "right": "ansi_default",
        "wrong": "ansi_default",
        "border": "ansi_default",
        "border-blurred": "ansi_default",
        "block-cursor-background": "ansi_default",
        "block-cursor-foreground": "ansi_default",
        "block-cursor-text-style": "reverse",
        "input-cursor-background": "ansi_default",
        "input-cursor-foreground": "ansi_default",
        "input-cursor-text-style": "reverse",
        "input-selection-background": "ansi_default",
        "input-selection-foreground": "ansi_default",
        "scrollbar": "ansi_default",
        "scrollbar-hover": "ansi_default",
        "scrollbar-active": "ansi_default",
        "scrollbar-background": "ansi_default",
        "scrollbar-background-hover": "ansi_default",
        "scrollbar-background-active": "ansi_default",
        "footer-key-foreground": "ansi_default",
    },
)


@lru_cache
def role_style(role: Role, few: bool) -> Style:
    """How runs of this role are drawn, over the style of the widget they stand in."""
    look = palette.style(role)
    if few:
        colour = None if look.ansi is None else Color.from_ansi(look.ansi)
        return Style.from_color(colour) + Style(bold=look.bold, underline=look.underline, reverse=look.reverse)
    foreground = None if look.foreground is None else Color.parse(look.foreground)
    background = None if look.background is None else Color.parse(look.background)
    return Style.from_color(foreground, background) + Style(bold=look.bold, underline=look.underline)


class Words:
    """Styles of running text, by what they mean. Meaning is in the words; these only help to find it."""

    def __init__(self, few: bool) -> None:
        self.plain = Style()
        self.strong = Style(bold=True)
        self.emphasis = Style(italic=True) if not few else Style(underline=True)
        self.quiet = Style() if few else Style(color=_QUIET)
        self.line = Style() if few else Style(color=_LINE)
        self.code = Style(color="cyan") if few else Style(color="#9fd8e8")
        self.focus = Style(bold=True) if few else Style(color=_FOCUS, bold=True)
        self.right = Style(color="green", bold=True) if few else Style(color=_RIGHT, bold=True)
        self.wrong = Style(color="red", bold=True) if few else Style(color=_WRONG, bold=True)
        self.here = Style(reverse=True, bold=True) if few else Style(color=_BACKGROUND, bgcolor=_FOCUS, bold=True)


@lru_cache
def words(few: bool) -> Words:
    """The styles of running text with few or many colours."""
    return Words(few)


def markdown_theme(few: bool) -> RichTheme:
    """Rich's names for the parts of Markdown, in the app's styles."""
    style = words(few)
    quiet, strong = style.quiet, style.strong
    return RichTheme(
        {
            "markdown.paragraph": style.plain,
            "markdown.text": style.plain,
            "markdown.code": style.code,
            "markdown.code_block": style.code,
            "markdown.strong": strong,
            "markdown.em": style.emphasis,
            "markdown.emph": style.emphasis,
            "markdown.item.bullet": quiet,
            "markdown.item.number": quiet,
            "markdown.list": style.plain,
            "markdown.item": style.plain,
            "markdown.block_quote": quiet,
            "markdown.hr": quiet,
            "markdown.link": style.plain,
            "markdown.link_url": quiet,
            "markdown.table.border": quiet,
            "markdown.table.header": strong,
            **{f"markdown.h{level}": strong for level in range(1, 8)},
            "markdown.h1.border": quiet,
        }
    )
