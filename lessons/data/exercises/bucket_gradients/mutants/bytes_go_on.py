"""Does not count from 0 again."""


def bucket_gradients(sizes, first_cap, cap):
    buckets, filled, limit = [[]], 0, first_cap
    for number in reversed(range(len(sizes))):
        if filled >= limit:
            buckets.append([])
            limit = cap
        buckets[-1].append(number)
        filled += sizes[number]
    return buckets
