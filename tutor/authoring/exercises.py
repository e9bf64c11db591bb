"""Checks of exercises by running them: the solution passes, the task does not, nor does any mutant."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

from tutor.authoring.problem import Problem
from tutor.course.load import is_shipped
from tutor.course.model import Exercise, Place

LEAST_MUTANTS = 3
TASK, SOLUTION, CHECK, MUTANTS = "task.py", "solution.py", "check.py", "mutants"


def check_exercise(exercise: Exercise) -> Iterator[Problem]:
    """What is missing of an exercise."""
    for name in _missing(exercise):
        yield Problem(exercise.place, f"{exercise.id}: no file {_short(exercise.folder / name)}")
    mutants = _mutants(exercise.folder / MUTANTS)
    if len(mutants) < LEAST_MUTANTS:
        asked = f"at least {LEAST_MUTANTS} wrong files that the check must refuse are asked for"
        yield Problem(exercise.place, f"{exercise.id}: {len(mutants)} in {_short(exercise.folder / MUTANTS)}; {asked}")


def run_exercise(exercise: Exercise, running: Callable[[Path], None]) -> Iterator[Problem]:
    """What the files do when they are checked, `running` told of each before; nothing where one is missing."""
    if _missing(exercise):
        return
    mutants = [(mutant, False) for mutant in _mutants(exercise.folder / MUTANTS)]
    for file, passes in ((exercise.folder / SOLUTION, True), (exercise.folder / TASK, False), *mutants):
        running(file)
        yield from _expect(exercise, file, passes=passes)


def _missing(exercise: Exercise) -> list[str]:
    return [name for name in (TASK, SOLUTION, CHECK) if not (exercise.folder / name).is_file()]


def _mutants(folder: Path) -> list[Path]:
    try:
        return sorted(path for path in folder.iterdir() if path.suffix == ".py" and path.name != "__init__.py")
    except OSError:
        return []


def _expect(exercise: Exercise, file: Path, *, passes: bool) -> Iterator[Problem]:
    from tutor.checker import CouldNotCheck, check_file

    place = Place(file, 1)
    try:
        trusted = is_shipped(exercise.folder.parents[2])
        result = check_file(file, exercise, seed=0, trusted=trusted)
    except (CouldNotCheck, OSError) as error:
        yield Problem(place, f"{exercise.id}: could not be checked: {error}")
        return
    if result.passed and not passes:
        yield Problem(place, f"{exercise.id}: this file passes; a task or mutant must fail")
    if passes and not result.passed:
        failing = next((case for case in result.cases if not case.passed), None)
        reason = result.error.message if result.error else failing.reason if failing else "no case passed"
        yield Problem(place, f"{exercise.id}: the solution fails: {reason}")


def _short(path: Path) -> str:
    return "/".join(path.parts[-3:])
