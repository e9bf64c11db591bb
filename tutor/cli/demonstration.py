"""`show TOPIC --animate`: the steps of a picture on the whole terminal, for whoever shows them to others."""

from __future__ import annotations

import re
import textwrap
import time
from collections.abc import Sequence
from dataclasses import dataclass

from tutor.cli.drawing import Drawing
from tutor.cli.output import RIGHT, BadUsage, colours
from tutor.printing import written
from tutor.views.scene import Scene

PACE = 1.0  # seconds for each step while it plays
_NARROWEST = 20  # columns; on fewer, a picture is cut
_HIGH, _LOW = 12, 5  # rows from which there is room for a caption above a picture, and for its first line
_STEP, _SCROLL, _PLAY, _QUIT = "←→ step", "↑↓ scroll", "space plays", "q quits"
_COLOUR = re.compile(r"(\x1b\[[0-9;]*m)")


@dataclass
class Demonstration:
    """Which step is shown, how far it is scrolled, and whether it plays. It knows no terminal."""

    title: str
    scene: Scene
    steps: Sequence[int]
    drawing: Drawing
    width: int | None = None  # columns for the picture, where they are not the terminal's
    at: int = 0
    top: int = 0
    playing: bool = False
    ended: bool = False
    _hidden: int = 0  # rows of the picture below those that are shown

    def press(self, key: str) -> None:
        """What a key does. A key that does nothing here is no mistake."""
        last = len(self.steps) - 1
        match key:
            case "right" | "page down" | "enter" | "n":
                self._go(self.at + 1)
            case "left" | "page up" | "backspace" | "p":
                self._go(self.at - 1)
            case "home":
                self._go(0)
            case "end":
                self._go(last)
            case "down":
                self.top += self._hidden > 0
            case "up":
                self.top = max(0, self.top - 1)
            case "space":
                self.playing = not self.playing and last > 0
                if self.playing and self.at == last:
                    self.at = 0
            case "q" | "escape":
                self.ended = True

    def tick(self) -> None:
        """The next step, while it plays; at the last one it stops."""
        if self.playing:
            self.at = min(self.at + 1, len(self.steps) - 1)
            self.playing = self.at < len(self.steps) - 1

    def _go(self, step: int) -> None:
        self.playing = False
        self.at = max(0, min(step, len(self.steps) - 1))

    def frame(self, columns: int, rows: int) -> list[str]:
        """The screen of `columns` x `rows`: heads, as much of the picture as there is room for, the keys.

        Lines hold no control characters but colours, and none is longer than the screen is wide.
        """
        step = self.steps[self.at]
        wide = max(_NARROWEST, columns)
        title, caption = self._heads(step, wide)
        body = self.drawing.text(self.scene.picture(step), self.width or wide).split("\n")
        room = max(0, rows - 1)
        head = [*title, *caption, ""]
        if len(head) + len(body) > room:
            # The picture has to be scrolled: more of it, and less above it
            head = caption if room >= _HIGH else caption[:1] if room >= _LOW else []
        room -= len(head)
        self.top = max(0, min(self.top, len(body) - room))
        self._hidden = max(0, len(body) - room - self.top)
        shown = body[self.top : self.top + room]
        empty = [""] * (room - len(shown))
        foot = self._foot(columns, self._hidden > 0 or self.top > 0)
        return [clipped(line, columns) for line in (*head, *shown, *empty, foot)]

    def _heads(self, step: int, columns: int) -> tuple[list[str], list[str]]:
        """The title and the caption, wrapped to the screen, in the signs that it has."""
        title, caption = (
            textwrap.wrap(self.drawing.signs(words), columns) for words in (self.title, self.scene.caption(step))
        )
        return title if colours() == "none" else [f"\x1b[1m{line}\x1b[0m" for line in title], caption

    def _foot(self, columns: int, scrolls: bool) -> str:
        """Where it stands, and the keys that do something; what there is no room for stays out, leaving last."""
        parts = [_SCROLL] if scrolls else []
        if len(self.steps) > 1:
            playing = ", playing" if self.playing else ""
            parts = [f"step {self.steps[self.at]} of {self.steps[-1]}{playing}", _STEP, *parts, _PLAY]
        if self.drawing.ascii_only:
            parts = [part.replace("←→", "left/right").replace("↑↓", "up/down") for part in parts]
        parts.append(_QUIT)
        while len(parts) > 1 and len("   ".join(parts)) > columns:
            del parts[-2]
        return written("   ".join(parts))


def clipped(line: str, columns: int) -> str:
    """The first `columns` signs of a line, with all of its colours.

    >>> clipped("\\x1b[1mabc\\x1b[0mdef", 2)
    '\\x1b[1mab\\x1b[0m'
    """
    out, room = "", columns
    for piece in _COLOUR.split(line):
        if _COLOUR.fullmatch(piece):
            out += piece
        else:
            out += piece[:room]
            room -= len(piece[:room])
    return out


def demonstrate(title: str, scene: Scene, steps: Sequence[int], drawing: Drawing, fixed_width: bool) -> int:
    """Shows the steps on the whole terminal until q; the terminal is left as it was, however it ends.

    Raises BadUsage where there is no terminal that can do it.
    """
    from tutor.cli.full_screen import FullScreen, why_not

    reason = why_not()
    if reason is not None:
        raise BadUsage(f"--animate needs {reason}; without it the steps are printed one below the other")
    shown = Demonstration(title, scene, steps, drawing, drawing.columns if fixed_width else None)
    with FullScreen() as screen:
        due = 0.0
        while not shown.ended:
            screen.draw(shown.frame(screen.columns, screen.rows))
            wait = max(0.0, due - time.monotonic()) if shown.playing else None
            keys = screen.keys(wait)
            for key in keys:
                was = shown.playing
                shown.press(key)
                if shown.playing and not was:
                    due = time.monotonic() + PACE
            if shown.playing and time.monotonic() >= due:
                shown.tick()
                due = time.monotonic() + PACE
    return RIGHT
