"""The cells of a large picture: looked up when asked for, not stored."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from tutor.views.picture import Cell, CellValue


class LookedUp(Mapping[Cell, CellValue]):
    """A mapping over cells with the whole-number coordinates `names`, which are in alphabetical order.

    `value` takes the coordinates by name and raises IndexError where there is no such cell; `places`
    gives every cell in reading order.
    """

    def __init__(
        self,
        names: tuple[str, ...],
        value: Callable[..., CellValue],
        places: Callable[[], Iterator[Cell]],
        count: int,
    ) -> None:
        self._names = names
        self._value = value
        self._places = places
        self._count = count

    def __getitem__(self, place: Cell) -> CellValue:
        if tuple(name for name, _ in place) != self._names or not all(isinstance(at, int) for _, at in place):
            raise KeyError(place)
        try:
            return self._value(**dict(place))
        except IndexError:
            raise KeyError(place) from None

    def __iter__(self) -> Iterator[Cell]:
        return self._places()

    def __len__(self) -> int:
        return self._count
