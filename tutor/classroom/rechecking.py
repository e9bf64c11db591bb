"""Behind which walls a learner's file is checked again, as the instructor."""

from __future__ import annotations

import shutil

from tutor.checker import CouldNotCheck, Limits, box, isolation, proof


def limits() -> Limits:
    """The limits of such a check: in a box, or without bubblewrap behind walls that are proved whole.

    Raises CouldNotCheck where neither can be: the file would run with all that the instructor may do.
    """
    if shutil.which(box.PROGRAM):
        return Limits.of_class()
    here = isolation.walls()
    missing = [name for name, there in (("Landlock", here.landlock), ("seccomp", here.seccomp)) if not there]
    if missing:
        raise CouldNotCheck(f"bubblewrap is not installed, and this host has no {' and no '.join(missing)}")
    found = proof.holes(Limits())
    if found:
        broken = ", ".join(proof.ATTEMPTS[name] for name in found)
        raise CouldNotCheck(f"bubblewrap is not installed, and without it a file that is checked {broken}")
    return Limits()
