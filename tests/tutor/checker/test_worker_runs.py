"""Programs of workers on processes: what they compute, send and get stuck in is what the engine's workers do."""

from __future__ import annotations

import textwrap
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simlib.workers import Run, RunError, run
from tutor.checker import Limits
from tutor.checker.check import source_array
from tutor.checker.inside import frames
from tutor.checker.workers import trouble
from tutor.checker.workers.crew import Crew
from tutor.checker.workers.line import CLOSED, LineCut
from tutor.checker.workers.routing import COLLECTIVES, ProgramFailed, route

# The ring all-reduce as one worker's program, and an exercise that asks for it
HERE = Path(__file__).parent / "programs"
RING = (HERE / "ring_worker.py").read_text(encoding="utf-8")
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


def runs(pid: int) -> bool:
    try:
        return " Z " not in Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
