"""The decoder trained on one device and split every way, in numbers: one file a split.

All communicate by `simlib.collectives`, so the bytes of a step are those of the traces that draw the ring. Each
records its course (`simlib.training.course`), and each can be told to make the mistakes that belong to it.
"""
