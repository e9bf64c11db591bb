"""A class at work behind a real sshd on loopback, as the administrator: `python tests/benchmarks/classroom.py`.

Twenty learners come in by ssh at the same moment, the others after them. Each has an exercise checked, moves a picture
and answers a question, once a second or so. Then every line is cut in the middle of an answer, at the learner's end, in
the session or in sshd; who was cut comes back to the question, answers, and is cut again, until it is a hundred.
Clients run on the same processors as the host does. A key's frame has come when nothing more does for 60 ms. The tests
of a class do the same work (tests/system/class_work.py) and measure nothing but memory.
"""

from __future__ import annotations

import argparse
import asyncio
import statistics
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "system"))
import class_records
import class_work
from class_host import class_host


def told(what: str, seconds: list[float]) -> None:
    """Prints a row."""
    if seconds:
        ordered = sorted(seconds)
        late = ordered[min(len(ordered) - 1, round(0.95 * len(ordered)))]
        print(f"{what:<44} {statistics.median(ordered) * 1e3:>8.0f} ms {late * 1e3:>8.0f} ms   {len(ordered)}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-n", type=int, default=60, help="learners")
    parser.add_argument("--seconds", type=float, default=60.0, help="how long each works")
    parser.add_argument("--rate", type=float, default=3.0, help="logins a second")
    parser.add_argument("--burst", type=int, default=20, help="logins at the same moment, before")
    parser.add_argument("--cuts", type=int, default=100, help="lines that are cut")
    options = parser.parse_args()
    names = [f"ws-{number:02d}" for number in range(options.n)]
    burst = min(options.burst, options.n)
    with class_host(names, [class_work.SHAPE]) as host, tempfile.TemporaryDirectory() as home:
        with class_work.a_class(host, names, Path(home)) as found:
            again = min(options.seconds, 20.0)
            asyncio.run(class_work.class_of(found, burst, options.seconds, options.rate, options.cuts, again))
        lost = sum(map(len, class_records.lost(host, class_work.SHAPE, found.seen.said).values()))
    seen, most = found.seen, found.most
    if burst:
        print(f"{burst} logins at the same moment: the last is ready after {max(seen.logins[:burst]):.1f} s")
    print(f"{'of ' + str(len(names)) + ' learners':<44} {'median':>11} {'95 in 100':>11}   times")
    told("login to the home screen, one after another", seen.logins[burst:])
    told("a step of a picture", seen.steps)
    told("a digit typed", seen.typed)
    told("an answer judged and kept", seen.answers)
    told("any key", seen.steps + seen.typed + seen.answers)
    told("a check, boxed", seen.checks)
    print(f"answers whose verdict was seen: {sum(map(len, seen.said.values()))}; lost in {found.cuts} cuts: {lost}")
    print(f"processes left {class_work.LEFT_SECONDS:.0f} s after: {len(found.left)}")
    print(f"PSS: at most {most.session:.1f} MiB a session, {most.checkers:.1f} MiB its share of checkers")


if __name__ == "__main__":
    main()
