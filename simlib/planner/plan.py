"""Planning a training run: which layouts fit, how fast each is, and what one layout would cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from simlib.errors import BadArgument
from simlib.hardware import Hardware
from simlib.models import Model
from simlib.planner.choices import CHOICES, SIZES, Problem, problem
from simlib.planner.costs import activations, cluster, states, timing
from simlib.planner.costs import layout as costed
from simlib.planner.layout import Layout
from simlib.planner.placement import placements
from simlib.planner.search import Progress, fullest, memory_use, refusal, search
from simlib.planner.settings import Settings
from simlib.planner.stages import split_layers
from simlib.planner.work import Work
from simlib.transformer import Transformer

DEFAULT_SETTINGS = Settings()


@dataclass(frozen=True)
class Plan:
    """The layouts that fit, fastest first, and how many were refused for each reason."""

    problem: Problem
    layouts: tuple[Layout, ...]
    rejected: Mapping[str, int]

    @property
    def best(self) -> Layout | None:
        """The fastest layout, or None where none fits."""
        return self.layouts[0] if self.layouts else None


def plan(
    model: str | Model | Transformer,
    hardware: str | Hardware,
    gpus: int,
    global_batch: int,
    sequence: int | None = None,
    *,
    settings: Settings = DEFAULT_SETTINGS,
    progress: Progress | None = None,
    **pinned: Any,
) -> Plan:
    """Every layout of `model` on `gpus` of `hardware` for steps of `global_batch` sequences of `sequence` tokens.

    Models and machines by id or as objects; `sequence` is the model's own by default. Keywords pin choices (data,
    tensor, pipeline, zero, micro_batch, chunks, checkpointing, tensor_inside) or change one of the `settings`
    (sequence_parallel, fused_attention, efficiency, …). Raises BadArgument for names that there are not and for
    values that this cluster cannot have; a problem that nothing fits is a plan without layouts.

    >>> made = plan("llama-7b", "h100", 64, 256, tensor=1, pipeline=1, micro_batch=1)
    >>> best = made.best
    >>> (best.data, best.zero, best.checkpointing), round(best.bytes_per_gpu / 1e9), round(best.mfu, 2)
    ((64, 3, 'none'), 57, 0.47)
    >>> made.rejected
    {'too little memory': 4}
    """
    posed = problem(model, hardware, gpus, global_batch, sequence, settings, pinned)
    layouts, rejected = search(posed, progress)
    return Plan(posed, tuple(layouts), rejected)


def lay_out(
    model: str | Model | Transformer,
    hardware: str | Hardware,
    gpus: int,
    global_batch: int,
    sequence: int | None = None,
    *,
    settings: Settings = DEFAULT_SETTINGS,
    **choices: Any,
) -> Layout:
    """One layout with its costs, whether it fits or not (`.fits`).

    Of data, tensor and pipeline one may be left out. Others that are not given are: zero 0, micro_batch 1, chunks 1,
    checkpointing "none", tensor-parallel groups inside servers where they can be. Raises BadArgument as `plan` does,
    and for a layout that cannot be, such as heads that tensor does not divide.

    >>> layout = lay_out("megatron-1t", "a100", 3072, 3072, tensor=8, pipeline=64, checkpointing="full")
    >>> layout.data, layout.micro_batches, round(layout.bubble, 2)
    (6, 512, 0.1)
    """
    posed = problem(model, hardware, gpus, global_batch, sequence, settings, choices)
    pinned = dict(posed.pinned)
    missing = [size for size in SIZES if size not in pinned]
    if len(missing) > 1:
        raise BadArgument(missing[0], None, f"a size; at most one of {', '.join(SIZES)} may be left out")
    for size in missing:
        others = [pinned[other] for other in SIZES if other != size]
        pinned[size] = posed.gpus // others[0] // others[1]
    return _lay_out(posed, pinned)


def _lay_out(posed: Problem, pinned: dict[str, Any]) -> Layout:
    data, tensor, pipeline = (pinned[size] for size in SIZES)
    reason = refusal(posed, data, tensor, pipeline)
    if reason is not None:
        raise BadArgument(
            "data x tensor x pipeline", f"{data} x {tensor} x {pipeline}", f"sizes that divide ({reason})"
        )
    split = split_layers(posed.shape.layers, pipeline)
    assert split is not None  # refused above
    share = posed.global_batch // data
    micro_batch, chunks = pinned.get("micro_batch", 1), pinned.get("chunks", 1)
    if share % micro_batch:
        raise BadArgument("micro_batch", micro_batch, f"a divisor of the {share:,} sequences of each copy")
    m = share // micro_batch
    if chunks > 1 and (pipeline == 1 or split.layers % chunks or m % pipeline):
        accepted = f"1, or with several stages a divisor of the {split.layers} layers of a stage"
        raise BadArgument("chunks", chunks, f"{accepted}, and micro-batches ({m:,}) a multiple of {pipeline} stages")
    zero, mode = pinned.get("zero", 0), pinned.get("checkpointing", "none")
    if zero and data == 1:
        raise BadArgument("zero", zero, "0 where there is one copy: nothing to shard over")
    possible = placements(tensor, data, posed.gpus, posed.hardware.gpus_per_server)
    places = [place for place in possible if posed.allows("tensor_inside", place.tensor_inside)]
    if not places:
        raise BadArgument("tensor_inside", pinned["tensor_inside"], str(not pinned["tensor_inside"]))
    work = Work(posed.shape, posed.hardware, posed.sequence, posed.settings)
    placed = cluster(work, work.tensor(places[0].tensor), places[0], split, data)
    of_states, (kept, working) = states(placed, zero), activations(placed, chunks, m, mode)
    reserved = posed.settings.reserved_bytes
    _, which = fullest(of_states, kept, working, micro_batch, reserved)
    memory = memory_use(of_states[which], kept[which], working, micro_batch, reserved)
    return costed(placed, zero, micro_batch, chunks, mode, timing(placed, micro_batch, m, chunks, mode), memory)


__all__ = ["CHOICES", "Plan", "lay_out", "plan"]
