import numpy as np


def ring_worker(worker, array):
    rank, n = worker.rank, worker.world_size
    if n == 1:
        return array
    right, left = (rank + 1) % n, (rank - 1) % n
    chunks = np.array_split(array, n)
    for step in range(n - 1):
        arrived = worker.sendrecv(chunks[(rank - step) % n], dst=right, src=left)
        chunks[(rank - step - 1) % n] = chunks[(rank - step - 1) % n] + arrived
    for step in range(n - 1):
        chunks[(rank - step) % n] = worker.sendrecv(chunks[(rank + 1 - step) % n], dst=right, src=left)
    return np.concatenate(chunks)
