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
