"""Updates the copies in place."""

import numpy as np


def data_parallel_step(weights, gradients, samples, learning_rate):
    total = sum(samples)
    mean = np.zeros_like(gradients[0])
    for gradient, count in zip(gradients, samples):
        mean += gradient * (count / total)
    for copy in weights:
        copy -= learning_rate * mean
    return weights
