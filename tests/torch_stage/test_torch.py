"""Worker programs on four processes of torch.distributed with gloo. Run by .ci/run in an environment with PyTorch."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "tutor" / "running"))

import running_cases as cases

from tutor.cli.main import main

EXERCISES = Path(__file__).parents[2] / "lessons" / "ring" / "exercises" / "ring_all_reduce_worker"
RUN = ["run", "--exercise", "ring_all_reduce_worker", "--engine", "torch"]


def test_a_send_waits_for_its_receive() -> None:
    cases.a_send_waits_for_its_receive("torch")


def test_every_call_gives_what_it_gives_on_simulated_workers() -> None:
    cases.same_as_the_engine_s_workers("torch")


# Each start loads PyTorch four times: the ways to end that are not the same as over MPI
@pytest.mark.parametrize("program", ["raises", "is_killed", "all_send_first"])
def test_a_bad_program_ends_with_who_and_where(program: str) -> None:
    cases.said_as_it_should_be("torch", program)


def test_a_learner_s_file_for_real(capsys: pytest.CaptureFixture[str]) -> None:
    status = main([*RUN, str(EXERCISES / "solution.py"), "-n", "4", "--length", "12000", "--json"])
    written = capsys.readouterr()
    report = json.loads(written.out)
    assert status == 0
    assert report["passed"]
    assert report["version"].startswith("torch ")
    assert "not sandboxed" in written.err
    # a ring of 4 sends 6 chunks of 3,000 numbers of 8 bytes
    assert report["bill"]["yours"] == {"bytes_sent": [144_000] * 4, "messages_sent": [6] * 4}
    assert report["program"][0]["seconds"] > 0


def test_under_torchrun_rank_0_speaks_for_all() -> None:
    torchrun = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2", "--standalone"]
    command = [*torchrun, "-m", "tutor", *RUN, str(EXERCISES / "mutants" / "mean.py"), "--length", "300"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 1, done.stderr
    assert done.stdout.count("The bill") == 1
    assert "That is the mean." in " ".join(done.stdout.split())
