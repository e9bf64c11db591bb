"""What each worker sent and held, beside what is enough."""

from __future__ import annotations

from typing import Any

import pytest

from tutor.views.bill_table import BillTable, bill_table
from tutor.views.picture import Mark, Role, cell
from tutor.views.terminal import text

ENGINE = {"bytes_sent": [32, 32], "messages_sent": [4, 4]}


def bill(bytes_sent: list[int], messages: list[int], **more: Any) -> dict[str, Any]:
    return {"case": "two", "yours": {"bytes_sent": bytes_sent, "messages_sent": messages}, "engine": ENGINE} | more


def drawn(table: BillTable, width: int = 80) -> list[str]:
    rows = text(table, width, colours="none", ascii_only=False).splitlines()
    assert all(len(row) <= width for row in rows)
    return rows


def test_a_row_a_worker_with_bars_on_one_scale() -> None:
    found = bill_table(bill([64, 16], [2, 1], steps=(3, 4)), None)
    assert found is not None
    table, caption = found
    assert caption == "The bill, two:"
    head, first, second, steps = drawn(table)
    assert head.split() == ["sent", "yours", "enough"]
    assert "64 B in 2 messages" in first
    assert "16 B in 1 message " in second
    # 64 : 32 and 16 : 32
    yours, enough = (first.split("B")[at].count("█") for at in (0, 1))
    assert yours == 2 * enough
    assert second.split("B")[0].count("█") * 2 == enough
    assert steps == "steps one after another: yours 3, the engine's 4"
    assert table.words()[0] == "sent, worker 0: yours 64 B in 2 messages, enough 32 B in 4 messages"
    roles = {run.role for run in table.line(1, 80) if run.cell is not None}
    assert Role.OVER in roles
    assert Role.OVER not in {run.role for run in table.line(2, 80)}


def test_workers_that_are_alike_share_a_row() -> None:
    found = bill_table(bill([32, 32], [4, 4]), None)
    assert found is not None
    assert [row.split("  ")[0] for row in drawn(found[0])] == ["sent", "each of 2 workers"]


def test_what_is_held_of_one_and_of_nothing() -> None:
    held = {"case": "three layers", "what": "inputs", "yours": [6.0], "engine": [4.0]}
    found = bill_table(None, held)
    assert found is not None
    assert found[1] == "The bill, three layers:"
    assert "6 inputs" in drawn(found[0])[1]
    nothing = bill_table(None, held | {"yours": [0.0], "engine": [0.0]})
    assert nothing is not None
    assert "█" not in "".join(drawn(nothing[0]))
    both = bill_table(bill([32, 32], [4, 4]), held)
    assert both is not None
    assert both[1] == "The bill, sent in two; held in three layers:"


@pytest.mark.parametrize(("failing", "there"), [(None, True), ("two", True), ("another", False)])
def test_what_other_cases_cost_is_no_news_when_one_fails(failing: str | None, there: bool) -> None:
    assert (bill_table(bill([64, 16], [2, 1]), None, failing) is not None) is there
    assert bill_table(None, None) is None


@pytest.mark.parametrize("width", [40, 60, 80, 140])
def test_it_fits_and_can_be_marked(width: int) -> None:
    found = bill_table(bill([10**12, 16], [1000, 1]), None)
    assert found is not None
    if width >= 80:
        drawn(found[0], width)
    marked = found[0].marked({cell(of="sent", who="yours", worker=1): Mark(Role.CURSOR)})
    assert "[16 B in 1 message]" in text(marked, width, colours="none", ascii_only=True)
    assert found[0].cells()[cell(of="sent", who="engine", worker=1)] == 32
