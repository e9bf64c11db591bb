"""1F1B's order of work.

Check it with: worldsize check one_f_one_b_order.py
"""


def one_f_one_b_order(stages, micro_batches):
    """What each stage runs, first to last, in 1F1B's order.

    Operations are strings as in GPipe's order: "0F2" is the forward pass
    (F) of micro-batch 2 on stage 0, "1B0" the backward pass (B) of
    micro-batch 0 on stage 1. Return a list with one list of operations
    for each stage, and no idle times.

    Each stage goes through three phases:

    1. Warm-up: forward passes alone, one for each stage that comes after
       it. The first gradient cannot be back earlier. (There may be fewer
       micro-batches than that.)
    2. One forward pass, then one backward pass, in turn, as long as
       there are forward passes.
    3. The backward passes that are left.

    Both kinds of pass run from micro-batch 0 up. That fixes the order,
    and yours is compared with it operation by operation. What it is for
    is memory: a stage keeps the activations of a micro-batch from its
    forward to its backward pass, and never those of more than it has to.

    Example: with 2 stages and 3 micro-batches the first stage's list is
    ["0F0", "0F1", "0B0", "0F2", "0B1", "0B2"].
    """
    orders = []
    for stage in range(stages):
        # GPipe's order: all forward passes first
        row = [f"{stage}F{batch}" for batch in range(micro_batches)]
        row += [f"{stage}B{batch}" for batch in range(micro_batches)]
        orders.append(row)
    return orders
