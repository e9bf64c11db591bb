"""Where the keys go."""

from __future__ import annotations

from textual.widget import Widget


def take_keys(widget: Widget) -> None:
    """Puts the keys on a widget, and leaves the text around it where it is.

    At once if it is there: Textual's own `focus` waits for a turn of its own, and draws another frame for that.
    """
    if widget.is_mounted:
        widget.screen.set_focus(widget, scroll_visible=False)
    else:
        widget.focus(scroll_visible=False)
