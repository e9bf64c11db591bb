"""Attention whose heads are shared out among GPUs.

Check it with: worldsize check tensor_parallel_attention.py
"""

import numpy as np


def tensor_parallel_attention(x, q, k, v, out, out_bias, heads, gpus):
    """Causal attention with its `heads` split over `gpus` GPUs.

    `x` has a row for each token; every GPU has all of it, and of
    out_bias. `q`, `k`, `v` and `out` are square matrices with a column
    for each entry of a row of x. Head h owns a run of `size`
    neighbouring columns of q, k and v, head 0 the first ones; size is
    the number of columns over heads. For each head, with its own
    columns,

        scores  = (x @ q) @ (x @ k).T / sqrt(size)
        weights = softmax of each row of the scores; a token looks at
                  itself and at those before it, and gives later ones the
                  weight 0
        result  = weights @ (x @ v)

    The heads' results, side by side in their order, times `out`, plus
    out_bias, are the attention's output.

    No GPU has all of a matrix. Each gets whole heads, as
    numpy.array_split cuts range(heads): where gpus does not divide
    heads, the first GPUs have one more; some may have none. Which part
    of `out` belongs to a GPU is for you to find.

    A GPU computes with its own parts alone. What needs the others'
    numbers takes an all-reduce: each GPU puts an array in, and each gets
    the sum of all of them. Use as few as there can be. The bias is added
    after the last one.

    Return (reduced, outputs), two lists:

    - reduced has an entry for each all-reduce, in order: the list of the
      arrays that go into it, one from each GPU;
    - outputs[r] is what GPU r ends with, the whole attention's output.

    One GPU is treated as the others are. Leave the arguments as they
    are.

    Example: with one token, weights are [[1.0]], and a head's result is
    x @ v. If q, k, v and out are 2 x 2 with ones on the diagonal and
    zeros elsewhere, out_bias is [0, 0] and x is [[3.0, 5.0]], two heads
    on two GPUs put in [[3.0, 0.0]] and [[0.0, 5.0]], and both GPUs end
    with [[3.0, 5.0]].
    """
    tokens, width = x.shape
    size = width // heads
    partials = []
    for own_heads in np.array_split(np.arange(heads), gpus):
        # Here a GPU computes its heads, and what they are worth in the
        # output.
        partials.append(np.zeros((tokens, width)))
    # Here the GPUs meet: each gets the sum.
    outputs = [partial.copy() for partial in partials]
    return [partials], outputs
