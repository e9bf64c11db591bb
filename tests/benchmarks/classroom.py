"""A class at work behind a real sshd on loopback, as the administrator: `python tests/benchmarks/classroom.py`.

Every learner comes in by ssh, has an exercise checked, moves a picture and answers a question, once a second or so.
Then every line is cut in the middle of an answer, half of them by ending the session and half by ending its ssh;
everybody comes back to the question, answers again, and is cut again, until a hundred lines have been cut.
Clients run on the same processors as the host does. A key's frame has come when nothing more does for 60 ms.
"""

from __future__ import annotations

import argparse
import contextlib
import random
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from session import Frame, Session, environment

sys.path.insert(0, str(Path(__file__).parents[1] / "system"))
import class_work
from class_host import ClassHost, class_host
from class_work import LESSON, WRITTEN, judged

F7, LEFT, RIGHT, CLEAR = "\x1b[18~", "\x1b[D", "\x1b[C", "\x15"
CUTS = 100


@dataclass
class Figures:
    """What all learners together have seen."""

    logins: list[float] = field(default_factory=list)
    steps: list[Frame] = field(default_factory=list)
    typed: list[Frame] = field(default_factory=list)
    answers: list[Frame] = field(default_factory=list)
    checks: list[float] = field(default_factory=list)
    said: dict[str, list[int]] = field(default_factory=dict)  # answers whose verdict was on the screen, by learner
    failed: list[str] = field(default_factory=list)
    cuts: int = 0


Work = Callable[[Session, str, Figures, float, Callable[[], None]], None]


def come_in(host: ClassHost, learner: str, home: str) -> Session:
    """A learner's connection; its first frame is not waited for."""
    variables = environment(home)
    del variables["PYTHONPYCACHEPREFIX"]
    return Session(host.ssh("shared", learner, "-tt"), variables)


def ready(session: Session, figures: Figures) -> None:
    """Waits until the home screen is there."""
    session.until("Continue")
    figures.logins.append(time.perf_counter() - session.begun - 0.4)  # of which it waits for quiet


def work(session: Session, learner: str, figures: Figures, seconds: float, pause: Callable[[], None]) -> None:
    """What a learner does: checks, steps, answers."""
    end = time.monotonic() + seconds
    session.press("\r")
    session.until("16/")
    session.until("Esc lessons")  # the words come before the keys
    for _ in range(6):
        if "write the file" in session.screen.display[-1]:
            break
        session.press("\r")
        session.quiet(0.3)
    session.press("\r")
    session.until("edits it here")
    for _ in range(2):
        begun = time.perf_counter()
        session.press("c")
        session.until("Not right")
        figures.checks.append(time.perf_counter() - begun - 0.4)
        pause()
    session.press(F7)
    session.until("15/")
    middle = time.monotonic() + (end - time.monotonic()) / 2
    while time.monotonic() < middle:
        figures.steps += [session.press(RIGHT), session.press(LEFT)]
        pause()
    for _ in range(6):
        if "F3 reveal" in session.screen.display[-1]:
            break
        session.press("\r")
        session.quiet(0.3)
    answer(session, learner, figures, end, pause)


def come_back(session: Session, learner: str, figures: Figures, seconds: float, pause: Callable[[], None]) -> None:
    """What a learner does whose line was cut: goes on at the same step, with another answer than the half-typed one."""
    end = time.monotonic() + seconds
    session.press("\r")
    session.until("15/")
    session.until("Esc lessons")
    for _ in range(6):
        if "F3 reveal" in session.screen.display[-1]:
            break
        session.press("\r")
        session.quiet(0.3)
    session.press(CLEAR)
    answer(session, learner, figures, end, pause)


def answer(session: Session, learner: str, figures: Figures, end: float, pause: Callable[[], None]) -> None:
    """One number after another, all of them wrong, each another try."""
    said = figures.said.setdefault(learner, [])
    while time.monotonic() < end:
        number = 101 + len(said)
        for digit in str(number):
            figures.typed.append(session.press(digit))
        figures.answers.append(session.press("\r"))
        session.until(judged(number))
        said.append(number)
        pause()


def learn(session: Session, learner: str, figures: Figures, seconds: float, work: Work) -> None:
    """`work`, at a learner's own speed; what goes wrong is kept."""
    drawn = random.Random(learner)
    try:
        ready(session, figures)
        work(session, learner, figures, seconds, lambda: time.sleep(drawn.uniform(0.5, 1.5)))
    except (SystemExit, OSError) as error:
        figures.failed.append(f"{learner}: {str(error).splitlines()[0]}")


def memory(pid: int) -> float:
    """A process's share of memory in MiB (PSS); 0 where it has ended."""
    with contextlib.suppress(OSError):
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1]) / 1024
    return 0.0


@dataclass
class Shares:
    """The most memory that a session, and the checkers of one, took on average at any look."""

    session: float = 0.0
    checkers: float = 0.0

    def look(self, host: ClassHost) -> None:
        everyone = host.processes()
        running = [pid for pid, words in everyone.items() if "class session" in words]
        shares = [share for pid in running if (share := memory(pid))]
        if shares:
            self.session = max(self.session, statistics.mean(shares))
            others = sum(memory(pid) for pid in everyone if pid not in running)
            self.checkers = max(self.checkers, others / len(shares))


def told(what: str, seconds: list[float]) -> None:
    """Prints a row."""
    if seconds:
        ordered = sorted(seconds)
        late = ordered[min(len(ordered) - 1, round(0.95 * len(ordered)))]
        print(f"{what:<44} {statistics.median(ordered) * 1e3:>8.0f} ms {late * 1e3:>8.0f} ms   {len(ordered)}")


def begin(host: ClassHost, learners: list[str]) -> None:
    """Every learner's record stands at the exercise; answers are not given away, so that no question closes."""
    for learner in learners:
        class_work.stand_at(host, "shared", learner, WRITTEN, LESSON)
    host.tutor("class", "pace", str(host.class_folder("shared")), "--reveal", "off")


def burst(host: ClassHost, learners: list[str], home: str) -> list[float]:
    """All of them come in at the same moment: the seconds until each is ready."""
    figures = Figures()
    sessions = [come_in(host, learner, home) for learner in learners]
    waiting = [threading.Thread(target=ready, args=(session, figures)) for session in sessions]
    for thread in waiting:
        thread.start()
    for thread in waiting:
        thread.join()
    for session in sessions:
        session.close()
    return figures.logins


def cut(host: ClassHost, sessions: dict[str, Session]) -> list[int]:
    """Cuts every line in the middle of an answer; returns the processes that are left."""
    lines = {learner: (session.terminal, session.pid) for learner, session in sessions.items()}
    class_work.cut(host, lines, "5\r", random.Random(1))
    return list(class_work.left(host, 20))


def lesson(
    host: ClassHost,
    learners: list[str],
    home: str,
    figures: Figures,
    most: Shares,
    seconds: float,
    rate: float,
    work: Work,
) -> list[int]:
    """All of them come in, one after another, work, and are cut off; the processes that are left."""
    sessions: dict[str, Session] = {}
    threads = []
    for learner in learners:
        sessions[learner] = come_in(host, learner, home)
        threads.append(threading.Thread(target=learn, args=(sessions[learner], learner, figures, seconds, work)))
        threads[-1].start()
        time.sleep(1 / rate)
    while any(thread.is_alive() for thread in threads):
        most.look(host)
        time.sleep(5)
    left = cut(host, sessions)
    for session in sessions.values():
        with contextlib.suppress(OSError, ChildProcessError):
            session.close()
    return left


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-n", type=int, default=60, help="learners")
    parser.add_argument("--seconds", type=float, default=60.0, help="how long each works")
    parser.add_argument("--rate", type=float, default=3.0, help="logins a second")
    parser.add_argument("--burst", type=int, default=20, help="logins at the same moment, before")
    options = parser.parse_args()
    learners = [f"ws-{number:02d}" for number in range(options.n)]
    figures = Figures()
    with class_host(learners, ["shared"]) as host, tempfile.TemporaryDirectory() as home:
        begin(host, learners)
        if options.burst:
            times = burst(host, learners[: options.burst], home)
            print(f"{len(times)} logins at the same moment: the last is ready after {max(times):.1f} s")
        most = Shares()
        figures.cuts = len(learners)
        left = lesson(host, learners, home, figures, most, options.seconds, options.rate, work)
        again = Figures(said=figures.said, failed=figures.failed)
        while figures.cuts < CUTS and not figures.failed:
            some = learners[: CUTS - figures.cuts]
            figures.cuts += len(some)
            left += lesson(host, some, home, again, most, min(options.seconds, 20.0), options.rate, come_back)
        lost = sum(map(len, class_work.lost(host, "shared", figures.said).values()))
    print(f"{'of ' + str(len(learners)) + ' learners':<44} {'median':>11} {'95 in 100':>11}   times")
    told("login to the home screen", figures.logins)
    told("a step of a picture", [frame.seconds for frame in figures.steps])
    told("a digit typed", [frame.seconds for frame in figures.typed])
    told("an answer judged and kept", [frame.seconds for frame in figures.answers])
    told("any key", [frame.seconds for frame in figures.steps + figures.typed + figures.answers])
    told("a check, boxed", figures.checks)
    print(
        f"answers whose verdict was seen: {sum(map(len, figures.said.values()))}; lost in {figures.cuts} cuts: {lost}"
    )
    print(f"processes left 20 s after: {len(left)}")
    print(f"PSS: at most {most.session:.1f} MiB a session, {most.checkers:.1f} MiB its share of checkers")
    for line in figures.failed:
        print(f"failed: {line}")


if __name__ == "__main__":
    main()
