"""A learner's file that a command names: what is said where it cannot be taken."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tutor.cli.output import BadUsage, NotDone
from tutor.study import Unknown


@contextmanager
def refused_in_a_line(exercise: str | None, doing: str) -> Iterator[None]:
    """Turns what a file is refused for into a line; `exercise` is what --exercise names, `doing` as in "checked".

    Raises BadUsage for a file that cannot be read or is for no exercise, NotDone where the checker fails.
    """
    from tutor.checker import Unreadable
    from tutor.checker.verdict import CouldNotCheck

    try:
        yield
    except Unreadable as error:
        raise BadUsage(str(error)) from None
    except Unknown as error:
        if exercise is not None:
            raise
        raise BadUsage(f"{error} (the file's name says which, or --exercise ID)") from None
    except CouldNotCheck as error:
        raise NotDone(f"could not be {doing}: {error}") from None
