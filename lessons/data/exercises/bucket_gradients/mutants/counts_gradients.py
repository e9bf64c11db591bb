"""Counts gradients and not their bytes."""

def bucket_gradients(sizes, first_cap, cap):
    buckets, filled, limit = [[]], 0, first_cap
    for number in reversed(range(len(sizes))):
        if filled >= limit:
            buckets.append([])
            filled, limit = 0, cap
        buckets[-1].append(number)
        filled += 1
    return buckets
