"""Which model stage is on which rank: a row a rank in the rank's colour, a column a model stage."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from types import MappingProxyType

from tutor.views import heads, marks, palette
from tutor.views.layout import Line, columns_of, compose, flow, note
from tutor.views.operations import letter
from tutor.views.picture import Cell, CellValue, Overlay, Picture, Role, Run, Size, cell, cut

_GAP, _LEAST_GAP = 2, 1


@dataclass(frozen=True, eq=False)
class StageMap(Picture):
    """Model stages over ranks. Cells are cell(rank=, stage=), of the rank that has the stage: its layers, "8-9"."""

    layers: tuple[range, ...]  # of each model stage
    ranks: tuple[int, ...]  # of each model stage
    overlay: Overlay = field(default_factory=lambda: MappingProxyType({}))
    head_rows = 1

    @cached_property
    def _stages_of(self) -> dict[int, list[int]]:
        stages: dict[int, list[int]] = {}
        for stage, rank in enumerate(self.ranks):
            stages.setdefault(rank, []).append(stage)
        return stages

    @property
    def count(self) -> int:
        """How many ranks there are."""
        return len(self._stages_of)

    @cached_property
    def head_columns(self) -> int:  # type: ignore[override]
        return len(f"rank {self.count - 1}") + _GAP

    @cached_property
    def _widest(self) -> int:
        """Columns of the longest text of a stage, marked ones too."""
        texts = [self._text(stage) for stage in range(len(self.layers))]
        longest = max(map(len, [*texts, str(len(self.layers) - 1)]))
        cells = self.cells()
        marked = (
            marks.shown(texts[int(dict(place)["stage"])], Role.PLAIN, mark, longest)[0]
            for place, mark in self.overlay.items()
            if place in cells
        )
        return max([longest, *map(len, marked)])

    def _column(self, width: int) -> int:
        """Columns of a stage, closer together where they would not all fit."""
        fits = self.head_columns + len(self.layers) * (self._widest + _GAP) - _GAP <= width
        return self._widest + (_GAP if fits else _LEAST_GAP)

    def size(self, width: int) -> Size:
        foot = self._foot(width)
        grid = self.head_columns + self._columns(width)
        return Size(max(grid, columns_of(foot)), 1 + self.count + 1 + len(foot))

    def foot_rows(self, width: int) -> int:
        return 1 + len(self._foot(width))

    def line(self, row: int, width: int, start: int = 0, stop: int | None = None) -> Line:
        if row > self.count:
            foot, at = self._foot(width), row - self.count - 2
            return cut(foot[at], start, stop) if 0 <= at < len(foot) else []
        if row < 0:
            return []
        if row == 0:
            named, pieces = Run("stage", Role.QUIET), self._ruler(width)
        else:
            named, pieces = heads.head(f"rank {row - 1}"), self._row(row - 1, width, start, stop)
        head = self.head_columns
        moved = ((head + at, run) for at, run in pieces)
        return compose(chain([(0, named)], moved), head + self._columns(width), start, stop)

    def cells(self) -> Mapping[Cell, CellValue]:
        places = sorted((rank, stage) for stage, rank in enumerate(self.ranks))
        return {cell(rank=rank, stage=stage): layers_text(self.layers[stage]) for rank, stage in places}

    def marked(self, overlay: Overlay) -> StageMap:
        return replace(self, overlay=MappingProxyType(dict(overlay)))

    def words(self) -> list[str]:
        lines = []
        for rank, stages in sorted(self._stages_of.items()):
            each = [f"model stage {stage} with {_spoken(self.layers[stage])}" for stage in stages]
            lines.append(f"rank {rank}: {'; '.join(each)}")
        for place, mark in sorted(self.overlay.items()):
            value = self.cells().get(place)
            if value is not None:
                lines.append(
                    f"rank {dict(place)['rank']}, stage {dict(place)['stage']}: {marks.spoken(str(value), mark)}"
                )
        return [*lines, *("".join(run.text for run in item) for item in self._notes())]

    # Rows

    def _columns(self, width: int) -> int:
        return (len(self.layers) - 1) * self._column(width) + self._widest

    def _ruler(self, width: int) -> Iterator[tuple[int, Run]]:
        for stage in range(len(self.layers)):
            yield stage * self._column(width), Run(str(stage), Role.QUIET)

    def _row(self, rank: int, width: int, start: int, stop: int | None) -> Iterator[tuple[int, Run]]:
        """The stages of a rank, and dots where other ranks have the stage."""
        column = self._column(width)
        first = max(0, (start - self.head_columns) // column)
        last = len(self.layers)
        if stop is not None:
            last = min(last, max(0, stop - self.head_columns) // column + 1)
        for stage in range(first, last):
            at = stage * column
            if self.ranks[stage] != rank:
                yield at, Run(palette.NOT_HELD, Role.ABSENT)
                continue
            place = cell(rank=rank, stage=stage)
            own, mark = self._text(stage), self.overlay.get(place)
            text, role = marks.shown(own, palette.of_rank(rank), mark, len(own))
            yield at, Run(text, role, place)

    def _text(self, stage: int) -> str:
        """The letter of the stage among those of its rank, as slot grids have it, and its layers."""
        which = letter(stage, self._stages_of[self.ranks[stage]])
        return f"{which} {layers_text(self.layers[stage])}".strip()

    # Notes

    def _foot(self, width: int) -> list[Line]:
        items = [*self._notes(), *marks.legend(self.overlay)]
        if max(map(len, self._stages_of.values())) > 1:
            items.append(note("a, b: a rank's first, second model stage"))
        return flow(items, width)

    def _notes(self) -> list[Line]:
        last = len(self.layers) - 1
        on = self.ranks[last]
        sizes = sorted({len(layers) for layers in self.layers}, reverse=True)
        each = " or ".join(map(str, sizes))
        plural = "s" if sizes != [1] else ""
        stages = "stage 0" if last == 0 else f"stage {last}"
        return [
            note(f"{each} layer{plural} a stage", Role.PLAIN),
            note("stage 0 has the embedding too", Role.PLAIN),
            heads.coloured(f"{stages} (on rank {on}) has the output layer and the loss"),
        ]


def layers_text(layers: range) -> str:
    """The first and the last of the layers: "8-9", or the one there is.

    >>> layers_text(range(8, 10)), layers_text(range(3, 4))
    ('8-9', '3')
    """
    return str(layers[0]) if len(layers) == 1 else f"{layers[0]}-{layers[-1]}"


def _spoken(layers: range) -> str:
    return f"layer {layers[0]}" if len(layers) == 1 else f"layers {layers[0]} to {layers[-1]}"
