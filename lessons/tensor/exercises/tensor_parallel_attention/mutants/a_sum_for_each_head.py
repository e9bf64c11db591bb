"""All-reduces each head's output on its own."""

import numpy as np


def tensor_parallel_attention(x, q, k, v, out, out_bias, heads, gpus):
    tokens, width = x.shape
    size = width // heads
    later = np.triu(np.ones((tokens, tokens), bool), k=1)
    reduced = []
    for gpu, own_heads in enumerate(np.array_split(np.arange(heads), gpus)):
        for head in own_heads:
            columns = slice(head * size, (head + 1) * size)
            scores = (x @ q[:, columns]) @ (x @ k[:, columns]).T / np.sqrt(size)
            scores[later] = -np.inf
            weights = np.exp(scores - scores.max(axis=1, keepdims=True))
            weights /= weights.sum(axis=1, keepdims=True)
            arrays = [np.zeros((tokens, width)) for _ in range(gpus)]
            arrays[gpu] = weights @ (x @ v[:, columns]) @ out[columns]
            reduced.append(arrays)
    total = sum(sum(arrays) for arrays in reduced)
    return reduced, [total + out_bias for _ in range(gpus)]
