"""Counts the backward passes at the end from 0."""

def one_f_one_b_order(stages, micro_batches):
    orders = []
    for stage in range(stages):
        warmup = min(stages - 1 - stage, micro_batches)
        row = [f"{stage}F{micro_batch}" for micro_batch in range(warmup)]
        for micro_batch in range(micro_batches - warmup):
            row.append(f"{stage}F{warmup + micro_batch}")
            row.append(f"{stage}B{micro_batch}")
        row += [f"{stage}B{micro_batch}" for micro_batch in range(warmup)]
        orders.append(row)
    return orders
