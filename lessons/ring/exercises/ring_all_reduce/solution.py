"""A ring all-reduce in NumPy."""

import numpy as np


def ring_all_reduce(arrays):
    world_size = len(arrays)
    held = [array.copy() for array in arrays]
    # Views, one for each chunk: writing into chunks[i][c] writes into worker i's array
    chunks = [np.array_split(array, world_size) for array in held]
    states = []
    for step in range(1, 2 * (world_size - 1) + 1):
        adding = step < world_size
        # The all-gather goes on where the reduce-scatter stopped: the same chunk, one lower a step
        number = [(worker - step + 1) % world_size for worker in range(world_size)]
        sent = [chunks[worker][number[worker]].copy() for worker in range(world_size)]
        for worker in range(world_size):
            right = (worker + 1) % world_size
            if adding:
                chunks[right][number[worker]] += sent[worker]
            else:
                chunks[right][number[worker]][:] = sent[worker]
        states.append([array.copy() for array in held])
    return states
