"""The rules of the house: formatting, types, and which room may import which."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def run(*command: str) -> subprocess.CompletedProcess[str]:
    scripts = Path(sys.executable).parent
    environment = os.environ | {"PATH": f"{scripts}{os.pathsep}{os.environ.get('PATH', '')}"}
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    "command",
    [
        ("ruff", "check", "."),
        ("ruff", "format", "--check", "."),
        ("mypy",),
        ("lint-imports",),
    ],
    ids=" ".join,
)
def test_the_tool_finds_nothing(command: tuple[str, ...]) -> None:
    done = run(*command)
    assert done.returncode == 0, done.stdout + done.stderr


def test_the_top_level_holds_only_what_the_design_names() -> None:
    done = run("git", "ls-files")
    assert done.returncode == 0, done.stderr
    top = {line.split("/")[0] for line in done.stdout.splitlines()}
    assert top <= {
        *("pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md"),
        *(".ci", ".gitignore", ".gitattributes", "uv.lock"),
        *("tutor", "lessons", "simlib", "tests"),
    }


def imports(body: Iterable[ast.stmt]) -> Iterator[str]:
    """The modules that statements import when they run, in their order."""
    for statement in body:
        match statement:
            case ast.Import():
                yield from (alias.name for alias in statement.names)
            case ast.ImportFrom(module=str(module)):
                yield module
            case ast.If() if "TYPE_CHECKING" in ast.unparse(statement.test):
                pass
            case _:
                yield from imports(child for child in ast.iter_child_nodes(statement) if isinstance(child, ast.stmt))


@pytest.mark.parametrize("room", ["simlib", "tutor", "lessons"])
def test_numpy_s_parts_are_imported_after_numpy_itself(room: str) -> None:
    """A part does not wait for another thread that is still importing the whole, and finds half of it."""
    for file in sorted((ROOT / room).rglob("*.py")):
        names = [name for name in imports(ast.parse(file.read_text(encoding="utf-8")).body) if name.startswith("numpy")]
        assert not names or names[0] == "numpy", file


def imported_by(code: str) -> set[str]:
    """The top-level and dotted module names that are loaded after `code` ran in a fresh interpreter."""
    done = run(sys.executable, "-c", f"{code}\nimport sys; print(*sys.modules)")
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split("\n")[-2].split())


def test_the_command_line_imports_no_textual() -> None:
    modules = imported_by("from tutor.cli.main import main\nmain(['lessons'])\nmain(['show', 'zero'])")
    assert "tutor.cli.reading" in modules
    assert "textual" not in modules


@pytest.mark.parametrize("name", ["simlib", "simlib.quantities", "simlib.zero", "simlib.pipeline.formulas"])
def test_closed_forms_wait_for_no_numpy(name: str) -> None:
    assert "numpy" not in imported_by(f"import {name}")
