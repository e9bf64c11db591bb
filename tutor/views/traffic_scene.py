"""The scene of what collectives send as workers become more: by each worker, or over the busiest link."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from simlib.collectives import costs
from simlib.quantities import evaluate
from tutor.units import show
from tutor.views import palette
from tutor.views.bar_rows import BarRow, BarRows, Look
from tutor.views.figure_table import Figure
from tutor.views.figures import byte_unit, in_bytes, in_table_bytes
from tutor.views.picture import Role, cell
from tutor.views.scene import Scene

_SENT = ("all-reduce", "all-gather", "sparse")
_LINKS = ("ring", "naive", "direct")
_MOST_COUNTS = 5  # numbers of workers beside each other


@dataclass(frozen=True)
class Traffic:
    """Bytes among `workers` workers with an array of the same size each."""

    workers: int
    sent: Mapping[str, float]  # by each worker: all-reduce, all-gather, sparse
    busiest_link: Mapping[str, float]  # of an all-reduce: ring, naive, direct


class TrafficScene(Scene):
    """Bars of one comparison, a group for each number of workers."""

    def __init__(self, size: float, keep: float, comparison: str, traffic: Sequence[Traffic]) -> None:
        self.size = size
        self.keep = keep
        self.comparison = comparison
        self.traffic = traffic

    def picture(self, step: int) -> BarRows:
        rows = []
        for of in self.traffic:
            for place, (name, sent) in enumerate(self._series(of).items()):
                base = next(iter(self._series(of).values()))
                figures = (
                    Figure(sent, cell(workers=of.workers, series=name)),
                    Figure(sent / self.size, text=_times(sent / self.size)),
                    Figure(sent / base if base else 0, text=_times(sent / base) if base else "–"),
                )
                head = str(of.workers) if not place else ""
                rows.append(BarRow((head, name), figures, ((sent, "sent"),), f"{of.workers} workers, {name}"))
        first = "all-reduce" if self.comparison == "sent" else "ring"
        return BarRows(
            heads=("N", "", self._unit_name(rows), "of array", f"of {first}"),
            rows=rows,
            looks={"sent": Look(Role.SENT, palette.SENT_LINE, "")},
            say=lambda row, said: f"{row.spoken}: {said[0]}, {said[1]} the array, {said[2]} the {first}",
            notes=self._notes(),
        )

    def caption(self, step: int) -> str:
        last = self.traffic[-1]
        workers = f"{last.workers:,} workers, {in_bytes(self.size)} each"
        if self.comparison == "sent":
            told = "; ".join(f"{name} {in_table_bytes(sent)}" for name, sent in last.sent.items())
            return f"{workers}: each sends {told}"
        told = "; ".join(f"{name} {in_table_bytes(sent)}" for name, sent in last.busiest_link.items())
        return f"{workers}: the busiest link carries {told}"

    def data(self) -> dict[str, Any]:
        return {
            "bytes": self.size,
            "keep": self.keep,
            "workers": [
                {"workers": of.workers, "sent": dict(of.sent), "busiest_link": dict(of.busiest_link)}
                for of in self.traffic
            ],
        }

    def _series(self, of: Traffic) -> Mapping[str, float]:
        return of.sent if self.comparison == "sent" else of.busiest_link

    def _unit_name(self, rows: Sequence[BarRow]) -> str:
        return byte_unit(max(row.figures[0].value for row in rows))[0]

    def _notes(self) -> tuple[str, ...]:
        if self.comparison == "sent":
            share = show(1 / self.keep)
            return (f"sparse: an all-gather of 1 value in {share}, with its position", "ring collectives")
        return ("all-reduces; naive: through one root", "direct: everyone to everyone")


def build(given: Mapping[str, Any]) -> TrafficScene:
    """The scene for these parameters. Raises BadArgument."""
    size, keep, most = given["bytes"], given["keep"], given["workers"]
    piece = given["value_bytes"] + given["index_bytes"]
    payload = size / given["dense_bytes"] * keep * piece
    traffic = []
    for workers in _counts(most):
        sent = (
            costs.ring_bytes_sent(size, workers),
            costs.all_gather_bytes_sent(size, workers),
            costs.all_gather_bytes_sent(payload, workers),
        )
        links = (
            cast(float, evaluate("all_reduce.busiest_link_bytes", algorithm=name, bytes=size, workers=workers).value)
            for name in _LINKS
        )
        traffic.append(Traffic(workers, dict(zip(_SENT, sent, strict=True)), dict(zip(_LINKS, links, strict=True))))
    return TrafficScene(size, keep, given["compare"], traffic)


def _counts(most: int) -> list[int]:
    """The numbers of workers that are compared: the last powers of two, and `most` itself.

    >>> _counts(64), _counts(6), _counts(1)
    ([4, 8, 16, 32, 64], [2, 4, 6], [1])
    """
    powers = [2**power for power in range(1, most.bit_length()) if 2**power < most]
    return [*powers[1 - _MOST_COUNTS :], most]


def _times(factor: float) -> str:
    return f"{factor:.3g}x" if factor < 1000 else f"{factor:,.0f}x"
