"""Counts stages from 1."""


def gpipe_order(stages, micro_batches):
    return [
        [f"{stage}{kind}{micro_batch}" for kind in "FB" for micro_batch in range(micro_batches)]
        for stage in range(1, stages + 1)
    ]
