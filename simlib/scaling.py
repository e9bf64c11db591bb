"""What more GPUs bring: speed-up, scaling efficiency, and the tokens that one step sees.

Strong scaling keeps the work and shares it out; weak scaling gives each GPU as much as before. Speed is work over time
in both, so one formula serves. Closed forms; no NumPy.
"""

from __future__ import annotations

from simlib.errors import BadArgument, positive_number, whole_number


def speed_up(seconds_one: float, seconds_many: float, work_one: float = 1, work_many: float = 1) -> float:
    """How many times as much work a second many GPUs do as one: (work_many / seconds_many) / (work_one / seconds_one).

    `work` is in any one unit, samples or tokens. With the work unchanged it is the quotient of the times.
    Raises BadArgument for figures that are not positive.

    >>> speed_up(60, 20), round(speed_up(250, 280, 250 * 2, 250 * 16), 2)
    (3.0, 7.14)
    """
    one = positive_number("work_one", work_one) / positive_number("seconds_one", seconds_one)
    return positive_number("work_many", work_many) / positive_number("seconds_many", seconds_many) / one


def efficiency(gpus: int, seconds_one: float, seconds_many: float, work_one: float = 1, work_many: float = 1) -> float:
    """The speed-up over the number of GPUs: 1 where each does as much as one alone.

    >>> efficiency(4, 60, 20)
    0.75
    """
    return speed_up(seconds_one, seconds_many, work_one, work_many) / whole_number("gpus", gpus)


def tokens_per_step(
    gpus: int, micro_batch: int, sequence: int, micro_batches: int = 1, tensor: int = 1, pipeline: int = 1
) -> int:
    """Tokens of one step: each of gpus / (tensor x pipeline) copies of the model reads its own micro-batches.

    GPUs of one tensor- or pipeline-parallel group work on the same tokens. Raises BadArgument where the groups do not
    divide the GPUs.

    >>> tokens_per_step(16, 4, 4096, tensor=8)
    32768
    """
    n, group = whole_number("gpus", gpus), whole_number("tensor", tensor) * whole_number("pipeline", pipeline)
    if n % group:
        raise BadArgument("gpus", gpus, f"a multiple of tensor x pipeline ({group:,})")
    sequences = whole_number("micro_batch", micro_batch) * whole_number("micro_batches", micro_batches)
    return n // group * sequences * whole_number("sequence", sequence)
