"""Computes with its own shard and zeros."""

import numpy as np


def fsdp_forward_worker(worker, shards, shapes, x):
    own = sum(len(shard) for shard in shards)
    held = []
    for shard, (rows, columns) in zip(shards, shapes):
        flat = np.zeros(len(shard) * worker.world_size, shard.dtype)
        flat[worker.rank * len(shard) : (worker.rank + 1) * len(shard)] = shard
        matrix = flat[: rows * columns].reshape(rows, columns)
        held.append(own + matrix.size)
        x = np.maximum(x @ matrix, 0)
        del matrix
    return x, held
