"""How the app looks: themes for many colours, dark and light, one for few, and what the roles of pictures become."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal

from rich.color import Color
from rich.style import Style
from rich.text import Text
from rich.theme import Theme as RichTheme
from textual.app import App
from textual.theme import Theme

from tutor.views import palette
from tutor.views.picture import Role

MANY_COLOURS, LIGHT, FEW_COLOURS = "worldsize", "worldsize-light", "worldsize-16"

Look = Literal["dark", "light", "few"]


@dataclass(frozen=True)
class _Colours:
    """What a theme of our own is made of."""

    background: str
    foreground: str
    panel: str
    quiet: str
    line: str
    focus: str
    right: str
    wrong: str
    code: str
    secondary: str
    warning: str
    selection: str

    @property
    def own(self) -> dict[str, str]:
        """What the stylesheets call the colours that Textual's own names do not cover."""
        names = ("quiet", "line", "focus", "right", "wrong")
        return {name: getattr(self, name) for name in names}


_COLOURS = {
    "dark": _Colours(
        background=palette.PAGE["dark"],
        foreground="#dfe5ee",
        panel="#1a212b",
        quiet="#93a0b0",
        line="#4b5666",
        focus="#ffe08a",
        right="#7ddc8f",
        wrong="#ff7b72",
        code="#9fd8e8",
        secondary="#6cd0ff",
        warning="#ffb454",
        selection="#3a4657",
    ),
    "light": _Colours(
        background=palette.PAGE["light"],
        foreground="#1c2430",
        panel="#eef1f5",
        quiet="#56626f",
        line="#aab4c0",
        focus="#7a4f00",
        right="#1a6b2d",
        wrong="#b3161b",
        code="#00566e",
        secondary="#00629b",
        warning="#9a4b00",
        selection="#c9d6e8",
    ),
}


def _theme(name: str, look: Literal["dark", "light"]) -> Theme:
    colours = _COLOURS[look]
    return Theme(
        name=name,
        primary=colours.focus,
        secondary=colours.secondary,
        accent=colours.focus,
        warning=colours.warning,
        error=colours.wrong,
        success=colours.right,
        foreground=colours.foreground,
        background=colours.background,
        surface=colours.background,
        panel=colours.panel,
        dark=look == "dark",
        variables=colours.own
        | {
            "border": colours.focus,
            "border-blurred": colours.line,
            "block-cursor-background": colours.focus,
            "block-cursor-foreground": colours.background,
            "block-cursor-text-style": "bold",
            "input-cursor-background": colours.focus,
            "input-cursor-foreground": colours.background,
            "input-selection-background": colours.selection,
            "screen-selection-background": colours.selection,
            "screen-selection-foreground": colours.foreground,
            "scrollbar": colours.quiet,
            "scrollbar-hover": colours.foreground,
            "scrollbar-active": colours.foreground,
            "scrollbar-background": colours.panel,
            "scrollbar-background-hover": colours.panel,
            "scrollbar-background-active": colours.panel,
            "scrollbar-corner-color": colours.background,
        },
    )


many_colours = _theme(MANY_COLOURS, "dark")
light_colours = _theme(LIGHT, "light")

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


def look_of(app: App[Any]) -> Look:
    """How our own colours have to be for the theme that the app has now."""
    theme = app.current_theme
    return "few" if theme.ansi else "dark" if theme.dark else "light"


def own_variables(dark: bool) -> dict[str, str]:
    """The stylesheets' own colours, for a theme that does not have them."""
    return _COLOURS["dark" if dark else "light"].own


@lru_cache
def role_style(role: Role, look: Look) -> Style:
    """How runs of this role are drawn, over the style of the widget or text they stand in, which keeps what it has."""
    own = palette.style(role, "dark" if look == "few" else look)
    attributes = Style(bold=own.bold or None, underline=own.underline or None)
    if look == "few":
        colour = None if own.ansi is None else Color.from_ansi(own.ansi)
        return Style.from_color(colour) + attributes + Style(reverse=own.reverse or None)
    foreground = None if own.foreground is None else Color.parse(own.foreground)
    background = None if own.background is None else Color.parse(own.background)
    return Style.from_color(foreground, background) + attributes


class Words:
    """Styles of running text, by what they mean. Meaning is in the words; these only help to find it."""

    def __init__(self, look: Look) -> None:
        self._look = look
        self.plain = Style()
        self.strong = Style(bold=True)
        if look == "few":
            self.emphasis = Style(underline=True)
            self.quiet = self.line = Style()
            self.code = Style(color="cyan")
            self.focus = Style(bold=True)
            self.right = Style(color="green", bold=True)
            self.wrong = Style(color="red", bold=True)
            self.here = Style(reverse=True, bold=True)
            return
        colours = _COLOURS[look]
        self.emphasis = Style(italic=True)
        self.quiet = Style(color=colours.quiet)
        self.line = Style(color=colours.line)
        self.code = Style(color=colours.code)
        self.focus = Style(color=colours.focus, bold=True)
        self.right = Style(color=colours.right, bold=True)
        self.wrong = Style(color=colours.wrong, bold=True)
        self.here = Style(color=colours.background, bgcolor=colours.focus, bold=True)

    def of_ranks(self, text: str) -> Text:
        """The text with the ranks that it names in the colours that they have in pictures."""
        from tutor.views.heads import coloured

        found = Text()
        for run in coloured(text):
            found.append(run.text, None if run.role is Role.PLAIN else role_style(run.role, self._look))
        return found


_words = lru_cache(Words)


def words(app: App[Any]) -> Words:
    """The styles of running text in the theme that the app has now."""
    return _words(look_of(app))


def markdown_theme(look: Look) -> RichTheme:
    """Rich's names for the parts of Markdown, in the app's styles."""
    style = _words(look)
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
