"""Floating-point operations of the decoder's passes: those of its matrix products, 2 for each multiply and add.

A backward pass has two products for each of the forward pass: one for the gradient of the input, one for that of the
weight (Narayanan et al. 2021, appendix). Attention's products count all positions, those that the mask hides too.
"""

from __future__ import annotations

from simlib.decoder.layers import Block, Embedding, Layer
from simlib.errors import whole_number


def forward_flops(layer: Layer, windows: int, positions: int) -> int:
    """FLOPs of one forward pass of a layer over `windows` x `positions` characters.

    >>> forward_flops(Block(hidden=8, heads=2, number=0), windows=1, positions=4)
    6656
    """
    tokens = whole_number("windows", windows) * whole_number("positions", positions)
    if isinstance(layer, Embedding):
        return 0  # rows are looked up, not multiplied
    if isinstance(layer, Block):
        return 2 * tokens * 12 * layer.hidden**2 + 2 * score_flops(layer, windows, positions)
    return 2 * tokens * layer.hidden * layer.vocab


def backward_flops(layer: Layer, windows: int, positions: int) -> int:
    """FLOPs of one backward pass: twice the forward pass's."""
    return 2 * forward_flops(layer, windows, positions)


def score_flops(block: Block, windows: int, positions: int) -> int:
    """FLOPs of the products of queries and keys; those of attention weights and values are as many."""
    return 2 * windows * positions * positions * block.hidden
