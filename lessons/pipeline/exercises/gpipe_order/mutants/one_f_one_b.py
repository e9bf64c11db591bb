"""Gives 1F1B for GPipe."""


def gpipe_order(stages, micro_batches):
    orders = []
    for stage in range(stages):
        ahead = min(micro_batches, stages - stage)
        row = [f"{stage}F{micro_batch}" for micro_batch in range(ahead)]
        for micro_batch in range(micro_batches):
            row.append(f"{stage}B{micro_batch}")
            if ahead + micro_batch < micro_batches:
                row.append(f"{stage}F{ahead + micro_batch}")
        orders.append(row)
    return orders
