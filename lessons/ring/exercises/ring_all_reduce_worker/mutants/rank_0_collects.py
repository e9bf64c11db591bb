"""Worker 0 collects all arrays and sends the sum back."""


def ring_all_reduce_worker(worker, array):
    if worker.rank > 0:
        worker.send(array, dst=0)
        return worker.recv(src=0)
    total = array.copy()
    for other in range(1, worker.world_size):
        total = total + worker.recv(src=other)
    for other in range(1, worker.world_size):
        worker.send(total, dst=other)
    return total
