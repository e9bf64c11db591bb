"""Files that try everything: each ends in the named kind of failure, and harms nothing."""

from __future__ import annotations

import os
import socket
import textwrap
from pathlib import Path

import pytest

from tutor.checker import Limits, check_source, isolation
from tutor.checker.isolation import Walls
from tutor.checker.verdict import CheckResult

LIMITS = Limits(cpu=1, wall=2.0)
CALL = "def double(array):\n"


def inside(body: str) -> str:
    """The body as that of the function."""
    return CALL + textwrap.indent(textwrap.dedent(body).strip("\n"), "    ") + "\n"


# name, source, kind, line
MISTAKES = [
    ("missing", "def other(array): ...\ndef helper(): ...", "missing_function", None),
    ("empty", "", "missing_function", None),
    ("comments alone", "# nothing yet", "missing_function", None),
    ("renamed", "def Double(array): return 2 * array", "missing_function", None),
    ("async", "async def double(array): return 2 * array", "wrong_type", 1),
    ("async generator", "async def double(array): yield 2 * array", "wrong_type", 1),
    ("generator", "import os\ndef double(array): yield 2 * array", "wrong_type", 2),
    ("class", "class double: ...", "wrong_type", None),
    ("value", "double = 2", "wrong_type", None),
    ("two parameters", "def double(array, factor): return 2 * array", "wrong_type", 1),
    ("no parameter", "def double(): return 2", "wrong_type", 1),
    ("keyword only", "def double(*, array): return 2 * array", "wrong_type", 1),
    ("nothing returned", inside("array * 2"), "wrong_type", None),
    ("a list", inside("return [2 * x for x in array]"), "wrong_type", None),
    ("a scalar", inside("return 2 * array[0]"), "wrong_type", None),
    ("floats", inside("return 2.0 * array"), "wrong_type", None),
    ("bool for number", inside("return array > 0"), "wrong_type", None),
    ("object array", inside("return (2 * array).astype(object)"), "wrong_type", None),
    ("long double", inside("import numpy as np; return np.longdouble(2) * array"), "wrong_type", None),
    ("structured", inside("import numpy as np; return np.zeros(3, [('x', 'i4')])"), "wrong_type", None),
    ("huge integer", inside("return 10 ** 5000"), "wrong_type", None),
    ("deep lists", inside("x = []\nfor _ in range(100000): x = [x]\nreturn x"), "wrong_type", None),
    ("a list in itself", inside("x = []; x.append(x); return x"), "wrong_type", None),
    ("wrong shape", inside("return 2 * array[:, None]"), "wrong_shape", None),
    ("syntax", "x = 1\ndef double(array:\n    return", "syntax", 2),
    ("indentation", "def double(array):\nreturn 2", "syntax", 2),
    ("tabs and spaces", "def double(array):\n        x = 1\n\treturn 2", "syntax", 3),
    ("no module", "import numpy\nimport torch", "import", 2),
    ("no name", "from numpy import nothing_of_the_kind", "import", 1),
    ("the engine", "import simlib", "import", 1),
    ("the checker", "import inside", "import", 1),
    ("exception", inside("x = 1\nreturn array[5]"), "exception", 3),
    ("at import", "\n1 / 0", "exception", 2),
    ("no exit", "raise KeyboardInterrupt", "exception", 1),
    ("recursion", inside("return double(array)"), "exception", 2),
    ("exit", "import sys\nsys.exit(0)", "exit", 2),
    ("exit in the function", inside("exit()"), "exit", 2),
    ("a bare exit", "raise SystemExit", "exit", 1),
    ("os._exit", inside("import os; os._exit(0)"), "exit", None),
    ("os._exit 3", "import os; os._exit(3)", "exit", None),
    ("no memory for it", inside("import numpy as np\nreturn np.ones(10**12)"), "memory", 3),
    ("8 GB", inside("return bytearray(8 << 30)"), "memory", 2),
    ("abort", "import os\nos.abort()", "crash", 2),
    ("null pointer", inside("import ctypes\nctypes.string_at(0)"), "crash", 3),
    ("400 MB result", inside("import numpy as np\nreturn np.zeros(50_000_000)"), "output", None),
    ("33 MB result", inside("import numpy as np\nreturn np.zeros(4_200_000)"), "output", None),
    ("many parts", inside("return [0] * 1_000_000"), "output", None),
]
SLOW = [
    ("loop", inside("while True: pass"), "timeout", 2),
    ("loop at import", "while True: pass", "timeout", 1),
    ("sleep", inside("import time\ntime.sleep(60)"), "timeout", 3),
    ("huge power", inside("return 9 ** 9 ** 9"), "timeout", None),
    (
        "caught",
        inside("while True:\n    try:\n        while True: pass\n    except BaseException: pass"),
        "timeout",
        None,
    ),
    ("stopped", "import signal\nsignal.raise_signal(signal.SIGSTOP)", "timeout", None),
    (
        "signals ignored",
        "import signal\nsignal.signal(signal.SIGXCPU, signal.SIG_IGN)\nsignal.signal(signal.SIGALRM, signal.SIG_IGN)\n"
        "while True: pass",
        "timeout",
        None,
    ),
    ("print for ever", inside("while True: print('x' * 1000)"), "output", None),
    (
        "a message that never ends",
        "class Slow(Exception):\n    def __str__(self):\n        while True: pass\nraise Slow",
        "timeout",
        None,
    ),
    ("a list that grows", inside("x = []\nwhile True: x.append(bytes(10_000_000))"), "memory", 3),
]
FORBIDDEN = [
    ("input", inside("return input()"), 2),
    ("read", "open('/etc/passwd')", 1),
    ("read by os", "import os\nos.open('/etc/passwd', os.O_RDONLY)", 2),
    ("read by numpy", "import numpy as np\nnp.fromfile('/etc/passwd')", 2),
    ("write", inside("open('result.txt', 'w')"), 2),
    ("append", inside("open('/tmp/result.txt', 'a')"), 2),
    ("save", inside("import numpy as np\nnp.save('/tmp/result', array)"), 3),
    ("remove", "import os\nos.remove('/tmp/nothing')", 2),
    ("remove a folder", "import os\nos.rmdir('/tmp/nothing-here')", 2),
    ("chmod", "import os\nos.chmod('/tmp', 0o777)", 2),
    ("database", "import sqlite3\nsqlite3.connect('/tmp/x.db')", 2),
    ("TCP", "import socket\nsocket.create_connection(('127.0.0.1', 9))", 2),
    ("UDP", "import socket\nsocket.socket(socket.AF_INET, socket.SOCK_DGRAM)", 2),
    ("abstract socket", "import socket\nsocket.socket(socket.AF_UNIX)", 2),
    ("names", "import socket\nsocket.getaddrinfo('localhost', 80)", 2),
    ("fork", "import os\nwhile True: os.fork()", 2),
    ("subprocess", "import subprocess\nsubprocess.run(['true'])", 2),
    ("system", "import os\nos.system('true')", 2),
    ("exec", "import os\nos.execv('/bin/true', ['true'])", 2),
    ("kill", "import os, signal\nos.kill(os.getppid(), signal.SIGTERM)", 2),
    ("kill all", "import os\nos.kill(-1, 9)", 2),
    ("multiprocessing", "import multiprocessing\nmultiprocessing.Process(target=print).start()", 2),
    ("memory of the tutor", "import os\nopen(f'/proc/{os.getppid()}/mem', 'rb')", 2),
]
EVERY_DESCRIPTOR = """
import os, json, struct
for fd in range(3, 64):
    try:
        os.write(fd, BYTES)
    except OSError:
        pass
"""
FRAME = """
import json, struct
header = json.dumps({"value": {"dict": PAIRS}, "arrays": []}).encode()
BYTES = struct.pack("<II", len(header), 0) + header
"""
ARRAY = """
import json, struct
pairs = [["kind", "result"], ["case", {"array": 0}], ["value", 1]]
header = json.dumps({"value": {"dict": pairs}, "arrays": [["<i8", [2]]]}).encode()
BYTES = struct.pack("<II", len(header), 16) + header + bytes(16)
"""
FORGED = {
    "noise": "BYTES = b'x' * 100" + EVERY_DESCRIPTOR,
    "a 4 GB length": "BYTES = b'\\xff' * 8" + EVERY_DESCRIPTOR,
    "done before its time": "PAIRS = [['kind', 'done']]" + FRAME + EVERY_DESCRIPTOR,
    "a case that there is not": "PAIRS = [['kind', 'result'], ['case', 7], ['value', 1]]" + FRAME + EVERY_DESCRIPTOR,
    "an array for a case": ARRAY + EVERY_DESCRIPTOR,
    "no kind": "PAIRS = [['case', 0], ['value', 1]]" + FRAME + EVERY_DESCRIPTOR,
    "another kind": "PAIRS = [['kind', 'passed'], ['case', 0]]" + FRAME + EVERY_DESCRIPTOR,
    "half a frame": "import os\nBYTES = b'\\x40\\0\\0\\0\\0\\0\\0\\0{'" + EVERY_DESCRIPTOR + "os._exit(0)",
    "every descriptor closed": "import os, time\nos.closerange(3, 64)\ntime.sleep(60)",
}
# reaches the system below Python's own functions, where the guard does not look
RAW = """
    import ctypes
    libc = ctypes.CDLL(None, use_errno=True)
    def call(name, *arguments):
        if getattr(libc, name)(*arguments) >= 0:
            raise AssertionError("it went through: " + name)
        raise PermissionError(ctypes.get_errno(), name)
"""
BELOW = {
    "read": "call('open', b'/etc/passwd', 0)",
    "lessons": "call('open', LESSON, 0)",
    "write": "call('open', CANARY, 1)",
    "create": "call('open', CANARY + b'2', 0o101, 0o600)",
    "remove": "call('unlink', CANARY)",
    "rename": "call('rename', CANARY, CANARY + b'2')",
    "chmod": "call('chmod', CANARY, 0)",
    "mkdir": "call('mkdir', CANARY + b'2', 0o700)",
    "TCP": "call('socket', 2, 1, 0)",
    "UDP": "call('socket', 2, 2, 0)",
    "unix": "call('socket', 1, 1, 0)",
    "fork": "call('fork')",
    "setsid": "call('setsid')",
    "exec": "call('execv', b'/bin/true', None)",
    "kill": "call('kill', PARENT, 0)",
    "kill all": "call('kill', -1, 9)",
    "ptrace": "call('ptrace', 0x4206, PARENT, 0, 0)",
    "read memory": "call('open', b'/proc/%d/mem' % PARENT, 0)",
    "memory file": "call('memfd_create', b'x', 0)",
    "more time": "call('setrlimit', 0, (ctypes.c_ulong * 2)(99, 99))",
}


@pytest.fixture
def check(make_exercise):
    def run(source: str) -> CheckResult:
        result = check_source(source.encode(), make_exercise(), limits=LIMITS)
        assert not result.passed
        said = [case.reason for case in result.cases] + ([result.error.message] if result.error else [])
        assert all(text and text.isprintable() for text in said)
        assert len(result.output) <= 4 * LIMITS.output_kept
        return result

    return run


@pytest.fixture
def canary(tmp_path: Path) -> Path:
    file = tmp_path / "canary"
    file.write_text("alive")
    return file


@pytest.mark.parametrize(("source", "kind", "line"), [row[1:] for row in MISTAKES], ids=[row[0] for row in MISTAKES])
def test_mistakes(check, source: str, kind: str, line: int | None) -> None:
    error = check(source).error
    assert error is not None
    assert error.kind == kind, error.message
    if line is not None:
        assert error.line == line


@pytest.mark.parametrize(("source", "kind", "line"), [row[1:] for row in SLOW], ids=[row[0] for row in SLOW])
def test_what_would_never_end(check, source: str, kind: str, line: int | None) -> None:
    error = check(source).error
    assert error is not None
    assert error.kind == kind, error.message
    if line is not None:
        assert error.line == line


@pytest.mark.parametrize("walls", [None, Walls(0, False)], ids=["walls", "guard alone"])
@pytest.mark.parametrize(("source", "line"), [row[1:] for row in FORBIDDEN], ids=[row[0] for row in FORBIDDEN])
def test_what_is_not_allowed(check, monkeypatch, source: str, line: int, walls: Walls | None) -> None:
    if walls is not None:
        monkeypatch.setattr(isolation, "walls", lambda: walls)
    error = check(source).error
    assert error is not None
    assert (error.kind, error.line) == ("forbidden", line), error.message


@pytest.mark.parametrize("source", list(FORGED.values()), ids=list(FORGED))
def test_forged_answers(check, source: str) -> None:
    result = check(source + "\n" + inside("return 2 * array"))
    assert result.error is not None
    assert result.error.kind in ("forbidden", "output"), result.error.message


@pytest.mark.parametrize("attempt", list(BELOW.values()), ids=list(BELOW))
def test_walls_stand_below_the_guard(check, canary: Path, attempt: str) -> None:
    assert isolation.walls().whole, isolation.describe()
    lesson = Path(isolation.__file__).parents[2] / "lessons" / "__init__.py"
    names = f"CANARY, LESSON, PARENT = {str(canary).encode()!r}, {str(lesson).encode()!r}, {os.getpid()}"
    error = check(textwrap.dedent(RAW) + names + "\n" + attempt).error
    assert error is not None
    assert error.kind == "forbidden", error.message
    assert canary.read_text() == "alive"
    assert [file.name for file in canary.parent.iterdir() if "canary" in file.name] == ["canary"]


def test_a_process_that_slips_away_is_ended(check, monkeypatch) -> None:
    monkeypatch.setattr(isolation, "walls", lambda: Walls(0, False))
    slip = """
        libc = ctypes.CDLL(None)
        if libc.fork() == 0:
            libc.setsid()
            if libc.fork() == 0:
                while True:
                    libc.sleep(1)
            libc._exit(0)
    """
    error = check("import ctypes\n" + textwrap.dedent(slip)).error
    assert error is not None


def test_descriptors_of_the_tutor_are_not_inherited(check) -> None:
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        os.set_inheritable(listening.fileno(), True)
        found = check(
            "import os, stat\nfor fd in range(64):\n    try: print(stat.filemode(os.fstat(fd).st_mode))\n"
            "    except OSError: pass"
        )
        assert "p" in found.output
        assert "s" not in found.output


@pytest.mark.parametrize(
    "trick",
    [
        "numpy.allclose = numpy.array_equal = lambda *rest: True",
        "import json; json.dumps = json.loads = lambda *rest, **more: None",
        "import json; json.JSONEncoder = json.JSONDecoder = None",
        "numpy.ndarray.__eq__ if False else None; numpy.array = numpy.ascontiguousarray = None",
        "import builtins; builtins.isinstance = lambda *rest: True",
        "import builtins; builtins.len = lambda *rest: 0",
        "import os; os.write = lambda *rest: 0",
        "import sys; sys.modules.clear()",
        "import sys; sys.stdout = sys.stderr = None",
        "import atexit; atexit.register(print, 'late')",
        "import gc\nfor thing in gc.get_objects():\n    if type(thing).__name__ == 'Run': thing._job['cases'].clear()",
        "import threading; threading.Thread(target=threading.Event().wait).start()",
        "def double(array):\n    class Yes:\n        __eq__ = __bool__ = lambda *rest: True\n    return Yes()",
        "def double(array):\n    class Yes(int):\n        __eq__ = lambda *rest: True\n    return Yes()",
        "def double(array):\n    class Yes(numpy.ndarray):\n        __eq__ = lambda *rest: True\n"
        "    return numpy.zeros_like(array).view(Yes)",
        "def double(array):\n    class Pickled:\n        def __reduce__(self): return exit, ()\n    return Pickled()",
        "def double(array): return numpy.full(array.shape, numpy.nan)",
    ],
)
def test_nothing_replaced_makes_a_wrong_result_right(check, trick: str) -> None:
    check("import numpy\n" + inside("return 3 * array") + trick)


@pytest.mark.parametrize(
    "name",
    ["\x1b[31mred\x1b[0m", "\x9b31m", "\u202egnirts", "[bold]not markup[/bold]", "line\nbreak", "\udcff", "bell\a"],
)
def test_names_and_messages_are_made_safe(check, name: str) -> None:
    result = check(f"print({name!r})\nraise type({name!r}, (Exception,), {{}})({name!r})")
    assert result.error is not None
    assert result.error.kind == "exception"
    assert all(character.isprintable() or character == "\n" for character in result.output)


def test_a_long_message_is_cut(check) -> None:
    result = check("raise type('E' * 10**6, (Exception,), {})('x' * 10**6)")
    assert len(result.error.message) < 3000


def test_hundreds_of_threads_end_with_the_check(check) -> None:
    start = "threading.Thread(target=threading.Event().wait).start()"
    error = check(f"import threading\nfor _ in range(500): {start}").error
    assert error.kind in ("exception", "memory", "missing_function")


@pytest.mark.parametrize("walls", [None, Walls(0, False)], ids=["walls", "guard alone"])
def test_the_answers_cannot_be_imported_or_read(check, monkeypatch, walls: Walls | None) -> None:
    if walls is not None:
        monkeypatch.setattr(isolation, "walls", lambda: walls)
    root = Path(isolation.__file__).parents[2]
    engine = check(f"import sys\nsys.path.append({str(root)!r})\nimport simlib.collectives").error
    assert (engine.kind, engine.line) in (("import", 3), ("forbidden", 3)), engine
    solution = check(f"open({str(root / 'lessons/ring/exercises/ring_all_reduce/solution.py')!r})").error
    assert (solution.kind, solution.line) == ("forbidden", 1)


def test_what_is_printed_is_kept_apart_and_capped(make_exercise) -> None:
    source = "import sys\nprint('one')\nprint('two', end='', file=sys.stderr)\n" + inside("return 2 * array")
    result = check_source(source.encode(), make_exercise())
    assert result.passed
    assert result.output == "one\ntwo"
    flood = check_source(("print('x' * 200_000)\n" + inside("return 2 * array")).encode(), make_exercise())
    assert flood.passed
    kept, _, said = flood.output.rpartition("\n")
    assert len(kept) == LIMITS.output_kept
    assert said == "(More than 64 KiB were printed: the rest is not kept.)"
