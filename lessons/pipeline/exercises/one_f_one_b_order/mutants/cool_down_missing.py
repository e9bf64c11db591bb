"""Forgets the backward passes that are left when the forward passes are done."""


def one_f_one_b_order(stages, micro_batches):
    orders = []
    for stage in range(stages):
        warmup = min(stages - 1 - stage, micro_batches)
        row = [f"{stage}F{micro_batch}" for micro_batch in range(warmup)]
        for micro_batch in range(micro_batches - warmup):
            row += [f"{stage}F{warmup + micro_batch}", f"{stage}B{micro_batch}"]
        orders.append(row)
    return orders
