"""Starts one process for each worker on this machine, and ends them all, whatever happens."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from types import TracebackType

from tutor.checker.verdict import CouldNotCheck
from tutor.running.engines import MPI, mpiexec
from tutor.running.rank import DESK, ENGINE

MEETING_PLACE = "TUTOR_RUN_MEET"
_ENDING = 10.0  # seconds in which they leave together
_KILLING = 2.0
_LOOPBACK = {"linux": "lo", "darwin": "lo0"}.get(sys.platform)
# What the libraries listen on, where their ranks are on one machine: UCX and libfabric (MPICH's ways), gloo
_INTERFACES = ("UCX_NET_DEVICES", "FI_TCP_IFACE", "GLOO_SOCKET_IFNAME")
_ROOT = str(Path(__file__).parents[2])
_START = "import sys; sys.path.append(sys.argv.pop()); from tutor.running.rank import main; main()"
_ENVIRONMENT = {
    # One thread a process: the workers share the cores already
    **{"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "MKL_NUM_THREADS": "1"},
    # Hydra, MPICH's mpiexec: on this machine, whatever batch system there is
    **{"HYDRA_LAUNCHER": "fork", "HYDRA_RMK": "user", "HYDRA_USE_LOCALHOST": "1"},
}


class Processes:
    """The ranks' processes. Use it in a `with`."""

    def __init__(self, engine: str, world_size: int, address: str) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="worldsize-run-")
        self._output = Path(self._folder.name, "output")
        self._processes: list[subprocess.Popen[bytes]] = []
        environment = {**os.environ, **_ENVIRONMENT, DESK: address, ENGINE: engine}
        if _LOOPBACK is not None:
            environment |= dict.fromkeys(_INTERFACES, _LOOPBACK)
        # -P: the current folder stays off the path, whatever lies there
        command = [sys.executable, "-P", "-c", _START, _ROOT]
        try:
            if engine == MPI:
                launcher = mpiexec()
                assert launcher is not None, "asked for before"
                self._start([launcher, *_hydra_s(launcher), "-n", str(world_size), *command], environment)
                return
            for rank in range(world_size):
                own = {"RANK": str(rank), "WORLD_SIZE": str(world_size)}
                own[MEETING_PLACE] = str(Path(self._folder.name, "meet"))
                self._start(command, environment | own)
        except OSError as error:
            self.end(0)
            raise CouldNotCheck(f"the processes did not start: {error}") from None

    def __enter__(self) -> Processes:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.end(_ENDING if kind is None else 0)

    def ended(self) -> str | None:
        """Why a process has ended already, in its own words; None while all run."""
        if all(process.poll() is None for process in self._processes):
            return None
        said = self._output.read_text("utf-8", "replace").strip().splitlines() if self._output.exists() else []
        status = next(process.returncode for process in self._processes if process.returncode is not None)
        first = next((line for line in said if "Error" in line), said[0] if said else f"status {status}")
        return " ".join(first.split())[:300]

    def end(self, patience: float) -> None:
        """Waits so many seconds until they have ended by themselves, and ends what is left."""
        until = time.monotonic() + patience
        while time.monotonic() < until and any(process.poll() is None for process in self._processes):
            time.sleep(0.01)
        for number, seconds in ((signal.SIGTERM, _KILLING), (signal.SIGKILL, _KILLING)):
            left = [process for process in self._processes if process.poll() is None]
            for process in left:
                _signal(process, number)
            for process in left:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    process.wait(seconds)
        self._folder.cleanup()

    def _start(self, command: list[str], environment: dict[str, str]) -> None:
        with self._output.open("ab") as output:
            process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                env=environment,
                start_new_session=True,
            )
        self._processes.append(process)


def _hydra_s(launcher: str) -> list[str]:
    """Has MPICH's mpiexec leave the ranks alone when one is gone: who was the first can be told, and we end them."""
    return ["-disable-auto-cleanup"] if Path(launcher).with_name("mpiexec.hydra").exists() else []


def _signal(process: subprocess.Popen[bytes], number: int) -> None:
    """To the process and its whole group, which it leads."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)
