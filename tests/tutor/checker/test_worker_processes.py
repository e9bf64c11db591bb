"""The processes that workers run in: their limits, their stub, and how they are started, stopped and ended."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from simlib.workers import RunError, run
from tutor.checker import CouldNotCheck, Limits, check_source, isolation, process
from tutor.checker.workers import trouble

# The ring all-reduce as one worker's program, and an exercise that asks for it
HERE = Path(__file__).parent / "programs"
RING = (HERE / "ring_worker.py").read_text(encoding="utf-8")
CHECK = (HERE / "ring_check.py").read_text(encoding="utf-8")


def test_a_check_of_workers_can_be_stopped(make_exercise) -> None:
    stop = threading.Event()
    threading.Timer(0.5, stop.set).start()
    source = b"import time\ndef ring_worker(worker, array):\n    time.sleep(60)\n"
    with pytest.raises(process.Stopped):
        check_source(source, make_exercise(CHECK, "ring_worker"), stop=stop)


def test_workers_that_do_not_start_are_no_verdict(make_exercise, monkeypatch) -> None:
    around = isolation.surroundings("crew")
    command = [*around.command[:1], "-c", "raise ImportError('no numpy')"]
    broken = isolation.Surroundings(command, around.environment, around.token)
    monkeypatch.setattr(isolation, "surroundings", lambda program, boxed: broken)
    with pytest.raises(CouldNotCheck, match="did not start: ImportError: no numpy"):
        check_source(RING.encode(), make_exercise(CHECK, "ring_worker"))


def test_the_same_program_on_either_side_has_the_same_calls() -> None:
    from simlib.workers import Request, Worker
    from tutor.checker.inside import worker as inside

    for one, other in ((Worker, inside.Worker), (Request, inside.Request)):
        calls = {name for name in vars(one) if not name.startswith("_")} - {"rank", "world_size"}
        assert calls == {name for name in vars(other) if not name.startswith("_")}
        for call in calls:
            left, right = (getattr(kind, call).__code__ for kind in (one, other))
            assert left.co_varnames[: left.co_argcount] == right.co_varnames[: right.co_argcount], call
            assert getattr(one, call).__defaults__ == getattr(other, call).__defaults__, call


def test_waiting_is_json() -> None:
    with pytest.raises(RunError) as caught:
        run(lambda worker: worker.barrier() if worker.rank else None, 2)
    assert trouble.of_run(caught.value).waiting == (asdict(caught.value.waiting[0]),)


def test_a_worker_s_share_of_the_limits() -> None:
    limits = Limits().of_worker(16)
    assert limits.result_most * 16 == Limits().result_most
    assert limits.output_most * 16 == Limits().output_most
    assert limits.data == 128 << 20
    assert Limits().of_worker(1) == Limits()


def test_the_stub_is_found_by_no_import(make_exercise) -> None:
    for module in ("inside.worker", "inside.crew", "simlib.workers"):
        error = check_source(f"import {module}".encode(), make_exercise(CHECK, "ring_worker")).error
        assert error is not None
        assert (error.kind, error.line) == ("import", 1)
    assert Path(isolation.__file__).parent.joinpath("inside/worker.py").exists()


def test_when_the_tutor_is_killed_its_workers_end_too(tmp_path, make_exercise) -> None:
    exercise = make_exercise(CHECK, "ring_worker")
    program = tmp_path / "tutor_to_kill.py"
    program.write_text(
        "from pathlib import Path\nfrom tutor.checker import check_source\n"
        "from tutor.course.model import Exercise, Place\n"
        f"folder = Path({str(exercise.folder)!r})\n"
        "exercise = Exercise('ring_worker', '', folder, '', (), '', Place(folder, 1))\n"
        "check_source(b'import time\\ntime.sleep(60)', exercise)\n"
    )
    root = str(isolation.__file__).rsplit("/tutor/", 1)[0]
    environment = {**os.environ, "TMPDIR": str(tmp_path), "PYTHONPATH": root}
    tutor = subprocess.Popen([sys.executable, str(program)], env=environment)
    starter = wait_for(lambda: children_of(tutor.pid))[0]
    workers = wait_for(lambda: found if len(found := children_of(starter)) == 3 else [])
    time.sleep(0.5)  # by now they sleep in the learner's file
    assert all(map(runs, workers))
    tutor.send_signal(signal.SIGKILL)
    tutor.wait()
    wait_for(lambda: not any(map(runs, [starter, *workers])))


def children_of(pid: int) -> list[int]:
    return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def runs(pid: int) -> bool:
    try:
        return " Z " not in Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False


def wait_for(condition: Callable[[], Any]) -> Any:
    until = time.monotonic() + 20
    while time.monotonic() < until:
        try:
            if found := condition():
                return found
        except OSError:
            pass
        time.sleep(0.02)
    raise AssertionError("it did not come")
