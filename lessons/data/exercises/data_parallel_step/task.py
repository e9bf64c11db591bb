"""A step of data parallelism.

Check it with: worldsize check data_parallel_step.py
"""

import numpy as np


def data_parallel_step(weights, gradients, samples, learning_rate):
    """Every worker's weights after one step on a batch of N workers.

    The first three arguments are lists with an entry for each worker:

    - weights[i] is worker i's copy of the weights, a one-dimensional
      array of floats; before the step all copies are equal;
    - gradients[i] is the gradient of worker i's loss, which is the mean
      over its own samples;
    - samples[i] says how many samples it had. A worker that had none has
      a gradient of zeros.

    First the gradients are averaged, as an all-reduce does: all workers
    get the mean over all samples of the batch. Where shares are unequal,
    a worker counts by its samples. Then each worker moves its own copy by
    plain SGD: the learning rate times the mean gradient is taken off.

    Return a list of N arrays, each worker's new weights. Leave the
    arguments as they are.

    Example: two workers hold [1.0], with gradients [0.2] and [0.4] of 8
    samples each. With learning rate 1.0 both end at [0.7]. With 12
    samples and 4 the mean is 0.25, and both end at [0.75].
    """
    updated = []
    for copy, gradient in zip(weights, gradients):
        # Here every worker still trains on its own.
        updated.append(copy - learning_rate * gradient)
    return updated
