"""Topics of training: what a GPU holds, how long a step takes, who works when."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from simlib import hardware, zero
from simlib.pipeline import SCHEDULES
from tutor.views import limits
from tutor.views.scene import Parameter, Scene, Topic


def _zero(given: Mapping[str, Any]) -> Scene:
    from tutor.views.zero_scene import build

    return build(given)


def _pipeline(given: Mapping[str, Any]) -> Scene:
    from tutor.views.pipeline_scene import build

    return build(given)


TRAINING_TOPICS = (
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
