"""Returns lists of numbers in place of arrays."""

import numpy as np


def ring_all_reduce(arrays):
    world_size = len(arrays)
    held = [[part.tolist() for part in np.array_split(array, world_size)] for array in arrays]
    states = []
    for step in range(1, 2 * (world_size - 1) + 1):
        before = [[list(part) for part in parts] for parts in held]
        for worker in range(world_size):
            chunk, right = (worker - step + 1) % world_size, (worker + 1) % world_size
            sent, own = before[worker][chunk], held[right][chunk]
            held[right][chunk] = [a + b for a, b in zip(own, sent)] if step < world_size else sent
        states.append([sum(parts, []) for parts in held])
    return states
