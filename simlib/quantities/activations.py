"""Quantities of activations: what a layer and a model keep, and what keeping less costs."""

from __future__ import annotations

from math import sqrt

from simlib import activations, checkpointing
from simlib.errors import one_of, positive_number
from simlib.quantities.registry import NUMBER, WHOLE, WORD, Outcome, Parameter, define, written

_KORTHIKANTI = "Korthikanti et al. 2022, Reducing Activation Recomputation in Large Transformer Models"
_CHEN = "Chen et al. 2016, Training deep nets with sublinear memory cost"

SEQUENCE = Parameter("sequence", WHOLE, "tokens of one sequence", "s")
MICRO_BATCH = Parameter("micro_batch", WHOLE, "sequences in a micro-batch", "b")
HIDDEN = Parameter("hidden", WHOLE, "hidden size", "h")
HEADS = Parameter("heads", WHOLE, "attention heads", "a")
LAYERS = Parameter("layers", WHOLE, "transformer layers", "L")
TENSOR = Parameter("tensor", WHOLE, "the tensor-parallel size", "t", 1)
MODE = Parameter("mode", WORD, f"what is split and recomputed: {', '.join(activations.MODES)}", "mode", "none")


_ACTIVATIONS = {
    "none": "s x b x h x (34 + 5 x a x s / h)",
    "tensor": "s x b x h x (10 + 24 / t + 5 x a x s / (h x t))",
    "tensor+sequence": "s x b x h x (34 / t + 5 x a x s / (h x t))",
    "tensor+selective": "s x b x h x (10 + 24 / t)",
    "tensor+sequence+selective": "s x b x h x 34 / t",
    "full": "2 x s x b x h",
}


@define(
    "activations.bytes_per_layer",
    SEQUENCE,
    MICRO_BATCH,
    HIDDEN,
    HEADS,
    TENSOR,
    MODE,
    unit="B",
    formula="; ".join(f"{mode}: {formula}" for mode, formula in _ACTIVATIONS.items()),
    source=f"{_KORTHIKANTI}, table 2",
)
def _activations(sequence: int, micro_batch: int, hidden: int, heads: int, tensor: int, mode: str) -> Outcome:
    """Bytes of activations that one layer keeps for the backward pass, on one GPU."""
    size = activations.bytes_per_layer(sequence, micro_batch, hidden, heads, tensor, mode)
    return Outcome(size, _ACTIVATIONS[mode])


@define(
    "checkpointing.extra_compute",
    Parameter("backward", NUMBER, "the backward pass's time, where the forward pass takes 1", "backward", 2),
    formula="1 / (1 + backward)",
    source=_CHEN,
)
def _extra_compute(backward: float) -> float:
    """Compute that full recomputation adds, one more forward pass, over that of the step without it."""
    return 1 / (1 + positive_number("backward", backward))


# Of each part with nothing split: its bytes in the formula's letters
_PART_FORMULAS = {
    "input": "2 x s x b x h",
    "norms": "4 x s x b x h",
    "attention": "11 x s x b x h",
    "scores": "5 x a x s^2 x b",
    "mlp": "19 x s x b x h",
}


@define(
    "activations.part_bytes",
    Parameter("part", WORD, f"a part of a layer: {', '.join(_PART_FORMULAS)}", "part"),
    SEQUENCE,
    MICRO_BATCH,
    HIDDEN,
    HEADS,
    unit="B",
    formula="; ".join(f"{part}: {formula}" for part, formula in _PART_FORMULAS.items()),
    source=f"{_KORTHIKANTI}, section 4.1",
)
def _part_bytes(part: str, sequence: int, micro_batch: int, hidden: int, heads: int) -> Outcome:
    """Bytes that a part of one layer keeps, nothing split; the input is all that full recomputation keeps."""
    mode = "full" if one_of("part", part, tuple(_PART_FORMULAS)) == "input" else "none"
    parts = activations.parts_per_layer(sequence, micro_batch, hidden, heads, mode=mode)
    return Outcome(getattr(parts, part), _PART_FORMULAS[part])


@define(
    "activations.first_stage_bytes",
    LAYERS,
    SEQUENCE,
    MICRO_BATCH,
    HIDDEN,
    HEADS,
    TENSOR,
    MODE,
    Parameter("pipeline", WHOLE, "pipeline stages, under 1F1B", "p", 1),
    Parameter("micro_batches", WHOLE, "micro-batches of a step; as many as stages or more by default", "m", 0),
    unit="B",
    formula="L / p x min(p, m) x layer",
    source=f"{_KORTHIKANTI}, section 4.2.3",
)
def _first_stage_bytes(
    layers: int,
    sequence: int,
    micro_batch: int,
    hidden: int,
    heads: int,
    tensor: int,
    mode: str,
    pipeline: int,
    micro_batches: int,
) -> Outcome:
    """Bytes of the layers' activations on the first pipeline stage, the fullest: L / p layers of p micro-batches."""
    layer = activations.bytes_per_layer(sequence, micro_batch, hidden, heads, tensor, mode)
    value = activations.first_stage_bytes(
        layers, sequence, micro_batch, hidden, heads, tensor, mode, pipeline, micro_batches=micro_batches or None
    )
    return Outcome(value, symbols={"layer": layer, "m": micro_batches or pipeline})


@define(
    "activations.largest_micro_batch",
    Parameter("room", NUMBER, "bytes that are free for activations", "room", unit="B"),
    LAYERS,
    SEQUENCE,
    HIDDEN,
    HEADS,
    TENSOR,
    MODE,
    formula="room / (bytes of L layers for one sequence), rounded down",
    source=f"{_KORTHIKANTI}, table 2",
)
def _largest_micro_batch(
    room: float, layers: int, sequence: int, hidden: int, heads: int, tensor: int, mode: str
) -> Outcome:
    """How many sequences a micro-batch may have; with full recomputation one layer is there in whole as well."""
    most = activations.largest_micro_batch(room, layers, sequence, hidden, heads, tensor, mode)
    kept = layers * activations.bytes_per_layer(sequence, 1, hidden, heads, tensor, mode)
    again = activations.bytes_per_layer(sequence, 1, hidden, heads, tensor, "tensor")
    one = f"({written(kept)} + {written(again)})" if mode == "full" else written(kept)
    return Outcome(most, worked=f"{written(room)} / {one}, rounded down = {most:,}")


_LAYER_BYTES = Parameter("layer_bytes", NUMBER, "bytes that a layer keeps, its input among them", "layer", unit="B")
_INPUT_BYTES = Parameter("input_bytes", NUMBER, "bytes of a layer's input", "input", unit="B")


@define(
    "checkpointing.peak_bytes",
    LAYERS,
    _LAYER_BYTES,
    _INPUT_BYTES,
    Parameter("every", WHOLE, "layers from one checkpoint to the next; 0 keeps everything", "k"),
    unit="B",
    formula="(L / k - 1) x input + k x layer; L x layer where everything is kept",
    source=_CHEN,
)
def _peak_bytes(layers: int, layer_bytes: float, input_bytes: float, every: int) -> Outcome:
    """The most bytes of activations at one moment of a step, the layers being recomputed counted."""
    peak = checkpointing.peak_bytes(layers, layer_bytes, input_bytes, every)
    # A last segment that is shorter holds less than the one before it, when one checkpoint fewer is there
    whole = layers % every == 0 if every else True
    formula = "(L / k - 1) x input + k x layer" if whole else "(ceil(L / k) - 2) x input + k x layer"
    return Outcome(peak, formula if every else "L x layer")


@define(
    "checkpointing.best_every",
    LAYERS,
    _LAYER_BYTES,
    _INPUT_BYTES,
    formula="the k with the lowest (L / k - 1) x input + k x layer: about sqrt(L x input / layer), 1 or more",
    source=_CHEN,
)
def _best_every(layers: int, layer_bytes: float, input_bytes: float) -> Outcome:
    """After how many layers a checkpoint is best: with it the peak is lowest."""
    best = checkpointing.best_every(layers, layer_bytes, input_bytes)
    root = sqrt(layers * input_bytes / layer_bytes)
    formula = f"sqrt({layers:,} x {written(input_bytes)} / {written(layer_bytes)}) = {root:.3g}"
    return Outcome(best, worked=f"{formula}; the lowest peak has k = {best:,}")


@define(
    "checkpointing.selective_overhead",
    SEQUENCE,
    HIDDEN,
    formula="s / (6 x h)",
    source=f"{_KORTHIKANTI}, section 5",
)
def _selective_overhead(sequence: int, hidden: int) -> float:
    """FLOPs that recomputing the attention scores adds, over those of the layers' matrix products."""
    return activations.recomputation_overhead(sequence, hidden)
