"""What can be said of a pipeline without drawing it: bubbles, slots, activations held.

Throughout, p is the number of stages (one a rank), m the number of micro-batches of a step and v
the number of chunks: model stages per rank. All stages take the same time and messages none; for
anything else, time the schedule (`simlib.pipeline.schedule`).

Sources: Huang et al. 2019, "GPipe", section 2.3 (bubble as a share of the total time); Narayanan
et al. 2021, "Efficient Large-Scale Language Model Training on GPU Clusters", section 2.2 (bubble
as a share of the ideal time, the interleaved schedule, activations of 1F1B); Qi et al. 2023, "Zero
Bubble Pipeline Parallelism", and Qi et al. 2024, "Pipeline Parallelism with Controllable Memory"
(activations of the ZB schedules); DeepSeek-AI 2024, "DeepSeek-V3 Technical Report", table 2.
"""

from __future__ import annotations

from simlib.errors import BadArgument, positive_number, whole_number
from simlib.pipeline.sizes import checked_sizes


def _p_m_v(stages: object, micro_batches: object, chunks: object) -> tuple[int, int, int]:
    return whole_number("stages", stages), whole_number("micro_batches", micro_batches), whole_number("chunks", chunks)


def bubble(stages: int, micro_batches: int, chunks: int = 1) -> float:
    """The idle share of the *total* time, (p-1) / (v m + p-1): GPipe's convention.

    Holds for GPipe and 1F1B (v = 1), and with m >= p for the interleaved and looped breadth-first
    schedules. Raises BadArgument for anything but whole numbers from 1.

    >>> bubble(4, 8)  # 3/11
    0.2727272727272727
    >>> bubble(8, 16, chunks=4)  # 7/71
    0.09859154929577464
    """
    p, m, v = _p_m_v(stages, micro_batches, chunks)
    return (p - 1) / (v * m + p - 1)


def bubble_of_ideal(stages: int, micro_batches: int, chunks: int = 1) -> float:
    """The idle time as a share of the *ideal* (busy) time, (p-1) / (v m): Narayanan et al.'s convention.

    Can exceed 1. Holds where `bubble` does; the two are the same idle time over different wholes.

    >>> bubble_of_ideal(4, 8)
    0.375
    """
    p, m, v = _p_m_v(stages, micro_batches, chunks)
    return (p - 1) / (v * m)


def zero_bubble_idle(stages: int, forward: float = 1, input: float = 1, weight: float = 1) -> float:
    """The time that a rank of ZB-H1 idles in a step, in the unit of the times: (p-1) (F + I - W).

    Qi et al. 2023, section 2.3. `forward`, `input` and `weight` are a stage's times for one micro-batch: its forward
    pass, its input gradient and its weight gradient, which fills what it can. With m >= p; the number of micro-batches
    does not come in. Raises BadArgument for a weight gradient that takes longer than the two others together.

    >>> zero_bubble_idle(4, forward=1, input=1, weight=1)  # 1F1B idles 3 x 3
    3.0
    """
    passes = positive_number("forward", forward) + positive_number("input", input)
    fills = positive_number("weight", weight, zero=True)
    if fills > passes:
        raise BadArgument("weight", weight, f"at most forward + input, {passes:g}; time the schedule for anything else")
    return (whole_number("stages", stages) - 1) * (passes - fills)


def zero_bubble(stages: int, micro_batches: int, forward: float = 1, input: float = 1, weight: float = 1) -> float:
    """The idle share of the *total* time of ZB-H1: its idle time over m (F + I + W) and itself (Qi et al. 2023).

    Raises BadArgument as `zero_bubble_idle` does, and for fewer micro-batches than stages.

    >>> round(zero_bubble(4, 8, weight=0.3), 4)  # 5.1 of 23.5
    0.217
    """
    m = whole_number("micro_batches", micro_batches, whole_number("stages", stages))
    idle = zero_bubble_idle(stages, forward, input, weight)
    return idle / (m * (forward + input + weight) + idle)


def makespan(
    stages: int, micro_batches: int, forward: float = 1, backward: float = 2, chunks: int = 1, latency: float = 0
) -> float:
    """The time of a step of GPipe, in the unit of the times: (m + (p-1)/v) (F + B) + 2 (p-1) latency.

    Also of 1F1B without latency, and with m >= p of the chunked schedules without latency. `forward` and
    `backward` are a rank's times for one micro-batch, all its chunks together; a message takes `latency`.

    >>> makespan(4, 8)
    33.0
    """
    p, m, v = _p_m_v(stages, micro_batches, chunks)
    passes = positive_number("forward", forward) + positive_number("backward", backward)
    messages = 2 * (p - 1) * positive_number("latency", latency, zero=True)
    if messages and v > 1:
        raise BadArgument("latency", latency, "0 with chunks: a schedule of chunks with latency has to be timed")
    return (m * v + p - 1) * passes / v + messages


def total_slots(stages: int, micro_batches: int) -> int:
    """Cells of the grid of the forward passes alone, idle ones too: p (m + p-1).

    >>> total_slots(2, 3)
    8
    """
    p, m, _ = _p_m_v(stages, micro_batches, 1)
    return p * (m + p - 1)


def idle_slots(stages: int, micro_batches: int) -> int:
    """Idle cells among them: p (p-1), whatever m is. More micro-batches dilute a bubble, they do not shrink it.

    >>> idle_slots(2, 3)
    2
    """
    p, _, _ = _p_m_v(stages, micro_batches, 1)
    return p * (p - 1)


def warmup_forwards(stages: int, micro_batches: int, stage: int, chunks: int = 1) -> int:
    """Forward passes that rank `stage` makes before it alternates, F then B.

    1F1B (one chunk): min(m, p-1-stage), then F and B alternate. Interleaved (v > 1): 2 (p-1-stage) +
    (v-1) r, at most v m, with rounds of r micro-batches each (r = p where p divides m). The 2 is meant
    (Megatron-LM): ahead by two passes for each rank after it, a rank has work while messages are on the
    way; where they take no time, one would do.

    >>> [warmup_forwards(4, 8, rank, chunks=2) for rank in range(4)]
    [10, 8, 6, 4]
    """
    rank = _rank(stages, stage)
    if whole_number("chunks", chunks) == 1:
        p, m, _ = _p_m_v(stages, micro_batches, 1)
        return min(m, p - 1 - rank)
    return interleaved_warmup(*checked_sizes("interleaved", stages, micro_batches, chunks), rank)


def interleaved_warmup(stages: int, micro_batches: int, chunks: int, rank: int) -> int:
    """The warm-up forwards of the interleaved schedule, for sizes already checked and one chunk too."""
    round_size = micro_batches // max(1, micro_batches // stages)
    return min(2 * (stages - 1 - rank) + (chunks - 1) * round_size, chunks * micro_batches)


def peak_activations(schedule: str, stages: int, micro_batches: int, stage: int, chunks: int = 1) -> int:
    """The most stage activations that rank `stage` holds at once, each held from F until its B (or W) frees it.

    With several chunks an activation is that of a chunk, 1/v of a rank's layers. For F = I = W and B = 2 F.
    Raises BadArgument for a schedule that there is not, sizes it does not take, or a stage outside 0 to p-1.

    | schedule | activations |
    |---|---|
    | gpipe | m |
    | 1f1b | min(m, p - stage) |
    | interleaved | min(v m, warm-up forwards + 1) |
    | looped-bfs | v m |
    | zb-h1 | min(m, p), with v > 1 min(v m, p + (v-1) r) for rounds of r micro-batches, on every rank |
    | zb-h2 | min(m, 2p): the memory cap of Qi et al., reached on every rank |
    | zb-v | min(2 p, 2 m, m + 1 + stage) chunks, half a rank each |
    | dualpipe, dualpipe-v | p+1, and 2p+1 chunks of half a rank |

    >>> [peak_activations("1f1b", 4, 8, stage) for stage in range(4)]
    [4, 3, 2, 1]
    """
    p, m, v = checked_sizes(schedule, stages, micro_batches, chunks)
    rank = _rank(p, stage)
    match schedule:
        case "1f1b":
            return min(m, p - rank)
        case "interleaved":
            return min(v * m, interleaved_warmup(p, m, v, rank) + 1)
        case "zb-h1":
            return min(v * m, p + interleaved_warmup(p, m, v, p - 1))
        case "zb-h2":
            return min(m, 2 * p)
        case "zb-v":
            return min(2 * p, 2 * m, m + 1 + rank)
        case "dualpipe":
            return p + 1
        case "dualpipe-v":
            return 2 * p + 1
        case _:  # gpipe and looped-bfs run every forward before any backward
            return v * m


def micro_batches(batch: int, micro_batch: int, data: int = 1) -> int:
    """Micro-batches of a step in each of `data` pipelines: batch / (micro-batch x d), all in samples.

    Raises BadArgument unless it comes out whole, as libraries do.

    >>> micro_batches(256, 2, data=8)
    16
    """
    each = whole_number("micro_batch", micro_batch) * whole_number("data", data)
    total = whole_number("batch", batch)
    if total % each:
        raise BadArgument("batch", batch, f"a multiple of micro-batch x data, {each}")
    return total // each


def messages(stages: int, micro_batches: int, chunks: int = 1) -> int:
    """Messages between ranks in a step, 2 m (v p - 1): each micro-batch forward and back over every cut.

    With one rank there is nobody to send to. Model stages are placed round the ranks, so that no two that follow
    one another are on one rank.

    >>> messages(4, 8), messages(4, 8, chunks=2)
    (48, 112)
    """
    p, m, v = _p_m_v(stages, micro_batches, chunks)
    return 0 if p == 1 else 2 * m * (v * p - 1)


def instruction_steps(stages: int, micro_batches: int) -> int:
    """Steps of 1F1B when each step is one pass, forward or backward, of every stage: 2 (m + p-1).

    So DeepSpeed counts (its TrainSchedule).

    >>> instruction_steps(4, 8)
    22
    """
    p, m, _ = _p_m_v(stages, micro_batches, 1)
    return 2 * (m + p - 1)


def buffers(stages: int, micro_batches: int, stage: int) -> int:
    """Activation buffers that DeepSpeed sets up for 1F1B on `stage`: max(2, min(p - stage, m)).

    Two at least, so that one can be received into while the other is used.

    >>> [buffers(4, 8, stage) for stage in range(4)]
    [4, 3, 2, 2]
    """
    p, m, _ = _p_m_v(stages, micro_batches, 1)
    return max(2, min(p - _rank(p, stage), m))


def _rank(stages: object, stage: object) -> int:
    return whole_number("stage", stage, 0, whole_number("stages", stages) - 1)
