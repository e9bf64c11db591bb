"""Pictures that draw figures and list them in a table: what can be asked about or marked are the table's cells."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import Self

from tutor.views.figure_table import FigureTable, parted
from tutor.views.laid_out import LaidOut
from tutor.views.layout import Line, trimmed
from tutor.views.picture import Cell, CellValue, Overlay


@dataclass(frozen=True, eq=False)
class Tabled(LaidOut):
    """A drawing with a table of its figures. What is laid out for a width is kept."""

    overlay: Overlay = field(default_factory=lambda: MappingProxyType({}), kw_only=True)
    _drawn: dict[int, list[Line]] = field(init=False, repr=False, default_factory=dict)

    @property
    @abstractmethod
    def _table(self) -> FigureTable:
        """The table of figures, with the picture's marks."""

    @abstractmethod
    def _rows(self, width: int) -> Iterable[Line]:
        """Every row of the layout for this width."""

    @property
    def head_columns(self) -> int:  # type: ignore[override]
        return self._table.head_columns

    def cells(self) -> Mapping[Cell, CellValue]:
        return self._table.cells()

    def marked(self, overlay: Overlay) -> Self:
        return replace(self, overlay=MappingProxyType(dict(overlay)))

    @property
    def _asking(self) -> bool:
        """Whether a figure is asked for, so that nothing may tell it."""
        return any(self._table.asks(at) for at in range(len(self._table.rows)))

    def _parted_table(self, width: int) -> list[Line]:
        """The table, in parts one under the other where it is wider; a blank row before each."""
        return [line for part in parted(self._table, width) for line in [[], *part.lines(part.columns)]]

    def _all(self, width: int) -> list[Line]:
        if width not in self._drawn:
            self._drawn[width] = [trimmed(row) for row in self._rows(width)]
        return self._drawn[width]
