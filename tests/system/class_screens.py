"""What one learner of a class does on a terminal, for its tests."""

from __future__ import annotations

from typing import Any

from class_records import judged

CLEAR = "\x15"


def come_back(app: Any, step: str) -> None:
    """From the home screen to the step where the learner was, `15/17` say."""
    app.wait_for("Continue")
    app.press("enter")
    app.wait_for(step)


def answer_first(app: Any) -> None:
    """Answers the question of the course's first step, rightly or not."""
    app.go_on("F3 reveal")
    app.press("1", "enter")
    app.until(lambda: any(word in app.text for word in ("Right.", "Not right", "Not quite")), "a verdict")


def answer(app: Any, number: int) -> None:
    """Answers the question that has the keys, in place of what is half typed, and waits for the verdict."""
    app.press(CLEAR, str(number), "enter")
    app.wait_for(judged(number))
