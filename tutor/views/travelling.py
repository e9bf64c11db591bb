"""What is seen on the way from one step of a collective to the next: chunks leave, arrive, and are added.

Each picture is as large as the step's own, so that only the cells that change are drawn.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from tutor.views.ring_table import RingTable


def travelling(before: RingTable, after: RingTable) -> Iterator[RingTable]:
    """The pictures between two steps, each made when it is its turn; none where nothing is sent."""
    if after.step is None or not len(after.step.transfers) or before.title != after.title:
        return
    yield replace(
        after,
        state=before.state,
        held=before.held,
        finished=before.finished,
        lengths=before.lengths,
        arrived=False,
    )
    arriving = _arriving(before, after)
    if arriving is not None:
        yield arriving


def _arriving(before: RingTable, after: RingTable) -> RingTable | None:
    """Where a chunk arrives it is seen as it was sent; None where that is how it stays, or where several meet."""
    assert after.step is not None
    state = [array.copy() for array in before.state]
    places = set()
    for move in after.step.transfers:
        first, stop = after.bounds[move.chunk]
        into, end = after.bounds[move.into]
        if (move.destination, move.into) in places or stop - first != end - into:
            return None
        places.add((move.destination, move.into))
        state[move.destination][into:end] = before.state[move.source][first:stop]
    if all((now == then).all() for now, then in zip(state, after.state, strict=True)):
        return None
    return replace(after, state=state, finished=before.finished)
