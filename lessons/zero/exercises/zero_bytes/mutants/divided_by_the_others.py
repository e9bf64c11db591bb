"""Divides by N - 1."""

def zero_bytes(params, gpus, stage):
    weights = 2 * params
    gradients = 2 * params
    optimizer = 3 * 4 * params
    if stage >= 1:
        optimizer /= gpus - 1
    if stage >= 2:
        gradients /= gpus
    if stage >= 3:
        weights /= gpus
    return weights, gradients, optimizer
