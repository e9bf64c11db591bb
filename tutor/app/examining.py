"""One problem of an examination as the app asks it: one try, no hints, and nothing told before the end."""

from __future__ import annotations

from tutor.asking import Asking
from tutor.examination.room import Asked, Examination, Sitting


class Problem(Asking):
    """A problem with the numbers that were drawn for it."""

    def __init__(self, room: Examination, sitting: Sitting, asked: Asked) -> None:
        super().__init__(room.study, asked.question, asked.seed)
        self._room = room
        self._sitting = sitting
        self._asked = asked

    @property
    def done(self) -> bool:
        return False  # once it is answered, the next one is shown

    @property
    def tries_left(self) -> int:
        return 1

    @property
    def wrong_answers(self) -> list[str]:
        return []

    def understood(self, text: str) -> str:
        """How an answer would be taken. Raises NotUnderstood, CourseError."""
        return self._room.understood(self._asked, text)

    def give(self, text: str | None) -> bool:
        """Gives the answer, None for none; False where another session was faster. Raises ProgressError."""
        return self._room.answer(self._sitting, self._asked, text)
