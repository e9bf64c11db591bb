"""Writes the kinds as small letters."""


def gpipe_order(stages, micro_batches):
    return [
        [f"{stage}{kind}{micro_batch}" for kind in "fb" for micro_batch in range(micro_batches)]
        for stage in range(stages)
    ]
