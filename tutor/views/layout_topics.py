"""Topics of 3D layouts: which rank is where, and which layouts fit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from simlib import hardware, models
from tutor.views import limits
from tutor.views.scene import Parameter, Scene, Topic

_ORDERS = ("tp-dp-pp", "tp-pp-dp", "dp-tp-pp", "dp-pp-tp", "pp-tp-dp", "pp-dp-tp")
_SIZES = (1, 2, 4, 8, 16, 32, 64)
_MODELS, _HARDWARE = tuple(models.MODELS), tuple(hardware.HARDWARE)


def _size(name: str, default: int | None, help: str, most: int = limits.MOST_MESH_GPUS) -> Parameter:
    return Parameter(name, "whole", default, help, least=1, most=most, ladder=_SIZES)


def _mesh(given: Mapping[str, Any]) -> Scene:
    from tutor.views.mesh_scene import build

    return build(given)


def _plan(given: Mapping[str, Any]) -> Scene:
    from tutor.views.plan_scene import build_plan

    return build_plan(given)


def _layout(given: Mapping[str, Any]) -> Scene:
    from tutor.views.plan_scene import build_layout

    return build_layout(given)


_PROBLEM = (
    Parameter("model", "choice", "llama-70b", "the model", choices=_MODELS),
    Parameter("hardware", "choice", "h100", "the GPUs and their links", choices=_HARDWARE),
    Parameter(
        "gpus",
        "whole",
        64,
        "GPUs in all",
        least=1,
        most=limits.MOST_PLANNED_GPUS,
        ladder=tuple(2**power for power in range(13)),
    ),
    Parameter(
        "batch",
        "whole",
        256,
        "sequences of a step, all copies together",
        least=1,
        most=limits.MOST_PLANNED_BATCH,
        ladder=tuple(2**power for power in range(13)),
    ),
    Parameter("sequence", "whole", None, "tokens in a sequence (the model's own)", least=1, most=10**6),
)


def _choice(name: str, default: int | None, help: str) -> Parameter:
    return _size(name, default, f"{help}{' (any)' if default is None else ''}", limits.MOST_PLANNED_GPUS)


def _choices(default: int | None) -> tuple[Parameter, ...]:
    any_of = " (any)" if default is None else ""
    return (
        _choice("micro_batch", default, "sequences in a micro-batch"),
        _choice("chunks", default, "model stages on each rank"),
        Parameter(
            "checkpointing",
            "choice",
            None if default is None else "none",
            f"what is recomputed{any_of}",
            choices=("none", "selective", "full"),
        ),
    )


LAYOUT_TOPICS = (
    Topic(
        "mesh",
        "Mesh: which rank is where, who talks to whom, and over which links",
        (
            _size("gpus", None, "GPUs in all (data x tensor x pipeline)"),
            _size("tensor", 2, "GPUs that share each layer"),
            _size("pipeline", 4, "stages"),
            _size("data", None, "copies of the model (2, or what the GPUs allow)"),
            _size("gpus_per_server", 8, "GPUs that NVLink joins"),
            Parameter("order", "choice", "tp-dp-pp", "the axes, the fastest changing first", choices=_ORDERS),
            Parameter("model", "choice", "llama-13b", "the model, for the bytes that are sent", choices=_MODELS),
            Parameter("hardware", "choice", "h100", "the GPUs and their links", choices=_HARDWARE),
            _size("micro_batch", 1, "sequences in a micro-batch"),
            _size("micro_batches", 8, "micro-batches of each copy in a step", limits.MOST_MICRO_BATCHES),
        ),
        _mesh,
    ),
    Topic(
        "plan",
        "Plan: the layouts of a model that fit a cluster, fastest first",
        (
            *_PROBLEM,
            _choice("data", None, "only so many copies of the model"),
            _choice("tensor", None, "only so many GPUs for each layer"),
            _choice("pipeline", None, "only so many stages"),
            Parameter("zero", "whole", None, "only this ZeRO stage (any)", least=0, most=3),
            *_choices(None),
            Parameter("rows", "whole", 8, "how many layouts are listed", least=1, most=100),
        ),
        _plan,
    ),
    Topic(
        "layout",
        "Layout: where the seconds of its step go, and what a GPU holds",
        (
            *_PROBLEM,
            _choice("tensor", 8, "GPUs that share each layer"),
            _choice("pipeline", 4, "stages"),
            Parameter("zero", "whole", 1, "ZeRO stage, 0 to 3", least=0, most=3),
            *_choices(1),
        ),
        _layout,
    ),
)
