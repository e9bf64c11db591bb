"""Gives a list for each micro-batch."""


def gpipe_order(stages, micro_batches):
    return [
        [f"{stage}{kind}{micro_batch}" for kind in "FB" for stage in range(stages)]
        for micro_batch in range(micro_batches)
    ]
