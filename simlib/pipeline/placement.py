"""Which layers each model stage has, and which rank has which model stage.

Looped, as the interleaved schedule has it (Narayanan et al. 2021, section 2.2): model stage s is on rank s mod p, so a
micro-batch goes round the ranks v times. V-shaped, as ZB-V and DualPipeV have it (Qi et al. 2024): stages r and
2p-1-r are on rank r, so it goes down the ranks and up again.
"""

from __future__ import annotations

from simlib.errors import BadArgument, one_of, whole_number

PLACEMENTS = ("looped", "v")


def layers_of_stages(layers: int, stages: int) -> tuple[range, ...]:
    """The layers of each of `stages` model stages: as even as it goes, the first ones one more.

    Raises BadArgument for fewer layers than stages.

    >>> layers_of_stages(30, 4)
    (range(0, 8), range(8, 16), range(16, 23), range(23, 30))
    """
    count = whole_number("stages", stages)
    total = whole_number("layers", layers)
    if total < count:
        raise BadArgument("layers", layers, f"at least {count}, a layer for each model stage")
    each, more = divmod(total, count)
    starts = [stage * each + min(stage, more) for stage in range(count + 1)]
    return tuple(map(range, starts, starts[1:]))


def layers_built(layers: int, stages: int) -> int:
    """How many layers a model has if each stage builds layers // stages of them, and nobody the rest.

    >>> layers_built(30, 4)
    28
    """
    count = whole_number("stages", stages)
    return whole_number("layers", layers) // count * count


def rank_of_stage(stage: int, ranks: int, chunks: int = 1, placement: str = "looped") -> int:
    """The rank that has model stage `stage` of the `ranks` x `chunks` there are. Raises BadArgument.

    >>> [rank_of_stage(stage, 4, 2) for stage in range(8)]
    [0, 1, 2, 3, 0, 1, 2, 3]
    >>> [rank_of_stage(stage, 4, 2, "v") for stage in range(8)]
    [0, 1, 2, 3, 3, 2, 1, 0]
    """
    p, v = whole_number("ranks", ranks), whole_number("chunks", chunks)
    at = whole_number("stage", stage, 0, p * v - 1)
    if one_of("placement", placement, PLACEMENTS) == "looped":
        return at % p
    turn, place = divmod(at, p)
    return place if turn % 2 == 0 else p - 1 - place
