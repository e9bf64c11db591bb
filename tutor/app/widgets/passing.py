"""Pictures that pass on the way to another one. A key never waits for them: whatever is drawn next ends them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from textual.timer import Timer
from textual.widget import Widget

from tutor.views.picture import Picture


class Passing:
    """Shows one picture after another, and then what is really there."""

    def __init__(self, widget: Widget, show: Callable[[Picture], None], end: Callable[[], None]) -> None:
        self._widget = widget
        self._show = show
        self._end = end
        self._timer: Timer | None = None
        self._left: Iterator[Picture] = iter(())

    @property
    def going(self) -> bool:
        return self._timer is not None

    def begin(self, pictures: Iterable[Picture], seconds: float) -> bool:
        """Shows each for so many seconds, each made when it is its turn; False where there are none."""
        self.stop()
        self._left = iter(pictures)
        first = next(self._left, None)
        if first is not None:
            self._show(first)
            self._timer = self._widget.set_interval(seconds, self._next)
        return first is not None

    def stop(self) -> None:
        """Lets none of those that are left pass; whoever stops it draws."""
        if self._timer is not None:
            self._timer.stop()
            self._timer = None

    def _next(self) -> None:
        if self._timer is None:
            return  # stopped while this call was on its way
        picture = next(self._left, None)
        if picture is None:
            self.stop()
            self._end()
        else:
            self._show(picture)
