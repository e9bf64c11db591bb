"""Splits the second matrix by columns and joins the pieces."""

import numpy as np


def gelu(x):
    cubic = x + 0.044715 * x**3
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * cubic))


def tensor_parallel_mlp(x, a, a_bias, b, b_bias, gpus):
    hidden = gelu(x @ a + a_bias)
    partials = [hidden @ own_columns for own_columns in np.array_split(b, gpus, axis=1)]
    whole = np.concatenate(partials, axis=1) + b_bias
    return [partials], [whole.copy() for _ in range(gpus)]
