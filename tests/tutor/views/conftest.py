"""Pictures to look at, and a reader of their plain text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from tutor.views.picture import Picture
from tutor.views.scene import Scene
from tutor.views.topics import topic

RING_OF_THREE = [[1, 2, 3], [10, 20, 30], [100, 200, 300]]


@pytest.fixture
def ring_of_three() -> Scene:
    return topic("all-reduce").scene({"values": RING_OF_THREE})


@pytest.fixture
def rows_of() -> Callable[..., list[str]]:
    """Every row of a picture as text, without the blanks at its end."""

    def rows(picture: Picture, width: int = 80) -> list[str]:
        return [
            "".join(run.text for run in picture.line(row, width)).rstrip() for row in range(picture.size(width).rows)
        ]

    return rows


@pytest.fixture
def show() -> Callable[..., Picture]:
    """The picture of a topic at a step (default: the last)."""

    def picture(name: str, step: int | None = None, **parameters: Any) -> Picture:
        scene = topic(name).scene(parameters)
        return scene.picture(scene.last_step if step is None else step)

    return picture
