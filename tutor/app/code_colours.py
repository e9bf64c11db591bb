"""How Python looks in the app's own editor: keywords strong, comments quiet, in the colours of the app's theme."""

from __future__ import annotations

from typing import Any

from rich.style import Style
from textual.app import App
from textual.widgets.text_area import TextAreaTheme

from tutor.app.theme import words

NAME = "worldsize"
_STRONG = ("keyword", "keyword.function", "keyword.return", "keyword.operator", "conditional", "repeat", "include")
_VALUES = ("string", "string.documentation", "number", "boolean", "constant.builtin", "float")
_CALLED = ("function", "function.call", "method", "method.call", "function.builtin")


def code_theme(app: App[Any]) -> TextAreaTheme:
    """The theme of a text area that fits the theme that the app has now."""
    style = words(app)
    styles: dict[str, Style] = dict.fromkeys(_STRONG, style.strong)
    styles |= dict.fromkeys(_VALUES, style.code)
    styles |= dict.fromkeys(_CALLED, style.focus)
    styles["comment"] = style.quiet + Style(italic=True)
    return TextAreaTheme(NAME, syntax_styles=styles)
