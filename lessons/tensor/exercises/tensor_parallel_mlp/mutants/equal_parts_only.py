"""Cuts equal parts and leaves the rest out."""

import numpy as np


def gelu(x):
    cubic = x + 0.044715 * x**3
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * cubic))


def tensor_parallel_mlp(x, a, a_bias, b, b_bias, gpus):
    each = a.shape[1] // gpus
    columns = [a[:, r * each : (r + 1) * each] for r in range(gpus)]
    biases = [a_bias[r * each : (r + 1) * each] for r in range(gpus)]
    rows = [b[r * each : (r + 1) * each] for r in range(gpus)]
    partials = []
    for own_columns, own_bias, own_rows in zip(columns, biases, rows):
        hidden = gelu(x @ own_columns + own_bias)
        partials.append(hidden @ own_rows)
    total = sum(partials)
    return [partials], [total + b_bias for _ in range(gpus)]
