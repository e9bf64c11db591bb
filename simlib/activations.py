"""Bytes of activations that the forward pass keeps for the backward pass.

Source: Korthikanti et al. 2022, "Reducing Activation Recomputation in Large Transformer Models", section 4 and
table 2. 16-bit activations, 1-byte dropout masks, an MLP of 4 h. s is the sequence length, b the micro-batch, h the
hidden size, a the heads, t the tensor-parallel size, L the layers, p the pipeline stages. Closed forms; no NumPy.
`simlib.training.checkpointing` recomputes in numbers.
"""

from __future__ import annotations

from simlib.errors import one_of, positive_number, whole_number

MODES = ("none", "tensor", "tensor+sequence", "tensor+selective", "tensor+sequence+selective", "full")

# In units of s b h bytes: what attention, the MLP and the two layer norms of a layer keep, scores apart
ATTENTION, MLP, NORMS = 11, 19, 4


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
    kept, scores = _coefficients(sequence, hidden, heads, whole_number("tensor", tensor), mode)
    return sequence * whole_number("micro_batch", micro_batch) * hidden * (kept + scores)


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


def _coefficients(sequence: int, hidden: int, heads: int, t: int, mode: str) -> tuple[float, float]:
    """What a layer keeps in units of s b h bytes: the large tensors, and the attention scores."""
    s, h = whole_number("sequence", sequence), whole_number("hidden", hidden)
    scores = 5 * whole_number("heads", heads) * s / h
    everything = ATTENTION + MLP + NORMS
    # Tensor parallelism keeps 10 whole on every GPU: the norms, the blocks' inputs and the dropout masks
    whole = NORMS + 2 + 1 + 2 + 1
    match one_of("mode", mode, MODES):
        case "none":
            return everything, scores
        case "tensor":
            return whole + (everything - whole) / t, scores / t
        case "tensor+sequence":
            return everything / t, scores / t
        case "tensor+selective":
            return whole + (everything - whole) / t, 0
        case "tensor+sequence+selective":
            return everything / t, 0
        case _:
            return 2, 0
