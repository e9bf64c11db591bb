"""Every figure of the subject by name: its value, unit, formula, source, and the formula with the numbers in.

>>> evaluate("ring.bytes_sent", workers=3, bytes=24).worked
'2 (N - 1) / N x bytes = 2 (3 - 1) / 3 x 24 = 32 B'
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from simlib.quantities import registry
from simlib.quantities.registry import Parameter, Quantity, Value

__all__ = ["Parameter", "Quantity", "Value", "evaluate", "names", "quantity"]

# The file that defines a name, by the part before the dot: a step of a lesson needs one or two of them
_FAMILIES = {
    "all_gather": "collectives",
    "all_reduce": "collectives",
    "collective": "collectives",
    "hierarchical": "collectives",
    "message": "collectives",
    "ring": "collectives",
    "tree": "collectives",
    "zero": "zero",
    "pipeline": "pipeline",
    "checkpointing": "activations",
    "hardware": "machines",
    "machine": "machines",
    "training": "machines",
    "run": "utilisation",
    "scaling": "utilisation",
    "activations": "activations",
    "model": "models",
    "step": "models",
    "transformer": "models",
    "layout": "layouts",
    "mesh": "layouts",
    "plan": "layouts",
    "compression": "parallelism",
    "ddp": "parallelism",
    "tensor": "tensor",
    "nccl_tests": "reported",
    "deepspeed": "reported",
    "data_sheet": "reported",
    "shape": "reported",
}


def evaluate(name: str, /, **arguments: Any) -> Value:
    """The quantity `name` for these arguments, given as numbers, bools or text.

    Raises BadArgument, which names the argument and what would be accepted, for an unknown name and for an
    argument that is missing, unknown or cannot be computed with.

    >>> evaluate("ring.steps", workers="8").value
    14
    """
    return registry.compute(quantity(name), arguments)


def quantity(name: str) -> Quantity:
    """What `name` is: its parameters, unit, formula and source. Raises BadArgument for an unknown name."""
    family = _FAMILIES.get(str(name).partition(".")[0])
    if family:
        _load(family)
    if not family or name not in registry.REGISTRY:
        _load(*_FAMILIES.values())  # for the nearest names
    return registry.find(name)


def names() -> list[str]:
    """The names of all quantities, sorted."""
    _load(*_FAMILIES.values())
    return sorted(registry.REGISTRY)


def _load(*families: str) -> None:
    for family in families:
        import_module(f"{__name__}.{family}")
