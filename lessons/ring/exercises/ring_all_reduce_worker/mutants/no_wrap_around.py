"""Forgets that the ring is closed."""

def ring_all_reduce_worker(worker, array):
    total, passed_on = array.copy(), array
    for _ in range(worker.world_size - 1):
        passed_on = worker.sendrecv(passed_on, dst=worker.rank + 1, src=worker.rank - 1)
        total += passed_on
    return total
