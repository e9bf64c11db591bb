"""What holds of all that the app has, on whichever screen: an action has a key, a screen has words for its help."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator

from textual.app import App
from textual.binding import Binding
from textual.dom import DOMNode
from textual.screen import Screen

import tutor.app
from tutor.app.screens.base import TutorScreen
from tutor.app.screens.help import Help


def kinds_of(base: type) -> set[type]:
    """All that the app has of a kind."""
    for module in pkgutil.walk_packages(tutor.app.__path__, "tutor.app."):
        importlib.import_module(module.name)
    return {kind for kind in subclasses(base) if kind.__module__.startswith("tutor.app")}


def subclasses(kind: type) -> Iterator[type]:
    for below in kind.__subclasses__():
        yield below
        yield from subclasses(below)


def test_every_screen_has_words_for_its_help() -> None:
    # What others build on is no screen
    screens = {kind for kind in kinds_of(TutorScreen) - {Help} if not kind.__subclasses__()}
    assert len(screens) > 10
    assert not [kind.__name__ for kind in screens if not getattr(kind, "HELP", "").strip()]


def test_every_action_is_on_a_key() -> None:
    kinds = kinds_of(DOMNode)
    bound = {
        (kind, binding.action.partition("(")[0])
        for kind in kinds
        for declared in kind.__dict__.get("BINDINGS", [])
        for binding in Binding.make_bindings([declared])
    }

    def has_a_key(kind: type, action: str) -> bool:
        # Its own, or that of what it builds on or is built into; or, by name, one of a part of it
        return any(
            (name == action and (issubclass(kind, other) or issubclass(other, kind)))
            or (name == f"screen.{action}" and issubclass(kind, Screen))
            or (name == f"app.{action}" and issubclass(kind, App))
            for other, name in bound
        )

    actions = {(kind, name.removeprefix("action_")) for kind in kinds for name in vars(kind) if "action_" in name[:7]}
    assert len(actions) > 40
    # One takes the place of the way back to a shell, where there is none: test_everywhere.py presses it
    assert {f"{kind.__name__}.{name}" for kind, name in actions if not has_a_key(kind, name)} == {"TutorApp.no_shell"}
