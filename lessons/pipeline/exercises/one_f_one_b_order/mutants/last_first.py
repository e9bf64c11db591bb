"""Runs backward what came forward last, as a stack would."""


def one_f_one_b_order(stages, micro_batches):
    orders = []
    for stage in range(stages):
        warmup = min(stages - 1 - stage, micro_batches)
        waiting = [f"{micro_batch}" for micro_batch in range(warmup)]
        row = [f"{stage}F{micro_batch}" for micro_batch in waiting]
        for micro_batch in range(warmup, micro_batches):
            row += [f"{stage}F{micro_batch}", f"{stage}B{micro_batch}"]
        row += [f"{stage}B{micro_batch}" for micro_batch in reversed(waiting)]
        orders.append(row)
    return orders
