"""What makes commands quick: they import what they need, and no more."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = [
    "numpy",
    "textual",
    "rich",
    "sqlite3",
    "tutor.study",
    "tutor.course.load",
    "tutor.views.picture",
    "simlib.errors",
]


@pytest.mark.parametrize(
    ("command", "not_loaded"),
    [
        (["--help"], [*HEAVY, "dataclasses"]),
        (["calc", "ring.steps", "workers=4"], ["numpy", "textual", "sqlite3", "tutor.study"]),
    ],
)
def test_a_command_does_not_load(command: list[str], not_loaded: list[str]) -> None:
    code = f"""
import sys
from tutor.cli.main import main
try:
    main({command!r})
except SystemExit:
    pass
print("loaded:", *sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = done.stdout.rpartition("loaded:")[2].split()
    assert "argparse" in loaded
    assert not set(not_loaded) & set(loaded)
