"""How the tutor starts, from the console script and from `python -m tutor`."""

from __future__ import annotations

import os
import sys


def main() -> int:
    """The console script: the command line in an isolated interpreter.

    A script's own folder is first on its path, never the current one, so only PYTHONPATH and its
    like can bring in a learner's random.py: where one is set, Python starts again without it.
    """
    if not sys.flags.isolated and os.name == "posix" and any(name in os.environ for name in _LEADS_PYTHON_ASTRAY):
        user_site = getattr(sys.modules.get("site"), "USER_SITE", None)
        # -I also leaves out packages that `pip install --user` put there, this one perhaps among them
        isolated = ["-E", "-P"] if user_site and __file__.startswith(user_site) else ["-I"]
        os.execv(sys.executable, [sys.executable, *isolated, "-m", "tutor", *sys.argv[1:]])
    return run()


_LEADS_PYTHON_ASTRAY = ("PYTHONPATH", "PYTHONHOME", "PYTHONSTARTUP", "PYTHONINSPECT", "PYTHONBREAKPOINT")


def run() -> int:
    """The command line with this process's arguments; returns the exit status, whatever happens."""
    _open_what_is_closed()
    try:
        status = _command_line(sys.argv[1:])
        sys.stdout.flush()
    except BrokenPipeError:
        # The reader (head, less) has gone: nobody is left to tell, and Python must not try again at exit
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return 141
    except KeyboardInterrupt:
        print("\nstopped", file=sys.stderr)
        return 130
    except OSError as error:
        # What is printed last is written last: the disk may be full
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        print(f"worldsize: standard output: {error.strerror or error}", file=sys.stderr)
        return 3
    except Exception as error:
        if os.environ.get("TUTOR_TRACEBACK"):
            raise
        print(
            f"worldsize: a mistake of the tutor's own: {type(error).__name__}: {' '.join(str(error).split())[:300]} "
            "(TUTOR_TRACEBACK=1 shows where)",
            file=sys.stderr,
        )
        return 3
    return status


def _open_what_is_closed() -> None:
    """Standard streams that were closed from the start (`>&-`) lead to nowhere.

    Else the first file that is opened, the learner's record perhaps, would be standard output to a child.
    """
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        if getattr(sys, name) is None:
            nowhere = os.open(os.devnull, os.O_RDWR)
            if nowhere != number:
                os.dup2(nowhere, number)
                os.close(nowhere)
            # For as long as the program runs
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115


def _command_line(argv: list[str]) -> int:
    if not argv:
        # The app opens without waiting for the parser of all commands
        from tutor.cli.app_command import open_shipped
        from tutor.cli.carry_out import carried_out

        return carried_out(open_shipped)
    from tutor.cli.main import main as command_line

    return command_line(argv)
