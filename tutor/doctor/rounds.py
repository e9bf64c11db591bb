"""Everything that is looked at, in the order in which it is told."""

from __future__ import annotations

from collections.abc import Iterator

from tutor.doctor import host, screen, walls
from tutor.doctor.finding import Finding
from tutor.places import Places


def examine(places: Places) -> Iterator[Finding]:
    """Looks at one thing after another and yields what was found; the walls, which take longest, last."""
    yield host.python()
    yield host.packages()
    yield screen.terminal()
    yield screen.colours()
    yield screen.characters()
    yield host.progress(places)
    yield host.file_system(places)
    yield walls.own_account()
    yield walls.in_a_class()
