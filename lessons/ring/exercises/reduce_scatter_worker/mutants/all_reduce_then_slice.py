"""A whole ring all-reduce, of which each worker keeps its slice."""

import numpy as np


def reduce_scatter_worker(worker, array):
    rank, world_size = worker.rank, worker.world_size
    right, left = (rank + 1) % world_size, (rank - 1) % world_size
    chunks = np.array_split(array, world_size)
    for step in range(world_size - 1):
        arrived = worker.sendrecv(chunks[(rank - step) % world_size], dst=right, src=left)
        number = (rank - step - 1) % world_size
        chunks[number] = chunks[number] + arrived
    for step in range(world_size - 1):
        chunks[(rank - step) % world_size] = worker.sendrecv(
            chunks[(rank - step + 1) % world_size], dst=right, src=left
        )
    return chunks[rank].copy()
