"""Returns its slice in an array of the whole length."""

import numpy as np


def reduce_scatter_worker(worker, array):
    rank, world_size = worker.rank, worker.world_size
    right, left = (rank + 1) % world_size, (rank - 1) % world_size
    chunks = np.array_split(array, world_size)
    # One chunk lower than in the plain ring, so that the last chunk to arrive is the worker's own
    partial = chunks[(rank - 1) % world_size].copy()
    for step in range(world_size - 1):
        arrived = worker.sendrecv(partial, dst=right, src=left)
        partial = chunks[(rank - step - 2) % world_size] + arrived
    out = np.zeros_like(array)
    np.array_split(out, world_size)[rank][:] = partial
    return out
