"""Pairs of split matrices: the MLP and attention. Each rank has some columns of the first and those rows of the second.

For the MLP: Y = GeLU(X A) B. Split A by columns into A1, A2 and B by rows into B1, B2. Then each GPU computes
GeLU(X Ai) Bi without asking anyone, and Y is the sum of both: one all-reduce. Split the other way round, A by rows,
X A would be a sum of partial products, and GeLU of a sum is not the sum of GeLUs. Attention is the same with heads in
the place of columns (Shoeybi et al. 2019, section 3).
"""

from __future__ import annotations

import numpy as np

from simlib.decoder import operations as op
from simlib.decoder.attention import attention, attention_backward
from simlib.decoder.layers import Saved, Views
from simlib.decoder.layout import Array


def mlp_part(rows: Array, p: Views) -> tuple[Array, Saved]:
    """A rank's partial output of the MLP, without the second bias, and what its backward pass needs.

    >>> a, b = np.array([[1.0, 0], [0, 1]]), np.array([[1.0, 0], [0, 1]])
    >>> part, _ = mlp_part(np.array([[1.0, 2]]), {"up.weight": a, "up.bias": np.zeros(2), "down.weight": b})
    >>> part.round(3).tolist()
    [[0.841, 1.955]]
    """
    up = op.linear(rows, p["up.weight"], p["up.bias"])
    return op.linear(op.gelu(up), p["down.weight"]), {"rows": rows, "up": up}


def mlp_part_backward(d_output: Array, saved: Saved, p: Views, g: Views) -> Array:
    """The partial gradient of the rows; gradients of the rank's parameters are added to `g`."""
    d_hidden, d_weight, _ = op.linear_backward(d_output, op.gelu(saved["up"]), p["down.weight"])
    g["down.weight"] += d_weight
    d_rows, d_weight, d_bias = op.linear_backward(
        op.gelu_backward(d_hidden, saved["up"]), saved["rows"], p["up.weight"]
    )
    g["up.weight"] += d_weight
    g["up.bias"] += d_bias
    return d_rows


def attention_part(rows: Array, p: Views, heads: int) -> tuple[Array, Saved]:
    """The partial output of a rank's `heads`, without the bias of the projection."""
    qkv = op.linear(rows, p["qkv.weight"], p["qkv.bias"])
    out, looked = attention(qkv, heads)
    return op.linear(out, p["project.weight"]), {"rows": rows, "qkv": qkv, "heads": out, "looked": looked}


def attention_part_backward(d_output: Array, saved: Saved, p: Views, g: Views, heads: int) -> Array:
    """The partial gradient of the rows."""
    d_heads, d_weight, _ = op.linear_backward(d_output, saved["heads"], p["project.weight"])
    g["project.weight"] += d_weight
    d_qkv = attention_backward(d_heads, saved["qkv"], heads, saved["looked"])
    d_rows, d_weight, d_bias = op.linear_backward(d_qkv, saved["rows"], p["qkv.weight"])
    g["qkv.weight"] += d_weight
    g["qkv.bias"] += d_bias
    return d_rows


def sum_over_positions(d_output: Array) -> Array:
    """The gradient of a bias that was added to every position."""
    total: Array = np.sum(d_output, axis=tuple(range(d_output.ndim - 1)))
    return total
