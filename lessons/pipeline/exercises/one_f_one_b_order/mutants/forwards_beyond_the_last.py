"""Has p micro-batches in flight, those that do not exist too."""


def one_f_one_b_order(stages, micro_batches):
    orders = []
    for stage in range(stages):
        warmup = stages - 1 - stage
        row = [f"{stage}F{micro_batch}" for micro_batch in range(warmup)]
        for micro_batch in range(micro_batches):
            if warmup + micro_batch < micro_batches:
                row.append(f"{stage}F{warmup + micro_batch}")
            row.append(f"{stage}B{micro_batch}")
        orders.append(row)
    return orders
