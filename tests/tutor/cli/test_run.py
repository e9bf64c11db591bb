"""`run`: what is printed, what is refused, and with which status."""

from __future__ import annotations

import dataclasses
import io
import json
from pathlib import Path

import pytest

from tutor.checker.verdict import CouldNotCheck
from tutor.cli import run as command
from tutor.cli.main import main
from tutor.cli.output import BadUsage, NotDone
from tutor.permissions import own_machine
from tutor.running import engines

LESSONS = Path(__file__).parents[3] / "lessons"
RING = LESSONS / "ring" / "exercises" / "ring_all_reduce_worker"
RUN = ["run", "--exercise", "ring_all_reduce_worker"]


@pytest.fixture(autouse=True)
def _started_by_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PMI_RANK", "PMI_SIZE", "RANK", "WORLD_SIZE"):
        monkeypatch.delenv(name, raising=False)


def test_a_simulated_run_has_a_bill_and_the_model_s_time_on_published_links(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main([*RUN, str(RING / "solution.py"), "-n", "4", "--length", "4000", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    # 6 chunks of 1,000 numbers of 8 bytes
    assert report["bill"]["yours"] == {"bytes_sent": [48_000] * 4, "messages_sent": [6] * 4}
    assert report["sandboxed"]
    inside, between = report["links"]
    assert (inside["bandwidth"], between["bandwidth"]) == (450e9, 50e9)  # an H100's NVLink, and one 400 Gb/s card
    for link, timed in zip(report["links"], report["program"], strict=True):
        assert timed["seconds"] is None
        assert timed["model_seconds"] == pytest.approx(6 * (link["alpha"] + 8000 / link["bandwidth"]))


def test_it_is_said_in_words(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*RUN, str(RING / "mutants" / "rank_0_collects.py"), "-n", "4", "--length", "4000"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("Not right")
    words = [line.split() for line in lines]
    assert ["worker", "0", "96", "KB", "3", "48", "KB", "6"] in words
    assert ["workers", "1", "to", "3", "32", "KB", "1", "48", "KB", "6"] in words


@pytest.mark.parametrize(
    ("lesson", "exercise"),
    [("ring", "reduce_scatter_worker"), ("cost", "top_k_all_gather_worker"), ("zero", "fsdp_forward_worker")],
)
def test_every_worker_s_exercise_runs_on_any_number_of_workers(
    lesson: str, exercise: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file = LESSONS / lesson / "exercises" / exercise / "solution.py"
    assert main(["run", str(file), "--exercise", exercise, "-n", "3", "--length", "300", "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["workers"] == 3
    assert len(report["bill"]["engine"]["bytes_sent"]) == 3


def test_another_seed_is_another_run(capsys: pytest.CaptureFixture[str]) -> None:
    said = []
    for seed in ("1", "2", "1"):
        main([*RUN, str(RING / "mutants" / "mean.py"), "-n", "3", "--length", "30", "--seed", seed, "--json"])
        said.append(json.loads(capsys.readouterr().out)["cases"][0]["reason"])
    assert said[0] == said[2] != said[1]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["-n", "65"], "-n is 65; accepted: 1 to 64 workers"),
        (["-n", "two"], "-n is 'two'; accepted: a whole number, 1 or more"),
        (["--length", "0"], "--length is 0; accepted: a whole number from 1 to 10,000,000"),
        (["--seed", "x"], "--seed is 'x'; accepted: a whole number from 0 to 4,294,967,295"),
        (["--limit", "0"], "--limit is 0; accepted: a whole number from 1 to 86,400"),
        (["--engine", "nccl"], "--engine is 'nccl'; accepted: simulated, mpi, torch"),
    ],
)
def test_bad_input_is_one_line(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*RUN, str(RING / "solution.py"), *arguments]) == 2
    assert capsys.readouterr().err == f"worldsize: {said}\n"


def test_a_function_over_all_workers_is_no_program_of_one(capsys: pytest.CaptureFixture[str]) -> None:
    file = LESSONS / "ring" / "exercises" / "ring_all_reduce" / "solution.py"
    assert main(["run", str(file), "--exercise", "ring_all_reduce"]) == 2
    assert "ends in _worker" in capsys.readouterr().err


def test_what_has_to_be_installed_is_said_with_status_3(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(engines, "find_spec", lambda name: None)
    assert main([*RUN, str(RING / "solution.py"), "--engine", "mpi"]) == 3
    assert capsys.readouterr().err.endswith("pip install 'worldsize[mpi]'\n")


def test_where_it_is_not_permitted_nothing_is_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "own_machine", lambda: dataclasses.replace(own_machine(), run=False))
    assert main([*RUN, str(RING / "solution.py")]) == 2
    assert capsys.readouterr().err == "worldsize: run is off here\n"


@pytest.mark.parametrize("engine", ["simulated", "torch"])
def test_a_launcher_of_another_engine_is_refused_by_rank_0_alone(
    engine: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PMI_SIZE", "2")
    for rank, said in (("0", f"worldsize: --engine {engine} "), ("1", "")):
        monkeypatch.setenv("PMI_RANK", rank)
        assert main([*RUN, str(RING / "solution.py"), "--engine", engine]) == 2
        err = capsys.readouterr().err
        assert err.startswith(said)
        assert bool(err) == bool(said)


@pytest.mark.parametrize(
    ("error", "status", "said"),
    [
        (BadUsage("no such thing"), 2, "no such thing"),
        (NotDone("could not be run: why"), 3, "could not be run: why"),
        (CouldNotCheck("why"), 3, "could not be run: why"),
        (ZeroDivisionError("of\nours"), 3, "could not be run: ZeroDivisionError: of ours"),
    ],
)
def test_under_a_launcher_rank_0_says_in_one_line_why_nothing_was_run(
    error: Exception, status: int, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command._failed(error) == status
    assert capsys.readouterr().err == f"worldsize: {said}\n"


def test_progress_is_one_line_of_a_terminal_and_leaves_nothing_behind(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    for stream, shown in ((Terminal(), "\rrunning ...\rm ...      \r           \r"), (io.StringIO(), "")):
        monkeypatch.setattr("sys.stderr", stream)
        progress = command._Progress()
        progress.say("running")
        progress.say("m")
        progress.over()
        assert stream.getvalue() == shown
