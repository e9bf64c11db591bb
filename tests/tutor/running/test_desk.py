"""The desk, with ranks that are played here: who does not belong is not listened to, who is gone is told."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from tutor.checker.verdict import CouldNotCheck
from tutor.running.desk import Desk, Ended, Job, Limits
from tutor.running.wire import Hung, Wire

JOB = Job(np.zeros(0, np.uint8), "file.py", "program", ["worker", "array"], [[1], [2]], (), 1)


Join = Callable[..., Wire]


@pytest.fixture
def joined() -> Iterator[Join]:
    """Makes a played rank's line."""
    lines: list[Wire] = []

    def join(desk: Desk, rank: int, token: str | None = None) -> Wire:
        host, port, known = desk.address.split(":")
        lines.append(Wire(socket.create_connection((host, int(port)))))
        told = known if token is None else token
        lines[-1].send({"kind": "hello", "token": told, "rank": rank, "crashes": False})
        return lines[-1]

    yield join
    for line in lines:
        line.close()


def played(desk: Desk, play: Callable[[], None]) -> Exception:
    """How the run ends while `play` goes on beside it."""
    player = threading.Thread(target=play)
    player.start()
    with desk, pytest.raises((Ended, CouldNotCheck)) as ending:
        desk.conduct()
    player.join()
    return ending.value


def test_it_listens_on_the_loopback_interface_alone() -> None:
    with Desk(JOB, Limits()) as desk:
        assert desk.address.startswith("127.0.0.1:")


@pytest.mark.parametrize(("rank", "token"), [(0, "0" * 32), (0, "ä"), (2, None), (-1, None)])
def test_who_does_not_know_the_token_or_has_no_such_rank_is_hung_up_on(
    joined: Join, rank: int, token: str | None
) -> None:
    with Desk(JOB, Limits()) as desk, pytest.raises(Hung):
        joined(desk, rank, token).receive()


def test_ranks_that_do_not_come_are_counted(joined: Join) -> None:
    desk = Desk(JOB, Limits(start=0.3))
    ending = played(desk, lambda: joined(desk, 1).send({"kind": "ready", "version": "", "host": ""}))
    assert isinstance(ending, CouldNotCheck)
    assert str(ending) == "only 1 of 2 processes came in 0.3 s"


def test_a_launcher_that_ends_is_asked_why() -> None:
    with Desk(JOB, Limits()) as desk, pytest.raises(CouldNotCheck, match="did not start: no such thing"):
        desk.conduct(lambda: "no such thing")


BROKEN = {"kind": "raised", "case": 0, "type": "RuntimeError", "families": [], "text": "connection reset"}


def with_rank_0_raising(joined: Join, message: dict[str, object], seconds: float) -> Exception:
    """How a run ends in which rank 0 raises and rank 1's process is gone: before it (0 s), or so long after it."""

    def play() -> None:
        lines = [joined(desk, rank) for rank in range(2)]
        for line in lines:
            line.send({"kind": "ready", "version": "", "host": ""})
        for rank, line in enumerate(lines):
            assert line.receive()["arguments"] == [rank + 1]
            line.send({"kind": "loaded"})
        state = {"serial": 1, "call": None, "needs": [], "sent": [0, 0], "asked": [0, 0], "entered": 0}
        lines[1].send({"kind": "state", "line": 7, **state})
        if seconds:
            lines[0].send(message)
            time.sleep(seconds)
            lines[1].close()
        else:
            lines[1].close()
            lines[0].send(message)
        lines[0].rest()

    desk = Desk(JOB, Limits())
    return played(desk, play)


@pytest.mark.parametrize("seconds", [0, 1.0])
def test_a_rank_that_dies_is_told_with_its_last_line_though_the_other_raises_for_it(
    joined: Join, seconds: float
) -> None:
    """Also where the system tells the other before it tells the desk."""
    ending = with_rank_0_raising(joined, {**BROKEN, "in_call": "recv"}, seconds)
    assert isinstance(ending, Ended)
    failure = ending.failure
    assert (failure.kind, failure.worker, failure.line) == ("crash", 1, 7)


def test_a_rank_that_raised_by_itself_is_told_though_the_other_is_gone_a_moment_later(joined: Join) -> None:
    ending = with_rank_0_raising(joined, {**BROKEN, "in_call": None}, 0.1)
    assert isinstance(ending, Ended)
    assert (ending.failure.kind, ending.failure.worker) == ("exception", 0)
