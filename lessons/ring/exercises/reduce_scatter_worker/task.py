"""A reduce-scatter, one worker's side.

Check it with: worldsize check reduce_scatter_worker.py
"""

import numpy as np


def reduce_scatter_worker(worker, array):
    """What one worker does in a reduce-scatter.

    N workers run this function at the same time: worker.rank is this
    one's number, worker.world_size is N. `array` is this worker's own,
    one-dimensional and equally long on all workers. Leave it as it is.

    Return slice `worker.rank` of the sum of all workers' arrays: worker r
    returns what numpy.array_split(total, N)[r] would be, total being the
    sum. That is the slice which a library's reduce_scatter gives rank r,
    not the one that the plain ring leaves there.

    Workers talk by send, recv, sendrecv, isend and irecv, as in
    ring_all_reduce_worker. The bytes that each sends are counted: N-1
    chunks are enough, and nobody needs to see the whole sum.

    Example: with [1, 2, 3], [10, 20, 30] and [100, 200, 300] worker 0
    returns [111], worker 1 [222] and worker 2 [333].
    """
    chunks = np.array_split(array, worker.world_size)
    # Here chunks pass from worker to worker, and each adds its own.
    return chunks[worker.rank].copy()
