"""Gives each GPU some of the tokens, which then look at those alone."""

import numpy as np


def tensor_parallel_attention(x, q, k, v, out, out_bias, heads, gpus):
    tokens, width = x.shape
    size = width // heads
    partials = []
    for rows in np.array_split(np.arange(tokens), gpus):
        partial = np.zeros((tokens, width))
        own = x[rows]
        later = np.triu(np.ones((len(own), len(own)), bool), k=1)
        for head in range(heads):
            if not len(own):
                continue
            columns = slice(head * size, (head + 1) * size)
            scores = (own @ q[:, columns]) @ (own @ k[:, columns]).T / np.sqrt(size)
            scores[later] = -np.inf
            weights = np.exp(scores - scores.max(axis=1, keepdims=True))
            weights /= weights.sum(axis=1, keepdims=True)
            partial[rows] += weights @ (own @ v[:, columns]) @ out[columns]
        partials.append(partial)
    total = sum(partials)
    return [partials], [total + out_bias for _ in range(gpus)]
