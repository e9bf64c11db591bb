"""What is made of a run's times."""

from __future__ import annotations

import numpy as np
import pytest

from simlib.network import Link
from simlib.workers import RunError, Worker, run
from tutor.running.order import order
from tutor.running.record import Record
from tutor.running.replay import replay
from tutor.running.report import call_times, fastest, library_times, links_of

LINK = Link(alpha=1e-6, bandwidth=1e9)


def test_links_are_fitted_to_the_points() -> None:
    points = [[size, 2e-6 + size / 5e8] for size in (8, 4096, 1048576)]
    links = links_of({"pair": points, "everybody": [[size, 3 * time] for size, time in points]})
    assert links["pair"].alpha == pytest.approx(2e-6)
    assert links["pair"].bandwidth == pytest.approx(5e8)
    assert links["everybody"].bandwidth == pytest.approx(5e8 / 3)
    assert links["pair"].miss == pytest.approx(1)
    assert links_of({}) == {}


def test_a_repetition_lasts_until_the_last_rank_is_done() -> None:
    assert fastest([[3.0, 1.0, 9.0], [1.0, 2.5, 1.0]]) == (1, [3.0, 2.5, 9.0])


def test_the_library_s_all_reduce_stands_beside_a_ring_s_time() -> None:
    (timed,) = library_times({"all_reduce": [[4000, 0.5]]}, 4, LINK)
    # 2 (N-1) alpha + 2 (N-1)/N bytes / bandwidth
    assert timed.model_seconds == pytest.approx(6e-6 + 1.5 * 4e-6)
    assert timed.seconds == 0.5


def two_records(size: int = 1000) -> list[Record]:
    """Rank 0 sends twice, rank 1 receives twice; then both gather."""
    records = [Record(2), Record(2)]
    for number in range(2):
        for rank, call in enumerate(("send", "recv")):
            records[rank].note(call, 0.0, 10 + number, 1 - rank, size=size)
    for record in records:
        record.note("all_gather", 0.0, 12, record.term("", -1, "<f8", [3], []), size=24)
    return records


def test_a_replayed_run_costs_what_the_run_did() -> None:
    def program(worker: Worker) -> None:
        for _ in range(2):
            if worker.rank == 0:
                worker.send(np.zeros(1000, np.uint8), dst=1)
            else:
                worker.recv(src=0)
        worker.all_gather(np.zeros(3))

    own = run(program, 2)
    again = replay([record.message() for record in two_records()])
    assert again.bytes_sent == own.bytes_sent == [2024, 24]
    assert again.messages_sent == own.messages_sent
    assert again.time(1e-6, 1e9) == own.time(1e-6, 1e9)


def test_a_message_that_is_left_over_is_told_with_its_line() -> None:
    records = [Record(2), Record(2)]
    records[0].note("isend", 0.0, 17, 1, size=8)
    with pytest.raises(RunError, match="worker 1 never received it") as error:
        replay([record.message() for record in records])
    assert error.value.line == 17


def test_equal_calls_stand_together_with_the_model_s_time() -> None:
    records = [record.message() for record in two_records()]
    seconds = [np.array([1.0, 3.0, 5.0]), np.array([2.0, 2.0, 7.0])]
    found = call_times(records, seconds, replay(records), LINK)
    assert [(one.name, one.count, one.bytes, one.seconds) for one in found] == [
        ("send", 2, 1000, 2.0),
        ("all_gather", 2, 24, 6.0),
        ("recv", 2, 1000, 2.0),
    ]
    assert found[0].model_seconds == pytest.approx(2e-6)
    assert found[1].model_seconds == pytest.approx(1e-6 + 24e-9)  # one step of a ring of two


def test_a_program_that_calls_something_else_the_next_time_has_no_table() -> None:
    records = [record.message() for record in two_records()]
    assert call_times(records, [np.array([1.0])] * 2, replay(records), LINK) == ()


def test_an_order_s_length_is_one_that_the_workers_divide() -> None:
    class Sized:
        """An exercise that makes arguments of any size."""

        worker_program, has_sizes, collectives = True, True, ()

        class exercise:  # noqa: N801
            id = "program"

        def sized(self, seed: int, workers: int, length: int) -> dict[str, object]:
            return {"world_size": workers, "array": [np.zeros(length)] * workers}

    made = order(Sized(), b"", "file.py", "mpi", 7, None, 0)  # type: ignore[arg-type]
    assert made.length == 120_001  # 7 x 17143
    assert len(made.job.arguments) == 7
    assert made.parameters == ["worker", "array"]
