"""A learner's run and the engine's, step by step: beside each other where there is room, else one at a time."""

from __future__ import annotations

from rich.text import Text
from textual.app import ComposeResult
from textual.containers import Vertical

from tutor.app.theme import Words, words
from tutor.app.widgets.picture_view import PictureView
from tutor.app.widgets.said import Said
from tutor.views.comparison import Comparison, Side
from tutor.views.picture import Cell, Picture

_SIDES = (Side.DIFFERENCE, Side.YOURS, Side.ENGINE)
_NAMES = {Side.DIFFERENCE: "the difference", Side.YOURS: "yours", Side.ENGINE: "the engine's"}


class ComparedView(Vertical):
    """It has no keys of its own: what it stands in turns its steps and its sides."""

    DEFAULT_CSS = "ComparedView { height: auto; }"

    def __init__(self) -> None:
        super().__init__()
        self.comparison: Comparison | None = None
        self.step = 0
        self.side = Side.DIFFERENCE
        self._keys = ("", "")
        self._drawn_at = 0  # columns
        self._sides = Said(classes="sides")
        self._view = PictureView()
        self._caption = Said(classes="caption")
        self.display = False

    def compose(self) -> ComposeResult:
        yield self._sides
        yield self._view
        yield self._caption

    def show(self, comparison: Comparison | None, keys: tuple[str, str] = ("", "")) -> None:
        """Opens it where the two differ first; None takes it away. `keys` says how to go on, and to the other side."""
        self.comparison = comparison
        self.display = comparison is not None
        self._keys = keys
        if comparison is not None:
            self.step, self.side = comparison.opens_at, comparison.side
            self._draw()

    def turn(self, by: int) -> None:
        """Goes so many steps on."""
        if self.comparison is not None:
            self.step = self.comparison.within(self.step + by)
            self._draw()

    def switch(self) -> None:
        """The other side, or the difference."""
        self.side = _SIDES[(_SIDES.index(self.side) + 1) % len(_SIDES)]
        self._draw()

    def pan(self, columns: int, rows: int) -> None:
        """Moves the part of the picture that is in sight."""
        self._view.pan(columns, rows)

    @property
    def shows_both(self) -> bool:
        """Whether there is room for both, beside each other."""
        return self.comparison is not None and self.comparison.both(self.step).fits(self._columns)

    @property
    def _columns(self) -> int:
        return self.size.width or self.app.size.width

    def on_resize(self) -> None:
        """There may be room for both now, or no more."""
        if self._columns != self._drawn_at:
            self._draw()

    def _draw(self) -> None:
        seen = self.comparison
        if seen is None or not self.is_attached:
            return
        self._drawn_at = self._columns
        style = words(self.app)
        both = self.shows_both
        picture: Picture = seen.both(self.step) if both else seen.picture(self.step, self.side)
        self._view.show(picture)
        named = [self._named(side, style) for side in _SIDES]
        self._sides.say(*([] if both else [named]))
        self._caption.say(
            Text(seen.caption(self.step), style.quiet), Text(", ".join(self._keys[: 1 if both else 2]), style.quiet)
        )
        place = self._first_mark(picture)
        if place is not None:
            self.call_after_refresh(self._view.bring_into_sight, place)

    def _named(self, side: Side, style: Words) -> Text:
        """The name of a side, marked where it is the one in sight."""
        chosen = side is self.side
        return Text(f"[{_NAMES[side]}]" if chosen else f" {_NAMES[side]} ", style.strong if chosen else style.quiet)

    def _first_mark(self, picture: Picture) -> Cell | None:
        """The first cell of the picture that differs, to have it in sight."""
        if self.shows_both:
            return None
        overlay = getattr(picture, "overlay", {})
        return next((place for place in picture.cells() if place in overlay), None) if overlay else None
