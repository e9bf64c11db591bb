"""Gathers the whole model first."""

import numpy as np


def fsdp_forward_worker(worker, shards, shapes, x):
    own = sum(len(shard) for shard in shards)
    matrices = []
    for shard, (rows, columns) in zip(shards, shapes):
        matrices.append(worker.all_gather(shard)[: rows * columns].reshape(rows, columns))
    for matrix in matrices:
        x = np.maximum(x @ matrix, 0)
    return x, [own + sum(matrix.size for matrix in matrices)] * len(matrices)
