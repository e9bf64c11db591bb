"""What one learner of a class does on a terminal, for its tests."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

from class_records import judged
from terminal import PATIENCE

CLEAR = "\x15"
_QUIET_SECONDS = 0.5
_MOST_ENTERS = 12


def until(app: Any, there: Callable[[], bool], what: str) -> None:
    """Reads until this holds."""
    end = time.monotonic() + PATIENCE
    while not there():
        app.read()
        assert time.monotonic() < end, f"{what} did not come; on the screen:\n{app.text}"


def come_back(app: Any, step: str) -> None:
    """From the home screen to the step where the learner was, `15/17` say."""
    app.wait_for("Continue")
    app.press("enter")
    app.wait_for(step)


def go_on(keys: str, app: Any) -> None:
    """Presses Enter until the row of keys says this."""
    for _ in range(_MOST_ENTERS):
        quiet(app)
        if keys in app.text.splitlines()[-1]:
            return
        before = app.text
        app.press("enter")
        until(app, lambda before=before: app.text != before, "another frame")
    raise AssertionError(f"{keys!r} did not come; on the screen:\n{app.text}")


def quiet(app: Any) -> None:
    """Reads until nothing has come for a while."""
    while app.read(_QUIET_SECONDS):
        pass


def answer_first(app: Any) -> None:
    """Answers the question of the course's first step, rightly or not."""
    go_on("F3 reveal", app)
    app.press("1", "enter")
    until(app, lambda: any(word in app.text for word in ("Right.", "Not right", "Not quite")), "a verdict")


def answer(app: Any, number: int) -> None:
    """Answers the question that has the keys, in place of what is half typed, and waits for the verdict."""
    app.press(CLEAR, str(number), "enter")
    app.wait_for(judged(number))
