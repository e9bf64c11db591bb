"""A seccomp filter for the learner's process: no new process, no network, no change to any file, no signals.

It denies by a list, so that interpreters of any version run; the calls that count are all in it. A
denied call fails with EPERM, which Python raises as PermissionError.
"""

from __future__ import annotations

import ctypes
import errno
import platform
import struct
import sys

_ALLOW, _KILL, _ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
_LOAD, _EQUAL, _GREATER_OR_EQUAL, _SET, _RETURN = 0x20, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCHITECTURE, _ARGUMENTS = 0, 4, 16
_CLONE_THREAD = 0x10000
_WRITING = 0o1 | 0o2 | 0o100 | 0o1000  # O_WRONLY, O_RDWR, O_CREAT, O_TRUNC
_X32 = 0x40000000

_ARCHITECTURES = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
# name: numbers on x86_64 and aarch64; None where the call does not exist
_DENIED: dict[str, tuple[int | None, int | None]] = {
    # processes
    "fork": (57, None), "vfork": (58, None), "execve": (59, 221), "execveat": (322, 281), "ptrace": (101, 117),
    "process_vm_readv": (310, 270), "process_vm_writev": (311, 271), "kcmp": (312, 272), "tkill": (200, 130),
    "rt_sigqueueinfo": (129, 138), "rt_tgsigqueueinfo": (297, 240), "pidfd_send_signal": (424, 424),
    "pidfd_open": (434, 434), "pidfd_getfd": (438, 438), "process_madvise": (440, 440), "setsid": (112, 157),
    "setpgid": (109, 154), "setrlimit": (160, 164), "unshare": (272, 97), "setns": (308, 268),
    "personality": (135, 92), "setpriority": (141, 140), "sched_setscheduler": (144, 119),
    # the network, and what reaches it by another door
    "socket": (41, 198), "io_uring_setup": (425, 425), "io_uring_enter": (426, 426), "io_uring_register": (427, 427),
    "mq_open": (240, 180), "shmget": (29, 194), "semget": (64, 190), "msgget": (68, 186),
    # files
    "chmod": (90, None), "fchmod": (91, 52), "fchmodat": (268, 53), "fchmodat2": (452, 452), "chown": (92, None),
    "fchown": (93, 55), "lchown": (94, None), "fchownat": (260, 54), "utime": (132, None), "utimes": (235, None),
    "futimesat": (261, None), "utimensat": (280, 88), "setxattr": (188, 5), "lsetxattr": (189, 6),
    "fsetxattr": (190, 7), "removexattr": (197, 14), "lremovexattr": (198, 15), "fremovexattr": (199, 16),
    "unlink": (87, None), "unlinkat": (263, 35), "rename": (82, None), "renameat": (264, 38), "renameat2": (316, 276),
    "mkdir": (83, None), "mkdirat": (258, 34), "rmdir": (84, None), "link": (86, None), "linkat": (265, 37),
    "symlink": (88, None), "symlinkat": (266, 36), "mknod": (133, None), "mknodat": (259, 33), "creat": (85, None),
    "truncate": (76, 45), "memfd_create": (319, 279), "name_to_handle_at": (303, 264), "open_by_handle_at": (304, 265),
    "openat2": (437, 437),
    # the machine
    "mount": (165, 40), "umount2": (166, 39), "move_mount": (429, 429), "fsopen": (430, 430), "open_tree": (428, 428),
    "pivot_root": (155, 41), "chroot": (161, 51), "bpf": (321, 280), "perf_event_open": (298, 241),
    "userfaultfd": (323, 282), "add_key": (248, 217), "request_key": (249, 218), "keyctl": (250, 219),
    "reboot": (169, 142), "kexec_load": (246, 104), "init_module": (175, 105), "finit_module": (313, 273),
    "delete_module": (176, 106), "settimeofday": (164, 170), "clock_settime": (227, 112), "adjtimex": (159, 171),
    "clock_adjtime": (305, 266), "sethostname": (170, 161), "setdomainname": (171, 162), "acct": (163, 89),
    "swapon": (167, 224), "swapoff": (168, 225), "iopl": (172, None), "ioperm": (173, None),
}  # fmt: skip
_CLONE, _CLONE3 = (56, 220), (435, 435)
_OPEN, _OPENAT, _PRLIMIT = (2, None), (257, 56), (302, 261)
_KILL_CALLS = ((62, 129), (234, 131))  # kill, tgkill


def available() -> bool:
    """Whether this system takes filters, and this module knows its calls."""
    if sys.platform != "linux" or platform.machine() not in _ARCHITECTURES or sys.maxsize < 1 << 32:
        return False
    get_seccomp, set_seccomp, filter_mode = 21, 22, 2
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(get_seccomp, 0, 0, 0, 0) < 0:
        return False
    # an empty filter is refused as a bad address where filters exist, as a bad argument where they do not
    libc.prctl(set_seccomp, filter_mode, None, 0, 0)
    return ctypes.get_errno() in (errno.EFAULT, errno.EACCES)


def program(pid: int, machine: str | None = None) -> bytes:
    """The filter's instructions, 8 bytes each, for the process `pid`, which may signal itself and nobody else."""
    column = list(_ARCHITECTURES).index(machine or platform.machine())
    deny, no_such_call = _ERRNO | errno.EPERM, _ERRNO | errno.ENOSYS
    code = [
        _instruction(_LOAD, _ARCHITECTURE),
        _instruction(_EQUAL, list(_ARCHITECTURES.values())[column], 1, 0),
        _instruction(_RETURN, _KILL),
        _instruction(_LOAD, _NUMBER),
        _instruction(_GREATER_OR_EQUAL, _X32, 0, 1),
        _instruction(_RETURN, deny),
    ]
    for number in (numbers[column] for numbers in _DENIED.values()):
        if number is not None:
            code += _when(number, [_instruction(_RETURN, deny)])
    # clone3 hides its flags from filters; without it the C library uses clone, whose flags can be read
    code += _when(_CLONE3[column], [_instruction(_RETURN, no_such_call)])
    code += _when(_CLONE[column], _unless_argument_has(0, _CLONE_THREAD, deny))
    code += _when(_OPEN[column], _if_argument_has(1, _WRITING, deny))
    code += _when(_OPENAT[column], _if_argument_has(2, _WRITING, deny))
    code += _when(_PRLIMIT[column], _if_argument_has(2, 0xFFFFFFFF, deny))
    for kill in _KILL_CALLS:
        equal = _instruction(_EQUAL, pid, 0, 1)
        code += _when(kill[column], [_argument(0), equal, _instruction(_RETURN, _ALLOW), _instruction(_RETURN, deny)])
    code.append(_instruction(_RETURN, _ALLOW))
    return b"".join(code)


def _instruction(operation: int, value: int, yes: int = 0, no: int = 0) -> bytes:
    return struct.pack("<HBBI", operation, yes, no, value)


def _when(number: int | None, then: list[bytes]) -> list[bytes]:
    """`then`, which must return, for call `number`; the number is still loaded after it."""
    return [] if number is None else [_instruction(_EQUAL, number, 0, len(then)), *then]


def _argument(index: int) -> bytes:
    """Loads the low half of an argument."""
    return _instruction(_LOAD, _ARGUMENTS + 8 * index)


def _if_argument_has(index: int, bits: int, answer: int) -> list[bytes]:
    set_ = _instruction(_SET, bits, 0, 1)
    return [_argument(index), set_, _instruction(_RETURN, answer), _instruction(_RETURN, _ALLOW)]


def _unless_argument_has(index: int, bits: int, answer: int) -> list[bytes]:
    set_ = _instruction(_SET, bits, 0, 1)
    return [_argument(index), set_, _instruction(_RETURN, _ALLOW), _instruction(_RETURN, answer)]
