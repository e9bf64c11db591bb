"""What every picture keeps to, in those that a check alone draws: cuts, widths, glyphs, words."""

from __future__ import annotations

import unicodedata
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from simlib.pipeline import schedule
from tutor.views.ascii import GLYPHS
from tutor.views.bill_table import bill_table
from tutor.views.comparison import Side
from tutor.views.explain import comparison, explained
from tutor.views.picture import Picture
from tutor.views.waiting_circle import WaitingCircle


@st.composite
def orders(draw: Any) -> dict[str, Any]:
    """A schedule, and its rows shuffled, shortened or with strange operations."""
    stages, micro_batches = draw(st.integers(1, 5)), draw(st.integers(1, 7))
    name = draw(st.sampled_from(["gpipe", "1f1b"]))
    rows = [[str(step) for step in row] for row in schedule(name, stages, micro_batches).orders]
    for row in rows:
        change = draw(st.sampled_from(["none", "swap", "cut", "strange", "empty"]))
        at = draw(st.integers(0, len(row) - 1))
        if change == "swap":
            row[0], row[at] = row[at], row[0]
        elif change == "cut":
            del row[at:]
        elif change == "strange":
            row.insert(at, draw(st.sampled_from(["0F0", "9F9", "0B99", "3F1"])))
        elif change == "empty":
            row.clear()
    parameters = {"schedule": name, "stages": stages, "micro_batches": micro_batches}
    return {"topic": "pipeline", "parameters": parameters, "step": 0, "own": {"orders": rows}}


@st.composite
def states(draw: Any) -> dict[str, Any]:
    """A ring, and numbers of any kind for its steps, too few or too many."""
    workers, length = draw(st.integers(2, 5)), draw(st.integers(1, 9))
    numbers = st.integers(-999, 10**6) | st.floats(width=32)
    values = draw(
        st.lists(st.lists(st.integers(-9, 99), min_size=length, max_size=length), min_size=workers, max_size=workers)
    )
    state = st.lists(st.lists(numbers, min_size=length, max_size=length), min_size=workers, max_size=workers)
    own = draw(st.lists(st.none() | state, min_size=1, max_size=2 * workers))
    parameters = {"algorithm": "ring", "values": values}
    return {"topic": "all-reduce", "parameters": parameters, "step": draw(st.integers(0, 9)), "own": {"states": own}}


@st.composite
def compared(draw: Any) -> Picture:
    seen = comparison(draw(orders() | states()))
    if seen is None:  # rows without any operation
        seen = comparison({"topic": "pipeline", "parameters": {"stages": 1}, "step": 0, "own": {"orders": [["0F0"]]}})
        assert seen is not None
    step = draw(st.integers(seen.first_step, seen.last_step))
    assert seen.caption(step)
    assert seen.spoken(step)
    side = draw(st.none() | st.sampled_from(list(Side)))
    return seen.both(step) if side is None else seen.picture(step, side)


@st.composite
def circles(draw: Any) -> Picture:
    workers = draw(st.integers(1, 9))
    waiting = []
    for worker in draw(st.permutations(range(workers)))[: draw(st.integers(1, workers))]:
        call = draw(st.sampled_from(["send", "recv", "all_gather"]))
        line = draw(st.none() | st.integers(1, 9999))
        source = draw(st.text(max_size=120))
        waiting.append(
            {"worker": worker, "call": call, "peer": draw(st.integers(0, 8)), "line": line, "source": source}
        )
    kind = draw(st.sampled_from(["deadlock", "mismatch", "unreceived"]))
    return explained({"topic": "waiting", "parameters": {"kind": kind, "waiting": waiting}, "step": 0}).picture


@st.composite
def bills(draw: Any) -> Picture:
    workers = draw(st.integers(1, 8))

    def counts(most: int) -> list[int]:
        return draw(st.lists(st.integers(0, most), min_size=workers, max_size=workers))

    sent = {who: {"bytes_sent": counts(10**12), "messages_sent": counts(999)} for who in ("yours", "engine")}
    held = {"case": "one", "what": "weights", "yours": counts(10**6), "engine": counts(10**6)}
    found = bill_table(sent | {"case": "one", "steps": (3, 4)}, draw(st.none() | st.just(held)))
    assert found is not None
    return found[0]


def text(runs: Any) -> str:
    return "".join(run.text for run in runs)


@settings(max_examples=200, deadline=None)
@given(compared() | circles() | bills(), st.integers(40, 160), st.data())
def test_they_keep_to_what_every_picture_keeps_to(picture: Picture, width: int, data: st.DataObject) -> None:
    size = picture.size(width)
    rows = [text(picture.line(row, width)) for row in range(size.rows)]
    assert max(map(len, rows)) <= size.columns
    start = data.draw(st.integers(0, size.columns))
    stop = data.draw(st.integers(start, size.columns + 5))
    for row, whole in enumerate(rows):
        assert text(picture.line(row, width, start, stop)).rstrip() == whole[start:stop].rstrip()
    for character in set("".join([*rows, *picture.words()])):
        assert character.isprintable()
        assert unicodedata.east_asian_width(character) not in ("W", "F")
    if not isinstance(picture, WaitingCircle):  # in which a line of somebody's program stands
        assert {each for each in "".join(rows) if not each.isascii()} <= set(GLYPHS)
    assert picture.words()
