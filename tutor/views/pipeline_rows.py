"""What every drawing of a pipeline's timeline has: a row a rank under a ruler, the bubble counted, a legend."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from types import MappingProxyType
from typing import TYPE_CHECKING, Self

from simlib.errors import BadArgument
from simlib.pipeline import parse_operation
from tutor.views import heads, marks, operations, palette
from tutor.views.figures import percent
from tutor.views.layout import Line, columns_of, compose, flow, note
from tutor.views.picture import Cell, CellValue, Mark, Overlay, Picture, Role, Run, Size, cut

if TYPE_CHECKING:
    from simlib.pipeline import Operation, Overlap, Timeline

_MOST_SPOKEN = 60  # stretches of a row that are read out
_MOST_PEAKS = 16  # ranks whose activations are listed one by one


@dataclass(frozen=True, eq=False)
class PipelineRows(Picture):
    """A timeline drawn: a row a rank, time to the right."""

    timeline: Timeline
    overlay: Overlay = field(default_factory=lambda: MappingProxyType({}))
    # Columns of one unit of time, where several timelines share an axis; None for as few as hold every text
    unit_columns: float | None = None
    _feet: dict[int, list[Line]] = field(init=False, repr=False, default_factory=dict)
    head_rows = 1

    @abstractmethod
    def columns(self) -> int:
        """Columns of the time line, row heads not counted."""

    @abstractmethod
    def ruler(self, start: int, stop: int | None) -> Iterator[tuple[int, Run]]:
        """The ruler's numbers between two columns, each with its column."""

    @abstractmethod
    def row(self, rank: int, start: int, stop: int | None) -> Iterator[tuple[int, Run]]:
        """The runs of a rank between two columns, each with its column."""

    @abstractmethod
    def when(self, start: float, end: float) -> str:
        """A stretch of time in words: "slots 0 to 3"."""

    @abstractmethod
    def idle_text(self) -> str:
        """How much of the time is idle: "2 of 8 slots idle"."""

    @abstractmethod
    def spoken_marks(self) -> list[str]:
        """The marked cells in words."""

    @property
    @abstractmethod
    def needed_columns(self) -> float:
        """Columns for one unit of time that hold every text, marked ones too."""

    time_name = "time"

    # The picture

    @property
    def head_columns(self) -> int:  # type: ignore[override]
        return len(self.row_name(self.ranks - 1)) + 1

    @property
    def called(self) -> Mapping[str, str]:  # type: ignore[override]
        return {"rank": self._noun}

    def row_name(self, rank: int) -> str:
        """What a row is called: "stage 1", or "rank 1" where ranks and stages are not the same."""
        return f"{self._noun} {rank}"

    def head(self, rank: int) -> Run:
        """The name of a row; ranks with several stages have the colours that they have where stages are placed."""
        return heads.head(self.row_name(rank))

    @property
    def ranks(self) -> int:
        return len(self.timeline.orders)

    def size(self, width: int) -> Size:
        foot = self._foot(width)
        return Size(max(self.head_columns + self.columns(), columns_of(foot)), 1 + self.ranks + 1 + len(foot))

    def foot_rows(self, width: int) -> int:
        return 1 + len(self._foot(width))

    def line(self, row: int, width: int, start: int = 0, stop: int | None = None) -> Line:
        if row < 0 or row > self.ranks:
            foot = self._foot(width)
            at = row - self.ranks - 2
            return cut(foot[at], start, stop) if 0 <= at < len(foot) else []
        head = self.head_columns
        window = (max(0, start - head), None if stop is None else max(0, stop - head))
        if row == 0:
            named, pieces = Run(self.time_name, Role.QUIET), self.ruler(*window)
        else:
            named, pieces = self.head(row - 1), self.row(row - 1, *window)
        moved = ((head + at, run) for at, run in pieces)
        return compose(chain([(0, named)], moved), head + self.columns(), start, stop)

    def marked(self, overlay: Overlay) -> Self:
        return replace(self, overlay=MappingProxyType(dict(overlay)))

    def written(self, place: Cell, value: CellValue) -> str:
        text = palette.IDLE if value is None else super().written(place, value)
        return self._typed(text, rank_and(place, "rank")[0]) if place in self.cells() else text

    def words(self) -> list[str]:
        if self._asking:
            return self.spoken_marks()
        rows = [f"{self.row_name(rank)}: {self._spoken(rank)}" for rank in range(self.ranks)]
        return [*rows, *self.spoken_marks(), *("".join(run.text for run in item) for item in self._counts())]

    # What the timeline says of itself

    def stages_of(self, rank: int) -> list[int]:
        """The model stages on a rank, in rising order."""
        return self._stages[rank]

    @cached_property
    def _stages(self) -> list[list[int]]:
        return [sorted({stage for stage, _ in row.kinds_by_stage}) for row in self.timeline.orders]

    @cached_property
    def kinds(self) -> set[str]:
        return set[str]().union(*(row.part_kinds for row in self.timeline.orders))

    @cached_property
    def label_columns(self) -> int:
        """Columns of the longest text of one operation, with a sign or a blank before the number."""
        last = max((row.last_micro_batch for row in self.timeline.orders), default=0)
        return 1 + len(str(last)) + (1 if self._lettered else 0)

    def columns_for(self, extra: int) -> float:
        """Columns for one unit of time, so that each operation's text and `extra` columns fit."""
        least = (self.label_columns + extra) / self.timeline.shortest
        timeline = self.timeline
        pairs = [
            end - start
            for row in zip(timeline.orders, timeline.starts, timeline.ends, strict=True)
            if row[0].backwards
            for step, start, end in zip(*row, strict=True)
            if len(step.parts) > 1
        ]
        return max(least, (2 * self.label_columns + extra) / min(pairs)) if pairs else least

    @property
    def _lettered(self) -> bool:
        return any(len(stages) > 1 for stages in self._stages)

    @cached_property
    def _noun(self) -> str:
        """A rank that holds one stage, its own, is called by it; else ranks and stages are told apart."""
        return "stage" if all(stages == [rank] for rank, stages in enumerate(self._stages)) else "rank"

    @cached_property
    def _asking(self) -> bool:
        return any(marks.asks(mark) for mark in self.overlay.values())

    # Drawing an operation

    def marked_text(self, bare: str, role: Role, mark: Mark, rank: int) -> tuple[str, Role]:
        """What a mark makes of a cell that shows `bare`; typed operations are written as the picture writes them."""
        if mark.text:
            mark = replace(mark, text=self._typed(mark.text, rank))
        return marks.shown(bare, role, mark, self.label_columns - 1)

    def _typed(self, text: str, rank: int) -> str:
        if text == ".":
            return palette.IDLE
        try:
            operation = parse_operation(text)
        except BadArgument:
            return text
        # Work of another rank's stage is not what its number alone would say
        here = all(part.stage in self.stages_of(rank) for part in operation.parts)
        return operations.label(operation, self.stages_of(rank)) if here else text

    # Notes and words

    def _foot(self, width: int) -> list[Line]:
        if width not in self._feet:
            legend = operations.legend(self.kinds, self._lettered) + marks.legend(self.overlay)
            self._feet[width] = flow(self._counts(), width) + flow(legend, width)
        return self._feet[width]

    def _counts(self) -> list[Line]:
        if self._asking:
            return []
        timeline = self.timeline
        items = [
            note(
                f"{self.idle_text()}: bubble {percent(timeline.bubble)} of the time, "
                f"{percent(timeline.bubble_of_ideal)} of the ideal time",
                Role.PLAIN,
            )
        ]
        if self.kinds != {"F"}:
            items.append(note(f"activations held at most: {self.peaks()}"))
        return items

    def peaks(self) -> str:
        """The most activations that each rank holds: "4 3 2 1", "8 on every stage"."""
        peaks = self.timeline.peak_activations
        if len(set(peaks)) == 1:
            return f"{peaks[0]} on every {self._noun}" if len(peaks) > 1 else str(peaks[0])
        if len(peaks) <= _MOST_PEAKS:
            return " ".join(map(str, peaks))
        most, least = peaks.index(max(peaks)), peaks.index(min(peaks))
        return f"{peaks[most]} on {self._noun} {most}, {peaks[least]} on {self._noun} {least}"

    def _spoken(self, rank: int) -> str:
        """A row in words, stretches of the same kind of work taken together."""
        parts: list[str] = []
        at = 0.0
        for first, last, start, end in self._stretches(rank):
            if start > at:
                parts.append(f"{self.when(at, start)} idle")
            parts.append(f"{self.when(start, end)} {operations.spoken(first, self.stages_of(rank), last)}")
            at = end
        if self.timeline.makespan > at:
            parts.append(f"{self.when(at, self.timeline.makespan)} idle")
        if len(parts) > _MOST_SPOKEN:
            parts = [*parts[:_MOST_SPOKEN], f"and {len(parts) - _MOST_SPOKEN} more stretches"]
        return "; ".join(parts)

    def _stretches(self, rank: int) -> Iterator[tuple[Operation | Overlap, Operation | Overlap, float, float]]:
        """(first, last, start, end) of operations that follow without a pause, micro-batch by micro-batch."""
        timeline = self.timeline
        held: tuple[Operation | Overlap, Operation | Overlap, float, float] | None = None
        for step, start, end in zip(timeline.orders[rank], timeline.starts[rank], timeline.ends[rank], strict=True):
            if held is not None and _follows(held[1], step) and start == held[3]:
                held = (held[0], step, held[2], end)
                continue
            if held is not None:
                yield held
            held = (step, step, start, end)
        if held is not None:
            yield held


def _follows(before: Operation | Overlap, after: Operation | Overlap) -> bool:
    """Whether `after` is the same work on the next micro-batch."""
    if len(before.parts) > 1 or len(after.parts) > 1:
        return False
    old, new = before.parts[0], after.parts[0]
    return (old.stage, old.kind, old.micro_batch + 1) == (new.stage, new.kind, new.micro_batch)


def rank_and(place: Cell, name: str) -> tuple[int, int]:
    """The rank of a cell, and its coordinate `name`."""
    at = dict(place)
    return int(at["rank"]), int(at[name])
