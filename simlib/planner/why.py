"""Why a layout is slower than the best: its parts against the best one's, with the figures that explain them.

Data, no sentences: a view or a lesson says them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from simlib.errors import BadArgument
from simlib.planner.choices import Problem
from simlib.planner.efficiency import efficiency_of
from simlib.planner.layout import PARTS, Layout
from simlib.planner.placement import Group, Links, placements
from simlib.planner.plan import Plan
from simlib.planner.settings import Settings
from simlib.planner.work import VALUE

CAUSES = {
    "memory": "needs more bytes than a GPU has",
    "crosses servers": "tensor-parallel groups reach over the network",
    "larger group": "more GPUs share each matrix",
    "more collectives": "as many GPUs share each matrix; more or longer collectives a step",
    "recomputes": "activations are computed again",
    "stages wait": "pipeline stages wait for each other longer",
    "more messages": "more or slower messages between stages",
    "gradients": "more bytes of gradients or weights, or less to hide them behind",
    "heavier stage": "the busiest stage computes more",
    "unsharded": "each GPU updates more parameters",
}


@dataclass(frozen=True)
class Reason:
    """One part of the difference: what it costs here and in the best layout, in `unit` ("s" or "B")."""

    part: str
    cost: float
    best_cost: float
    cause: str  # a key of CAUSES
    unit: str = "s"
    figures: Mapping[str, float] = field(default_factory=dict)

    @property
    def extra(self) -> float:
        """What it costs more than in the best layout."""
        return self.cost - self.best_cost


def why(plan: Plan, layout: Layout) -> tuple[Reason, ...]:
    """Why `layout` is not the best of `plan`: the parts that cost more, the costliest first.

    A layout that does not fit has its memory first, against the capacity. The extra seconds of all parts, less what
    other parts save, are the difference of the step times. Empty for the best layout itself. Raises BadArgument for
    a plan without layouts and for a layout of other GPUs.

    >>> from simlib.planner import lay_out, plan
    >>> made = plan("megatron-1t", "a100", 3072, 3072)
    >>> wide = lay_out("megatron-1t", "a100", 3072, 3072, tensor=16, pipeline=32, checkpointing="full", micro_batch=1)
    >>> [reason.part for reason in why(made, wide)]
    ['recompute', 'tensor', 'bubble', 'compute', 'pipeline', 'optimizer']
    >>> why(made, wide)[1].cause, round(why(made, wide)[1].figures["times_as_long"], 1)
    ('crosses servers', 1.5)
    """
    best = plan.best
    if best is None:
        raise BadArgument("plan", "without layouts", "a plan that something fits")
    if layout.gpus != plan.problem.gpus:
        raise BadArgument("layout", f"for {layout.gpus:,} GPUs", f"one for the plan's {plan.problem.gpus:,}")
    reasons = []
    for part in PARTS:
        cost, best_cost = getattr(layout.parts, part), getattr(best.parts, part)
        if cost > best_cost:
            cause, figures = _explained(plan.problem, part, layout, best)
            reasons.append(Reason(part, cost, best_cost, cause, figures=figures))
    reasons.sort(key=lambda reason: reason.extra, reverse=True)
    if not layout.fits:
        over = {"over": layout.bytes_per_gpu - layout.capacity}
        reasons.insert(0, Reason("memory", layout.bytes_per_gpu, layout.capacity, "memory", "B", over))
    return tuple(reasons)


def _explained(problem: Problem, part: str, layout: Layout, best: Layout) -> tuple[str, dict[str, float]]:
    """The cause of a part's extra cost, and the figures that show it."""
    match part:
        case "tensor":
            return _tensor(problem, layout, best)
        case "recompute":
            return "recomputes", {"share_of_compute": layout.parts.recompute / layout.parts.compute}
        case "bubble":
            sizes = ("pipeline", "micro_batches", "chunks")
            return "stages wait", _both(layout, best, *sizes) | {"bubble": layout.bubble, "best_bubble": best.bubble}
        case "pipeline":
            return "more messages", _both(layout, best, "pipeline", "micro_batches", "chunks")
        case "data":
            return "gradients", _both(layout, best, "data", "zero")
        case "optimizer":
            return "unsharded", _both(layout, best, "data", "zero")
        case _:
            return "heavier stage", _both(layout, best, "tensor", "pipeline")


def _tensor(problem: Problem, layout: Layout, best: Layout) -> tuple[str, dict[str, float]]:
    if not layout.tensor_inside and best.tensor_inside:
        figures = {"tensor": float(layout.tensor), "per_server": float(problem.hardware.gpus_per_server)}
        return "crosses servers", figures | {"times_as_long": crossing_factor(problem, layout)}
    if layout.tensor > best.tensor:
        return "larger group", _both(layout, best, "tensor")
    return "more collectives", _both(layout, best, "tensor", "micro_batches")


def crossing_factor(problem: Problem, layout: Layout) -> float:
    """How many times as long a layer's all-reduce takes as it would if the whole group shared one server's links."""
    settings: Settings = problem.settings
    links = Links(problem.hardware, efficiency_of(problem.hardware, settings.efficiency), settings.all_network_cards)
    possible = placements(layout.tensor, layout.data, problem.gpus, problem.hardware.gpus_per_server)
    place = next(place for place in possible if place.tensor_inside == layout.tensor_inside)
    size = VALUE * layout.micro_batch * problem.sequence * problem.shape.hidden
    here, inside = (
        size * byte + latency
        for byte, latency in map(links.ring_rates, (place.tensor, Group(layout.tensor, layout.tensor)))
    )
    return here / inside


def _both(layout: Layout, best: Layout, *names: str) -> dict[str, float]:
    """The named sizes of both layouts."""
    here = {name: float(getattr(layout, name)) for name in names}
    return here | {f"best_{name}": float(getattr(best, name)) for name in names}
