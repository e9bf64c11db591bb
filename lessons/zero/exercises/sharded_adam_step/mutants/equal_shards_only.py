"""Cuts equal shards, and loses what is left over."""

import numpy as np

BETA1, BETA2, EPSILON = 0.9, 0.999, 1e-8


def sharded_adam_step(weights, gradients, momentum, variance, step, learning_rate):
    world_size = len(weights)
    length = len(weights[0]) // world_size
    shards, new_momentum, new_variance = [], [], []
    for rank in range(world_size):
        g = sum(gradient[rank * length : (rank + 1) * length] for gradient in gradients) / world_size
        shard = weights[rank][rank * length : (rank + 1) * length]
        new_momentum.append(BETA1 * momentum[rank][:length] + (1 - BETA1) * g)
        new_variance.append(BETA2 * variance[rank][:length] + (1 - BETA2) * g**2)
        m = new_momentum[rank] / (1 - BETA1**step)
        v = new_variance[rank] / (1 - BETA2**step)
        shards.append(shard - learning_rate * m / (np.sqrt(v) + EPSILON))
    return [np.concatenate(shards) for _ in range(world_size)], new_momentum, new_variance
