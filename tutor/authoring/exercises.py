"""Checks of exercises by running them: the solution passes, the task does not, nor does any mutant."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from tutor.authoring.problem import Problem
from tutor.course.load import is_shipped
from tutor.course.model import Exercise, Place

LEAST_MUTANTS = 3
TASK, SOLUTION, CHECK, MUTANTS = "task.py", "solution.py", "check.py", "mutants"


def check_exercise(exercise: Exercise, *, run: bool) -> Iterator[Problem]:
    """What is missing of an exercise and, with `run`, what its files do when they are checked."""
    missing = [name for name in (TASK, SOLUTION, CHECK) if not (exercise.folder / name).is_file()]
    for name in missing:
        yield Problem(exercise.place, f"{exercise.id}: no file {_short(exercise.folder / name)}")
    mutants = _mutants(exercise.folder / MUTANTS)
    if len(mutants) < LEAST_MUTANTS:
        asked = f"at least {LEAST_MUTANTS} wrong files that the check must refuse are asked for"
        yield Problem(exercise.place, f"{exercise.id}: {len(mutants)} in {_short(exercise.folder / MUTANTS)}; {asked}")
    if missing or not run:
        return
    yield from _expect(exercise, exercise.folder / SOLUTION, passes=True)
    yield from _expect(exercise, exercise.folder / TASK, passes=False)
    for mutant in mutants:
        yield from _expect(exercise, mutant, passes=False)


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
