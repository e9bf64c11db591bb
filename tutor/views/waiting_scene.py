"""Why a run of workers stands still: the checker's picture of a deadlock, without a topic of its own."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from tutor.views.picture import Picture
from tutor.views.scene import Scene
from tutor.views.waiting_circle import Halted, WaitingCircle

TOPIC = "waiting"


@dataclass(frozen=True)
class WaitingScene(Scene):
    """No topic of `show`: there is nothing to see before a check."""

    circle: WaitingCircle
    said: str

    def picture(self, step: int) -> Picture:
        return self.circle

    def caption(self, step: int) -> str:
        return self.said

    def data(self) -> dict[str, Any]:
        return {"rows": [row._asdict() for row in self.circle.rows], "linked": list(self.circle.linked)}


def build(given: Mapping[str, Any]) -> WaitingScene:
    """The scene of {"kind", "waiting"}: `kind` as in `simlib.workers.RunError`, and who waits for whom.

    Each of `waiting` is {"worker", "call", "peer", "line", "source"}, the circle's first.
    """
    waiting = {one["worker"]: one for one in given["waiting"]}
    if given["kind"] == "mismatch":
        rows = [Halted(at, f"calls {one['call']}", one["line"], one["source"]) for at, one in waiting.items()]
        return WaitingScene(WaitingCircle(rows, (), False), "Calls that do not fit each other:")
    if given["kind"] == "unreceived":
        one = next(iter(waiting.values()))
        never = "never receives it" if one["call"] == "send" else "never sends it"
        rows = [_halted(one), Halted(one["peer"], never, None, "")]
        return WaitingScene(WaitingCircle(rows, (), False), "A message with one end:")
    linked = [given["waiting"][0]["worker"]]
    while (peer := waiting[linked[-1]]["peer"]) in waiting and peer not in linked:
        linked.append(peer)
    closed = peer in linked
    rows = [_halted(waiting[worker]) for worker in linked]
    if not closed and peer is not None:
        linked.append(peer)
        rows.append(Halted(peer, "has finished", None, ""))
    rows += [_halted(one) for worker, one in waiting.items() if worker not in linked]
    said = "The circle: each waits for the next." if closed else "Each waits for the next, and the last is gone."
    return WaitingScene(WaitingCircle(rows, linked if len(linked) > 1 else (), closed and len(linked) > 1), said)


def _halted(one: Mapping[str, Any]) -> Halted:
    match one["call"], one["peer"]:
        case "send", peer:
            does = f"sends to {peer}"
        case "recv", peer:
            does = f"receives from {peer}"
        case call, None:
            does = f"waits in {call}"
        case call, peer:
            does = f"waits in {call} for {peer}"
    return Halted(one["worker"], does, one["line"], one["source"])
