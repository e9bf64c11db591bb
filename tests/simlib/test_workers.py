"""Programs of workers: what they compute, what it costs, and how a run that cannot go on says so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from simlib.collectives import costs, ring_all_reduce
from simlib.errors import BadArgument
from simlib.workers import RunError, Worker, run


def ring(worker: Worker, array: np.ndarray) -> np.ndarray:
    """A ring all-reduce as a learner would write it."""
    rank, n = worker.rank, worker.world_size
    if n == 1:
        return array
    right, left = (rank + 1) % n, (rank - 1) % n
    chunks = np.array_split(array, n)
    for step in range(n - 1):
        arrived = worker.sendrecv(chunks[(rank - step) % n], dst=right, src=left)
        chunks[(rank - step - 1) % n] = chunks[(rank - step - 1) % n] + arrived
    for step in range(n - 1):
        chunks[(rank - step) % n] = worker.sendrecv(chunks[(rank + 1 - step) % n], dst=right, src=left)
    return np.concatenate(chunks)


def failure(program: Callable[..., Any], world_size: int, *arguments: Any) -> RunError:
    with pytest.raises(RunError) as caught:
        run(program, world_size, *arguments)
    assert "\n" not in str(caught.value)
    return caught.value


@given(st.integers(1, 9), st.integers(0, 20))
@settings(max_examples=30)
def test_a_ring_of_programs_is_the_ring_of_the_engine(workers: int, length: int) -> None:
    arrays = np.random.default_rng(length).integers(0, 99, (workers, length))
    found, engine = run(ring, workers, arrays), ring_all_reduce(list(arrays))
    np.testing.assert_array_equal(found.results, engine.result)
    assert found.bytes_sent == engine.bytes_sent
    assert found.bytes_received == engine.bytes_received
    assert found.messages_sent == engine.messages_sent
    assert len(found.steps) == engine.last_step
    for step, expected in zip(found.steps, engine.steps, strict=True):
        ends = sorted((message.source, message.destination) for message in step.messages)
        assert ends == sorted((transfer.source, transfer.destination) for transfer in expected.transfers)


def test_a_hundred_and_twenty_eight_workers() -> None:
    arrays = np.arange(128 * 128.0).reshape(128, 128)
    found = run(ring, 128, arrays)
    np.testing.assert_allclose(found.results, np.broadcast_to(arrays.sum(axis=0), (128, 128)))


def test_the_time_of_a_ring() -> None:
    found = run(ring, 4, np.zeros((4, 64)))
    assert found.time(alpha=3.0, bandwidth=16.0) == pytest.approx(costs.ring_all_reduce_time(512, 4, 3.0, 16.0))


def test_time_counts_waiting_and_busy_links() -> None:
    def one_after_another(worker: Worker) -> None:
        if worker.rank == 0:
            for peer in (1, 2):
                worker.isend(np.zeros(2), dst=peer).wait()
        else:
            worker.recv(src=0)

    # 16 bytes at 8 bytes a second, twice through worker 0's link
    assert run(one_after_another, 3).time(alpha=1.0, bandwidth=8.0) == 2 * (1.0 + 2.0)


def test_two_senders_share_the_receivers_link() -> None:
    def both_at_once(worker: Worker) -> None:
        if worker.rank == 0:
            for request in [worker.irecv(src=1), worker.irecv(src=2)]:
                request.wait()
        else:
            worker.send(np.zeros(2), dst=0)

    assert run(both_at_once, 3).time(alpha=1.0, bandwidth=8.0) == 2 * (1.0 + 2.0)


def test_send_waits_for_its_recv_and_isend_does_not() -> None:
    order: list[str] = []

    def program(worker: Worker) -> None:
        if worker.rank == 0:
            worker.send([1.0], dst=1)
            order.append("sent")
            request = worker.isend([2.0], dst=1)
            order.append("went on")
            request.wait()
        else:
            order.append("asks")
            first = worker.recv(src=0)
            second = worker.irecv(src=0)
            order.append(f"{first[0]}")
            order.append(f"{second.wait()[0]} {second.wait()[0]}")  # type: ignore[index]

    run(program, 2)
    assert order.index("asks") < order.index("sent")
    assert order.index("1.0") < order.index("2.0 2.0")


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), max_size=20))
@settings(max_examples=50)
def test_messages_between_two_workers_keep_their_order(pairs: list[tuple[int, int]]) -> None:
    sends = [(source, destination, number) for number, (source, destination) in enumerate(pairs)]
    sends = [send for send in sends if send[0] != send[1]]

    def program(worker: Worker) -> list[tuple[int, int]]:
        requests = [worker.isend([n], dst=to) for source, to, n in sends if source == worker.rank]
        got = [(source, int(worker.recv(source)[0])) for source, to, _ in sends if to == worker.rank]
        for request in requests:
            request.wait()
        return got

    found = run(program, 4)
    for rank, got in enumerate(found.results):
        assert got == [(source, number) for source, to, number in sends if to == rank]


def test_runs_are_always_the_same() -> None:
    def racing(worker: Worker) -> None:
        trail.append(worker.rank)
        worker.barrier()
        trail.append(worker.rank)
        worker.sendrecv([worker.rank], (worker.rank + 3) % 8, (worker.rank - 3) % 8)
        trail.append(worker.rank)

    trails = []
    for _ in range(3):
        trail: list[int] = []
        run(racing, 8)
        trails.append(trail)
    assert trails[0] == trails[1] == trails[2]
    assert trails[0][:8] == list(range(8))


def test_collectives_give_what_numpy_gives() -> None:
    arrays = np.arange(12).reshape(3, 4)

    def program(worker: Worker, array: np.ndarray) -> dict[str, Any]:
        return {
            "all_reduce": worker.all_reduce(array),
            "mean": worker.all_reduce(array, op="mean"),
            "reduce_scatter": worker.reduce_scatter(array),
            "all_gather": worker.all_gather(array[: worker.rank + 1]),
            "all_to_all": worker.all_to_all(array[:3]),
            "broadcast": worker.broadcast(array if worker.rank == 1 else None, root=1),
            "reduce": worker.reduce(array, op="max", root=2),
            "scatter": worker.scatter([array[:1], array[1:3], array[:0]] if worker.rank == 0 else None, root=0),
            "gather": worker.gather(array[:1], root=1),
        }

    found = run(program, 3, arrays)
    first = found.results[0]
    np.testing.assert_array_equal(first["all_reduce"], arrays.sum(axis=0))
    np.testing.assert_array_equal(first["mean"], arrays.mean(axis=0))
    slices = np.array_split(arrays.sum(axis=0), 3)
    for rank, own in enumerate(found.results):
        np.testing.assert_array_equal(own["reduce_scatter"], slices[rank])
        np.testing.assert_array_equal(own["all_gather"], [0, 4, 5, 8, 9, 10])
        np.testing.assert_array_equal(own["all_to_all"], arrays[:, rank])
        np.testing.assert_array_equal(own["broadcast"], arrays[1])
        np.testing.assert_array_equal(own["scatter"], [[0], [1, 2], []][rank])
        assert (own["reduce"] is None) == (rank != 2)
        assert (own["gather"] is None) == (rank != 1)
    np.testing.assert_array_equal(found.results[2]["reduce"], arrays.max(axis=0))
    np.testing.assert_array_equal(found.results[1]["gather"], [0, 4, 8])
    assert [collective.call for collective in found.collectives][:2] == ["all_reduce", "all_reduce"]


def test_collectives_count_in_the_bill() -> None:
    def program(worker: Worker) -> None:
        worker.all_reduce(np.zeros(8))
        worker.barrier()
        if worker.rank == 0:
            worker.send(np.zeros(2), dst=1)
        elif worker.rank == 1:
            worker.recv(src=0)

    found = run(program, 4)
    assert found.bytes_sent == [96 + 16, 96, 96, 96]
    assert found.messages_sent == [7, 6, 6, 6]
    assert found.time(alpha=1.0, bandwidth=16.0) == pytest.approx(6 * (1 + 16 / 16) + 1 + 16 / 16)


def test_what_a_worker_changes_is_its_own() -> None:
    def program(worker: Worker, array: np.ndarray) -> np.ndarray:
        if worker.rank == 0:
            request = worker.isend(array, dst=1)
            array[:] = -1
            request.wait()
        else:
            array[:] = worker.recv(src=0)
        return array

    given_arrays = [np.array([1, 2]), np.array([3, 4])]
    found = run(program, 2, given_arrays)
    assert [array.tolist() for array in found.results] == [[-1, -1], [1, 2]]
    assert [array.tolist() for array in given_arrays] == [[1, 2], [3, 4]]


def everyone_sends(worker: Worker) -> None:
    right, left = (worker.rank + 1) % worker.world_size, (worker.rank - 1) % worker.world_size
    worker.send([1], dst=right)
    worker.recv(src=left)


def everyone_receives(worker: Worker) -> None:
    worker.recv(src=(worker.rank - 1) % worker.world_size)


def test_a_circle_of_senders_is_named() -> None:
    found = failure(everyone_sends, 3)
    assert found.kind == "deadlock"
    assert str(found) == (
        "worker 0 sends to 1, worker 1 sends to 2, worker 2 sends to 0: everyone sends, nobody receives"
    )
    line = everyone_sends.__code__.co_firstlineno + 2
    assert [(w.worker, w.call, w.peer, w.line) for w in found.waiting] == [
        (0, "send", 1, line),
        (1, "send", 2, line),
        (2, "send", 0, line),
    ]
    assert "worker 5 sends to 6" not in str(failure(everyone_sends, 100))
    assert "…, worker 99 sends to 0" in str(failure(everyone_sends, 100))


def test_other_ways_to_get_stuck() -> None:
    assert str(failure(everyone_receives, 2)) == (
        "worker 0 receives from 1, worker 1 receives from 0: everyone receives, nobody sends"
    )

    def waits_for_one_that_is_done(worker: Worker) -> None:
        if worker.rank == 2:
            worker.recv(src=1)

    assert str(failure(waits_for_one_that_is_done, 3)) == "worker 2 receives from 1, but worker 1 has finished"

    def one_is_missing_from_the_barrier(worker: Worker) -> None:
        if worker.rank == 1:
            worker.recv(src=0)
        else:
            worker.barrier()

    assert str(failure(one_is_missing_from_the_barrier, 3)) == (
        "worker 0 waits in barrier for 1, worker 1 receives from 0: nobody can go on"
    )

    def one_leaves_before_the_barrier(worker: Worker) -> None:
        if worker.rank:
            worker.barrier()

    assert (
        str(failure(one_leaves_before_the_barrier, 2)) == "worker 1 waits in barrier for 0, but worker 0 has finished"
    )


def test_workers_in_different_collectives() -> None:
    def mixed(worker: Worker) -> None:
        if worker.rank == 0:
            worker.all_reduce([1.0])
        else:
            worker.barrier()

    found = failure(mixed, 2)
    assert found.kind == "mismatch"
    assert str(found) == (
        "worker 0 calls all_reduce(op='sum') and worker 1 calls barrier: all workers must make the same call"
    )

    def other_roots(worker: Worker) -> None:
        worker.broadcast([1], root=worker.rank)

    assert "worker 0 calls broadcast(root=0) and worker 1 calls broadcast(root=1)" in str(failure(other_roots, 2))


def test_messages_that_nobody_takes() -> None:
    def forgotten(worker: Worker) -> None:
        if worker.rank == 1:
            worker.isend([1], dst=0)

    found = failure(forgotten, 2)
    assert (found.kind, found.worker) == ("unreceived", 1)
    assert str(found) == "worker 1 sent to 0, and worker 0 never received it"

    def asked_in_vain(worker: Worker) -> None:
        if worker.rank == 1:
            worker.irecv(src=0)

    assert str(failure(asked_in_vain, 2)) == "worker 1 asked for a message from 0, which never sent it"


def test_wrong_types_and_shapes() -> None:
    def sends_text(worker: Worker) -> None:
        if worker.rank == 0:
            worker.send("hello", dst=1)  # type: ignore[arg-type]
        else:
            worker.recv(src=0)

    found = failure(sends_text, 2)
    assert (found.kind, found.worker) == ("wrong_type", 0)
    assert str(found) == "worker 0 sends a str, which is no array of numbers"

    def sends_nothing(worker: Worker) -> None:
        worker.sendrecv(None, dst=1 - worker.rank, src=1 - worker.rank)  # type: ignore[arg-type]

    assert str(failure(sends_nothing, 2)) == "worker 0 sends a NoneType, which is no array of numbers"

    def unequal(worker: Worker) -> None:
        worker.all_reduce(np.zeros(worker.rank + 1))

    found = failure(unequal, 2)
    assert found.kind == "wrong_shape"
    assert str(found) == "all_reduce: the shape of arrays[1] is (2,); accepted: (1,), as arrays[0]"


def test_what_a_program_raises_ends_the_run() -> None:
    def divides(worker: Worker) -> float:
        if worker.rank == 1:
            return 1 / 0
        worker.recv(src=1)
        return 0.0

    found = failure(divides, 3)
    assert (found.kind, found.worker) == ("exception", 1)
    assert str(found) == "worker 1 raised ZeroDivisionError: division by zero"
    assert found.line == divides.__code__.co_firstlineno + 2
    assert isinstance(found.__cause__, ZeroDivisionError)

    def leaves(worker: Worker) -> None:
        raise SystemExit(0)

    assert failure(leaves, 2).kind == "exit"

    def to_itself(worker: Worker) -> None:
        worker.send([1], dst=worker.rank)

    assert "dst is 0; accepted: a rank from 0 to 1, other than its own (0)" in str(failure(to_itself, 2))
    assert failure(to_itself, 2).line == to_itself.__code__.co_firstlineno + 1


def test_a_program_that_catches_everything_is_stopped_all_the_same() -> None:
    def stubborn(worker: Worker) -> None:
        try:
            worker.recv(src=1 - worker.rank)
        except Exception:
            worker.recv(src=1 - worker.rank)

    assert failure(stubborn, 2).kind == "deadlock"


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: run(ring, 0), "world_size is 0; accepted: a whole number from 1 to 1,024"),
        (
            lambda: run(ring, 2, [[1]]),
            r"arguments\[0\] is \[\[1\]\]; accepted: a list with one entry for",
        ),
        (lambda: run("ring", 2), "program is 'ring'"),  # type: ignore[arg-type]
    ],
)
def test_bad_input_is_named(call: Callable[[], Any], message: str) -> None:
    with pytest.raises(BadArgument, match=message):
        call()
