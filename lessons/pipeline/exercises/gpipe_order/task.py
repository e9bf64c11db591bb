"""GPipe's order of work.

Check it with: worldsize check gpipe_order.py
"""


def gpipe_order(stages, micro_batches):
    """What each stage runs, first to last, in GPipe's order.

    An operation is a string of stage, kind and micro-batch: "0F2" is the
    forward pass (F) of micro-batch 2 on stage 0, "1B0" the backward pass
    (B) of micro-batch 0 on stage 1. Stages and micro-batches are counted
    from 0.

    Every stage runs all forward passes and then all backward passes,
    both from micro-batch 0 up. Return a list with one list of operations
    for each stage. It holds no idle times: who waits for whom follows
    from the order.

    Example: with 2 stages and 2 micro-batches the first stage's list is
    ["0F0", "0F1", "0B0", "0B1"].
    """
    orders = []
    for stage in range(stages):
        row = [f"{stage}F{batch}" for batch in range(micro_batches)]
        orders.append(row)
    return orders
