"""Begins with the last layer."""

import numpy as np


def fsdp_forward_worker(worker, shards, shapes, x):
    own = sum(len(shard) for shard in shards)
    held = []
    for shard, (rows, columns) in zip(shards[::-1], shapes[::-1]):
        matrix = worker.all_gather(shard)[: rows * columns].reshape(rows, columns)
        held.append(own + matrix.size)
        x = np.maximum(x @ matrix, 0)
        del matrix
    return x, held
