"""One thing that was looked at."""

from __future__ import annotations

from dataclasses import dataclass

FINE, NOTE, PROBLEM = "fine", "note", "problem"


@dataclass(frozen=True)
class Finding:
    """`state` is FINE, NOTE (works, less well) or PROBLEM; `advice` says what to do where it is not fine."""

    what: str
    state: str
    found: str
    advice: str = ""
