"""A pipeline of sharded stages (FSDP): when a rank gathers a stage's parameters, and when it drops them.

Each rank of a data-parallel group keeps a shard of every stage it runs. Before a stage runs its shards
are all-gathered (UNSHARD), afterwards the whole is dropped and the shard kept (RESHARD, which sends
nothing). Fewer of them are better: consecutive passes of one stage share one gathering, and that is
what looped breadth-first is made for.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from simlib.errors import whole_number
from simlib.pipeline.operations import Step
from simlib.pipeline.rows import parse_orders


class Gathering(NamedTuple):
    """A stage's parameters come ("UNSHARD") or go ("RESHARD")."""

    stage: int
    action: str

    def __str__(self) -> str:
        return f"{self.stage}{self.action}"


def with_gathering(row: Iterable[Step | str | None], most_stages: int = 3) -> list[Step | Gathering]:
    """A rank's row with the gathering of its stages put in, for at most `most_stages` whole stages at once.

    Before each operation the next `most_stages` different stages of the row are gathered, so that they are
    there in time, and others dropped to make room (a pair of two stages may need one more). At the end
    all are dropped. The rule, the names and the default are those of torch.distributed.pipelining.
    Raises BadArgument for what is no operation, or `most_stages` below 1.

    >>> " ".join(map(str, with_gathering(["0F0", "0F1", None, "0B0", "0B1"])))
    '0UNSHARD 0F0 0F1 0B0 0B1 0RESHARD'
    """
    whole_number("most_stages", most_stages)
    steps = list(parse_orders([row])[0])
    gathered: list[int] = []
    lowered: list[Step | Gathering] = []
    for position, step in enumerate(steps):
        wanted = _next_stages(steps[position:], most_stages)
        lowered += [Gathering(stage, "RESHARD") for stage in sorted(gathered) if stage not in wanted]
        lowered += [Gathering(stage, "UNSHARD") for stage in wanted if stage not in gathered]
        lowered.append(step)
        gathered = wanted
    return lowered + [Gathering(stage, "RESHARD") for stage in sorted(gathered)]


def _next_stages(steps: Sequence[Step], count: int) -> list[int]:
    """The first `count` different stages of `steps`, in order of use; a pair's two stay together."""
    stages: list[int] = []
    for step in steps:
        stages += [part.stage for part in step.parts if part.stage not in stages]
        if len(stages) >= count:
            break
    return stages
