"""Leaves a forward pass of the first stage out."""


def gpipe_order(stages, micro_batches):
    orders = [
        [f"{stage}{kind}{micro_batch}" for kind in "FB" for micro_batch in range(micro_batches)]
        for stage in range(stages)
    ]
    orders[0].pop(micro_batches - 1)
    return orders
