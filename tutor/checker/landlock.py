"""The rules of Landlock (Linux 5.13 and later): which files the learner's process may read. It may write none.

Landlock cannot take a folder back out of a larger one, and lessons may lie beside NumPy: so the
standard library is allowed entry by entry, without the folders that hold other packages.
"""

from __future__ import annotations

import ctypes
import functools
import os
import struct
import sys
import sysconfig
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

_CREATE, _VERSION = 444, 1
_EXECUTE, _READ_FILE, _READ_FOLDER = 1 << 0, 1 << 2, 1 << 3
# How many kinds of file access each version of the interface knows
_ACCESSES = {1: 13, 2: 14, 3: 15, 4: 15}
_NETWORK = 0b11  # TCP: bind, connect
_SCOPES = 0b11  # abstract sockets, signals
PACKAGES = ("site-packages", "dist-packages", "__pycache__")
ZONES = ("/etc/localtime", "/usr/share/zoneinfo")
_FILES = ("/etc/ld.so.cache", "/dev/null", "/dev/zero", "/dev/urandom")


@functools.cache
def version() -> int:
    """The version of Landlock that this system offers, 0 for none."""
    if sys.platform != "linux":
        return 0
    return max(0, int(ctypes.CDLL(None).syscall(_CREATE, None, ctypes.c_size_t(0), _VERSION)))


def attributes(interface: int) -> bytes:
    """What is handled, and so denied unless a path allows it: everything that version `interface` knows."""
    packed = struct.pack("<Q", (1 << _ACCESSES.get(interface, 16)) - 1)
    if interface >= 4:
        packed += struct.pack("<Q", _NETWORK)
    if interface >= 6:
        packed += struct.pack("<Q", _SCOPES)
    return packed


def readable(numpy_folder: Path) -> list[str]:
    """The files and folders that importing the standard library and NumPy reads."""
    standard = {Path(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib")}
    paths = [entry for folder in sorted(standard) for entry in _entries(folder)]
    paths += [numpy_folder / "numpy", numpy_folder / "numpy.libs", *map(Path, ZONES)]
    return [str(path) for path in paths if path.exists()]


def rules(numpy_folder: Path, packages: Sequence[Path] = ()) -> dict[str, Any]:
    """What `inside.walls` needs to close the process in; only where `version()` is not 0.

    These `packages` may be imported too.
    """
    paths = [*readable(numpy_folder), *_FILES, *(str(path) for path in (*libraries(), *packages))]
    folders = {str(Path(sysconfig.get_path(name))) for name in ("stdlib", "platstdlib")}
    folders |= {str(package.parent) for package in packages}
    access = [(path, _access(path)) for path in paths if os.path.exists(path)]
    # import lists these folders; the names of packages can then be seen, not what is in them
    access += [(folder, _READ_FOLDER) for folder in sorted(folders)]
    return {"attributes": attributes(version()), "paths": access}


def _access(path: str) -> int:
    return _READ_FILE | _EXECUTE | (_READ_FOLDER if os.path.isdir(path) else 0)


def _entries(folder: Path) -> Iterator[Path]:
    """Everything in the standard library's folder that holds no other packages."""
    if folder.is_dir():
        yield from (entry for entry in sorted(folder.iterdir()) if entry.name not in PACKAGES)


def libraries() -> Iterator[Path]:
    """Shared libraries that extension modules load, file by file where packages lie in the same folder."""
    machine = sysconfig.get_config_var("MULTIARCH") or ""
    prefix = Path(sys.base_prefix) / "lib"
    system = [
        "/lib64",
        "/usr/lib64",
        *([f"/lib/{machine}", f"/usr/lib/{machine}"] if machine else ["/lib", "/usr/lib"]),
    ]
    for folder in dict.fromkeys([prefix, *map(Path, system)]):
        if not folder.is_dir():
            continue
        if any(folder.glob("python*")):
            yield from (file for file in sorted(folder.glob("*.so*")) if file.is_file())
        else:
            yield folder
