"""The messages of one step: as a few rows under a table, and as sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tutor.views import palette
from tutor.views.figures import number
from tutor.views.layout import Line, flow, left, note, trimmed
from tutor.views.picture import Role, Run

if TYPE_CHECKING:
    import numpy.typing as npt

    from simlib.collectives import Step

_MOST_ROWS = 3
_GAP = 3
_MOST_VALUES = 12  # read out; of more, only how many there are


@dataclass(frozen=True)
class Message:
    """All chunks that one worker sends another in a step."""

    source: int
    destination: int
    chunks: tuple[int, ...]
    adds: bool
    into: tuple[int, ...]
    sizes: tuple[int, ...]  # bytes of each chunk


def messages(step: Step) -> list[Message]:
    """The messages of a step, in the order of their first chunks.

    >>> from simlib.collectives import all_reduce
    >>> first = all_reduce([[1, 2, 3, 4]] * 4, algorithm="halving-doubling").steps[0]
    >>> [(message.source, message.destination, message.chunks) for message in messages(first)][:2]
    [(0, 2, (2, 3)), (1, 3, (2, 3))]
    """
    found: dict[tuple[int, int, bool], list[tuple[int, int, int]]] = {}
    columns = (step.sources, step.destinations, step.adds, step.chunks, step.into, step.bytes)
    for source, destination, adds, *chunk in zip(*(column.tolist() for column in columns), strict=True):
        found.setdefault((source, destination, adds), []).append((chunk[0], chunk[1], chunk[2]))
    joined = []
    for (source, destination, adds), parts in found.items():
        chunks, into, sizes = zip(*parts, strict=True)
        joined.append(Message(source, destination, chunks, adds, into, sizes))
    return joined


def named(numbers: Sequence[int], thing: str) -> str:
    """Numbers with what they count, the ends alone where they follow one another.

    >>> named([3], "chunk"), named([4, 5, 6], "chunk"), named([1, 2], "worker"), named([0, 2, 5], "chunk")
    ('chunk 3', 'chunks 4 to 6', 'workers 1 and 2', 'chunks 0, 2 and 5')
    """
    if len(numbers) == 1:
        return f"{thing} {numbers[0]}"
    if len(numbers) > 2 and list(numbers) == list(range(numbers[0], numbers[0] + len(numbers))):
        return f"{thing}s {numbers[0]} to {numbers[-1]}"
    return f"{thing}s {', '.join(map(str, numbers[:-1]))} and {numbers[-1]}"


@dataclass(frozen=True)
class TransferRows:
    """The messages of a step in at most three rows, laid out alike for every step of a trace.

    With more messages than the rows hold, the first ones and the last stand for all.
    """

    named: bool  # "worker 0 → worker 1: chunk 0", or "0 → 1: chunk 0" where that is too long
    item: int  # columns that one message takes
    a_row: int  # messages in a row
    rows: int
    columns: int  # of the fullest row

    @classmethod
    def of(cls, most: int, last: int, payload: int, width: int) -> TransferRows:
        """The layout for at most `most` messages a step, the highest rank being `last`.

        `payload` is how many columns it takes at most to name what a message holds.
        """
        for long in (True, False):
            worker = "worker " if long else ""
            item = len(f"{worker}{last} {palette.ARROW} {worker}{last}: ") + payload
            a_row = max(1, min(most, (width + _GAP) // (item + _GAP)))
            rows = max(1, -(-most // a_row))
            if rows <= _MOST_ROWS:
                break
        return cls(long, item, a_row, min(rows, _MOST_ROWS), a_row * (item + _GAP) - _GAP)

    def lines(self, sent: Sequence[Message]) -> list[Line]:
        """The rows for these messages, as many as for any other step."""
        room = self.rows * self.a_row
        some = sent if len(sent) <= room else [*sent[: room - 2], sent[-1]] if room > 2 else sent[:room]
        items = [self._item(message) for message in some]
        if len(sent) > room > 2:
            items.insert(-1, left(note(f"and {len(sent) - room + 2} more"), self.item))
        laid = [flow(items[at : at + self.a_row], self.columns, _GAP) for at in range(0, len(items), self.a_row)]
        lines = [trimmed(line) for row in laid for line in row]
        return lines + [note("") for _ in range(self.rows - len(lines))]

    def _item(self, message: Message) -> Line:
        worker = "worker " if self.named else ""
        runs = [
            Run(f"{worker}{message.source}", palette.of_rank(message.source)),
            Run(f" {palette.ARROW} ", Role.SENT),
            Run(f"{worker}{message.destination}", palette.of_rank(message.destination)),
            Run(f": {named(message.chunks, 'chunk')}"),
        ]
        return left(runs, self.item)


def spoken_transfers(step: Step, bounds: Sequence[tuple[int, int]], before: Sequence[npt.NDArray[Any]]) -> list[str]:
    """One sentence a message: "step 2: worker 0 sends chunk 2, value 303, to worker 1, which adds it".

    What a worker sends to several at once is one sentence.
    """
    alike: dict[tuple[int, tuple[int, ...], bool, tuple[int, ...]], list[Message]] = {}
    for message in messages(step):
        sent = (message.source, message.chunks, message.adds, message.into)
        alike.setdefault(sent, []).append(message)
    sentences = []
    for (source, chunks, adds, into), sent_alike in alike.items():
        payload: list[int | float] = []
        for chunk, size in zip(chunks, sent_alike[0].sizes, strict=True):
            first = bounds[chunk][0]
            payload += before[source][first : first + size // before[source].itemsize].tolist()
        one = len(sent_alike) == 1
        verb = ("adds" if one else "add") if adds else ("keeps" if one else "keep")
        sentences.append(
            f"step {step.number}: worker {source} sends {named(chunks, 'chunk')}, {_values(payload)}, "
            f"to {named([message.destination for message in sent_alike], 'worker')}, "
            f"which {verb} {'it' if len(chunks) == 1 else 'them'}"
            + ("" if into == chunks else f" as {named(into, 'chunk')}")
        )
    return sentences


def _values(values: Sequence[int | float]) -> str:
    if not values:
        return "which is empty"
    if len(values) > _MOST_VALUES:
        return f"{len(values)} values"
    return f"value{'s' if len(values) > 1 else ''} {' '.join(number(value) for value in values)}"
