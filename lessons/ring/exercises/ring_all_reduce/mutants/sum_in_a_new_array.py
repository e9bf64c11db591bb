"""Adds into new arrays, which nobody holds."""

import numpy as np


def ring_all_reduce(arrays):
    world_size = len(arrays)
    held = [array.copy() for array in arrays]
    states = []
    for step in range(2 * (world_size - 1)):
        chunks = [np.array_split(array, world_size) for array in held]
        for worker in range(world_size):
            number, right = (worker - step) % world_size, (worker + 1) % world_size
            if step < world_size - 1:
                chunks[right][number] = chunks[right][number] + chunks[worker][number]
            else:
                chunks[right][number] = chunks[worker][number]
        states.append([array.copy() for array in held])
    return states
