"""A ring all-reduce, one worker's side.

Check it with: worldsize check ring_all_reduce_worker.py
"""

import numpy as np


def ring_all_reduce_worker(worker, array):
    """What one worker does in a ring all-reduce.

    N workers run this function at the same time, each in a process of its
    own: worker.rank is this one's number, worker.world_size is N. `array`
    is this worker's own, one-dimensional and equally long on all workers.
    Leave it as it is. Return the sum of all workers' arrays.

    No worker can see another's array; they talk by

        worker.send(array, dst=rank)
            waits until that worker receives it
        worker.recv(src=rank)
            waits until that worker sends; returns an array
        worker.sendrecv(array, dst=rank, src=rank)
            both at the same time; returns what arrived
        worker.isend(…), worker.irecv(…)
            begin, and go on; .wait() on what they return

    Send to the right neighbour, (rank + 1) % N, and receive from the left
    one, chunk by chunk as in ring_all_reduce: numpy.array_split cuts the
    array. The bytes that each worker sends are counted: 2(N-1) chunks are
    enough. With one worker there is nobody to talk to.

    Example: with [1, 2, 3], [10, 20, 30] and [100, 200, 300] all three
    return [111, 222, 333].
    """
    chunks = np.array_split(array, worker.world_size)
    # Here this worker and its two neighbours pass chunks on, first
    # adding, then copying.
    return np.concatenate(chunks)
