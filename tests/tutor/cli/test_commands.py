"""The command line: the JSON that others rely on, exit statuses, and one line for whatever goes wrong."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest

from tutor.cli.main import main
from tutor.course.load import load

Capture = pytest.CaptureFixture[str]
VALUES = "[[1,2,3],[10,20,30],[100,200,300]]"


def ask(capsys: Capture, *argv: str, status: int = 0) -> Any:
    """The JSON that a command prints; it must end with `status`."""
    got = main([*argv, "--json"])
    captured = capsys.readouterr()
    assert got == status, captured.err
    return json.loads(captured.out)


def refused(capsys: Capture, *argv: str, status: int = 2) -> str:
    """The one line on standard error of a command that ends with `status`."""
    assert main(list(argv)) == status
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1, captured.err
    return captured.err


def test_the_ring_of_three_row_by_row(capsys: Capture) -> None:
    shown = ask(capsys, "show", "all-reduce", "--algorithm", "ring", "--workers", "3", "--values", VALUES)
    # The table of Patarasuk and Yuan's algorithm for three workers, added up by hand
    assert [step["state"] for step in shown["steps"]] == [
        [[1, 2, 303], [11, 20, 30], [100, 220, 300]],
        [[1, 222, 303], [11, 20, 333], [111, 220, 300]],
        [[111, 222, 303], [11, 222, 333], [111, 220, 333]],
        [[111, 222, 333], [111, 222, 333], [111, 222, 333]],
    ]
    assert [(step["phase"], step["step"]) for step in shown["steps"]] == [
        ("reduce-scatter", 1),
        ("reduce-scatter", 2),
        ("all-gather", 3),
        ("all-gather", 4),
    ]
    assert shown["steps"][0]["transfers"][0] == {"from": 0, "to": 1, "chunk": 0, "bytes": 8}
    assert shown["result"] == [[111, 222, 333]] * 3
    # 2 (N - 1) / N of 24 bytes
    assert shown["bytes_sent"] == [32, 32, 32]
    assert (shown["algorithm"], shown["workers"]) == ("ring", 3)


def test_reduce_scatter_by_both_ownerships(capsys: Capture) -> None:
    values = "[[1,2,3,4],[5,6,7,8],[9,10,11,12],[13,14,15,16]]"
    by_api = ask(capsys, "show", "reduce-scatter", "--values", values)
    by_ring = ask(capsys, "show", "reduce-scatter", "--values", values, "--ownership", "ring")
    assert by_api["result"] == [[28], [32], [36], [40]]
    assert by_ring["result"] == [[32], [36], [40], [28]]


def test_a_count_may_be_written_as_people_write_it(capsys: Capture) -> None:
    for typed in ("7B", "7 billion", "7000M"):
        assert ask(capsys, "show", "zero", "--params", typed, "--gpus", "8")["stages"][0]["total"] == 112e9


def test_zero_by_stage(capsys: Capture) -> None:
    shown = ask(capsys, "show", "zero", "--params", "7e9", "--gpus", "8")
    assert [stage["total"] for stage in shown["stages"]] == [112e9, 38.5e9, 26.25e9, 14e9]
    assert set(shown["stages"][0]) == {"stage", "weights", "gradients", "optimizer", "total", "sent"}
    (second,) = ask(capsys, "show", "zero", "--params", "7e9", "--gpus", "8", "--stage", "2")["stages"]
    assert second["total"] == 26.25e9


def test_the_forward_grid_of_two_stages(capsys: Capture) -> None:
    shown = ask(capsys, "show", "pipeline", "--schedule", "gpipe", "--stages", "2", "--micro-batches", "3",
                "--forward-only")  # fmt: skip
    assert shown["grid"] == [["0F0", "0F1", "0F2", None], [None, "1F0", "1F1", "1F2"]]
    assert set(shown) == {
        *("schedule", "orders", "makespan", "span", "idle", "bubble", "bubble_of_ideal"),
        *("peak_activations", "slot", "grid"),
    }
    assert shown["bubble"] == pytest.approx(2 / 8)


def test_options_may_stand_between_the_words(capsys: Capture) -> None:
    told = ask(capsys, "calc", "ring.bytes_sent", "workers=3", "--json", "bytes=24")
    assert told["value"] == 32
    assert main(["answer", "ring-how-many-steps", "--json", "14"]) in (0, 1)
    assert json.loads(capsys.readouterr().out)["question"] == "ring-how-many-steps"
    assert ask(capsys, "glossary", "all", "--course", str(load().folder), "reduce")["name"] == "all-reduce"
    assert main(["calc", "ring.bytes_sent", "workers=3", "--no", "bytes=24"]) == 2
    assert "--no" in capsys.readouterr().err


def test_the_lessons(capsys: Capture) -> None:
    found = ask(capsys, "lessons")["lessons"]
    ids = [lesson["id"] for lesson in found]
    assert ids[:6] == ["why", "collectives", "ring", "cost", "data", "zero"]
    assert ids == [lesson.id for lesson in load().lessons]
    assert all(lesson["total"] >= 7 and lesson["solved"] == 0 for lesson in found)


def test_an_answer_and_what_is_remembered_of_it(capsys: Capture) -> None:
    # 4 workers in a ring: their finished slice, by the order of the lesson, is chunk (0 + 1) mod 4: 2+6+10+14
    wrong = ask(capsys, "answer", "ring-finished-on-zero", "28", status=1)
    assert set(wrong) == {"question", "right", "value", "reason", "misconception", "hint"}
    assert wrong["misconception"] == "ring-leaves-chunk-r"
    right = ask(capsys, "answer", "ring-finished-on-zero", "32")
    assert right["right"] is True
    item = ask(capsys, "progress")["items"]["ring-finished-on-zero"]
    assert item == {"state": "solved", "tries": 2, "wrong": 1, "hints": 0}


def test_without_a_text_the_question_is_asked(capsys: Capture) -> None:
    asked = ask(capsys, "answer", "ring-which-collective")
    assert "reduce-scatter" in [option["id"] for option in asked["options"]]
    assert ask(capsys, "progress")["items"] == {}


def test_hints_have_their_figures_in(capsys: Capture) -> None:
    for _ in range(5):
        assert "{{" not in ask(capsys, "hint", "ring-chunk-to-send")["hint"]


# What arrives, added by hand: worker 0 gets 200 on 2, worker 1 gets 4 on 30, worker 2 gets 20 on 700
def test_a_table_from_standard_input(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    typed = io.TextIOWrapper(io.BytesIO(b"4 1 202\n34 20 50\n100 720 200\n"))
    monkeypatch.setattr("sys.stdin", typed)
    assert ask(capsys, "answer", "ring-first-row", "-")["right"]


def test_revealed_is_not_solved(capsys: Capture) -> None:
    assert ask(capsys, "hint", "ring-first-row")["number"] == 1
    ask(capsys, "reveal", "ring-first-row")
    assert ask(capsys, "answer", "ring-first-row", "4 1 202; 34 20 50; 100 720 200")["right"]
    assert ask(capsys, "progress")["items"]["ring-first-row"]["state"] == "revealed"


@pytest.mark.parametrize("exercise", ["ring_all_reduce", "zero_bytes", "gpipe_order"])
def test_an_exercise_from_start_to_right(capsys: Capture, exercise: str) -> None:
    started = ask(capsys, "start", exercise)
    assert started["created"]
    fresh = ask(capsys, "check", started["file"], status=1)
    assert set(fresh) == {"exercise", "passed", "cases", "error", "bill"}
    Path(started["file"]).write_text(ask(capsys, "solution", exercise)["answer"])
    assert ask(capsys, "check", started["file"])["passed"]
    assert ask(capsys, "progress")["items"][exercise]["state"] == "revealed"


def test_the_first_difference_of_a_ring_that_never_adds(capsys: Capture, tmp_path: Path) -> None:
    file = tmp_path / "ring_all_reduce.py"
    file.write_text(
        "def ring_all_reduce(arrays):\n    return [[a.copy() for a in arrays] for _ in range(2 * (len(arrays) - 1))]\n"
    )
    failed = ask(capsys, "check", str(file), status=1)
    difference = next(case for case in failed["cases"] if not case["passed"])["first_difference"]
    assert set(difference) == {"phase", "step", "worker", "chunk", "index", "expected", "got"}
    assert (difference["phase"], difference["step"]) == ("reduce-scatter", 1)
    assert difference["expected"] != difference["got"]


@pytest.mark.parametrize(
    ("argv", "names"),
    [
        (["show", "all-reduce", "--workers", "0"], ["workers", "0"]),
        (["show", "all-reduce", "--workers", "many"], ["--workers", "many"]),
        (["show", "all-reduce", "--values", "[[1,2"], ["--values"]),
        (["show", "all-reduce", "--values", "[[1,2],[3]]"], ["values"]),
        (["show", "all-reduce", "--colour", "red"], ["--colour", "accepted"]),
        (["show", "nothing"], ["nothing", "all-reduce"]),
        (["show", "all-reduce", "--steps", "9:2"], ["--steps", "9:2"]),
        (["show", "zero", "--params", "-1"], ["params", "-1"]),
        (["show", "zero", "--gpus", "2.5"], ["gpus", "2.5"]),
        (["show", "pipeline", "--schedule", "mine"], ["mine", "gpipe"]),
        (["calc", "ring.stops", "workers=3"], ["ring.stops", "ring.steps"]),
        (["calc", "ring.steps", "workers"], ["key=value"]),
        (["calc", "ring.steps", "workers=-3"], ["workers", "-3"]),
        (["calc", "ring.steps"], ["workers"]),
        (["answer", "ring-frist-row", "1"], ["ring-frist-row", "did you mean"]),
        (["answer", "ring-finished-on-zero", "lots"], ["lots"]),
        (["answer", "ring-how-many-steps@x", "1"], ["seed", "'x'"]),
        (["hint", "nothing"], ["nothing"]),
        (["start", "ring_all_reduse"], ["did you mean ring_all_reduce"]),
        (["check", "no-such-file.py", "--exercise", "zero_bytes"], ["no-such-file.py"]),
        (["check", "no-such-file.py"], ["no-such-file.py"]),
        (["check", "x.py", "--steps", "3:1"], ["--steps", "3:1"]),
        (["check", "x.py", "--steps", "all"], ["--steps", "all", "1:4"]),
        (["lessons", "--course", "no-such-folder"], ["no-such-folder"]),
        (["fly"], ["fly"]),
        (["lessons", "--fast"], ["--fast"]),
        (["--json"], ["--json"]),
        (["progress", "--import", "no-such-file"], ["no-such-file"]),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_bad_input_is_one_line_that_names_it(capsys: Capture, argv: list[str], names: list[str]) -> None:
    line = refused(capsys, *argv)
    for name in names:
        assert name in line


def test_what_was_written_out_can_be_taken_in(capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ask(capsys, "answer", "ring-finished-on-zero", "32")
    file = tmp_path / "record.json"
    assert ask(capsys, "progress", "--export", str(file))["events"] == 1
    refused(capsys, "progress", "--export", str(file))
    monkeypatch.setenv("TUTOR_HOME", str(tmp_path / "another"))
    assert ask(capsys, "progress", "--import", str(file))["added"] == 1
    assert ask(capsys, "progress", "--import", str(file))["added"] == 0
    assert ask(capsys, "progress")["items"]["ring-finished-on-zero"]["state"] == "solved"


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"events": [{}]}', '{"events": [1]}', "\x00", "[" * 100_000])
def test_a_file_that_is_no_record(capsys: Capture, tmp_path: Path, content: str) -> None:
    file = tmp_path / "record.json"
    file.write_text(content)
    assert "not a record" in refused(capsys, "progress", "--import", str(file))


def test_the_app_needs_a_terminal(capsys: Capture) -> None:
    line = refused(capsys, status=3)
    assert "terminal" in line


def test_the_pictures_of_a_pipe_hold_no_escape_and_no_wide_line(capsys: Capture) -> None:
    for argv in (
        ["show", "all-reduce", "--values", VALUES],
        ["show", "zero", "--params", "7e9", "--gpus", "8"],
        ["show", "pipeline", "--stages", "4", "--micro-batches", "8"],
    ):
        assert main(argv) == 0
        out = capsys.readouterr().out
        assert "\x1b" not in out
        assert max(len(line) for line in out.splitlines()) <= 80
        assert main([*argv, "--ascii"]) == 0
        assert capsys.readouterr().out.isascii()


def test_an_svg_is_never_written_over(capsys: Capture, tmp_path: Path) -> None:
    file = tmp_path / "ring.svg"
    assert main(["show", "all-reduce", "--values", VALUES, "--svg", str(file)]) == 0
    assert file.read_text().lstrip().startswith("<")
    capsys.readouterr()
    assert "ring.svg" in refused(capsys, "show", "all-reduce", "--values", VALUES, "--svg", str(file))


def test_the_shipped_course_has_no_mistakes(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    # The exercises are run in tests/lessons
    monkeypatch.setattr("tutor.authoring.lint.run_exercise", lambda exercise, tell: iter(()))
    assert ask(capsys, "lint")["problems"] == []


def test_the_planner_lists_what_fits_fastest_first(capsys: Capture) -> None:
    made = ask(capsys, "plan", "--model", "megatron-1t", "--hardware", "a100", "--gpus", "3072", "--batch", "3072")
    times = [layout["step_seconds"] for layout in made["layouts"]]
    assert times == sorted(times)
    assert {"data", "tensor", "pipeline", "zero", "micro_batch", "checkpointing", "bytes_per_gpu"} <= set(
        made["layouts"][0]
    )
    assert all(layout["data"] * layout["tensor"] * layout["pipeline"] == 3072 for layout in made["layouts"])
    assert sum(made["rejected"].values()) > 0
    pinned = ask(capsys, "plan", "--model", "llama-7b", "--hardware", "h100", "--gpus", "64", "--tensor", "8")
    assert {layout["tensor"] for layout in pinned["layouts"]} == {8}


@pytest.mark.parametrize(
    ("argv", "names"),
    [
        (["plan"], ["--model"]),
        (["plan", "--model", "gpt", "--hardware", "h100", "--gpus", "8"], ["'gpt'", "gpt-175b"]),
        (["plan", "--model", "llama-7b", "--hardware", "h100", "--gpus", "0"], ["gpus", "0"]),
        (["plan", "--model", "llama-7b", "--hardware", "h100", "--gpus", "8.5"], ["--gpus", "8.5"]),
        (["plan", "--model", "llama-7b", "--hardware", "h100", "--gpus", "8", "--tensor", "3"], ["tensor", "3"]),
        (["plan", "--model", "llama-7b", "--hardware", "h100", "--gpus", "8", "--top", "x"], ["--top"]),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else None,
)
def test_a_plan_that_cannot_be_made(capsys: Capture, argv: list[str], names: list[str]) -> None:
    line = refused(capsys, *argv)
    for name in names:
        assert name in line


def test_options_count_before_the_command_too(capsys: Capture, tmp_path: Path) -> None:
    assert main(["--json", "calc", "ring.steps", "workers=4"]) == 0
    assert json.loads(capsys.readouterr().out)["value"] == 6
    missing = str(tmp_path / "none")
    assert missing in refused(capsys, "--course", missing, "lessons")
    assert missing in refused(capsys, "lessons", "--course", missing)


@pytest.mark.parametrize(
    ("started", "said"),
    [("/usr/bin/worldsize", "/usr/bin/worldsize --help"), ("/x/tutor/__main__.py", "-m tutor --help")],
)
def test_the_program_is_called_as_it_was_started(
    capsys: Capture, monkeypatch: pytest.MonkeyPatch, started: str, said: str
) -> None:
    monkeypatch.setattr("sys.argv", [started])
    assert said in refused(capsys, "fly")


def test_a_question_about_a_picture_comes_with_it(capsys: Capture) -> None:
    assert main(["answer", "ring-first-row"]) == 0
    out = capsys.readouterr().out
    assert "700" in out  # worker 2's chunk 1 at the start
    assert "720" not in out  # and after the step that is asked for
    assert ask(capsys, "progress")["items"] == {}


def test_what_was_done_from_the_command_line_is_not_nothing(capsys: Capture) -> None:
    ask(capsys, "answer", "ring-finished-on-zero", "32")
    assert main(["progress"]) == 0
    assert "Nothing done yet" not in capsys.readouterr().out


def test_help_and_version(capsys: Capture) -> None:
    assert main(["show", "--help"]) == 0
    assert "all-reduce" in capsys.readouterr().out
    assert main(["--version"]) == 0
    assert capsys.readouterr().out.startswith("worldsize")


def test_the_lessons_are_listed_where_no_record_can_be_kept(
    capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("TUTOR_HOME", str(tmp_path / "file"))
    assert main(["lessons"]) == 0
    captured = capsys.readouterr()
    assert captured.out
    assert "shown without it" in captured.err
    refused(capsys, "answer", "ring-finished-on-zero", "32", status=3)


def test_the_same_wrong_answer_twice_is_one_try(capsys: Capture) -> None:
    question = next(one for one in load().questions().values() if one.kind == "number" and not one.unit)
    for _ in range(5):
        assert main(["answer", question.id, "0.123456"]) == 1
        out = capsys.readouterr().out
    assert "That is the answer you gave before." in out
    assert "The answer:" not in out
    assert main(["answer", question.id, "0.123457"]) == 1
    assert "gave before" not in capsys.readouterr().out
