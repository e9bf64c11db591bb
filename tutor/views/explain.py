"""A difference that the checker found, drawn in the picture that it belongs to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tutor.views.figures import number
from tutor.views.picture import Cell, Mark, Picture, Role, cell
from tutor.views.topics import topic


@dataclass(frozen=True)
class Explained:
    """A picture with the difference marked, and the line above it."""

    picture: Picture
    caption: str


def explained(of: Mapping[str, Any]) -> Explained:
    """The picture of `of`: {"topic", "parameters", "step", "cell", "yours"}, as in `tutor.checker.verdict.Case`.

    `cell` is a dict of coordinates, or a cell; `yours` the learner's value in it, None where there is none.
    Raises simlib.errors.BadArgument for a topic or parameters that do not exist.
    """
    scene = topic(of["topic"]).scene(of.get("parameters", {}))
    step = min(max(0, int(of.get("step", 0))), scene.last_step)
    place = of.get("cell")
    overlay = {} if place is None else {_cell(place): Mark(Role.DIFFERENCE, _text(of.get("yours")))}
    return Explained(scene.picture(step).marked(overlay), scene.caption(step))


def _cell(place: Mapping[str, Any] | Cell) -> Cell:
    return cell(**dict(place))


def _text(value: Any) -> str:
    if value is None:
        return ""
    return number(value) if isinstance(value, (int, float)) and not isinstance(value, bool) else str(value)
