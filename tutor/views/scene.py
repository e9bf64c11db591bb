"""A scene: one engine result with everything that can be seen of it, step by step.

A topic ("all-reduce", "zero", "pipeline") turns parameters into a scene; the app, `show`, plain
mode, live blocks of lessons and the checker's explanations all draw from the same scenes.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tutor.views.picture import Cell, CellValue, Picture


class Scene(ABC):
    """One engine result. Steps count from 0 (the start); a scene without steps has `last_step` 0."""

    last_step: int = 0
    fills: bool = False  # whether the picture, for want of steps, can be watched as it fills

    @abstractmethod
    def picture(self, step: int) -> Picture:
        """The picture after `step` steps."""

    def between(self, step: int) -> Iterable[Picture]:
        """A few pictures that explain how `step` comes from the one before, or how a picture without steps fills.

        All are as large as the step's own. By default there are none.
        """
        return ()

    @abstractmethod
    def caption(self, step: int) -> str:
        """One line that says what this step shows, with its figures ("reduce-scatter 1 of 2: …")."""

    @abstractmethod
    def data(self) -> dict[str, Any]:
        """The JSON of `show` for this topic: plain numbers, strings, lists and dicts."""

    def values(self, name: str) -> list[list[Any]]:
        """What a parameter of kind "values" stands for where it is not given: by default every worker's numbers."""
        rows: dict[Any, list[Any]] = {}
        for place, value in self.cells(0).items():
            if value is not None:
                rows.setdefault(dict(place).get("worker"), []).append(value)
        return list(rows.values())

    def cells(self, step: int) -> Mapping[Cell, CellValue]:
        """The cells of the picture after `step` steps."""
        return self.picture(step).cells()


@dataclass(frozen=True)
class Parameter:
    """A knob of a topic: how it is called on the command line, in a live block and in the app."""

    name: str  # as in a live block and in JSON: "micro_batches"; the flag is --micro-batches
    kind: str  # "whole", "number", "choice", "flag", "values"
    default: Any
    help: str
    least: float | None = None
    most: float | None = None
    choices: tuple[str, ...] = ()
    # The values that an arrow key walks through in the app, where counting by one makes no sense
    ladder: tuple[Any, ...] = ()
    unit: str = ""

    def checked(self, value: Any) -> Any:
        """`value` as the scene's builder takes it: a whole number as an int, a choice that exists, …

        None stands for "not given" where that is the default; values are left to the builder.
        Raises simlib.errors.BadArgument.
        """
        from simlib.errors import BadArgument, one_of, positive_number, whole_number

        if (value is None and self.default is None) or self.kind == "values":
            return value
        match self.kind:
            case "whole":
                most = None if self.most is None else int(self.most)
                return whole_number(self.name, value, 0 if self.least is None else int(self.least), most)
            case "number":
                number = positive_number(self.name, value, zero=self.least == 0)
                if self.most is not None and number > self.most:
                    raise BadArgument(self.name, value, f"a number up to {self.most:g}")
                return number
            case "choice":
                return one_of(self.name, value, self.choices)
            case _:
                if not isinstance(value, bool):
                    raise BadArgument(self.name, value, "true or false")
                return value


@dataclass(frozen=True)
class Topic:
    """What can be shown under one name."""

    name: str
    title: str
    parameters: tuple[Parameter, ...]
    build: Callable[[Mapping[str, Any]], Scene] = field(repr=False)
    # Parameters that say something with some choices alone: name -> (the choice's name, the values it goes with)
    goes_with: Mapping[str, tuple[str, tuple[str, ...]]] = field(default_factory=dict, repr=False)

    def idle(self, given: Mapping[str, Any]) -> frozenset[str]:
        """The parameters that say nothing with the choices in `given`."""
        defaults = {parameter.name: parameter.default for parameter in self.parameters}
        return frozenset(
            name
            for name, (choice, values) in self.goes_with.items()
            if given.get(choice, defaults[choice]) not in values
        )

    def scene(self, given: Mapping[str, Any]) -> Scene:
        """The scene for `given` parameters, defaults for the rest.

        Raises simlib.errors.BadArgument for an unknown name or a value that cannot be shown.
        """
        from simlib.errors import BadArgument

        known = {parameter.name: parameter for parameter in self.parameters}
        for name in given:
            if name not in known:
                raise BadArgument(f"a parameter of {self.name}", name, ", ".join(known))
        checked = {name: of.checked(given[name]) for name, of in known.items() if name in given}
        for name in sorted(self.idle(checked)):
            if name in checked and checked[name] != known[name].default:
                choice = self.goes_with[name][0]
                raise BadArgument(name, given[name], f"none with {choice} {checked.get(choice, known[choice].default)}")
        return self.build({name: checked.get(name, of.default) for name, of in known.items()})
