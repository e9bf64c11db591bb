"""How many may start at a time: all of the host's processes together."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import threading
import time

import pytest

from tutor.checker import gate


@pytest.fixture(autouse=True)
def a_gate_of_this_test(monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    monkeypatch.setattr(gate, "_NAME", f"worldsize-test-{id(request)}")
    monkeypatch.setattr(gate, "places", lambda: 2)


def test_who_comes_third_waits_until_one_has_left() -> None:
    order: list[str] = []

    def third() -> None:
        with gate.entered():
            order.append("third")

    with contextlib.ExitStack() as inside:
        inside.enter_context(gate.entered())
        with gate.entered():
            waiting = threading.Thread(target=third)
            waiting.start()
            time.sleep(0.05)
            order.append("one leaves")
        waiting.join(10)
    assert order == ["one leaves", "third"]


def test_a_stop_ends_the_waiting() -> None:
    stop = threading.Event()
    stop.set()
    with gate.entered(), gate.entered(), gate.entered(stop):
        pass


def test_a_place_that_is_never_given_back_keeps_nobody_out_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gate, "_LONGEST", 0.05)
    with gate.entered(), gate.entered(), gate.entered():
        pass


def test_another_process_counts_and_one_that_is_killed_does_not() -> None:
    program = (
        f"from tutor.checker import gate\ngate._NAME = {gate._NAME!r}\ngate.places = lambda: 2\n"
        "import time\nwith gate.entered(), gate.entered():\n    print('in', flush=True)\n    time.sleep(60)"
    )
    other = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE)
    assert other.stdout is not None
    assert other.stdout.readline() == b"in\n"
    assert gate._free() is None
    other.kill()
    other.wait()
    other.stdout.close()
    place = gate._free()
    assert place is not None
    place.close()
