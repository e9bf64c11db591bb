"""What the checker says of a learner's file. These shapes are the JSON of `check`."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

ERROR_KINDS = (
    "syntax",
    "import",
    "missing_function",
    "wrong_type",
    "wrong_shape",
    "exception",
    "exit",
    "timeout",
    "memory",
    "output",
    "deadlock",
    "forbidden",
    "crash",
)


class CouldNotCheck(Exception):
    """The checker itself failed, or the file could not be read: never counted as right."""


@dataclass(frozen=True)
class Difference:
    """The first place where the learner's result differs from the engine's, in the terms of the picture."""

    expected: Any
    got: Any
    phase: str | None = None
    step: int | None = None
    worker: int | None = None
    chunk: int | None = None
    index: Any = None


@dataclass(frozen=True)
class Call:
    """A line of the learner's file on the way to what went wrong; without a line, `source` says what is left out."""

    line: int | None
    function: str  # empty where the line is in none
    source: str

    def __str__(self) -> str:
        if self.line is None:
            return self.source
        where = f"line {self.line}" + (f", in {self.function}" if self.function else "")
        return f"{where}: {self.source}" if self.source else where


@dataclass(frozen=True)
class Failure:
    """Why a file gave no result to compare."""

    kind: str  # one of ERROR_KINDS
    message: str
    line: int | None = None
    worker: int | None = None
    waiting: tuple[dict[str, Any], ...] = ()
    trace: tuple[Call, ...] = ()  # the learner's own calls, the outermost first; not in the JSON

    def to_json(self) -> dict[str, Any]:
        """The part of the stable JSON."""
        return {
            "kind": self.kind,
            "message": self.message,
            "line": self.line,
            "worker": self.worker,
            "waiting": list(self.waiting),
        }


@dataclass(frozen=True)
class Case:
    name: str
    passed: bool
    reason: str
    first_difference: Difference | None = None
    # The scene in which the difference is drawn: {"topic", "parameters", "step", "cell", "yours"}, and where the whole
    # run of the learner's is known "own" (see `tutor.views.explain.comparison`); not in the JSON
    picture: dict[str, Any] | None = None
    trace: tuple[Call, ...] = ()  # of an exception; not in the JSON


@dataclass(frozen=True)
class CheckResult:
    exercise: str
    passed: bool
    cases: tuple[Case, ...]
    error: Failure | None = None
    # {"yours": …, "engine": …}, each with the bytes and messages that each worker sent; the name of their "case" and
    # the "steps" of both, one after another, are not in the JSON
    bill: dict[str, Any] | None = None
    output: str = field(default="")  # what the file printed, made safe to show; not in the JSON
    # {"case", "what", "yours", "engine"}: the most that each worker held, where that is counted; not in the JSON
    held: dict[str, Any] | None = None

    def to_json(self) -> dict[str, Any]:
        """The stable JSON of `check`."""
        return {
            "exercise": self.exercise,
            "passed": self.passed,
            "cases": [
                {
                    "name": case.name,
                    "passed": case.passed,
                    "reason": case.reason,
                    "first_difference": asdict(case.first_difference) if case.first_difference else None,
                }
                for case in self.cases
            ],
            "error": None if self.error is None else self.error.to_json(),
            "bill": None if self.bill is None else {who: self.bill[who] for who in ("yours", "engine")},
        }
