"""Frees nothing."""

import numpy as np


def fsdp_forward_worker(worker, shards, shapes, x):
    own = sum(len(shard) for shard in shards)
    held, gathered = [], []
    for shard, (rows, columns) in zip(shards, shapes):
        matrix = worker.all_gather(shard)[: rows * columns].reshape(rows, columns)
        gathered.append(matrix)
        held.append(own + sum(one.size for one in gathered))
        x = np.maximum(x @ matrix, 0)
    return x, held
