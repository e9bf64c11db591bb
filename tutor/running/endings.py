"""Why a real run came to an early end, so that a learner can act on it: who, where, and what to do."""

from __future__ import annotations

import re
import signal
from collections.abc import Collection, Mapping
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Any

from simlib.workers import RunError, Waiting
from tutor.checker import failures
from tutor.checker.limits import Limits as CheckLimits
from tutor.checker.verdict import Failure
from tutor.checker.workers import trouble
from tutor.running.waits import Watch

if TYPE_CHECKING:
    from tutor.running.desk import Job

# of what the rank raises itself, beside the learner's own errors
_KINDS = {
    "NotTheSameCall": "deadlock",
    "NoNumbers": "wrong_type",
    "NotAlike": "wrong_shape",
    "NotAllowedHere": "forbidden",
    "TooManyCalls": "output",
}
_DIED_FIRST = ("leaving", "hung")
_MOST_NAMED = 6
_CALLS = re.compile(r"worker (\d+) calls (\w+)")


def of_run(error: RunError) -> Failure:
    """Nobody can move, or a message was never received."""
    return trouble.of_run(error)


def timeout(watch: Watch, finished: Collection[int], seconds: float) -> Failure:
    """The time is over: who still computes, or else who waits for whom."""
    running = [rank for rank in range(watch.world_size) if rank not in finished]
    slowest = next((rank for rank in running if watch.computing(rank)), running[0])
    others = [watch.words(rank) for rank in running if rank != slowest][:_MOST_NAMED]
    said = "; ".join([f"worker {slowest} was not done after {seconds:g} s", *others])
    waiting = tuple(asdict(one) for one in watch.waitings(finished))
    return Failure("timeout", said, watch.line(slowest), slowest, waiting)


def first(
    bad: Mapping[int, Mapping[str, Any]], job: Job, watch: Watch, crashes: Mapping[int, str]
) -> tuple[Failure, dict[str, Any] | None]:
    """The one piece of bad news that explains the others: who died first, else the lowest rank that raised.

    With what that rank said, where it raised. `bad` is in the order in which it came.
    """
    died = [rank for rank, message in bad.items() if message["kind"] == "leaving"]
    crashed = [rank for rank in bad if "Fatal Python error" in crashes.get(rank, "")]
    raised = sorted(rank for rank, message in bad.items() if message["kind"] not in _DIED_FIRST)
    first_own = next((rank for rank, message in bad.items() if not _broken(message)), next(iter(bad)))
    if died:
        return _left(died[0], bad[died[0]]), None
    if crashed:
        return _crashed(crashed[0], crashes[crashed[0]], job.file), None
    if bad[first_own]["kind"] == "hung":
        return _vanished(first_own, watch), None
    rank = raised[0]
    failure = _raised(rank, bad[rank], job)
    if failure.kind == "deadlock":
        failure = replace(failure, waiting=_different(failure.message, bad))
    return failure, dict(bad[rank])


def all_broken(bad: Mapping[int, Mapping[str, Any]]) -> bool:
    """Whether each of them was in a call when the library raised: none of them is the cause."""
    return all(_broken(message) for message in bad.values())


def _broken(message: Mapping[str, Any]) -> bool:
    """A call of the library ended in an error of its own, as calls to a process do that is gone."""
    return bool(message.get("in_call")) and message.get("type") not in _KINDS


def _different(said: str, bad: Mapping[int, Mapping[str, Any]]) -> tuple[dict[str, Any], ...]:
    """The ranks that made different calls, each with its line."""
    calls = [(int(rank), call) for rank, call in _CALLS.findall(said)]
    lines = {rank: failures.line(dict(message)) for rank, message in bad.items()}
    return tuple(asdict(Waiting(rank, call, None, lines.get(rank))) for rank, call in calls)


def _raised(rank: int, message: Mapping[str, Any], job: Job) -> Failure:
    given = dict(message)
    if given["kind"] == "refused":
        return failures.refused(given, job.function, job.parameters)
    if given["kind"] == "too_large":
        return Failure("output", f"worker {rank} returned more than can be carried", worker=rank)
    kind = _KINDS.get(str(given.get("type")))
    if kind is not None:
        return Failure(kind, failures.text(given, "text"), failures.line(given), rank)
    failure = replace(failures.raised(given, CheckLimits()), worker=None if given.get("case") is None else rank)
    if failure.kind == "exception" and failure.worker is not None:
        return replace(failure, message=f"worker {rank} raised {failure.message}")
    return failure


def _left(rank: int, message: Mapping[str, Any]) -> Failure:
    status = int(message["status"])
    how = f"status {status}" if message["how"] == "exit" else _signal(status)
    said = f"worker {rank} ended its own process ({how}) before its function returned"
    return Failure("exit" if message["how"] == "exit" else "crash", said, message.get("line"), rank)


def _crashed(rank: int, dump: str, file: str) -> Failure:
    what = dump.partition("Fatal Python error: ")[2].split("\n", 1)[0].strip()
    found = re.search(rf'File "{re.escape(file)}", line ([0-9]{{1,7}}) in ', dump)
    said = f"worker {rank}: Python itself crashed ({what})"
    return Failure("crash", said, int(found[1]) if found else None, rank)


def _vanished(rank: int, watch: Watch) -> Failure:
    line = watch.line(rank)
    seen = ", and was last seen here" if line else ""
    said = f"worker {rank}'s process was ended from outside, perhaps because it used too much memory{seen}"
    return Failure("crash", said, line, rank)


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
