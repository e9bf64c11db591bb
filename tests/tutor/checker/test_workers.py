"""Programs of workers on processes: what they compute, send and get stuck in is what the engine's workers do."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simlib.workers import Run, RunError, run
from tutor.checker import CouldNotCheck, Limits, check_source, isolation, process
from tutor.checker.check import source_array
from tutor.checker.inside import frames
from tutor.checker.workers import bill, trouble
from tutor.checker.workers.crew import Crew
from tutor.checker.workers.line import CLOSED, LineCut
from tutor.checker.workers.routing import COLLECTIVES, ProgramFailed, route

RING = """
import numpy as np

def ring_worker(worker, array):
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
"""
CHECK = """
import numpy as np
from simlib.collectives import ring_all_reduce

def cases(seed):
    rng = np.random.default_rng(seed)
    for workers in (2, 3, 1):
        yield f"{workers} workers", {"world_size": workers, "array": list(rng.integers(0, 99, (workers, 6)))}, None

def expected(arguments):
    return [sum(arguments["array"])] * arguments["world_size"]

def bill(arguments):
    trace = ring_all_reduce(arguments["array"])
    return {"bytes_sent": trace.bytes_sent, "messages_sent": trace.messages_sent}
"""
CHECK_FILE = "program.py"


def both(body: str) -> tuple[str, Any]:
    """The source of `program(worker, array)` with this body, and the function that it makes here."""
    source = "import numpy as np\n\ndef program(worker, array):\n" + textwrap.indent(textwrap.dedent(body), "    ")
    names: dict[str, Any] = {}
    exec(compile(source, CHECK_FILE, "exec"), names)
    return source, names["program"]


def on_processes(source: str, world_size: int, *cases: list[Any], limits: Limits | None = None) -> list[Run]:
    """The runs of `program` on processes, one for each list of arrays."""
    with Crew(world_size, limits or Limits()) as crew:
        job = {"source": source_array(source.encode()), "file": CHECK_FILE, "function": "program", "parameters": 2}
        crew.begin(job)
        assert [line.receive()["kind"] for line in crew.lines] == ["loaded"] * world_size
        runs = []
        for number, arrays in enumerate(cases):
            for rank, line in enumerate(crew.lines):
                message = {"kind": "case", "case": number, "rank": rank, "world_size": world_size}
                line.send(frames.encode(message | {"arguments": [arrays[rank]]}))
            runs.append(route(crew.lines, world_size, COLLECTIVES))
        return runs


PROGRAMS = {
    "ring": RING.partition("array):\n")[2],
    "returns": "return {'rank': worker.rank, 'all': [worker.world_size, 1.5, None, 'text']}",
    "sends in turn": """
        if worker.rank == 0:
            worker.send(array, dst=1)
            return worker.recv(src=worker.world_size - 1)
        got = worker.recv(src=worker.rank - 1)
        worker.send(got + array, dst=(worker.rank + 1) % worker.world_size)
        return got
    """,
    "requests": """
        n = worker.world_size
        sent = [worker.isend(array * peer, dst=peer) for peer in range(n) if peer != worker.rank]
        asked = [worker.irecv(src=peer) for peer in range(n) if peer != worker.rank]
        array[:] = -1
        got = [request.wait() for request in reversed(asked)]
        again = [request.wait() for request in asked]
        return got, again, [request.wait() for request in sent], [a is b for a, b in zip(got, reversed(again))]
    """,
    "what is sent": """
        peer = (worker.rank + 1) % worker.world_size, (worker.rank - 1) % worker.world_size
        values = [1, 2.5, True, [1, 2], [[1.0], [2.0]], np.float32(3), np.arange(3, dtype='>i4'), np.zeros((0, 2)),
                  np.zeros((2, 3))[:, 1], (1, 2), 1 + 2j, np.int8(-1), np.ma.masked_array([1, 2])]
        got = [worker.sendrecv(value, *peer) for value in values]
        return got, [type(array).__name__ for array in got], [array.dtype.kind for array in got]
    """,
    "collectives": """
        rank, n = worker.rank, worker.world_size
        first = [worker.all_reduce(array), worker.all_reduce(array, op='mean'), worker.all_reduce(array, 'max')]
        second = [worker.reduce_scatter(array), worker.all_gather(array[:rank + 1]), worker.all_to_all(array[:n])]
        worker.barrier()
        third = [worker.broadcast(array if rank == 1 else None, root=1), worker.reduce(array, op='max', root=n - 1)]
        pieces = [array[:1]] * n if rank == 0 else None
        return first, second, third, [worker.scatter(pieces), worker.gather(array[:1], root=1)]
    """,
    "a bad rank can be caught": """
        said = []
        for wrong in (worker.rank, -1, worker.world_size, 1.0, True, 'x', None, np.int64(99)):
            for call in (worker.recv, worker.irecv, lambda to: worker.send(array, to)):
                try:
                    call(wrong)
                except ValueError as error:
                    said.append(f'{type(error).__name__}: {error}')
        try:
            worker.all_reduce(array, op='product')
        except ValueError as error:
            said.append(str(error))
        try:
            worker.scatter([array], root=worker.rank)
        except ValueError as error:
            said.append(str(error))
        return said
    """,
}


@pytest.mark.parametrize("world_size", [2, 3])
@pytest.mark.parametrize("body", list(PROGRAMS.values()), ids=list(PROGRAMS))
def test_a_run_on_processes_is_the_run_of_the_engine(body: str, world_size: int) -> None:
    source, program = both(body)
    arrays = list(np.random.default_rng(world_size).integers(0, 99, (world_size, 7)))
    engine = run(program, world_size, arrays)
    (found,) = on_processes(source, world_size, arrays)
    for own, wanted in zip(found.results, engine.results, strict=True):
        same(own["value"], wanted)
    assert found.bytes_sent == engine.bytes_sent
    assert found.bytes_received == engine.bytes_received
    assert found.messages_sent == engine.messages_sent
    assert found.messages == engine.messages
    assert found.log.events == engine.log.events
    assert [one.call for one in found.collectives] == [one.call for one in engine.collectives]


def same(one: Any, other: Any) -> None:
    """Equal in value and form."""
    if isinstance(other, np.ndarray):
        assert one.dtype == other.dtype.newbyteorder("<")
        np.testing.assert_array_equal(one, other)
    elif isinstance(other, (list, tuple)):
        assert type(one) is type(other)
        for left, right in zip(one, other, strict=True):
            same(left, right)
    else:
        assert one == other


def test_one_worker_alone() -> None:
    source, _ = both("worker.barrier(); return worker.all_reduce(array), worker.rank, worker.world_size")
    value = on_processes(source, 1, [np.arange(3)])[0].results[0]["value"]
    same(value, (np.arange(3), 0, 1))


def test_messages_between_two_keep_their_order_whoever_is_faster() -> None:
    body = """
        sends = [tuple(row) for row in array if row[0] != row[1]]
        requests = [worker.isend([n], dst=to) for n, (source, to) in enumerate(sends) if source == worker.rank]
        got = [(source, int(worker.recv(source)[0])) for source, to in sends if to == worker.rank]
        for request in requests:
            request.wait()
        return [array.tolist() for array in map(np.array, got)]
    """
    source, program = both(body)
    cases = [[np.random.default_rng(seed).integers(0, 4, (12, 2))] * 4 for seed in range(8)]
    for case, found in zip(cases, on_processes(source, 4, *cases), strict=True):
        engine = run(program, 4, case)
        assert [own["value"] for own in found.results] == engine.results
        assert found.log.events == engine.log.events


FAILURES = {
    "everyone sends": "worker.send(array, dst=(worker.rank + 1) % worker.world_size)",
    "everyone receives": "worker.recv(src=(worker.rank - 1) % worker.world_size)",
    "waits for a request": "worker.irecv(src=(worker.rank + 1) % worker.world_size)\\\n    .wait()",
    "waits for one that is done": "if worker.rank == 2: worker.recv(src=1)",
    "one misses the barrier": "if worker.rank == 1: worker.recv(src=0)\nelse: worker.barrier()",
    "one leaves before the barrier": "if worker.rank: worker.barrier()",
    "a collective that one skips": "if worker.rank != 1: worker.all_reduce(array)",
    "another order": (
        "calls = [worker.all_reduce, worker.all_gather]\nfor call in calls[:: 1 if worker.rank else -1]: call(array)"
    ),
    "other roots": "worker.broadcast(array, root=worker.rank)",
    "other operations": "worker.all_reduce(array, op='max' if worker.rank else 'sum')",
    "forgotten": "if worker.rank == 1:\n    request = worker.isend(array, dst=0)",
    "asked in vain": "if worker.rank == 1:\n    worker.irecv(src=0)",
    "unequal shapes": "worker.all_reduce(array[worker.rank:])",
    "unequal types": "worker.all_reduce(array.astype('f4' if worker.rank else 'f8'))",
    "text": "if worker.rank == 0: worker.send('hello', dst=1)\nelse: worker.recv(src=0)",
    "nothing": "worker.all_gather(None)",
    "objects": "worker.sendrecv(array.astype(object), dst=1 - worker.rank, src=1 - worker.rank)",
    "ragged": "worker.isend([[1], [2, 3]], dst=(worker.rank + 1) % worker.world_size)",
    "a class of its own": "class Own: pass\nworker.isend(Own(), dst=(worker.rank + 1) % worker.world_size)",
    "pieces of text": "worker.scatter(['a', 'b', 'c'])",
}
RAISED = {
    "division": "if worker.rank == 1:\n    return 1 / 0\nworker.recv(src=1)",
    "a bad rank": "\nworker.send(array, dst=worker.rank)",
    "an index": "return array[len(array)]",
    "while others wait": "if worker.rank == 2: raise KeyError('x')\nworker.barrier()",
    "the requests of another": "worker.irecv(src=0 if worker.rank else 1).wait(3)",
}


@pytest.mark.parametrize("body", list(FAILURES.values()), ids=list(FAILURES))
def test_a_run_that_ends_early_says_what_the_engine_says(body: str) -> None:
    source, program = both(body)
    arrays = list(np.arange(12.0).reshape(3, 4))
    with pytest.raises(RunError) as engine:
        run(program, 3, arrays)
    with pytest.raises(RunError) as found:
        on_processes(source, 3, arrays)
    assert str(found.value) == str(engine.value)
    for what in ("kind", "worker", "line", "waiting"):
        assert getattr(found.value, what) == getattr(engine.value, what), what


@pytest.mark.parametrize("body", list(RAISED.values()), ids=list(RAISED))
def test_what_a_program_raises(body: str) -> None:
    source, program = both(body)
    arrays = list(np.arange(12.0).reshape(3, 4))
    with pytest.raises(RunError) as engine:
        run(program, 3, arrays)
    with pytest.raises(ProgramFailed) as found:
        on_processes(source, 3, arrays)
    failure = trouble.of_program(found.value, Limits())
    # a class in the child's stub has the engine's name, and so has its method
    # What is often behind it may follow
    said = failure.message.replace("Request.wait", "wait")
    assert said.startswith(str(engine.value).replace("Request.wait", "wait"))
    assert (failure.kind, failure.worker, failure.line) == ("exception", engine.value.worker, engine.value.line)


def test_a_process_that_is_gone_is_missed_at_once() -> None:
    source, _ = both("import os\nif worker.rank == 1: os._exit(4)\nworker.barrier()")
    with pytest.raises(LineCut) as cut:
        on_processes(source, 3, [np.arange(3)] * 3)
    assert (cut.value.why, cut.value.worker) == (CLOSED, 1)


def test_a_right_program_passes_and_is_billed(make_exercise) -> None:
    result = check_source(RING.encode(), make_exercise(CHECK, "ring_worker"))
    assert result.passed, result
    assert [case.name for case in result.cases] == ["2 workers", "3 workers", "1 workers"]
    # 6 numbers of 8 bytes: 2 (N-1) messages of 48 / N bytes
    sent = {"bytes_sent": [64, 64, 64], "messages_sent": [4, 4, 4]}
    assert result.to_json()["bill"] == {"yours": sent, "engine": sent}
    assert result.bill is not None
    assert result.bill["case"] == "3 workers"


WASTEFUL = """
def ring_worker(worker, array):
    total = array
    for other in range(1, worker.world_size):
        total = total + worker.sendrecv(
            array, (worker.rank + other) % worker.world_size, (worker.rank - other) % worker.world_size)
    return total
"""


def test_a_wasteful_program_is_told_how_wasteful(make_exercise) -> None:
    passing = check_source(WASTEFUL.encode(), make_exercise(CHECK, "ring_worker"))
    assert passing.passed
    told = next(case for case in passing.cases if case.name == "3 workers").reason
    # 2 whole arrays of 48 bytes, against 2 (N-1) / N arrays
    assert "worker 0 sends 96 B in 2 messages; 64 B in 4 messages are enough. That is 1.5 times as much." in told
    strict = CHECK + "\nmost_bytes = 1.0\ndef explain_bill(arguments, engine, yours): return 'Send chunks.'\n"
    failing = check_source(WASTEFUL.encode(), make_exercise(strict, "ring_worker"))
    assert not failing.passed
    assert failing.error is None
    assert failing.cases[0].name == "3 workers"
    assert failing.cases[0].reason == f"{told} Send chunks."
    assert failing.bill is not None
    assert failing.bill["yours"]["bytes_sent"] == [96, 96, 96]
    assert failing.bill["case"] == "3 workers"


def test_what_need_not_be_sent_at_all() -> None:
    nothing = {"bytes_sent": [0, 0], "messages_sent": [0, 0]}
    assert bill.times_too_much(nothing, nothing) == 1
    some = {"bytes_sent": [0, 8], "messages_sent": [0, 1]}
    assert (
        bill.told(nothing, some) == "The values are right, but worker 1 sends 8 B in 1 message; nothing need be sent."
    )


def test_a_wrong_value_names_its_worker(make_exercise) -> None:
    wrong = RING.replace("return np.concatenate(chunks)", "return np.concatenate(chunks) - (worker.rank == 2)")
    result = check_source(wrong.encode(), make_exercise(CHECK, "ring_worker"))
    assert [(case.name, case.passed) for case in result.cases] == [
        ("3 workers", False),
        ("2 workers", True),
        ("1 workers", True),
    ]
    difference = result.cases[0].first_difference
    assert difference is not None
    assert (difference.worker, difference.index, difference.expected) == (2, 0, difference.got + 1)
    assert result.cases[0].reason == f"Worker 2: result[0] is {difference.got}; expected {difference.expected}"
    # nothing is billed before it is right
    assert result.bill is not None
    assert len(result.bill["yours"]["bytes_sent"]) == 2


def test_a_deadlock_is_a_failure_with_its_circle(make_exercise) -> None:
    all_send = RING.replace("worker.sendrecv(chunks[(rank - step) % n], dst=right, src=left)", "SENT").replace(
        "arrived = SENT", "worker.send(chunks[rank], dst=right); arrived = worker.recv(src=left)"
    )
    result = check_source(all_send.encode(), make_exercise(CHECK.replace("(2, 3, 1)", "(3, 2)"), "ring_worker"))
    circle = "worker 0 sends to 1, worker 1 sends to 2, worker 2 sends to 0: everyone sends, nobody receives"
    assert result.to_json()["error"] == {
        "kind": "deadlock",
        "message": circle,
        "line": 11,
        "worker": 0,
        "waiting": [{"worker": rank, "call": "send", "peer": (rank + 1) % 3, "line": 11} for rank in range(3)],
    }
    assert [case.name for case in result.cases] == ["3 workers"]
    assert circle in result.cases[0].reason
    assert "sendrecv" in result.cases[0].reason


@pytest.mark.parametrize("kind", ["mismatch", "unreceived"])
def test_what_would_hang_on_real_machines_is_a_deadlock(kind: str) -> None:
    assert trouble.of_run(RunError(kind, "worker 0 …", 0, 3)).kind == "deadlock"


def test_collectives_are_there_where_the_exercise_allows_them(make_exercise) -> None:
    source = b"def ring_worker(worker, array):\n    return worker.all_reduce(array)\n"
    error = check_source(source, make_exercise(CHECK, "ring_worker")).error
    assert error is not None
    assert (error.kind, error.line, error.worker) == ("forbidden", 2, 0)
    assert "worker 0 calls all_reduce; in this exercise a worker has send, recv" in error.message
    allowed = make_exercise(CHECK + "\ncollectives = ('all_reduce',)\n", "ring_worker")
    assert check_source(source, allowed).passed


def test_any_exercise_may_be_a_worker_s(make_exercise) -> None:
    source = RING.replace("ring_worker", "ring").encode()
    assert check_source(source, make_exercise(CHECK + "\nworker_program = True\n", "ring")).passed
    plain = "worker_program = False\ndef cases(seed): yield 'a', {'x': 2}, None\ndef expected(arguments): return 4"
    assert check_source(b"def plain_worker(x): return 2 * x", make_exercise(plain, "plain_worker")).passed


def test_an_argument_that_a_worker_changed(make_exercise) -> None:
    changes = RING.replace("return np.concatenate(chunks)", "array[:] = 0; return np.concatenate(chunks)")
    result = check_source(changes.encode(), make_exercise(CHECK.replace("(2, 3, 1)", "(2, 3)"), "ring_worker"))
    assert not result.passed
    assert "changed its argument `array`" in result.cases[0].reason


def test_what_each_worker_prints_is_kept_apart(make_exercise) -> None:
    source = RING.replace("    if n == 1", "    print('rank', rank, end='')\n    if n == 1")
    result = check_source(source.encode(), make_exercise(CHECK, "ring_worker"))
    assert result.passed
    lines = ["worker 0: rank 0rank 0rank 0", "worker 1: rank 1rank 1", "worker 2: rank 2"]
    assert result.output.splitlines() == lines


BROKEN = {
    "no world size": ("{'array': [1]}", "has None workers"),
    "too many": ("{'world_size': 17, 'array': [1] * 17}", "has 17 workers; 1 to 16 can be started"),
    "one for all": ("{'world_size': 2, 'array': 5}", "array of a case does not have an entry for each of 2 workers"),
}


@pytest.mark.parametrize(("arguments", "said"), list(BROKEN.values()), ids=list(BROKEN))
def test_cases_that_cannot_be_run_are_no_verdict(make_exercise, arguments: str, said: str) -> None:
    check = f"def cases(seed): yield 'a case', {arguments}, None\ndef expected(arguments): return [0] * 17\n"
    with pytest.raises(CouldNotCheck, match=said):
        check_source(RING.encode(), make_exercise(check, "ring_worker"))


@pytest.mark.parametrize("name", ["bill", "explain_bill"])
def test_a_bill_that_breaks_is_no_verdict(make_exercise, name: str) -> None:
    check = CHECK + f"\ndef {name}(*arguments): raise KeyError('x')\n"
    with pytest.raises(CouldNotCheck, match="check of ring_worker failed while"):
        check_source(WASTEFUL.encode(), make_exercise(check, "ring_worker"))


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
