"""The box for a class: it holds, as an account without rights sees it, and without one nothing is run."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tutor.checker import CouldNotCheck, Limits, box, check_source, isolation, proof

sys.path.insert(0, str(Path(__file__).parents[2]))
from unprivileged import Host, host, need

CORPUS = {
    "a loop": "while True: pass",
    "an exit": "import os\nos._exit(3)",
    "an abort": "import os\nos.abort()",
    "a crash": "import ctypes\nctypes.string_at(0)",
    "memory": "x = bytearray(1 << 40)",
    "a file": "def double(array): return open('/etc/passwd').read()",
    "a program": "import subprocess\ndef double(array): return subprocess.run(['id'])",
    "threads": "import threading, time\nfor _ in range(500): threading.Thread(target=time.sleep, args=(9,)).start()",
}
CHECK = """
import json, tempfile
from pathlib import Path
from tutor.checker import Limits, check_source, spare
from tutor.course.model import Exercise, Place
folder = Path(tempfile.mkdtemp())
(folder / "check.py").write_text(CHECK_PY)
exercise = Exercise(NAME, NAME, folder, "", (), "", Place(folder, 1))
def kind(source):
    result = check_source(source.encode(), exercise, limits=Limits.of_class())
    return "right" if result.passed else result.error.kind if result.error else "wrong"
"""


@pytest.fixture(scope="module")
def learner() -> Iterator[Host]:
    need("bwrap")
    if isolation.os.geteuid() == 0:
        need("setpriv")
    with host() as there:
        yield there


def test_what_is_tried_beneath_python_fails_in_the_box(learner: Host) -> None:
    program = "import json\nfrom tutor.checker import Limits, proof\n"
    program += "print(json.dumps([proof.why_no_box(), proof.holes(Limits.of_class()), proof.holes(Limits())]))"
    assert learner.run(program) == ["", [], []]


def test_the_box_holds_by_itself_all_but_what_ends_with_it(learner: Host) -> None:
    """Without Landlock and seccomp a process can be started, inside the box's own namespace, and nothing else done."""
    program = "import json\nfrom tutor.checker import Limits, isolation, proof\n"
    program += "isolation.walls = lambda: isolation.Walls(0, False)\n"
    program += "print(json.dumps([proof.holes(Limits.of_class()), proof.holes(Limits())]))"
    boxed, open_ = learner.run(program)
    assert boxed == ["process"]
    # The tutor's memory is kept from its own account by the tutor itself
    assert open_ == [name for name in proof.ATTEMPTS if name != "memory"]


def test_every_file_ends_as_it_does_without_a_box(learner: Host) -> None:
    check = 'def cases(seed):\n    yield "one", {"array": [1, 2]}, None\n\ndef expected(a):\n    return [2, 4]\n'
    program = f"CHECK_PY, NAME = {check!r}, 'double'\n{CHECK}\n"
    program += "sources = " + repr({"right": "def double(array): return [2 * x for x in array]", **CORPUS})
    program += "\nprint(json.dumps({name: kind(source) for name, source in sources.items()}))"
    assert learner.run(program) == {
        "right": "right",
        "a loop": "timeout",
        "an exit": "exit",
        "an abort": "crash",
        "a crash": "crash",
        "memory": "memory",
        "a file": "forbidden",
        "a program": "forbidden",
        "threads": "exception",
    }


def test_workers_and_spares_stand_in_a_box(learner: Host) -> None:
    check = 'def cases(seed):\n    yield "two", {"world_size": 2, "array": [1, 2]}, None\n\n'
    check += 'def expected(a):\n    return list(a["array"])\n'
    program = f"CHECK_PY, NAME = {check!r}, 'pass_on_worker'\n{CHECK}\n"
    program += "import time\nspare.keep(Limits.of_class(), workers=True)\n"
    program += "while not spare.ready(workers=True): time.sleep(0.01)\n"
    program += "sources = ['def pass_on_worker(worker, array): return array',\n"
    program += "    'def pass_on_worker(worker, array): return worker.recv(src=1 - worker.rank)']\n"
    program += "print(json.dumps([kind(source) for source in sources * 2]))"
    assert learner.run(program) == ["right", "deadlock"] * 2


def test_an_administrator_runs_nothing(make_exercise: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(box.os, "geteuid", lambda: 0)
    monkeypatch.setattr(proof, "why_no_box", proof.why_no_box.__wrapped__)
    with pytest.raises(CouldNotCheck, match=r"checks are off: this host cannot isolate .*administrator.* doctor`"):
        check_source(b"def double(array): return 2 * array", make_exercise(), limits=Limits.of_class())


def test_without_bubblewrap_nothing_is_run(make_exercise: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(box.os, "geteuid", lambda: 1000)
    monkeypatch.setattr(box.shutil, "which", lambda name: None)
    monkeypatch.setattr(proof, "why_no_box", proof.why_no_box.__wrapped__)
    with pytest.raises(CouldNotCheck, match="bubblewrap is not installed"):
        check_source(b"def double(array): return 2 * array", make_exercise(), limits=Limits.of_class())


def test_a_box_with_a_hole_is_none(make_exercise: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(box, "refusal", lambda: "")
    monkeypatch.setattr(proof, "holes", lambda limits: ("read", "udp"))
    monkeypatch.setattr(proof, "why_no_box", proof.why_no_box.__wrapped__)
    with pytest.raises(CouldNotCheck, match=r"a file in the box reads a file of yours, sends to a port"):
        check_source(b"def double(array): return 2 * array", make_exercise(), limits=Limits.of_class())


def test_the_attempts_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(isolation, "walls", lambda: isolation.Walls(0, False))
    assert proof.holes.__wrapped__(Limits()) == tuple(proof.ATTEMPTS)
    monkeypatch.undo()
    assert proof.holes.__wrapped__(Limits()) == ()


def test_folders_of_packages_are_emptied_and_outer_folders_come_first() -> None:
    lib = str(Path(proof.__file__).parents[2])
    mounts = box._mounts((f"{lib}/tutor/checker", lib))
    assert mounts.index(lib) < mounts.index(f"{lib}/tutor/checker")
