"""What screens cost while nobody does anything, in bytes and parts of a core: `python tests/benchmarks/idle.py`."""

from __future__ import annotations

import argparse
import tempfile
import time

from session import TUTOR, Session, environment

# Keys from the home screen to each screen
SCREENS = {
    "home": [],
    "lesson, picture": ["\r"],
    "lesson, question": ["\r", "\x1b[19~", "\r"],
    "help": ["?"],
    "look up": ["/"],
    "everything": ["\x10"],
    "practice": ["p"],
    "practice, problem": ["p", "\r"],
    "playground": ["v", "\r"],
    "exercises": ["e"],
    "progress": ["r"],
    "settings": ["s"],
    "examination": ["x"],
    "examination, problem": ["x", "\r"],
    "exercise": ["e", "\r"],
    "editor": ["e", "\r", "\t", "e"],
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-s", type=float, default=10, help="seconds on each screen")
    seconds = parser.parse_args().s
    print(f"{'screen':<22} {'bytes':>6} {'of a core':>10}   goal: no bytes, 0.05%")
    for name, keys in SCREENS.items():
        with tempfile.TemporaryDirectory() as folder:
            session = Session(TUTOR, environment(folder))
            try:
                session.until("choose")
                for key in keys:
                    session.press(key)
                    session.quiet(0.6)
                # What is loaded or kept after the frame is done by then
                session.quiet(2.0)
                used, begun = session.processor_seconds(), time.perf_counter()
                came = b""
                while (left := begun + seconds - time.perf_counter()) > 0:
                    came += session.read(left)
                used = session.processor_seconds() - used
                print(f"{name:<22} {len(came):>6} {used / seconds:>10.3%}")
            finally:
                session.close()


if __name__ == "__main__":
    main()
