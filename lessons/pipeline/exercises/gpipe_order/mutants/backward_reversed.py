"""Runs the backward passes from the last micro-batch down."""


def gpipe_order(stages, micro_batches):
    orders = []
    for stage in range(stages):
        forward = [f"{stage}F{micro_batch}" for micro_batch in range(micro_batches)]
        backward = [f"{stage}B{micro_batch}" for micro_batch in reversed(range(micro_batches))]
        orders.append(forward + backward)
    return orders
