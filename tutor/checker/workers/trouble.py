"""Turns what ended a run of workers into a failure that a learner can act on."""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Any

from simlib.workers import RunError
from tutor.checker import failures
from tutor.checker.limits import MIB, Limits
from tutor.checker.process import Outcome
from tutor.checker.traces import Source
from tutor.checker.verdict import ERROR_KINDS, Case, Failure
from tutor.checker.workers import line as lines
from tutor.checker.workers.crew import Crew
from tutor.checker.workers.line import LineCut
from tutor.checker.workers.routing import ProgramFailed
from tutor.safe_text import visible

# kinds of the engine's that on real machines are one: the run hangs
_HANGS = ("mismatch", "unreceived")


def of_run(error: RunError) -> Failure:
    """A run that the engine ended: nobody can move, calls that do not fit each other, what is no array."""
    kind = "deadlock" if error.kind in _HANGS else error.kind if error.kind in ERROR_KINDS else "exception"
    waiting = tuple(asdict(one) for one in error.waiting)
    return Failure(kind, visible(error.message), error.line, error.worker, waiting)


def picture_of(error: RunError, source: Source) -> dict[str, Any] | None:
    """The picture of a run in which nobody can move, each with the line of the program; None of any other end."""
    if not error.waiting:
        return None
    waiting = [asdict(one) | {"source": source.line(one.line)} for one in error.waiting]
    return {"topic": "waiting", "parameters": {"kind": error.kind, "waiting": waiting}, "step": 0}


def of_program(error: ProgramFailed, limits: Limits) -> Failure:
    """A program that raised, or whose result cannot be carried."""
    message, worker = error.message, error.worker
    if message["kind"] == "too_large":
        return replace(failures.too_large(limits), worker=worker)
    if message["kind"] != "raised":
        text = "Your file's process sent a message of no known kind."
        return Failure("forbidden", text, worker=worker)
    failure = replace(failures.raised(message, limits), worker=worker)
    families = message.get("families")
    if isinstance(families, list) and "MessageTooLarge" in families:
        most = limits.message_most // MIB
        text = f"worker {worker} sends {failures.text(message, 'text')}; a message has at most {most} MiB"
        return replace(failure, kind="output", message=text)
    if failure.kind == "exception":
        return replace(failure, message=f"worker {worker} raised {failure.message}")
    return failure


def of_line(cut: LineCut, crew: Crew, file: str) -> Failure:
    """A worker from which nothing more came. The crew has ended."""
    ended, limits = crew.ended[cut.worker], crew.limits
    if cut.why == lines.TOO_MUCH:
        text = f"Your workers send more than {limits.messages_total // MIB} MiB together. Is there a send in a loop?"
        return Failure("output", text, worker=cut.worker)
    if cut.why == lines.TOO_LARGE:
        most = limits.message_most // MIB
        return Failure("output", f"worker {cut.worker} sends a message of more than {most} MiB", worker=cut.worker)
    outcome = Outcome(
        messages=[{"kind": "ready"}],
        output=crew.output[cut.worker],
        status=ended.status,
        cpu_seconds=ended.cpu_seconds,
        time_over=cut.why == lines.LATE,
        output_flooded=cut.why == lines.PRINTS,
        malformed=cut.detail if cut.why == lines.MALFORMED else "",
        closed_early=ended.ran_on,
    )
    failure = failures.ended(outcome, limits, file)
    assert failure is not None, "a worker without a result counts as done"
    return replace(failure, worker=cut.worker)


def case_of(name: str, failure: Failure, picture: dict[str, Any] | None = None) -> Case:
    """The case in which it happened, with what can be done about it."""
    at = f" (line {failure.line})" if failure.line else ""
    said = failure.message
    if failure.kind == "deadlock":
        return Case(name, False, f"Deadlock: {said}.{_advice(failure, picture)}{_lines(failure)}", picture=picture)
    if said.startswith("worker "):
        return Case(name, False, said[:1].upper() + said[1:] + at, trace=failure.trace)
    who = "" if failure.worker is None else f"Worker {failure.worker}: "
    return Case(name, False, who + said + at, trace=failure.trace)


def _advice(failure: Failure, picture: dict[str, Any] | None) -> str:
    calls = {waiting["call"] for waiting in failure.waiting}
    said = failure.message
    if said.endswith("nobody receives"):
        first = failure.waiting[0]
        if picture is not None and "sendrecv" in picture["parameters"]["waiting"][0]["source"]:
            one, other = first["worker"], first["peer"]
            has_to = f"worker {other} has to receive from {one}"
            return f" Worker {one} sends to {other}, so {has_to}: is its src another one?"
        here = f" A send waits for its recv: worker {first['peer']} has to receive from {first['worker']}."
        return f"{here} Use sendrecv, or let some workers receive before they send."
    if said.endswith("nobody sends"):
        return " A recv waits until something is sent: some workers have to send first."
    if "never received it" in said:
        return " Every message that is sent has to be received."
    if "never sent it" in said:
        return " What is asked for has to be sent."
    if "has finished" in said and calls & {"send", "recv"}:
        return " The two must agree on how many messages there are."
    if "has finished" in said:
        return " A collective waits for all workers: none may leave it out."
    return ""


def _lines(failure: Failure) -> str:
    """Where they wait."""
    at = sorted({waiting["line"] for waiting in failure.waiting if waiting["line"]})
    if not at:
        return ""
    shown = ", ".join(map(str, at[:-1])) + (" and " if len(at) > 1 else "") + str(at[-1])
    return f" (line{'s' if len(at) > 1 else ''} {shown})"


def refusal(message: dict[str, Any], limits: Limits, function: str, parameters: list[str]) -> Failure | None:
    """Why a worker could not even begin; None if it could."""
    if message["kind"] == "loaded":
        return None
    if message["kind"] == "refused":
        return failures.refused(message, function, parameters)
    if message["kind"] == "raised":
        return failures.raised({**message, "case": None}, limits)
    return Failure("forbidden", "Your file's process sent a message of no known kind.")
