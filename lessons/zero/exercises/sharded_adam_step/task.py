"""One step of Adam whose states are sharded.

Check it with: worldsize check sharded_adam_step.py
"""

import numpy as np

BETA1, BETA2, EPSILON = 0.9, 0.999, 1e-8


def sharded_adam_step(
    weights, gradients, momentum, variance, step, learning_rate
):
    """What N workers hold after one step of ZeRO stage 1.

    Four arguments are lists with an entry for each worker,
    one-dimensional arrays of floats:

    - weights[r]: all the weights, equal on every worker;
    - gradients[r]: the gradient of worker r's own samples, for all the
      weights. All workers have equally many samples;
    - momentum[r], variance[r]: Adam's states of shard r, and of no other.

    Shard r is slice r as numpy.array_split cuts: where N does not divide
    the weights, the first shards are one longer; where there are fewer
    weights than workers, the last ones are empty. `step` counts from 1,
    and this is the step to do.

    1. reduce-scatter: worker r gets the mean over all workers of shard r
       of the gradient, g.
    2. Worker r updates its own shard:
           momentum = BETA1 momentum + (1 - BETA1) g
           variance = BETA2 variance + (1 - BETA2) g^2
           m = momentum / (1 - BETA1^step)
           v = variance / (1 - BETA2^step)
           weights = weights - learning_rate m / (sqrt(v) + EPSILON)
    3. all-gather: every worker gets everybody's new weights.

    Return (weights, momentum, variance), three lists in the form in which
    they came. Leave the arguments as they are.

    Example: with weights [1.0, 1.0] on two workers, gradients [2.0, 4.0]
    and [4.0, 0.0], states of zeros, step 1 and learning rate 0.1, both
    workers end at [0.9, 0.9]; momentum is [0.3] on worker 0 and [0.2] on
    worker 1.
    """
    world_size = len(weights)
    new_weights, new_momentum, new_variance = [], [], []
    for rank in range(world_size):
        # Here worker `rank` gets its shard of the mean gradient, and
        # updates that shard.
        new_momentum.append(BETA1 * momentum[rank])
        new_variance.append(BETA2 * variance[rank])
        new_weights.append(weights[rank].copy())
    return new_weights, new_momentum, new_variance
