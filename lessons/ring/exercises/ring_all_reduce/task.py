"""A ring all-reduce in NumPy.

Check it with: worldsize check ring_all_reduce.py
"""

import numpy as np


def ring_all_reduce(arrays):
    """What every worker holds after each step of a ring all-reduce.

    `arrays` is a list of N one-dimensional arrays of equal length:
    arrays[i] is worker i's. Leave them as they are; work on copies.

    Return a list with one entry for each of the 2(N-1) steps. An entry is
    a list of N arrays: each worker's whole array after that step. With
    one worker there is no step: return an empty list.

    Each array is cut into N chunks as by numpy.array_split: where N does
    not divide the length, the first chunks are one longer; where the
    length is below N, the last ones are empty. In each step every worker
    i sends one chunk to worker (i + 1) % N, all at the same time:

    - steps 1 to N-1, the reduce-scatter: in step s worker i sends chunk
      (i - s + 1) % N, and the receiver adds it to its own chunk of that
      number;
    - steps N to 2(N-1), the all-gather: in its step s, counted from 1
      again, worker i sends chunk (i - s + 2) % N, and the receiver puts
      it in the place of its own.

    Example: after its first step the ring of [1, 2, 3], [10, 20, 30] and
    [100, 200, 300] holds [1, 2, 303], [11, 20, 30] and [100, 220, 300],
    and that is the first of four entries.
    """
    world_size = len(arrays)
    held = [array.copy() for array in arrays]  # what each holds now
    states = []
    for step in range(1, 2 * (world_size - 1) + 1):
        # Here every worker sends one chunk to its right neighbour.
        states.append([array.copy() for array in held])
    return states
