"""What one worker of a ZeRO group holds: arrays, not figures, so that their bytes can be counted at any moment."""

from __future__ import annotations

from dataclasses import dataclass, field

from simlib.decoder.layers import Saved, bytes_of
from simlib.optimizers import Precision, State
from simlib.training.course import Held
from simlib.training.settings import Array


@dataclass(eq=False)
class ShardedWorker:
    """The arrays of one worker, by layer. What a stage shards is a shard here, the rest is whole."""

    formats: Precision
    weights: list[Array]  # working weights: whole layers, at stage 3 shards
    states: list[State]  # of its shards; at stage 0 of whole layers
    gradients: dict[int, Array] = field(default_factory=dict)  # kept until the update: whole or shards
    gathered: dict[int, Array] = field(default_factory=dict)  # whole layers that are here for a pass only
    unreduced: dict[int, Array] = field(default_factory=dict)  # of whole layers, until they are reduce-scattered
    saved: dict[int, Saved] = field(default_factory=dict)  # activations
    reduced: dict[int, Array] = field(default_factory=dict)  # views of the part of `gradients` that it updates from

    def held(self) -> Held:
        """Bytes of all of that."""
        states = sum(state.averages_bytes for state in self.states)
        if self.formats.separate:
            states += sum(state.master.nbytes for state in self.states)
        return Held(
            weights=sum(array.nbytes for array in self.weights),
            gradients=sum(array.nbytes for array in self.gradients.values()),
            optimizer=states,
            gathered=sum(array.nbytes for array in self.gathered.values()),
            unreduced=sum(array.nbytes for array in self.unreduced.values()),
            activations=sum(bytes_of(saved) for saved in self.saved.values()),
        )

    def whole(self, layer: int) -> Array:
        """The weights of a layer as a pass computes with them."""
        found = self.gathered.get(layer, self.weights[layer])
        return found.astype(self.formats.compute, copy=False)
