"""The wheel: built, installed in an empty venv, used from another folder."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import venv
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent


def run(*command: object, cwd: Path) -> str:
    # Nothing of this checkout may leak into the empty venv
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    words = [str(word) for word in command]
    done = subprocess.run(words, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bin folder of an empty venv in which the freshly built wheel was installed with what it needs."""
    folder = tmp_path_factory.mktemp("wheel")
    run(sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder, cwd=ROOT)
    (wheel,) = folder.glob("worldsize-*.whl")
    venv.create(folder / "venv", with_pip=True)
    scripts = folder / "venv" / "bin"
    run(scripts / "python", "-m", "pip", "install", "-q", wheel, cwd=folder)
    return scripts


def test_lessons_and_show_work_from_another_folder(installed: Path, tmp_path: Path) -> None:
    listed = json.loads(run(installed / "python", "-m", "tutor", "lessons", "--json", cwd=tmp_path))
    assert [lesson["id"] for lesson in listed["lessons"]] == [
        "why",
        "collectives",
        "ring",
        "cost",
        "data",
        "zero",
        "tensor",
        "pipeline",
        "activations",
        "mfu",
        "layouts",
        "libraries",
        "mistakes",
    ]
    shown = run(installed / "worldsize", "show", "all-reduce", "--values", "[[1,2,3],[10,20,30],[100,200,300]]",
                "--json", cwd=tmp_path)  # fmt: skip
    assert json.loads(shown)["result"] == [[111, 222, 333]] * 3


def test_the_exercises_are_inside(installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TUTOR_HOME", str(tmp_path / "home"))
    for exercise in ("ring_all_reduce", "zero_bytes", "gpipe_order"):
        run(installed / "worldsize", "start", exercise, cwd=tmp_path)
        assert (tmp_path / "home" / "exercises" / f"{exercise}.py").stat().st_size > 0


@pytest.mark.parametrize("plant", ["random.py", "argparse.py", "json.py", "numpy.py", "tutor/__init__.py"])
def test_the_console_script_does_not_run_a_learners_file(installed: Path, tmp_path: Path, plant: str) -> None:
    planted = tmp_path / plant
    planted.parent.mkdir(exist_ok=True)
    planted.write_text("raise SystemExit('a planted file ran')")
    listed = run(installed / "worldsize", "lessons", "--json", cwd=tmp_path)
    assert json.loads(listed)["lessons"]


def test_neither_does_it_where_pythonpath_leads_there(
    installed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "argparse.py").write_text("raise SystemExit('a planted file ran')")
    command = [str(installed / "worldsize"), "lessons", "--json"]
    environment = os.environ | {"PYTHONPATH": str(tmp_path), "TUTOR_HOME": str(tmp_path / "home")}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["lessons"]
