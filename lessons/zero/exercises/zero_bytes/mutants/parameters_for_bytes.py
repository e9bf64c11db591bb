"""Counts parameters in place of bytes."""


def zero_bytes(params, gpus, stage):
    weights = params
    gradients = params
    optimizer = 3 * 4 * params
    if stage >= 1:
        optimizer /= gpus
    if stage >= 2:
        gradients /= gpus
    if stage >= 3:
        weights /= gpus
    return weights, gradients, optimizer
