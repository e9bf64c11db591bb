"""The topic of tensor parallelism: split matrices, the wrong split, heads over GPUs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tutor.views.collective_topics import SEED
from tutor.views.scene import Parameter, Scene, Topic

_MLP, _BACKWARD, _WRONG, _ATTENTION = "mlp", "mlp-backward", "wrong-split", "attention"
_MATRICES = (_MLP, _BACKWARD, _WRONG)
_MOST = 64
_MOST_HEADS = 256
_SIZES = (1, 2, 3, 4, 6, 8, 12, 16, 32, 64)
_HEADS = 8
_HEAD_COUNTS = (1, 2, 4, 8, 12, 16, 28, 32, 40, 64, 96)  # as models have them
_GOES_WITH = {
    **dict.fromkeys(("x", "a", "tokens", "hidden", "seed"), ("part", _MATRICES)),
    "b": ("part", (_MLP, _BACKWARD)),
    "sequence_parallel": ("part", (_MLP,)),
    **dict.fromkeys(("heads", "kv_heads"), ("part", (_ATTENTION,))),
}


def _tensor(given: Mapping[str, Any]) -> Scene:
    return _BUILD[given["part"]](given)


def _mlp(given: Mapping[str, Any]) -> Scene:
    from tutor.views.tensor_mlp_scene import build

    return build(given)


def _backward(given: Mapping[str, Any]) -> Scene:
    from tutor.views.tensor_mlp_scene import build_backward

    return build_backward(given)


def _wrong_split(given: Mapping[str, Any]) -> Scene:
    from tutor.views.tensor_split_scene import build

    return build(given)


def _attention(given: Mapping[str, Any]) -> Scene:
    from tutor.views.tensor_heads_scene import build

    return build(given)


_BUILD = {_MLP: _mlp, _BACKWARD: _backward, _WRONG: _wrong_split, _ATTENTION: _attention}
TENSOR = Topic(
    "tensor",
    "Tensor parallelism: split matrices in numbers, the wrong split, heads over GPUs",
    (
        Parameter("gpus", "whole", 2, "GPUs that share the matrices or heads", least=1, most=_MOST),
        Parameter("x", "values", None, "the input, a row for each token"),
        Parameter("a", "values", None, "the first matrix, a row for each column of x"),
        Parameter("b", "values", None, "the second matrix, a row for each column of a"),
        Parameter("tokens", "whole", None, "tokens of an input to be drawn", least=1, most=_MOST, ladder=_SIZES),
        Parameter("hidden", "whole", None, "columns of a, to be drawn", least=1, most=_MOST, ladder=_SIZES),
        SEED,
        Parameter("sequence_parallel", "flag", False, "divide the tokens before and behind the matrices"),
        Parameter(
            "heads",
            "whole",
            _HEADS,
            "attention heads",
            least=1,
            most=_MOST_HEADS,
            ladder=_HEAD_COUNTS,
        ),
        Parameter(
            "kv_heads",
            "whole",
            None,
            "heads of keys and values (as many as attention heads)",
            least=1,
            most=_MOST_HEADS,
            ladder=(1, 2, 4, 8, 16, 32),
        ),
        Parameter("part", "choice", _MLP, "what is split", choices=(_MLP, _BACKWARD, _WRONG, _ATTENTION)),
    ),
    _tensor,
    _GOES_WITH,
)
TENSOR_TOPICS = (TENSOR,)
