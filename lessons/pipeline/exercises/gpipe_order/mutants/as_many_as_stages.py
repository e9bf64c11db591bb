"""Takes the stages for the micro-batches."""

def gpipe_order(stages, micro_batches):
    return [[f"{stage}{kind}{number}" for kind in "FB" for number in range(stages)] for stage in range(stages)]
