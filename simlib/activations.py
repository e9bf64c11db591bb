"""Bytes of activations that the forward pass keeps for the backward pass.

Source: Korthikanti et al. 2022, "Reducing Activation Recomputation in Large Transformer Models", section 4 and
table 2. 16-bit activations, 1-byte dropout masks, an MLP of 4 h. s is the sequence length, b the micro-batch, h the
hidden size, a the heads, t the tensor-parallel size, L the layers, p the pipeline stages. Closed forms; no NumPy.
`simlib.training.checkpointing` recomputes in numbers.
"""

from __future__ import annotations

from typing import NamedTuple

from simlib.errors import one_of, positive_number, whole_number

MODES = ("none", "tensor", "tensor+sequence", "tensor+selective", "tensor+sequence+selective", "full")

# In units of s b h bytes: what attention, the MLP and the two layer norms of a layer keep, scores apart
ATTENTION, MLP, NORMS = 11, 19, 4
# Of attention and the MLP, what tensor parallelism leaves whole on every GPU: the block's input and its dropout mask
_WHOLE = 2 + 1
LAYER_INPUT = 2  # all that full recomputation keeps

PARTS = ("input", "norms", "attention", "scores", "mlp")


class LayerParts(NamedTuple):
    """What a layer keeps, in bytes, by what it is for. Full recomputation keeps the input alone, other modes none."""

    input: float
    norms: float
    attention: float  # scores apart
    scores: float  # softmax, its dropout mask, and what dropout puts out: 5 a s^2 b
    mlp: float

    @property
    def total(self) -> float:
        """Bytes of the layer."""
        return sum(self)


def parts_per_layer(
    sequence: int, micro_batch: int, hidden: int, heads: int, tensor: int = 1, mode: str = "none"
) -> LayerParts:
    """Bytes of activations of one transformer layer on one GPU, by part (Korthikanti et al. 2022, sections 4.1 to 4.2).

    In units of s b h: two layer norms 4, attention 11 and its scores 5 a s / h, the MLP 19. Tensor parallelism divides
    what the matrices produce and leaves 3 of attention, 3 of the MLP and the norms whole; sequence parallelism divides
    these too. Raises BadArgument for another mode and for sizes that are not positive.

    >>> parts = parts_per_layer(2048, 1, 12288, 96)
    >>> [round(part / (2048 * 12288)) for part in parts]
    [0, 4, 11, 80, 19]
    """
    s, b, h = (
        whole_number("sequence", sequence),
        whole_number("micro_batch", micro_batch),
        whole_number("hidden", hidden),
    )
    a, t = whole_number("heads", heads), whole_number("tensor", tensor)
    unit = s * b * h
    if one_of("mode", mode, MODES) == "full":
        return LayerParts(LAYER_INPUT * unit, 0, 0, 0, 0)
    split = 1 if mode == "none" else t
    rest = split if "sequence" in mode else 1
    scores = 0.0 if "selective" in mode else 5 * a * s * s * b / split
    attention = _WHOLE / rest + (ATTENTION - _WHOLE) / split
    mlp = _WHOLE / rest + (MLP - _WHOLE) / split
    return LayerParts(0, NORMS / rest * unit, attention * unit, scores, mlp * unit)


def bytes_per_layer(
    sequence: int, micro_batch: int, hidden: int, heads: int, tensor: int = 1, mode: str = "none"
) -> float:
    """Bytes of activations of one transformer layer on one GPU.

    | mode | bytes |
    |---|---|
    | none | s b h (34 + 5 a s / h) |
    | tensor | s b h (10 + 24 / t + 5 a s / (h t)) |
    | tensor+sequence | s b h (34 / t + 5 a s / (h t)) |
    | tensor+selective | s b h (10 + 24 / t) |
    | tensor+sequence+selective | s b h 34 / t |
    | full | 2 s b h |

    "selective" recomputes the attention scores, "full" keeps each layer's input alone. Raises BadArgument for
    another mode and for sizes that are not positive.

    >>> bytes_per_layer(2048, 1, 12288, 96) / 2**30
    2.671875
    """
    return parts_per_layer(sequence, micro_batch, hidden, heads, tensor, mode).total


def first_stage_bytes(
    layers: int,
    sequence: int,
    micro_batch: int,
    hidden: int,
    heads: int,
    tensor: int = 1,
    mode: str = "none",
    pipeline: int = 1,
    interleave: int = 1,
    micro_batches: int | None = None,
) -> float:
    """Bytes of the layers' activations on the first pipeline stage, the fullest, under 1F1B.

    It holds L / p layers of p micro-batches: those of L layers, whatever p is. The interleaved schedule with v
    chunks holds 1 + (p - 1) / (p v) times as much; fewer micro-batches than stages hold less (m / p).
    Source: Korthikanti et al. 2022, section 4.2.3.

    >>> round(first_stage_bytes(96, 2048, 1, 12288, 96, 8, "tensor+sequence+selective", 8, 3) / 2**30, 3)
    12.352
    """
    layer = bytes_per_layer(sequence, micro_batch, hidden, heads, tensor, mode)
    p, v = whole_number("pipeline", pipeline), whole_number("interleave", interleave)
    penalty = 1 + (p - 1) / (p * v) if v > 1 else 1.0
    in_flight = 1.0 if micro_batches is None or v > 1 else min(1, whole_number("micro_batches", micro_batches) / p)
    return whole_number("layers", layers) * layer * penalty * in_flight


def largest_micro_batch(
    room: float, layers: int, sequence: int, hidden: int, heads: int, tensor: int = 1, mode: str = "none"
) -> int:
    """How many sequences a micro-batch may have for the layers' activations to fit into `room` bytes; 0 if not one.

    One micro-batch at a time. With "full" the layer that is being recomputed counts too, with all that it keeps.

    >>> largest_micro_batch(60e9, 32, 2048, 4096, 32), largest_micro_batch(60e9, 32, 2048, 4096, 32, mode="full")
    (1, 40)
    """
    count = whole_number("layers", layers)
    one = count * bytes_per_layer(sequence, 1, hidden, heads, tensor, mode)
    if mode == "full":
        running = parts_per_layer(sequence, 1, hidden, heads, tensor, "tensor").total
        one += running - bytes_per_layer(sequence, 1, hidden, heads, tensor, mode)
    return int(positive_number("room", room, zero=True) // one)


def outside_layers_bytes(
    sequence: int,
    micro_batch: int,
    hidden: int,
    vocab: int,
    tensor: int = 1,
    pipeline: int = 1,
    micro_batches: int | None = None,
) -> float:
    """Bytes that the first stage keeps outside its layers, with sequence parallelism.

    For each of the min(p, m) micro-batches in flight the embedding's dropout mask, s b h, and its token ids, 8 s b;
    with a single stage also the inputs of the last norm and of the output layer and the logits in FP32,
    4 s b h (1 + V / h); all divided by t (Korthikanti et al. 2022, section 4.3; token ids as Megatron-LM counts them).
    """
    s, b, h = (
        whole_number("sequence", sequence),
        whole_number("micro_batch", micro_batch),
        whole_number("hidden", hidden),
    )
    t, p = whole_number("tensor", tensor), whole_number("pipeline", pipeline)
    in_flight = p if micro_batches is None else min(p, whole_number("micro_batches", micro_batches))
    output = 4 * s * b * (h + whole_number("vocab", vocab)) if p == 1 else 0
    return (s * b * (h + 8) * in_flight + output) / t


def recomputation_overhead(sequence: int, hidden: int) -> float:
    """FLOPs that selective recomputation adds, over those of the layers' matrix products: s / (6 h).

    Over all model FLOPs it is a little less (Korthikanti et al. 2022, section 5).

    >>> round(recomputation_overhead(2048, 12288), 4)
    0.0278
    """
    return whole_number("sequence", sequence) / (6 * whole_number("hidden", hidden))


def checkpointed_bytes(
    tokens: float, hidden: int, layers: int, kept_per_layer: float = 1, value_bytes: float = 2
) -> float:
    """Bytes of activations when `kept_per_layer` x hidden values a token and layer are kept and the rest recomputed.

    >>> checkpointed_bytes(4e6, 8192, 80, kept_per_layer=4)
    20971520000000.0
    """
    values = positive_number("tokens", tokens) * whole_number("hidden", hidden) * whole_number("layers", layers)
    return positive_number("kept_per_layer", kept_per_layer) * values * positive_number("value_bytes", value_bytes)
