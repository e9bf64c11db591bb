"""Opens a bucket as soon as one is full."""


def bucket_gradients(sizes, first_cap, cap):
    buckets, filled, limit = [[]], 0, first_cap
    for number in reversed(range(len(sizes))):
        buckets[-1].append(number)
        filled += sizes[number]
        if filled >= limit:
            buckets.append([])
            filled, limit = 0, cap
    return buckets
