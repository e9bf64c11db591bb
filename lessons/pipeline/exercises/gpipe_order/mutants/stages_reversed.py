"""Begins with the last stage."""


def gpipe_order(stages, micro_batches):
    return [
        [f"{stage}{kind}{micro_batch}" for kind in "FB" for micro_batch in range(micro_batches)]
        for stage in reversed(range(stages))
    ]
