"""Lets the last stage run its backward passes down and the others up, one after another."""


def gpipe_order(stages, micro_batches):
    orders = []
    for stage in range(stages):
        row = [f"{stage}F{micro_batch}" for micro_batch in range(micro_batches)]
        for micro_batch in range(micro_batches):
            # micro-batch m-1 first on the last stage, and its forward pass after its backward pass
            row.insert(len(row) - (stage == stages - 1), f"{stage}B{micro_batch}")
        orders.append(row)
    return orders
