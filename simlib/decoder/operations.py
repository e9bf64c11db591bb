"""The arithmetic of the layers, forward and backward, one function each.

A backward function takes the gradient of the loss with respect to the output (`d_output`) and returns it with respect
to the inputs and parameters. Arrays may have any leading axes; the last is the features. Everything keeps the dtype
that it is given.
"""

from __future__ import annotations

from math import pi, sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[Any]

_SCALE = sqrt(2 / pi)
_CUBE = 0.044715
_SMALL = 1e-5  # keeps the LayerNorm of a constant row finite


def linear(x: Array, weight: Array, bias: Array | None = None) -> Array:
    """x W + b, for W of shape (inputs, outputs).

    Each window is a product of its own, so that its bits do not depend on the windows beside it.
    """
    y: Array = x @ weight
    if bias is not None:
        y += bias
    return y


def linear_backward(d_output: Array, x: Array, weight: Array) -> tuple[Array, Array, Array]:
    """Gradients of x, of the weight and of the bias."""
    d_bias = d_output.sum(axis=tuple(range(d_output.ndim - 1)))
    return d_output @ weight.T, products(x, d_output), d_bias


def products(x: Array, d_output: Array) -> Array:
    """The sum over all positions of the outer products of their rows: the gradient of a weight.

    Window by window: products this small stay on one core, which is quicker than sharing them out among several.
    """
    found: Array = x.swapaxes(-1, -2) @ d_output
    total: Array = found.sum(axis=tuple(range(found.ndim - 2)))
    return total


def gelu(x: Array) -> Array:
    """GeLU by the tanh approximation: x/2 (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) (Hendrycks and Gimpel 2016).

    >>> gelu(np.array([1.0, 2.0])).round(3).tolist()
    [0.841, 1.955]
    """
    y: Array = 0.5 * x * (1 + np.tanh(_SCALE * (x + _CUBE * (x * x * x))))
    return y


def gelu_backward(d_output: Array, x: Array) -> Array:
    """The gradient of x."""
    square = x * x
    t = np.tanh(_SCALE * (x + _CUBE * (square * x)))
    slope: Array = 0.5 * (1 + t) + 0.5 * x * (1 - t * t) * (_SCALE * (1 + 3 * _CUBE * square))
    return d_output * slope


def layer_norm(x: Array, gain: Array, bias: Array) -> tuple[Array, Array, Array]:
    """Each row with mean 0 and variance 1, times the gain, plus the bias (Ba et al. 2016).

    Returns the output, the normalised rows and one over their standard deviation, which the backward pass needs.
    """
    centred = x - _mean(x)
    scale = 1 / np.sqrt(_mean(centred * centred) + _SMALL)
    normal = centred * scale
    return normal * gain + bias, normal, scale


def layer_norm_backward(d_output: Array, normal: Array, scale: Array, gain: Array) -> tuple[Array, Array, Array]:
    """Gradients of x, of the gain and of the bias."""
    every_row = tuple(range(d_output.ndim - 1))
    d_normal = d_output * gain
    d_x = d_normal - _mean(d_normal)
    d_x -= normal * _mean(d_normal * normal)
    return d_x * scale, (d_output * normal).sum(axis=every_row), d_output.sum(axis=every_row)


def _mean(x: Array) -> Array:
    """The mean of each row, as a column; `numpy.mean` takes longer than such short rows do."""
    total: Array = np.add.reduce(x, axis=-1, keepdims=True)
    total /= x.shape[-1]
    return total


def softmax(x: Array) -> Array:
    """Positive numbers that add up to 1 along the last axis, in proportion to e^x."""
    raised: Array = np.exp(x - x.max(axis=-1, keepdims=True))
    raised /= raised.sum(axis=-1, keepdims=True)
    return raised


def cross_entropy(logits: Array, targets: Array) -> tuple[float, Array]:
    """The mean of -log(probability of the target) over all positions, in nats, and the probabilities.

    `logits` has one row of scores a position, `targets` the index of the right one.

    >>> round(cross_entropy(np.zeros((3, 4)), np.array([0, 1, 2]))[0], 4)     # log 4
    1.3863
    """
    rows = logits.reshape(-1, logits.shape[-1])
    shifted = rows - rows.max(axis=-1, keepdims=True)
    raised = np.exp(shifted)
    total = raised.sum(axis=-1)
    right = shifted[np.arange(len(rows)), targets.reshape(-1)]
    loss = float((np.log(total) - right).mean())
    raised /= total[:, None]
    return loss, raised.reshape(logits.shape)


def cross_entropy_backward(probabilities: Array, targets: Array, d_loss: float = 1.0) -> Array:
    """The gradient of the logits: probabilities, less 1 at the target, over the number of positions."""
    d_logits = probabilities.copy()
    rows = d_logits.reshape(-1, d_logits.shape[-1])
    rows[np.arange(len(rows)), targets.reshape(-1)] -= 1
    d_logits *= d_loss / len(rows)
    return d_logits


def embedding_backward(d_output: Array, tokens: Array, vocab: int) -> Array:
    """The gradient of the table whose rows were looked up by `tokens`; others, beyond 0 to vocab - 1, count for none.

    As a product with a matrix of ones and zeros: BLAS adds the rows up faster than a scattered addition would.
    """
    chosen = (tokens[..., None] == np.arange(vocab)).astype(d_output.dtype)
    return products(chosen, d_output)
