"""What a learner has chosen about how the app looks: a small file beside the record, missing at first."""

from __future__ import annotations

import contextlib
import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

NAME = "settings.json"
_LARGEST = 10_000  # bytes

Motion = Literal["auto", "on", "off"]
MOTIONS: tuple[Motion, ...] = ("auto", "on", "off")


class NotKept(Exception):
    """Settings that could not be written: one line that says why."""


@dataclass(frozen=True)
class Settings:
    """`theme`: its name, empty for the app's own. `motion`: whether pictures play by themselves, auto: not over SSH."""

    theme: str = ""
    motion: Motion = "auto"

    def moves(self, remote: bool) -> bool:
        """Whether pictures play by themselves.

        >>> Settings().moves(remote=True), Settings(motion="on").moves(remote=True)
        (False, True)
        """
        return self.motion == "on" or (self.motion == "auto" and not remote)


def parsed(text: str) -> Settings | None:
    """The settings that a file holds, None where it is none of ours. What is unknown in it is passed over.

    >>> parsed('{"theme": "nord", "motion": "off"}')
    Settings(theme='nord', motion='off')
    >>> parsed("[]") is None
    True
    """
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, dict):
        return None
    theme, motion = found.get("theme", ""), found.get("motion", "auto")
    if not isinstance(theme, str) or motion not in MOTIONS:
        return None
    return Settings(theme, motion)


def read(file: Path) -> tuple[Settings, str]:
    """The settings, and what the learner must be told: nothing, or that the file is damaged and passed over."""
    try:
        with file.open(encoding="utf-8") as source:
            found = parsed(source.read(_LARGEST))
    except FileNotFoundError:
        return Settings(), ""
    except (OSError, UnicodeDecodeError):
        found = None
    if found is None:
        return Settings(), f"{file.name} is damaged and is passed over: choose your settings again."
    return found, ""


def write(file: Path, settings: Settings) -> None:
    """Writes the whole file or nothing. Raises NotKept."""
    import tempfile  # takes longer to load than to read the settings

    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(prefix=".", suffix=".tmp", dir=file.parent)
        try:
            with os.fdopen(descriptor, "w", encoding="utf-8") as out:
                out.write(json.dumps(asdict(settings)) + "\n")
            os.replace(name, file)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(name)
            raise
    except OSError as error:
        raise NotKept(f"your settings are not kept, {file}: {error.strerror or error}") from None
