"""Topics of pipelines: schedules side by side, and which model stage is on which rank."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from simlib.pipeline import SCHEDULES
from simlib.pipeline.placement import PLACEMENTS
from tutor.views import limits
from tutor.views.scene import Parameter, Scene, Topic

_OR_NONE = (*SCHEDULES, "none")
_WHOLE_BACKWARD = ("gpipe", "1f1b", "interleaved", "looped-bfs")
SEED_OF_WEIGHTS = Parameter("seed", "whole", 0, "draws the first weights", least=0, most=limits.LARGEST_SEED)


def _schedules(given: Mapping[str, Any]) -> Scene:
    from tutor.views.schedules_scene import build

    return build(given)


def _stages(given: Mapping[str, Any]) -> Scene:
    from tutor.views.stages_scene import build

    return build(given)


def _pipelined(given: Mapping[str, Any]) -> Scene:
    from tutor.views.pipelined_scene import build

    return build(given)


def _ranks(default: int) -> Parameter:
    return Parameter("stages", "whole", default, "ranks, one behind the other", least=1, most=limits.MOST_RANKS)


PIPELINE_TOPICS = (
    Topic(
        "schedules",
        "Schedules: pipelines on one time axis, and what each rank holds",
        (
            _ranks(4),
            Parameter("micro_batches", "whole", 8, "pieces of the batch", least=1, most=limits.MOST_MICRO_BATCHES),
            Parameter("first", "choice", "gpipe", "the order of work at the top", choices=_OR_NONE),
            Parameter("second", "choice", "1f1b", "the one under it; a repeated one is shown once", choices=_OR_NONE),
            Parameter("third", "choice", "none", "the one at the bottom", choices=_OR_NONE),
            Parameter("memory", "choice", "yes", "activations held, where times have slots", choices=("yes", "no")),
            Parameter(
                "chunks",
                "whole",
                2,
                "model stages on each rank, of interleaved and looped-bfs",
                least=1,
                most=limits.MOST_CHUNKS,
            ),
            Parameter("forward", "number", 1, "time of a forward pass"),
            Parameter("backward", "number", 2, "time of a full backward pass"),
            Parameter("input", "number", 1, "time of the input gradient alone"),
            Parameter("weight", "number", 1, "time of the weight gradient alone"),
            Parameter(
                "last_stage",
                "number",
                1,
                "how many times as long as the others the model's last stage takes",
                most=limits.MOST_FACTOR,
                ladder=(0.5, 1, 1.5, 2, 3, 4),
            ),
        ),
        _schedules,
    ),
    Topic(
        "stages",
        "Stages: which layers and model stages are on which rank",
        (
            Parameter("layers", "whole", 16, "layers of the model", least=1, most=limits.MOST_STAGE_LAYERS),
            _ranks(4),
            Parameter("chunks", "whole", 2, "model stages on each rank", least=1, most=limits.MOST_CHUNKS),
            Parameter("placement", "choice", "looped", "round and round, or down and up", choices=PLACEMENTS),
        ),
        _stages,
    ),
    Topic(
        "pipelined",
        "Pipelined: losses and gradients of one step, on one device and through a pipeline",
        (
            Parameter("stages", "whole", 2, "ranks; a model stage has a layer at least", least=1, most=6),
            Parameter("micro_batches", "whole", 4, "pieces of the batch of 8 windows", least=1, most=8),
            Parameter("schedule", "choice", "1f1b", "the order of work", choices=_WHOLE_BACKWARD),
            Parameter(
                "chunks", "whole", 2, "model stages on each rank, of interleaved and looped-bfs", least=1, most=6
            ),
            SEED_OF_WEIGHTS,
        ),
        _pipelined,
    ),
)
