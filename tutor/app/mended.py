"""What Textual 8.2.8 does wrong and this app cannot leave so. The version is pinned; tests say what a mend is for."""

from __future__ import annotations

from functools import lru_cache

from textual._styles_cache import StylesCache
from textual.color import Color
from textual.style import Style
from textual.widget import Widget


@lru_cache(1024)
def _inner_outer(base_background: Color, background: Color) -> tuple[Style, Style]:
    return Style(background=base_background + background), Style(background=base_background)


def mend() -> None:
    """Called once, before the app is made."""
    # Its cache holds, by its `self`, the lines of a thousand widgets that are long gone: tens of MB
    StylesCache.get_inner_outer = staticmethod(_inner_outer)  # type: ignore[method-assign,assignment]


def keep_reverse(widget: type[Widget]) -> None:
    """Lets `text-style: reverse` of this kind of widget's parts be drawn: with 16 colours nothing else marks them."""

    def get_visual_style(self: Widget, *component_classes: str, partial: bool = False) -> Style:
        style = Widget.get_visual_style(self, *component_classes, partial=partial)
        parts = (self.get_component_styles(name).text_style for name in component_classes)
        return style + Style(reverse=True) if any(part.reverse for part in parts) else style

    widget.get_visual_style = get_visual_style  # type: ignore[method-assign]
