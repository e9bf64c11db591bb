"""What came of a run: the verdict and the bill, the links that were measured, and times beside the cost model's."""

from __future__ import annotations

import statistics
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from simlib.network import Link, fit_link, worst_miss
from simlib.quantities import evaluate
from simlib.workers import Run
from tutor.checker.verdict import CheckResult
from tutor.running.measuring import ALL_REDUCE, EVERYBODY, PAIR
from tutor.running.record import CALLS, COLLECTIVES

LINK_NAMES = {PAIR: "one message at a time, worker 0 and 1", EVERYBODY: "every worker to its right neighbour at once"}
_MESSAGES = ("send", "recv", "sendrecv")  # those that are begun and waited for take part of their time elsewhere


@dataclass(frozen=True)
class MeasuredLink:
    """A link: seconds for each message, bytes per second; and by which factor the worst measured point misses it.

    `miss` is None and there are no points where the link is a published one.
    """

    name: str
    alpha: float
    bandwidth: float
    miss: float | None = None
    points: tuple[tuple[float, float], ...] = ()  # bytes, seconds

    @property
    def link(self) -> Link:
        return Link(self.alpha, self.bandwidth)


@dataclass(frozen=True)
class Timed:
    """So many equal calls: the median of their times, and the cost model's; None where there is none."""

    name: str
    count: int
    bytes: int | None
    seconds: float | None
    model_seconds: float | None


@dataclass(frozen=True)
class Report:
    """One run."""

    result: CheckResult
    engine: str
    workers: int
    length: int | None
    seed: int
    sent: dict[str, list[int]] | None = None  # "bytes_sent" and "messages_sent" of each worker; None if it did not end
    version: str | None = None  # of the library that carried the messages
    hosts: int = 1
    cores: int | None = None  # that the workers of one machine share
    links: tuple[MeasuredLink, ...] = ()
    model_link: str | None = None  # the link that the model's times are for
    calls: tuple[Timed, ...] = ()
    program: tuple[Timed, ...] = ()
    library: tuple[Timed, ...] = ()  # the library's own all-reduce

    def to_json(self) -> dict[str, Any]:
        """The stable JSON of `run`."""
        links = [
            {key: value for key, value in asdict(link).items() if key != "points"}
            | {"points": [{"bytes": size, "seconds": seconds} for size, seconds in link.points]}
            for link in self.links
        ]
        engine = self.result.bill["engine"] if self.result.bill else None
        return self.result.to_json() | {
            "bill": {"yours": self.sent, "engine": engine} if self.sent is not None else None,
            "engine": self.engine,
            "sandboxed": self.engine == "simulated",
            "workers": self.workers,
            "length": self.length,
            "seed": self.seed,
            "version": self.version,
            "hosts": self.hosts,
            "cores": self.cores,
            "links": links,
            "model_link": self.model_link,
            "calls": [asdict(one) for one in self.calls],
            "program": [asdict(one) for one in self.program],
            "all_reduce": [asdict(one) for one in self.library],
        }


def sent(run: Run) -> dict[str, list[int]]:
    """What each worker of `run` sent."""
    return {"bytes_sent": list(run.bytes_sent), "messages_sent": list(run.messages_sent)}


def links_of(sweep: Mapping[str, Sequence[Sequence[float]]]) -> dict[str, MeasuredLink]:
    """The links that the sweep's times fit: `pair` and `everybody`; none where nothing was measured."""
    found = {}
    for kind, name in LINK_NAMES.items():
        points = tuple((float(size), float(seconds)) for size, seconds in sweep.get(kind, ()))
        if points:
            sizes, seconds = [size for size, _ in points], [taken for _, taken in points]
            link = fit_link(sizes, seconds)
            found[kind] = MeasuredLink(name, link.alpha, link.bandwidth, worst_miss(link, sizes, seconds), points)
    return found


def library_times(sweep: Mapping[str, Sequence[Sequence[float]]], workers: int, link: Link) -> tuple[Timed, ...]:
    """The library's own all-reduce, beside a ring's time on `link`."""
    return tuple(
        Timed("all_reduce", 1, int(size), float(seconds), _ring(size, workers, link))
        for size, seconds in sweep.get(ALL_REDUCE, ())
    )


def _ring(size: float, workers: int, link: Link) -> float:
    seconds: Any = evaluate("ring.time", bytes=size, workers=workers, alpha=link.alpha, bandwidth=link.bandwidth).value
    return float(seconds)


def fastest(seconds: Sequence[Sequence[float]]) -> tuple[int, list[float]]:
    """Which repetition was the fastest, and how long each took: until the last rank was done.

    >>> fastest([[3.0, 1.0], [2.0, 2.5]])
    (1, [3.0, 2.5])
    """
    taken = [max(each) for each in zip(*seconds, strict=True)]
    return taken.index(min(taken)), taken


def call_times(
    records: Sequence[Mapping[str, Any]], calls: Sequence[Any], run: Run, link: Link | None
) -> tuple[Timed, ...]:
    """The calls of one repetition (`calls[rank]` are their seconds), equal ones together, in order of appearance."""
    traces = [collective.trace for collective in run.collectives]
    groups: dict[tuple[str, int], list[float]] = {}
    models: dict[tuple[str, int], float | None] = {}
    for record, seconds in zip(records, calls, strict=True):
        if len(seconds) != len(record["rows"]):
            return ()  # it did not call the same again
        met = 0
        for (code, _, _, size, _), taken in zip(record["rows"].tolist(), seconds.tolist(), strict=True):
            call = CALLS[code]
            model = None
            if call in COLLECTIVES:
                trace = traces[met]
                model = trace.time(link.alpha, link.bandwidth) if link and trace is not None else None
                met += 1
            elif call in _MESSAGES and link:
                model = link.time(size)
            groups.setdefault((call, size), []).append(taken)
            models.setdefault((call, size), model)
    return tuple(
        Timed(call, len(taken), size or None, statistics.median(taken), models[call, size])
        for (call, size), taken in groups.items()
    )
