"""A mesh of ranks: which ranks share a tensor, a pipeline or a copy of the model, and where their traffic lands.

A mesh names its axes, the slowest changing first: ranks count through the last axis first, as in an array of the
mesh's shape. Megatron-LM's order "tp-dp-pp" is the mesh (pp, dp, tp); DeepSpeed's topologies are in this order.
Sources: Narayanan et al. 2021, section 3; "How to Scale Your Model", chapters on sharding and training.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise, product
from math import prod, sqrt

from simlib.errors import BadArgument, positive_number, whole_number


@dataclass(frozen=True)
class Mesh:
    """Ranks laid out along named axes.

    >>> Mesh.of(pipeline=4, data=2, tensor=2).groups("pipeline")[:2]
    ((0, 4, 8, 12), (1, 5, 9, 13))
    """

    axes: tuple[str, ...]
    sizes: tuple[int, ...]

    def __post_init__(self) -> None:
        if len(self.axes) != len(self.sizes) or len(set(self.axes)) != len(self.axes):
            raise BadArgument("axes", self.axes, "a name of its own for each size")
        for axis, size in zip(self.axes, self.sizes, strict=True):
            whole_number(axis, size)

    @classmethod
    def of(cls, **sizes: int) -> Mesh:
        """The mesh with these axes, the slowest changing first."""
        return cls(tuple(sizes), tuple(sizes.values()))

    @classmethod
    def in_order(cls, order: str, sizes: Mapping[str, int]) -> Mesh:
        """The mesh in Megatron-LM's notation: `order` "tp-dp-pp" has the fastest changing axis first.

        >>> Mesh.in_order("tp-dp-pp", {"tp": 2, "pp": 4, "dp": 2}).axes
        ('pp', 'dp', 'tp')
        """
        axes = order.split("-")[::-1]
        if sorted(axes) != sorted(sizes):
            raise BadArgument("order", order, f"each of {', '.join(sizes)} once, joined by -")
        return cls(tuple(axes), tuple(sizes[axis] for axis in axes))

    @cached_property
    def world_size(self) -> int:
        """How many ranks there are."""
        return prod(self.sizes)

    def size(self, axis: str) -> int:
        """How many ranks there are along `axis`. Raises BadArgument for an axis that there is not."""
        if axis not in self.axes:
            raise BadArgument("axis", axis, ", ".join(self.axes))
        return self.sizes[self.axes.index(axis)]

    def coordinates(self, rank: int) -> dict[str, int]:
        """Where `rank` is along each axis. Raises BadArgument for a rank that there is not.

        >>> Mesh.of(pipeline=4, data=2, tensor=2).coordinates(13)
        {'pipeline': 3, 'data': 0, 'tensor': 1}
        """
        left = whole_number("rank", rank, 0, self.world_size - 1)
        found = {}
        for axis, size in zip(reversed(self.axes), reversed(self.sizes), strict=True):
            left, found[axis] = divmod(left, size)
        return dict(reversed(found.items()))

    def rank(self, **coordinates: int) -> int:
        """The rank at these coordinates, one for each axis."""
        if sorted(coordinates) != sorted(self.axes):
            raise BadArgument("coordinates", coordinates, f"one for each of {', '.join(self.axes)}")
        found = 0
        for axis, size in zip(self.axes, self.sizes, strict=True):
            found = found * size + whole_number(axis, coordinates[axis], 0, size - 1)
        return found

    def groups(self, *axes: str) -> tuple[tuple[int, ...], ...]:
        """The ranks that differ along `axes` alone: groups that run a collective together, by their first rank."""
        for axis in axes:
            self.size(axis)
        fixed = [axis for axis in self.axes if axis not in axes]
        moving = [axis for axis in self.axes if axis in axes]
        return tuple(
            tuple(
                self.rank(**dict(zip(fixed, where, strict=True)), **dict(zip(moving, along, strict=True)))
                for along in product(*(range(self.size(axis)) for axis in moving))
            )
            for where in product(*(range(self.size(axis)) for axis in fixed))
        )

    def lands(self, axis: str, gpus_per_server: int) -> str:
        """Where the traffic along `axis` lands: "inside" servers, "between" them, or both ("mixed").

        Servers hold consecutive ranks. A ring along the axis is as slow as the slowest of its links.

        >>> mesh = Mesh.of(pipeline=4, data=2, tensor=2)
        >>> [mesh.lands(axis, gpus_per_server=4) for axis in mesh.axes]
        ['between', 'inside', 'inside']
        """
        size = whole_number("gpus_per_server", gpus_per_server)
        crossings = {one // size != other // size for group in self.groups(axis) for one, other in pairwise(group)}
        if len(crossings) == 2:
            return "mixed"
        return "between" if True in crossings else "inside"

    def sharded_elements(self, shape: Sequence[int], partition: Sequence[Sequence[str]]) -> tuple[float, float]:
        """Elements of a sharded array on each rank, and on all ranks together.

        `partition` names, for each dimension of `shape`, the axes that it is split over; axes that are not named hold
        copies. Raises BadArgument where an axis is named twice.

        >>> Mesh.of(X=2, Y=8, Z=2).sharded_elements((128, 2048), (("X", "Y"), ()))
        (16384.0, 524288.0)
        """
        named = [axis for axes in partition for axis in axes]
        if len(partition) != len(shape) or len(set(named)) != len(named):
            raise BadArgument("partition", partition, "the axes of each dimension, each axis at most once")
        each = prod(whole_number(f"shape[{place}]", size) for place, size in enumerate(shape))
        each_rank = each / prod(self.size(axis) for axis in named)
        return each_rank, each_rank * self.world_size


def best_fsdp_size(batch_tokens: float, chips: int, ffn: int) -> float:
    """How many of `chips` should shard the batch, when the rest split the matrices: sqrt(2 B N / F).

    There the bytes of gathered weights and those of tensor parallelism's activations together are least.
    Source: "How to Scale Your Model", chapter on training; links of equal speed along both axes.

    >>> round(best_fsdp_size(4.19e6, 8960, 28672))
    1618
    """
    tokens = positive_number("batch_tokens", batch_tokens)
    return sqrt(2 * tokens * whole_number("chips", chips) / whole_number("ffn", ffn))


def shard_lengths(length: int, shards: int) -> tuple[int, ...]:
    """How `torch.chunk` (and so FSDP) cuts a dimension: ceil(length / shards) each, and what is left.

    The last shards may be shorter, or empty. From one shard's length the whole cannot be inferred.

    >>> shard_lengths(5, 2), shard_lengths(5, 4)
    ((3, 2), (2, 2, 1, 0))
    """
    whole, parts = whole_number("length", length, 0), whole_number("shards", shards)
    each = -(-whole // parts)
    return tuple(max(0, min(each, whole - each * shard)) for shard in range(parts))
