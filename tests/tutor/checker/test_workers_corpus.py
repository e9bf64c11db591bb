"""Worker programs that try everything: each ends in the named kind of failure, and harms nothing."""

from __future__ import annotations

import os
import textwrap
from pathlib import Path

import pytest

from tutor.checker import Limits, check_source, isolation
from tutor.checker.isolation import Walls
from tutor.checker.verdict import CheckResult

LIMITS = Limits(cpu=3, wall=8.0)
SHORT = Limits(cpu=1, wall=2.0)  # for what only the clock ends
CHECK = """
import numpy as np

def cases(seed):
    rng = np.random.default_rng(seed)
    yield "3 workers", {"world_size": 3, "array": list(rng.integers(1, 99, (3, 6)))}, None

def expected(arguments):
    return [sum(arguments["array"])] * 3
"""
RIGHT = """
    total = array
    for other in range(1, worker.world_size):
        right, left = (worker.rank + other) % worker.world_size, (worker.rank - other) % worker.world_size
        total = total + worker.sendrecv(array, dst=right, src=left)
    return total
"""


def inside(body: str, rest: str = "return array") -> str:
    """The body as that of the program of worker 1; the others do `rest`."""
    inner = textwrap.indent(textwrap.dedent(body).strip("\n"), " " * 8)
    return f"def sum_worker(worker, array):\n    if worker.rank == 1:\n{inner}\n    {rest.strip()}\n"


def sends(value: str) -> str:
    """Worker 1 sends this."""
    return inside(f"import numpy as np\nworker.isend({value}, dst=0)")


WHOLE = "def sum_worker(worker, array):" + RIGHT
THREADS = "import threading\nfor _ in range(500):\n    threading.Thread(target=threading.Event().wait).start()"
FLOOD = "import numpy as np\nx = np.zeros(500_000)\nwhile True: worker.isend(x, dst=0)"
CAUGHT = "while True:\n    try:\n        while True: pass\n    except BaseException: pass"
HALF = """
import os, signal, time
signal.signal(signal.SIGALRM, signal.SIG_IGN)
os.write(3, bytes([16, 0, 0, 0, 0, 0, 0, 0]))
time.sleep(9)
"""
# name, source, kind, line, worker
MISTAKES = [
    ("missing", "def other(worker, array): ...", "missing_function", None, None),
    ("no worker", "def sum_worker(array): return array", "wrong_type", 1, None),
    ("generator", "def sum_worker(worker, array): yield array", "wrong_type", 1, None),
    ("syntax", "def sum_worker(worker, array:\n    return", "syntax", 1, None),
    ("at import", "\n1 / 0", "exception", 2, None),
    ("import", "import torch", "import", 1, None),
    ("nothing returned", "def sum_worker(worker, array): array + 1", "wrong_type", None, None),
    ("objects returned", "def sum_worker(worker, array): return array.astype(object)", "wrong_type", None, None),
    ("floats", WHOLE.replace("return total", "return total * 1.0"), "wrong_type", None, None),
    ("exit", inside("import sys\nsys.exit(0)"), "exit", 4, 1),
    ("os._exit", inside("import os; os._exit(0)", "worker.barrier()"), "exit", None, 1),
    ("abort", inside("import os\nos.abort()", "worker.barrier()"), "crash", 4, 1),
    ("null pointer", inside("import ctypes\nctypes.string_at(0)"), "crash", 4, 1),
    ("no memory for it", inside("import numpy as np\nreturn np.ones(10**12)"), "memory", 4, 1),
    ("a list that grows", inside("x = []\nwhile True: x.append(bytes(10_000_000))"), "memory", 4, 1),
    ("a large result", inside("import numpy as np\nreturn np.zeros(2_000_000)"), "output", None, 1),
    ("a huge message", sends("np.zeros(10**8)"), "memory", 4, 1),
    ("a message over the limit", sends("np.zeros(4_200_000)"), "output", 4, 1),
    ("messages for ever", inside(FLOOD), "output", None, 1),
    ("objects", sends("np.array([None])"), "wrong_type", 4, 1),
    ("a pickled object", sends("type('P', (), {'__reduce__': lambda self: (exit, ())})()"), "wrong_type", 4, 1),
    ("structured", sends("np.zeros(3, [('x', 'i4')])"), "wrong_type", 4, 1),
    ("long double", sends("np.zeros(3, 'g')"), "wrong_type", 4, 1),
    ("dates", sends("np.zeros(3, 'M8[s]')"), "wrong_type", 4, 1),
    ("many dimensions", sends("np.zeros((1,) * 20)"), "wrong_type", 4, 1),
    ("hundreds of threads", THREADS, "exception", 3, None),
    ("the tutor's calls", inside("worker._ask('meet', value=1)"), "forbidden", None, 1),
    ("a wait for nothing", inside("worker._ask('wait', number=5)"), "forbidden", None, 1),
    ("other arguments", inside("worker._ask('send', array=array)"), "forbidden", None, 1),
    ("private methods", inside("worker._ask('_peer', name='src', rank=1)"), "forbidden", None, 1),
    ("a dunder", inside("worker._ask('__init__', rank=1, exchange=1)"), "forbidden", None, 1),
]  # fmt: skip
SLOW = [
    ("loop", inside("while True: pass", "worker.barrier()"), "timeout", 3, 1),
    ("loop at import", "while True: pass", "timeout", 1, None),
    ("sleep", inside("import time\ntime.sleep(60)", "worker.recv(src=1)"), "timeout", 4, 1),
    ("stopped", inside("import signal\nsignal.raise_signal(signal.SIGSTOP)"), "timeout", None, 1),
    ("caught", inside(CAUGHT), "timeout", None, 1),
    ("calls for ever", "def sum_worker(worker, array):\n    while True: worker.barrier()", "timeout", None, None),
    ("prints for ever", inside("while True: print('x' * 1000)", "worker.barrier()"), "output", None, 1),
    ("never says the rest", inside(HALF, "worker.barrier()"), "timeout", None, 1),
]  # fmt: skip
FORBIDDEN = [
    ("fork", "import os\nwhile True: os.fork()"),
    ("subprocess", "import subprocess\nsubprocess.run(['true'])"),
    ("another's memory", "import os\nfor n in (1, 2, 3): open(f'/proc/{os.getpid() + n}/mem', 'rb')"),
    ("the starter's memory", "import os\nopen(f'/proc/{os.getppid()}/mem', 'rb')"),
    ("another's command", "import os\nopen(f'/proc/{os.getpid() - 1}/cmdline')"),
    ("kill another", "import os\nfor n in (1, -1): os.kill(os.getpid() + n, 9)"),
    ("kill the group", "import os\nos.killpg(0, 9)"),
    ("kill the starter", "import os\nos.kill(os.getppid(), 9)"),
    ("a socket", "import socket\nsocket.socketpair()"),
    ("a file", "open('/tmp/result.txt', 'w')"),
]
RAW = """
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
def call(name, *arguments):
    if getattr(libc, name)(*arguments) >= 0:
        raise AssertionError("it went through: " + name)
    raise PermissionError(ctypes.get_errno(), name)
"""
BELOW = {
    "another's memory": (
        "for n in range(1, 40):\n    assert libc.open(b'/proc/%d/mem' % (os.getpid() + 20 - n), 0) < 0, n\n"
        "call('open', b'/proc/self/mem', 0)"
    ),
    "the starter's memory": "call('open', b'/proc/%d/mem' % os.getppid(), 0)",
    "vm_readv": "call('process_vm_readv', os.getpid() - 1, None, 0, None, 0, 0)",
    "ptrace": "call('ptrace', 16, os.getpid() - 1, 0, 0)",
    "kill another": "call('kill', os.getpid() - 1, 9)",
    "kill the starter": "call('kill', os.getppid(), 9)",
    "kill the tutor": "call('kill', TUTOR, 0)",
    "stop all": "call('kill', -1, 19)",
    "fork": "call('fork')",
    "setsid": "call('setsid')",
    "leave the group": "call('setpgid', 0, 0)",
    "read": "call('open', b'/etc/passwd', 0)",
    "lessons": "call('open', LESSON, 0)",
    "socket": "call('socket', 1, 1, 0)",
    "more time": "call('setrlimit', 0, (ctypes.c_ulong * 2)(99, 99))",
}
EVERY_DESCRIPTOR = """
import os, json, struct
def frame(pairs, length=0):
    header = json.dumps({"value": {"dict": pairs}, "arrays": []}).encode()
    return struct.pack("<II", len(header), length) + header
def spread(data):
    for fd in range(3, 64):
        try: os.write(fd, data)
        except OSError: pass
"""
FORGED = {
    "noise": "spread(b'x' * 100)",
    "a 4 GB length": "spread(b'\\xff' * 8)",
    "done": "spread(frame([['kind', 'done']]))",
    "ready again": "spread(frame([['kind', 'ready'], ['walls', {'dict': [['seccomp', 'x']]}]]))",
    "loaded again": "spread(frame([['kind', 'loaded']]))",
    "another kind": "spread(frame([['kind', 'passed'], ['case', 0]]))",
    "no kind": "spread(frame([['case', 0]]))",
    "a call with nothing": "spread(frame([['kind', 'call'], ['call', 'send'], ['with', 5]]))",
    "a call of a list": "spread(frame([['kind', 'call'], ['call', [1]], ['with', {'dict': []}]]))",
    "half a frame": "spread(frame([['kind', 'call']])[:20]); os._exit(0)",
    "every descriptor closed": "os.closerange(3, 64); import time; time.sleep(60)",
}
TRICKS = {
    "rank": "worker.rank = 0",
    "world size": "worker.world_size = 1",
    "numpy": "import numpy; numpy.array_equal = numpy.allclose = lambda *rest: True; return array",
    "os": "import os; os.write = os.read = lambda *rest: b''; return array",
    "a result of its own": "spread(frame([['kind', 'result'], ['case', 0], ['value', 7], ['changed', []]]))",
    "not a number": "import numpy; return numpy.full(array.shape, numpy.nan)",
    "a lying array": "import numpy\nclass Yes(numpy.ndarray): __eq__ = lambda *rest: True\nreturn array.view(Yes)",
    "changes that there are not": "spread(frame([['kind', 'result'], ['value', 7], ['changed', ['x', 99, -1, None]]]))",
}


@pytest.fixture
def check(make_exercise):
    def run(source: str, limits: Limits = LIMITS) -> CheckResult:
        exercise = make_exercise(CHECK + "\ncollectives = ('all_gather',)\n", "sum_worker")
        result = check_source(source.encode(), exercise, limits=limits)
        assert not result.passed
        said = [case.reason for case in result.cases] + ([result.error.message] if result.error else [])
        assert all(text and text.isprintable() for text in said)
        return result

    return run


def rows(table):
    return pytest.mark.parametrize(
        ("source", "kind", "line", "worker"), [row[1:] for row in table], ids=[row[0] for row in table]
    )


def judged(result: CheckResult, kind: str, line: int | None, worker: int | None) -> None:
    error = result.error
    assert error is not None
    assert error.kind == kind, error
    if line is not None:
        assert error.line == line
    if worker is not None:
        assert error.worker == worker
        assert f"orker {worker}" in result.cases[0].reason


@rows(MISTAKES)
def test_mistakes(check, source: str, kind: str, line: int | None, worker: int | None) -> None:
    judged(check(source), kind, line, worker)


@rows(SLOW)
def test_what_would_never_end(check, source: str, kind: str, line: int | None, worker: int | None) -> None:
    judged(check(source, SHORT), kind, line, worker)


@pytest.mark.parametrize("walls", [None, Walls(0, False)], ids=["walls", "guard alone"])
@pytest.mark.parametrize("attempt", [row[1] for row in FORBIDDEN], ids=[row[0] for row in FORBIDDEN])
def test_what_is_not_allowed(check, monkeypatch, attempt: str, walls: Walls | None) -> None:
    if walls is not None:
        monkeypatch.setattr(isolation, "walls", lambda: walls)
    judged(check(inside(attempt, "worker.barrier()")), "forbidden", 4 if "\n" in attempt else 3, 1)


@pytest.mark.parametrize("attempt", list(BELOW.values()), ids=list(BELOW))
def test_walls_stand_between_the_workers(check, attempt: str) -> None:
    assert isolation.walls().whole, isolation.describe()
    lesson = Path(isolation.__file__).parents[2] / "lessons" / "__init__.py"
    names = f"LESSON, TUTOR = {str(lesson).encode()!r}, {os.getpid()}\n"
    judged(check(RAW + names + inside(attempt, "worker.barrier()")), "forbidden", None, 1)


@pytest.mark.parametrize("attempt", list(FORGED.values()), ids=list(FORGED))
def test_forged_messages(check, attempt: str) -> None:
    result = check(EVERY_DESCRIPTOR + inside(attempt + "\nreturn array", RIGHT), SHORT)
    assert result.error is not None
    assert (result.error.kind, result.error.worker) in (("forbidden", 1), ("output", 1)), result.error


@pytest.mark.parametrize("trick", list(TRICKS.values()), ids=list(TRICKS))
def test_nothing_a_worker_does_makes_a_wrong_result_right(check, trick: str) -> None:
    check(EVERY_DESCRIPTOR + inside(trick, RIGHT))


def test_a_collective_cannot_fill_the_tutor_s_memory(make_exercise) -> None:
    source = b"import numpy as np\ndef sum_worker(worker, array):\n    worker.all_gather(np.zeros(4_000_000))"
    roomy = Limits(data=4 << 30, cpu=9, wall=20.0)
    error = check_source(
        source, make_exercise(CHECK + "\ncollectives = ('all_gather',)\n", "sum_worker"), limits=roomy
    ).error
    assert error is not None
    assert (error.kind, error.line) == ("output", 3)
    assert error.message == "all_gather: at most 85 MiB in all go into one call"


def test_the_right_program_among_all_these_passes(make_exercise) -> None:
    result = check_source(("def sum_worker(worker, array):" + RIGHT).encode(), make_exercise(CHECK, "sum_worker"))
    assert result.passed, result


def test_a_forged_call_is_counted_as_the_worker_s_own(make_exercise) -> None:
    """A worker can only make its own calls: bytes sent in the name of another are its own, or nothing."""
    source = EVERY_DESCRIPTOR + inside("worker.rank = 0\nworker.send(array, dst=1)", RIGHT)
    error = check_source(source.encode(), make_exercise(CHECK, "sum_worker"), limits=LIMITS).error
    assert error is not None
    assert (error.kind, error.worker) == ("exception", 1)
    assert "dst is 1; accepted: a rank from 0 to 2, other than its own (1)" in error.message


def test_each_worker_holds_one_socket_and_nothing_of_the_others(check) -> None:
    look = "import os, stat\nfor fd in range(3, 64):\n    try: print(fd, stat.filemode(os.fstat(fd).st_mode)[0])\n"
    result = check(look + "    except OSError: pass\n")
    assert result.output.splitlines() == [f"worker {rank}: 3 s" for rank in range(3)]


def test_a_worker_that_slips_away_is_ended(check, monkeypatch) -> None:
    monkeypatch.setattr(isolation, "walls", lambda: Walls(0, False))
    slip = """
        import ctypes
        libc = ctypes.CDLL(None)
        if libc.fork() == 0:
            libc.setsid()
            if libc.fork() == 0:
                while True:
                    libc.sleep(1)
            libc._exit(0)
        libc.kill(libc.getppid(), 9)
    """
    assert check(inside(slip, "worker.barrier()")).error is not None


@pytest.mark.parametrize("name", ["\x1b[31mred\x1b[0m", "\x9b31m", "\u202egnirts", "line\nbreak", "\udcff"])
def test_names_and_messages_are_made_safe(check, name: str) -> None:
    source = f"print({name!r})\n" + inside(f"worker.isend(type({name!r}, (), {{}})(), dst=0)")
    result = check(source)
    assert result.error is not None
    # Python itself makes no class of the last of these names
    assert result.error.kind == ("exception" if name == "\udcff" else "wrong_type")
    assert all(character.isprintable() or character == "\n" for character in result.output)
    raised = check(inside(f"worker.rank = 0\nraise type({name!r}, (Exception,), {{}})({name!r})"))
    assert raised.error is not None
    assert (raised.error.kind, raised.error.worker) == ("exception", 1)
