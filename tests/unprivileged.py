"""Runs a program under an account without rights, as learners have: under an administrator's walls prove nothing."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

NOBODY = 65534
CHECKOUT = Path(__file__).parents[1]
OURS = ("simlib", "tutor", "lessons")
PACKAGES = ("numpy", "greenlet", "platformdirs")
# What the app needs besides
OF_THE_APP = ("textual", "rich", "markdown_it", "mdit_py_plugins", "mdurl", "pygments", "typing_extensions", "fsrs")


def need(program: str) -> None:
    """Skips a test where `program` is not installed; fails it where CI says that everything must be."""
    if shutil.which(program) is None:
        if os.environ.get("CI") == "true":
            pytest.fail(f"{program} is not installed; .ci/run installs it")
        pytest.skip(f"{program} is not installed")


@contextmanager
def host(within: str = "/tmp", packages: Sequence[str] = PACKAGES) -> Iterator[Host]:
    """The project and what it needs in a folder that every account may read, gone afterwards."""
    folder = Path(tempfile.mkdtemp(prefix="worldsize-host-", dir=within))
    try:
        folder.chmod(0o755)
        yield Host(folder, packages)
    finally:
        shutil.rmtree(folder)


class Host:
    """Where another account finds the project."""

    def __init__(self, folder: Path, packages: Sequence[str] = PACKAGES) -> None:
        self.folder = folder
        self.site = folder / "site"
        for name in OURS:
            shutil.copytree(CHECKOUT / name, self.site / name, ignore=shutil.ignore_patterns("__pycache__"))
        for name in packages:
            origin = Path(str(find_spec(name).origin))  # type: ignore[union-attr]
            if origin.name != "__init__.py":
                shutil.copy2(origin, self.site / origin.name)
                continue
            origin = origin.parent
            for part in (origin, origin.with_name(f"{name}.libs")):
                if part.is_dir():
                    shutil.copytree(part, self.site / part.name, ignore=shutil.ignore_patterns("tests"))
        self.as_nobody = ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
        if os.geteuid() != 0:
            self.as_nobody = []
        self.python = self._python()

    def _python(self) -> str:
        """An interpreter of this version that the other account can start: ours may lie in a home it cannot enter."""
        version = f"{sys.version_info.major}.{sys.version_info.minor}"
        for name in (os.path.realpath(sys.executable), "/usr/bin/python3", f"/usr/bin/python{version}"):
            if not all(folder.stat().st_mode & 0o001 for folder in Path(os.path.realpath(name)).parents):
                continue
            said = subprocess.run(
                [*self.as_nobody, name, "-I", "-c", "import sys; print('%d.%d' % sys.version_info[:2])"],
                capture_output=True,
                text=True,
                check=False,
                cwd="/",
            )
            if said.stdout.strip() == version:
                return name
        pytest.fail(f"no Python {version} that another account can start; Debian's python3 would do")

    def launcher(self) -> Path:
        """A program that starts the tutor as an installed one does, with its modules compiled."""
        subprocess.run([self.python, "-I", "-m", "compileall", "-q", self.site], check=True)
        file = self.folder / "worldsize"
        start = f"import sys; sys.argv[0] = {str(file)!r}; sys.path.insert(0, {str(self.site)!r}); "
        start += "from tutor.start import main; sys.exit(main())"
        script = f'#!/bin/sh\nexec {self.python} -I -B -c "{start}" "$@"\n'
        file.write_text(script, encoding="ascii")
        file.chmod(0o755)
        return file

    def run(self, program: str) -> Any:
        """What `program` prints, as JSON; it finds the project's packages."""
        whole = f"import sys\nsys.path.insert(0, {str(self.site)!r})\n{program}"
        done = subprocess.run(
            [*self.as_nobody, self.python, "-I", "-B", "-c", whole],
            capture_output=True,
            text=True,
            check=False,
            cwd="/",
            env={"PATH": os.environ["PATH"], "HOME": "/nonexistent", "LANG": "C.UTF-8"},
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)
