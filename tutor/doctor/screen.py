"""The terminal: whether the app can open on it, how many colours it has, and which characters it draws."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Mapping

from tutor.doctor.finding import FINE, NOTE, PROBLEM, Finding
from tutor.program import program

LEAST_COLUMNS, LEAST_ROWS = 40, 12
WHOLE_COLUMNS, WHOLE_ROWS = 80, 24


def terminal() -> Finding:
    """Whether the app can open here, and how large the window is."""
    what = "terminal"
    kind = os.environ.get("TERM", "")
    if not (sys.stdin.isatty() and sys.stdout.isatty() and sys.stderr.isatty()):
        return Finding(
            what,
            NOTE,
            "input or output is not a terminal",
            f"The app needs one: over ssh use `ssh -t`. {program()} plain gives the course line by line without.",
        )
    if kind in ("", "dumb", "unknown"):
        said = f"TERM is {kind}" if kind else "TERM is not set"
        return Finding(
            what,
            PROBLEM,
            said,
            f"Set TERM to what your terminal is, xterm-256color for most, or use {program()} plain.",
        )
    size = shutil.get_terminal_size((WHOLE_COLUMNS, WHOLE_ROWS))
    said = f"{kind}, {size.columns}x{size.lines}"
    if size.columns < LEAST_COLUMNS or size.lines < LEAST_ROWS:
        return Finding(what, PROBLEM, said, f"Make the window larger: {LEAST_COLUMNS}x{LEAST_ROWS} at least.")
    if size.columns < WHOLE_COLUMNS or size.lines < WHOLE_ROWS:
        return Finding(what, NOTE, said, f"At {WHOLE_COLUMNS}x{WHOLE_ROWS} every step has its place.")
    return Finding(what, FINE, said)


def colours(environment: Mapping[str, str] = os.environ) -> Finding:
    """How many colours can be counted on."""
    what = "colours"
    if environment.get("NO_COLOR"):
        return Finding(what, FINE, "none, as NO_COLOR asks: signs tell everything apart")
    if environment.get("COLORTERM", "").lower() in ("truecolor", "24bit"):
        return Finding(what, FINE, "16 million")
    if "256" in environment.get("TERM", ""):
        if "SSH_CONNECTION" in environment:
            advice = "ssh does not pass COLORTERM on: `SendEnv COLORTERM` here, `AcceptEnv COLORTERM` on the host."
            return Finding(what, FINE, "256", advice)
        return Finding(what, FINE, "256")
    advice = "If your terminal has more, TERM=xterm-256color says so. Signs tell everything apart in any case."
    return Finding(what, NOTE, "16", advice)


def characters() -> Finding:
    """Whether box-drawing characters arrive."""
    encoding = (sys.stdout.encoding or "").lower()
    locale = os.environ.get("LC_ALL") or os.environ.get("LC_CTYPE") or os.environ.get("LANG") or ""
    if "utf" in encoding and locale.upper() not in ("C", "POSIX"):
        return Finding("characters", FINE, f"{encoding}{f', {locale}' if locale else ''}")
    said = f"{encoding or 'unknown'}, locale {locale or 'not set'}"
    return Finding("characters", NOTE, said, "Pictures are drawn in ASCII. LANG=C.UTF-8 gives lines and arrows.")
