"""Puts all stages into one list."""


def gpipe_order(stages, micro_batches):
    return [
        f"{stage}{kind}{micro_batch}"
        for stage in range(stages)
        for kind in "FB"
        for micro_batch in range(micro_batches)
    ]
