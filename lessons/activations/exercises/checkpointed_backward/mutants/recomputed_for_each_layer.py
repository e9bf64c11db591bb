"""Runs forward from the kept input again for each layer."""

import numpy as np


def forward(x, weight):
    return np.tanh(x @ weight)


def backward(x, weight, d_output):
    d_product = d_output * (1 - forward(x, weight) ** 2)
    return d_product @ weight.T, x.T @ d_product


def checkpointed_backward(weights, checkpoints, every, d_output):
    layers = len(weights)
    gradients, held = [None] * layers, [0] * layers
    kept = list(checkpoints)
    while kept:
        start = (len(kept) - 1) * every
        stop = min(start + every, layers)
        for layer in reversed(range(start, stop)):
            x = kept[-1]
            for before in range(start, layer):
                x = forward(x, weights[before])
            held[layer] = len(kept) + (layer > start)
            d_output, gradients[layer] = backward(x, weights[layer], d_output)
        kept.pop()
    return gradients, held
