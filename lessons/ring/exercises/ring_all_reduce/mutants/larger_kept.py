"""Keeps the larger number and not the sum."""

import numpy as np


def ring_all_reduce(arrays):
    world_size = len(arrays)
    held = [array.copy() for array in arrays]
    chunks = [np.array_split(array, world_size) for array in held]
    states = []
    for step in range(2 * (world_size - 1)):
        sent = [chunks[worker][(worker - step) % world_size].copy() for worker in range(world_size)]
        for worker in range(world_size):
            own = chunks[(worker + 1) % world_size][(worker - step) % world_size]
            own[:] = np.maximum(own, sent[worker]) if step < world_size - 1 else sent[worker]
        states.append([array.copy() for array in held])
    return states
