"""The scene of DDP's buckets: which gradients travel together, and when, while the backward pass goes on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from simlib.collectives import costs
from simlib.data_parallel import BucketTime, bucket_timeline
from tutor import units
from tutor.views.figure_table import Figure, TableRow
from tutor.views.figures import in_unit
from tutor.views.picture import cell
from tutor.views.scene import Scene
from tutor.views.time_lanes import Lane, Stretch, TimeLanes

_MEBIBYTE = 2**20  # DDP's caps are counted in them
_TIMES = ("ready", "start", "end")
_LEGEND = {"backward": "backward, layer by layer", "sent": "all-reduced, by bucket", "idle": "waiting for it"}


class BucketScene(Scene):
    """A backward pass over layers, the all-reduces of its buckets, and the one all-reduce that could follow it."""

    def __init__(self, given: Mapping[str, Any], timeline: Sequence[BucketTime], at_the_end: float) -> None:
        self.given = given
        self.timeline = timeline
        self.at_the_end = at_the_end  # seconds, all gradients in one message after the backward pass
        self.backward: float = given["layers"] * given["seconds"]

    @property
    def seconds(self) -> float:
        """From the start of the backward pass to the last gradient's mean."""
        return max(self.backward, self.timeline[-1].end)

    def picture(self, step: int) -> TimeLanes:
        layers, each = self.given["layers"], self.given["seconds"]
        backward = [Stretch(at * each, (at + 1) * each, "backward", str(self._layer(at))) for at in range(layers)]
        waiting = [Stretch(self.backward, self.seconds, "idle")] if self.seconds > self.backward else []
        sent = [Stretch(of.start, of.end, "sent", str(at)) for at, of in enumerate(self.timeline) if of.end > of.start]
        late = [Stretch(self.backward, self.at_the_end, "sent", "all")] if self.at_the_end > self.backward else []
        rows = []
        for at, of in enumerate(self.timeline):
            size = Figure(of.bytes, cell(bucket=at, part="bytes"), in_unit(of.bytes, _MEBIBYTE), _mebibytes(of.bytes))
            figures = [size]
            figures += [Figure(getattr(of, name), cell(bucket=at, part=name)) for name in _TIMES]
            rows.append(TableRow((str(at), self._span(of)), tuple(figures)))

        def say(at: int, said: Sequence[str]) -> str:
            of = self.timeline[at]
            size, ready, start, end = said
            return (
                f"bucket {at}, layer{'s' if len(of.members) > 1 else ''} {self._span(of)}, {size}: "
                f"ready at {ready}, all-reduced from {start} to {end}"
            )

        return TimeLanes(
            lanes=[
                Lane(("backward",), (*backward, *waiting)),
                Lane(("buckets",), tuple(sent)),
                Lane(("at the end",), tuple(late)),
            ],
            names=("bucket", "layers", "MiB", *_TIMES),
            rows=rows,
            say=say,
            legend=_LEGEND,
            bytes_unit=_MEBIBYTE,
            notes=(f"{self._unhidden()}; all at the end: done at {units.show(self.at_the_end, 's')}",),
        )

    def caption(self, step: int) -> str:
        layers, count = self.given["layers"], len(self.timeline)
        total = _mebibytes(sum(of.bytes for of in self.timeline))
        return (
            f"{layers} layer{'' if layers == 1 else 's'}, {total} of gradients "
            f"in {count} bucket{'' if count == 1 else 's'} among {self.given['workers']:,} workers: "
            f"done at {units.show(self.seconds, 's')}, the backward pass at {units.show(self.backward, 's')}"
        )

    def data(self) -> dict[str, Any]:
        return {
            "workers": self.given["workers"],
            "buckets": [
                {
                    "bucket": at,
                    "layers": [self._layer(member) for member in of.members],
                    "bytes": of.bytes,
                    "ready": of.ready,
                    "start": of.start,
                    "end": of.end,
                }
                for at, of in enumerate(self.timeline)
            ],
            "backward": self.backward,
            "seconds": self.seconds,
            "at_the_end": self.at_the_end,
        }

    def _layer(self, place: int) -> int:
        """The layer whose gradient is ready in this place: the last layer's is first."""
        layers: int = self.given["layers"]
        return layers - 1 - place

    def _span(self, of: BucketTime) -> str:
        first, last = self._layer(of.members[0]), self._layer(of.members[-1])
        return str(first) if first == last else f"{first} to {last}"

    def _unhidden(self) -> str:
        exposed = self.seconds - self.backward
        return f"{units.show(exposed, 's')} not hidden" if exposed else "all of it hidden"


def build(given: Mapping[str, Any]) -> BucketScene:
    """The scene for these parameters. Raises BadArgument."""
    layers, workers, bandwidth, alpha = given["layers"], given["workers"], given["bandwidth"], given["alpha"]
    sizes = [given["bytes"]] * layers
    if given["first_layer_bytes"] is not None:
        sizes[-1] = given["first_layer_bytes"]
    per_byte = costs.ring_all_reduce_time(1, workers, 0, bandwidth)
    latency = costs.ring_all_reduce_time(0, workers, alpha, bandwidth)
    timeline = bucket_timeline(sizes, [given["seconds"]] * layers, per_byte, latency, given["first_cap"], given["cap"])
    at_the_end = layers * given["seconds"] + costs.ring_all_reduce_time(sum(sizes), workers, alpha, bandwidth)
    return BucketScene(given, timeline, at_the_end)


def _mebibytes(count: float) -> str:
    return units.show(count, "MiB")
