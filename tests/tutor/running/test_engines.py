"""Which launcher has started us, and what is missing."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tutor.running import engines
from tutor.running.engines import Launched, launched, missing, mpiexec

TORCHRUN = {"RANK": "1", "WORLD_SIZE": "4", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": "29500"}


@pytest.mark.parametrize(
    ("environment", "found"),
    [
        ({}, None),
        ({"PMI_RANK": "3", "PMI_SIZE": "4"}, Launched("mpi", "mpiexec", 3, 4)),
        ({"OMPI_COMM_WORLD_RANK": "0", "OMPI_COMM_WORLD_SIZE": "2"}, Launched("mpi", "mpiexec", 0, 2)),
        (TORCHRUN, Launched("torch", "torchrun", 1, 4)),
        ({"RANK": "1", "WORLD_SIZE": "4"}, None),  # somebody else's
        ({"PMI_RANK": "x", "PMI_SIZE": "4"}, None),
        ({"PMI_RANK": "1"}, None),
    ],
)
def test_the_launcher_is_known_by_its_variables(environment: dict[str, str], found: Launched | None) -> None:
    assert launched(environment) == found


def test_what_is_missing_is_one_line_that_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "find_spec", lambda name: None)
    for engine in ("mpi", "torch"):
        said = missing(engine)
        assert said is not None
        assert said.endswith(f"pip install 'worldsize[{engine}]'")
        assert "\n" not in said
    assert missing("simulated") is None


def test_an_mpiexec_is_needed_only_where_we_start_the_ranks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engines, "find_spec", lambda name: name)
    monkeypatch.setattr(engines, "mpiexec", lambda: None)
    assert "mpiexec" in str(missing("mpi"))
    assert missing("mpi", starts_itself=False) is None


def test_the_mpiexec_beside_this_python_comes_first(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "mpiexec").write_text("")
    (tmp_path / "mpiexec").chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "python"))
    assert mpiexec() == str(tmp_path / "mpiexec")
    monkeypatch.setattr(sys, "executable", str(tmp_path / "elsewhere" / "python"))
    monkeypatch.setenv("PATH", "/nowhere")
    assert mpiexec() is None
