"""The scene of a step's peak: what becomes of the FLOPs that the GPUs could do while it runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any

from simlib import hardware, models, throughput
from simlib.throughput import PeakShares, StepTime
from tutor import units
from tutor.views import palette
from tutor.views.bar_rows import BarRow, Look
from tutor.views.figure_table import Figure
from tutor.views.picture import Role, cell
from tutor.views.scene import Scene
from tutor.views.share_bars import ShareBars

BOTH, NO, YES = "both", "no", "yes"
_LOOKS = {
    "model": Look(Role.COMPUTE, palette.COMPUTE_FILL, "for the model: MFU"),
    "recomputed": Look(Role.COMPUTE, palette.AGAIN, "recomputed: HFU counts it too"),
    "unreached": Look(Role.QUIET, palette.RULE, "not reached while computing"),
    "waiting": Look(Role.IDLE, palette.IDLE, "waiting"),
}
_AGAIN = "+recompute"
# By whether communication is overlapped, and the forward pass computed again
_NAMES = {
    (False, False): "waiting",
    (False, True): f"waiting{_AGAIN}",
    (True, False): "overlapped",
    (True, True): f"overlapped{_AGAIN}",
}


class PeakScene(Scene):
    """A bar for each way to do the step."""

    def __init__(self, given: Mapping[str, Any], ways: Mapping[str, StepTime]) -> None:
        self.given = given
        self.ways = ways
        self.shares = {name: throughput.peak_shares(time) for name, time in ways.items()}

    def picture(self, step: int) -> ShareBars:
        again = self.given["recompute"] != NO
        parts_shown = [part for part in _LOOKS if part != "recomputed" or again]
        # Without recomputation HFU and MFU are one
        names = [*parts_shown, "hfu"] if again else parts_shown

        def row(name: str, shares: PeakShares) -> BarRow:
            parts = asdict(shares)
            figures = [Figure(parts[part], cell(way=name, part=part)) for part in parts_shown]
            if again:
                figures.append(Figure(self.ways[name].hfu, cell(way=name, part="hfu")))
            # Under the bar without it
            head = f" {_AGAIN}" if name.endswith(_AGAIN) and self.given["recompute"] == BOTH else name
            return BarRow((head,), tuple(figures), tuple((parts[part], part) for part in _LOOKS if parts[part]), name)

        def say(row: BarRow, said: Sequence[str]) -> str:
            told = ", ".join(f"{_head(part)} {text}" for part, text in zip(names, said, strict=True))
            return f"{row.spoken}: {told}"

        return ShareBars(
            heads=("of peak", *map(_head, names)),
            rows=[row(name, shares) for name, shares in self.shares.items()],
            looks=_LOOKS,
            say=say,
        )

    def caption(self, step: int) -> str:
        given = self.given
        gpus = f"{given['gpus']:,} GPU{'' if given['gpus'] == 1 else 's'}"
        model, machine = models.find(given["model"]).name, hardware.find(given["hardware"])
        share = given["bandwidth_factor"]
        slower = "" if share == 1 else f", links at {units.show(share, 'x')}"
        peak = units.show(given["gpus"] * machine.peak_flops, "FLOP/s")
        return f"{model}, {gpus} ({machine.id.upper()}{slower}), {given['tokens']:,} tokens a step, of {peak}"

    def data(self) -> dict[str, Any]:
        names = ("model", "gpus", "hardware", "tokens", "bandwidth_factor")
        return {name: self.given[name] for name in names} | {
            "steps": [
                {"way": name, "seconds": self.ways[name].seconds, "hfu": self.ways[name].hfu, **asdict(shares)}
                for name, shares in self.shares.items()
            ]
        }


def _head(part: str) -> str:
    return {"model": "MFU", "hfu": "HFU"}.get(part, part)


def build(given: Mapping[str, Any]) -> PeakScene:
    """The scene for these parameters."""
    model, machine, share = models.find(given["model"]), hardware.find(given["hardware"]), given["bandwidth_factor"]
    machine = replace(
        machine,
        link_bandwidth=share * machine.link_bandwidth,
        network_bandwidth=share * machine.network_bandwidth,
    )
    ways = {}
    for (overlap, again), name in _NAMES.items():
        if given["overlap"] in (BOTH, YES if overlap else NO) and given["recompute"] in (BOTH, YES if again else NO):
            ways[name] = throughput.step_time(model, given["gpus"], machine, given["tokens"], overlap, again)
    return PeakScene(given, ways)
