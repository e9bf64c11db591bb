"""Returns the counts before the gradients."""

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
        inputs = [kept.pop()]
        for layer in range(start, stop - 1):
            inputs.append(forward(inputs[-1], weights[layer]))
        for layer in reversed(range(start, stop)):
            held[layer] = len(kept) + len(inputs)
            # Freed as soon as backward has run
            d_output, gradients[layer] = backward(inputs.pop(), weights[layer], d_output)
    return held, gradients
