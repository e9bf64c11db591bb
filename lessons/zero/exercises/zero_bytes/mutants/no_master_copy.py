"""Forgets the 32-bit master copy of the weights."""


def zero_bytes(params, gpus, stage):
    weights = 2 * params
    gradients = 2 * params
    optimizer = 2 * 4 * params
    if stage >= 1:
        optimizer /= gpus
    if stage >= 2:
        gradients /= gpus
    if stage >= 3:
        weights /= gpus
    return weights, gradients, optimizer
