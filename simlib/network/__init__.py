"""Links and topologies: what a message costs, and how long a collective's steps take on a network.

A message of b bytes takes alpha + b / bandwidth on a link. A topology says which links a message crosses; a step
lasts as long as its busiest link is busy, and as the longest way takes. Bytes, seconds, bytes per second.
Names are imported when they are first used, so that `simlib.network.links` comes without NumPy.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from simlib.network.fitting import fit_link, worst_miss
    from simlib.network.journey import Journey, carry
    from simlib.network.links import Link
    from simlib.network.topologies import FatTree, Servers, Switch, Topology, Torus

_HOME = {
    "Journey": "journey",
    "carry": "journey",
    "fit_link": "fitting",
    "worst_miss": "fitting",
    "Link": "links",
    "FatTree": "topologies",
    "Servers": "topologies",
    "Switch": "topologies",
    "Topology": "topologies",
    "Torus": "topologies",
}

__all__ = ["FatTree", "Journey", "Link", "Servers", "Switch", "Topology", "Torus", "carry", "fit_link", "worst_miss"]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_HOME})
