"""`class …`: a class on this host, from the instructor's side; and a learner's session."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from pathlib import Path

from tutor.cli.class_board import export, show_board, show_report, the_course
from tutor.cli.class_changes import add, forget, init, pace, remove, say_did, the_folder, the_program
from tutor.cli.output import RIGHT, WRONG, BadUsage, NotDone, say, say_json


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


def _list(arguments: argparse.Namespace) -> int:
    folder = the_folder(arguments)
    settings = folder.settings()
    learners = folder.learners()
    if arguments.json:
        say_json({"title": settings.title, "shape": settings.shape, "learners": learners})
        return RIGHT
    say(f"{settings.title} ({settings.shape}): {len(learners)} learner{'' if len(learners) == 1 else 's'}")
    for name in learners:
        say(f"  {name}")
    return RIGHT


def _sshd_config(arguments: argparse.Namespace) -> int:
    from tutor.classroom.entrance import pieces

    folder = the_folder(arguments)
    settings = folder.settings()
    found = pieces(settings, folder.path, the_program(), folder.learners())
    if arguments.json:
        say_json({"pieces": [{"what": one.what, "where": one.where, "text": one.text} for one in found]})
        return RIGHT
    say(f"# {settings.title}: nothing on this host is changed; put these where they say.")
    for one in found:
        say(f"\n# {one.what}: {one.where}")
        say(one.text.rstrip())
    return RIGHT


# Learning


def _session(arguments: argparse.Namespace) -> int:
    from tutor.app.terminal_check import why_not
    from tutor.classroom.session import can_keep, enter, greeting, of_the_clock, open_lessons
    from tutor.progress.store import Store
    from tutor.study import Study

    folder = the_folder(arguments)
    entry = enter(folder, arguments.learner, os.environ)
    if arguments.dry_run:
        say_did(
            arguments, [f"opens the tutor for {entry.learner}, with what is in {folder.places(entry.learner).state}"]
        )
        return RIGHT
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
        store.notices += [*of_the_clock(store), *greeting(course, entry.settings)]
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
    found = examine(the_folder(arguments), the_program(), configuration)
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
    "init": init,
    "add": add,
    "list": _list,
    "remove": remove,
    "forget": forget,
    "sshd-config": _sshd_config,
    "pace": pace,
    "session": _session,
    "board": show_board,
    "report": show_report,
    "export": export,
    "doctor": _doctor,
}
