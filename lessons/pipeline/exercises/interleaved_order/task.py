"""The interleaved schedule's order of work.

Check it with: worldsize check interleaved_order.py
"""


def interleaved_order(ranks, micro_batches, chunks):
    """What each rank runs, first to last, in the interleaved schedule.

    A rank has several model stages, its chunks: model stage s is on rank
    s mod ranks. With 2 ranks and 2 chunks rank 0 has the stages 0 and 2,
    rank 1 has 1 and 3. An operation is named by its model stage: "2F0"
    is the forward pass of micro-batch 0 through model stage 2.

    Micro-batches move in rounds, equally many in each. There are
    max(1, micro_batches // ranks) rounds (so that is what has to divide
    the micro-batches).

    1. Forward passes: for each round, the round's micro-batches through
       the rank's first chunk, then through its second, and so on. Then
       the next round.
    2. Backward passes: the same rounds, from the last chunk to the
       first.
    3. The two are put together as in 1F1B: a warm-up of forward passes,
       then one forward pass and one backward pass in turn, then the
       backward passes that are left. The warm-up of a rank has

         2 (ranks - 1 - rank) + (chunks - 1) x micro-batches of a round

       forward passes, or all if there are fewer. (Ranks count twice so
       that messages have time to arrive, on both ways.)

    Return a list with one list of operations for each rank. The three
    rules fix the order, and yours is compared with it operation by
    operation.

    Example: with 2 ranks, 2 micro-batches and 2 chunks the lists are
    ["0F0", "0F1", "2F0", "2F1", "2B0", "2B1", "0B0", "0B1"] and
    ["1F0", "1F1", "3F0", "3B0", "3F1", "3B1", "1B0", "1B1"].
    """
    orders = []
    for rank in range(ranks):
        # one chunk alone, forward and then backward
        row = [f"{rank}F{batch}" for batch in range(micro_batches)]
        row += [f"{rank}B{batch}" for batch in range(micro_batches)]
        orders.append(row)
    return orders
