"""`python -m tutor` from a folder that a learner fills: nothing there runs in the library's place."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.mark.parametrize("name", ["random.py", "argparse.py", "json.py", "sqlite3.py", "numpy.py", "typing.py"])
def test_a_planted_module_does_not_run(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("raise SystemExit('a planted file ran')")
    for command in (["lessons", "--json"], ["show", "zero", "--json"], ["show", "all-reduce", "--json"]):
        words = [sys.executable, "-m", "tutor", *command]
        done = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout)
