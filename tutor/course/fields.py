"""The TOML of one block of a lesson file, read key by key, every complaint at its line in that file."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from tutor.course.model import CourseError, Place

_AT_LINE = re.compile(r" \(at line (\d+), column \d+\)$")
_AT_END = " (at end of document)"
_ID = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*")
_KEY_AT_START = re.compile(r"\s*(?:\[\[?\s*)?([A-Za-z0-9_-]+)\s*(?:=|\]\]?)")


def toml(text: str, file: Path, first_line: int) -> dict[str, Any]:
    """`text` as TOML; `first_line` is where it begins in `file`. Raises CourseError at the faulty line."""
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        message = str(error)
        found = _AT_LINE.search(message)
        if found:
            line, message = first_line + int(found[1]) - 1, message[: found.start()]
        else:
            line, message = first_line + max(0, text.rstrip().count("\n")), message.removesuffix(_AT_END)
        raise CourseError(Place(file, line), f"not TOML: {message}") from None
    except RecursionError:
        raise CourseError(Place(file, first_line), "not TOML: nested too deep") from None
    except ValueError as error:
        # A number with more digits than Python converts
        raise CourseError(Place(file, first_line), f"not TOML: {error}") from None


def check_id(text: str, what: str, place: Place) -> str:
    """`text` if it can be an id; raises CourseError otherwise."""
    if not _ID.fullmatch(text) or len(text) > 80:
        raise CourseError(place, f"{what} id {text!r}; accepted: up to 80 letters, digits, - and _")
    return text


class Fields:
    """A table whose keys are taken one by one; `done` refuses what nobody took."""

    def __init__(self, table: dict[str, Any], what: str, place: Place, text: str = "") -> None:
        self.table = table
        self.what = what
        self.place = place
        self.text_read = text
        self.lines = key_lines(text, place.line + 1) if text else {}
        self.asked: list[str] = []

    @classmethod
    def read(cls, text: str, what: str, place: Place) -> Fields:
        """The fields of a block whose text begins on the line after `place`."""
        return cls(toml(text, place.file, place.line + 1), what, place, text)

    def at(self, key: str) -> Place:
        return Place(self.place.file, max(1, self.lines.get(key, self.place.line)))

    def table_line(self, key: str, number: int) -> int:
        """The line of the `number`-th (from 0) header [[key]]; that of the key where the tables stand inline."""
        header = re.compile(rf"\s*\[\[\s*{re.escape(key)}\s*\]\]")
        lines = [
            line for line, text in enumerate(self.text_read.split("\n"), self.place.line + 1) if header.match(text)
        ]
        return lines[number] if number < len(lines) else self.at(key).line

    def error(self, key: str, message: str) -> CourseError:
        return CourseError(self.at(key), f"{self.what}: {message}")

    def _take(self, key: str, required: bool) -> Any:
        self.asked.append(key)
        if required and key not in self.table:
            raise self.error(key, f"{key!r} is missing")
        return self.table.get(key)

    def text(self, key: str, required: bool = False) -> str:
        value = self._take(key, required)
        if value is None:
            return ""
        if not isinstance(value, str):
            raise self.error(key, f"{key} is {value!r}; accepted: text in quotes")
        if required and not value.strip():
            raise self.error(key, f"{key!r} is empty")
        return value.strip()

    def texts(self, key: str) -> tuple[str, ...]:
        value = self._take(key, False)
        if value is None:
            return ()
        if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
            raise self.error(key, f"{key} is {_short(value)}; accepted: a list of texts")
        return tuple(item.strip() for item in value)

    def whole(self, key: str, default: int, least: int, most: int) -> int:
        value = self._take(key, False)
        if value is None:
            return default
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise self.error(key, f"{key} is {_short(value)}; accepted: a whole number from {least} to {most}")
        return value

    def share(self, key: str) -> float | None:
        value = self._take(key, False)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value < 1:
            raise self.error(key, f"{key} is {_short(value)}; accepted: a share of the value, 0.005 for half a percent")
        return float(value)

    def flag(self, key: str) -> bool:
        value = self._take(key, False)
        if value is not None and not isinstance(value, bool):
            raise self.error(key, f"{key} is {_short(value)}; accepted: true or false")
        return bool(value)

    def mapping(self, key: str) -> dict[str, Any]:
        value = self._take(key, False)
        if value is None:
            return {}
        if not isinstance(value, dict):
            raise self.error(key, f"{key} is {_short(value)}; accepted: a table such as {{ n = 4 }}")
        return value

    def tables(self, key: str) -> list[dict[str, Any]]:
        value = self._take(key, False)
        if value is None:
            return []
        if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
            raise self.error(key, f"{key} is {_short(value)}; accepted: [[{key}]] tables")
        return value

    def rest(self) -> dict[str, Any]:
        """Every key that has not been asked for."""
        left = {key: value for key, value in self.table.items() if key not in self.asked}
        self.asked += left
        return left

    def done(self) -> None:
        for key in self.table:
            if key not in self.asked:
                raise self.error(key, f"unknown key {key!r}; accepted: {', '.join(dict.fromkeys(self.asked))}")


def key_lines(text: str, first_line: int) -> dict[str, int]:
    """The line of each key's first appearance at the start of a line."""
    lines: dict[str, int] = {}
    for number, line in enumerate(text.split("\n"), first_line):
        match = _KEY_AT_START.match(line)
        if match:
            lines.setdefault(match[1], number)
    return lines


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"
