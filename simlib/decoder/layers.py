"""The layers that a model is a row of: an embedding, blocks, a head. Each can run alone.

`forward` returns the output and what the backward pass needs of it, by name (their bytes are the activations that a
GPU holds). `backward` adds the gradients of the layer's parameters to `gradients`, in place, and returns the
gradient of the layer's input. Whoever runs the layers decides when, where, and what is kept in between: a pipeline
gives each rank some of them, FSDP gathers the parameters of one at a time, checkpointing runs `forward` once more.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from simlib.decoder import operations as op
from simlib.decoder.attention import attention, attention_backward
from simlib.decoder.dropout import Dropout
from simlib.decoder.layout import Array, Layout
from simlib.decoder.overflow import QUIET

Views = dict[str, Array]  # a layer's parameters (or their gradients) by name
Saved = dict[str, Array]  # what a backward pass needs of the forward pass, by name


@dataclass(frozen=True)
class Embedding:
    """Characters become vectors: a row of the token table plus a row of the position table."""

    vocab: int
    context: int
    hidden: int
    name: str = "embedding"

    @cached_property
    def layout(self) -> Layout:
        return Layout((("tokens", (self.vocab, self.hidden)), ("positions", (self.context, self.hidden))))

    def forward(self, parameters: Views, tokens: Array, dropout: Dropout | None = None) -> tuple[Array, Saved]:
        """(windows, positions) of token numbers -> (windows, positions, hidden)."""
        return parameters["tokens"][tokens] + parameters["positions"][: tokens.shape[1]], {"tokens": tokens}

    def backward(self, parameters: Views, saved: Saved, d_output: Array, gradients: Views) -> None:
        """Nothing comes before it, so there is no gradient to hand back."""
        gradients["tokens"] += op.embedding_backward(d_output, saved["tokens"], self.vocab)
        gradients["positions"][: d_output.shape[1]] += d_output.sum(axis=0)


@dataclass(frozen=True)
class Block:
    """x + attention(LayerNorm(x)), then the same with an MLP of 4 x hidden: one transformer layer."""

    hidden: int
    heads: int
    number: int

    @property
    def name(self) -> str:
        return f"block {self.number}"

    @cached_property
    def layout(self) -> Layout:
        h = self.hidden
        return Layout(
            (
                ("norm1.gain", (h,)),
                ("norm1.bias", (h,)),
                ("qkv.weight", (h, 3 * h)),  # columns: queries of all heads, then keys, then values
                ("qkv.bias", (3 * h,)),
                ("project.weight", (h, h)),
                ("project.bias", (h,)),
                ("norm2.gain", (h,)),
                ("norm2.bias", (h,)),
                ("up.weight", (h, 4 * h)),
                ("up.bias", (4 * h,)),
                ("down.weight", (4 * h, h)),
                ("down.bias", (h,)),
            )
        )

    def forward(self, parameters: Views, x: Array, dropout: Dropout | None = None) -> tuple[Array, Saved]:
        """(windows, positions, hidden) -> the same shape."""
        p, saved = parameters, {}
        rows, saved["normal1"], saved["scale1"] = op.layer_norm(x, p["norm1.gain"], p["norm1.bias"])
        saved["qkv"] = op.linear(rows, p["qkv.weight"], p["qkv.bias"])
        saved["heads"], saved["looked"] = attention(saved["qkv"], self.heads)
        out = op.linear(saved["heads"], p["project.weight"], p["project.bias"])
        x = x + self._dropped(out, dropout, saved, 0)
        rows, saved["normal2"], saved["scale2"] = op.layer_norm(x, p["norm2.gain"], p["norm2.bias"])
        saved["up"] = op.linear(rows, p["up.weight"], p["up.bias"])
        out = op.linear(op.gelu(saved["up"]), p["down.weight"], p["down.bias"])
        return x + self._dropped(out, dropout, saved, 1), saved

    def backward(self, parameters: Views, saved: Saved, d_output: Array, gradients: Views) -> Array:
        """The gradient of x. What is cheap to compute again from `saved` is not kept: LayerNorm's output, the GeLU."""
        p, g = parameters, gradients
        d_out = d_output * saved["mask1"] if "mask1" in saved else d_output
        d_rows = self._linear(d_out, op.gelu(saved["up"]), "down", p, g)
        d_rows = op.gelu_backward(d_rows, saved["up"])
        rows = saved["normal2"] * p["norm2.gain"] + p["norm2.bias"]
        d_x = d_output + self._norm(self._linear(d_rows, rows, "up", p, g), saved, 2, p, g)
        d_out = d_x * saved["mask0"] if "mask0" in saved else d_x
        d_heads = self._linear(d_out, saved["heads"], "project", p, g)
        d_qkv = attention_backward(d_heads, saved["qkv"], self.heads, saved.get("looked"))
        rows = saved["normal1"] * p["norm1.gain"] + p["norm1.bias"]
        return d_x + self._norm(self._linear(d_qkv, rows, "qkv", p, g), saved, 1, p, g)

    def _dropped(self, x: Array, dropout: Dropout | None, saved: Saved, place: int) -> Array:
        if dropout is None or not dropout.rate:
            return x
        mask = saved[f"mask{place}"] = dropout.mask(2 * self.number + place, x.shape[1:], x.dtype)
        return x * mask

    @staticmethod
    def _linear(d_output: Array, x: Array, name: str, p: Views, g: Views) -> Array:
        d_x, d_weight, d_bias = op.linear_backward(d_output, x, p[f"{name}.weight"])
        g[f"{name}.weight"] += d_weight
        g[f"{name}.bias"] += d_bias
        return d_x

    @staticmethod
    def _norm(d_output: Array, saved: Saved, which: int, p: Views, g: Views) -> Array:
        normal, scale = saved[f"normal{which}"], saved[f"scale{which}"]
        d_x, d_gain, d_bias = op.layer_norm_backward(d_output, normal, scale, p[f"norm{which}.gain"])
        g[f"norm{which}.gain"] += d_gain
        g[f"norm{which}.bias"] += d_bias
        return d_x


@dataclass(frozen=True)
class Head:
    """A last LayerNorm, a score for each character of the vocabulary, and the loss against the next character."""

    hidden: int
    vocab: int
    name: str = "head"

    @cached_property
    def layout(self) -> Layout:
        return Layout(
            (("norm.gain", (self.hidden,)), ("norm.bias", (self.hidden,)), ("output.weight", (self.hidden, self.vocab)))
        )

    def forward(self, parameters: Views, x: Array, targets: Array) -> tuple[float, Saved]:
        """The mean loss over all positions, in nats a character."""
        p = parameters
        rows, normal, scale = op.layer_norm(x, p["norm.gain"], p["norm.bias"])
        loss, probabilities = op.cross_entropy(op.linear(rows, p["output.weight"]), targets)
        return loss, {"normal": normal, "scale": scale, "probabilities": probabilities, "targets": targets}

    def backward(self, parameters: Views, saved: Saved, d_loss: float, gradients: Views) -> Array:
        """The gradient of x; `d_loss` weighs this loss among others (1 where it is the only one)."""
        p, g = parameters, gradients
        d_logits = op.cross_entropy_backward(saved["probabilities"], saved["targets"], d_loss)
        rows = saved["normal"] * p["norm.gain"] + p["norm.bias"]
        d_rows, d_weight, _ = op.linear_backward(d_logits, rows, p["output.weight"])
        d_x, d_gain, d_bias = op.layer_norm_backward(d_rows, saved["normal"], saved["scale"], p["norm.gain"])
        for name, part in (("output.weight", d_weight), ("norm.gain", d_gain), ("norm.bias", d_bias)):
            g[name] += part
        return d_x


Layer = Embedding | Block | Head


@QUIET
def forward(
    layer: Layer, parameters: Views, x: Any, targets: Array, dropout: Dropout | None = None
) -> tuple[Any, Saved]:
    """`layer.forward` of any layer: the output, or for the head, which alone looks at the targets, the loss."""
    return layer.forward(parameters, x, targets) if isinstance(layer, Head) else layer.forward(parameters, x, dropout)


@QUIET
def backward(layer: Layer, parameters: Views, saved: Saved, d_output: Any, gradients: Views) -> Any:
    """`layer.backward` of any layer: the gradient of its input, None for the embedding."""
    if isinstance(layer, Embedding):
        layer.backward(parameters, saved, d_output, gradients)
        return None
    return layer.backward(parameters, saved, d_output, gradients)


def bytes_of(saved: Saved) -> int:
    """Bytes of the activations that a forward pass left."""
    return sum(array.nbytes for array in saved.values() if isinstance(array, np.ndarray))
