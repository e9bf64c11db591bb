"""A difference that the checker found, drawn in the picture that it belongs to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from simlib.errors import BadArgument
from tutor.views import result_scene, waiting_scene
from tutor.views.comparison import Comparison
from tutor.views.picture import Cell, Mark, Picture, Role, cell
from tutor.views.scene import Scene
from tutor.views.topics import topic

if TYPE_CHECKING:
    from simlib.pipeline import Schedule


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


def comparison(of: Mapping[str, Any]) -> Comparison | None:
    """The learner's run beside the engine's, where `of` has it under "own"; None where it has not, or not in its form.

    "own" is {"states": […]}, every worker's array after step 1, 2, …, None for a step that is not known; or
    {"orders": […]}, the operations of each rank, and perhaps "caps": false where what they hold is not looked at.
    """
    own = of.get("own")
    if not isinstance(own, Mapping):
        return None
    try:
        scene = scene_of(of)
        if "states" in own:
            from tutor.views.collectives import CollectiveScene
            from tutor.views.compared_states import ComparedStates

            return ComparedStates(scene, own["states"], of["step"]) if isinstance(scene, CollectiveScene) else None
        from tutor.views.compared_orders import ComparedOrders

        timed = _schedule(scene)
        return None if timed is None else ComparedOrders(timed, own["orders"], bool(own.get("caps", True)))
    except (BadArgument, ValueError, LookupError, TypeError):
        return None


def scene_of(of: Mapping[str, Any]) -> Scene:
    """The scene of a picture: of the topic that it names, or what no topic shows: a result, who waits for whom."""
    if of["topic"] == result_scene.TOPIC:
        return result_scene.build(of["parameters"])
    if of["topic"] == waiting_scene.TOPIC:
        return waiting_scene.build(of["parameters"])
    return topic(of["topic"]).scene(of.get("parameters", {}))


def _schedule(scene: Scene) -> Schedule | None:
    """The schedule that a scene draws, the first of several."""
    from tutor.views.pipeline_scene import PipelineScene
    from tutor.views.schedules_scene import SchedulesScene

    if isinstance(scene, PipelineScene):
        return scene.schedule
    return scene.schedules[0] if isinstance(scene, SchedulesScene) else None


def _yours(picture: Picture, place: Cell, value: Any) -> str:
    """The learner's value as the picture writes such values, in full where it would read like the engine's."""
    text = picture.written(place, value)
    return str(value) if text == picture.written(place, picture.cells().get(place)) else text
