"""The table of a collective as a learner's function left it after a step: what it holds, and what has changed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

from tutor.views import marks, palette
from tutor.views.layout import Line, flow, note
from tutor.views.picture import Role
from tutor.views.ring_table import RingTable


@dataclass(frozen=True, eq=False)
class OwnTable(RingTable):
    """Nothing is known of its messages: a chunk that is not as it was has an arrow before it."""

    def _text(self, worker: int, chunk: int, index: int) -> str:
        value = self.value(worker, chunk, index)
        return str(value) if value is not None and not math.isfinite(value) else super()._text(worker, chunk, index)

    @cached_property
    def _sent(self) -> frozenset[tuple[int, int]]:
        return frozenset()

    @cached_property
    def _received(self) -> frozenset[tuple[int, int]]:
        return frozenset(
            (worker, chunk)
            for worker, (now, before) in enumerate(zip(self.state, self.before, strict=bool(self.before)))
            for chunk, (first, stop) in enumerate(self.bounds)
            if (now[first:stop] != before[first:stop]).any()
        )

    def words(self) -> list[str]:
        remark = [self.remark] if self.remark else []
        chunks = range(len(self.bounds))
        rows = ("; ".join(self._spoken(worker, chunk) for chunk in chunks) for worker in range(self.workers))
        return [*remark, *(f"{self.when}, worker {worker}: {row}" for worker, row in enumerate(rows))]

    def _foot(self, width: int) -> list[Line]:
        changed = [note(f"{palette.ARROW}n changed", Role.RECEIVED)] if self.before else []
        return flow([note(self.remark)] if self.remark else [], width) + flow(
            [*changed, *marks.legend(self.overlay)], width
        )
