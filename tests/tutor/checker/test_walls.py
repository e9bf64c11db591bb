"""The rules themselves, read as the kernel would read them, for machines that the tests do not run on too."""

from __future__ import annotations

import errno
import struct
import sys
import sysconfig
from pathlib import Path

import pytest

from tutor.checker import check_source, isolation, landlock, seccomp

ALLOW, DENY, NO_SUCH_CALL, KILL = 0x7FFF0000, 0x50000 | errno.EPERM, 0x50000 | errno.ENOSYS, 0x80000000
ARCHITECTURE = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
# Numbers as in the kernel's tables: arch/x86/entry/syscalls/syscall_64.tbl and include/uapi/asm-generic/unistd.h
READ, MMAP, FUTEX = {"x86_64": 0, "aarch64": 63}, {"x86_64": 9, "aarch64": 222}, {"x86_64": 202, "aarch64": 98}
OPENAT, CLONE, CLONE3 = {"x86_64": 257, "aarch64": 56}, {"x86_64": 56, "aarch64": 220}, {"x86_64": 435, "aarch64": 435}
SOCKET, EXECVE = {"x86_64": 41, "aarch64": 198}, {"x86_64": 59, "aarch64": 221}
UNLINKAT, FCHMODAT = {"x86_64": 263, "aarch64": 35}, {"x86_64": 268, "aarch64": 53}
KILL_CALL, TGKILL, PTRACE = (
    {"x86_64": 62, "aarch64": 129},
    {"x86_64": 234, "aarch64": 131},
    {"x86_64": 101, "aarch64": 117},
)
PRLIMIT = {"x86_64": 302, "aarch64": 261}
PID = 4321


def decide(program: bytes, machine: str, number: int, *arguments: int) -> int:
    """What the filter says of one call: an interpreter of classic BPF, as far as the filter uses it."""
    given = [*arguments, 0, 0, 0, 0, 0, 0][:6]
    data = struct.pack("<IIQ6Q", number, ARCHITECTURE[machine], 0, *given)
    code = list(struct.iter_unpack("<HBBI", program))
    register = at = 0
    while True:
        operation, yes, no, value = code[at]
        at += 1
        if operation == 0x20:
            (register,) = struct.unpack_from("<I", data, value)
        elif operation == 0x06:
            return value
        else:
            compare = {0x15: register == value, 0x35: register >= value, 0x45: bool(register & value)}
            at += yes if compare[operation] else no


@pytest.mark.parametrize("machine", list(ARCHITECTURE))
def test_what_the_filter_decides(machine: str) -> None:
    program = seccomp.program(PID, machine)

    def says(call: dict[str, int], *arguments: int) -> int:
        return decide(program, machine, call[machine], *arguments)

    assert {says(READ), says(MMAP), says(FUTEX)} == {ALLOW}
    assert {says(SOCKET, 2, 1), says(SOCKET, 1, 2), says(EXECVE), says(UNLINKAT), says(FCHMODAT)} == {DENY}
    assert says(OPENAT, 0, 0, 0o2000000) == ALLOW  # O_CLOEXEC alone: for reading
    assert {says(OPENAT, 0, 0, flags) for flags in (0o1, 0o2, 0o100, 0o1000, 0o2000101)} == {DENY}
    assert says(CLONE3) == NO_SUCH_CALL
    assert says(CLONE, 0x3D0F00) == ALLOW  # the flags of a thread of the C library
    assert {says(CLONE, 0x1200011), says(CLONE, 0x4111)} == {DENY}  # those of fork, and of vfork
    assert {says(KILL_CALL, PID, 6), says(TGKILL, PID, PID, 6)} == {ALLOW}
    assert {says(KILL_CALL, pid, 9) for pid in (0, 1, PID + 1, 0xFFFFFFFF)} == {DENY}
    assert {says(TGKILL, PID + 1, PID, 9), says(PTRACE)} == {DENY}
    assert says(PRLIMIT, 0, 7, 0) == ALLOW
    assert says(PRLIMIT, 0, 7, 0x7FFF12345678) == DENY


def test_calls_of_another_architecture_end_the_process() -> None:
    assert decide(seccomp.program(PID, "x86_64"), "aarch64", 63) == KILL
    assert decide(seccomp.program(PID, "aarch64"), "x86_64", 0) == KILL
    assert decide(seccomp.program(PID, "x86_64"), "x86_64", 0x40000000) == DENY


@pytest.mark.parametrize(("version", "size"), [(1, 8), (2, 8), (3, 8), (4, 16), (5, 16), (6, 24), (7, 24)])
def test_landlock_handles_all_that_its_version_knows(version: int, size: int) -> None:
    packed = landlock.attributes(version)
    assert len(packed) == size
    (files,) = struct.unpack_from("<Q", packed)
    known = {1: 13, 2: 14, 3: 15, 4: 15}.get(version, 16)
    assert files == 2**known - 1


def test_other_packages_are_not_readable() -> None:
    allowed = [Path(path) for path, access in landlock.rules(isolation.numpy_folder())["paths"] if access & 4]
    packages = {Path(sysconfig.get_path("purelib")), Path(sys.base_prefix) / "lib", Path(landlock.__file__).parents[2]}
    for folder in packages | {isolation.numpy_folder(), Path.home(), Path("/")}:
        assert not any(folder == path or folder.is_relative_to(path) for path in allowed), folder
    stdlib = Path(sysconfig.get_path("stdlib"))
    assert {stdlib / "json", isolation.numpy_folder() / "numpy"} <= set(allowed)
    assert not any("site-packages" in path.parts and path.name not in ("numpy", "numpy.libs") for path in allowed)


def test_a_wall_that_does_not_go_up_is_not_counted_on(make_exercise, monkeypatch) -> None:
    monkeypatch.setattr(seccomp, "program", lambda pid: b"\xff" * 16)
    monkeypatch.setattr(isolation, "_refused", set())
    try:
        assert check_source(b"def double(array): return 2 * array", make_exercise()).passed
        assert not isolation.walls().seccomp
        assert "not a security boundary" in isolation.describe()
        forged = "import os, json, struct\nPAIRS = [['kind', 'ready'], ['walls', {'dict': [['landlock', 'x']]}]]\n"
        forged += "header = json.dumps({'value': {'dict': PAIRS}, 'arrays': []}).encode()\n"
        forged += "for fd in range(3, 64):\n    try: os.write(fd, struct.pack('<II', len(header), 0) + header)\n"
        forged += "    except OSError: pass\n"
        check_source(forged.encode(), make_exercise())
        assert isolation.walls().landlock
    finally:
        monkeypatch.undo()
        isolation.walls.cache_clear()
