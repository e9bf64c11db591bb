"""From a hang-up or a signal to the end of the process: `python tests/benchmarks/leaving.py`."""

from __future__ import annotations

import argparse
import os
import signal
import statistics
import tempfile
import time
from contextlib import suppress

from session import TUTOR, Session, environment


def gone(how: str) -> float:
    """Seconds from `how` to the end of an app at a lesson step; what it still writes is read, as a terminal would."""
    with tempfile.TemporaryDirectory() as folder:
        session = Session(TUTOR, environment(folder))
        session.until("choose")
        session.press("\r")
        session.quiet(0.6)
        begun = time.perf_counter()
        if how == "hang-up":
            os.close(session.terminal)
        else:
            os.kill(session.pid, getattr(signal, how))
        while not os.waitpid(session.pid, os.WNOHANG)[0]:
            if how != "hang-up":
                with suppress(SystemExit):
                    session.read(0.002)
            time.sleep(0.001)
        return time.perf_counter() - begun


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-n", type=int, default=7, help="times each")
    times = parser.parse_args().n
    for how in ("hang-up", "SIGHUP", "SIGTERM"):
        seconds = [gone(how) for _ in range(times)]
        median, longest = statistics.median(seconds) * 1e3, max(seconds) * 1e3
        print(f"{how:<8} gone after {median:>4.0f} ms (at most {longest:.0f})   goal: 200 ms")


if __name__ == "__main__":
    main()
