"""The choices that make a layout, and how they can be pinned."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import prod
from typing import Any

from simlib import hardware as machines
from simlib import models
from simlib.errors import BadArgument, one_of, whole_number
from simlib.hardware import Hardware
from simlib.models import Model
from simlib.planner.layout import CHECKPOINTING
from simlib.planner.settings import SETTINGS, Settings
from simlib.transformer import Transformer

SIZES = ("data", "tensor", "pipeline")
CHOICES = (*SIZES, "zero", "micro_batch", "chunks", "checkpointing", "tensor_inside")
MOST_GPUS = 2**24
MOST_SEQUENCES = 10**9
MOST_TOKENS = 10**8


@dataclass(frozen=True)
class Problem:
    """What is to be planned: a shape, a machine, sizes, settings, and the choices that are pinned."""

    shape: Transformer
    hardware: Hardware
    gpus: int
    global_batch: int  # sequences
    sequence: int  # tokens
    settings: Settings
    pinned: Mapping[str, Any]

    def allows(self, choice: str, value: object) -> bool:
        """Whether `choice` may be `value`."""
        return choice not in self.pinned or self.pinned[choice] == value


def problem(
    model: str | Model | Transformer,
    hardware: str | Hardware,
    gpus: int,
    global_batch: int,
    sequence: int | None,
    settings: Settings,
    named: Mapping[str, Any],
) -> Problem:
    """The problem, checked. `named` holds pinned choices and settings by name.

    Raises BadArgument for unknown ids and names, and for values that no layout of this cluster has.
    """
    shape = _shape(model)
    machine = hardware if isinstance(hardware, Hardware) else machines.find(hardware)
    count = whole_number("gpus", gpus, 1, MOST_GPUS)
    batch = whole_number("global_batch", global_batch, 1, MOST_SEQUENCES)
    tokens = shape.sequence if sequence is None else whole_number("sequence", sequence, 1, MOST_TOKENS)
    for name in named:
        if name not in CHOICES and name not in SETTINGS:
            raise BadArgument("choice", name, ", ".join((*CHOICES, *SETTINGS)))
    changed = {name: value for name, value in named.items() if name in SETTINGS}
    pinned = {name: value for name, value in named.items() if name in CHOICES and value is not None}
    return Problem(shape, machine, count, batch, tokens, replace(settings, **changed), _checked(pinned, count, batch))


def _shape(model: str | Model | Transformer) -> Transformer:
    if isinstance(model, Transformer):
        return model
    return (model if isinstance(model, Model) else models.find(model)).shape


def _checked(pinned: dict[str, Any], gpus: int, batch: int) -> dict[str, Any]:
    checked = dict(pinned)
    for name in SIZES:
        if name in pinned:
            checked[name] = whole_number(name, pinned[name], 1, gpus)
            if gpus % checked[name]:
                raise BadArgument(name, pinned[name], f"a divisor of the {gpus:,} GPUs")
    sizes = [checked[name] for name in SIZES if name in checked]
    if gpus % prod(sizes) or (len(sizes) == len(SIZES) and prod(sizes) != gpus):
        named = " x ".join(name for name in SIZES if name in checked)
        whole = "that is" if len(sizes) == len(SIZES) else "that divides"
        raise BadArgument(named, " x ".join(map(str, sizes)), f"a product {whole} {gpus:,}, the GPUs")
    if "zero" in pinned:
        checked["zero"] = whole_number("zero", pinned["zero"], 0, 3)
    if "micro_batch" in pinned:
        checked["micro_batch"] = whole_number("micro_batch", pinned["micro_batch"], 1, batch)
    if "chunks" in pinned:
        checked["chunks"] = whole_number("chunks", pinned["chunks"])
    if "checkpointing" in pinned:
        one_of("checkpointing", pinned["checkpointing"], CHECKPOINTING)
    if "tensor_inside" in pinned and not isinstance(pinned["tensor_inside"], bool):
        raise BadArgument("tensor_inside", pinned["tensor_inside"], "True or False")
    return checked


def divisors(number: int) -> list[int]:
    """All divisors, the smallest first.

    >>> divisors(12)
    [1, 2, 3, 4, 6, 12]
    """
    small = [one for one in range(1, int(number**0.5) + 1) if number % one == 0]
    return small + [number // one for one in reversed(small) if one * one != number]
