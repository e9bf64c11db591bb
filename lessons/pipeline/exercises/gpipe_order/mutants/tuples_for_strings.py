"""Gives operations as tuples."""


def gpipe_order(stages, micro_batches):
    return [
        [(stage, kind, micro_batch) for kind in "FB" for micro_batch in range(micro_batches)] for stage in range(stages)
    ]
