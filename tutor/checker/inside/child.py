"""Runs one learner's file: sets up, waits for a job, calls the function case by case, sends what it returned.

Nothing here knows what is right. Messages go out on a descriptor of their own; what the file prints
goes to another. Every message is a frame (`frames`) of a dict with a `kind`:

ready       before any of the learner's code: which walls stand
result      of one case: the value, and the positions of arguments that the function changed
raised      of one case, or of the file itself (case None)
refused     the function cannot be called at all: missing, async, a class, other parameters
done        every case was called
"""

from __future__ import annotations

import builtins
import faulthandler
import os
import signal
import sys
import types
from collections.abc import Callable, Mapping
from typing import Any

_MODULE = "your_file"
_MESSAGE = 2000
_END_OF_TRACE = 4  # calls that are told of each end of a long chain
TIME_OVER, BROKEN = 71, 70  # exit codes
_VARARGS, _GENERATOR, _COROUTINE, _ASYNC_GENERATOR = 0x04, 0x20, 0x80, 0x200


class TimeLimit(BaseException):
    """Raised where the learner's file stands when its time is over; `clock` is "cpu" or "wall"."""

    def __init__(self, clock: str) -> None:
        self.clock = clock


def main() -> None:
    """The whole life of the process; never returns."""
    results = os.dup(1)
    os.dup2(2, 1)
    from . import frames, guard, walls

    # NumPy is here now; a learner's `import` finds the standard library and what is loaded, nothing beside them
    del sys.path[-2:], sys.argv[1:]
    connection = Connection(results, frames)
    setup = connection.read()
    nothing = os.open(os.devnull, os.O_RDONLY)
    steady_output()
    faulthandler.enable()
    walls.limit(setup["limits"])
    standing = walls.close_in(setup["walls"])
    guard.install(guard.real_paths(setup["readable"]))
    connection.send({"kind": "ready", "walls": standing})
    job = connection.read()
    os.dup2(nothing, 0)
    forget_ourselves()
    stop = leaving(sys.stdout, sys.stderr)
    status = 0
    try:
        start_clocks(setup["limits"]["wall"])
        Run(job, setup["limits"]["result"], connection, frames, guard.Forbidden).all_cases()
    except BaseException as error:
        # a limit reached between two of the learner's lines, or a learner's file that broke this program
        status = TIME_OVER if isinstance(error, TimeLimit) else BROKEN
    finally:
        stop(status)


class Connection:
    """Frames in from a descriptor, by default stdin, and out on the result descriptor."""

    def __init__(self, results: int, frames: types.ModuleType, source: int = 0) -> None:
        self._results = results
        self._source = source
        self._frames = frames
        self._read, self._write = os.read, os.write

    def read(self) -> Any:
        start = self._exactly(8)
        header, body = self._frames.lengths(start, 1 << 32)
        return self._frames.decode(self._exactly(header), self._exactly(body))

    def _exactly(self, count: int) -> bytes:
        parts = []
        while count:
            part = self._read(self._source, min(count, 1 << 20))
            if not part:
                os._exit(0)  # the tutor is gone
            parts.append(part)
            count -= len(part)
        return b"".join(parts)

    def send(self, message: Mapping[str, Any]) -> None:
        self.send_frame(self._frames.encode(message))

    def send_frame(self, frame: bytes) -> None:
        rest = memoryview(frame)
        while rest:
            rest = rest[self._write(self._results, rest) :]


class Run:
    """One job: the learner's source, the function's name and the arguments of each case."""

    def __init__(
        self,
        job: Mapping[str, Any],
        most: int,
        connection: Connection,
        frames: types.ModuleType,
        forbidden: type[Exception],
    ) -> None:
        self._job = job
        self._connection = connection
        self._frames = frames
        self._forbidden = forbidden
        self._file = job["file"]
        self._most = most
        self._streams = (sys.stdout, sys.stderr)  # the learner's file may put others in their place

    def all_cases(self) -> None:
        function = self.load(len(self._job["cases"][0]))
        if function is not None:
            for number, arguments in enumerate(self._job["cases"]):
                self.call(function, number, arguments)
        self.flush()
        self._connection.send({"kind": "done"})

    def flush(self) -> None:
        """What was printed goes out."""
        for stream in self._streams:
            stream.flush()

    def load(self, given: int) -> Callable[..., Any] | None:
        """The learner's function, which can be called with `given` arguments; or None, and why not has been sent."""
        module = types.ModuleType(_MODULE)
        module.__file__ = self._file
        sys.modules[_MODULE] = module
        try:
            code = compile(self._job["source"].tobytes().decode("utf-8"), self._file, "exec", dont_inherit=True)
            exec(code, module.__dict__)
        except BaseException as error:
            self._raised(None, error)
            return None
        name = self._job["function"]
        if name not in module.__dict__:
            defined = [key for key, value in module.__dict__.items() if getattr(value, "__module__", "") == _MODULE]
            self._connection.send({"kind": "refused", "why": "missing", "defined": defined[:50]})
            return None
        function = module.__dict__[name]
        refusal = _refusal(function, given, self._frames.article)
        if refusal:
            self._connection.send({"kind": "refused", **refusal})
            return None
        return function  # type: ignore[no-any-return]

    def call(self, function: Callable[..., Any], number: int, arguments: list[Any], *first: Any) -> None:
        """Calls it for case `number` with `first` and the case's arguments, and sends what comes of it."""
        encode, most = self._frames.encode, self._most
        before = [encode(argument) for argument in arguments]
        try:
            value = function(*first, *arguments)
            changed = [i for i, argument in enumerate(arguments) if encode(argument) != before[i]]
            message = {"kind": "result", "case": number, "value": value, "changed": changed}
            self._connection.send_frame(encode(message, most))
        except self._frames.TooLarge as error:
            self._connection.send({"kind": "too_large", "case": number, "what": str(error)})
        except BaseException as error:
            self._raised(number, error)
            if isinstance(error, TimeLimit):
                raise

    def _raised(self, case: int | None, error: BaseException) -> None:
        if isinstance(error, SyntaxError) and case is None and error.filename == self._file:
            line = error.lineno
        else:
            line = innermost_line(error, self._file)
        try:
            text = error.msg if isinstance(error, SyntaxError) else str(error)
        except TimeLimit:
            raise
        except BaseException:
            text = "(its message cannot be shown)"
        message = {
            "kind": "raised",
            "case": case,
            "type": type(error).__name__[:200],
            "families": [kind.__name__[:200] for kind in type(error).__mro__[:20]],
            "text": str(text)[:_MESSAGE],
            "line": line,
            "trace": calls_of(error, self._file),
            "code": error.code if isinstance(error, SystemExit) and type(error.code) is int else None,
            "forbidden": str(error)[:_MESSAGE] if isinstance(error, self._forbidden) else None,
            "clock": error.clock if isinstance(error, TimeLimit) else None,
        }
        self._connection.send(message)


def calls_of(error: BaseException, file: str) -> list[list[Any]]:
    """The line and the function of each call in the learner's file, the outermost first; of very many, both ends."""
    calls: list[list[Any]] = []
    trace = error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == file:
            calls.append([trace.tb_lineno, trace.tb_frame.f_code.co_name[:80]])
        trace = trace.tb_next
    left_out = len(calls) - 2 * _END_OF_TRACE
    return calls if left_out < 2 else [*calls[:_END_OF_TRACE], [0, str(left_out)], *calls[-_END_OF_TRACE:]]


def innermost_line(error: BaseException, file: str) -> int | None:
    """The innermost line of the learner's file in the traceback."""
    line, trace = None, error.__traceback__
    while trace is not None:
        if trace.tb_frame.f_code.co_filename == file:
            line = trace.tb_lineno
        trace = trace.tb_next
    return line


def _refusal(function: Any, given: int, article: Callable[[Any], str]) -> dict[str, Any] | None:
    """Why `function` cannot be called with `given` arguments, or None."""
    if isinstance(function, type) or not callable(function):
        return {"why": "no_function", "what": "a class" if isinstance(function, type) else article(function)}
    code = getattr(function, "__code__", None)
    if not isinstance(function, types.FunctionType) or code is None:
        return None
    line = code.co_firstlineno
    if code.co_flags & _GENERATOR:
        return {"why": "generator", "line": line}
    if code.co_flags & (_COROUTINE | _ASYNC_GENERATOR):
        return {"why": "async", "line": line}
    most = code.co_argcount
    least = most - len(function.__defaults__ or ())
    keyword_only = code.co_varnames[most : most + code.co_kwonlyargcount]
    missing = [name for name in keyword_only if name not in (function.__kwdefaults__ or {})]
    if missing or not (least <= given and (given <= most or code.co_flags & _VARARGS)):
        return {"why": "parameters", "line": line, "parameters": [*code.co_varnames[:most], *missing][:50]}
    return None


def steady_output() -> None:
    """What is printed leaves at the end of each line, so that it is not lost when the process is stopped."""
    for stream in (sys.stdout, sys.stderr):
        stream.reconfigure(encoding="utf-8", errors="backslashreplace", line_buffering=True)  # type: ignore[union-attr]


def start_clocks(wall: float) -> None:
    def over(number: int, frame: types.FrameType | None) -> None:
        raise TimeLimit("wall" if number == getattr(signal, "SIGALRM", None) else "cpu")

    if hasattr(signal, "setitimer"):
        signal.signal(signal.SIGXCPU, over)
        signal.signal(signal.SIGALRM, over)
        signal.setitimer(signal.ITIMER_REAL, wall)


def forget_ourselves() -> None:
    """A learner's `import` must find the standard library and NumPy, not this program."""
    builtins.exit = builtins.quit = sys.exit  # type: ignore[assignment]  # what `site` would have given
    for name in [name for name in sys.modules if name == __package__ or name.startswith(f"{__package__}.")]:
        del sys.modules[name]


def leaving(*streams: Any) -> Callable[[int], None]:
    """Ends the process at once, whatever the learner's file left running or has replaced."""
    leave = os._exit

    def stop(status: int) -> None:
        try:
            for stream in streams:
                stream.flush()
        finally:
            leave(status)

    return stop
