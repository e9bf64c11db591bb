"""Splits the first matrix by rows and applies GeLU to each partial sum."""

import numpy as np


def gelu(x):
    cubic = x + 0.044715 * x**3
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * cubic))


def tensor_parallel_mlp(x, a, a_bias, b, b_bias, gpus):
    wide = np.array_split(x, gpus, axis=1)
    rows = np.array_split(a, gpus, axis=0)
    partials = []
    for own_x, own_rows in zip(wide, rows):
        hidden = gelu(own_x @ own_rows + a_bias)
        partials.append(hidden @ b)
    total = sum(partials)
    return [partials], [total + b_bias for _ in range(gpus)]
