"""Runs the check.py of a course that is not the tutor's own: loads it and answers calls to its functions.

It stands behind walls as a learner's file does, in a process of its own: it knows what is right, and so must never
share one with the learner's. Unlike theirs it may import the engine. Frames in and out, as of `child`:

load    the source: answered by what the file holds, functions by name and plain values
call    a function's name and its arguments: answered by its value, or by how it failed
"""

from __future__ import annotations

import os
import sys
import types
from typing import Any

_CONSTANTS = (*("tolerance", "floats_for_ints", "arguments_may_change", "worker_program", "collectives", "most_bytes"),)
_MESSAGE = 2000


def main() -> None:
    """The whole life of the process; ends when the tutor hangs up."""
    results = os.dup(1)
    os.dup2(2, 1)
    from . import child, frames, guard, walls

    del sys.argv[1:]
    connection = child.Connection(results, frames)
    setup = connection.read()
    walls.limit(setup["limits"])
    standing = walls.close_in(setup["walls"])
    guard.install(guard.real_paths(setup["readable"]))
    connection.send({"kind": "ready", "walls": standing})
    module: types.ModuleType | None = None
    while True:
        asked = connection.read()
        child.start_clocks(setup["limits"]["wall"])
        try:
            if asked["kind"] == "load":
                module = types.ModuleType(asked["name"])
                module.__file__ = asked["file"]
                exec(compile(asked["source"].tobytes(), asked["file"], "exec", dont_inherit=True), module.__dict__)
                answer: Any = _held(module)
            else:
                answer = getattr(module, asked["function"])(*asked["arguments"])
            if isinstance(answer, types.GeneratorType):
                answer = list(answer)
            connection.send({"kind": "value", "value": answer})
        except BaseException as error:
            said = {"type": type(error).__name__[:200], "text": str(error)[:_MESSAGE]}
            connection.send({"kind": "failed", "line": child.innermost_line(error, asked["file"]), **said})


def _held(module: types.ModuleType) -> dict[str, Any]:
    """The names of its functions, and its constants."""
    functions = [name for name, value in vars(module).items() if isinstance(value, types.FunctionType)]
    return {"functions": functions, **{name: getattr(module, name) for name in _CONSTANTS if hasattr(module, name)}}
