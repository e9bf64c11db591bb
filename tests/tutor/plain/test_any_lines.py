"""Whatever is typed, plain mode goes on, loses nothing and writes nothing but lines."""

from __future__ import annotations

import io
import tempfile
import unicodedata
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tutor.course.load import load
from tutor.permissions import Permissions
from tutor.plain.commands import COMMANDS
from tutor.plain.run import run
from tutor.progress.store import Store
from tutor.study import Study

COURSE = load(Path(__file__).parents[1] / "app" / "course")
# No process of the checker's, no file outside the folder of this test
HERE = Permissions(check_files=False, any_file=False)
WORDS = [
    "1",
    "2",
    "1 22; 11 20",
    "1 22",
    "14",
    "ring",
    "demo-table",
    "last",
    "none",
    "values",
    "8",
    "-1",
    "0 1 .",
    "\x1b[2J",
]


class Pipe(io.StringIO):
    """Standard output of a test."""

    encoding = "utf-8"


command = st.builds(
    "".join, st.tuples(st.just(":"), st.sampled_from([*COMMANDS, "workers", "step", "params", "values"]))
)
line = st.one_of(
    st.just(""),
    st.sampled_from(WORDS),
    st.text(max_size=20).filter(lambda text: not set(text) & set("\n\r\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029")),
    command,
    st.builds(
        " ".join, st.tuples(command, st.one_of(st.sampled_from(WORDS), st.text("0123456789.,;[] abc", max_size=12)))
    ),
)


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(line, max_size=25))
def test_any_lines_at_all(lines: list[str]) -> None:
    out = Pipe()
    with tempfile.TemporaryDirectory() as folder, pytest.MonkeyPatch.context() as patch:
        store = Store(Path(":memory:"))
        patch.setattr("sys.stdin", io.StringIO("".join(f"{each}\n" for each in lines)))
        patch.setattr("sys.stdout", out)
        run(Study(COURSE, store, Path(folder) / "exercises", HERE), None)
        store.close()
    said = out.getvalue()
    assert "Everything is kept. You are in" in " ".join(said.split())
    assert not {sign for sign in said if unicodedata.category(sign) in ("Cc", "Cf", "Co", "Cs")} - {"\n"}
    assert "\n\n\n" not in said
