"""`doctor`."""

from __future__ import annotations

import argparse
import textwrap
from dataclasses import asdict

from tutor.cli.output import RIGHT, WRONG, say, say_json, width
from tutor.doctor import PROBLEM, examine
from tutor.places import places


def doctor(arguments: argparse.Namespace) -> int:
    """Looks at this machine and terminal; exit status 1 where something has to be mended."""
    found = []
    for finding in examine(places()):
        found.append(finding)
        if arguments.json:
            continue
        columns = min(width(), 100)
        head = f"{finding.state:8} {finding.what}: "
        say(textwrap.fill(head + finding.found, columns, subsequent_indent=" " * 9))
        if finding.advice:
            say(textwrap.fill(finding.advice, columns, initial_indent=" " * 9, subsequent_indent=" " * 9))
    if arguments.json:
        say_json({"findings": [asdict(finding) for finding in found]})
    return WRONG if any(finding.state == PROBLEM for finding in found) else RIGHT
