"""A forward pass with sharded weights.

Check it with: worldsize check fsdp_forward_worker.py
"""

import numpy as np


def fsdp_forward_worker(worker, shards, shapes, x):
    """What one worker does in the forward pass of a fully sharded model.

    N workers run this function at the same time, each on its own samples:
    `x` has a row for each. The model is the same for all. Layer l is a
    matrix of shape shapes[l] = [rows, columns]; it turns x into
    numpy.maximum(x @ matrix, 0). The layers run one after another.

    No worker has a whole matrix. Matrix l was made flat, row by row,
    filled up with zeros at the end until N divides its length, and cut
    into N equal shards: shards[l] is this worker's. Get the whole by

        worker.all_gather(shard)
            all workers' shards, joined in the order of the ranks

    just before a layer runs, and cut the filling off. Free the matrix
    just after: hold one at a time.

    Return (output, held). `output` is x after the last layer. `held` is a
    list with an entry for each layer: how many weights this worker holds
    while the layer runs, which are its own shards of all layers, filling
    included, and rows * columns for every whole matrix that it has
    gathered and not freed. The bytes that each worker sends are counted.

    Example: on two workers [[1, 0], [0, 2]] is sharded into [1, 0] and
    [0, 2]. Worker 0 with x = [[3.0, 4.0]] returns [[3.0, 8.0]] and [6]: a
    shard of 2 and the matrix of 4.
    """
    held = []
    for shard, (rows, columns) in zip(shards, shapes):
        # Here the layer's matrix is gathered, used and freed.
        matrix = np.zeros((rows, columns), x.dtype)
        x = np.maximum(x @ matrix, 0)
        held.append(rows * columns)
    return x, held
