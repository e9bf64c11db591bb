"""Divides everything at every stage, as if data parallelism split the model."""


def zero_bytes(params, gpus, stage):
    weights = 2 * params
    gradients = 2 * params
    optimizer = 3 * 4 * params
    if True:
        optimizer /= gpus
    if True:
        gradients /= gpus
    if True:
        weights /= gpus
    return weights, gradients, optimizer
