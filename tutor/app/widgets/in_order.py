"""Keys in the order in which they were pressed.

Textual hands a printable key to the focused widget, and every other key on to the app, which looks for
a binding: a widget that takes both would see `1 → 2` as `12 →` when the keys arrive together, as they
do over a slow line. These widgets run their own bindings when the key reaches them.
"""

from __future__ import annotations

from textual import events
from textual.widget import Widget


async def run_own_binding(widget: Widget, event: events.Key) -> bool:
    """Runs what the widget itself binds to this key; False where that is nothing, or nothing now."""
    for binding in widget._bindings.key_to_bindings.get(event.key, ()):
        if await widget.app.run_action(binding.action, widget):
            event.stop()
            event.prevent_default()
            return True
    return False
