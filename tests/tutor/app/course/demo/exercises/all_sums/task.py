# exercise: all_sums
"""One array for each worker comes in, the sum for each worker goes out."""


def all_sums(arrays):
    return arrays
