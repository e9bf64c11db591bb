"""An exercise's own check: its check.py, which alone knows what is right. It never runs in the learner's process.

That of the course that comes with the tutor runs here, that of any other course in a process of its own (`apart`).

A check.py holds

cases(seed)              yields (name, arguments, limits): from the simplest to the hardest; limits is None or a
                         dict of limits to raise (see `Limits`)
expected(arguments)      what the function returns for them when it is right
explain(arguments, expected, got, difference)    optional: says more of a result that is wrong, as a dict with
                         "reason" and perhaps "kind", "first_difference" and "picture" (what is not given is the
                         comparison's own); it makes nothing right. "path" leads to the first difference from the
                         result, as in (1, 0) for result[1][0], where it is not the comparison's: the expected numbers
                         and the learner's are drawn around it, unless there is a "picture". Where the learner's whole
                         run is known, the picture has it under "own", and both can be gone through step by step: see
                         `tutor.views.explain.comparison`
compare(arguments, expected, got)                optional: decides in place of the comparison of values, where
                         several results are right; None or such a dict
held(arguments, expected, got)                   optional: the most that is held, where the exercise is about memory:
                         {"what": "weights", "yours": […], "engine": […]}, an entry for each worker; None where a
                         result does not say it
called(path)             optional: what the array at this path of the result is called, in the picture
tolerance, floats_for_ints                       optional: how values are compared
arguments_may_change     optional: True where the function is asked to work in place

The function of an exercise whose id ends in `_worker` (or whose check.py says `worker_program = True`) is a program
that one worker runs, `program(worker, …)`. Its arguments hold `world_size`, and under each other name a list with
one entry for each worker; expected(arguments) is the list of what the workers return. Such a check.py may also hold

collectives              the names of the collectives that the program may call; by default none
bill(arguments)          what it need cost: {"bytes_sent": […], "messages_sent": […]}, an entry for each worker, and
                         perhaps "steps", how many one after another; None where that is not judged
most_bytes               how many times that the busiest worker may send and still pass; by default it passes anyhow
explain_bill(arguments, engine, yours)    why a program sends too much, in a sentence; or None
sized(seed, workers, length)    arguments for so many workers and about so many numbers each, for `run`
"""

from __future__ import annotations

import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from tutor.checker import drawn
from tutor.checker.apart import Apart, CheckFailed
from tutor.checker.compare import Mismatch, Rules, first_difference, where
from tutor.checker.inside import frames
from tutor.checker.verdict import ERROR_KINDS, Case, CouldNotCheck, Difference
from tutor.course.model import Exercise
from tutor.safe_text import visible

BILLED = ("bytes_sent", "messages_sent")


@dataclass(frozen=True)
class Trial:
    """One case: a name, the arguments by name, and the limits it asks for."""

    name: str
    arguments: dict[str, Any]
    limits: dict[str, float] | None


@dataclass(frozen=True)
class Judged:
    """A compared case, and the error kind of a result that could not be compared value by value."""

    case: Case
    kind: str | None = None


class Definition:
    """The loaded check.py of one exercise. Every way in raises CouldNotCheck when it fails."""

    def __init__(self, exercise: Exercise, *, trusted: bool = True) -> None:
        self.exercise = exercise
        self._path = exercise.folder / "check.py"
        with self._own_failure("loading it"):
            self._file = Here(self._path, exercise.id) if trusted else Apart(self._path, f"check_of_{exercise.id}")
            cases, expected = self._file.function("cases"), self._file.function("expected")
            if cases is None or expected is None:
                self._file.end()
                raise AttributeError(f"it has no function {'cases' if cases is None else 'expected'}")
        self._cases, self._expected = cases, expected
        self._explain, self._compare = self._file.function("explain"), self._file.function("compare")
        self._bill, self._explain_bill = self._file.function("bill"), self._file.function("explain_bill")
        self._held = self._file.function("held")
        self._sized = self._file.function("sized")
        constant = self._file.constant
        self._rules = Rules(constant("tolerance"), bool(constant("floats_for_ints", False)))
        self._arguments_may_change = bool(constant("arguments_may_change", False))
        self.worker_program = bool(constant("worker_program", exercise.id.endswith("_worker")))
        self._called = self._file.function("called") or (_of_worker if self.worker_program else None)
        self.collectives: tuple[str, ...] = tuple(constant("collectives", ()))
        self.most_bytes: float | None = constant("most_bytes")

    def end(self) -> None:
        """Ends what the check.py runs in, where that is a process of its own."""
        self._file.end()

    def trials(self, seed: int) -> list[Trial]:
        """The cases for `seed`; at least one."""
        with self._own_failure("making cases"):
            trials = [Trial(name, dict(arguments), limits) for name, arguments, limits in self._cases(seed)]
            if not trials:
                raise ValueError("it made no case")
            if len({trial.name for trial in trials}) < len(trials):
                raise ValueError("two cases have the same name")
        return trials

    @property
    def has_sizes(self) -> bool:
        """Whether arguments can be made for any number of workers."""
        return self._sized is not None

    def sized(self, seed: int, workers: int, length: int) -> dict[str, Any]:
        """Arguments for so many workers, and about `length` numbers each. Call it where `has_sizes`."""
        with self._own_failure(f"making arguments for {workers} workers"):
            assert self._sized is not None
            return dict(self._sized(seed, workers, length))

    def expected(self, trial: Trial) -> Any:
        """The right result, as it looks after a journey in a frame."""
        with self._own_failure(f"solving {trial.name}"):
            return _travelled(self._expected(_travelled(trial.arguments)))

    def bill(self, trial: Trial) -> dict[str, list[int]] | None:
        """What the engine's workers send for these arguments; None where that is not judged."""
        if self._bill is None:
            return None
        with self._own_failure(f"billing {trial.name}"):
            bill = self._bill(_travelled(trial.arguments))
            if bill is None:
                return None
            return {what: [int(n) for n in bill[what]] for what in BILLED}

    def steps(self, trial: Trial) -> int | None:
        """How many steps the engine's workers take one after another; None where that is not said."""
        if self._bill is None:
            return None
        with self._own_failure(f"billing {trial.name}"):
            bill = self._bill(_travelled(trial.arguments))
            return int(bill["steps"]) if bill is not None and "steps" in bill else None

    def held(self, trial: Trial, expected: Any, got: Any) -> dict[str, Any] | None:
        """The most that is held: `what`, and an entry for each worker under "yours" and "engine"; or None."""
        if self._held is None:
            return None
        with self._own_failure(f"counting what {trial.name} holds"):
            held = self._held(_travelled(trial.arguments), expected, got)
            if held is None:
                return None
            counts = {who: [float(count) for count in held[who]] for who in ("yours", "engine")}
            return {"case": trial.name, "what": visible(str(held["what"])), **counts}

    def explain_bill(self, trial: Trial, engine: dict[str, list[int]], yours: dict[str, list[int]]) -> str | None:
        """Why the program sends too much, where the check knows it."""
        if self._explain_bill is None:
            return None
        with self._own_failure(f"explaining the bill of {trial.name}"):
            said = self._explain_bill(_travelled(trial.arguments), engine, yours)
            return None if said is None else visible(str(said))

    def judge(self, trial: Trial, expected: Any, got: Any, changed: list[str]) -> Judged:
        """What is said of one result; `changed` names the arguments that the function changed."""
        # what is judged may hold infinities and numbers at the end of their range
        with self._own_failure(f"judging {trial.name}"), np.errstate(all="ignore"):
            if self._compare is not None:
                said = self._compare(_travelled(trial.arguments), expected, got)
                if said is not None:
                    return self._wrong(trial, expected, got, said, None)
            else:
                mismatch = self._first_difference(expected, got)
                if mismatch is not None:
                    said = None
                    if self._explain is not None:
                        said = self._explain(_travelled(trial.arguments), expected, got, _as_dict(mismatch))
                    return self._wrong(trial, expected, got, said or {}, mismatch)
        if changed and not self._arguments_may_change:
            names = " and ".join(f"`{name}`" for name in changed)
            reason = f"The values are right, but the function changed its argument {names}: work on copies."
            return Judged(Case(trial.name, False, reason))
        return Judged(Case(trial.name, True, ""))

    def _first_difference(self, expected: Any, got: Any) -> Mismatch | None:
        if not self.worker_program or not isinstance(got, list) or len(got) != len(expected):
            return first_difference(expected, got, self._rules)
        for rank, (wanted, own) in enumerate(zip(expected, got, strict=True)):
            found = first_difference(wanted, own, self._rules)
            if found is not None:
                reason = f"Worker {rank}: {found.reason[:1].lower()}{found.reason[1:]}"
                return replace(found, reason=reason, path=(rank, *found.path))
        return None

    def _wrong(self, trial: Trial, expected: Any, got: Any, said: dict[str, Any], mismatch: Mismatch | None) -> Judged:
        unknown = set(said) - {"reason", "kind", "first_difference", "path", "picture"}
        kind = said.get("kind", mismatch.kind if mismatch and mismatch.kind != "value" else None)
        if unknown or (kind is not None and kind not in ERROR_KINDS):
            raise ValueError(f"it answered with {', '.join(sorted(unknown)) or kind}")
        reason = said.get("reason") or (mismatch.reason if mismatch else "")
        if not reason:
            raise ValueError("it gave no reason")
        found = mismatch.path if mismatch is not None and mismatch.kind == "value" else None
        path = tuple(said["path"]) if said.get("path") is not None else found
        difference = said.get("first_difference")
        if "first_difference" not in said and path is not None:
            worker, rest = (path[0], path[1:]) if self.worker_program else (None, path)
            index = rest[0] if len(rest) == 1 else list(rest) or None
            wanted, own = drawn.at(expected, path), drawn.at(got, path)
            difference = {"expected": wanted, "got": own, "worker": worker, "index": index}
        first = Difference(**{name: plain(value) for name, value in difference.items()}) if difference else None
        picture = said.get("picture")
        # What is said may be about another number than the one that the comparison found
        is_meant = "path" in said or (mismatch is not None and first and plain(mismatch.expected) == first.expected)
        if "picture" not in said and first is not None and path is not None and is_meant:
            picture = drawn.picture_of(expected, got, path, self._rules, self._called)
        return Judged(Case(trial.name, False, visible(str(reason)), first, picture), kind)

    @contextmanager
    def _own_failure(self, doing: str) -> Iterator[None]:
        try:
            yield
        except Exception as error:
            raise CouldNotCheck(self._said(error, doing)) from error
        except SystemExit as error:
            raise CouldNotCheck(self._said(error, doing)) from None

    def _said(self, error: BaseException, doing: str) -> str:
        line, trace = error.line if isinstance(error, CheckFailed) else None, error.__traceback__
        while trace is not None:
            if trace.tb_frame.f_code.co_filename == str(self._path):
                line = trace.tb_lineno
            trace = trace.tb_next
        place = f"{_short(self._path)}, line {line}" if line else _short(self._path)
        told = str(error) if isinstance(error, CheckFailed) else f"{type(error).__name__}: {error}"
        return f"the check of {self.exercise.id} failed while {doing}: {told} ({place})"


class Here:
    """A check.py that is loaded in this process: one that comes with the tutor."""

    def __init__(self, path: Path, name: str) -> None:
        self._module = types.ModuleType(f"check_of_{name}")
        self._module.__file__ = str(path)
        exec(compile(path.read_bytes(), str(path), "exec", dont_inherit=True), self._module.__dict__)

    def constant(self, name: str, default: Any = None) -> Any:
        """What the file says under this name."""
        return getattr(self._module, name, default)

    def function(self, name: str) -> Callable[..., Any] | None:
        """The file's function of this name; None where it has none."""
        found: Callable[..., Any] | None = getattr(self._module, name, None)
        return found

    def end(self) -> None:
        """Nothing runs on."""


def plain(value: Any) -> Any:
    """`value` as JSON can hold it: NumPy numbers as numbers, NaN and infinities as words, strings made safe."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, np.ndarray):
        value = value.tolist()
    if isinstance(value, frames.Unknown):
        return visible(value.what)
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return str(value)
    if isinstance(value, str):
        return visible(value[:200])
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value[:200]]
    if isinstance(value, dict):
        return {str(plain(key)): plain(part) for key, part in value.items()}
    return str(value) if isinstance(value, complex) else value


def _of_worker(path: tuple[int | str, ...]) -> str:
    """What a part of the workers' results is called; single numbers, one a worker, stand in one row."""
    if not path:
        return "workers"
    return f"worker {path[0]}" + (f": {where(path[1:])}" if len(path) > 1 else "")


def _as_dict(mismatch: Mismatch) -> dict[str, Any]:
    return {"kind": mismatch.kind, "reason": mismatch.reason, "path": mismatch.path}


def _travelled(value: Any) -> Any:
    return frames.decode_frame(frames.encode(value))


def _short(path: Path) -> str:
    return "/".join(path.parts[-2:])
