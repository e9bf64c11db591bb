"""The scene of how long an all-reduce takes by each algorithm, and how much of that is latency."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from simlib import hardware
from simlib.collectives import costs
from tutor import units
from tutor.views import palette
from tutor.views.bar_rows import BarRow, Look
from tutor.views.figure_table import Figure
from tutor.views.picture import Role, cell
from tutor.views.scene import Scene
from tutor.views.share_bars import ShareBars

_LOOKS = {
    "latency": Look(Role.IDLE, palette.IDLE, "latency"),
    "bytes": Look(Role.SENT, palette.SENT_LINE, "bytes on the way"),
}
_PARTS = ("seconds", "latency", "bytes")
_UNITS = (("s", 1), ("ms", 1e-3), ("us", 1e-6))


@dataclass(frozen=True)
class Duration:
    """Seconds of one all-reduce, and those of them that would be left with an array of no bytes."""

    seconds: float
    latency: float


class SecondsScene(Scene):
    """A bar for each algorithm; that of the slowest is as long as the scale."""

    def __init__(self, given: Mapping[str, Any], durations: Mapping[str, Duration]) -> None:
        self.given = given
        self.durations = durations

    def picture(self, step: int) -> ShareBars:
        longest = max(of.seconds for of in self.durations.values())
        unit = next((name for name, least in _UNITS if longest >= least), "s")

        def row(name: str, of: Duration) -> BarRow:
            moving = of.seconds - of.latency
            seconds = (of.seconds, of.latency, moving)
            figures = tuple(
                Figure(value, cell(algorithm=name, part=part), _in(value, unit))
                for part, value in zip(_PARTS, seconds, strict=True)
            )
            parts = tuple((spent / longest, part) for spent, part in zip(seconds[1:], _PARTS[1:], strict=True) if spent)
            return BarRow((_named(name),), figures, parts, _named(name))

        def say(row: BarRow, said: Sequence[str]) -> str:
            return f"{row.spoken}: {said[0]}, of which {said[1]} latency and {said[2]} for the bytes"

        return ShareBars(
            heads=(unit, "in all", *_PARTS[1:]),
            rows=[row(name, of) for name, of in self.durations.items()],
            looks=_LOOKS,
            say=say,
            unit="s",
        )

    def caption(self, step: int) -> str:
        given = self.given
        fastest = min(self.durations, key=lambda name: self.durations[name].seconds)
        array, alpha = units.show(given["bytes"], "B"), units.show(given["alpha"], "s")
        gpus = f"{given['gpus']:,} GPU{'' if given['gpus'] == 1 else 's'}"
        return f"{gpus} ({given['hardware'].upper()}) all-reduce {array}, alpha {alpha}: fastest by {_named(fastest)}"

    def data(self) -> dict[str, Any]:
        return {name: self.given[name] for name in ("bytes", "gpus", "hardware", "alpha")} | {
            "algorithms": [
                {"algorithm": name, "seconds": of.seconds, "latency": of.latency} for name, of in self.durations.items()
            ]
        }


def build(given: Mapping[str, Any]) -> SecondsScene:
    """The scene for these parameters. Raises BadArgument."""
    size, gpus, alpha = given["bytes"], given["gpus"], given["alpha"]
    machine = hardware.find(given["hardware"])
    link = machine.bandwidth(gpus)
    ways: dict[str, Callable[[float], float]] = {
        "ring": lambda size: costs.ring_all_reduce_time(size, gpus, alpha, link),
        "tree": lambda size: costs.tree_all_reduce_time(size, gpus, alpha, link),
    }
    if alpha:
        chunks = costs.best_chunks(size, gpus, alpha, link)
        ways["two-trees"] = lambda size: costs.pipelined_tree_time(size, gpus, alpha, link, chunks)
    inside = machine.gpus_per_server
    if gpus > inside and gpus % inside == 0:
        ways["two-levels"] = lambda size: costs.hierarchical_all_reduce_time(
            size, gpus // inside, inside, alpha, machine.link_bandwidth, alpha, machine.network_bandwidth
        )
    return SecondsScene(given, {name: Duration(way(size), way(0)) for name, way in ways.items()})


def _named(name: str) -> str:
    return {"tree": "simple tree"}.get(name, name.replace("-", " "))


def _in(seconds: float, unit: str) -> str:
    """Seconds as a number of `unit`.

    >>> _in(0.00126, "ms"), _in(4e-8, "ms"), _in(0, "ms")
    ('1.26', '<0.001', '0')
    """
    number = units.show(seconds, f".4g {unit}").split()[0]
    return "<0.001" if 0 < float(number.replace(",", "")) < 0.001 else number
