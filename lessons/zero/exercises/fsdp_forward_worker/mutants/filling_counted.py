"""Counts the filling of the gathered matrix."""

import numpy as np


def fsdp_forward_worker(worker, shards, shapes, x):
    own = sum(len(shard) for shard in shards)
    held = []
    for shard, (rows, columns) in zip(shards, shapes):
        flat = worker.all_gather(shard)
        matrix = flat[: rows * columns].reshape(rows, columns)
        held.append(own + len(flat))
        x = np.maximum(x @ matrix, 0)
        del matrix
    return x, held
