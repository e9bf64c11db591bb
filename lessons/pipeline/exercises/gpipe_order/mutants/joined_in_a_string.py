"""Joins each order in one string."""

def gpipe_order(stages, micro_batches):
    orders = []
    for stage in range(stages):
        orders.append(" ".join(f"{stage}{kind}{number}" for kind in "FB" for number in range(micro_batches)))
    return orders
