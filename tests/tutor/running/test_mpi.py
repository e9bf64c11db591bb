"""Worker programs on four MPI ranks of this machine."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import running_cases as cases

from tutor.cli.main import main
from tutor.running.engines import mpiexec

EXERCISES = Path(__file__).parents[3] / "lessons" / "ring" / "exercises" / "ring_all_reduce_worker"
RUN = ["run", "--exercise", "ring_all_reduce_worker", "--engine", "mpi"]


def test_a_send_waits_for_its_receive() -> None:
    cases.a_send_waits_for_its_receive("mpi")


def test_every_call_gives_what_it_gives_on_simulated_workers() -> None:
    cases.same_as_the_engine_s_workers("mpi")


@pytest.mark.parametrize("program", list(cases.BAD))
def test_a_bad_program_ends_with_who_and_where(program: str) -> None:
    cases.said_as_it_should_be("mpi", program)


def test_a_learner_s_file_for_real(capsys: pytest.CaptureFixture[str]) -> None:
    status = main([*RUN, str(EXERCISES / "solution.py"), "-n", "4", "--length", "12000", "--json"])
    written = capsys.readouterr()
    report = json.loads(written.out)
    assert status == 0
    assert report["passed"]
    assert not report["sandboxed"]
    assert "not sandboxed" in written.err
    # a ring of 4 sends 6 chunks of 3,000 numbers of 8 bytes
    assert report["bill"]["yours"] == {"bytes_sent": [144_000] * 4, "messages_sent": [6] * 4}
    assert report["bill"]["engine"] == report["bill"]["yours"]
    (calls,) = report["calls"]
    assert (calls["name"], calls["count"], calls["bytes"]) == ("sendrecv", 24, 24_000)
    everybody = next(link for link in report["links"] if link["name"] == report["model_link"])
    model = everybody["alpha"] + 24_000 / everybody["bandwidth"]
    assert calls["model_seconds"] == pytest.approx(model)
    assert report["program"][0]["model_seconds"] == pytest.approx(6 * model)
    assert report["program"][0]["seconds"] > 0


def test_ctrl_c_ends_every_rank(tmp_path: Path) -> None:
    noted = tmp_path / "pids"
    file = tmp_path / "ring_all_reduce_worker.py"
    file.write_text(
        "import os\n"
        "def ring_all_reduce_worker(worker, array):\n"
        f"    with open({str(noted)!r}, 'a') as noted:\n"
        "        noted.write(f'{os.getpid()}\\n')\n"
        "    while True:\n"
        "        pass\n"
    )
    command = [sys.executable, "-m", "tutor", "run", str(file), "-n", "2", "--engine", "mpi"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    until = time.monotonic() + 60
    while (len(noted.read_text().split()) if noted.exists() else 0) < 2:
        assert process.poll() is None
        assert time.monotonic() < until
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert said.endswith("stopped\n")
    for pid in map(int, noted.read_text().split()):
        _until_gone(pid)


def _until_gone(pid: int) -> None:
    until = time.monotonic() + 20
    while time.monotonic() < until:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return
        time.sleep(0.05)
    raise AssertionError(f"process {pid} runs on")


def under_mpiexec(file: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    launcher = mpiexec()
    assert launcher is not None
    command = [launcher, "-n", "3", sys.executable, "-m", "tutor", *RUN, str(file), "--length", "300", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=120)


def test_under_mpiexec_rank_0_speaks_for_all() -> None:
    done = under_mpiexec(EXERCISES / "solution.py")
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("Right: each of 3 workers returned what a single device computes (MPI")
    assert done.stdout.count("The bill") == 1


def test_under_mpiexec_a_wrong_program_has_status_1() -> None:
    done = under_mpiexec(EXERCISES / "mutants" / "mean.py")
    assert done.returncode == 1
    assert "That is the mean." in " ".join(done.stdout.split())


def test_under_mpiexec_ranks_that_hang_are_told_of_and_ended() -> None:
    done = under_mpiexec(EXERCISES / "mutants" / "all_send_first.py")
    # 1, or that of mpiexec's own signal to a rank that still hung
    assert done.returncode in (1, 9)
    assert "worker 2 sends to 0: everyone sends, nobody receives" in " ".join(done.stdout.split())


def test_under_mpiexec_bad_input_has_status_2() -> None:
    done = under_mpiexec(EXERCISES / "solution.py", "-n", "4")
    assert done.returncode == 2
    assert "worldsize: -n is '4'; accepted: 3, as mpiexec started, or leave it out" in done.stderr
    assert done.stdout == ""
