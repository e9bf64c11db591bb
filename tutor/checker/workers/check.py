"""One check of a worker program: every case on processes of its own, routed, compared and billed here."""

from __future__ import annotations

import threading
from typing import Any

import numpy as np

from simlib.workers import Run, RunError
from tutor.checker.definition import BILLED, Definition, Trial
from tutor.checker.inside import frames
from tutor.checker.limits import Limits
from tutor.checker.traces import Source
from tutor.checker.verdict import Case, CheckResult, CouldNotCheck, Failure
from tutor.checker.workers import bill, trouble
from tutor.checker.workers.crew import Crew
from tutor.checker.workers.line import LineCut
from tutor.checker.workers.routing import ProgramFailed, route

_WORLD_SIZE = "world_size"
_Ending = RunError | ProgramFailed | LineCut


def check_workers(
    source: np.ndarray[Any, Any],
    definition: Definition,
    trials: list[Trial],
    expected: list[Any],
    limits: Limits,
    stop: threading.Event | None,
    file: str,
    runs: list[Run] | None = None,
) -> CheckResult:
    """As `tutor.checker.check_source`, for a program that one worker runs.

    A case whose run ends early is the last one: its workers are gone. Runs that came to their end are added to `runs`.
    """
    exercise = definition.exercise
    sizes = [_world_size(definition, trial, limits) for trial in trials]
    parameters = ["worker", *(name for name in trials[0].arguments if name != _WORLD_SIZE)]
    job = {"source": source, "file": file, "function": exercise.id, "parameters": len(parameters)}
    verdict = Verdict(definition)
    text = Source(source.tobytes())
    ending: _Ending | None = None
    refused: Failure | None = None
    with Crew(max(sizes), limits, stop) as crew:
        try:
            crew.begin(job)
            said = [line.receive() for line in crew.lines]
            began = [_refusal(message, crew, exercise.id, parameters, text) for message in said]
            refused = next((failure for failure in began if failure is not None), None)
            for number, (trial, size) in enumerate(zip(trials, sizes, strict=True)):
                if refused is not None:
                    break
                run = _run_case(crew, number, trial, size, definition)
                verdict.add(trial, expected[number], run)
                if runs is not None:
                    runs.append(run)
            if refused is None:
                _let_go(crew)
        except (RunError, ProgramFailed, LineCut) as error:
            ending = error
    output = _printed(crew)
    if refused is not None:
        return CheckResult(exercise.id, False, (), refused, output=output)
    if ending is not None:
        running = trials[len(verdict.cases)].name if len(verdict.cases) < len(trials) else "after the last case"
        message = ending.message if isinstance(ending, ProgramFailed) else None
        picture = trouble.picture_of(ending, text) if isinstance(ending, RunError) else None
        failure = _failure(ending, crew, file)
        verdict.fail(running, failure if picture else text.traced(failure, message), picture)
    return verdict.result(len(trials), output)


def _refusal(message: dict[str, Any], crew: Crew, name: str, parameters: list[str], text: Source) -> Failure | None:
    """Why a worker could not begin, with the lines that led to it; None if it could."""
    failure = trouble.refusal(message, crew.limits, name, parameters)
    return None if failure is None else text.traced(failure, message)


def _world_size(definition: Definition, trial: Trial, limits: Limits) -> int:
    """How many workers this case has."""
    size = trial.arguments.get(_WORLD_SIZE)
    if type(size) is not int or not 1 <= size <= limits.workers:
        said = f"{trial.name} has {size} workers; 1 to {limits.workers} can be started"
        raise CouldNotCheck(f"the check of {definition.exercise.id}: {said}")
    for name, values in trial.arguments.items():
        if name != _WORLD_SIZE and (not isinstance(values, (list, np.ndarray)) or len(values) != size):
            said = f"{name} of {trial.name} does not have an entry for each of {size} workers"
            raise CouldNotCheck(f"the check of {definition.exercise.id}: {said}")
    return size


def _run_case(crew: Crew, number: int, trial: Trial, size: int, definition: Definition) -> Run:
    given = [values for name, values in trial.arguments.items() if name != _WORLD_SIZE]
    for rank in range(size):
        arguments = [values[rank] for values in given]
        message = {"kind": "case", "case": number, "rank": rank, "world_size": size, "arguments": arguments}
        crew.lines[rank].send(frames.encode(message))
    try:
        return route(crew.lines, size, definition.collectives)
    except (RunError, ProgramFailed, LineCut, CouldNotCheck):
        raise
    except Exception as error:
        said = f"{trial.name} could not be carried out: {type(error).__name__}: {error}"
        raise CouldNotCheck(f"the check of {definition.exercise.id}: {said}") from error


def _let_go(crew: Crew) -> None:
    """Lets every worker write out what it printed."""
    end = frames.encode({"kind": "end"})
    for line in crew.lines:
        line.send(end)
    for rank, line in enumerate(crew.lines):
        message = line.receive()
        if message["kind"] != "done":
            raise ProgramFailed(rank, message)


def _failure(ending: _Ending, crew: Crew, file: str) -> Failure:
    if isinstance(ending, RunError):
        return trouble.of_run(ending)
    if isinstance(ending, ProgramFailed):
        return trouble.of_program(ending, crew.limits)
    return trouble.of_line(ending, crew, file)


def _printed(crew: Crew) -> str:
    """What the workers printed, each line with its worker."""
    from tutor.checker.check import printed

    lines = []
    for rank, output in enumerate(crew.output):
        lines += [f"worker {rank}: {line}" for line in printed(output, crew.limits.output_kept).splitlines()]
    return "\n".join(lines)


class Verdict:
    """What is found, case by case."""

    def __init__(self, definition: Definition) -> None:
        self.cases: list[Case] = []
        self._definition = definition
        self._errors: list[Failure | None] = []
        self._bills: list[tuple[str, bill.Bill, bill.Bill]] = []
        self._wasteful: str | None = None
        self._held: list[dict[str, Any] | None] = []
        self._steps: dict[str, tuple[int, int]] = {}  # yours and the engine's, by the name of the case

    def add(self, trial: Trial, expected: Any, run: Run) -> None:
        """A case whose run came to its end; its results are the workers' last messages."""
        names = [name for name in trial.arguments if name != _WORLD_SIZE]
        changed = sorted({at for message in run.results for at in _positions(message.get("changed"), len(names))})
        got = [message["value"] for message in run.results]
        judged = self._definition.judge(trial, expected, got, [names[at] for at in changed])
        case = judged.case
        self._held.append(self._definition.held(trial, expected, got))
        engine = self._definition.bill(trial) if case.passed else None
        if engine is not None:
            yours = {what: list(getattr(run, what)) for what in BILLED}
            self._bills.append((trial.name, engine, yours))
            steps = self._definition.steps(trial)
            if steps is not None:
                self._steps[trial.name] = (_steps_of(run), steps)
            case = self._billed(trial, engine, yours)
        self.cases.append(case)
        self._errors.append(Failure(judged.kind, judged.case.reason) if judged.kind else None)

    def _billed(self, trial: Trial, engine: bill.Bill, yours: bill.Bill) -> Case:
        """A right case, with a word on what it costs where that is too much."""
        most = self._definition.most_bytes
        times = bill.times_too_much(engine, yours)
        if times <= (most or 1.0):
            return Case(trial.name, True, "")
        self._wasteful = self._wasteful or trial.name
        why = self._definition.explain_bill(trial, engine, yours)
        return Case(trial.name, most is None, f"{bill.told(engine, yours)}{' ' + why if why else ''}")

    def fail(self, name: str, failure: Failure, picture: dict[str, Any] | None) -> None:
        """The case that ended the check."""
        self.cases.append(trouble.case_of(name, failure, picture))
        self._errors.append(failure)

    def result(self, trials: int, output: str) -> CheckResult:
        """The verdict on all of it."""
        passed = len(self.cases) == trials and all(case.passed for case in self.cases)
        error = next((error for case, error in zip(self.cases, self._errors, strict=True) if not case.passed), None)
        ordered = sorted(self.cases, key=lambda case: case.passed)
        shown = bill.shown(self._bills, self._wasteful)
        if shown is not None and shown["case"] in self._steps:
            shown["steps"] = self._steps[shown["case"]]
        held = bill.held_shown(self._held, shown["case"] if shown is not None else None)
        return CheckResult(self._definition.exercise.id, passed, tuple(ordered), error, shown, output, held)


def _steps_of(run: Run) -> int:
    """Steps one after another: messages that could be under way at the same time are one, collectives have theirs."""
    return len(run.steps) + sum(one.trace.last_step for one in run.collectives if one.trace is not None)


def _positions(changed: Any, arguments: int) -> list[int]:
    """The positions of changed arguments, as far as they are believable."""
    return [at for at in changed if type(at) is int and 0 <= at < arguments] if isinstance(changed, list) else []
