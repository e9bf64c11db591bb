"""Returns one flat list."""


def bucket_gradients(sizes, first_cap, cap):
    return list(reversed(range(len(sizes))))
