"""Topics of training: what a GPU holds, how long a step takes, who works when."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from simlib import data_parallel, hardware, models, zero
from simlib.pipeline import SCHEDULES
from tutor.views import limits
from tutor.views.collective_topics import LENGTH, SEED, WORKERS
from tutor.views.scene import Parameter, Scene, Topic

_COMPARISONS = ("sent", "busiest-link")
_model = Parameter("model", "choice", "llama-7b", "the model", choices=tuple(models.MODELS))
_GRADIENTS = zero.GRADIENT_BYTES * models.find("llama-7b").shape.params


def _powers_of_two(first: int, last: int) -> tuple[int, ...]:
    """2 to the powers from `first` to `last`."""
    return tuple(2**power for power in range(first, last + 1))


def _gpus(default: int, help: str, least: int = 1) -> Parameter:
    ladder = tuple(count for count in _powers_of_two(0, 10) if count >= least)
    return Parameter("gpus", "whole", default, help, least=least, most=limits.MOST_GPUS, ladder=ladder)


def _workers(default: int, help: str, ladder: tuple[int, ...]) -> Parameter:
    return Parameter("workers", "whole", default, help, least=1, most=limits.MOST_GPUS, ladder=ladder)


def _hardware(help: str) -> Parameter:
    return Parameter("hardware", "choice", "h100", help, choices=tuple(hardware.HARDWARE))


def _array(default: int, help: str) -> Parameter:
    ladder = tuple(10.0**power for power in range(3, 13))
    return Parameter("bytes", "number", default, help, most=limits.MOST_BYTES, ladder=ladder, unit="B")


def _mebibytes(name: str, default: int | None, help: str) -> Parameter:
    ladder = tuple(times * 2**20 for times in (1, 2, 5, 10, 25, 50, 100, 200, 500, 1000))
    return Parameter(name, "number", default, help, most=limits.MOST_BYTES, ladder=ladder, unit="B")


def _steps(first: int, last: int) -> tuple[float, ...]:
    """1, 2 and 5 times each power of ten from `first` until `last`."""
    return tuple(float(f"{times}e{power}") for power in range(first, last) for times in (1, 2, 5))


_alpha = Parameter(
    "alpha",
    "number",
    1e-5,
    "seconds of latency of a message",
    least=0,
    most=limits.MOST_SECONDS,
    ladder=(0, *_steps(-6, -3)),
    unit="s",
)


def _traffic(given: Mapping[str, Any]) -> Scene:
    from tutor.views.traffic_scene import build

    return build(given)


def _seconds(given: Mapping[str, Any]) -> Scene:
    from tutor.views.seconds_scene import build

    return build(given)


def _step(given: Mapping[str, Any]) -> Scene:
    from tutor.views.step_scene import build

    return build(given)


def _buckets(given: Mapping[str, Any]) -> Scene:
    from tutor.views.bucket_scene import build

    return build(given)


def _zero(given: Mapping[str, Any]) -> Scene:
    from tutor.views.zero_scene import build

    return build(given)


def _sharded_step(given: Mapping[str, Any]) -> Scene:
    from tutor.views.sharded_step_scene import build

    return build(given)


def _sharded_memory(given: Mapping[str, Any]) -> Scene:
    from tutor.views.sharded_memory_scene import build

    return build(given)


def _training(given: Mapping[str, Any]) -> Scene:
    from tutor.views.training_scene import build

    return build(given)


def _pipeline(given: Mapping[str, Any]) -> Scene:
    from tutor.views.pipeline_scene import build

    return build(given)


TRAINING_TOPICS = (
    Topic(
        "traffic",
        "Traffic: bytes that collectives send, as workers become more",
        (
            Parameter("compare", "choice", "sent", "what each worker sends, or the busiest link", choices=_COMPARISONS),
            _array(_GRADIENTS, "bytes of the array on each worker (the gradients of LLaMA 7B in 16 bits)"),
            _workers(64, "the most workers; halves, quarters and so on are shown too", _powers_of_two(1, 14)),
            Parameter(
                "keep",
                "number",
                1 / 16,
                "share of the values that the sparse all-gather sends",
                most=1,
                ladder=tuple(2.0**-power for power in range(10, -1, -1)),
            ),
            Parameter("value_bytes", "number", 2, "bytes of a value in the sparse one", most=16, unit="B"),
            Parameter("index_bytes", "number", 4, "bytes of a value's position", least=0, most=16, unit="B"),
            Parameter("dense_bytes", "number", 2, "bytes of a value in the array", most=16, unit="B"),
        ),
        _traffic,
    ),
    Topic(
        "seconds",
        "Seconds: how long an all-reduce takes by ring, tree and in two levels, and how much of it is latency",
        (
            _array(1_000_000, "bytes of the array on each GPU"),
            _gpus(64, "GPUs, on the network where they are more than a server has", least=2),
            _hardware("the GPU and its links"),
            _alpha,
        ),
        _seconds,
    ),
    Topic(
        "step",
        "Step: where each second of a data-parallel step goes",
        (
            _model,
            _gpus(64, "GPUs, each with a copy of the model"),
            Parameter(
                "tokens",
                "whole",
                2**20,
                "tokens of a step, all GPUs together",
                least=1,
                most=limits.MOST_TOKENS,
                ladder=_powers_of_two(12, 26),
            ),
            _hardware("the GPUs and their links"),
            Parameter(
                "bandwidth_factor",
                "number",
                1,
                "how fast the links are, beside the hardware's own",
                most=limits.MOST_FACTOR,
                ladder=(0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10),
            ),
            Parameter("overlap", "choice", "both", "whether communication hides", choices=("both", "no", "yes")),
            Parameter("recompute", "flag", False, "compute the forward pass again in the backward pass"),
        ),
        _step,
    ),
    Topic(
        "training",
        "Training: a small model on one worker, and on several that average their gradients",
        (
            Parameter("workers", "whole", 4, "workers of the second run", least=1, most=64, ladder=(1, 2, 4, 8, 16)),
            Parameter("windows", "whole", 16, "windows of text a step, all workers together", least=1, most=64),
            Parameter("shares", "choice", "equal", "how the windows are dealt out", choices=("equal", "unequal")),
            Parameter(
                "mistake",
                "choice",
                "none",
                "what the second run does wrong",
                choices=("none", "sum-for-mean", "mean-of-unequal-means"),
            ),
            Parameter(
                "train",
                "whole",
                100,
                "training steps; each step of the picture is ten of them",
                least=10,
                most=1000,
                ladder=(10, 20, 50, 100, 150, 200),
            ),
            Parameter("seed", "whole", 0, "draws first weights and windows", least=0, most=limits.LARGEST_SEED),
        ),
        _training,
    ),
    Topic(
        "buckets",
        "Buckets: gradients all-reduced while the backward pass goes on",
        (
            Parameter("layers", "whole", 12, "layers, each with one gradient", least=1, most=limits.MOST_LAYERS),
            _mebibytes("bytes", 10 * 2**20, "bytes of a layer's gradient"),
            _mebibytes(
                "first_layer_bytes", None, "bytes of the first layer's gradient, which is ready last (as the others)"
            ),
            _mebibytes("cap", data_parallel.BUCKET_BYTES, "a bucket is full from so many bytes on"),
            _mebibytes("first_cap", data_parallel.FIRST_BUCKET_BYTES, "the same for the first bucket"),
            Parameter(
                "seconds",
                "number",
                1e-3,
                "seconds of a layer's backward pass",
                most=limits.MOST_SECONDS,
                ladder=_steps(-4, 0),
                unit="s",
            ),
            _workers(8, "workers in the ring", _powers_of_two(0, 10)),
            Parameter(
                "bandwidth",
                "number",
                25e9,
                "bytes per second of a link",
                most=limits.MOST_BYTES,
                ladder=_steps(8, 12),
                unit="B/s",
            ),
            _alpha,
        ),
        _buckets,
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
            _gpus(8, "GPUs that share the model states"),
            Parameter("stage", "whole", None, "one stage alone, 0 to 3 (all of them)", least=0, most=3),
            _hardware("whose memory the line is"),
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
        "sharded-step",
        "Sharded step: reduce-scatter, update of one's own shard, all-gather",
        (
            WORKERS,
            Parameter("values", "values", None, "each worker's gradients, a row of numbers for each"),
            LENGTH,
            SEED,
            Parameter("stage", "whole", 2, "ZeRO stage, 1 to 3", least=1, most=3),
            Parameter(
                "learning_rate",
                "number",
                1,
                "how much of the mean gradient a step takes from the weights",
                least=0,
                most=limits.MOST_FACTOR,
                ladder=(0, 0.01, 0.1, 0.5, 1, 2),
            ),
        ),
        _sharded_step,
    ),
    Topic(
        "sharded-memory",
        "Sharded memory: bytes on a GPU along one step of stage 3",
        (
            _model,
            _gpus(64, "GPUs that share the model states"),
            Parameter(
                "prefetch",
                "whole",
                1,
                "layers gathered ahead of the one that runs",
                least=0,
                most=limits.MOST_LAYERS,
                ladder=tuple(range(9)),
            ),
        ),
        _sharded_memory,
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
