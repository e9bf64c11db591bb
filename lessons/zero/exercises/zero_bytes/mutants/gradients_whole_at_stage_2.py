"""Divides the gradients from stage 3 on only."""


def zero_bytes(params, gpus, stage):
    weights = 2 * params
    gradients = 2 * params
    optimizer = 3 * 4 * params
    if stage >= 1:
        optimizer /= gpus
    if stage >= 3:
        gradients /= gpus
    if stage >= 3:
        weights /= gpus
    return weights, gradients, optimizer
