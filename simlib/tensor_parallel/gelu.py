"""The nonlinearity of the MLP, of one number. No NumPy."""

from __future__ import annotations

from math import pi, sqrt, tanh


def gelu(x: float) -> float:
    """GeLU of one number, by the tanh approximation: x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))).

    Source: Hendrycks and Gimpel 2016, "Gaussian Error Linear Units".

    >>> round(gelu(2), 3), round(gelu(1) + gelu(1), 3)
    (1.955, 1.682)
    """
    return x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x**3)))


def gelu_slope(x: float) -> float:
    """The derivative of `gelu` at one number.

    >>> gelu_slope(0), round(gelu_slope(1), 3)
    (0.5, 1.083)
    """
    inner = tanh(sqrt(2 / pi) * (x + 0.044715 * x**3))
    return (1 + inner) / 2 + x / 2 * (1 - inner**2) * sqrt(2 / pi) * (1 + 3 * 0.044715 * x**2)
