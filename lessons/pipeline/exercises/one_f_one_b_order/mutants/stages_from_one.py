"""Counts stages from 1."""


def one_f_one_b_order(stages, micro_batches):
    orders = []
    for stage in range(1, stages + 1):
        warmup = min(stages - stage, micro_batches)
        row = [f"{stage}F{micro_batch}" for micro_batch in range(warmup)]
        for micro_batch in range(micro_batches - warmup):
            row += [f"{stage}F{warmup + micro_batch}", f"{stage}B{micro_batch}"]
        row += [f"{stage}B{micro_batch}" for micro_batch in range(micro_batches - warmup, micro_batches)]
        orders.append(row)
    return orders
