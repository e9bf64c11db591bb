"""Returns the variance before the momentum."""

import numpy as np

BETA1, BETA2, EPSILON = 0.9, 0.999, 1e-8


def sharded_adam_step(weights, gradients, momentum, variance, step, learning_rate):
    world_size = len(weights)
    shards, new_momentum, new_variance = [], [], []
    for rank in range(world_size):
        g = sum(np.array_split(gradient, world_size)[rank] for gradient in gradients) / world_size
        shard = np.array_split(weights[rank], world_size)[rank]
        new_momentum.append(BETA1 * momentum[rank] + (1 - BETA1) * g)
        new_variance.append(BETA2 * variance[rank] + (1 - BETA2) * g**2)
        m = new_momentum[rank] / (1 - BETA1**step)
        v = new_variance[rank] / (1 - BETA2**step)
        shards.append(shard - learning_rate * m / (np.sqrt(v) + EPSILON))
    return [np.concatenate(shards) for _ in range(world_size)], new_variance, new_momentum
