"""Adds the first bias after GeLU."""

import numpy as np


def gelu(x):
    cubic = x + 0.044715 * x**3
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * cubic))


def tensor_parallel_mlp(x, a, a_bias, b, b_bias, gpus):
    columns = np.array_split(a, gpus, axis=1)
    biases = np.array_split(a_bias, gpus)
    rows = np.array_split(b, gpus, axis=0)
    partials = []
    for own_columns, own_bias, own_rows in zip(columns, biases, rows):
        # These hidden values are finished, so GeLU needs nobody else
        hidden = gelu(x @ own_columns) + own_bias
        partials.append(hidden @ own_rows)
    total = sum(partials)
    return [partials], [total + b_bias for _ in range(gpus)]
