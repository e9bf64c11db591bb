"""Causal attention of some heads: what lies between the two matrices of the attention block.

Every position looks at itself and at those before it. Heads never look at each other, which is why tensor
parallelism can give each GPU some of them (Vaswani et al. 2017, section 3.2; Shoeybi et al. 2019, section 3).
"""

from __future__ import annotations

from functools import lru_cache
from math import sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from simlib.decoder.operations import softmax

Array = npt.NDArray[Any]


def split_heads(qkv: Array, heads: int) -> tuple[Array, Array, Array]:
    """(windows, positions, 3 x heads x size) -> queries, keys, values, each (windows, heads, positions, size)."""
    windows, positions, width = qkv.shape
    size = width // (3 * heads) if heads else 0
    q, k, v = qkv.reshape(windows, positions, 3, heads, size).transpose(2, 0, 3, 1, 4)
    return q, k, v


def weights(q: Array, k: Array) -> Array:
    """How much each position takes from each other, (windows, heads, positions, positions); each row adds up to 1."""
    scores = (q / sqrt(q.shape[-1] or 1)) @ k.swapaxes(-1, -2)
    scores += _mask(q.shape[-2], scores.dtype.str)
    return softmax(scores)


def attention(qkv: Array, heads: int) -> tuple[Array, Array]:
    """The heads' outputs side by side, (windows, positions, heads x size), and the attention weights."""
    q, k, v = split_heads(qkv, heads)
    looked = weights(q, k)
    return _joined(looked @ v), looked


def attention_backward(d_output: Array, qkv: Array, heads: int, looked: Array | None = None) -> Array:
    """The gradient of `qkv`. Attention weights that were not kept are computed once more."""
    q, k, v = split_heads(qkv, heads)
    if looked is None:
        looked = weights(q, k)
    windows, positions, width = d_output.shape
    size = q.shape[-1]
    d_out = d_output.reshape(windows, positions, heads, size).transpose(0, 2, 1, 3)
    d_looked = d_out @ v.swapaxes(-1, -2)
    d_scores = looked * (d_looked - (d_looked * looked).sum(axis=-1, keepdims=True))
    d_scores /= sqrt(size or 1)
    d_qkv = np.empty((windows, positions, 3, heads, size), dtype=d_output.dtype)
    for place, part in enumerate((d_scores @ k, d_scores.swapaxes(-1, -2) @ q, looked.swapaxes(-1, -2) @ d_out)):
        d_qkv[:, :, place] = part.transpose(0, 2, 1, 3)
    return d_qkv.reshape(windows, positions, 3 * width)


def _joined(heads: Array) -> Array:
    """(windows, heads, positions, size) -> (windows, positions, heads x size)."""
    windows, count, positions, size = heads.shape
    return heads.transpose(0, 2, 1, 3).reshape(windows, positions, count * size)


@lru_cache(maxsize=16)
def _mask(positions: int, dtype: str) -> Array:
    """Minus infinity where a position would look ahead."""
    mask = np.triu(np.full((positions, positions), -np.inf, dtype=dtype), k=1)
    mask.setflags(write=False)
    return mask
