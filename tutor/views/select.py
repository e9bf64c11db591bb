"""Cells of a scene by a short text: "step=1 worker=1 chunk=0"."""

from __future__ import annotations

from collections.abc import Mapping

from tutor.views.picture import Cell, CellValue
from tutor.views.scene import Scene

_ROWS = ("worker", "rank", "stage", "workers", "bucket", "way", "moment", "gpu", "split", "group", "layout", "of")


def select(scene: Scene, text: str) -> list[tuple[Cell, CellValue]]:
    """The cells that have all the coordinates in `text`, in reading order, with their values.

    A scene with steps needs `step=`. Raises ValueError for text that is no selector or names no step.
    """
    wanted = _coordinates(text)
    step = _step(wanted.pop("step", None), scene)
    cells = scene.cells(step)
    pairs = set(wanted.items())
    # One cell named in full is looked up; the cells of a large grid are too many to go through for it
    exact = tuple(sorted(wanted.items()))
    if exact in cells:
        return [(exact, cells[exact])]
    return [(place, value) for place, value in cells.items() if pairs <= set(place)]


def one(scene: Scene, text: str) -> CellValue:
    """The value of the one cell that `text` selects.

    Raises ValueError that says how many match, and which coordinates there are, unless exactly one does.
    """
    found = select(scene, text)
    if len(found) == 1:
        return found[0][1]
    raise ValueError(f"{text!r} selects {len(found) or 'no'} cells; {_there_are(scene)}")


def table(scene: Scene, text: str) -> list[list[CellValue]]:
    """The values of the cells that `text` selects, in rows of one worker, rank, stage and the like."""
    rows: dict[int | str, list[CellValue]] = {}
    for place, value in select(scene, text):
        at = dict(place)
        rows.setdefault(next(at[name] for name in _ROWS if name in at), []).append(value)
    return list(rows.values())


def _coordinates(text: str) -> dict[str, int | str]:
    """Name and value of each `name=value` in the text.

    >>> _coordinates("stage=1 part=total")
    {'stage': 1, 'part': 'total'}
    """
    coordinates: dict[str, int | str] = {}
    for word in text.split():
        name, equals, value = word.partition("=")
        if not (name.isidentifier() and equals and value) or name in coordinates:
            raise ValueError(f"{text!r} is no selector; accepted: coordinates such as step=1 worker=0 chunk=2")
        coordinates[name] = int(value) if value.isascii() and value.isdigit() and len(value) < 10 else value
    return coordinates


def _step(step: int | str | None, scene: Scene) -> int:
    if step is None and scene.last_step == 0:
        return 0
    if not isinstance(step, int) or step > scene.last_step:
        given = "step is missing" if step is None else f"step is {step}"
        raise ValueError(f"{given}; accepted: a whole number from 0 to {scene.last_step}")
    return step


def _there_are(scene: Scene) -> str:
    """The coordinates of the scene's cells, with the values they take."""
    cells: Mapping[Cell, CellValue] = scene.cells(0)
    values: dict[str, set[int | str]] = {}
    for place in cells:
        for name, value in place:
            values.setdefault(name, set()).add(value)
    said = []
    for name, found in values.items():
        numbers = sorted(value for value in found if isinstance(value, int))
        said.append(
            f"{name}={numbers[0]} to {numbers[-1]}" if numbers else f"{name}=" + "|".join(sorted(map(str, found)))
        )
    if scene.last_step:
        said.insert(0, f"step=0 to {scene.last_step}")
    return "there are " + ", ".join(said)
