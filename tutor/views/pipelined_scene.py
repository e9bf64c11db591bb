"""The scene of a small model's step through a pipeline, beside the same step on one device."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from simlib.training.pipelined import WINDOWS, Compared, compare
from tutor.views.compared_runs import ComparedRuns, difference
from tutor.views.figure_table import Figure, TableRow
from tutor.views.picture import cell
from tutor.views.scene import Scene

CHUNKED = ("interleaved", "looped-bfs")


class PipelinedScene(Scene):
    """Losses micro-batch by micro-batch, gradients rank by rank."""

    def __init__(self, given: Mapping[str, Any], found: Compared) -> None:
        self.given = given
        self.found = found

    def picture(self, step: int) -> ComparedRuns:
        found = self.found
        rows = [
            _row(
                "loss",
                f"micro-batch {at}",
                one,
                many,
                cell(micro_batch=at, run="one"),
                cell(micro_batch=at, run="many"),
            )
            for at, (one, many) in enumerate(zip(found.losses_one, found.losses_many, strict=True))
        ]
        step_cells = cell(part="step", run="one"), cell(part="step", run="many")
        rows.append(_row("loss", "the step", found.loss_one, found.loss_many, *step_cells))
        for rank, (one, many) in enumerate(zip(found.norms_one, found.norms_many, strict=True)):
            cells = cell(rank=rank, run="one"), cell(rank=rank, run="many")
            rows.append(_row("gradient", f"of rank {rank}", one, many, *cells, apart=found.apart[rank]))
        notes = (
            "losses in nats a character",
            "of a gradient: its length, and how far apart its numbers are at most",
        )
        return ComparedRuns(rows, notes)

    def caption(self, step: int) -> str:
        ranks, count = self.given["stages"], self.given["micro_batches"]
        return (
            f"{self.given['schedule']}: {WINDOWS} windows of text in {count} micro-batch{'' if count == 1 else 'es'} "
            f"through {ranks} rank{'' if ranks == 1 else 's'}"
        )

    def data(self) -> dict[str, Any]:
        found = self.found
        return {
            "schedule": self.given["schedule"],
            "losses": {"one": list(found.losses_one), "pipeline": list(found.losses_many)},
            "loss": {"one": found.loss_one, "pipeline": found.loss_many},
            "gradients": {"one": list(found.norms_one), "pipeline": list(found.norms_many), "apart": list(found.apart)},
            "layers": list(found.layers),
        }


def _row(what: str, of: str, one: float, many: float, *cells: Any, apart: float | None = None) -> TableRow:
    between = abs(one - many) if apart is None else apart
    figures = (Figure(one, cells[0]), Figure(many, cells[1]), Figure(between, None, difference(between)))
    return TableRow((what, of), figures)


def build(given: Mapping[str, Any]) -> PipelinedScene:
    """The scene for these parameters. Raises BadArgument."""
    chunks = given["chunks"] if given["schedule"] in CHUNKED else 1
    found = compare(given["stages"], given["micro_batches"], given["schedule"], chunks, given["seed"])
    return PipelinedScene(given, found)
