"""A live picture's state: its parameters, its step, and the handle that the arrow keys turn."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from simlib.errors import BadArgument
from tutor.units import counted
from tutor.views.picture import Picture
from tutor.views.scene import Parameter, Scene, Topic
from tutor.views.typed_units import in_units, knows, with_unit

STEP = "step"
# What is at hand beside the parameters that a lesson sets, and the word for it where it is not set
AT_HAND = {"workers": "", "values": "", "seed": "none", "params": "", "gpus": "", "stage": "all"} | dict.fromkeys(
    [
        "stages",
        "micro_batches",
        "compare",
        "bytes",
        "keep",
        "model",
        "tokens",
        "bandwidth_factor",
        "layers",
        "cap",
        "prefetch",
    ],
    "",
)
_UNSET = "none"
# How far beyond a value that cannot be shown the next one that can is looked for
_FARTHEST = 32


@dataclass(frozen=True)
class Handle:
    """Something that the arrow keys change: the step, or a parameter of the topic."""

    name: str
    label: str
    text: str  # its value now, as it is shown and as it may be typed
    help: str


class LiveModel:
    """A topic's scene at a step. Bad values raise BadArgument and change nothing."""

    def __init__(self, topic: Topic, parameters: Mapping[str, Any], step: int = 0, *, fixed: bool = False) -> None:
        self.topic = topic
        self.fixed = fixed  # nothing can be turned
        self._lesson = dict(parameters)
        self._lesson_step = step
        self.given: dict[str, Any] = dict(parameters)
        self.scene: Scene = topic.scene(self.given)
        self.step = min(step, self.scene.last_step)
        self._selected = STEP if self.scene.last_step else ""
        self.show_all = False
        self._drawn: tuple[str, Scene, Any] | None = None  # values that were drawn, and of which scene
        self._texts: dict[str, tuple[Any, str]] = {}  # of values, as they are shown

    @property
    def picture(self) -> Picture:
        return self.scene.picture(self.step)

    @property
    def caption(self) -> str:
        return self.scene.caption(self.step)

    @property
    def is_lessons(self) -> bool:
        """Whether the parameters are those of the lesson."""
        return self.given == self._lesson

    @property
    def lesson_step(self) -> int:
        return self._lesson_step

    # Handles

    def handles(self) -> list[Handle]:
        """The handles in the order in which up and down walk through them."""
        found: list[Handle] = []
        if self.fixed:
            return found
        last = self.scene.last_step
        idle = self.topic.idle(self.given)
        if last:
            found.append(Handle(STEP, STEP, f"{self.step} of {last}", "step of the picture, 0 is the start"))
        for parameter in self.topic.parameters:
            if parameter.name not in idle and self._is_at_hand(parameter):
                text = self._text(parameter)
                found.append(Handle(parameter.name, parameter.name.replace("_", "-"), text, parameter.help))
        return found

    @property
    def selected(self) -> Handle | None:
        handles = self.handles()
        return next((handle for handle in handles if handle.name == self._selected), handles[0] if handles else None)

    def select(self, by: int) -> None:
        """Makes the next handle (or the one before) the one that the arrow keys turn."""
        names = [handle.name for handle in self.handles()]
        if names:
            at = names.index(self._selected) if self._selected in names else 0
            self._selected = names[(at + by) % len(names)]

    def choose(self, name: str) -> None:
        """Makes this the handle that is turned."""
        if name not in [handle.name for handle in self.handles()]:
            self.show_all = True  # one that is not at hand
        self._selected = name

    # Changes

    def turn(self, by: int) -> None:
        """Turns the selected handle one place up or down; at its end it stays."""
        handle = self.selected
        if handle is None:
            return
        if handle.name == STEP:
            self.go(self.step + by)
            return
        parameter = self._parameter(handle.name)
        value, first = self._value(parameter), None
        for _ in range(_FARTHEST):
            value = turned(parameter, value, by)
            if value is END:
                break
            try:
                self._set(parameter, value)
            except BadArgument as error:
                # Not every number goes with the others: the next one that does
                first = first or error
            else:
                return
        if first is not None:
            raise first

    def go(self, step: int) -> None:
        """Goes to a step, as far as there are any."""
        self.step = max(0, min(step, self.scene.last_step))

    def type(self, text: str) -> None:
        """Sets the selected handle to what was typed. Raises BadArgument."""
        handle = self.selected
        if handle is not None:
            self.set(handle.name, text)

    def set(self, name: str, text: str) -> None:
        """Sets the step or a parameter to what was typed. Raises BadArgument."""
        if name == STEP:
            first = text.split()[:1]
            if not first or not first[0].isdecimal() or int(first[0][:9]) > self.scene.last_step:
                raise BadArgument(STEP, text, f"a whole number from 0 to {self.scene.last_step}")
            self.go(int(first[0]))
            return
        parameter = self._parameter(name)
        self._set(parameter, read(parameter, text))

    def reset(self) -> None:
        """Back to the lesson's picture."""
        self.given = dict(self._lesson)
        self.scene = self.topic.scene(self.given)
        self.step = min(self._lesson_step, self.scene.last_step)

    def _set(self, parameter: Parameter, value: Any) -> None:
        """Shows the scene with this value."""
        given = self.given | {parameter.name: value}
        # Typed values say how many workers there are, and no seed draws them: the newest wish counts
        values = {other.name for other in self.topic.parameters if other.kind == "values"}
        sizes = (
            {"workers", "length", "seed", "tokens", "hidden"} & {other.name for other in self.topic.parameters}
            if values
            else set()
        )
        for name in sizes if parameter.name in values else values if parameter.name in sizes else ():
            given.pop(name, None)
        for name in self.topic.idle(given):
            given.pop(name, None)
        scene = self.topic.scene(given)
        self.given, self.scene = given, scene
        self.step = min(self.step, scene.last_step)

    # Parameters

    def _parameter(self, name: str) -> Parameter:
        return next(parameter for parameter in self.topic.parameters if parameter.name == name)

    def _value(self, parameter: Parameter) -> Any:
        """What the picture shows, where the parameter is not given."""
        given = self.given.get(parameter.name, parameter.default)
        values = next((self.given[other.name] for other in self.topic.parameters if self._typed(other)), None)
        if parameter.name == "workers" and values is not None:
            return len(values)
        if parameter.kind == "values" and given is None:
            return self._drawn_values(parameter.name)
        return given

    def _text(self, parameter: Parameter) -> str:
        """What a handle shows; thousands of values are written out once."""
        value = self._value(parameter)
        if parameter.kind != "values":
            return shown(parameter, value)
        before = self._texts.get(parameter.name)
        if before is None or before[0] is not value:
            before = self._texts[parameter.name] = (value, shown(parameter, value))
        return before[1]

    def _drawn_values(self, name: str) -> Any:
        """The scene's own values: every handle asks for them at every key, and they stay while the scene does."""
        if self._drawn is None or self._drawn[0] != name or self._drawn[1] is not self.scene:
            self._drawn = (name, self.scene, self.scene.values(name))
        return self._drawn[2]

    def _typed(self, parameter: Parameter) -> bool:
        return parameter.kind == "values" and self.given.get(parameter.name) is not None

    def _is_at_hand(self, parameter: Parameter) -> bool:
        if parameter.kind == "choice" and len(parameter.choices) < 2:
            return False
        if self.show_all or parameter.name in self._lesson:
            return True
        # What is not set and has no word for that says nothing
        return parameter.name in AT_HAND and (AT_HAND[parameter.name] != "" or self._value(parameter) is not None)


class _End:
    """There is no further value."""


END = _End()


def turned(parameter: Parameter, value: Any, by: int) -> Any:
    """The value one place up or down from `value`, or END.

    A parameter that need not be given has that as its lowest place.
    """
    if parameter.kind == "flag":
        return not value
    if parameter.kind == "choice":
        places = parameter.choices
        return places[((places.index(value) if value in places else 0) + by) % len(places)]
    if parameter.kind not in ("whole", "number"):
        return END
    optional = parameter.default is None
    if value is None:
        if by < 0:
            return END
        return parameter.ladder[0] if parameter.ladder else _number_of(parameter, parameter.least or 0)
    if parameter.ladder:
        # A typed value need not be on the ladder: the next rung above or below it
        beyond = [rung for rung in parameter.ladder if (rung > value if by > 0 else rung < value)]
        if beyond:
            return min(beyond) if by > 0 else max(beyond)
        return None if optional and by < 0 else END
    moved = value + by
    if parameter.least is not None and moved < parameter.least:
        return None if optional else END
    if parameter.most is not None and moved > parameter.most:
        return END
    return moved


def _number_of(parameter: Parameter, value: float) -> int | float:
    return int(value) if parameter.kind == "whole" else value


def shown(parameter: Parameter, value: Any) -> str:
    """A value as it is shown, and as it can be typed again."""
    if value is None:
        return AT_HAND.get(parameter.name) or _UNSET
    if parameter.kind == "flag":
        return "yes" if value else "no"
    if parameter.kind == "values":
        return "; ".join(" ".join(_number(item) for item in row) for row in value)
    if parameter.kind in ("whole", "number"):
        return with_unit(value, parameter.unit) if knows(parameter.unit) else _number(value)
    return str(value)


def _number(value: Any) -> str:
    """A number as short as it can be without losing anything: 7e9, 1.3e9, 1000, 0.5.

    >>> _number(7_000_000_000), _number(350_000_000), _number(26_214_400), _number(0.5), _number(8.0)
    ('7e9', '350e6', '26214400', '0.5', '8')
    """
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        value = int(value)
    if isinstance(value, int):
        for power in (12, 9, 6):
            scaled = f"{value / 10**power:g}"
            short = f"{scaled}e{power}"
            exact = "e" not in scaled and float(scaled) * 10**power == value
            if abs(value) >= 10**power and exact and len(short) < len(str(value)):
                return short
        return str(value)
    return f"{value:.10g}" if isinstance(value, float) else str(value)


def read(parameter: Parameter, text: str) -> Any:
    """The value that was typed for `parameter`. Raises BadArgument for text that is none."""
    text = text.strip()
    if parameter.default is None and parameter.kind != "values" and text in ("", AT_HAND.get(parameter.name), _UNSET):
        return None
    if parameter.kind == "values":
        return _rows(parameter.name, text)
    if parameter.kind == "flag":
        if text.lower() not in ("yes", "no", "on", "off", "true", "false"):
            raise BadArgument(parameter.name, text, "yes or no")
        return text.lower() in ("yes", "on", "true")
    if parameter.kind in ("whole", "number"):
        sized = in_units(text, parameter.unit) if knows(parameter.unit) else None
        return _typed_number(parameter, text) if sized is None else sized
    return text


def _typed_number(parameter: Parameter, text: str) -> int | float:
    examples = {"B": "a size, as in 25 MiB or 7e9", "B/s": "a speed, as in 50 GB/s", "s": "a time, as in 10 ms or 0.5"}
    whole = parameter.kind == "whole"
    number = "a whole number, as in 8, 7e9 or 7B" if whole else "a number, as in 0.5 or 7e9"
    return _plain_number(parameter.name, text, examples.get(parameter.unit, number), whole=whole)


def _plain_number(name: str, text: str, accepted: str, *, whole: bool = False) -> int | float:
    try:
        value = counted(text) or (float(text.replace(",", "").replace("_", "")) if len(text) < 40 else float("nan"))
    except ValueError:
        value = float("nan")
    if value != value or value in (float("inf"), float("-inf")) or (whole and not value.is_integer()):
        raise BadArgument(name, text, accepted)
    return int(value) if value.is_integer() else value


def _rows(name: str, text: str) -> list[list[int | float]]:
    """Rows such as `1 2 3; 10 20 30` or `[[1, 2, 3], [10, 20, 30]]`."""
    accepted = "a row for each worker, as in 1 2 3; 10 20 30"
    if text.startswith("["):
        try:
            rows = json.loads(text)
        except (ValueError, RecursionError):
            raise BadArgument(name, text, accepted) from None
        return rows  # type: ignore[no-any-return]  # the topic checks what is in it
    lines = [line.replace(",", " ").split() for line in text.split(";") if line.strip()]
    if not lines:
        raise BadArgument(name, text, accepted)
    number = "a number, as in 0.5 or 7e9"
    return [[_plain_number(name, item, number) for item in line] for line in lines]
