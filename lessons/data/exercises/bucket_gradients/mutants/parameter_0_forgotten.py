"""Stops before parameter 0."""


def bucket_gradients(sizes, first_cap, cap):
    buckets, filled, limit = [[]], 0, first_cap
    for number in range(len(sizes) - 1, 0, -1):
        if filled >= limit:
            buckets.append([])
            filled, limit = 0, cap
        buckets[-1].append(number)
        filled += sizes[number]
    return buckets
