"""`class …`: a class on this host, from the instructor's side; and a learner's session."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from tutor.cli.class_board import export, show_board, show_report, the_course
from tutor.cli.output import RIGHT, WRONG, BadUsage, NotDone, say, say_json
from tutor.program import NAME
from tutor.regular_file import read_regular

if TYPE_CHECKING:
    from tutor.classroom.folder import ClassFolder

_MOST_KEY = 1 << 16  # bytes; a longer file is no public key, and is refused as one


def run(arguments: argparse.Namespace) -> int:
    """Carries one of the class commands out; what is expected to go wrong is one line."""
    from tutor.classroom.copies import Unsafe
    from tutor.classroom.entrance import BadKey
    from tutor.classroom.folder import NoClass
    from tutor.classroom.names import BadName

    command: Callable[[argparse.Namespace], int] = _COMMANDS[arguments.what]
    try:
        return command(arguments)
    except (NoClass, BadName, BadKey) as error:
        raise BadUsage(str(error)) from None
    except Unsafe as error:
        raise NotDone(str(error)) from None


def _folder(arguments: argparse.Namespace) -> ClassFolder:
    from tutor.classroom.folder import ClassFolder

    return ClassFolder(Path(arguments.folder).absolute())


# Setting up


def _init(arguments: argparse.Namespace) -> int:
    from tutor.classroom.folder import ACCOUNT, SHAPES, Settings
    from tutor.classroom.names import checked

    shape = arguments.shape or SHAPES[0]
    if shape not in SHAPES:
        raise BadUsage(f"--shape is {shape!r}; accepted: {', '.join(SHAPES)}")
    folder = _folder(arguments)
    there = (folder.path / "class.toml").exists()
    account = checked(arguments.account) if arguments.account is not None else ACCOUNT
    if not there and not arguments.dry_run:
        folder.make(Settings(title=arguments.title or "A class", shape=shape, account=account))
    asked = shape
    if there:
        shape = folder.settings().shape
    if arguments.json:
        say_json({"folder": str(folder.path), "shape": shape, "created": not there, "dry_run": arguments.dry_run})
        return RIGHT
    if there:
        say(f"{folder.path} is a class already ({shape}), and is as it was.")
        if arguments.shape is not None and asked != shape:
            say(f"--shape {asked} changes nothing: a class keeps its shape. Another folder can be a class of {asked}.")
    else:
        say(f"{'Would make' if arguments.dry_run else 'Made'} the class {folder.path} ({shape}).")
    say(f"Next: {NAME} class sshd-config {folder.path}, and {NAME} class add {folder.path} NAME")
    return RIGHT


def _add(arguments: argparse.Namespace) -> int:
    from tutor.classroom.entrance import key_line, whose, with_key
    from tutor.classroom.folder import KEYS, SHARED, write_whole
    from tutor.classroom.names import checked
    from tutor.classroom.owners import command, hand_over, owner, staff

    folder, name = _folder(arguments), checked(arguments.name)
    settings = folder.settings()
    line = ""
    if arguments.key is not None:
        if settings.shape != SHARED:
            raise BadUsage("--key is for a class that shares one account; here the learner's own account has the key")
        try:
            key = read_regular(Path(arguments.key), _MOST_KEY).decode("ascii")
        except (OSError, ValueError) as error:
            raise BadUsage(f"{arguments.key}: {getattr(error, 'strerror', None) or 'no public key'}") from None
        line = key_line(_program(), folder.path, name, key)
        has_it = whose(folder.path / KEYS, key)
        if has_it not in ("", name):
            raise BadUsage(f"{has_it} has this key already; sshd would let {name} in as {has_it}")
    did = []
    place = folder.path / "learners" / name
    if not place.is_dir():
        did.append(f"makes {place}")
    did.append(f"gives it to {owner(settings, name)}, to be read by the group {staff(settings)}")
    if line:
        did.append(f"writes {folder.path / KEYS}: {line}")
    refused = ""
    if not arguments.dry_run:
        folder.add(name)
        refused = hand_over(settings, folder, name)
        if refused:
            did.remove(f"gives it to {owner(settings, name)}, to be read by the group {staff(settings)}")
        if line:
            keys = folder.path / KEYS
            old = keys.read_text(encoding="utf-8") if keys.exists() else ""
            write_whole(keys, with_key(old, line, name), 0o644)
    _did(arguments, did or ["changes nothing: this learner is there"])
    if refused and not arguments.json:
        say(f"Left to the administrator ({refused}): {command(_program(), folder, name)}")
        say(f"{NAME} class sshd-config {folder.path} prints all that has to be on the host.")
    return RIGHT


def _did(arguments: argparse.Namespace, did: list[str]) -> None:
    if arguments.json:
        say_json({"did": did, "dry_run": arguments.dry_run})
        return
    for one in did:
        verb, _, rest = one.partition(" ")
        say(f"Would {verb.removesuffix('s')} {rest}" if arguments.dry_run else one)


def _list(arguments: argparse.Namespace) -> int:
    folder = _folder(arguments)
    settings = folder.settings()
    learners = folder.learners()
    if arguments.json:
        say_json({"title": settings.title, "shape": settings.shape, "learners": learners})
        return RIGHT
    say(f"{settings.title} ({settings.shape}): {len(learners)} learner{'' if len(learners) == 1 else 's'}")
    for name in learners:
        say(f"  {name}")
    return RIGHT


def _remove(arguments: argparse.Namespace) -> int:
    from tutor.classroom.entrance import without
    from tutor.classroom.folder import KEYS, write_whole

    folder = _folder(arguments)
    places = folder.places(arguments.name)
    keys = folder.path / KEYS
    did = [f"moves {places.state} into {folder.path / 'removed'}; `class forget` deletes it"]
    if keys.exists():
        did.append(f"takes {arguments.name}'s lines out of {keys}")
    if not arguments.dry_run:
        if keys.exists():
            write_whole(keys, without(keys.read_text(encoding="utf-8"), arguments.name), 0o644)
        folder.remove(arguments.name)
    _did(arguments, did)
    return RIGHT


def _forget(arguments: argparse.Namespace) -> int:
    from tutor.classroom.entrance import without
    from tutor.classroom.folder import KEYS, write_whole

    folder = _folder(arguments)
    folder.settings()
    if not arguments.yes and not arguments.dry_run:
        if not sys.stdin or not sys.stdin.isatty():
            raise BadUsage("forget asks first; --yes where nobody can be asked")
        asked = input(f"Delete everything that {arguments.name} has done in this class? [y/N] ")
        if asked.strip().lower() not in ("y", "yes"):
            say("Nothing was deleted.")
            return RIGHT
    keys = folder.path / KEYS
    if arguments.dry_run:
        _did(arguments, [f"deletes all that is kept of {arguments.name}"])
        return RIGHT
    if keys.exists():
        write_whole(keys, without(keys.read_text(encoding="utf-8"), arguments.name), 0o644)
    gone = folder.forget(arguments.name)
    _did(arguments, [f"deleted {one}" for one in gone] or [f"nothing is kept of {arguments.name}"])
    return RIGHT


def _sshd_config(arguments: argparse.Namespace) -> int:
    from tutor.classroom.entrance import pieces

    folder = _folder(arguments)
    settings = folder.settings()
    found = pieces(settings, folder.path, _program(), folder.learners())
    if arguments.json:
        say_json({"pieces": [{"what": one.what, "where": one.where, "text": one.text} for one in found]})
        return RIGHT
    say(f"# {settings.title}: nothing on this host is changed; put these where they say.")
    for one in found:
        say(f"\n# {one.what}: {one.where}")
        say(one.text.rstrip())
    return RIGHT


def _program() -> list[str]:
    """The console script, whole: a forced command has no PATH of the learner's to rely on."""
    own = sys.argv[0] if os.path.basename(sys.argv[0]) == NAME and os.sep in sys.argv[0] else ""
    found = own or shutil.which(NAME)
    return [os.path.abspath(found)] if found else [sys.executable, "-I", "-m", "tutor"]


def _pace(arguments: argparse.Namespace) -> int:
    folder = _folder(arguments)
    changes: dict[str, object] = {}
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
    settings = folder.settings() if arguments.dry_run or not changes else folder.set(**changes)
    if arguments.json:
        say_json({"open_until": settings.open_until, "question": settings.question, "reveal": settings.reveal})
        return RIGHT
    say(f"Lessons are open as far as {settings.open_until}." if settings.open_until else "All lessons are open.")
    say(f"Question of the day: {settings.question or 'none'}.")
    say(f"Answers on request: {'on' if settings.reveal else 'off'}. Sessions that begin from now on follow this.")
    return RIGHT


# Learning


def _session(arguments: argparse.Namespace) -> int:
    from tutor.app.terminal_check import why_not
    from tutor.classroom.session import can_keep, enter, greeting, open_lessons
    from tutor.progress.store import Store
    from tutor.study import Study

    folder = _folder(arguments)
    entry = enter(folder, arguments.learner, os.environ)
    # A learner's environment decides about the terminal and nothing else
    for name in ("EDITOR", "VISUAL", "TUTOR_HOME", "TUTOR_TRACEBACK"):
        os.environ.pop(name, None)
    os.umask(0o027)
    os.chdir("/")
    places = folder.places(entry.learner)
    can_keep(places)
    course = open_lessons(the_course(), entry.settings)
    store = Store(places.database)
    try:
        store.notices += greeting(course, entry.settings)
        study = Study(course, store, places.exercises, entry.permissions)
        if why_not() is not None:
            from tutor.plain.run import run as run_plain

            return run_plain(study)
        from tutor.app import run as run_app

        return run_app(study)
    finally:
        store.close()


def _doctor(arguments: argparse.Namespace) -> int:
    from tutor.classroom.examine import examine
    from tutor.doctor import PROBLEM

    configuration = Path(arguments.sshd_config).absolute() if arguments.sshd_config is not None else None
    if configuration is not None and not configuration.is_file():
        raise BadUsage(f"--sshd-config is {arguments.sshd_config!r}; accepted: a file that is there")
    found = examine(_folder(arguments), _program(), configuration)
    if arguments.json:
        say_json(
            {
                "findings": [
                    {"what": one.what, "state": one.state, "found": one.found, "advice": one.advice} for one in found
                ]
            }
        )
    else:
        for one in found:
            say(f"{one.state:8} {one.what}: {one.found}")
            if one.advice:
                say(f"         {one.advice}")
    return WRONG if any(one.state == PROBLEM for one in found) else RIGHT


_COMMANDS: dict[str, Callable[[argparse.Namespace], int]] = {
    "init": _init,
    "add": _add,
    "list": _list,
    "remove": _remove,
    "forget": _forget,
    "sshd-config": _sshd_config,
    "pace": _pace,
    "session": _session,
    "board": show_board,
    "report": show_report,
    "export": export,
    "doctor": _doctor,
}
