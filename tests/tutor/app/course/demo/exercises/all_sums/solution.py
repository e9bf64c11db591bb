# exercise: all_sums
"""One array for each worker comes in, the sum for each worker goes out."""

import numpy as np


def all_sums(arrays):
    total = np.sum(arrays, axis=0)
    return [total.copy() for _ in arrays]
