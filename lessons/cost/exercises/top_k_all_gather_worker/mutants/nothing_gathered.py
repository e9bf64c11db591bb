"""Uses its own values alone."""

import numpy as np


def top_k_all_gather_worker(worker, gradient, k):
    positions = np.argsort(np.abs(gradient))[-k:]
    all_positions = positions
    all_values = gradient[positions]
    total = np.zeros_like(gradient)
    # += would count a position once, however often it was sent
    np.add.at(total, all_positions, all_values)
    return total / worker.world_size
