"""Names of learners: they become folders, options of sshd and cells of tables, so they hold nothing but letters."""

from __future__ import annotations

import re

_NAME = re.compile(r"[a-z][a-z0-9_-]{0,31}")
ACCEPTED = "1 to 32 lower-case letters, digits, - and _, a letter first"


class BadName(ValueError):
    """A name that no learner can have: one line."""

    def __init__(self, name: str) -> None:
        from tutor.safe_text import visible

        super().__init__(f"learner {visible(name[:40])!r}; accepted: {ACCEPTED}")


def checked(name: str) -> str:
    """`name`, if a learner can have it. Raises BadName.

    >>> checked("ada")
    'ada'
    """
    if not _NAME.fullmatch(name):
        raise BadName(name)
    return name
