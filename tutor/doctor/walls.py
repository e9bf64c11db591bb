"""The walls around a learner's file, by trying to break through them."""

from __future__ import annotations

from tutor.checker import CouldNotCheck, Limits, box, isolation, proof
from tutor.doctor.finding import FINE, NOTE, PROBLEM, Finding


def own_account() -> Finding:
    """What a file that is checked on one's own account could do."""
    what = "checks on your own account"
    try:
        found = proof.holes(Limits())
    except CouldNotCheck as error:
        return Finding(what, PROBLEM, f"no check can be run: {error}", "The line says why.")
    if not found:
        return Finding(what, FINE, f"{len(proof.ATTEMPTS)} attempts to break out failed (Landlock and seccomp)")
    here = isolation.walls()
    missing = [name for name, there in (("Landlock", here.landlock), ("seccomp", here.seccomp)) if not there]
    why = f"{' and '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing here. " if missing else ""
    advice = f"{why}Only check code that you trust. Linux 5.13 or newer with Landlock and seccomp has both walls."
    return Finding(what, NOTE, f"a file that is checked {_listed(found)}", advice)


def in_a_class() -> Finding:
    """Whether this host could isolate the files of a class."""
    what = "checks in a class"
    reason = proof.why_no_box()
    if not reason:
        tried = f"{len(proof.ATTEMPTS)} attempts to break out failed (bubblewrap, Landlock and seccomp)"
        return Finding(what, FINE, tried)
    return Finding(what, NOTE, f"off: {reason}", f"Needed for a class only. {box.advice(reason)}")


def _listed(found: tuple[str, ...]) -> str:
    *most, last = (proof.ATTEMPTS[name] for name in found)
    return f"{', '.join(most)} and {last}" if most else last
