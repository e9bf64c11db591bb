"""`run`: a worker's program on simulated workers, or for real, on processes that talk over MPI or gloo."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from simlib.errors import BadArgument, whole_number
from tutor.cli.learner_file import refused_in_a_line
from tutor.cli.opening import open_study
from tutor.cli.output import BAD_INPUT, NOT_DONE, RIGHT, WRONG, BadUsage, NotDone, complain, say_json
from tutor.permissions import own_machine
from tutor.plain.paper import Paper
from tutor.program import NAME
from tutor.running.engines import ENGINES, SIMULATED, Launched, launched, missing
from tutor.units import show

if TYPE_CHECKING:
    from tutor.running.order import Order
    from tutor.running.report import Report, Timed

_WORKERS, _MOST_SECONDS = "4", 86_400
_BILLED = ("bytes_sent", "messages_sent")
_NOT_SANDBOXED = "--engine {engine} is not sandboxed: your file runs as you, with your files and your network."


def run(arguments: argparse.Namespace) -> int:
    """Runs a file, compares with a single device, and prints the bill and the times."""
    permissions = own_machine()
    if not permissions.run:
        raise BadUsage("run is off here")
    engine = arguments.engine
    if engine not in ENGINES:
        raise BadArgument("--engine", engine, ", ".join(ENGINES))
    limit = _whole("--limit", arguments.limit, 1, _MOST_SECONDS)
    by = launched()
    if by is not None and by.engine != engine:
        if by.rank > 0:
            return BAD_INPUT  # rank 0 says why
        own = "starts its workers itself" if engine == SIMULATED else f"is not what {by.by} starts"
        raise BadUsage(f"--engine {engine} {own}: run it without {by.by}")
    why = missing(engine, starts_itself=by is None)
    if why is not None:
        if by is not None and by.rank > 0:
            return NOT_DONE
        raise NotDone(why)
    if by is not None:
        return _as_rank(arguments, by, limit)
    order = _order(arguments, _whole("-n", arguments.n or _WORKERS, 1))
    try:
        return _alone(arguments, order, limit)
    finally:
        order.definition.end()


def _alone(arguments: argparse.Namespace, order: Order, limit: int) -> int:
    """Without an outside launcher."""
    from tutor.checker.verdict import CouldNotCheck
    from tutor.running import session

    _warn(arguments)
    progress = _Progress()
    try:
        started = session.simulated if order.engine == SIMULATED else session.real
        report = started(order, limit, progress.say)
    except CouldNotCheck as error:
        raise NotDone(f"could not be run: {error}") from None
    finally:
        progress.over()
    return _say(arguments, report)


def _as_rank(arguments: argparse.Namespace, by: Launched, limit: int) -> int:
    """As one of the processes that mpiexec or torchrun started: rank 0 speaks for all."""
    from tutor.running import session

    progress = _Progress()

    def prepare() -> Order:
        if arguments.n is not None and _whole("-n", arguments.n, 1) != by.world_size:
            raise BadArgument("-n", arguments.n, f"{by.world_size}, as {by.by} started, or leave it out")
        order = _order(arguments, by.world_size)
        _warn(arguments)
        return order

    def finish(outcome: Report | Exception) -> int:
        progress.over()
        if isinstance(outcome, Exception):
            return _failed(outcome)
        return _say(arguments, outcome)

    session.take_part(by, prepare, finish, limit, progress.say)


def _failed(error: Exception) -> int:
    """Says why, as `main` would for a command that raises."""
    from tutor.checker.verdict import CouldNotCheck
    from tutor.course.model import CourseError
    from tutor.progress.store import ProgressError
    from tutor.study import NotAllowed, Unknown

    if isinstance(error, (NotDone, CourseError, ProgressError)):
        complain(f"{NAME}: {error}")
        return NOT_DONE
    if isinstance(error, (BadUsage, BadArgument, Unknown, NotAllowed)):
        complain(f"{NAME}: {error}")
        return BAD_INPUT
    said = str(error) if isinstance(error, (CouldNotCheck, OSError)) else f"{type(error).__name__}: {error}"
    complain(f"{NAME}: could not be run: {' '.join(said.split())[:400]}")
    return NOT_DONE


def _order(arguments: argparse.Namespace, workers: int) -> Order:
    """What is asked for, with the file read and its exercise found."""
    from tutor.checker import read_source
    from tutor.checker.definition import Definition
    from tutor.checker.source import text_failure
    from tutor.course.load import is_shipped
    from tutor.running.order import MOST_LENGTH, MOST_WORKERS, order

    if not 1 <= workers <= MOST_WORKERS:
        raise BadArgument("-n", workers, f"1 to {MOST_WORKERS} workers")
    length = None if arguments.length is None else _whole("--length", arguments.length, 1, MOST_LENGTH)
    seed = _whole("--seed", arguments.seed, 0, (1 << 32) - 1)
    path = Path(arguments.file)
    permissions = own_machine()
    with refused_in_a_line(arguments.exercise, "run"):
        with open_study(arguments.course, permissions, only_reads=True) as study:
            source = read_source(path, None if permissions.any_file else study.exercise_folder)
            given = arguments.exercise
            exercise = study.exercise(given) if given is not None else study.exercise_of(path, source)
            trusted = is_shipped(study.course.folder)
        failure = text_failure(source)
        if failure is not None:
            raise BadUsage(f"{path}, line {failure.line}: {failure.message}")
        definition = Definition(exercise, trusted=trusted)
        try:
            return order(definition, source, path.name, arguments.engine, workers, length, seed)
        except BaseException:
            definition.end()
            raise


def _whole(name: str, text: str, least: int, most: int | None = None) -> int:
    if not (text.isascii() and text.isdecimal() and len(text) < 20):
        accepted = f"a whole number from {least:,} to {most:,}" if most else f"a whole number, {least:,} or more"
        raise BadArgument(name, text, accepted)
    return whole_number(name, int(text), least, most)


_Bill = Mapping[str, Sequence[int]]


def _warn(arguments: argparse.Namespace) -> None:
    if arguments.engine != SIMULATED:
        complain(_NOT_SANDBOXED.format(engine=arguments.engine))


class _Progress:
    """One line on the terminal's standard error, written over and over; nothing in a pipe."""

    def __init__(self) -> None:
        self._shown = 0
        self._works = sys.stderr.isatty()

    def say(self, text: str) -> None:
        """What is going on now."""
        if self._works:
            sys.stderr.write("\r" + f"{text} ...".ljust(self._shown))
            sys.stderr.flush()
            self._shown = max(self._shown, len(text) + 4)

    def over(self) -> None:
        """Takes the line away."""
        if self._shown:
            sys.stderr.write("\r" + " " * self._shown + "\r")
            sys.stderr.flush()
            self._shown = 0


def _say(arguments: argparse.Namespace, report: Report) -> int:
    """The report, as sentences or JSON; the exit status."""
    if arguments.json:
        say_json(report.to_json())
    else:
        paper = Paper(drawn=True)
        _say_verdict(paper, report)
        _say_times(paper, report)
    sys.stdout.flush()
    return RIGHT if report.result.passed else WRONG


def _say_verdict(paper: Paper, report: Report) -> None:
    from tutor.plain.verdict import report as say_result

    result = report.result
    if not result.passed:
        say_result(paper, replace(result, bill=None))
    else:
        for line in result.output.splitlines():
            paper.line(f"  | {line}")
        workers = "the worker" if report.workers == 1 else f"each of {report.workers} workers"
        paper.say(f"Right: {workers} returned what a single device computes ({_where(report)}).")
        if result.cases[0].reason:
            paper.say(result.cases[0].reason)
    if report.sent is not None:
        _say_bill(paper, report.sent, result.bill["engine"] if result.bill else None)


def _where(report: Report) -> str:
    """What carried the messages."""
    if report.version is None:
        return "simulated"
    if report.hosts > 1:
        return f"{report.version}, {report.hosts} machines"
    processes = "1 process" if report.workers == 1 else f"{report.workers} processes"
    return f"{report.version}, {processes} on {report.cores} core{'' if report.cores == 1 else 's'}"


def _say_bill(paper: Paper, yours: _Bill, engine: _Bill | None) -> None:
    """What each worker sent, beside the engine's where that is judged; workers that sent the same in one row."""
    bills = [yours] if engine is None else [yours, engine]
    groups: dict[tuple[int, ...], list[int]] = {}
    for rank, each in enumerate(zip(*(bill[what] for bill in bills for what in _BILLED), strict=True)):
        groups.setdefault(each, []).append(rank)
    head = ["The bill", "sent", "messages", "the engine's", "messages"]
    rows = []
    for amounts, ranks in groups.items():
        cells = [f"{amount:,}" if place % 2 else show(amount, "B") for place, amount in enumerate(amounts)]
        rows.append([_workers(ranks), *cells])
    paper.blank()
    _table(paper, head[: len(rows[0])], rows)


def _workers(ranks: Sequence[int]) -> str:
    if len(ranks) == 1:
        return f"worker {ranks[0]}"
    if list(ranks) == list(range(ranks[0], ranks[-1] + 1)):
        return f"workers {ranks[0]} to {ranks[-1]}"
    return "workers " + ", ".join(map(str, ranks))


def _say_times(paper: Paper, report: Report) -> None:
    """The links and the times, as a table."""
    if report.links:
        measured = report.links[0].points
        paper.blank()
        paper.say("Links that the times of this run fit:" if measured else "The cost model on published links:")
        head = ["", "latency", "bandwidth", "worst miss" if measured else "the program"]
        models = [one.model_seconds for one in report.program]
        rows = []
        for place, link in enumerate(report.links):
            last = f"{link.miss:.3g} x" if link.miss is not None else _seconds(models[place])
            rows.append([link.name, _seconds(link.alpha), show(link.bandwidth, "B/s"), last])
        _table(paper, head, rows)
    if report.calls or report.library or (report.version and report.program):
        paper.blank()
        model = report.model_link
        paper.say(f"Times, beside latency + bytes / bandwidth of {model}:" if model else "Times:")
        rows = [_row(f"{one.name} ({one.count:,} calls)", one) for one in report.calls]
        rows += [_row(one.name, one) for one in report.program]
        rows += [_row("all_reduce of the library", one) for one in report.library]
        head = ["", "bytes", "measured", *(["model", "measured / model"] if model else [])]
        _table(paper, head, [row[: len(head)] for row in rows])
        if report.library:
            paper.say("The model of all_reduce is a ring's time; libraries take other ways for small arrays.")


def _row(name: str, timed: Timed) -> list[str]:
    ratio = timed.seconds / timed.model_seconds if timed.seconds and timed.model_seconds else None
    return [
        name,
        "" if timed.bytes is None else show(timed.bytes, "B"),
        _seconds(timed.seconds),
        _seconds(timed.model_seconds),
        "" if ratio is None else f"{ratio:.3g}",
    ]


def _seconds(value: float | None) -> str:
    return "" if value is None else show(value, "s")


def _table(paper: Paper, head: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    widths = [max(map(len, column)) for column in zip(head, *rows, strict=True)]
    for row in (head, *rows):
        cells = [row[0].ljust(widths[0]), *(cell.rjust(wide) for cell, wide in zip(row[1:], widths[1:], strict=True))]
        paper.line("  " + "  ".join(cells).rstrip())
