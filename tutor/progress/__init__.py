"""What each learner has done: an append-only record in SQLite, one file a learner."""

from tutor.progress.store import Event, ProgressError, Store

__all__ = ["Event", "ProgressError", "Store"]
