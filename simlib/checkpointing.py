"""Bytes of activations from moment to moment of one step, with a checkpoint every so many layers.

A checkpoint is a layer's input, kept while the activations of the layers from there on are thrown away; the backward
pass runs these layers forward once more when it comes to them (Chen et al. 2016, "Training Deep Nets with Sublinear
Memory Cost"). All layers are alike. Closed forms; no NumPy. `simlib.training.checkpointing` does it in numbers.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt

from simlib.errors import BadArgument, positive_number, whole_number

PASSES = ("forward", "recompute", "backward")


@dataclass(frozen=True)
class Moment:
    """The end of one layer's forward or recomputed pass, or the start of its backward pass; bytes held then."""

    layer: int
    running: str  # one of PASSES
    inputs: float  # checkpoints: inputs of layers whose activations are not there
    activations: float  # of layers kept since the forward pass, or recomputed

    @property
    def bytes(self) -> float:
        """Both together."""
        return self.inputs + self.activations


def step_moments(layers: int, layer_bytes: float, input_bytes: float = 0, every: int = 0) -> list[Moment]:
    """The moments of one step, forward through all layers and backward again.

    A layer keeps `layer_bytes`, its input of `input_bytes` among them. `every` 0 keeps all of them; k keeps the inputs
    of layers 0, k, 2k, … alone and recomputes the others' activations, k layers at a time. Raises BadArgument for
    sizes that are not positive, and for an input larger than the layer.

    >>> [moment.bytes for moment in step_moments(2, 10)]
    [10.0, 20.0, 20.0, 10.0]
    >>> [(moment.running, moment.bytes) for moment in step_moments(2, 10, 1, every=1)][2:]
    [('recompute', 11.0), ('backward', 11.0), ('recompute', 10.0), ('backward', 10.0)]
    """
    count, k = whole_number("layers", layers), whole_number("every", every, 0, layers)
    layer, single = _sizes(layer_bytes, input_bytes)
    moments = []
    for at in range(count):
        kept = (at // k + 1) * single if k else 0
        moments.append(Moment(at, "forward", kept, 0 if k else (at + 1) * layer))
    for at in reversed(range(count)):
        first = at // k * k if k else 0
        checkpoints = first // k * single if k else 0
        # The last layer of a segment comes first: the whole segment has to be there
        if k and ((at + 1) % k == 0 or at == count - 1):
            moments += [
                Moment(again, "recompute", checkpoints, (again - first + 1) * layer) for again in range(first, at + 1)
            ]
        moments.append(Moment(at, "backward", checkpoints, (at - first + 1) * layer))
    return moments


def peak_bytes(layers: int, layer_bytes: float, input_bytes: float = 0, every: int = 0) -> float:
    """The most bytes at one moment: L x layer, or with a checkpoint every k layers (L / k - 1) x input + k x layer.

    Where k does not divide L, the last segment is shorter and holds less than the one before it.

    >>> peak_bytes(16, 1, 1), peak_bytes(16, 1, 1, every=4), peak_bytes(16, 1, 1, every=1)
    (16.0, 7.0, 16.0)
    """
    return max(moment.bytes for moment in step_moments(layers, layer_bytes, input_bytes, every))


def best_every(layers: int, layer_bytes: float, input_bytes: float) -> int:
    """After how many layers a checkpoint is best: the k with the lowest peak, of several the one nearest the formula.

    The formula is sqrt(L x input / layer): the square root of L where a layer keeps its input alone, as in Chen et al.
    2016, and 1 for transformer layers, which keep many times their input.

    >>> best_every(100, 1, 1), best_every(96, 114, 2)
    (10, 1)
    """
    count = whole_number("layers", layers)
    layer, single = _sizes(layer_bytes, input_bytes)
    formula = sqrt(count * single / layer)
    return min(range(1, count + 1), key=lambda k: (peak_bytes(count, layer, single, k), abs(k - formula)))


def _sizes(layer_bytes: float, input_bytes: float) -> tuple[float, float]:
    layer = positive_number("layer_bytes", layer_bytes)
    single = positive_number("input_bytes", input_bytes, zero=True)
    if single > layer:
        raise BadArgument("input_bytes", input_bytes, f"at most the {layer:g} bytes that a layer keeps, input included")
    return layer, single
