"""`plan`: budgets, one layout explained, and models and machines of one's own."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from simlib.planner import plan as search
from tutor.cli.main import main
from tutor.own_runs import NoRuns, read

README = Path(__file__).parents[3] / "README.md"
SHAPE = "[models.x]\nlayers=2\nheads=3\nvocab=9\nsequence=8\n"
BASE = ["plan", "--model", "llama-7b", "--hardware", "h100", "--gpus", "64"]


@pytest.fixture
def own(tmp_path: Path) -> Path:
    """The file that the README shows."""
    (shown,) = re.findall(r"^```toml\n(\[models\.mine\].*?)^```$", README.read_text(encoding="utf-8"), re.M | re.S)
    file = tmp_path / "own.toml"
    file.write_text(shown, encoding="utf-8")
    return file


def test_a_budget_in_days_and_gpu_hours(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*BASE, "--tokens", "1e12", "--json"]) == 0
    first = json.loads(capsys.readouterr().out)["layouts"][0]
    steps = 1e12 / 2**20
    assert first["days"] == pytest.approx(steps * first["step_seconds"] / 86400, rel=0.01)
    assert first["gpu_hours"] == pytest.approx(first["days"] * 24 * 64)
    assert main([*BASE, "--tokens", "1 trillion", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["layouts"][0]["days"] == first["days"]
    assert main([*BASE, "--tokens", "1e12"]) == 0
    assert f"{first['days']:,.1f} days" in capsys.readouterr().out


def test_one_layout_with_its_bytes_its_seconds_and_why(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*BASE, "--layout", "40"]) == 0
    out = capsys.readouterr().out
    assert "fullest GPU" in out
    assert "activations" in out
    assert "The fastest of all: data 64 x tensor 1 x pipeline 1" in out
    assert "Left out: reading data" in out


def test_a_pinned_choice_is_held_against_the_fastest(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["plan", "--model", "megatron-1t", "--hardware", "a100", "--gpus", "3072", "--batch", "3072"]
    assert main([*arguments, "--tensor", "16"]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "tensor-parallel groups reach over the network, where an all-reduce takes" in out
    assert re.search(r"takes [\d.]+x the time", out)


def test_own_models_and_machines(own: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["plan", "--own", str(own), "--model", "mine", "--hardware", "cluster", "--gpus", "64", "--json"]
    assert main(arguments) == 0
    layouts = json.loads(capsys.readouterr().out)["layouts"]
    runs = read(own)
    again = search(runs.model("mine"), runs.machine("cluster"), 64, 256).layouts
    assert len(layouts) == len(again) > 0
    assert layouts[0]["step_seconds"] == again[0].step_seconds
    # Published ones are there beside them
    assert runs.machine("H100").memory_bytes == 80e9
    assert main(["plan", "--own", str(own), "--model", "llama-7b", "--hardware", "cluster", "--gpus", "8"]) == 0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("x = ", "is not TOML"),
        ("[things.x]\n", "[things]; accepted: [models.ID] and [machines.ID]"),
        ("models = 3\n", "models is no table of tables; accepted: [models.ID]"),
        ("[models.x]\nlayers = 2\n", "[models.x]: hidden is missing"),
        ("[models.x]\nlayer = 2\n", "[models.x]: layer; accepted: layers, hidden, heads"),
        (
            "[models.x]\nlayers=2\nhidden=10\nheads=3\nvocab=9\nsequence=8\n",
            "heads is 3; accepted: a divisor of hidden",
        ),
        (
            "[models.x]\nlayers=2\nhidden=9\nheads=3\nvocab=9\nsequence=8\ngated=1\n",
            "gated is 1; accepted: true or false",
        ),
        ("[machines.x]\nmemory_bytes = -1\n", "memory_bytes is -1; accepted: a number above 0"),
        ("[machines.x]\ngpus_per_server = 1.5\n", "gpus_per_server is 1.5; accepted: a whole number"),
        ("[machines.x]\nname = 3\n", "name is 3; accepted: a text"),
    ],
)
def test_a_file_that_cannot_be_used_is_told_in_one_line(
    text: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "own.toml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(NoRuns, match=re.escape(said)):
        read(file)
    assert main([*BASE, "--own", str(file)]) == 2
    assert "Traceback" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--own", "/nowhere/x.toml"], "No such file"),
        (["--tokens", "many"], "--tokens is 'many'; accepted: a number from 1 to 1e18"),
        (["--layout", "0"], "--layout is 0; accepted: a number from 1 to"),
    ],
)
def test_bad_input(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*BASE, *arguments]) == 2
    assert said in capsys.readouterr().err
