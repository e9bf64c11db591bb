"""A decoder-only transformer's shape: how many parameters it has, and how many FLOPs a token costs.

One FLOP is one multiplication or addition, so a matrix product of (a, b) by (b, c) costs 2abc. Sources: Narayanan
et al. 2021, "Efficient Large-Scale Language Model Training on GPU Clusters", equations 2 and 3; Chowdhery et al.
2022, "PaLM", appendix B (model FLOPs); Korthikanti et al. 2022, "Reducing Activation Recomputation in Large
Transformer Models", appendix A (selective recomputation). Closed forms; no NumPy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from simlib.errors import BadArgument, one_of, positive_number, whole_number

RECOMPUTATION = ("none", "selective", "full")


@dataclass(frozen=True)
class Transformer:
    """A shape. `ffn` 0 stands for 4 x hidden, `head_dim` 0 for hidden / heads, `kv_heads` 0 for as many as heads."""

    layers: int
    hidden: int
    heads: int
    vocab: int
    sequence: int
    ffn: int = 0
    head_dim: int = 0
    kv_heads: int = 0  # fewer than heads: grouped-query attention; 1: multi-query
    gated: bool = False  # three MLP matrices (SwiGLU) instead of two
    tied: bool = True  # the output layer uses the embedding's matrix
    biases: bool = False
    learned_positions: bool = False
    norm_parameters: int = 1  # per channel: 1 for RMSNorm, 2 for LayerNorm
    norms_per_layer: int = 2

    def __post_init__(self) -> None:
        for name in ("layers", "hidden", "heads", "vocab", "sequence"):
            whole_number(name, getattr(self, name))
        for name in ("ffn", "head_dim", "kv_heads"):
            whole_number(name, getattr(self, name), 0)
        if not self.head_dim and self.hidden % self.heads:
            raise BadArgument("heads", self.heads, f"a divisor of hidden ({self.hidden}), or head_dim given too")
        if self.kv_heads and self.heads % self.kv_heads:
            raise BadArgument("kv_heads", self.kv_heads, f"a divisor of heads ({self.heads})")

    @property
    def attention_width(self) -> int:
        """Heads times head size: the columns of the query matrix."""
        return self.heads * (self.head_dim or self.hidden // self.heads)

    @property
    def ffn_width(self) -> int:
        """Columns of the MLP's first matrix."""
        return self.ffn or 4 * self.hidden

    @property
    def attention_params(self) -> int:
        """Weights of the attention matrices of all layers: queries, keys, values, output."""
        kv_width = self.attention_width * (self.kv_heads or self.heads) // self.heads
        return self.layers * 2 * self.hidden * (self.attention_width + kv_width)

    @property
    def mlp_params(self) -> int:
        """Weights of the MLP matrices of all layers."""
        return self.layers * (3 if self.gated else 2) * self.hidden * self.ffn_width

    @property
    def embedding_params(self) -> int:
        """Weights of the token embedding, and of the output layer where it has its own."""
        return self.vocab * self.hidden * (1 if self.tied else 2)

    @property
    def matrix_params(self) -> int:
        """All matrices: what is left when norms, biases and positions are not counted."""
        return self.attention_params + self.mlp_params + self.embedding_params

    @property
    def kv_values_per_token(self) -> int:
        """Keys and values of one token in all layers: what a cache keeps of it."""
        return self.layers * 2 * self.attention_width * (self.kv_heads or self.heads) // self.heads

    @property
    def layer_params(self) -> int:
        """Everything in one layer."""
        kv_width = self.attention_width * (self.kv_heads or self.heads) // self.heads
        biases = self.attention_width + 2 * kv_width + self.ffn_width * (2 if self.gated else 1) + 2 * self.hidden
        matrices = (self.attention_params + self.mlp_params) // self.layers
        norms = self.norms_per_layer * self.norm_parameters * self.hidden
        return matrices + norms + (biases if self.biases else 0)

    @property
    def params(self) -> int:
        """Every parameter."""
        positions = self.sequence * self.hidden if self.learned_positions else 0
        final_norm = self.norm_parameters * self.hidden
        return self.layers * self.layer_params + final_norm + self.embedding_params + positions

    def flops_per_token(self, sequence: int | None = None) -> float:
        """Model FLOPs of one token, forward and backward: 6 P + 12 L H Q T (Chowdhery et al. 2022, appendix B).

        L layers, H heads of size Q, T tokens of context (`sequence`; the shape's own by default). All of the
        attention matrix counts, the masked half too.
        """
        context = self.sequence if sequence is None else whole_number("sequence", sequence)
        return flops_per_token(self.params, self.layers, self.heads, self.attention_width // self.heads, context)


def params(layers: int, hidden: int, vocab: int, sequence: int) -> float:
    """Parameters of a GPT: 12 L h^2 (1 + 13 / (12 h) + (V + s) / (12 L h)) (Narayanan et al. 2021, equation 2).

    Biases, norms and learned positions counted, two of the final norm's 2 h left out.

    >>> params(96, 12288, 51200, 2048) / 1e9
    174.615822336
    """
    layers, hidden, vocab, sequence = _shape(layers, hidden, vocab, sequence)
    return 12 * layers * hidden**2 + 13 * layers * hidden + (vocab + sequence) * hidden


def flops_per_token(params: float, layers: int, heads: int, head_size: int, sequence: int) -> float:
    """Model FLOPs of one token, forward and backward: 6 P + 12 L H Q T (Chowdhery et al. 2022, appendix B).

    L layers, H heads of size Q, T tokens of context. All of the attention matrix counts, the masked half too.

    >>> flops_per_token(6_738_415_616, 32, 32, 128, 4096) / 1e9
    46.87294464
    """
    width = whole_number("heads", heads) * whole_number("head_size", head_size)
    attention = 12 * whole_number("layers", layers) * width * whole_number("sequence", sequence)
    return 6 * whole_number("params", params) + attention


def flops_per_step(
    layers: int, hidden: int, vocab: int, sequence: int, batch: float, recompute: bool | str = True
) -> float:
    """FLOPs of one step of `batch` sequences through a GPT (Narayanan et al. 2021, equation 3).

    Fully recomputed: 96 B s L h^2 (1 + s / (6 h) + V / (16 L h)). Without (`recompute` False or "none") the
    backward pass costs twice the forward pass: 72 B s L h^2 (1 + s / (6 h) + V / (12 L h)), the model FLOPs.
    "selective" recomputes the attention matrix alone: 1 + s / (3 h) in place of 1 + s / (6 h), as Korthikanti et al.
    2022 count it in appendix A (the products alone, done once more, would be a third of that).

    >>> f"{flops_per_step(24, 2304, 51200, 2048, 512):.4e}"
    '1.5467e+16'
    """
    layers, hidden, vocab, sequence = _shape(layers, hidden, vocab, sequence)
    tokens = positive_number("batch", batch) * sequence
    if isinstance(recompute, bool):
        recompute = "full" if recompute else "none"
    passes = 4 if one_of("recompute", recompute, RECOMPUTATION) == "full" else 3
    matrices = passes * 24 * tokens * layers * hidden**2
    attention = (6 if recompute == "selective" else passes) * 4 * tokens * layers * hidden * sequence
    # The output layer is never recomputed
    return matrices + attention + 6 * tokens * hidden * vocab


def stage_params(shape: Transformer, layout: Sequence[int]) -> list[int]:
    """Parameters of each pipeline stage, where stage k has `layout[k]` layers.

    The first stage has the embedding and positions, the last the final norm and the output layer (with a shared
    embedding its own copy of it). Raises BadArgument for a layout that does not hold all layers.

    >>> shape = Transformer(layers=8, hidden=16, heads=4, vocab=32, sequence=8, norm_parameters=2)
    >>> stage_params(shape, [1, 2, 2, 3])
    [3648, 6272, 6272, 9952]
    """
    layers = [whole_number(f"layout[{place}]", count, 0) for place, count in enumerate(layout)]
    if sum(layers) != shape.layers:
        raise BadArgument("layout", list(layout), f"{shape.layers} layers in all")
    stages = [count * shape.layer_params for count in layers]
    embedding = shape.vocab * shape.hidden
    stages[0] += embedding + (shape.sequence * shape.hidden if shape.learned_positions else 0)
    stages[-1] += shape.norm_parameters * shape.hidden
    if len(stages) > 1 or not shape.tied:
        stages[-1] += embedding
    return stages


def fullest_shard_params(shape: Transformer, tensor: int = 1, pipeline: int = 1) -> float:
    """Parameters of the fullest GPU as Megatron-LM estimates them, for stages of equally many layers.

    Layers and final norm divided by p, plus one embedding (both where a single stage has an output layer of its own),
    divided by t, but for the norms, of which every tensor-parallel GPU has its own. For stages of unequal length it is
    too low: see `stage_params`.

    >>> fullest_shard_params(Transformer(8, 16, 4, 32, 8, norm_parameters=2), pipeline=4)
    6792.0
    """
    t, p = whole_number("tensor", tensor), whole_number("pipeline", pipeline)
    norms = (shape.layers * shape.norms_per_layer + 1) * shape.norm_parameters * shape.hidden
    split = shape.layers * shape.layer_params + shape.norm_parameters * shape.hidden - norms
    embeddings = shape.embedding_params if p == 1 else shape.vocab * shape.hidden
    return (split / p + embeddings) / t + norms / p


def training_seconds(params: float, tokens: float, gpus: int, flops_per_gpu: float, passes: float = 6) -> float:
    """Seconds of a training run: `passes` x parameters x tokens, over all GPUs' achieved FLOP/s.

    6 FLOPs a parameter and token: 2 forward, 4 backward; 8 with full recomputation (Narayanan et al. 2021,
    section 5.1).

    >>> round(training_seconds(175e9, 300e9, 1024, 140e12, passes=8) / 86400, 1)
    33.9
    """
    work = positive_number("passes", passes) * whole_number("params", params) * positive_number("tokens", tokens)
    return work / (whole_number("gpus", gpus) * positive_number("flops_per_gpu", flops_per_gpu))


def _shape(layers: int, hidden: int, vocab: int, sequence: int) -> tuple[int, int, int, int]:
    return (
        whole_number("layers", layers),
        whole_number("hidden", hidden),
        whole_number("vocab", vocab),
        whole_number("sequence", sequence),
    )
