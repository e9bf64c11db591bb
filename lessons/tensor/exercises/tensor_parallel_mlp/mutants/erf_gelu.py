"""Takes the exact GeLU, by erf."""

import math

import numpy as np


def gelu(x):
    return 0.5 * x * (1 + np.vectorize(math.erf, otypes=[float])(x / np.sqrt(2)))


def tensor_parallel_mlp(x, a, a_bias, b, b_bias, gpus):
    columns = np.array_split(a, gpus, axis=1)
    biases = np.array_split(a_bias, gpus)
    rows = np.array_split(b, gpus, axis=0)
    partials = []
    for own_columns, own_bias, own_rows in zip(columns, biases, rows):
        hidden = gelu(x @ own_columns + own_bias)
        partials.append(hidden @ own_rows)
    total = sum(partials)
    return [partials], [total + b_bias for _ in range(gpus)]
