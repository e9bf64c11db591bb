"""Counts micro-batches from 1."""


def gpipe_order(stages, micro_batches):
    return [
        [f"{stage}{kind}{micro_batch}" for kind in "FB" for micro_batch in range(1, micro_batches + 1)]
        for stage in range(stages)
    ]
