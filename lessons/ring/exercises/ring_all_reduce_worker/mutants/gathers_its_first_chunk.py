"""Begins the all-gather with chunk r."""

import numpy as np


def ring_all_reduce_worker(worker, array):
    rank, world_size = worker.rank, worker.world_size
    right, left = (rank + 1) % world_size, (rank - 1) % world_size
    chunks = np.array_split(array, world_size)
    for step in range(world_size - 1):
        arrived = worker.sendrecv(chunks[(rank - step) % world_size], dst=right, src=left)
        number = (rank - step - 1) % world_size
        # A new array: chunks are views of the one that was given
        chunks[number] = chunks[number] + arrived
    for step in range(world_size - 1):
        arrived = worker.sendrecv(chunks[(rank - step) % world_size], dst=right, src=left)
        chunks[(rank - step) % world_size] = arrived
    return np.concatenate(chunks)
