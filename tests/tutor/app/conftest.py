"""A course with a step of every kind, a learner at it, and a way to drive the app without a terminal."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import textual.app
import textual.pilot
from textual._context import active_app
from textual.app import App
from textual.binding import Binding
from textual.command import CommandPalette
from textual.pilot import Pilot
from textual.screen import Screen
from textual.widgets import Input

from tutor.app.main import TutorApp
from tutor.app.profile import Profile
from tutor.app.screens.help import key_rows, own_bindings
from tutor.app.screens.lesson import LessonScreen
from tutor.course.load import load
from tutor.permissions import own_machine
from tutor.progress.store import Store
from tutor.study import Study

_LOOK = 0.004  # seconds


def _at_rest(app: App[Any]) -> bool:
    """Whether nothing is left to be handled or drawn."""
    screen = app.screen
    to_draw = screen._layout_required or screen._repaint_required or screen._scroll_required or screen._dirty_widgets
    if to_draw or screen._callbacks:
        return False
    return not any(pump.message_queue_size or pump._next_callbacks for pump in (app, screen, *screen.walk_children()))


async def _rested(min_sleep: float = 0.02, max_sleep: float = 1) -> None:
    """Waits until the app rests at two looks, one after the other.

    Textual's own waits until the process takes no more of the processor for 20 ms. That is most of what these tests
    would do, and on a busy machine it is no sign of rest.
    """
    quiet, until = 0, time.monotonic() + max_sleep
    while quiet < 2 and time.monotonic() < until:
        await asyncio.sleep(_LOOK)
        quiet = quiet + 1 if _at_rest(active_app.get()) else 0


textual.pilot.wait_for_idle = textual.app.wait_for_idle = _rested  # type: ignore[attr-defined]

COURSE = Path(__file__).parent / "course"
Scenario = Callable[[Pilot[Any]], Awaitable[None]]
Play = Callable[..., None]


@pytest.fixture
def study(tmp_path: Path) -> Iterator[Study]:
    """A learner who has just begun."""
    store = Store(tmp_path / "state" / "progress.db")
    yield Study(load(COURSE), store, tmp_path / "exercises", own_machine())
    store.close()


@pytest.fixture
def play(study: Study) -> Play:
    """Runs a scenario on the app, in a window of 80x24 unless told otherwise."""

    def run(scenario: Scenario, size: tuple[int, int] = (80, 24), profile: Profile | None = None) -> None:
        async def main() -> None:
            app = TutorApp(study, profile or Profile())
            async with app.run_test(size=size, notifications=True) as pilot:
                await pilot.pause()
                await scenario(pilot)

        asyncio.run(main())

    return run


@pytest.fixture
def shown() -> Callable[[App[Any]], str]:
    """What a person sees."""

    def text(app: App[Any]) -> str:
        return "\n".join(strip.text.rstrip() for strip in app.screen._compositor.render_strips())

    return text


@pytest.fixture
def until() -> Callable[..., Awaitable[None]]:
    """Waits until something has become true."""

    async def wait(pilot: Pilot[Any], true: Callable[[], object], patience: int = 400) -> None:
        for _ in range(patience):
            if true():
                return
            await pilot.pause(0.05)
        raise AssertionError("it did not come")

    return wait


@pytest.fixture
def open_step() -> Callable[[Pilot[Any], int], Awaitable[LessonScreen]]:
    """Opens the first lesson at its step `number`, from 1."""

    async def opened(pilot: Pilot[Any], number: int) -> LessonScreen:
        await pilot.press("enter")
        await pilot.pause()
        screen = pilot.app.screen
        assert isinstance(screen, LessonScreen)
        for _ in range(number - 1):
            await screen.action_step(1)
            await pilot.pause()
        return screen

    return opened


@pytest.fixture
def visit() -> Callable[[Pilot[Any], int], Awaitable[Screen[Any]]]:
    """The home screen (0), or a step of the demo lesson with the keys on what is asked there."""

    async def visited(pilot: Pilot[Any], step: int) -> Screen[Any]:
        if step:
            await pilot.press("enter")
            await pilot.pause()
            screen = pilot.app.screen
            await screen.action_step(step - 1 - screen.lesson.steps.index(screen.step))
            screen.view.focus_task()
            await pilot.pause()
        return pilot.app.screen

    return visited


@pytest.fixture
def there(
    visit: Callable[[Pilot[Any], int], Awaitable[Screen[Any]]],
) -> Callable[[Pilot[Any], int | list[str]], Awaitable[Screen[Any]]]:
    """A step, or a screen beside the lessons by the keys that lead there."""

    async def gone(pilot: Pilot[Any], place: int | list[str]) -> Screen[Any]:
        if isinstance(place, int):
            return await visit(pilot, place)
        for key in place:
            await pilot.press(key)
            await pilot.pause()
        return pilot.app.screen

    return gone


@pytest.fixture
def all_listed() -> Callable[[Pilot[Any]], Awaitable[None]]:
    """Checks that every key of the screen has an id, and stands in its help and in the palette, which is left open."""

    async def check(pilot: Pilot[Any]) -> None:
        screen = pilot.app.screen
        ours = [
            (node, binding)
            for node, bindings in screen._binding_chain
            for _, binding in bindings
            if type(node).__module__.startswith("tutor.") and binding in _own_class_bindings(node)
        ]
        assert ours
        for node, binding in ours:
            assert binding.id, f"{binding} of {node} has no id"
            assert binding.description, f"{binding} of {node} says nothing"
        active = [active for _, active in own_bindings(screen)]
        assert {"quit", "help"} <= {each.binding.id.partition(".")[2] for each in active}
        listed = [what for _, what in key_rows(screen)]
        assert len(listed) == len({(id(each.node), each.binding.action) for each in active})
        await pilot.press("ctrl+p")
        await pilot.pause(0.3)
        palette = pilot.app.screen
        assert isinstance(palette, CommandPalette)
        assert not palette.query_one(Input).cursor_blink
        options = palette.query_one("CommandList")
        names = {str(options.get_option_at_index(number).prompt) for number in range(options.option_count)}
        for what in listed:
            if what != "Everything":
                assert any(what in name for name in names), f"{what} is not in the palette"

    return check


def _own_class_bindings(node: object) -> list[Binding]:
    """The bindings that classes of the app declare, and not Textual's own below them."""
    return [
        binding
        for base in type(node).__mro__
        if base.__module__.startswith("tutor.")
        for declared in base.__dict__.get("BINDINGS", [])
        for binding in Binding.make_bindings([declared])
    ]
