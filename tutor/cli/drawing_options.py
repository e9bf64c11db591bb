"""The options of `show` and `plan`, apart from what draws: `--help` names them, and waits for no picture."""

from __future__ import annotations

from collections.abc import Mapping

# The options of a drawing: name -> (what follows it, what it does)
OPTIONS: Mapping[str, tuple[str, str]] = {
    "width": ("N", "columns to fill (the terminal's, or 80)"),
    "ascii": ("", "ASCII signs only"),
    "light": ("", "colours for a light background"),
    "svg": ("FILE", "write the picture (the last step shown) to FILE as an SVG"),
}
