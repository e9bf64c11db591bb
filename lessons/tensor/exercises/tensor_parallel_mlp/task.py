"""An MLP that several GPUs compute together.

Check it with: worldsize check tensor_parallel_mlp.py
"""

import numpy as np


def gelu(x):
    """GeLU in its tanh form. Use it as it is."""
    cubic = x + 0.044715 * x**3
    return 0.5 * x * (1 + np.tanh(np.sqrt(2 / np.pi) * cubic))


def tensor_parallel_mlp(x, a, a_bias, b, b_bias, gpus):
    """gelu(x @ a + a_bias) @ b + b_bias, split over `gpus` GPUs.

    `x` has a row for each token; every GPU has all of it, and of b_bias.
    No GPU has all of `a`, `a_bias` or `b`: cut them with
    numpy.array_split into a part for each GPU. Along which axis is for
    you to find. Where `gpus` does not divide what you cut, the first
    parts are one longer; some parts may be empty.

    A GPU computes with its own parts alone. What needs the others'
    numbers takes an all-reduce: each GPU puts an array in, and each gets
    the sum of all of them. GPUs wait in it, so use as few as there can
    be. The second bias is added after the last one.

    Return (reduced, outputs), two lists:

    - reduced has an entry for each all-reduce, in order: the list of the
      arrays that go into it, one from each GPU;
    - outputs[r] is what GPU r ends with, the whole MLP's output.

    One GPU is treated as the others are. Leave the arguments as they
    are.

    Example: two GPUs put p0 = [[1.0]] and p1 = [[2.0]] into their only
    all-reduce, and b_bias is [0.5]. Then reduced is [[p0, p1]], and both
    outputs are [[3.5]].
    """
    partials = []
    for r in range(gpus):
        # Here GPU r computes what it can without asking anyone.
        partials.append(np.zeros((len(x), b.shape[1])))
    # Here the GPUs meet: each gets the sum.
    outputs = [partial.copy() for partial in partials]
    return [partials], outputs
