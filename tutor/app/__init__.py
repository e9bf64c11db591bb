"""The Textual app. The only room that imports Textual, and only when `run` is called."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tutor.classroom.records import Records
    from tutor.course.model import Course
    from tutor.study import Study


def run(study: Study) -> int:
    """Opens the app on this process's terminal and returns the exit status when the learner leaves it."""
    from tutor.app.lean import leave_openssl_out
    from tutor.app.profile import terminal_profile

    leave_openssl_out()
    # Textual reads TEXTUAL_* once, when it is imported: they are set first
    profile = terminal_profile()
    profile.set_environment()

    from tutor.app.main import TutorApp
    from tutor.app.signals import leave_on_signals

    app = TutorApp(study, profile)
    with leave_on_signals(app):
        app.run()
    return app.return_code or 0


def run_board(records: Records, course: Course) -> int:
    """Opens an instructor's board on this process's terminal; returns the exit status when it is left."""
    from tutor.app.lean import leave_openssl_out
    from tutor.app.profile import terminal_profile

    leave_openssl_out()
    profile = terminal_profile()
    profile.set_environment()

    from tutor.app.class_board import BoardApp
    from tutor.app.signals import leave_on_signals

    app = BoardApp(records, course, profile)
    with leave_on_signals(app):
        app.run()
    return app.return_code or 0
