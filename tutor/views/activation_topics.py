"""Topics of activations: what layers keep for the backward pass, and what is there from moment to moment."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from simlib import activations, hardware, models
from tutor.views import limits
from tutor.views.scene import Parameter, Scene, Topic

# Published shapes of the kind that the formulas count: an MLP of four times the hidden size, as many keys as queries
_GPTS = tuple(name for name, model in models.MODELS.items() if not (model.shape.gated or model.shape.kv_heads))
_POWERS = tuple(2**power for power in range(12))


def _activations(given: Mapping[str, Any]) -> Scene:
    from tutor.views.activation_scene import build

    return build(given)


def _checkpointing(given: Mapping[str, Any]) -> Scene:
    from tutor.views.checkpoint_scene import build

    return build(given)


_SIZES = (
    Parameter("model", "choice", "gpt-175b", "whose layers", choices=_GPTS),
    Parameter("layers", "whole", None, "how many layers (the model's own)", least=1, most=limits.MOST_LAYERS),
    Parameter(
        "sequence",
        "whole",
        None,
        "tokens of a sequence (the model's own)",
        least=1,
        most=limits.MOST_SEQUENCE,
        ladder=tuple(2**power for power in range(8, 18)),
    ),
    Parameter(
        "micro_batch", "whole", 1, "sequences in a micro-batch", least=1, most=limits.MOST_SEQUENCES, ladder=_POWERS
    ),
    Parameter("tensor", "whole", 8, "GPUs that share each layer", least=1, most=limits.MOST_RANKS, ladder=_POWERS[:7]),
)

ACTIVATION_TOPICS = (
    Topic(
        "activations",
        "Activations: bytes that the layers keep, split and recomputed in the known ways",
        (
            *_SIZES,
            Parameter("mode", "choice", "all", "one way alone", choices=("all", *activations.MODES)),
            Parameter("hardware", "choice", "h100", "whose memory the line is", choices=tuple(hardware.HARDWARE)),
            Parameter("capacity", "number", None, "memory of a GPU in bytes (that of the hardware)", unit="B"),
        ),
        _activations,
    ),
    Topic(
        "checkpointing",
        "Checkpointing: bytes of activations along one step, kept or recomputed",
        (
            *_SIZES,
            Parameter(
                "every",
                "whole",
                1,
                "layers from one checkpoint to the next; 0 keeps everything",
                least=0,
                most=limits.MOST_LAYERS,
            ),
            Parameter(
                "layer",
                "choice",
                "transformer",
                "what a layer keeps: all that a transformer layer does, or its input alone",
                choices=("transformer", "chain"),
            ),
        ),
        _checkpointing,
    ),
)
