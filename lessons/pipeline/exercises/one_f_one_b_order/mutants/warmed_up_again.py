"""Runs the micro-batches of the warm-up forward a second time."""


def one_f_one_b_order(stages, micro_batches):
    orders = []
    for stage in range(stages):
        warmup = min(stages - 1 - stage, micro_batches)
        row = [f"{stage}F{micro_batch}" for micro_batch in range(warmup)]
        for micro_batch in range(micro_batches):
            row += [f"{stage}F{micro_batch}", f"{stage}B{micro_batch}"]
        orders.append(row)
    return orders
