"""`class init`, `add`, `remove`, `forget` and `pace`: every change is a line, in a dry run before it is made."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tutor.cli.output import RIGHT, BadUsage, say, say_json
from tutor.program import NAME
from tutor.regular_file import read_regular

if TYPE_CHECKING:
    from tutor.classroom.folder import ClassFolder

_MOST_KEY = 1 << 16  # bytes; a longer file is no public key, and is refused as one


def the_folder(arguments: argparse.Namespace) -> ClassFolder:
    """The folder that was named."""
    from tutor.classroom.folder import ClassFolder

    return ClassFolder(Path(arguments.folder).absolute())


def the_program() -> list[str]:
    """The console script, whole: a forced command has no PATH of the learner's to rely on."""
    own = sys.argv[0] if os.path.basename(sys.argv[0]) == NAME and os.sep in sys.argv[0] else ""
    found = own or shutil.which(NAME)
    return [os.path.abspath(found)] if found else [sys.executable, "-I", "-m", "tutor"]


def say_did(arguments: argparse.Namespace, did: Sequence[str], more: dict[str, Any] | None = None) -> None:
    """Says what is done, or in a dry run would be; each line begins with its verb: "makes …"."""
    if arguments.json:
        say_json({**(more or {}), "did": list(did), "dry_run": arguments.dry_run})
        return
    for one in did:
        verb, _, rest = one.partition(" ")
        say(f"Would {verb.removesuffix('s')} {rest}" if arguments.dry_run else one)


def init(arguments: argparse.Namespace) -> int:
    """Makes a class; one that is there stays as it is."""
    from tutor.classroom.folder import ACCOUNT, SHAPES, Settings
    from tutor.classroom.names import checked
    from tutor.classroom.owners import caution

    asked = arguments.shape or SHAPES[0]
    if asked not in SHAPES:
        raise BadUsage(f"--shape is {asked!r}; accepted: {', '.join(SHAPES)}")
    folder = the_folder(arguments)
    account = checked(arguments.account) if arguments.account is not None else ACCOUNT
    there = (folder.path / "class.toml").exists()
    settings = Settings(title=arguments.title or "A class", shape=asked, account=account)
    did: list[str] = []
    if there:
        settings = folder.settings()
    else:
        did = folder.making()
        if not arguments.dry_run:
            folder.make(settings)
    if arguments.json:
        say_did(arguments, did, {"folder": str(folder.path), "shape": settings.shape, "created": not there})
        return RIGHT
    if there:
        say(f"{folder.path} is a class already ({settings.shape}), and is as it was.")
        if arguments.shape is not None and asked != settings.shape:
            say(f"--shape {asked} changes nothing: a class keeps its shape. Another folder can be a class of {asked}.")
    else:
        say(f"{'Would make' if arguments.dry_run else 'Made'} the class {folder.path} ({settings.shape}):")
        say_did(arguments, did)
    if said := caution(settings):
        say(said)
    say(f"Next: {NAME} class sshd-config {folder.path}, and {NAME} class add {folder.path} NAME")
    return RIGHT


def add(arguments: argparse.Namespace) -> int:
    """Puts a learner into the class, and hands their folder over where that can be."""
    from tutor.classroom.entrance import with_key
    from tutor.classroom.folder import KEYS, LEARNERS, write_whole
    from tutor.classroom.names import checked
    from tutor.classroom.owners import command, hand_over, handing_over, obstacle

    folder, name = the_folder(arguments), checked(arguments.name)
    settings = folder.settings()
    line = "" if arguments.key is None else _key_line(folder, name, arguments.key)
    place, keys = folder.path / LEARNERS / name, folder.path / KEYS
    did = [f"sets the mode of {place} to 2750" if place.is_dir() else f"makes {place} with mode 2750"]
    refused = obstacle(settings, name)
    if not refused:
        did += handing_over(settings, folder, name)
    if line:
        did.append(f"writes {keys} with mode 644: {line}")
    if not arguments.dry_run:
        folder.add(name)
        if not refused:
            hand_over(settings, folder, name)
        if line:
            old = keys.read_text(encoding="utf-8") if keys.exists() else ""
            write_whole(keys, with_key(old, line, name), 0o644)
    say_did(arguments, did)
    if refused and not arguments.json:
        left = "Would be left" if arguments.dry_run else "Left"
        say(f"{left} to the administrator ({refused}): {command(the_program(), folder, name)}")
        say(f"{NAME} class sshd-config {folder.path} prints all that has to be on the host.")
    return RIGHT


def _key_line(folder: ClassFolder, name: str, file: str) -> str:
    """The learner's line for the class's authorized_keys; raises BadUsage for a key that cannot be theirs."""
    from tutor.classroom.entrance import key_line, whose
    from tutor.classroom.folder import KEYS, SHARED

    if folder.settings().shape != SHARED:
        raise BadUsage("--key is for a class that shares one account; here the learner's own account has the key")
    try:
        key = read_regular(Path(file), _MOST_KEY).decode("ascii")
    except (OSError, ValueError) as error:
        raise BadUsage(f"{file}: {getattr(error, 'strerror', None) or 'no public key'}") from None
    line = key_line(the_program(), folder.path, name, key)
    has_it = whose(folder.path / KEYS, key)
    if has_it not in ("", name):
        raise BadUsage(f"{has_it} has this key already; sshd would let {name} in as {has_it}")
    return line


def remove(arguments: argparse.Namespace) -> int:
    """Takes a learner out of the class, and keeps what they did."""
    folder = the_folder(arguments)
    places = folder.places(arguments.name)
    did = [f"moves {places.state} into {folder.path / 'removed'}; `class forget` deletes it"]
    did += _shut_out(arguments, folder)
    if not arguments.dry_run:
        folder.remove(arguments.name)
    say_did(arguments, did)
    return RIGHT


def forget(arguments: argparse.Namespace) -> int:
    """Deletes all that is kept of a learner; asks."""
    folder = the_folder(arguments)
    folder.settings()
    if not arguments.yes and not arguments.dry_run:
        if not sys.stdin or not sys.stdin.isatty():
            raise BadUsage("forget asks first; --yes where nobody can be asked")
        asked = input(f"Delete everything that {arguments.name} has done in this class? [y/N] ")
        if asked.strip().lower() not in ("y", "yes"):
            say("Nothing was deleted.")
            return RIGHT
    did = [f"deletes {one}" for one in folder.kept(arguments.name)]
    if not did and not arguments.json:
        say(f"Nothing is kept of {arguments.name}.")
    did += _shut_out(arguments, folder)
    if not arguments.dry_run:
        folder.forget(arguments.name)
    say_did(arguments, did)
    return RIGHT


def _shut_out(arguments: argparse.Namespace, folder: ClassFolder) -> list[str]:
    """Takes the learner's keys out of the door, but for a dry run; says so where there is a door."""
    from tutor.classroom.entrance import without
    from tutor.classroom.folder import KEYS, write_whole

    keys = folder.path / KEYS
    if not keys.exists():
        return []
    if not arguments.dry_run:
        write_whole(keys, without(keys.read_text(encoding="utf-8"), arguments.name), 0o644)
    return [f"takes {arguments.name}'s lines out of {keys}"]


def pace(arguments: argparse.Namespace) -> int:
    """How far the class has come, and what is asked of it today; without an option only says so."""
    from tutor.cli.class_board import the_course

    folder = the_folder(arguments)
    changes: dict[str, Any] = {}
    course = the_course()
    if arguments.open_until is not None:
        ids = [lesson.id for lesson in course.lessons]
        if arguments.open_until not in ("", "all", *ids):
            raise BadUsage(f"--open-until is {arguments.open_until!r}; accepted: all, {', '.join(ids)}")
        changes["open_until"] = "" if arguments.open_until == "all" else arguments.open_until
    if arguments.question is not None:
        if arguments.question not in ("", "none") and course.question(arguments.question) is None:
            raise BadUsage(f"--question is {arguments.question!r}; accepted: none, or the id of a question")
        changes["question"] = "" if arguments.question == "none" else arguments.question
    if arguments.reveal is not None:
        if arguments.reveal not in ("on", "off"):
            raise BadUsage(f"--reveal is {arguments.reveal!r}; accepted: on, off")
        changes["reveal"] = arguments.reveal == "on"
    settings = replace(folder.settings(), **changes)
    if changes and not arguments.dry_run:
        folder.set(**changes)
    if arguments.json:
        said = {"open_until": settings.open_until, "question": settings.question, "reveal": settings.reveal}
        say_json({**said, "dry_run": arguments.dry_run})
        return RIGHT
    if changes:
        say_did(arguments, [f"writes {folder.path / 'class.toml'}:"])
    say(f"Lessons are open as far as {settings.open_until}." if settings.open_until else "All lessons are open.")
    say(f"Question of the day: {settings.question or 'none'}.")
    say(f"Answers on request: {'on' if settings.reveal else 'off'}. Sessions that begin from now on follow this.")
    return RIGHT
