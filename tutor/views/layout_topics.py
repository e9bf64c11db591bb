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
)
