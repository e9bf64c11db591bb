"""What each worker sent, or held at most, beside what is enough: a bar and a figure each."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Any

from tutor.views import heads, marks, palette
from tutor.views.figures import in_bytes, number
from tutor.views.laid_out import LaidOut
from tutor.views.layout import Line, left, note, trimmed
from tutor.views.picture import Cell, CellValue, Overlay, Role, Run, cell

_GAP = 3
_MOST_BAR, _LEAST_BAR = 24, 4  # columns
_ALIKE = 2  # workers from which on one row does for all that are alike


@dataclass(frozen=True)
class Measure:
    """One thing that is counted for every worker. `times` has how many messages the bytes went in, if it is that."""

    title: str
    yours: Sequence[float]
    engine: Sequence[float]
    write: Callable[[float], str]
    times: tuple[Sequence[int], Sequence[int]] | None = None

    def text(self, yours: bool, worker: int) -> str:
        """A figure as it is written."""
        said = self.write((self.yours if yours else self.engine)[worker])
        if self.times is None:
            return said
        count = self.times[0 if yours else 1][worker]
        return f"{said} in {count:,} message{'' if count == 1 else 's'}"


@dataclass(frozen=True, eq=False)
class BillTable(LaidOut):
    """Cells are cell(of=, who=, worker=), `who` "yours" or "engine". A figure above what is enough is marked."""

    measures: Sequence[Measure]
    notes: tuple[str, ...] = ()
    overlay: Overlay = field(default_factory=lambda: MappingProxyType({}))

    def cells(self) -> Mapping[Cell, CellValue]:
        return {
            cell(of=measure.title, who=who, worker=worker): value
            for measure in self.measures
            for worker, pair in enumerate(zip(measure.yours, measure.engine, strict=True))
            for who, value in zip(("yours", "engine"), pair, strict=True)
        }

    def marked(self, overlay: Overlay) -> BillTable:
        return replace(self, overlay=MappingProxyType(dict(overlay)))

    def foot_rows(self, width: int) -> int:
        return 0

    def _foot(self, width: int) -> list[Line]:
        return []

    def words(self) -> list[str]:
        said = []
        for measure in self.measures:
            for name, worker in _rows(measure):
                figures = f"yours {measure.text(True, worker)}, enough {measure.text(False, worker)}"
                said.append(f"{measure.title}, {name}: {figures}")
        return [*said, *self.notes]

    def _all(self, width: int) -> list[Line]:
        rows: list[Line] = []
        for measure in self.measures:
            rows += [*([[]] if rows else []), *self._table(measure, width)]
        return [*rows, *map(note, self.notes)]

    def _table(self, measure: Measure, width: int) -> list[Line]:
        shown = _rows(measure)
        head = max(len(measure.title), *(len(name) for name, _ in shown)) + _GAP
        texts = [max(len(measure.text(yours, worker)) for _, worker in shown) + 2 for yours in (True, False)]
        bar = min(_MOST_BAR, max(_LEAST_BAR, (width - head - sum(texts) - _GAP - 2) // 2))
        largest = max(*measure.yours, *measure.engine, 0)
        first = left(note("yours"), bar + 1 + texts[0] + _GAP)
        table: list[Line] = [[*left(note(measure.title), head), *first, *note("enough")]]
        for name, worker in shown:
            line = left([heads.head(name)], head)
            for yours in (True, False):
                values = measure.yours if yours else measure.engine
                over = yours and values[worker] > measure.engine[worker]
                role = Role.OVER if over else Role.PLAIN if yours else Role.QUIET
                place = cell(of=measure.title, who="yours" if yours else "engine", worker=worker)
                text = measure.text(yours, worker)
                said, look = marks.shown(text, role, self.overlay.get(place), len(text))
                columns = 0 if not largest else max(1 if values[worker] else 0, round(bar * values[worker] / largest))
                drawn = [
                    Run(palette.WEIGHTS_FILL * columns, role),
                    *note(" " if columns else ""),
                    Run(said, look, place),
                ]
                line += left(drawn, bar + 1 + texts[0] + _GAP) if yours else drawn
            table.append(trimmed(line))
        return table


def _rows(measure: Measure) -> list[tuple[str, int]]:
    """What each row is called, and its worker: one row for all where all are alike."""
    workers = range(len(measure.yours))
    told = {(measure.text(True, worker), measure.text(False, worker)) for worker in workers}
    if len(told) == 1 and len(workers) >= _ALIKE:
        return [(f"each of {len(workers)} workers", 0)]
    return [(f"worker {worker}" if len(workers) > 1 else "", worker) for worker in workers]


def bill_table(
    bill: Mapping[str, Any] | None, held: Mapping[str, Any] | None, failing: str | None = None
) -> tuple[BillTable, str] | None:
    """The picture of a check's bill and of what was held, and its caption; None where there is nothing to say.

    Both as `tutor.checker.verdict.CheckResult` has them. Where a case failed, by the name `failing`, what other cases
    cost is no news.
    """
    bill, held = (None if one is None or failing not in (None, one["case"]) else one for one in (bill, held))
    measures, notes, cases = [], [], []
    if bill is not None:
        yours, engine = bill["yours"], bill["engine"]
        times = (yours["messages_sent"], engine["messages_sent"])
        measures.append(Measure("sent", yours["bytes_sent"], engine["bytes_sent"], in_bytes, times))
        cases.append(bill["case"])
        if bill.get("steps"):
            own, enough = bill["steps"]
            notes.append(f"steps one after another: yours {own:,}, the engine's {enough:,}")
    if held is not None:
        what = held["what"]
        measures.append(Measure("held at most", held["yours"], held["engine"], lambda count: f"{number(count)} {what}"))
        cases.append(held["case"])
    if not measures:
        return None
    named = list(dict.fromkeys(cases))
    parts = [f"sent in {named[0]}", f"held in {named[-1]}"] if len(named) > 1 else named
    return BillTable(measures, tuple(notes)), f"The bill, {'; '.join(parts)}:"
