"""What a session holds (PSS), and whether steps and a large grid add to it: `python tests/benchmarks/memory.py`.

Sessions share what they load: a second one beside it takes 6 MiB off each.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from keys import NEXT, STEP_BEFORE, opened, shipped
from session import TUTOR, Session, environment

_MIB = 1 << 20
BEFORE_NUMPY = """
import sys
sys.path.append(".")
sys.argv[1:] = []
import tutor.app.preload
tutor.app.preload.preload = lambda **how: None
from tutor.start import run
run()
"""


def pss(session: Session) -> float:
    """The process's proportional share of memory, in MiB."""
    rollup = Path(f"/proc/{session.pid}/smaps_rollup").read_text()
    line = next(line for line in rollup.splitlines() if line.startswith("Pss:"))
    return int(line.split()[1]) * 1024 / _MIB


def resident(session: Session, what: str) -> float:
    """What the process has in memory, in MiB, what it shares included: `VmRSS` now, `VmHWM` at most."""
    status = Path(f"/proc/{session.pid}/status").read_text()
    line = next(line for line in status.splitlines() if line.startswith(what))
    return int(line.split()[1]) * 1024 / _MIB


def told(what: str, mebibytes: float, goal: str) -> None:
    """Prints a row."""
    print(f"{what:<44} {mebibytes:>6.1f} MiB   {goal}")


def main() -> None:
    with shipped() as compiling:
        for key in [NEXT] * 10:
            compiling.press(key)
    with tempfile.TemporaryDirectory() as folder:
        # Without what is loaded behind the first frame, as it is at that frame
        session = Session([TUTOR[0], "-c", BEFORE_NUMPY], environment(folder))
        session.until("choose")
        told("home, before NumPy", pss(session), "40 MiB")
        session.close()
    with shipped() as lesson:
        told("a lesson step, with NumPy", pss(lesson), "55 MiB")
        for _ in range(2):
            for key in [NEXT] * 10 + [STEP_BEFORE] * 10:
                lesson.press(key)
        begun = pss(lesson)
        for _ in range(3):
            for key in [NEXT] * 10 + [STEP_BEFORE] * 10:
                lesson.press(key)
        told("ten steps onward and back, five times", pss(lesson), "55 MiB")
        told("of that, since the second time", pss(lesson) - begun, "none")
    with opened(1, 120, 40) as empty:
        none = pss(empty)
    with opened(2, 120, 40) as grid:
        for _ in range(10):
            grid.press("l")
        told("64 x 1,024 slots, over a ring of 8", pss(grid) - none, "5 MiB")
    with opened(1, 120, 40) as ring:
        Path(f"/proc/{ring.pid}/clear_refs").write_text("5")  # the most begins anew
        before = resident(ring, "VmRSS")
        ring.press("n")
        told("at their peak, while they are timed", resident(ring, "VmHWM") - before, "5 MiB")


if __name__ == "__main__":
    main()
