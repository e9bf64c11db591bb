"""One check: the learner's bytes in, a verdict out. The learner's process returns values; they are compared here."""

from __future__ import annotations

import secrets
import threading
from typing import Any

from tutor.checker import failures, process
from tutor.checker.definition import Definition, Trial
from tutor.checker.limits import Limits
from tutor.checker.source import text_failure
from tutor.checker.traces import Source
from tutor.checker.verdict import Case, CheckResult, CouldNotCheck, Failure
from tutor.checker.workers.bill import held_shown
from tutor.course.model import Exercise
from tutor.program import program
from tutor.safe_text import visible

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def check_source(
    source: bytes,
    exercise: Exercise,
    seed: int | None = None,
    limits: Limits | None = None,
    stop: threading.Event | None = None,
    file: str = "",
    trusted: bool = True,
) -> CheckResult:
    """See `tutor.checker.check_source`."""
    failure = text_failure(source)
    if failure is not None:
        return _failed(exercise, Source(source).traced(failure))
    definition = Definition(exercise, trusted=trusted)
    try:
        return _checked(source, definition, seed, limits, stop, file)
    finally:
        definition.end()


def _checked(
    source: bytes,
    definition: Definition,
    seed: int | None,
    limits: Limits | None,
    stop: threading.Event | None,
    file: str,
) -> CheckResult:
    exercise = definition.exercise
    trials = definition.trials(secrets.randbits(32) if seed is None else seed)
    expected = [definition.expected(trial) for trial in trials]
    try:
        limits = (limits or Limits()).raised(trial.limits for trial in trials)
    except KeyError as error:
        raise CouldNotCheck(f"the check of {exercise.id} asks for a limit that there is not: {error}") from None
    if limits.boxed:
        _need_a_box()
    file = file or f"{exercise.id}.py"
    if definition.worker_program:
        from tutor.checker.workers.check import check_workers

        return check_workers(source_array(source), definition, trials, expected, limits, stop, file)
    outcome = process.run(_job(source, exercise, trials, file), limits, stop)
    return _verdict(definition, trials, expected, outcome, limits, file, Source(source))


def _need_a_box() -> None:
    """Raises CouldNotCheck where learners' files cannot be boxed: then none is run."""
    from tutor.checker import proof

    reason = proof.why_no_box()
    if reason:
        why = f"this host cannot isolate learners' code ({reason})"
        raise CouldNotCheck(f"checks are off: {why}. Instructor: run `{program()} doctor`")


def source_array(source: bytes) -> Any:
    """The source as it travels in a frame."""
    import numpy as np

    return np.frombuffer(source.removeprefix(_BYTE_ORDER_MARK), np.uint8)


def _job(source: bytes, exercise: Exercise, trials: list[Trial], file: str) -> dict[str, Any]:
    return {
        "source": source_array(source),
        "file": file,
        "function": exercise.id,
        "cases": [list(trial.arguments.values()) for trial in trials],
    }


def _verdict(
    definition: Definition,
    trials: list[Trial],
    expected: list[Any],
    outcome: process.Outcome,
    limits: Limits,
    file: str,
    source: Source,
) -> CheckResult:
    exercise = definition.exercise
    cases: list[Case] = []
    errors: list[Failure | None] = []
    held = []
    for message in outcome.messages:
        kind = message["kind"]
        if kind in ("ready", "done"):
            continue
        if kind == "refused":
            refused = failures.refused(message, exercise.id, list(trials[0].arguments))
            return _failed(exercise, source.traced(refused), printed(outcome.output, limits.output_kept))
        if kind == "raised" and message.get("case") is None:
            failure = source.traced(failures.raised(message, limits), message)
            return _failed(exercise, failure, printed(outcome.output, limits.output_kept))
        number = message.get("case")
        if type(number) is not int or number != len(cases) or number >= len(trials):
            outcome.malformed = "a case out of turn"
            break
        case, error = _case(definition, trials[len(cases)], expected[len(cases)], message, limits, source)
        cases.append(case)
        errors.append(error)
        if message["kind"] == "result" and "value" in message:
            held.append(definition.held(trials[number], expected[number], message["value"]))
    ended = failures.ended(outcome, limits, file)
    if ended is None and len(cases) < len(trials) and not _is_timeout(errors):
        ended = Failure("forbidden", "Your file's process said that it was done before every case had run.")
    if ended is not None:
        ended = source.traced(ended)
        at = f" (line {ended.line})" if ended.line else ""
        running = trials[len(cases)].name if len(cases) < len(trials) else "after the last case"
        cases.append(Case(running, False, ended.message + at, trace=ended.trace))
        errors.append(ended)
    error = _error(cases, errors, ended is not None or _is_timeout(errors))
    passed = error is None and len(cases) == len(trials) and all(case.passed for case in cases)
    ordered = sorted(cases, key=lambda case: case.passed)
    told = printed(outcome.output, limits.output_kept)
    return CheckResult(exercise.id, passed, tuple(ordered), error, output=told, held=held_shown(held))


def _case(
    definition: Definition, trial: Trial, expected: Any, message: dict[str, Any], limits: Limits, source: Source
) -> tuple[Case, Failure | None]:
    kind = message["kind"]
    if kind == "result" and "value" in message:
        names = list(trial.arguments)
        positions = message.get("changed")
        positions = positions if isinstance(positions, list) else []
        changed = [names[at] for at in positions if type(at) is int and 0 <= at < len(names)]
        judged = definition.judge(trial, expected, message["value"], changed)
        return judged.case, Failure(judged.kind, judged.case.reason) if judged.kind else None
    if kind == "raised":
        failure = source.traced(failures.raised(message, limits), message)
    elif kind == "too_large":
        failure = failures.too_large(limits)
    else:
        failure = Failure("forbidden", "Your file's process sent a message of no known kind.")
    at = f" (line {failure.line})" if failure.line else ""
    return Case(trial.name, False, failure.message + at, trace=failure.trace), failure


def _error(cases: list[Case], errors: list[Failure | None], ended_early: bool) -> Failure | None:
    """What is wrong with the first case that failed, if it gave no value; otherwise why the run ended early."""
    first = next((error for case, error in zip(cases, errors, strict=True) if not case.passed), None)
    return first or (errors[-1] if ended_early else None)


def _is_timeout(errors: list[Failure | None]) -> bool:
    return bool(errors) and errors[-1] is not None and errors[-1].kind == "timeout"


def _failed(exercise: Exercise, failure: Failure, output: str = "") -> CheckResult:
    return CheckResult(exercise.id, False, (), failure, output=output)


def printed(output: bytes, kept: int | None = None) -> str:
    """What a file printed, safe to show and without the dump of a crash; of more than `kept` bytes, the first ones."""
    if kept is not None and len(output) > kept:
        most = f"{kept >> 10} KiB" if kept >= 1 << 10 else f"{kept} bytes"
        return f"{printed(output[:kept])}\n(More than {most} were printed: the rest is not kept.)"
    before, _, _ = output.partition(b"Fatal Python error: ")
    return visible(before.decode("utf-8", "replace").replace("\r\n", "\n"), lines=True)
