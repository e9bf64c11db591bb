"""Pictures to take away: every topic, and the plan, as text, ASCII, SVG, and JSON that the README names."""

from __future__ import annotations

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tutor.cli.counting import Counting
from tutor.cli.main import main
from tutor.views.topics import TOPICS

README = (Path(__file__).parents[3] / "README.md").read_text(encoding="utf-8")
JSON = " ".join(README.split("\n### JSON\n")[1].split("\n## ")[0].split())
PLAN = ["plan", "--model", "llama-7b", "--hardware", "h100", "--gpus", "64"]
# Those whose form is that of another
LIKE = dict.fromkeys(("reduce-scatter", "all-gather", "broadcast", "all-to-all"), "all-reduce")
Capture = pytest.CaptureFixture[str]


@pytest.mark.parametrize("name", TOPICS)
def test_every_topic_as_json_that_the_readme_names(name: str, capsys: Capture) -> None:
    assert main(["show", name, "--json"]) == 0
    out = capsys.readouterr().out
    assert out.count("\n") == 1
    assert out.isascii()

    def refuse(word: str) -> None:
        raise AssertionError(f"{word} is no JSON")

    data = json.loads(out, parse_constant=refuse)
    shape = JSON.split(f"`show {LIKE.get(name, name)}`: `", 1)[1].split("`")[0]
    assert set(data) <= set(re.findall(r'"([\w-]+)"', shape))
    assert next(iter(data)) == re.findall(r'"([\w-]+)"', shape)[0]
    for other in LIKE:
        assert f"`{other}`" in JSON or f"`show {other}`" in JSON


@pytest.mark.parametrize("name", [*TOPICS, "the plan"])
def test_text_ascii_and_svg(name: str, capsys: Capture, tmp_path: Path) -> None:
    command = PLAN if name == "the plan" else ["show", name]
    assert main([*command, "--ascii", "--width", "60"]) == 0
    out = capsys.readouterr().out
    assert out.isascii()
    assert "\x1b" not in out
    assert max(map(len, out.splitlines())) <= 60
    file = tmp_path / "picture.svg"
    assert main([*command, "--light", "--svg", str(file)]) == 0
    assert capsys.readouterr().out == ""
    root = ElementTree.parse(file).getroot()
    assert root.find("{http://www.w3.org/2000/svg}title").text  # type: ignore[union-attr]
    before = file.read_bytes()
    assert main([*command, "--svg", str(file)]) == 2
    assert file.read_bytes() == before


def test_a_layout_as_a_slide_and_one_that_is_not_there(capsys: Capture, tmp_path: Path) -> None:
    file = tmp_path / "layout.svg"
    assert main([*PLAN, "--layout", "2", "--svg", str(file)]) == 0
    assert "activations" in file.read_text(encoding="utf-8")
    assert main([*PLAN, "--layout", "0", "--json"]) == 2
    assert "--layout is 0; accepted: a number from 1 to" in capsys.readouterr().err


@pytest.mark.parametrize("name", TOPICS)
def test_help_fits_eighty_columns_and_names_every_option(name: str, capsys: Capture) -> None:
    assert main(["show", name, "--help"]) == 0
    out = capsys.readouterr().out
    assert max(map(len, out.splitlines())) <= 80
    for parameter in TOPICS[name].parameters:
        assert f"  --{parameter.name.replace('_', '-')}" in out
        assert all(choice in out for choice in parameter.choices)
    for option in ("--svg FILE", "--ascii", "--width N", "--steps A:B", "--animate", "--light", "--json"):
        assert option in out


def test_rows_as_they_are_typed_and_sizes_with_their_unit(capsys: Capture) -> None:
    results = []
    for values in ("1 2 3; 10 20 30", "1,2,3;10,20,30", "[[1, 2, 3], [10, 20, 30]]"):
        assert main(["show", "all-reduce", "--json", "--values", values]) == 0
        results.append(json.loads(capsys.readouterr().out)["result"])
    assert results == [[[11, 22, 33]] * 2] * 3
    assert main(["show", "traffic", "--json", "--bytes", "25 MiB"]) == 0
    assert json.loads(capsys.readouterr().out)["bytes"] == 25 * 2**20
    assert main(["show", "traffic", "--bytes", "much"]) == 2
    assert "accepted: a number, or with its unit (1 KB)" in capsys.readouterr().err


def test_lint_says_which_exercise_it_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from tutor.authoring import exercises
    from tutor.authoring.lint import lint
    from tutor.authoring.new_lesson import write_lesson

    write_lesson(tmp_path / "course" / "two")
    monkeypatch.setattr(exercises, "_expect", lambda *_, **__: iter(()))  # which files, not what they do
    told: list[tuple[int, int, str]] = []
    assert lint(tmp_path / "course", progress=lambda *one: told.append(one)) == []
    assert [(done, of) for done, of, _ in told] == [(0, 1)] * len(told)
    assert [doing for *_, doing in told[:2]] == ["two_mean, solution.py", "two_mean, task.py"]
    assert len(told) == 5  # three mutants


class _Terminal:
    def __init__(self) -> None:
        self.written = ""

    def isatty(self) -> bool:
        return True

    def write(self, text: str) -> int:
        self.written += text
        return len(text)

    def flush(self) -> None:
        pass


def test_counting_keeps_to_its_line_and_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = _Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    clock = iter(range(1000))
    monkeypatch.setattr("tutor.cli.counting.time.monotonic", lambda: float(next(clock)))
    with Counting("exercises") as count:
        count(3, 16, "ring_all_reduce, \x1b[31m" + "very long " * 20)
        assert terminal.written.startswith("\r3 of 16 exercises: ring_all_reduce, ")
        assert terminal.written.rstrip().endswith("; ctrl+c stops")
        assert len(terminal.written) <= 79
        assert "\x1b" not in terminal.written
    assert terminal.written.endswith("\r" + " " * 78 + "\r")


def test_counting_says_nothing_in_a_pipe(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(1000))
    monkeypatch.setattr("tutor.cli.counting.time.monotonic", lambda: float(next(clock)))
    with Counting("exercises") as count:
        count(3, 16, "x")
    assert capsys.readouterr().err == ""
