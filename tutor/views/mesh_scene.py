"""The scene of a mesh: who is where, and step by step each kind of traffic, who talks to whom and over which links."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from simlib import hardware, models, traffic
from simlib.errors import BadArgument
from simlib.mesh import Mesh
from tutor import units
from tutor.views import limits
from tutor.views.mesh_map import MeshMap
from tutor.views.scene import Scene

KINDS = ("tensor", "pipeline", "data")  # in the order of the steps
_SHORT = {"tp": "tensor", "dp": "data", "pp": "pipeline"}
_WHAT = {
    "tensor": "all-reduces of every layer's output, twice forward and twice backward, for each micro-batch",
    "pipeline": "a stage's output to the next stage, its gradient back, for each micro-batch",
    "data": "one all-reduce of the gradients of the GPU's own parameters, once a step",
}
_LANDS = {
    "inside": "All of it stays inside servers, on NVLink",
    "between": "All of it crosses servers, over the network",
    "mixed": "Some neighbours share a server, others are reached over the network",
}


@dataclass(frozen=True)
class Kind:
    """One kind of traffic: its groups, where they lie, and the bytes that a GPU sends in a step."""

    groups: tuple[tuple[int, ...], ...]
    lands: str
    bytes: float


class MeshScene(Scene):
    """Step 0 shows the ranks alone; the steps after it a kind of traffic each."""

    last_step = len(KINDS)

    def __init__(self, given: Mapping[str, Any], mesh: Mesh, kinds: Mapping[str, Kind]) -> None:
        self.given = given
        self.mesh = mesh
        self.kinds = kinds
        self._places = [mesh.coordinates(rank) for rank in range(mesh.world_size)]

    def picture(self, step: int) -> MeshMap:
        per_server = self.given["gpus_per_server"]
        if not step:
            letters = ", ".join(f"{axis[0]} {axis}" for axis in self.mesh.axes)
            notes = (f"{letters}. Ranks count through {self.mesh.axes[-1]} first, then {self._slower()}.",)
            return MeshMap(self.mesh.axes, self._places, per_server, notes=notes)
        kind = KINDS[step - 1]
        return MeshMap(self.mesh.axes, self._places, per_server, kind, self.kinds[kind].groups, self._notes(kind))

    def caption(self, step: int) -> str:
        sizes = {axis: self.mesh.size(axis) for axis in ("data", "tensor", "pipeline")}
        shown = " x ".join(f"{axis} {size}" for axis, size in sizes.items())
        if not step:
            return f"{shown} = {_count(self.mesh.world_size, 'GPU')}, {self.given['gpus_per_server']} in a server"
        kind = KINDS[step - 1]
        found = self.kinds[kind]
        alone = len(found.groups[0]) == 1
        where = (
            "" if alone else f", {found.lands} servers" if found.lands != "mixed" else ", inside and between servers"
        )
        return f"{kind}: {_count(len(found.groups), 'group')} of {_count(len(found.groups[0]), 'rank')}{where}"

    def data(self) -> dict[str, Any]:
        per_server = self.given["gpus_per_server"]
        return {
            "gpus": self.mesh.world_size,
            **{axis: self.mesh.size(axis) for axis in ("data", "tensor", "pipeline")},
            "order": self.given["order"],
            "gpus_per_server": per_server,
            "ranks": [{"rank": rank, "server": rank // per_server, **at} for rank, at in enumerate(self._places)],
            "groups": {kind: [list(group) for group in found.groups] for kind, found in self.kinds.items()},
            "traffic": {
                kind: {
                    "lands": found.lands if len(found.groups[0]) > 1 else None,
                    "bytes_sent": found.bytes,
                    "bandwidth": self._bandwidth(found.lands) if len(found.groups[0]) > 1 else None,
                }
                for kind, found in self.kinds.items()
            },
        }

    def _bandwidth(self, lands: str) -> float:
        """Bytes per second of the slowest link that the traffic takes."""
        machine = hardware.find(self.given["hardware"])
        return machine.link_bandwidth if lands == "inside" else machine.network_bandwidth

    def _slower(self) -> str:
        return ", then ".join(reversed(self.mesh.axes[:-1]))

    def _notes(self, kind: str) -> tuple[str, ...]:
        found, given = self.kinds[kind], self.given
        if len(found.groups[0]) == 1:
            return (f"Groups of one: nothing is sent for {kind} parallelism.",)
        model = models.find(given["model"]).name
        speed = f" at {units.show(self._bandwidth(found.lands), 'B/s')}" if found.lands != "mixed" else ""
        sent = units.show(found.bytes, "B")
        batches = (
            "" if kind == "data" else f", {_count(given['micro_batches'], 'micro-batch')} of {given['micro_batch']}"
        )
        ends = " The first and the last stage send half." if kind == "pipeline" and len(found.groups[0]) > 2 else ""
        return (
            f"{kind.capitalize()}: {_WHAT[kind]}.",
            f"{_LANDS[found.lands]}{speed}. {model}{batches}: each GPU sends {sent} a step.{ends}",
        )


def build(given: Mapping[str, Any]) -> MeshScene:
    """The scene for these parameters. Raises BadArgument."""
    tensor, pipeline = given["tensor"], given["pipeline"]
    data = given["data"]
    if given["gpus"] is not None:
        rest = traffic.data_size(given["gpus"], tensor, pipeline)
        if data not in (None, rest):
            raise BadArgument("data", data, f"{rest}: {given['gpus']} GPUs over tensor {tensor} x pipeline {pipeline}")
        data = rest
    data = 2 if data is None else data
    world = data * tensor * pipeline
    if world > limits.MOST_MESH_GPUS:
        raise BadArgument("data x tensor x pipeline", world, f"at most {limits.MOST_MESH_GPUS} GPUs")
    short = Mesh.in_order(given["order"], {"tp": tensor, "dp": data, "pp": pipeline})
    mesh = Mesh(tuple(_SHORT[axis] for axis in short.axes), short.sizes)
    shape, batch, count = models.find(given["model"]).shape, given["micro_batch"], given["micro_batches"]
    sent = {
        "tensor": traffic.tensor_bytes(shape.layers, shape.hidden, shape.sequence, tensor, pipeline, batch, count),
        "pipeline": traffic.pipeline_bytes(shape.hidden, shape.sequence, pipeline, batch, count),
        "data": traffic.data_bytes(shape.params, data, tensor, pipeline),
    }
    kinds = {kind: Kind(mesh.groups(kind), mesh.lands(kind, given["gpus_per_server"]), sent[kind]) for kind in KINDS}
    return MeshScene(given, mesh, kinds)


def _count(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'' if number == 1 else 'es' if thing.endswith('ch') else 's'}"
