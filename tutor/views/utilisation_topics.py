"""Topics of utilisation: what becomes of what the machine could do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tutor.views.scene import Parameter, Scene, Topic
from tutor.views.training_topics import TRAINING_TOPICS

_WAYS = ("both", "no", "yes")
# The same step as that of the topic "step"
_STEP = {
    parameter.name: parameter for known in TRAINING_TOPICS if known.name == "step" for parameter in known.parameters
}


def _peak(given: Mapping[str, Any]) -> Scene:
    from tutor.views.peak_scene import build

    return build(given)


UTILISATION_TOPICS = (
    Topic(
        "peak",
        "Peak: what becomes of the arithmetic that the GPUs could do in a step",
        (
            *(parameter for name, parameter in _STEP.items() if name != "recompute"),
            Parameter("recompute", "choice", "both", "whether the forward pass is computed again", choices=_WAYS),
        ),
        _peak,
    ),
)
