"""Puts idle times into the lists."""


def gpipe_order(stages, micro_batches):
    orders = [
        [f"{stage}{kind}{micro_batch}" for kind in "FB" for micro_batch in range(micro_batches)]
        for stage in range(stages)
    ]
    return [[""] * stage + row for stage, row in enumerate(orders)]
