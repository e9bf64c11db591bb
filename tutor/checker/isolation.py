"""What stands between a learner's file and this machine, and one sentence that says so truthfully."""

from __future__ import annotations

import ctypes
import functools
import os
import secrets
import sys
import sysconfig
import tempfile
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tutor.checker import box, landlock, seccomp
from tutor.checker.limits import Limits

TOKEN = "WORLDSIZE_CHECK"  # names the check in the environment of its process and of whatever that starts
_PR_SET_DUMPABLE = 4
# a numerical library that needs these to run at all on some processors or systems
_KEPT = ("SYSTEMROOT", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "OPENBLAS_CORETYPE", "OPENBLAS_L2_SIZE")
_THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")


@dataclass(frozen=True)
class Walls:
    """Which walls a process can be put behind here."""

    landlock: int  # the version of its interface, 0 for none
    seccomp: bool

    @property
    def whole(self) -> bool:
        """Whether the learner's file can neither read nor change what is not its own."""
        return self.landlock > 0 and self.seccomp


_refused: set[str] = set()  # walls that the system offers and then did not put up


@functools.cache
def walls() -> Walls:
    """The walls of this system, as far as is known: less those that it has refused."""
    return Walls(0 if "landlock" in _refused else landlock.version(), "seccomp" not in _refused and seccomp.available())


def refused(names: Iterable[str]) -> None:
    """From now on these walls are not counted on: a process reported that they do not stand."""
    _refused.update(names)
    walls.cache_clear()


def describe(here: Walls | None = None) -> str:
    """What protects this machine from a learner's file, in a sentence or two.

    >>> describe(Walls(landlock=0, seccomp=False)).split(". ")[1]
    'This is not a security boundary: only check code you trust.'
    """
    here = here or walls()
    if here.whole:
        return (
            "Your file runs in a process of its own that reads nothing but Python and NumPy, changes no file, reaches "
            "no network and starts no process (Landlock and seccomp), with limits on time and memory."
        )
    honest = "Your file runs as you, with time limits and a guard against accidents. "
    if here.seccomp:
        honest = "Your file runs as you, but starts no process and changes no file (seccomp), with time limits. "
    return honest + "This is not a security boundary: only check code you trust."


def numpy_folder() -> Path:
    """The folder that holds the package `numpy`."""
    import numpy

    return Path(numpy.__file__).parent.parent


def readable() -> list[str]:
    """What the learner's file may read."""
    return _readable(numpy_folder())


@functools.cache
def _readable(folder: Path) -> list[str]:
    return landlock.readable(folder)


def _seen(executable: str) -> list[str]:
    """What has to be in a box for Python and NumPy to run: no other package, nothing of anybody's."""
    standard = {sysconfig.get_path(name) for name in ("stdlib", "platstdlib")}
    numpy = numpy_folder()
    libraries = [str(path) for path in landlock.libraries()]
    return [executable, *sorted(standard), *libraries, str(numpy / "numpy"), str(numpy / "numpy.libs"), *landlock.ZONES]


@functools.cache
def _landlock_rules(folder: Path) -> dict[str, Any]:
    return landlock.rules(folder)


def setup(limits: Limits, pid: int, here: Walls | None = None) -> dict[str, Any]:
    """The first message to the process `pid`: its limits and its walls."""
    shared = shared_setup(limits, here)
    return shared | {"walls": shared["walls"] | own_walls(box.PROCESS if limits.boxed else pid, here)}


def setup_of_checks(limits: Limits, pid: int, packages: Sequence[Path], here: Walls | None = None) -> dict[str, Any]:
    """As `setup`, for a process that runs a course's check.py: it may import these `packages` too."""
    setup_ = setup(limits, pid, here)
    if "landlock" in setup_["walls"]:
        setup_["walls"]["landlock"] = _as_array(landlock.rules(numpy_folder(), packages))
    return setup_ | {"readable": [*setup_["readable"], *map(str, packages)]}


def own_walls(pid: int, here: Walls | None = None) -> dict[str, Any]:
    """The walls that the process `pid` shares with no other."""
    import numpy as np

    return {"seccomp": np.frombuffer(seccomp.program(pid), np.uint8)} if (here or walls()).seccomp else {}


def shared_setup(limits: Limits, here: Walls | None = None) -> dict[str, Any]:
    """Limits and walls that any number of processes can have in common."""

    rules: dict[str, Any] = {}
    if (here or walls()).landlock:
        rules["landlock"] = _as_array(_landlock_rules(numpy_folder()))
    return {
        "limits": {
            "cpu": limits.cpu,
            "wall": limits.wall,
            "data": limits.data,
            "address_space": limits.address_space,
            "open_files": limits.open_files,
            "result": limits.result_most,
            "message": limits.message_most,
        },
        "walls": rules,
        "readable": readable(),
    }


def _as_array(rules: dict[str, Any]) -> dict[str, Any]:
    import numpy as np

    return {**rules, "attributes": np.frombuffer(rules["attributes"], np.uint8)}


@dataclass(frozen=True)
class Surroundings:
    """Command, environment and name of one process for a learner's file."""

    command: list[str]
    environment: dict[str, str]
    token: str


def surroundings(program: str = "child", boxed: bool = False) -> Surroundings:
    """How the process for `inside.<program>` is started: isolated, without site packages, in a reduced environment.

    With `boxed`, in a box of bubblewrap's (see `box`).
    """
    folder = Path(__file__).parent
    start = f"import sys; sys.path += sys.argv[1:]; from inside.{program} import main; main()"
    options = ["-I", "-S", "-B", "-X", "utf8"]
    token = secrets.token_hex(8)
    environment = {name: os.environ[name] for name in _KEPT if name in os.environ}
    environment |= dict.fromkeys(_THREADS, "1") | {TOKEN: token}
    executable = os.path.realpath(sys.executable) if boxed else sys.executable
    command = [executable, *options, "-c", start, str(folder), str(numpy_folder())]
    if boxed:
        command = box.around(command, [*_seen(executable), str(folder / "inside")])
    return Surroundings(command, environment, token)


class WorkingFolder:
    """Where a process for a learner's file is started: behind whole walls nothing can be written, so anywhere will do.

    Elsewhere it is an empty folder of its own, gone after `cleanup`.
    """

    def __init__(self) -> None:
        self._made = (
            None if walls().whole else tempfile.TemporaryDirectory(prefix="worldsize-", ignore_cleanup_errors=True)
        )
        self.name = os.sep if self._made is None else self._made.name

    def cleanup(self) -> None:
        """Removes the folder where there is one."""
        if self._made is not None:
            self._made.cleanup()


@functools.cache
def protect_this_process() -> None:
    """Keeps processes of the same account from reading this one's memory, where the answers are (Linux)."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PR_SET_DUMPABLE, 0, 0, 0, 0)
