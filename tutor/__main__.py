"""`python -m tutor`."""

import os
import sys


def _leave_the_current_folder() -> None:
    """Takes the current folder, which `python -m` puts first, off the path.

    A learner's random.py there would otherwise run in place of the library's. In a checkout our own
    packages are in that folder: then it goes last, after the standard library and what is installed.
    """
    if sys.flags.safe_path or not sys.path:
        return
    first = sys.path.pop(0)
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    if os.path.realpath(first or os.curdir) == os.path.realpath(root):
        sys.path.append(root)


if __name__ == "__main__":
    _leave_the_current_folder()
    from tutor.start import run

    sys.exit(run())
