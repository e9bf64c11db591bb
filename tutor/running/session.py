"""One run from beginning to end, whoever starts the processes."""

from __future__ import annotations

import os
import socket
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from typing import Any, NoReturn

from simlib.hardware import find
from simlib.network.links import NCCL_LATENCIES, NCCL_PROTOCOLS
from simlib.workers import Run
from tutor.checker.limits import MIB
from tutor.checker.limits import Limits as CheckLimits
from tutor.checker.traces import Source
from tutor.checker.verdict import CouldNotCheck
from tutor.checker.workers.check import Verdict, check_workers
from tutor.running import rank as ranks
from tutor.running.desk import Desk, Ended, Found, Limits
from tutor.running.engines import Launched
from tutor.running.launch import Processes
from tutor.running.measuring import EVERYBODY
from tutor.running.order import Order
from tutor.running.report import MeasuredLink, Report, Timed, call_times, fastest, library_times, links_of, sent
from tutor.running.transport import cores, opened

Progress = Callable[[str], None]
_PUBLISHED = "h100"


def simulated(order: Order, limit: float, progress: Progress) -> Report:
    """On the checker's own processes: behind walls, every message routed and counted, nothing timed."""
    progress(f"simulating {order.workers} workers")
    limits = CheckLimits(
        cpu=max(1, round(limit)),
        wall=limit,
        data=4096 * MIB,
        address_space=8192 * MIB,
        result_most=2048 * MIB,
        workers=order.workers,
        message_most=512 * MIB,
        messages_total=16384 * MIB,
    )
    runs: list[Run] = []
    definition, trial = order.definition, order.trial
    expected = [definition.expected(trial)]
    result = check_workers(order.source, definition, [trial], expected, limits, None, order.file, runs)
    links = published_links() if runs else ()
    program = tuple(Timed(link.name, 1, None, None, runs[0].time(link.alpha, link.bandwidth)) for link in links)
    return Report(
        result,
        order.engine,
        order.workers,
        order.length,
        order.seed,
        sent=sent(runs[0]) if runs else None,
        links=links,
        program=program,
    )


def published_links() -> tuple[MeasuredLink, ...]:
    """What joins GPUs inside a server and between servers: bandwidths of the makers, latencies of NCCL's tuner."""
    machine, simple = find(_PUBLISHED), NCCL_PROTOCOLS.index("Simple")
    inside, between = (NCCL_LATENCIES[name][simple] * 1e-6 for name in ("hw_nvlink_ring", "hw_net_ring"))
    return (
        MeasuredLink(f"{machine.name}, inside a server", inside, machine.link_bandwidth),
        MeasuredLink(f"{machine.name}, between servers", between, machine.network_bandwidth),
    )


def real(order: Order, limit: float, progress: Progress) -> Report:
    """On processes of this machine that we start, and end."""
    if os.name != "posix":
        raise CouldNotCheck("processes are started on Linux and macOS")
    with Desk(order.job, Limits(program=limit), progress) as desk:
        try:
            with Processes(order.engine, order.workers, desk.address) as processes:
                found = desk.conduct(processes.ended)
        except Ended as ended:
            return _ended(order, ended, desk)
    return _judged(order, found, desk)


def take_part(
    launched: Launched,
    prepare: Callable[[], Order],
    finish: Callable[[Report | Exception], int],
    limit: float,
    progress: Progress,
) -> NoReturn:
    """As one of the processes that an outside launcher started, here or on several machines.

    Rank 0 prepares, conducts and finishes (prints; the status is what `finish` returns); the others only work. Ends
    the process.
    """
    try:
        transport = opened(launched.engine)
    except Exception as error:
        said = " ".join(str(error).split())[:300]
        status = finish(CouldNotCheck(f"rank {launched.rank} does not start: {type(error).__name__}: {said}"))
        ranks.end_now(status)
    if transport.world_size != launched.world_size:
        why = f"{launched.by} started {launched.world_size} processes, but the library that is installed here knows "
        why += f"{transport.world_size}: take the {launched.by} that belongs to it"
        ranks.end_now(finish(CouldNotCheck(why)) if launched.rank == 0 else 3)
    name = socket.gethostname()
    hosts = set(transport.agree(sha256(name.encode()).digest()))
    if launched.rank > 0:
        try:
            address = transport.share(None).decode()
            if address:
                ranks.live(transport, address, outside=True)
            ranks.leave_together(transport)
        except Exception:
            ranks.end_now(1)  # rank 0 is gone, and has said why
    try:
        order = prepare()
        desk = Desk(order.job, Limits(program=limit), progress, "127.0.0.1" if len(hosts) == 1 else name)
    except Exception as error:
        status = finish(error)
        transport.share(b"")
        ranks.leave_together(transport, status)
    transport.share(desk.address.encode())
    statuses: list[int] = []

    def conduct() -> None:
        outcome: Report | Exception
        try:
            outcome = _judged(order, desk.conduct(), desk)
        except Ended as ended:
            outcome = _ended(order, ended, desk)
        except Exception as error:
            outcome = error
        # the program's prints may still be going to the desk
        sys.stdout, sys.stderr = sys.__stdout__, sys.__stderr__
        statuses.append(finish(outcome))
        if isinstance(outcome, Exception) or outcome.result.error is not None:
            transport.abort(statuses[0])

    conductor = threading.Thread(target=conduct)
    conductor.start()
    ranks.live(transport, desk.address, outside=True)
    conductor.join()
    ranks.leave_together(transport, statuses[0])


def _judged(order: Order, found: Found, desk: Desk) -> Report:
    """A run that came to its end."""
    verdict = Verdict(order.definition)
    run = Run(order.workers, found.results, found.run.log)
    verdict.add(order.trial, order.definition.expected(order.trial), run)
    result = verdict.result(1, _printed(desk))
    links = links_of(found.sweep)
    everybody = links.get(EVERYBODY)
    link = everybody.link if everybody is not None else None
    best, taken = fastest(found.seconds)
    spent = [each[best] for each in found.seconds]
    slowest = spent.index(max(spent))
    outside = spent[slowest] - float(sum(found.calls[slowest][best]))
    calls = call_times(found.records, [each[best] for each in found.calls], found.run, link)
    model = found.run.time(link.alpha, link.bandwidth) if link else None
    return Report(
        result,
        order.engine,
        order.workers,
        order.length,
        order.seed,
        sent=sent(found.run),
        version=found.version,
        hosts=found.hosts,
        cores=cores() if found.hosts == 1 else None,
        links=tuple(links.values()),
        model_link=everybody.name if everybody is not None else None,
        calls=calls,
        program=(
            Timed(f"whole program, the fastest of {len(taken)} runs", 1, None, taken[best], model),
            Timed(f"of it between the calls, worker {slowest}", 1, None, outside, None),
        ),
        library=library_times(found.sweep, order.workers, link) if link else (),
    )


def _ended(order: Order, ended: Ended, desk: Desk) -> Report:
    """A run that came to an early end."""
    text = Source(order.source.tobytes())
    failure = ended.failure if ended.message is None else text.traced(ended.failure, ended.message)
    picture = None
    if failure.waiting and failure.kind == "deadlock":
        waiting = [one | {"source": text.line(one["line"])} for one in failure.waiting]
        picture = {"topic": "waiting", "parameters": {"kind": ended.kind, "waiting": waiting}, "step": 0}
    verdict = Verdict(order.definition)
    verdict.fail(order.trial.name, failure, picture)
    result = replace(verdict.result(1, _printed(desk)), error=failure)
    return Report(result, order.engine, order.workers, order.length, order.seed)


def _printed(desk: Desk) -> str:
    from tutor.checker.check import printed

    lines: list[Any] = []
    for rank, text in enumerate(desk.printed):
        lines += [f"worker {rank}: {line}" for line in printed(text.encode()).splitlines()]
    return "\n".join(lines)
