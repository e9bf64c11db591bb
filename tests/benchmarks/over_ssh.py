"""Start to first frame over ssh to loopback, beside ssh's own echo, as the administrator: `… over_ssh.py`.

`ssh host echo` is what a login takes here; the tutor comes after it, on an account that is in no class and as a
learner's session. All are started in turn; the first round, which compiles and warms the disk cache, does not count.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import sys
import tempfile
import time
from pathlib import Path

from first_frame import BARE
from session import Session, environment

sys.path.insert(0, str(Path(__file__).parents[1] / "system"))
from class_host import class_host

LEARNER, OUTSIDE = "ws-learner", "ws-outside"


def seconds(command: list[str], marker: str, variables: dict[str, str]) -> float:
    """From ssh's start to the text."""
    session = Session(command, variables)
    seen = b""
    try:
        while marker.encode() not in seen:
            seen += session.read(0.5)
            if time.perf_counter() - session.begun > 20:
                raise SystemExit(f"{marker!r} did not come; {command} printed {seen[-2000:]!r}")
        return time.perf_counter() - session.begun
    finally:
        session.close()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-n", type=int, default=9, help="logins of each")
    logins = parser.parse_args().n
    with class_host([LEARNER], ["accounts"]) as host, tempfile.TemporaryDirectory() as home:
        shutil.copy(host.keys / f"{LEARNER}.pub", host.keys / f"{OUTSIDE}.pub")
        host._account(OUTSIDE)
        variables = environment(home)
        del variables["PYTHONPYCACHEPREFIX"]

        def over(*command: str) -> list[str]:
            words = host.ssh("accounts", LEARNER, "-tt", command=command)
            return [word.replace(f"{LEARNER}@", f"{OUTSIDE}@") for word in words]

        bare = host.folder / "bare.py"
        bare.write_text(f"import sys\nsys.path.insert(0, {str(host.program.parent / 'site')!r})\n{BARE}")
        bare.chmod(0o644)
        programs = {
            "ssh host echo": (over("echo", "here-it-is"), "here-it-is"),
            "a bare Textual app": (over(str(host.python), str(bare)), "first-frame-marker"),
            "the tutor": (over(str(host.program)), "choose"),
            "a learner's session of a class": (host.ssh("accounts", LEARNER, "-tt"), "choose"),
        }
        taken: dict[str, list[float]] = {name: [] for name in programs}
        for number in range(logins + 1):
            for name, (command, marker) in programs.items():
                measured = seconds(command, marker, variables)
                if number:
                    taken[name].append(measured)
    echo = statistics.median(taken["ssh host echo"])
    print(f"{'medians of ' + str(logins):<32} {'time':>8} {'of echo':>8}   goal")
    for name, times in taken.items():
        goal = "2.2 times" if name == "the tutor" else ""
        print(f"{name:<32} {statistics.median(times) * 1e3:>5.0f} ms {statistics.median(times) / echo:>8.2f}   {goal}")


if __name__ == "__main__":
    main()
