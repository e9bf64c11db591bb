"""Everything that can be shown, by name, with its knobs. The engine is imported when a scene is built."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from simlib import hardware, zero
from simlib.errors import BadArgument
from simlib.pipeline import SCHEDULES
from tutor.views import limits
from tutor.views.scene import Parameter, Scene, Topic

_WORKERS = 3
_LADDER = tuple(range(2, 17))
_ALGORITHMS = ("ring",)
_OWNERSHIPS = ("api", "ring")
_OPS = ("sum", "mean", "max")
_DTYPES = ("auto", "int32", "int64", "float16", "float32", "float64")

_algorithm = Parameter("algorithm", "choice", "ring", "who sends what to whom", choices=_ALGORITHMS)
_workers = Parameter("workers", "whole", _WORKERS, "how many GPUs", least=1, most=limits.MOST_WORKERS, ladder=_LADDER)
_values = Parameter("values", "values", None, "a row of numbers for each worker")
_length = Parameter("length", "whole", None, "numbers in an array", least=1, most=limits.MOST_LENGTH)
_seed = Parameter("seed", "whole", None, "draw the numbers from this seed", least=0, most=limits.LARGEST_SEED)
_op = Parameter("op", "choice", "sum", "how arrays are combined", choices=_OPS)
_dtype = Parameter("dtype", "choice", "auto", "type of a number; auto takes 8 bytes", choices=_DTYPES)


def _all_reduce(given: Mapping[str, Any]) -> Scene:
    from simlib.collectives import ring_all_reduce
    from tutor.views.collectives import CollectiveScene
    from tutor.views.worker_values import arrays, check_result

    trace = ring_all_reduce(arrays(given, _WORKERS), op=given["op"])
    check_result(trace.result, given["dtype"])
    return CollectiveScene(trace)


def _reduce_scatter(given: Mapping[str, Any]) -> Scene:
    from simlib.collectives import ring_reduce_scatter
    from tutor.views.collectives import CollectiveScene
    from tutor.views.worker_values import arrays, check_result

    trace = ring_reduce_scatter(arrays(given, _WORKERS), op=given["op"], ownership=given["ownership"])
    check_result(trace.result, given["dtype"])
    return CollectiveScene(trace)


def _all_gather(given: Mapping[str, Any]) -> Scene:
    from simlib.collectives import ring_all_gather
    from tutor.views.collectives import CollectiveScene
    from tutor.views.worker_values import arrays

    return CollectiveScene(ring_all_gather(arrays(given, _WORKERS, pieces=True)))


def _zero(given: Mapping[str, Any]) -> Scene:
    from tutor.views.zero_scene import build

    return build(given)


def _pipeline(given: Mapping[str, Any]) -> Scene:
    from tutor.views.pipeline_scene import build

    return build(given)


_ALL = (
    Topic(
        "all-reduce",
        "All-reduce: every worker ends with the sum of all arrays",
        (_algorithm, _workers, _values, _length, _seed, _op, _dtype),
        _all_reduce,
    ),
    Topic(
        "reduce-scatter",
        "Reduce-scatter: every worker ends with one slice of the sum",
        (
            _algorithm,
            _workers,
            _values,
            _length,
            _seed,
            _op,
            _dtype,
            Parameter(
                "ownership",
                "choice",
                "api",
                "who ends with which slice: rank r with slice r as in the libraries, or as the plain ring leaves it",
                choices=_OWNERSHIPS,
            ),
        ),
        _reduce_scatter,
    ),
    Topic(
        "all-gather",
        "All-gather: every worker ends with every worker's piece",
        (
            _algorithm,
            _workers,
            _values,
            Parameter(
                "length",
                "whole",
                None,
                "numbers in all pieces together",
                least=1,
                most=limits.MOST_LENGTH,
            ),
            _seed,
            _dtype,
        ),
        _all_gather,
    ),
    Topic(
        "zero",
        "ZeRO: bytes of model states on each GPU, stage by stage",
        (
            Parameter(
                "params",
                "whole",
                7_000_000_000,
                "parameters of the model",
                least=1,
                most=limits.MOST_PARAMS,
                ladder=tuple(int(size * 1e9) for size in (0.125, 0.35, 1.3, 3, 7, 13, 30, 70, 175, 405, 1000)),
            ),
            Parameter(
                "gpus",
                "whole",
                8,
                "GPUs that share the model states",
                least=1,
                most=limits.MOST_GPUS,
                ladder=tuple(2**power for power in range(11)),
            ),
            Parameter("stage", "whole", None, "one stage alone, 0 to 3 (all of them)", least=0, most=3),
            Parameter("hardware", "choice", "h100", "whose memory the line is", choices=tuple(hardware.HARDWARE)),
            Parameter("capacity", "number", None, "memory of a GPU in bytes (that of the hardware)", unit="B"),
            Parameter(
                "optimizer_bytes",
                "number",
                zero.ADAM_BYTES,
                "bytes of optimizer states for each parameter",
                least=0,
                most=limits.MOST_BYTES_PER_PARAM,
                unit="B",
            ),
        ),
        _zero,
    ),
    Topic(
        "pipeline",
        "Pipeline: which stage works on which micro-batch when",
        (
            Parameter("stages", "whole", 4, "ranks, one behind the other", least=1, most=limits.MOST_RANKS),
            Parameter(
                "micro_batches",
                "whole",
                8,
                "pieces of the batch",
                least=1,
                most=limits.MOST_MICRO_BATCHES,
            ),
            Parameter("schedule", "choice", "gpipe", "the order of work", choices=SCHEDULES),
            Parameter("chunks", "whole", 1, "model stages on each rank", least=1, most=limits.MOST_CHUNKS),
            Parameter("forward", "number", 1, "time of a forward pass"),
            Parameter("backward", "number", 2, "time of a full backward pass"),
            Parameter("input", "number", 1, "time of the input gradient alone"),
            Parameter("weight", "number", 1, "time of the weight gradient alone"),
            Parameter("forward_only", "flag", False, "leave the backward passes out"),
        ),
        _pipeline,
    ),
)

TOPICS: dict[str, Topic] = {known.name: known for known in _ALL}


def topic(name: str) -> Topic:
    """The topic called `name`. Raises BadArgument that lists the names.

    >>> topic("all-reduce").scene({"values": [[1, 2], [10, 20]]}).data()["result"]
    [[11, 22], [11, 22]]
    """
    if name not in TOPICS:
        raise BadArgument("topic", name, ", ".join(TOPICS))
    return TOPICS[name]
