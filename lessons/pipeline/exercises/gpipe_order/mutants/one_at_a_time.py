"""Runs each micro-batch backward before the next one goes forward."""


def gpipe_order(stages, micro_batches):
    return [
        [f"{stage}{kind}{micro_batch}" for micro_batch in range(micro_batches) for kind in "FB"]
        for stage in range(stages)
    ]
