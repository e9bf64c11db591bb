"""Who waits for whom, drawn: circle, chain to one that is gone, calls that do not fit, message with one end."""

from __future__ import annotations

from typing import Any

import pytest

from tutor.views.explain import explained
from tutor.views.picture import Mark, Role, cell
from tutor.views.terminal import text

RECV = "chunk = worker.recv(src=left)"


def one(worker: int, call: str, peer: int | None, line: int | None = 7, source: str = RECV) -> dict[str, Any]:
    return {"worker": worker, "call": call, "peer": peer, "line": line, "source": source}


def drawn(kind: str, *waiting: dict[str, Any], width: int = 80, ascii_only: bool = False) -> list[str]:
    of = {"topic": "waiting", "parameters": {"kind": kind, "waiting": list(waiting)}, "step": 0}
    picture = explained(of).picture
    assert all(len(line) <= width for line in text(picture, width, colours="none", ascii_only=False).splitlines())
    return text(picture, width, colours="none", ascii_only=ascii_only).splitlines()


def test_a_circle_is_closed_and_each_line_of_the_program_stands_once() -> None:
    circle = [one(0, "send", 1), one(1, "send", 2), one(2, "send", 0, 9, "worker.send(x, 0)")]
    assert drawn("deadlock", *circle) == [
        "┌→ worker 0 ─→ worker 1 ─→ worker 2 ─┐",
        "└────────────────────────────────────┘",
        "",
        "worker 0   line 7   sends to 1",
        "worker 1   line 7   sends to 2",
        "worker 2   line 9   sends to 0",
        "",
        f"line 7   {RECV}",
        "line 9   worker.send(x, 0)",
    ]


def test_who_waits_beside_the_circle_is_in_the_table() -> None:
    rows = drawn("deadlock", one(1, "recv", 2), one(2, "recv", 1), one(0, "send", 1))
    assert rows[0] == "┌→ worker 1 ─→ worker 2 ─┐"
    assert [row.split()[1] for row in rows[3:6]] == ["1", "2", "0"]


def test_a_chain_ends_at_the_worker_that_has_finished() -> None:
    rows = drawn("deadlock", one(2, "all_gather", 1), one(1, "recv", 0))
    assert rows[0] == "worker 2 ─→ worker 1 ─→ worker 0"
    assert rows[2:5] == [
        "worker 2   line 7   waits in all_gather for 1",
        "worker 1   line 7   receives from 0",
        "worker 0            has finished",
    ]


def test_a_worker_that_waits_for_itself_is_no_ring_of_several() -> None:
    assert drawn("deadlock", one(0, "send", 0))[0] == "worker 0   line 7   sends to 0"


def test_calls_that_do_not_fit_and_a_message_with_one_end() -> None:
    mismatch = drawn("mismatch", one(0, "all_gather", None, 4), one(2, "barrier", None, 6, "worker.barrier()"))
    assert mismatch[:2] == ["worker 0   line 4   calls all_gather", "worker 2   line 6   calls barrier"]
    assert drawn("unreceived", one(0, "send", 2))[:2] == [
        "worker 0   line 7   sends to 2",
        "worker 2            never receives it",
    ]
    assert "never sends it" in drawn("unreceived", one(0, "recv", 2))[1]


@pytest.mark.parametrize(("workers", "first"), [(8, "┌→ 0 ─→ 1 ─→ 2 "), (40, "worker 0    line 7")])
def test_many_workers_go_by_their_numbers_or_are_listed_alone(workers: int, first: str) -> None:
    circle = [one(worker, "send", (worker + 1) % workers) for worker in range(workers)]
    rows = drawn("deadlock", *circle)
    assert rows[0].startswith(first)
    assert sum("sends to" in row for row in rows) == workers


def test_without_unicode_without_lines_and_with_a_long_one() -> None:
    assert drawn("deadlock", one(0, "send", 1), one(1, "send", 0), ascii_only=True)[:2] == [
        "+> worker 0 -> worker 1 -+",
        "+------------------------+",
    ]
    assert (
        drawn("deadlock", one(0, "recv", 1, None, ""), one(1, "recv", 0, None, ""))[-1]
        == "worker 1      receives from 0"
    )
    long = one(0, "send", 1, 7, "worker.send(" + "x + " * 40 + "1, dst=right)")
    assert drawn("unreceived", long)[-1].endswith("dst=right)")
    wide = one(0, "send", 1, 7, "x = '\u4e2d\u6587' ")
    assert "line 7   x = '??'" in drawn("unreceived", wide)


def test_in_words_and_marked() -> None:
    parameters = {"kind": "deadlock", "waiting": [one(0, "send", 1), one(1, "send", 0)]}
    picture = explained({"topic": "waiting", "parameters": parameters, "step": 0}).picture
    assert picture.words() == [
        f"worker 0, line 7: sends to 1, in: {RECV}",
        f"worker 1, line 7: sends to 0, in: {RECV}",
        "worker 0 waits for worker 1",
        "worker 1 waits for worker 0",
    ]
    assert dict(picture.cells()) == {cell(worker=0): 7, cell(worker=1): 7}
    marked = picture.marked({cell(worker=1): Mark(Role.CURSOR)})
    assert "[line 7]" in text(marked, 80, colours="none", ascii_only=False)
