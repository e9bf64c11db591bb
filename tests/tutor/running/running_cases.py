"""What the tests of both real engines share: a program on four ranks, and what each of the bad ones is told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from simlib.workers import run
from tutor.checker.verdict import Failure
from tutor.running.desk import Desk, Ended, Found, Job, Limits
from tutor.running.launch import Processes
from tutor.running.record import COLLECTIVES

PROGRAMS = Path(__file__).parent / "programs"
RANKS = 4
ARRAYS = [np.arange(6.0) + 10 * rank for rank in range(RANKS)]
# program -> kind, worker, what the line of the program holds, a part of what is said
BAD: dict[str, tuple[str, int | None, str, str]] = {
    "raises": ("exception", 2, "array[len(array)]", "worker 2 raised IndexError"),
    "leaves": ("exit", 1, "os._exit(3)", "worker 1 ended its own process (status 3)"),
    "is_killed": ("crash", 1, "", "worker 1's process was ended from outside"),
    "crashes": ("crash", 3, "ctypes.string_at(0)", "Segmentation fault"),
    "loops": ("timeout", 1, "", "worker 1 was not done after 3 s; worker 0 receives from 1 (line"),
    "all_send_first": ("deadlock", 0, "worker.send(array", "worker 3 sends to 0: everyone sends, nobody receives"),
    "one_skips_a_collective": ("deadlock", 0, "all_reduce(array)", "but worker 3 has finished"),
    "not_the_same_call": ("deadlock", 0, "all_gather(array)", "worker 0 calls all_gather and worker 1 calls barrier"),
    "nobody_receives": ("deadlock", 0, "isend", "worker 0 sent to 1, and worker 1 never received it"),
    "sends_words": ("wrong_type", 0, "hello", "worker 0 sends a str, which is no array of numbers"),
    "unlike_arrays": ("wrong_shape", 0, "all_reduce", "worker 0 gives 6 of float64, worker 1 5 of float64"),
}


def carried_out(engine: str, file: str, function: str, limit: float = 60.0) -> tuple[Found, list[str]]:
    """The program on four ranks; raises Ended. With what each rank printed."""
    source = np.frombuffer((PROGRAMS / file).read_bytes(), np.uint8)
    given = [[array] for array in ARRAYS]
    job = Job(source, file, function, ["worker", "array"], given, COLLECTIVES, 2)
    with (
        Desk(job, Limits(program=limit)) as desk,
        Processes(engine, RANKS, desk.address) as processes,
    ):
        return desk.conduct(processes.ended), desk.printed


def failure_of(engine: str, program: str) -> Failure:
    """How a bad program ends."""
    try:
        carried_out(engine, "bad.py", program, limit=3.0 if program == "loops" else 60.0)
    except Ended as ended:
        return ended.failure
    raise AssertionError(f"{program} came to its end")


def said_as_it_should_be(engine: str, program: str) -> None:
    """Who and where is told."""
    kind, worker, code, words = BAD[program]
    failure = failure_of(engine, program)
    assert (failure.kind, failure.worker) == (kind, worker), failure
    assert words in failure.message
    lines = (PROGRAMS / "bad.py").read_text().splitlines()
    if code:
        assert failure.line is not None
        assert code in lines[failure.line - 1]


def a_send_waits_for_its_receive(engine: str) -> None:
    """Also that of a small message, which a library would rather keep in a buffer."""
    found, _ = carried_out(engine, "a_send_waits.py", "a_send_waits")
    assert [result["value"] for result in found.results] == [True] * RANKS


def same_as_the_engine_s_workers(engine: str) -> None:
    """Every call gives what it gives on simulated workers, and the bill is theirs."""
    file = PROGRAMS / "every_call.py"
    space: dict[str, Any] = {}
    exec(compile(file.read_text(), str(file), "exec"), space)
    simulated = run(space["every_call"], RANKS, ARRAYS)
    found, _ = carried_out(engine, file.name, "every_call")
    for rank in range(RANKS):
        got = found.results[rank]["value"]
        assert len(got) == len(simulated.results[rank])
        for place, (own, wanted) in enumerate(zip(got, simulated.results[rank], strict=True)):
            if wanted is None:
                assert own is None, (rank, place)
                continue
            assert (own.dtype, own.shape) == (wanted.dtype, wanted.shape), (rank, place)
            np.testing.assert_allclose(own, wanted, rtol=1e-12, err_msg=f"rank {rank}, call {place}")
    assert found.run.bytes_sent == simulated.bytes_sent
    assert found.run.messages_sent == simulated.messages_sent
    assert set(found.sweep) == {"pair", "everybody", "all_reduce"}
    assert all(seconds > 0 for points in found.sweep.values() for _, seconds in points)
    assert [len(taken) for taken in found.seconds] == [2] * RANKS
