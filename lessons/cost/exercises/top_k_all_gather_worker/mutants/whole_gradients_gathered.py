"""Gathers whole gradients, zeros and all."""

import numpy as np


def top_k_all_gather_worker(worker, gradient, k):
    positions = np.argsort(np.abs(gradient))[-k:]
    sparse = np.zeros_like(gradient)
    sparse[positions] = gradient[positions]
    total = worker.all_gather(sparse).reshape(worker.world_size, -1).sum(axis=0)
    return total / worker.world_size
