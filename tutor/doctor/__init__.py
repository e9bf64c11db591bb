"""What this machine and terminal can give a learner, found out by trying, and what to do about each shortcoming."""

from __future__ import annotations

from tutor.doctor.finding import FINE, NOTE, PROBLEM, Finding
from tutor.doctor.rounds import examine

__all__ = ["FINE", "NOTE", "PROBLEM", "Finding", "examine"]
