"""Puts up the walls that the tutor asked for, around the process that calls it. Linux walls use ctypes alone.

The rules are computed outside (`tutor.checker.landlock`, `tutor.checker.seccomp`) and arrive as data.
"""

from __future__ import annotations

import os
import struct
import sys
from collections.abc import Mapping
from typing import Any

_PR_SET_PDEATHSIG, _PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP, _SECCOMP_MODE_FILTER = 1, 38, 22, 2
_LANDLOCK_CREATE, _LANDLOCK_ADD, _LANDLOCK_RESTRICT, _RULE_PATH_BENEATH = 444, 445, 446, 1


def limit(limits: Mapping[str, int]) -> None:
    """Sets the limits of this process that its system has; where it has none, only the tutor's clock counts."""
    try:
        import resource
    except ImportError:
        return
    wanted = {
        "RLIMIT_CPU": (limits["cpu"], limits["cpu"] + 1),
        "RLIMIT_DATA": (limits["data"], limits["data"]),
        "RLIMIT_AS": (limits["address_space"], limits["address_space"]),
        "RLIMIT_FSIZE": (0, 0),
        "RLIMIT_CORE": (0, 0),
        "RLIMIT_NOFILE": (limits["open_files"], limits["open_files"]),
    }
    for name, (soft, hard) in wanted.items():
        which = getattr(resource, name, None)
        if which is None:
            continue
        _, highest = resource.getrlimit(which)
        if highest != resource.RLIM_INFINITY:
            soft, hard = min(soft, highest), min(hard, highest)
        try:
            resource.setrlimit(which, (soft, hard))
        except (ValueError, OSError):
            continue  # macOS knows the name of some limits but refuses to set them


def close_in(rules: Mapping[str, Any]) -> dict[str, str]:
    """Applies Landlock and seccomp as `rules` say; returns for each wall "" or why it does not stand.

    For Landlock they hold what `ruleset` takes, or the descriptor that it gave.
    """
    if sys.platform != "linux" or not rules:
        return {}
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    standing: dict[str, str] = {}
    libc.prctl(_PR_SET_PDEATHSIG, 9, 0, 0, 0)
    libc.prctl(_PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
    for name, build in (("landlock", _restrict), ("seccomp", _filter)):
        if name not in rules:
            continue
        try:
            build(rules[name])
            standing[name] = ""
        except OSError as error:
            standing[name] = error.strerror or "refused"
    return standing


def ruleset(rules: Mapping[str, Any]) -> int:
    """A descriptor of these rules of Landlock, which any number of processes can be put under; raises OSError."""
    import ctypes

    libc = ctypes.CDLL(None, use_errno=True)
    attributes = bytes(rules["attributes"])
    made = _done(libc.syscall(_LANDLOCK_CREATE, ctypes.c_char_p(attributes), len(attributes), 0))
    try:
        for path, access in rules["paths"]:
            try:
                beneath = os.open(path, os.O_PATH | os.O_CLOEXEC)
            except OSError:
                continue  # a library folder that this machine does not have
            try:
                rule = struct.pack("<Qi", access, beneath)
                _done(libc.syscall(_LANDLOCK_ADD, made, _RULE_PATH_BENEATH, ctypes.c_char_p(rule), 0))
            finally:
                os.close(beneath)
    except OSError:
        os.close(made)
        raise
    return made


def _restrict(rules: Any) -> None:
    import ctypes

    descriptor = rules if isinstance(rules, int) else ruleset(rules)
    try:
        _done(ctypes.CDLL(None, use_errno=True).syscall(_LANDLOCK_RESTRICT, descriptor, 0))
    finally:
        os.close(descriptor)


def _filter(program: Any) -> None:
    import ctypes

    class Program(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_char_p))

    instructions = bytes(program)
    filter_ = Program(len(instructions) // 8, instructions)
    libc = ctypes.CDLL(None, use_errno=True)
    _done(libc.prctl(_PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, ctypes.byref(filter_), 0, 0))


def _done(result: Any) -> int:
    """What a call to the system returned, which must not be negative."""
    import ctypes

    if int(result) < 0:
        error = ctypes.get_errno()
        raise OSError(error, os.strerror(error))
    return int(result)
