"""How long each operation of an order takes, counted in slots of one common length where there is one.

Times such as 0.3 have no exact float, and sums of a thousand of them drift. Where all times are
multiples of one slot (0.3 and 1 of 0.1), a schedule is timed in whole slots, exactly.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, MutableSequence, Sequence
from fractions import Fraction
from math import gcd, lcm
from typing import NamedTuple

from simlib.errors import BadArgument, positive_number
from simlib.pipeline.operations import (
    BACKWARD,
    FORWARD,
    INPUT,
    WEIGHT,
    Operation,
    parse_operation,
)
from simlib.pipeline.rows import PAIR, Orders, Row

Times = float | Sequence[float]  # one time for all stages, or one for each model stage
Length = Fraction | float  # a time: a fraction where there is a simple one
Column = MutableSequence[float]  # a number for each operation of a row: an array, or a list

_LARGEST_DENOMINATOR = 1_000_000


class StageTimes(NamedTuple):
    """What is given of the times, in any unit, the same for all.

    The first four: a number is a rank's time for one micro-batch and is divided by its `chunks`; a
    sequence holds the own time of each model stage, undivided. An overlapping pair takes the sum of
    its two, or `overlapped` (divided by `chunks`). `exceptions` gives single operations another time.
    A message between ranks takes `latency`; a stage on the same rank needs none.
    """

    forward: Times = 1
    backward: Times = 2
    input: Times = 1
    weight: Times = 1
    chunks: int = 1
    overlapped: float | None = None
    exceptions: Mapping[Operation | str, float] | None = None
    latency: float = 0


class Durations(NamedTuple):
    """`rows[rank][position]` and `latency` in slots; without a common `slot`, in the unit of the times."""

    rows: list[Column]
    latency: float
    slot: Fraction | None
    stages: int  # model stages of the whole pipeline
    typecode: str | None  # of an array that holds any time of the timeline; None where only a list does


def exact(time: float) -> Length:
    """The simple fraction that `time` is the nearest float of, or `time` itself where there is none such (pi).

    >>> exact(0.3), exact(1 / 3), exact(2**0.5)
    (Fraction(3, 10), Fraction(1, 3), 1.4142135623730951)
    """
    fraction = Fraction(time).limit_denominator(_LARGEST_DENOMINATOR)
    return fraction if float(fraction) == time else time


def common_slot(lengths: Iterable[Length]) -> Fraction | None:
    """The longest slot that each of `lengths` (above 0) is a whole number of; None where one has no fraction.

    >>> common_slot([Fraction(1), Fraction(3, 10)])
    Fraction(1, 10)
    """
    numerators, denominators = [], []
    for length in lengths:
        if not isinstance(length, Fraction):
            return None
        numerators.append(length.numerator)
        denominators.append(length.denominator)
    return Fraction(gcd(*numerators), lcm(*denominators))


def stage_lengths(times: StageTimes, stages: int) -> dict[str, list[Length]]:
    """The length of each kind of operation on each of `stages` model stages. Raises BadArgument.

    >>> stage_lengths(StageTimes(backward=[2, 3], chunks=2), 2)["F"], stage_lengths(StageTimes(backward=[2, 3]), 2)["B"]
    ([Fraction(1, 2), Fraction(1, 2)], [Fraction(2, 1), Fraction(3, 1)])
    """
    given = {FORWARD: "forward", BACKWARD: "backward", INPUT: "input", WEIGHT: "weight"}
    return {kind: _per_stage(name, getattr(times, name), stages, times.chunks) for kind, name in given.items()}


def _per_stage(name: str, time: object, stages: int, chunks: int) -> list[Length]:
    if isinstance(time, Sequence) and not isinstance(time, str):
        if len(time) != stages:
            raise BadArgument(name, time, f"a number, or one for each of the {stages} model stages")
        return [exact(positive_number(f"{name}[{stage}]", one)) for stage, one in enumerate(time)]
    return [exact(positive_number(name, time)) / chunks] * stages


def durations(orders: Orders, times: StageTimes) -> Durations:
    """How long each operation of `orders` (at least one) takes. Raises BadArgument for a time that is none."""
    used = set[tuple[int, str]]().union(*(row.kinds_by_stage for row in orders))
    overlaps = any(row.backwards for row in orders)
    stages = max((stage for stage, _ in used), default=0) + 1
    lengths = stage_lengths(times, stages)
    pair = None if times.overlapped is None else exact(positive_number("overlapped", times.overlapped)) / times.chunks
    exceptions = _exceptions(times.exceptions or {})
    latency = exact(positive_number("latency", times.latency, zero=True))

    in_use = {lengths[kind][stage] for stage, kind in used} | set(exceptions.values())
    in_use |= {length for length in (pair if overlaps else None, latency) if length}
    slot = common_slot(in_use)

    def counted(length: Length) -> float:
        return float(length) if slot is None else int(length / slot)

    # At the latest one after the other, each a pair and its message
    latest = 3 * max(map(counted, in_use)) * sum(map(len, orders))
    typecode = _typecode(latest, whole=slot is not None)
    # Only of stages that occur: an order with a typing error may name one far beyond all others
    table: _Table = {}
    for stage, kind in used:
        table.setdefault(stage, {})[kind] = counted(lengths[kind][stage])
    if not overlaps and not exceptions:
        rows = [column(typecode, _usual_lengths(row, table)) for row in orders]
    else:
        special = {operation: counted(length) for operation, length in exceptions.items()}
        together = counted(pair) if overlaps and pair is not None else None
        rows = [column(typecode, _lengths(row, table, special, together)) for row in orders]
    return Durations(rows, counted(latency), slot, stages, typecode)


def column(typecode: str | None, numbers: Iterable[float] = ()) -> Column:
    """These numbers in as few bytes as hold every time of their timeline."""
    return list(numbers) if typecode is None else array(typecode, numbers)


def _typecode(most: float, whole: bool) -> str | None:
    """The smallest type of `array` for whole numbers up to `most`, or for any: a count of slots must stay exact.

    Unsigned, for Python writes those faster than signed ones.
    """
    if not whole:
        return "d"
    return next((code for code, bits in (("I", 32), ("Q", 64)) if most < 1 << bits), None)


def _exceptions(given: Mapping[Operation | str, float]) -> dict[Operation, Length]:
    exceptions: dict[Operation, Length] = {}
    for operation, time in given.items():
        step = parse_operation(operation) if isinstance(operation, str) else operation
        if not isinstance(step, Operation):
            raise BadArgument("exceptions", operation, "single operations, such as 0F0, and their times")
        exceptions[step] = exact(positive_number(f"exceptions[{step}]", time))
    return exceptions


_Table = dict[int, dict[str, float]]  # by stage and kind


def _usual_lengths(row: Row, table: _Table) -> Iterator[float]:
    """Those of a row without pairs, where no operation is an exception."""
    stage = row.only_stage
    if stage is not None:
        return map(table[stage].__getitem__, row.kinds)
    return (table[stage][kind] for stage, kind in zip(row.stages, row.kinds, strict=True))


def _lengths(row: Row, table: _Table, special: dict[Operation, float], pair: float | None) -> Iterator[float]:
    def own(stage: int, kind: str, micro_batch: int) -> float:
        usual = table[stage][kind]
        return special.get(Operation(stage, kind, micro_batch), usual) if special else usual

    partners = row.partners()
    for stage, kind, micro_batch in zip(row.stages, row.kinds, row.micro_batches, strict=True):
        if kind != PAIR:
            yield own(stage, kind, micro_batch)
            continue
        together = own(stage, FORWARD, micro_batch) + own(*next(partners))
        yield together if pair is None else pair
