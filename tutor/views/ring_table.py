"""The table of a collective: a row a worker, a column a chunk, and this step's transfers marked in it."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from tutor.views import heads, marks, palette
from tutor.views.cell_map import LookedUp
from tutor.views.chunk_columns import EMPTY_CHUNK, Column, chunk_columns, visible
from tutor.views.figures import number
from tutor.views.layout import Line, columns_of, compose, flow, note
from tutor.views.picture import Cell, CellValue, Overlay, Picture, Role, Run, Size, cell, cut
from tutor.views.transfers import Message, TransferRows, messages, spoken_transfers

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    from simlib.collectives import Step
    from tutor.views.wiring import Wiring

_GAPS = (4, 3, 2, 1)


@lru_cache(maxsize=32)  # the steps of a trace, and the widths that are tried, ask for the same again and again
def _laid_out(
    bounds: tuple[tuple[int, int], ...],
    start: int,
    digits: int,
    wider: frozenset[tuple[tuple[int, int], int]],
    around: tuple[int, int, int],
) -> tuple[Column, ...]:
    return chunk_columns(bounds, start, digits, dict(wider), around)


@dataclass(frozen=True, eq=False)
class RingTable(Picture):
    """The state of all workers after one step. Cells are cell(worker=, chunk=, index=), index within the chunk.

    A chunk that left in this step has an arrow behind it, one that arrived an arrow before it, and one
    that will not change any more a tick. A chunk that a worker does not hold is a dot in each place.
    """

    bounds: Sequence[tuple[int, int]]  # (start, stop) of each chunk
    state: Sequence[npt.NDArray[Any]]  # every worker's array after the step
    held: npt.NDArray[np.bool_]  # (workers, chunks)
    finished: npt.NDArray[np.bool_] | None  # the same, or None where being held is being finished
    step: Step | None  # the transfers of this step; None for the start
    digits: int  # columns that the widest value of the whole trace takes
    moves: bool  # whether there is any step: if not, no columns are kept for arrows
    before: Sequence[npt.NDArray[Any]] = ()  # every worker's array before the step
    most_messages: int = 0  # in any step of the trace
    payload_columns: int = len("chunk 0")  # that naming what a message holds takes at most
    wiring: Wiring | None = None  # servers and trees, drawn beside the workers' names
    lengths: Mapping[tuple[int, int], int] = field(default_factory=dict)  # of chunks that fill their columns not
    title: str = "chunk"
    at_rest: str = "nothing sent yet"
    remark: str = ""
    lacks: bool = False  # whether some step of it has pieces that are not held
    arrived: bool = True  # False while what is sent is on its way
    when: str = ""  # of words, where the step's number does not say it
    overlay: Overlay = field(default_factory=lambda: MappingProxyType({}))
    _layouts: dict[int, tuple[Column, ...]] = field(init=False, repr=False, default_factory=dict)
    _feet: dict[int, list[Line]] = field(init=False, repr=False, default_factory=dict)
    head_rows = 1

    @property
    def head_columns(self) -> int:  # type: ignore[override]
        return self._side_columns if self.wiring is None else self.wiring.fixed_columns

    @cached_property
    def _side_columns(self) -> int:
        """Columns before the first chunk's."""
        return len(f"worker {self.workers - 1}") + 2 if self.wiring is None else self.wiring.columns

    @property
    def workers(self) -> int:
        return len(self.state)

    def size(self, width: int) -> Size:
        foot = self._foot(width)
        moving = min(width, self._transfers(width).columns) if self.moves else 0
        columns = max(self._layout(width)[-1].stop + self._after, columns_of(foot), moving)
        return Size(columns, 1 + self.workers + 1 + len(foot))

    def foot_rows(self, width: int) -> int:
        return 1 + len(self._foot(width))

    def line(self, row: int, width: int, start: int = 0, stop: int | None = None) -> Line:
        if row < 0 or row > self.workers:
            foot = self._foot(width)
            at = row - self.workers - 2
            return cut(foot[at], start, stop) if 0 <= at < len(foot) else []
        pieces = self._head(width, start, stop) if row == 0 else self._row(row - 1, width, start, stop)
        return compose(pieces, self._layout(width)[-1].stop + self._after, start, stop)

    def cells(self) -> Mapping[Cell, CellValue]:
        return LookedUp(
            ("chunk", "index", "worker"),
            self._look_up,
            self._places,
            sum(self._count(worker, chunk) for worker in range(self.workers) for chunk in range(len(self.bounds))),
        )

    def _look_up(self, worker: int, chunk: int, index: int) -> CellValue:
        if not (0 <= worker < self.workers and 0 <= chunk < len(self.bounds)):
            raise IndexError
        if not 0 <= index < self._count(worker, chunk):
            raise IndexError
        return self.value(worker, chunk, index)

    def _count(self, worker: int, chunk: int) -> int:
        """How many values are in a worker's chunk."""
        first, stop = self.bounds[chunk]
        return self.lengths.get((worker, chunk), stop - first)

    def _places(self) -> Iterator[Cell]:
        for worker in range(self.workers):
            for chunk in range(len(self.bounds)):
                for index in range(self._count(worker, chunk)):
                    yield cell(worker=worker, chunk=chunk, index=index)

    def marked(self, overlay: Overlay) -> RingTable:
        return replace(self, overlay=MappingProxyType(dict(overlay)))

    def words(self) -> list[str]:
        spoken = [] if self.step is None or self._asking else spoken_transfers(self.step, self.bounds, self.before)
        when = self.when or ("at the start" if self.step is None else f"after step {self.step.number}")
        joined = [] if self.wiring is None else self.wiring.words()
        remark = [self.remark] if self.remark else []
        return (
            joined
            + spoken
            + remark
            + [
                f"{when}, worker {worker}: "
                + "; ".join(self._spoken(worker, chunk) for chunk in range(len(self.bounds)))
                for worker in range(self.workers)
            ]
        )

    # What a cell shows

    def value(self, worker: int, chunk: int, index: int) -> int | float | None:
        """The number there, or None where the worker does not hold the chunk."""
        if not self.held[worker, chunk]:
            return None
        found: int | float = self.state[worker][self.bounds[chunk][0] + index].item()
        return found

    def _text(self, worker: int, chunk: int, index: int) -> str:
        value = self.value(worker, chunk, index)
        return palette.NOT_HELD if value is None else number(value)

    def _spoken(self, worker: int, chunk: int) -> str:
        count = self._count(worker, chunk)
        if not count:
            return f"chunk {chunk} is empty"
        if not self.held[worker, chunk] and not self.overlay:
            return f"chunk {chunk} not held"
        texts = []
        for index in range(count):
            mark = self.overlay.get(cell(worker=worker, chunk=chunk, index=index))
            held = self.value(worker, chunk, index) is not None
            texts.append(marks.spoken(self._text(worker, chunk, index) if held else "not held", mark))
        done = self.finished is not None and self.finished[worker, chunk] and not self._asked(worker, chunk)
        return f"chunk {chunk} is {' '.join(texts)}{', finished' if done else ''}"

    @cached_property
    def _asking(self) -> bool:
        return any(marks.asks(mark) for mark in self.overlay.values())

    def _asked(self, worker: int, chunk: int) -> bool:
        return self._asking and any(
            marks.asks(self.overlay.get(cell(worker=worker, chunk=chunk, index=index)))
            for index in range(self._count(worker, chunk))
        )

    @cached_property
    def _sent(self) -> frozenset[tuple[int, int]]:
        return frozenset((move.source, move.chunk) for move in self.step.transfers) if self.step else frozenset()

    @cached_property
    def _received(self) -> frozenset[tuple[int, int]]:
        if self.step is None or not self.arrived:
            return frozenset()
        return frozenset((move.destination, move.into) for move in self.step.transfers)

    # Where it stands

    @property
    def _before(self) -> int:
        return 1 if self.moves else 0

    @property
    def _after(self) -> int:
        """Columns behind a chunk's values: a tick and an arrow, as far as this table has them."""
        return (1 if self.finished is not None else 0) + (1 if self.moves else 0)

    def _layout(self, width: int) -> tuple[Column, ...]:
        """The chunks' columns with the widest gap between them that `width` allows, or the narrowest."""
        if width not in self._layouts:
            for gap in _GAPS:
                columns = self._columns(gap)
                if columns[-1].stop + self._after <= width:
                    break
            self._layouts[width] = columns
        return self._layouts[width]

    def _columns(self, gap: int) -> tuple[Column, ...]:
        least = self.digits + marks.brackets(self.overlay)
        wider = frozenset(self._wider.items())
        return _laid_out(tuple(self.bounds), self._side_columns, least, wider, (self._before, self._after, gap))

    @cached_property
    def _wider(self) -> dict[tuple[int, int], int]:
        """The columns that marked cells need, by chunk and index."""
        wider: dict[tuple[int, int], int] = {}
        if not self.overlay:
            return wider  # what cells there are takes a while to find out
        cells = self.cells()
        for place, mark in self.overlay.items():
            if place not in cells:
                continue
            at = dict(place)
            worker, chunk, index = int(at["worker"]), int(at["chunk"]), int(at["index"])
            text, _ = marks.shown(self._text(worker, chunk, index), Role.PLAIN, mark, self.digits)
            wider[chunk, index] = max(wider.get((chunk, index), 0), len(text))
        return wider

    def _head(self, width: int, start: int, stop: int | None) -> Iterator[tuple[int, Run]]:
        yield from self._side(
            start, [Run(self.title, Role.QUIET)] if self.wiring is None else self.wiring.head(self.title)
        )
        for chunk, column in visible(self._layout(width), start, stop):
            first = column.start + self._before
            if len(column.values) > 1:
                rule = palette.RULE * (column.stop - first - len(str(chunk)) - 1)
                yield first, Run(str(chunk), Role.HEAD)
                yield first + len(str(chunk)) + 1, Run(rule, Role.QUIET)
            else:
                yield column.stop - len(str(chunk)), Run(str(chunk), Role.HEAD)

    def _row(self, worker: int, width: int, start: int, stop: int | None) -> Iterator[tuple[int, Run]]:
        if self.wiring is None:
            yield from self._side(start, [heads.head(f"worker {worker}")])
        else:
            yield from self._side(start, self.wiring.row(worker, None if self._asking else self.step))
        for chunk, column in visible(self._layout(width), start, stop):
            yield from self._chunk(worker, chunk, column, start, stop)

    def _side(self, start: int, runs: Line) -> Iterator[tuple[int, Run]]:
        """The runs before the table, each with its column."""
        at = 0
        for run in runs if start < self._side_columns else ():
            yield at, run
            at += len(run.text)

    def _chunk(
        self, worker: int, chunk: int, column: Column, start: int, stop: int | None
    ) -> Iterator[tuple[int, Run]]:
        asked = self._asked(worker, chunk)
        sent = (worker, chunk) in self._sent and not asked
        received = (worker, chunk) in self._received and not asked
        done = self.finished is not None and bool(self.finished[worker, chunk]) and not asked
        role = (
            Role.ABSENT
            if not self.held[worker, chunk]
            else Role.RECEIVED
            if received
            else Role.SENT
            if sent
            else Role.FINISHED
            if done
            else Role.PLAIN
        )
        count = self._count(worker, chunk)
        for index in range(min(count, bisect_right(column.values, start)), count):
            at, run = self._shown(worker, chunk, index, column, role)
            if received and not index:
                # Against the number, so that it points at it
                yield at - 1, Run(palette.ARROW, Role.RECEIVED, run.cell)
            if stop is not None and at >= stop:
                return
            yield at, run
        if not count:
            at = column.stop - len(EMPTY_CHUNK)
            yield from [(at - 1, Run(palette.ARROW, Role.RECEIVED))] if received else ()
            yield at, Run(EMPTY_CHUNK, Role.QUIET)
        last = cell(worker=worker, chunk=chunk, index=count - 1) if count and (done or sent) else None
        if done:
            yield column.stop, Run(palette.DONE, Role.FINISHED, last)
        if sent:
            yield column.stop + (1 if done else 0), Run(palette.ARROW, Role.SENT, last)

    def _shown(self, worker: int, chunk: int, index: int, column: Column, role: Role) -> tuple[int, Run]:
        """A value's run and where it starts: right-aligned in its place."""
        place = cell(worker=worker, chunk=chunk, index=index)
        mark = self.overlay.get(place) if self.overlay else None
        text, role = marks.shown(self._text(worker, chunk, index), role, mark, self.digits)
        return column.values[index] - len(text), Run(text, role, place)

    def _foot(self, width: int) -> list[Line]:
        """What moves in this step, and what the signs mean."""
        if width not in self._feet:
            laid = self._transfers(width)
            if self.step is not None and not self._asking:
                rows = laid.lines(self._messages)
            else:
                say = "" if self._asking else self.at_rest if self.moves else "one worker: nothing to send"
                rows = [note(say), *laid.lines(())[1:]]
            rows += flow([note(self.remark)], width) if self.remark else []
            self._feet[width] = rows + flow(self._legend(), width)
        return self._feet[width]

    @cached_property
    def _messages(self) -> list[Message]:
        return messages(self.step) if self.step else []

    def _transfers(self, width: int) -> TransferRows:
        return TransferRows.of(self.most_messages, self.workers - 1, self.payload_columns, width)

    def _legend(self) -> list[Line]:
        items: list[Line] = []
        if self.moves:
            items += [note(f"n{palette.ARROW} sent", Role.SENT), note(f"{palette.ARROW}n arrived", Role.RECEIVED)]
        if self.finished is not None:
            items.append(note(f"n{palette.DONE} final", Role.FINISHED))
        if self.lacks or not self.held.all() or self.finished is None:
            items.append(note(f"{palette.NOT_HELD} not held", Role.ABSENT))
        items += [] if self.wiring is None or not self.moves else self.wiring.legend()
        return items + marks.legend(self.overlay)
