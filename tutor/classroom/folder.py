"""A class's folder: its settings, and a folder for each learner.

DIR/class.toml               title, shape, pace: written by the instructor, read by every session
DIR/learners/NAME/           progress.db and exercises/ of one learner
DIR/removed/NAME-STAMP/      those that were taken out of the class
DIR/authorized_keys          shape "shared": a forced command for each key
"""

from __future__ import annotations

import json
import os
import shutil
import time
import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from pathlib import Path

from tutor.classroom.names import ACCEPTED, BadName, checked
from tutor.places import Places

SETTINGS, LEARNERS, REMOVED, KEYS = "class.toml", "learners", "removed", "authorized_keys"
ACCOUNTS, SHARED = "accounts", "shared"
SHAPES = (ACCOUNTS, SHARED)
ACCOUNT = "worldsize-class"
_HEAD = "# A class of worldsize. Change it with `worldsize class`, or here.\n"


class NoClass(Exception):
    """A folder that is no class, or a learner that it does not have: one line."""


@dataclass(frozen=True)
class Settings:
    """What holds for every session of the class."""

    title: str = "A class"
    shape: str = ACCOUNTS  # an account for each learner, or one that they share
    account: str = ACCOUNT  # the one that they share, or the group of all their accounts
    open_until: str = ""  # the last lesson that is open; all of them where empty
    question: str = ""  # of the day: the id of a question
    reveal: bool = True  # whether learners may have answers and solutions shown


@dataclass(frozen=True)
class ClassFolder:
    """The folder of one class. Raises NoClass, and OSError where the system refuses."""

    path: Path

    # Settings

    def settings(self) -> Settings:
        """What class.toml says."""
        file = self.path / SETTINGS
        try:
            table = tomllib.loads(file.read_text(encoding="utf-8"))
        except FileNotFoundError:
            raise NoClass(f"{self.path} is no class; `class init {self.path}` makes one") from None
        except (ValueError, OSError) as error:
            raise NoClass(f"{file}: {getattr(error, 'strerror', None) or error}") from None
        known = {one.name: one for one in fields(Settings)}
        for name, value in table.items():
            if name not in known:
                raise NoClass(f"{file}: {name}; accepted: {', '.join(known)}")
            if not isinstance(value, bool if name == "reveal" else str):
                accepted = "true or false" if name == "reveal" else "a text"
                raise NoClass(f"{file}: {name} is {value!r}; accepted: {accepted}")
        found = Settings(**table)
        if found.shape not in SHAPES:
            raise NoClass(f"{file}: shape is {found.shape!r}; accepted: {', '.join(SHAPES)}")
        if not _is_name(found.account):
            raise NoClass(f"{file}: account is {found.account!r}; accepted: {ACCEPTED}")
        return found

    def set(self, **changes: object) -> Settings:
        """Changes some settings; the file is replaced whole."""
        settings = replace(self.settings(), **changes)  # type: ignore[arg-type]
        self._write(settings)
        return settings

    def _write(self, settings: Settings) -> None:
        values = {one.name: json.dumps(getattr(settings, one.name), ensure_ascii=False) for one in fields(Settings)}
        lines = [f"{name} = {value}" for name, value in values.items()]
        text = _HEAD + "\n".join(lines) + "\n"
        write_whole(self.path / SETTINGS, text, 0o644)

    def _parts(self) -> tuple[tuple[Path, int], ...]:
        """The class's own folders, each with its mode."""
        return (self.path, 0o755), (self.path / LEARNERS, 0o711), (self.path / REMOVED, 0o700)

    def making(self) -> list[str]:
        """What `make` does, a line each."""
        lines = [f"makes {one}" for one in reversed(self.path.parents) if not one.exists()]
        for folder, mode in self._parts():
            there = folder.exists()
            lines.append(f"sets the mode of {folder} to {mode:o}" if there else f"makes {folder} with mode {mode:o}")
        if not (self.path / SETTINGS).exists():
            lines.append(f"writes {self.path / SETTINGS} with mode 644")
        return lines

    def make(self, settings: Settings) -> None:
        """Makes the folder with its parts; those that are there stay."""
        for folder, mode in self._parts():
            folder.mkdir(parents=True, exist_ok=True)
            folder.chmod(mode)
        if not (self.path / SETTINGS).exists():
            self._write(settings)

    # Learners

    def learners(self) -> list[str]:
        """The names of those in the class, sorted; folders with other names are none."""
        staff = f"{self.settings().account}-staff"
        if not os.access(self.path / LEARNERS, os.R_OK):
            raise NoClass(f"{self.path / LEARNERS} may not be listed; an instructor's account is in the group {staff}")
        return sorted(name for name in _folders(self.path / LEARNERS) if _is_name(name))

    def places(self, name: str) -> Places:
        """Where a learner's things are. Raises BadName, and NoClass for one that is not in the class."""
        folder = self.path / LEARNERS / checked(name)
        if not folder.is_dir():
            # A learner who is told why they cannot come in is not told who else can
            seen = os.access(self.path / LEARNERS, os.R_OK)
            others = f"; there are: {', '.join(self.learners()) or 'none yet'}" if seen else ""
            raise NoClass(f"{name} is not in this class{others}")
        return Places(state=folder, exercises=folder / "exercises")

    def add(self, name: str) -> Path:
        """Makes a learner's folder; one that is there stays as it is."""
        folder = self.path / LEARNERS / checked(name)
        folder.mkdir(exist_ok=True)
        folder.chmod(0o2750)
        return folder

    def remove(self, name: str) -> Path:
        """Takes a learner out of the class and keeps what they did, under another name."""
        places = self.places(name)
        stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime())
        aside = self.path / REMOVED / f"{name}-{stamp}"
        places.state.rename(aside)
        return aside

    def kept(self, name: str) -> list[Path]:
        """All that is kept of a learner, in the class or taken out of it."""
        checked(name)
        found = [self.path / LEARNERS / name] if (self.path / LEARNERS / name).is_dir() else []
        return found + [self.path / REMOVED / one for one in _folders(self.path / REMOVED) if _is_of(name, one)]

    def forget(self, name: str) -> list[Path]:
        """Deletes all that is kept of a learner; returns what was deleted."""
        found = self.kept(name)
        for folder in found:
            shutil.rmtree(folder)
        return found


def write_whole(file: Path, text: str, mode: int) -> None:
    """Writes the whole file or nothing."""
    other = file.with_name(f".{file.name}.{os.getpid()}")
    descriptor = os.open(other, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as out:
            out.write(text)
        other.chmod(mode)
        other.replace(file)
    except BaseException:
        other.unlink(missing_ok=True)
        raise


def _folders(parent: Path) -> Iterator[str]:
    try:
        with os.scandir(parent) as entries:
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    yield entry.name
    except OSError:
        return


def _is_name(name: str) -> bool:
    try:
        checked(name)
    except BadName:
        return False
    return True


def _is_of(name: str, folder: str) -> bool:
    """Whether a removed folder is this learner's: NAME-YYYYMMDD-HHMMSS."""
    stamp = folder.removeprefix(f"{name}-")
    return folder != stamp and len(stamp) == 15 and stamp.replace("-", "").isdigit()
