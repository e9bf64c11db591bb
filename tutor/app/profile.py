"""What this terminal and this line to it can take."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass

from tutor.printing import unicode_works


@dataclass(frozen=True)
class Profile:
    """`ascii_only`: draw with ASCII signs. `few_colours`: 16 or none. `remote`: at the other end of a network."""

    ascii_only: bool = False
    few_colours: bool = False
    remote: bool = False

    def set_environment(self) -> None:
        """Sets what Textual reads at import; what the learner has set stays."""
        defaults = {"TEXTUAL_ANIMATIONS": "none", "TEXTUAL_SMOOTH_SCROLL": "0"}
        if self.remote:
            # A key's escape sequence may arrive in pieces on a slow line
            defaults |= {"TEXTUAL_FPS": "15", "ESCDELAY": "300"}
        for name, value in defaults.items():
            os.environ.setdefault(name, value)


def terminal_profile() -> Profile:
    """The profile of the terminal that this process runs on."""
    return Profile(
        ascii_only=not unicode_works(sys.stderr),
        few_colours="NO_COLOR" in os.environ or not _many_colours(),
        remote="SSH_CONNECTION" in os.environ,
    )


def _many_colours() -> bool:
    if os.environ.get("COLORTERM", "").strip().lower() in ("truecolor", "24bit"):
        return True
    return "256color" in os.environ.get("TERM", "")
