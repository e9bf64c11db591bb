"""Keeps the first cap."""


def bucket_gradients(sizes, first_cap, cap):
    buckets, filled, limit = [[]], 0, first_cap
    for number in reversed(range(len(sizes))):
        if filled >= limit:
            buckets.append([])
            filled = 0
        buckets[-1].append(number)
        filled += sizes[number]
    return buckets
