"""The engines, what each needs, and whether an outside launcher has started this process."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from tutor.program import NAME

SIMULATED, MPI, TORCH = "simulated", "mpi", "torch"
ENGINES = (SIMULATED, MPI, TORCH)

# Where launchers say which rank this is, and of how many: Hydra (MPICH, Intel MPI, srun with PMI), Open MPI
_MPI_VARIABLES = (("PMI_RANK", "PMI_SIZE"), ("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"))
_TORCH_VARIABLES = ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")


@dataclass(frozen=True)
class Launched:
    """What an outside launcher made of this process."""

    engine: str
    by: str  # "mpiexec" or "torchrun"
    rank: int
    world_size: int


def launched(environment: Mapping[str, str] = os.environ) -> Launched | None:
    """Which rank an outside launcher has made this process; None where there was none.

    >>> launched({"PMI_RANK": "2", "PMI_SIZE": "4"})
    Launched(engine='mpi', by='mpiexec', rank=2, world_size=4)
    """
    for rank, size in _MPI_VARIABLES:
        if _is_number(environment, rank) and _is_number(environment, size):
            return Launched(MPI, "mpiexec", int(environment[rank]), int(environment[size]))
    if all(name in environment for name in _TORCH_VARIABLES) and all(
        _is_number(environment, name) for name in _TORCH_VARIABLES[:2]
    ):
        return Launched(TORCH, "torchrun", int(environment["RANK"]), int(environment["WORLD_SIZE"]))
    return None


def missing(engine: str, starts_itself: bool = True) -> str | None:
    """Why this engine cannot be used here, with what to install; None if it can.

    `starts_itself` is False where a launcher has already started us, so that no mpiexec is needed.
    """
    install = f"pip install '{NAME}[{engine}]'"
    if engine == MPI and find_spec("mpi4py") is None:
        return f"--engine mpi needs mpi4py and an MPI library: {install}"
    if engine == MPI and starts_itself and mpiexec() is None:
        return f"--engine mpi needs mpiexec, which comes with the mpich package: {install}"
    if engine == TORCH and find_spec("torch") is None:
        return f"--engine torch needs PyTorch: {install}"
    return None


def mpiexec() -> str | None:
    """The mpiexec of the MPI library that is installed beside this Python; else the one that the shell would find."""
    beside = Path(sys.executable).parent / "mpiexec"
    return str(beside) if os.access(beside, os.X_OK) else shutil.which("mpiexec")


def _is_number(environment: Mapping[str, str], name: str) -> bool:
    return environment.get(name, "").isascii() and environment.get(name, "").isdecimal()
