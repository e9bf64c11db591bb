"""Where in the learner's file something went wrong: its own lines, and nothing of the tutor's."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tutor.checker.verdict import Call, Failure
from tutor.safe_text import visible

_MOST_CALLS = 20
_MOST_LINE = 10_000_000
_LONGEST = 200


class Source:
    """A learner's file by its lines."""

    def __init__(self, source: bytes) -> None:
        # As Python counts them: a form feed or a line separator ends no line
        self._lines = source.decode("utf-8-sig", "replace").replace("\r\n", "\n").replace("\r", "\n").split("\n")

    def line(self, number: int | None) -> str:
        """A line without the blanks around it, safe to show; empty where there is none."""
        if number is None or not 0 < number <= len(self._lines):
            return ""
        return visible(self._lines[number - 1].strip()[:_LONGEST])

    def traced(self, failure: Failure, message: dict[str, Any] | None = None) -> Failure:
        """`failure` with the learner's lines that led to it: those of a `raised` message, or its own line."""
        calls = self._calls((message or {}).get("trace"))
        if not calls and failure.line is not None and (said := self.line(failure.line)):
            calls = (Call(failure.line, "", said),)
        return replace(failure, trace=calls)

    def _calls(self, said: Any) -> tuple[Call, ...]:
        """What the learner's process says of its calls, as far as it is believable."""
        calls = []
        for one in said[:_MOST_CALLS] if isinstance(said, list) else []:
            if not isinstance(one, list) or len(one) != 2 or type(one[0]) is not int or not isinstance(one[1], str):
                return ()
            number, name = one
            if number == 0 and name.isascii() and name.isdigit():
                calls.append(Call(None, "", f"… {int(name[:9]):,} calls more"))
            elif 0 < number < _MOST_LINE:
                inside = "" if name == "<module>" else visible(name[:80])
                if inside.startswith("<") and calls and calls[-1].line == number:
                    continue  # a comprehension on one line with what holds it
                calls.append(Call(number, inside, self.line(number)))
        return tuple(calls)
