"""Takes the maximum after the last layer alone."""

import numpy as np


def fsdp_forward_worker(worker, shards, shapes, x):
    own = sum(len(shard) for shard in shards)
    held = []
    for shard, (rows, columns) in zip(shards, shapes):
        matrix = worker.all_gather(shard)[: rows * columns].reshape(rows, columns)
        held.append(own + matrix.size)
        x = x @ matrix
        del matrix
    return np.maximum(x, 0), held
