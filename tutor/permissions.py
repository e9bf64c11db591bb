"""What may be run, written and opened here: one frozen object that every front consults."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Permissions:
    """What this session allows. On one's own machine that is everything."""

    check_files: bool = True  # run a learner's file in the checker
    boxed_checks: bool = False  # checks need a box of bubblewrap's, and are off where there is none
    run: bool = True  # `run`, whose real engines put no walls around a learner's file
    any_file: bool = True  # read and write outside the learner's own folder
    own_course: bool = True  # --course DIR and lint, whose check.py files are programs
    external_editor: bool = True  # $EDITOR and ctrl+z, which are ways to a shell
    reveal: bool = True  # answers and solutions on request


def own_machine() -> Permissions:
    """Everything is allowed: the learner is at home."""
    return Permissions()
