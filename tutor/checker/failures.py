"""Turns what a process said, and how it ended, into a failure that a learner can act on.

Everything here comes from the learner's process and is believed in nothing but being text.
"""

from __future__ import annotations

import os
import re
import signal
from typing import Any

from tutor.checker.inside.child import BROKEN, TIME_OVER
from tutor.checker.limits import MIB, Limits
from tutor.checker.process import Outcome
from tutor.checker.verdict import Failure
from tutor.safe_text import visible

_MOST = 2000
# What NumPy and Python say, and what is often behind it
_OFTEN = (
    (re.compile("array split does not result in an equal division"), "numpy.array_split cuts parts of unequal length"),
    (
        re.compile("matmul: .*mismatch in its core dimension"),
        "In A @ B the columns of A have to be as many as the rows of B: has one been cut along the other axis?",
    ),
    (
        re.compile("could not be broadcast together|could not broadcast input array"),
        "The two arrays have to have the same shape: is one of them whole, and the other a part?",
    ),
    (re.compile("'NoneType' object"), "None comes from a function without `return`, or from a list's append or sort"),
    (
        re.compile("'dict' object has no attribute '([A-Za-z_]+)'"),
        "What a dict holds is taken by its key, in brackets and quotes",
    ),
    (
        re.compile("^(dst|src) is -[0-9]+; accepted: a rank"),
        "A ring is closed: the neighbours are (rank + 1) % world_size and (rank - 1) % world_size",
    ),
)
_DENIED = re.compile(r"\[Errno (1|13)\]")


def text(message: dict[str, Any], name: str) -> str:
    """A string of a message, cut and made safe."""
    value = message.get(name)
    return visible(value[:_MOST]) if isinstance(value, str) else ""


def line(message: dict[str, Any]) -> int | None:
    """The line of a message, when it is one."""
    value = message.get("line")
    return value if type(value) is int and 0 < value < 10_000_000 else None


def raised(message: dict[str, Any], limits: Limits) -> Failure:
    """A `raised` message: an exception, with the learner's line."""
    families = message.get("families")
    families = [name for name in families if isinstance(name, str)] if isinstance(families, list) else []
    name, said, at = text(message, "type") or "Exception", text(message, "text"), line(message)
    loading = message.get("case") is None
    full = f"{name}: {said}" if said else name
    if isinstance(message.get("clock"), str):
        return Failure("timeout", _time_over(message["clock"] == "cpu", limits), at)
    if forbidden := text(message, "forbidden"):
        return Failure("forbidden", f"Your file {forbidden}. In a check a file may only compute.", at)
    if "SystemExit" in families:
        return Failure("exit", "Your file calls exit instead of returning a value.", at)
    if "MemoryError" in families:
        most = limits.data // MIB
        return Failure("memory", f"Your file asks for more memory than a check allows ({most} MiB). {full}", at)
    if loading and "SyntaxError" in families:
        return Failure("syntax", full, at)
    if loading and "ImportError" in families:
        return Failure("import", f"{full}. A check has NumPy and the standard library.", at)
    if "PermissionError" in families and _DENIED.search(said):
        return Failure("forbidden", f"Your file tries what a check does not allow. {full}", at)
    if loading:
        return Failure("exception", f"{full}, while your file was loaded.", at)
    often = next((words for found, words in _OFTEN if found.search(said)), "")
    return Failure("exception", f"{full.rstrip()}. {often}" if often else full, at)


def refused(message: dict[str, Any], function: str, parameters: list[str]) -> Failure:
    """A `refused` message: the function is not there, or cannot be called."""
    why, at = message.get("why"), line(message)
    if why == "missing":
        defined = message.get("defined")
        names = [visible(name[:80]) for name in defined if isinstance(name, str)] if isinstance(defined, list) else []
        tail = f"; it defines: {', '.join(names[:12])}." if names else "; it defines no function at all."
        return Failure("missing_function", f"Your file has no function `{function}`{tail}")
    if why == "async":
        return Failure("wrong_type", f"`{function}` is an async function; write `def {function}`, without async.", at)
    if why == "generator":
        return Failure("wrong_type", f"`{function}` yields its result; collect it in a list and return that.", at)
    if why == "parameters":
        has = message.get("parameters")
        names = [visible(name[:80]) for name in has if isinstance(name, str)] if isinstance(has, list) else []
        given = f"called with {len(parameters)}: {', '.join(parameters)}"
        takes = f"takes {len(names)} parameter{'' if len(names) == 1 else 's'}"
        return Failure("wrong_type", f"`{function}` {takes} ({', '.join(names) or 'none'}); it is {given}.", at)
    what = text(message, "what") or "something else"
    return Failure("wrong_type", f"`{function}` is not a function but {what}.", at)


def ended(outcome: Outcome, limits: Limits, file: str) -> Failure | None:
    """Why the process gave no whole answer; None when it did, or when its last message says why."""
    out_of_time = outcome.cpu_seconds >= limits.cpu and outcome.status < 0
    if outcome.output_flooded:
        most = limits.output_most // MIB
        return Failure("output", f"Your file printed more than {most} MiB and was stopped. Is there a print in a loop?")
    if outcome.malformed and outcome.done:
        return Failure(
            "forbidden", f"What came back is no answer of the checker's ({outcome.malformed}). {_ONLY_RETURN}"
        )
    if outcome.done or isinstance(outcome.messages[-1].get("clock"), str):
        return None
    if outcome.time_over or out_of_time or outcome.status == TIME_OVER:
        return Failure("timeout", _time_over(out_of_time, limits))
    if outcome.result_too_large:
        return too_large(limits)
    if outcome.malformed:
        return Failure(
            "forbidden", f"What came back is no answer of the checker's ({outcome.malformed}). {_ONLY_RETURN}"
        )
    if outcome.closed_early:
        return Failure("forbidden", f"Your file closed the line on which its answer goes back. {_ONLY_RETURN}")
    if outcome.status == BROKEN:
        return Failure("crash", "Your file broke the program that runs it. Does it replace a part of Python?")
    if outcome.status >= 0:
        return Failure("exit", f"Your file ended its process (status {outcome.status}) before its function returned.")
    if outcome.status == -getattr(signal, "SIGKILL", 9):
        return Failure("memory", "The system ended your file's process, most likely because it used too much memory.")
    if outcome.status == -getattr(signal, "SIGSYS", 31):
        return Failure("forbidden", "Your file made a call to the system that a check does not allow.")
    return Failure(
        "crash",
        f"Python itself crashed while it ran your file ({_signal(-outcome.status)}).",
        _crash_line(outcome, file),
    )


_ONLY_RETURN = "Only return values, and print with print()."


def too_large(limits: Limits) -> Failure:
    """What was returned cannot be carried back."""
    return Failure(
        "output", f"What your function returned is too large: at most {limits.result_most // MIB} MiB are read."
    )


def _time_over(cpu: bool, limits: Limits) -> str:
    spent = f"{limits.cpu} s of computing" if cpu else f"{limits.wall:g} s"
    return f"Your file was stopped after {spent}. Is there a loop that never ends?"


def _signal(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _crash_line(outcome: Outcome, file: str) -> int | None:
    """The innermost line of the learner's in the dump that Python's fault handler prints, if it got that far."""
    _, fatal, dump = outcome.output.rpartition(b"Fatal Python error: ")
    found = re.search(b'File "%s", line ([0-9]{1,7}) in ' % re.escape(os.fsencode(file)), dump) if fatal else None
    return int(found[1]) if found else None
