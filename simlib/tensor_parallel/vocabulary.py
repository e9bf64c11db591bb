"""The loss over a vocabulary that is split over t GPUs, in one position. No NumPy.

Source: Shoeybi et al. 2019, "Megatron-LM", section 3. In arrays: `simlib.training.tensor_parallel.vocabulary`.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, fsum, log

from simlib.errors import BadArgument, whole_number


def cross_entropy(logits: Sequence[float], target: int, tensor: int = 1) -> float:
    """-log of the target's share of e^logits, in nats, each GPU summing over its own part of the vocabulary.

    Three numbers are reduced over the GPUs: the largest logit, the sum of e^(logit - largest), and the target's
    logit, which one GPU has. Raises BadArgument for a target that is no logit and for more GPUs than logits.

    >>> round(cross_entropy([0, 0, 0, 0], target=1, tensor=2), 4)
    1.3863
    """
    if not logits:
        raise BadArgument("logits", list(logits), "at least one number")
    t = whole_number("tensor", tensor, 1, len(logits))
    place = whole_number("target", target, 0, len(logits) - 1)
    short, longer = divmod(len(logits), t)
    parts: list[list[float]] = []
    left = list(logits)
    for gpu in range(t):
        count = short + (gpu < longer)
        parts.append(left[:count])
        left = left[count:]
    largest = max(max(part) for part in parts)
    total = fsum(fsum(exp(logit - largest) for logit in part) for part in parts)
    return log(total) - (logits[place] - largest)
