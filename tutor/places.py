"""Where a learner's things are: progress in the platform's state folder, exercise files where they can be found."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from tutor.program import NAME


@dataclass(frozen=True)
class Places:
    """The two folders of one learner."""

    state: Path  # holds progress.db
    exercises: Path  # holds the files that the learner writes

    @property
    def database(self) -> Path:
        return self.state / "progress.db"


def places() -> Places:
    """The folders of whoever runs this: below TUTOR_HOME when it is set, the platform's own otherwise."""
    home = os.environ.get("TUTOR_HOME")
    if home:
        folder = Path(home).expanduser().absolute()
        return Places(state=folder, exercises=folder / "exercises")
    import platformdirs

    return Places(state=Path(platformdirs.user_state_dir(NAME, appauthor=False)), exercises=Path.home() / NAME)
