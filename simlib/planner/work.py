"""What a tensor-parallel GPU holds, keeps, computes and sends for one layer and one sequence.

t is the tensor-parallel size, s the sequence, h the hidden size, a the heads, f the MLP's width, V the vocabulary.

Parameters: Shoeybi et al. 2019 (matrices and vocabulary divided by t, norms copied; fewer keys and values than t are
copied). Activations: Korthikanti et al. 2022, section 4 and table 2, carried over to other MLPs, to grouped queries
and to shapes without dropout; with a GPT's they are `simlib.activations.bytes_per_layer`. FLOPs: Chowdhery et al.
2022, appendix B: 6 a parameter and token, the embedding's too, and the whole attention matrix. Kernels that move
bytes: fused as in Narayanan et al. 2021, section 4.2 (bias with GeLU; dropout with the residual sum; scale, mask and
softmax), each reading and writing 16-bit values once. Left out: biases, rotary positions and transposes as traffic of
their own, the cross entropy, the gradients of activations. Closed forms; no NumPy.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from simlib.hardware import Hardware
from simlib.planner.efficiency import efficiency_of
from simlib.planner.placement import Group, Links
from simlib.planner.settings import Settings
from simlib.transformer import Transformer

VALUE = 2  # bytes of a 16-bit value
# Bytes a parameter that the optimizer moves: gradients to FP32 and unscaled 8, their norm 4, clipped 8, Adam 28 (reads
# gradient, weight, momentum and variance, writes the last three), weights to 16 bits 6, gradients zeroed 4
OPTIMIZER_TRAFFIC = 58


@dataclass(frozen=True, slots=True)
class LayerWork:
    """One layer on one GPU of a tensor-parallel group. Seconds and bytes are for one sequence."""

    params: float
    forward: float  # seconds; the backward pass takes twice as long
    attention_core: float  # of them the scores and their product with the values: what is recomputed selectively
    weight_gradient: float  # seconds of the weight gradients of the matrices split by columns
    kept: dict[str, float]  # bytes kept for the backward pass, by checkpointing
    working: dict[str, float]  # bytes of a layer that is being recomputed, by checkpointing


@dataclass(frozen=True, slots=True)
class EndWork:
    """What the first or the last stage has besides its layers, on one GPU; for one sequence."""

    params: float
    forward: float
    kept: float


@dataclass(frozen=True, slots=True)
class TensorWork:
    """A tensor-parallel size in one placement: a layer, the ends, and its collectives."""

    layer: LayerWork
    first: EndWork
    last: EndWork
    collective: float  # seconds of half an all-reduce of a layer's output: an all-gather or a reduce-scatter
    latency: float  # of it


class Work:
    """A model at a sequence length, on a machine, under settings."""

    def __init__(self, shape: Transformer, hardware: Hardware, sequence: int, settings: Settings) -> None:
        self.shape = replace(shape, sequence=sequence)
        self.hardware, self.settings = hardware, settings
        self.efficiency = efficiency_of(hardware, settings.efficiency)
        self.links = Links(hardware, self.efficiency, settings.all_network_cards)
        self.dropout = shape.biases if settings.dropout is None else settings.dropout
        # Attention and MLP side by side (PaLM) share a norm, a residual sum and their collectives
        self.blocks = 1 if shape.norms_per_layer == 1 else 2
        self.rate = self.efficiency.arithmetic * hardware.peak_flops
        self.model_flops_per_token = self.shape.flops_per_token()
        share = self.efficiency.memory
        self.seconds_per_byte = 0.0 if share is None else 1 / (share * hardware.memory_bandwidth)
        self.optimizer_seconds = OPTIMIZER_TRAFFIC / ((share or 1.0) * hardware.memory_bandwidth)  # per parameter

    def recomputed_flops_per_token(self, checkpointing: str) -> float:
        """FLOPs that count for HFU and not for MFU; selective ones as Korthikanti et al. count them (appendix A)."""
        if checkpointing == "none":
            return 0.0
        attention = 4 * self.shape.layers * self.shape.attention_width * self.shape.sequence
        if checkpointing == "selective":
            return 3.0 * attention
        return 2.0 * self.shape.layers * self.shape.layer_params + attention

    def tensor(self, group: Group) -> TensorWork:
        """The layer, the ends and the collectives for this tensor-parallel group."""
        byte, latency = self.links.ring_rates(group)
        collective = byte * VALUE * self.shape.sequence * self.shape.hidden
        first, last = self._ends(group.size)
        return TensorWork(self._layer(group.size), first, last, collective, latency)

    def _layer(self, t: int) -> LayerWork:
        shape, s, h, width = self.shape, self.shape.sequence, self.shape.hidden, self.shape.attention_width
        kv_heads = shape.kv_heads or shape.heads
        kv = width * kv_heads // shape.heads
        norms = shape.norms_per_layer * shape.norm_parameters * h
        kv_each = kv / min(t, kv_heads)  # more GPUs than keys and values: these are copied
        params = (shape.layer_params - norms - 2 * h * kv) / t + 2 * h * kv_each + norms
        by_columns = h * (width + 2 * kv) + h * shape.ffn_width * (2 if shape.gated else 1)
        core_flops = 4 * width * s * s / t
        norms_and_sums, activation, scores = self._traffic(t)
        core = core_flops / self.rate + scores * self.seconds_per_byte
        matrices = 2 * s * shape.layer_params / t / self.rate
        around = (norms_and_sums + activation) * self.seconds_per_byte
        kept, working = self._activations(t, kv_each)
        return LayerWork(params, matrices + core + around, core, 2 * s * by_columns / t / self.rate, kept, working)

    def _traffic(self, t: int) -> tuple[float, float, float]:
        """Bytes moved by the forward kernels that are no products: norms and residual sums, the MLP's, the scores'."""
        shape, s, h = self.shape, self.shape.sequence, self.shape.hidden
        mask = 1 if self.dropout else 0
        norm, residual_sum = 2 * VALUE, 3 * VALUE + mask
        whole = self.blocks * (norm + residual_sum) * s * h
        mlp = (3 if shape.gated else 2) * VALUE * s * shape.ffn_width / t
        softmax = 2 * VALUE + (2 * VALUE + mask if self.dropout else 0)
        scores = 0.0 if self.settings.fused_attention else softmax * shape.heads * s * s / t
        return whole / t if self.settings.sequence_parallel else whole, mlp, scores

    def _activations(self, t: int, kv_each: float) -> tuple[dict[str, float], dict[str, float]]:
        """Bytes that a layer keeps, and that one being recomputed needs, by checkpointing."""
        shape, s, h, width = self.shape, self.shape.sequence, self.shape.hidden, self.shape.attention_width
        mask = 1 if self.dropout else 0
        # Norms' inputs, the blocks' inputs, dropout masks: whole on each GPU unless split along the sequence
        whole = self.blocks * (VALUE + VALUE + mask) * h
        split = VALUE * 2 * width + VALUE * shape.ffn_width * (3 if shape.gated else 2)
        on_each = t if self.settings.sequence_parallel else 1
        without_scores = s * (whole / on_each + split / t + VALUE * 2 * kv_each)
        per_score = VALUE + (VALUE + mask if self.dropout else 0)
        scores = 0.0 if self.settings.fused_attention else per_score * shape.heads * s * s / t
        everything = without_scores + scores
        kept = {"none": everything, "selective": without_scores, "full": VALUE * s * h / on_each}
        return kept, {"none": 0.0, "selective": scores, "full": everything}

    def _ends(self, t: int) -> tuple[EndWork, EndWork]:
        shape, s, h = self.shape, self.shape.sequence, self.shape.hidden
        embedding = shape.vocab * h
        positions = s * h if shape.learned_positions else 0
        final_norm = shape.norm_parameters * h
        on_each = t if self.settings.sequence_parallel else 1
        # The embedding's dropout mask and the token ids; the inputs of the last norm and product, FP32 logits
        first_kept = s * (h * (1 if self.dropout else 0) + 8) / on_each
        last_kept = s * (2 * VALUE * h / on_each + 4 * shape.vocab / t)
        looked_up = positions + (0 if shape.tied else embedding)
        first = EndWork(embedding / t + positions, 2 * s * looked_up / t / self.rate, first_kept)
        logits = 2 * s * (embedding + final_norm) / t / self.rate
        last = EndWork(embedding / t + final_norm, logits, last_kept)
        return first, last
