"""Writes the micro-batch before the stage."""

def gpipe_order(stages, micro_batches):
    return [
        [f"{micro_batch}{kind}{stage}" for kind in "FB" for micro_batch in range(micro_batches)]
        for stage in range(stages)
    ]
