"""Quantities of tensor parallelism: messages and bytes, what each GPU holds, and the figures of small examples."""

from __future__ import annotations

from simlib import tensor_parallel
from simlib.errors import whole_number
from simlib.hardware import find as machine
from simlib.quantities.parameters import HARDWARE, RECOMPUTE
from simlib.quantities.registry import FLAG, NUMBER, NUMBERS, WHOLE, Outcome, Parameter, define, written

_SHOEYBI = "Shoeybi et al. 2019, Megatron-LM, section 3"
_KORTHIKANTI = "Korthikanti et al. 2022, Reducing Activation Recomputation in Large Transformer Models, section 4.2.2"

SEQUENCE = Parameter("sequence", WHOLE, "tokens of one sequence", "s")
MICRO_BATCH = Parameter("micro_batch", WHOLE, "sequences in a micro-batch", "b")
HIDDEN = Parameter("hidden", WHOLE, "hidden size", "h")
TENSOR = Parameter("tensor", WHOLE, "the tensor-parallel size", "t")


@define(
    "tensor.collectives_per_layer",
    Parameter("sequence_parallel", FLAG, "whether sequence parallelism is on", "sequence_parallel", False),
    RECOMPUTE,
    formula="2 all-reduces forward + 2 backward; recomputed forward 2 more; sequence parallelism twice as many",
    source=f"{_SHOEYBI}; {_KORTHIKANTI}",
)
def _collectives_per_layer(sequence_parallel: bool, recompute: bool) -> Outcome:
    """Collectives of one layer in one step: all-reduces, or reduce-scatters and all-gathers."""
    count = tensor_parallel.collectives_per_layer(sequence_parallel, recompute)
    formula = "2 + 2 + 2" if recompute else "2 + 2"
    return Outcome(count, f"2 x ({formula})" if sequence_parallel else formula)


@define(
    "tensor.bytes_sent_per_layer",
    SEQUENCE,
    MICRO_BATCH,
    HIDDEN,
    TENSOR,
    RECOMPUTE,
    unit="B",
    formula="4 x 2 (t - 1) / t x b x s x h x 2; with full recomputation 6 in place of 4",
    source=_SHOEYBI,
)
def _bytes_sent_per_layer(sequence: int, micro_batch: int, hidden: int, tensor: int, recompute: bool) -> Outcome:
    """Bytes that each GPU sends for one layer and micro-batch, forward and backward, in 16 bits."""
    count = tensor_parallel.collectives_per_layer(recompute=recompute)
    sent = 2 * count * tensor_parallel.elements_sent_per_all_reduce(sequence, micro_batch, hidden, tensor)
    return Outcome(sent, f"{count} x 2 (t - 1) / t x b x s x h x 2")


@define(
    "tensor.elements_sent_per_all_reduce",
    SEQUENCE,
    MICRO_BATCH,
    HIDDEN,
    TENSOR,
    formula="2 (t - 1) / t x b x s x h",
    source=f"{_SHOEYBI}; ring: Patarasuk and Yuan 2009",
)
def _elements_sent(sequence: int, micro_batch: int, hidden: int, tensor: int) -> float:
    """Numbers that each GPU sends in one all-reduce of a layer's output."""
    return tensor_parallel.elements_sent_per_all_reduce(sequence, micro_batch, hidden, tensor)


@define(
    "tensor.communication_seconds",
    Parameter("layers", WHOLE, "transformer layers", "L"),
    SEQUENCE,
    MICRO_BATCH,
    HIDDEN,
    TENSOR,
    HARDWARE,
    RECOMPUTE,
    unit="s",
    formula="L x 4 x 2 (t - 1) / t x b x s x h x 2 / bandwidth; with full recomputation 6 in place of 4",
    source=_SHOEYBI,
)
def _communication_seconds(
    layers: int, sequence: int, micro_batch: int, hidden: int, tensor: int, hardware: str, recompute: bool
) -> Outcome:
    """Seconds that the all-reduces of one micro-batch take: on NVLink inside a server, beyond on the network."""
    count = tensor_parallel.collectives_per_layer(recompute=recompute)
    elements = tensor_parallel.elements_sent_per_all_reduce(sequence, micro_batch, hidden, tensor)
    bandwidth = machine(hardware).bandwidth(tensor)
    formula = f"L x {count} x 2 (t - 1) / t x b x s x h x 2 / bandwidth"
    return Outcome(whole_number("layers", layers) * count * elements * 2 / bandwidth, formula, {"bandwidth": bandwidth})


@define(
    "tensor.elements_between_stages",
    SEQUENCE,
    MICRO_BATCH,
    HIDDEN,
    TENSOR,
    Parameter("scatter_gather", FLAG, "whether each GPU sends its own slice alone", "scatter_gather", False),
    formula="b x s x h; with scatter_gather b x s x h / t",
    source="Narayanan et al. 2021, Efficient Large-Scale Language Model Training on GPU Clusters, section 4.1",
)
def _between_stages(sequence: int, micro_batch: int, hidden: int, tensor: int, scatter_gather: bool) -> Outcome:
    """Numbers that each GPU of a pipeline stage sends to the next for one micro-batch."""
    sent = tensor_parallel.elements_between_stages(sequence, micro_batch, hidden, tensor, scatter_gather)
    return Outcome(sent, "b x s x h / t" if scatter_gather else "b x s x h")


@define(
    "tensor.crossover_dimension",
    Parameter("flops_per_byte", NUMBER, "FLOP/s of a chip over bytes a second of its link", "ratio"),
    formula="2 x ratio",
    source="How to Scale Your Model (Austin et al. 2025), chapter 3",
)
def _crossover(flops_per_byte: float) -> float:
    """Inner dimension from which all-reduces of partial products beat an all-gather of the weights."""
    return tensor_parallel.weights_gathered_or_sums_reduced(flops_per_byte)


@define(
    "tensor.largest_split",
    Parameter("heads", WHOLE, "attention heads", "a"),
    Parameter("gpus", WHOLE, "how many GPUs are at hand", "N"),
    Parameter("kv_heads", WHOLE, "heads of keys and values; 0: as many as attention heads", "kv_heads", 0),
    formula="the largest t up to N that divides the heads",
    source=_SHOEYBI,
)
def _largest_split(heads: int, gpus: int, kv_heads: int) -> Outcome:
    """The most GPUs that can share the heads, each of which stays whole."""
    t = tensor_parallel.largest_split(heads, gpus, kv_heads or None)
    shared = kv_heads or heads
    return Outcome(t, worked=f"{written(shared)} / {written(t)} = {written(shared / t)} heads on each GPU: t = {t}")


@define(
    "tensor.layer_params",
    HIDDEN,
    TENSOR,
    formula="(12 x h^2 + 7 x h) / t + 6 x h",
    source=_SHOEYBI,
)
def _layer_params(hidden: int, tensor: int) -> float:
    """Parameters of one layer on each GPU: matrices split, layer norms and the biases after a sum whole."""
    return sum(tensor_parallel.layer_params(hidden, tensor))


@define("tensor.norm_params", HIDDEN, formula="2 x h", source=_SHOEYBI)
def _norm_params(hidden: int) -> float:
    """Parameters of one LayerNorm on each GPU: gain and bias, whole on all of them."""
    return 2 * whole_number("hidden", hidden)


@define(
    "tensor.gradient_norm",
    Parameter("split", NUMBERS, "length of each GPU's part of the gradient of what is split"),
    Parameter("whole", NUMBERS, "lengths of the gradients of what every GPU holds whole", "whole", ()),
    formula="sqrt(split^2 + … + whole^2 + …)",
    source="Megatron-LM, clip_grads.py: parameters that all ranks hold count once",
)
def _gradient_norm(split: list[float], whole: list[float]) -> Outcome:
    """Length of the whole model's gradient, from what the GPUs of a tensor group hold."""
    value = tensor_parallel.gradient_norm(split, whole)
    squares = " + ".join(f"{written(length)}^2" for length in [*split, *whole])
    return Outcome(value, worked=f"sqrt({squares}) = {written(value)}")


@define(
    "tensor.cross_entropy",
    Parameter("logits", NUMBERS, "the logits of the whole vocabulary"),
    Parameter("target", WHOLE, "the place of the right entry, from 0", "target"),
    Parameter("tensor", WHOLE, "GPUs that share the vocabulary", "t", 1),
    formula="log(sum of e^logit over all GPUs) - logit of the target",
    source=_SHOEYBI,
)
def _cross_entropy(logits: list[float], target: int, tensor: int) -> Outcome:
    """The loss in nats, its maximum and its sum taken over all parts of the vocabulary."""
    value = tensor_parallel.cross_entropy(logits, target, tensor)
    total = " + ".join(f"e^{written(logit)}" for logit in logits)
    return Outcome(value, worked=f"log({total}) - {written(logits[int(target)])} = {written(value)}")


@define(
    "tensor.gelu",
    Parameter("x", NUMBER, "the number that GeLU is taken of", "x"),
    formula="v / 2 x (1 + tanh(sqrt(2 / pi) x (v + 0.044715 x v^3))), v the number",
    source="Hendrycks and Gimpel 2016, Gaussian Error Linear Units (tanh approximation)",
)
def _gelu(x: float) -> Outcome:
    """GeLU of one number."""
    number = f"({written(x)})" if x < 0 else written(x)
    formula = "v / 2 x (1 + tanh(sqrt(2 / pi) x (v + 0.044715 x v^3)))"
    value = tensor_parallel.gelu(x)
    return Outcome(value, formula, worked=f"{formula.replace('v', number)} = {written(value)}")
