"""The cells of a picture that is made of several: each part's own cells, with one coordinate more."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from tutor.views.picture import Cell, CellValue


class JoinedCells(Mapping[Cell, CellValue]):
    """`parts` by the coordinate that tells them apart, a name and a value: ("schedule", "gpipe").

    Nothing is kept: a part that looks its cells up when they are asked for still does.

    >>> cells = JoinedCells({("of", "a"): {(("slot", 0),): 1}, ("of", "b"): {(("slot", 0),): 2}})
    >>> cells[("of", "b"), ("slot", 0)], list(cells)
    (2, [(('of', 'a'), ('slot', 0)), (('of', 'b'), ('slot', 0))])
    """

    def __init__(self, parts: Mapping[tuple[str, str], Mapping[Cell, CellValue]]) -> None:
        self._parts = parts

    def __getitem__(self, place: Cell) -> CellValue:
        own = next((pair for pair in place if pair in self._parts), None)
        if own is None:
            raise KeyError(place)
        rest = tuple(pair for pair in place if pair != own)
        try:
            return self._parts[own][rest]  # type: ignore[index]
        except KeyError:
            raise KeyError(place) from None

    def __iter__(self) -> Iterator[Cell]:
        for own, cells in self._parts.items():
            for place in cells:
                yield tuple(sorted((*place, own)))

    def __len__(self) -> int:
        return sum(map(len, self._parts.values()))
