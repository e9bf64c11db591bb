"""Whole arrays go round the ring; each worker cuts its slice at the end."""

import numpy as np


def reduce_scatter_worker(worker, array):
    right, left = (worker.rank + 1) % worker.world_size, (worker.rank - 1) % worker.world_size
    total, passing = array, array
    for _ in range(worker.world_size - 1):
        passing = worker.sendrecv(passing, dst=right, src=left)
        total = total + passing
    return np.array_split(total, worker.world_size)[worker.rank].copy()
