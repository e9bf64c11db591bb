"""Reads the arguments and hands them to the command."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from typing import Any, NoReturn

from tutor.cli.carry_out import carried_out
from tutor.cli.output import RIGHT, BadUsage, say
from tutor.program import NAME, program

Command = Callable[[argparse.Namespace], int]


class _Parser(argparse.ArgumentParser):
    """argparse with one line for a mistake instead of the whole usage."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._positionals.title = "arguments"

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """As argparse, which takes options between the words of one argument for its end: they go first here."""
        lists = any(not action.option_strings and action.nargs in ("*", "+", "?") for action in self._actions)
        if args is not None and lists and self.add_help:  # without help of its own: not all options are known here
            args = self._options_first(list(args))
        return super().parse_known_args(args, namespace)

    def _options_first(self, words: list[str]) -> list[str]:
        options, others = [], []
        while words and words[0] != "--":
            word = words.pop(0)
            action = self._option_string_actions.get(word.partition("=")[0])
            if action is None:
                others.append(word)
                continue
            options.append(word)
            if "=" not in word and action.nargs is None and words:
                options.append(words.pop(0))
        return [*options, *others, *words]

    def error(self, message: str) -> NoReturn:
        missing = message.removeprefix("the following arguments are required: ")
        if missing != message:
            message = f"{missing} {'are' if ', ' in missing else 'is'} missing"
        missing = message.removeprefix("the following arguments are required: ")
        if missing != message:
            message = f"{missing} {'are' if ', ' in missing else 'is'} missing"
        raise BadUsage(f"{message} (see {self.prog} --help)")


def _sentence(help: str) -> str:
    """The line of a list as a sentence that stands alone."""
    return f"{help[0].upper()}{help[1:]}."


def _lazy(module: str, function: str) -> Command:
    """A command that is imported when it runs, so that `--help` waits for none of them."""

    def command(arguments: argparse.Namespace) -> int:
        from importlib import import_module

        found: Command = getattr(import_module(f"tutor.cli.{module}"), function)
        return found(arguments)

    return command


def parser() -> argparse.ArgumentParser:
    """The parser of every command but `show`, whose options are its topic's parameters."""
    from tutor.cli.drawing_options import OPTIONS as DRAWN

    common = _Parser(add_help=False, allow_abbrev=False, argument_default=argparse.SUPPRESS)
    common.add_argument("--json", action="store_true", help="print one JSON document")
    common.add_argument("--course", metavar="DIR", help="use the course in DIR instead of the one that is shipped")

    top = _Parser(
        prog=program(),
        parents=[common],
        allow_abbrev=False,
        description="A terminal tutor for distributed training. Without a command: the app.",
        epilog=(
            "Exit status: 0 done or right, 1 wrong, 2 bad usage or input, 3 could not be carried out. "
            "TUTOR_HOME names the folder for progress and exercise files."
        ),
    )
    top.add_argument("--version", action="store_true", help="print the version")
    top.set_defaults(command=_lazy("app_command", "open_app"))
    commands = top.add_subparsers(title="commands", metavar="COMMAND")

    def add(name: str, module: str, function: str, help: str, add_help: bool = True) -> argparse.ArgumentParser:
        command = commands.add_parser(
            name, parents=[common], help=help, description=_sentence(help), add_help=add_help, allow_abbrev=False
        )
        command.set_defaults(command=_lazy(module, function))
        return command

    plain = add("plain", "plain_command", "plain", "the course line by line: for screen readers, pipes and slow lines")
    plain.add_argument("lesson", metavar="LESSON", nargs="?", help="where to begin (where you were)")

    lessons = add("lessons", "reading", "lessons", "list the lessons and how far you are; print a step to read")
    lessons.add_argument("of", metavar="LESSON|STEP", nargs="?", help="a lesson: its steps; a step: its text")
    add("exercises", "reading", "exercises", "list the exercises, where your files are and how they stand")

    glossary = add("glossary", "lookup", "glossary", "what a term means, and which step defines it")
    glossary.add_argument("term", metavar="TERM", nargs="*", help="by any of its names; without one, all are listed")
    search = add("search", "lookup", "search", "find words in lessons, glossary, quantities and pictures, best first")
    search.add_argument("words", metavar="WORDS", nargs="+", help="all of them have to be there")

    answer = add("answer", "answering", "answer", "answer a question")
    answer.add_argument("question", metavar="QUESTION", help="its id; ID@SEED for one member of a family")
    answer.add_argument(
        "text",
        metavar="TEXT",
        nargs="*",
        default=[],
        help="a number, an option, rows `1 2 303; 11 20 30`; - reads standard input; left out, the question is asked",
    )

    hint = add("hint", "answering", "hint", "the next hint for a question or exercise")
    hint.add_argument("item", metavar="ID", help="of a question or exercise; ID@SEED for one member of a family")
    reveal = add("reveal", "answering", "reveal", "show the answer with its reason; remembered as revealed, not solved")
    reveal.add_argument("item", metavar="ID", help="of a question or exercise; ID@SEED for one member of a family")

    start = add("start", "files", "start", "write an exercise's file into your folder")
    start.add_argument("exercise", metavar="EXERCISE", help="its id; `exercises` lists them")
    reset = add("reset", "files", "reset", "begin an exercise's file again; asks, and keeps a backup")
    reset.add_argument("exercise", metavar="EXERCISE", help="its id; `exercises` lists them")
    reset.add_argument("--yes", action="store_true", help="do not ask")
    solution = add("solution", "answering", "reveal", "show an exercise's solution; remembered as revealed, not solved")
    solution.add_argument("item", metavar="EXERCISE", help="its id; `exercises` lists them")
    check = add("check", "files", "check", "check a file against its exercise")
    check.add_argument("file", metavar="FILE", help="your file, such as ring_all_reduce.py")
    check.add_argument(
        "--exercise", metavar="ID", help="the exercise, where neither the file's name nor its first line says"
    )
    check.add_argument("--watch", action="store_true", help="check again each time the file changes")
    check.add_argument(
        "--steps", metavar="A:B", help="show these steps of a wrong run beside the engine's (one, or both ends)"
    )
    check.add_argument("--output", action="store_true", help="show all lines that the file printed, not the last ones")

    run = add(
        "run", "run", "run", "run a worker's file, simulated or for real on MPI or torch.distributed, and time it"
    )
    run.add_argument("file", metavar="FILE", help="a worker's program, such as ring_all_reduce_worker.py")
    run.add_argument("-n", metavar="N", help="how many workers (4; under mpiexec or torchrun as many as they start)")
    run.add_argument("--engine", metavar="ENGINE", default="simulated", help="simulated (as it is), mpi or torch")
    run.add_argument(
        "--exercise", metavar="ID", help="the exercise, where neither the file's name nor its first line says"
    )
    run.add_argument("--length", metavar="N", help="about so many numbers for each worker (120,000)")
    run.add_argument("--seed", metavar="N", default="0", help="draw the numbers from N (0)")
    run.add_argument("--limit", metavar="SECONDS", default="60", help="stop a program that takes longer (60)")

    show = add(
        "show", "show", "show", "draw a picture with any parameters: show TOPIC --help lists them", add_help=False
    )
    show.add_argument("topic", metavar="TOPIC", nargs="?", help="what to draw; without one, the topics are listed")
    calc = add("calc", "calc", "calc", "compute a quantity, with the formula and your numbers in it")
    calc.add_argument("quantity", metavar="QUANTITY", nargs="?", help="its name; --list shows all")
    calc.add_argument(
        "arguments",
        metavar="key=value",
        nargs="*",
        help="as in workers=8 bytes=20MB params=7B; sums count: bytes=4*1024",
    )
    calc.add_argument("--list", action="store_true", help="list every quantity with its arguments")

    plan = add("plan", "plan", "plan", "list the layouts of a model that fit a cluster, fastest first")
    plan.add_argument("--model", metavar="ID", help="such as llama-7b, gpt-175b, megatron-1t")
    plan.add_argument("--hardware", metavar="ID", help="such as h100, a100")
    plan.add_argument("--gpus", metavar="N", help="how many")
    plan.add_argument("--batch", metavar="N", help="sequences a step (about a million tokens)")
    plan.add_argument("--sequence", metavar="N", help="tokens in a sequence (the model's own)")
    for name, said in (
        ("data", "only layouts with N data-parallel replicas"),
        ("tensor", "only layouts with tensor parallelism over N GPUs"),
        ("pipeline", "only layouts with N pipeline stages"),
        ("zero", "only layouts with ZeRO stage N, 0 to 3"),
        ("micro-batch", "only layouts with N sequences in a micro-batch"),
        ("chunks", "only layouts with N model stages on each rank"),
    ):
        plan.add_argument(f"--{name}", metavar="N", help=said)
    plan.add_argument("--checkpointing", metavar="MODE", help="only none, selective or full")
    plan.add_argument("--tokens", metavar="N", help="tokens of the whole run, as in 2e12: days and GPU-hours")
    plan.add_argument("--layout", metavar="N", help="the N-th layout alone: bytes, seconds, and why it is behind")
    plan.add_argument("--own", metavar="FILE", help="a TOML file with [models.ID] and [machines.ID] of your own")
    plan.add_argument("--top", metavar="N", default="10", help="how many layouts to list (10)")
    for option, (metavar, said) in DRAWN.items():
        if metavar:
            plan.add_argument(f"--{option}", metavar=metavar, help=said)
        else:
            plan.add_argument(f"--{option}", action="store_true", help=said)

    exam = add("exam", "exam", "exam", "the final examination: ten problems; it goes on where you left it")
    exam.add_argument("--seed", metavar="N", help="draw the problems from N")
    exam.add_argument(
        "--save", metavar="FILE", nargs="?", const="", help="write the page at the end to FILE (named after the day)"
    )
    exam.add_argument("--last", action="store_true", help="show the page of the last examination")

    practice = add("practice", "practice", "practice", "fresh problems, at the time at which they are nearly forgotten")
    practice.add_argument(
        "lesson", metavar="LESSON", nargs="?", help="one lesson; those that you have opened if left out"
    )
    practice.add_argument("--count", metavar="N", help="how many problems (10)")
    practice.add_argument("--seed", metavar="N", help="the problems of N, the same ones every time")
    practice.add_argument("--due", action="store_true", help="only say how much is due")

    progress = add("progress", "reading", "progress", "what you have done")
    move = progress.add_mutually_exclusive_group()
    move.add_argument("--export", metavar="FILE", help="write your whole record to FILE")
    move.add_argument("--import", metavar="FILE", dest="import_", help="add what FILE holds to your record")

    add("doctor", "doctor", "doctor", "look at this machine, and say what to do about each shortcoming")

    class_ = add("class", "class_", "run", "a class on this host: set it up, see how it goes, grade it")
    what = class_.add_subparsers(title="what", dest="what", metavar="WHAT", required=True)

    def of_class(name: str, help: str, *, several: bool = False) -> argparse.ArgumentParser:
        command = what.add_parser(name, parents=[common], help=help, description=_sentence(help), allow_abbrev=False)
        command.add_argument("folders" if several else "folder", metavar="DIR", nargs="+" if several else None)
        command.add_argument("--dry-run", action="store_true", help="say what would be done, and change nothing")
        return command

    class_init = of_class("init", "make a class's folder")
    class_init.add_argument("--shape", metavar="SHAPE", help="accounts (one for each learner) or shared (one for all)")
    class_init.add_argument("--title", metavar="TEXT")
    class_init.add_argument("--account", metavar="NAME", help="the shared account, or the group of the accounts")
    class_add = of_class("add", "put a learner into the class")
    class_add.add_argument("name", metavar="NAME")
    class_add.add_argument("--key", metavar="FILE", help="their public key, in a class that shares an account")
    of_class("list", "who is in the class")
    class_remove = of_class("remove", "take a learner out of the class; what they did is kept aside")
    class_remove.add_argument("name", metavar="NAME")
    class_forget = of_class("forget", "delete all that is kept of a learner; asks")
    class_forget.add_argument("name", metavar="NAME")
    class_forget.add_argument("--yes", action="store_true", help="do not ask")
    of_class("sshd-config", "print what has to be on the host; changes nothing")
    class_pace = of_class("pace", "how far lessons are open, the question of the day, answers on request")
    class_pace.add_argument("--open-until", metavar="LESSON", help="the last open lesson, or all")
    class_pace.add_argument("--question", metavar="ID", help="the question of the day, or none")
    class_pace.add_argument("--reveal", metavar="on|off")
    class_session = of_class("session", "a learner's session: what their connection runs")
    class_session.add_argument("--learner", metavar="NAME")
    class_board = of_class("board", "who is where, who is stuck and on what", several=True)
    class_board.add_argument("--learner", metavar="NAME", help="one learner's latest answers")
    class_board.add_argument("--csv", action="store_true")
    class_board.add_argument("--plain", action="store_true", help="lines, also on a terminal")
    class_board.add_argument("--watch", action="store_true", help="again every few seconds, until ctrl+c")
    class_report = of_class("report", "grades: every answer and file judged again, here", several=True)
    class_report.add_argument("--csv", action="store_true")
    class_report.add_argument("--seed", metavar="N", type=int, help="the inputs of the checks")
    class_export = of_class("export", "all that is kept of a learner in one file, for them to take along")
    class_export.add_argument("name", metavar="NAME")
    class_export.add_argument("file", metavar="FILE")
    class_doctor = of_class("doctor", "whether this host can hold the class")
    class_doctor.add_argument("--sshd-config", metavar="FILE", help="another file of sshd's than its own")

    lint = add("lint", "authoring", "lint", "look for mistakes in a course")
    lint.add_argument("folder", metavar="DIR", nargs="?", help="the course; the one that is shipped when left out")
    lint.add_argument(
        "--publish", action="store_true", help="without mistakes: note the ids that are new; they then have to stay"
    )
    new = add("new-lesson", "authoring", "new_lesson", "write a small whole lesson to begin from")
    new.add_argument("folder", metavar="DIR", help="its folder; the course is the folder around it")
    return top


def version() -> int:
    """Prints the version of the distribution."""
    from importlib.metadata import PackageNotFoundError
    from importlib.metadata import version as installed

    try:
        say(f"{NAME} {installed(NAME)}")
    except PackageNotFoundError:
        say(f"{NAME}, from a checkout that is not installed")
    return RIGHT


def main(argv: Sequence[str]) -> int:
    """Runs one command; returns its exit status. Every expected failure is one line on standard error."""
    return carried_out(lambda: _run(argv))


def _run(argv: Sequence[str]) -> int:
    for word in argv:
        if "\0" in word:  # no shell passes one on, and no file has one in its name
            raise BadUsage(f"{word[:60]!r} holds a NUL; accepted: text")
    arguments, rest = parser().parse_known_args(argv)
    arguments.rest = rest
    # No defaults in the parser: a command's would hide what was given before it
    arguments.json = getattr(arguments, "json", False)
    arguments.course = getattr(arguments, "course", None)
    if arguments.version:
        return version()
    if rest and not hasattr(arguments, "topic"):
        raise BadUsage(f"unrecognised: {' '.join(rest)} (see {program()} --help)")
    return int(arguments.command(arguments))
