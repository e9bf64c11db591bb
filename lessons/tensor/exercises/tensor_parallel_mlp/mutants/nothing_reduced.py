"""Every GPU computes everything."""

import numpy as np


def gelu(x):
    cubic = x + 0.044715 * x**3
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * cubic))


def tensor_parallel_mlp(x, a, a_bias, b, b_bias, gpus):
    whole = gelu(x @ a + a_bias) @ b + b_bias
    return [], [whole.copy() for _ in range(gpus)]
