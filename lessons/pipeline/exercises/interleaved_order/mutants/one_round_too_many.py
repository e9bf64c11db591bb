"""Warms up a round more."""

def interleaved_order(ranks, micro_batches, chunks):
    size = micro_batches // max(1, micro_batches // ranks)
    orders = []
    for rank in range(ranks):
        stages = [chunk * ranks + rank for chunk in range(chunks)]
        forward = passes("F", stages, micro_batches, size)
        backward = passes("B", stages[::-1], micro_batches, size)
        warmup = min(2 * (ranks - 1 - rank) + chunks * size, len(forward))
        row = forward[:warmup]
        for ahead, back in zip(forward[warmup:], backward):
            row += [ahead, back]
        orders.append(row + backward[len(backward) - warmup :])
    return orders


def passes(kind, stages, micro_batches, size):
    return [
        f"{stage}{kind}{micro_batch}"
        for start in range(0, micro_batches, size)
        for stage in stages
        for micro_batch in range(start, start + size)
    ]
