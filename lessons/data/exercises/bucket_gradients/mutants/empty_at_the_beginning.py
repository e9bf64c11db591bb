"""Opens a bucket too many at the beginning."""

def bucket_gradients(sizes, first_cap, cap):
    buckets, filled, limit = [[], []], 0, first_cap
    for number in reversed(range(len(sizes))):
        if filled >= limit:
            buckets.append([])
            filled, limit = 0, cap
        buckets[-1].append(number)
        filled += sizes[number]
    return buckets
