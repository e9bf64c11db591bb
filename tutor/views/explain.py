"""A difference that the checker found, drawn in the picture that it belongs to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tutor.views import result_scene
from tutor.views.picture import Cell, Mark, Picture, Role, cell
from tutor.views.scene import Scene
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
    scene = scene_of(of)
    step = min(max(0, int(of.get("step", 0))), scene.last_step)
    picture = scene.picture(step)
    if of.get("cell") is not None:
        place = cell(**dict(of["cell"]))
        picture = picture.marked({place: Mark(Role.DIFFERENCE, _yours(picture, place, of.get("yours")))})
    return Explained(picture, scene.caption(step))


def scene_of(of: Mapping[str, Any]) -> Scene:
    """The scene of a picture: of the topic that it names, or the numbers of a result that no topic shows."""
    if of["topic"] == result_scene.TOPIC:
        return result_scene.build(of["parameters"])
    return topic(of["topic"]).scene(of.get("parameters", {}))


def _yours(picture: Picture, place: Cell, value: Any) -> str:
    """The learner's value as the picture writes such values, in full where it would read like the engine's."""
    text = picture.written(place, value)
    return str(value) if text == picture.written(place, picture.cells().get(place)) else text
