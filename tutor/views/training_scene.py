"""A real, small training run as a scene: one worker with the whole batch, and several that average gradients."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import Any

from simlib.decoder import sentences
from simlib.errors import BadArgument
from simlib.optimizers import Sgd
from simlib.training.demonstration import SMALL, Progress, one_against_many
from simlib.training.settings import Settings
from tutor.views.figure_table import Figure, TableRow
from tutor.views.loss_table import LossTable, loss
from tutor.views.picture import cell
from tutor.views.scene import Scene

EVERY = 10  # training steps between one look at the losses and the next
_SENTENCES = 400
_RATE = 0.2
EQUAL, UNEQUAL = "equal", "unequal"


class TrainingScene(Scene):
    """Both runs, trained as far as somebody looks: a step of the picture is ten of training."""

    def __init__(self, given: Mapping[str, Any], shares: list[int]) -> None:
        self.given = given
        self.shares = shares
        self.last_step = given["train"] // EVERY
        self._steps = one_against_many(
            sentences(_SENTENCES),
            given["train"],
            given["windows"],
            given["workers"],
            shares,
            None if given["mistake"] == "none" else given["mistake"],
            Settings(rule=Sgd(_RATE), seed=given["seed"]),
            EVERY,
            SMALL,
        )
        self._judged: list[Progress] = []

    def judged(self, step: int) -> list[Progress]:
        """What the runs came to, from the first training step until `step`."""
        while len(self._judged) <= step:
            progress = next(self._steps)
            if progress.validation_one is not None:
                self._judged.append(progress)
        return self._judged[: step + 1]

    def picture(self, step: int) -> LossTable:
        many = f"{self.given['workers']} worker{'' if self.given['workers'] == 1 else 's'}"
        rows, heights = [], []
        for progress in self.judged(step):
            one, several = _losses(progress)
            rows.append(
                TableRow(
                    (str(progress.step),),
                    (
                        Figure(one, cell(steps=progress.step, run="one")),
                        Figure(several, cell(steps=progress.step, run="many")),
                        Figure(abs(one - several), None, _small(abs(one - several))),
                        Figure(progress.furthest, None, _small(progress.furthest)),
                    ),
                )
            )
            heights.append(several)
        agree = all(progress.agree for progress in self.judged(step))
        return LossTable(
            ("steps", "1 worker", many, "apart", "weights apart"),
            rows,
            heights,
            ("losses in nats a character, on text that neither run has read",)
            + (
                ()
                if self.given["workers"] == 1
                else (f"the {many}' copies {'are alike to the last bit' if agree else 'differ'}",)
            ),
        )

    def caption(self, step: int) -> str:
        now = self.judged(step)[-1]
        one, several = _losses(now)
        told = f"after {now.step} of {self.given['train']} training steps: "
        if loss(one) == loss(several):
            return told + f"both losses are {loss(one)}"
        return told + f"losses {loss(one)} and {loss(several)}, {_small(abs(one - several))} apart"

    def data(self) -> dict[str, Any]:
        names = ("workers", "windows", "train", "mistake", "seed")
        return {name: self.given[name] for name in names} | {
            "shares": self.shares,
            "steps": [
                {"step": progress.step, "one": _finite(progress.validation_one)}
                | {"many": _finite(progress.validation_many), "weights_apart": _finite(progress.furthest)}
                | {"copies_agree": progress.agree}
                for progress in self.judged(self.last_step)
            ],
        }


def _losses(progress: Progress) -> tuple[float, float]:
    one, several = progress.validation_one, progress.validation_many
    if one is None or several is None:  # pragma: no cover - only judged steps are kept
        raise ValueError("a step without losses")
    return one, several


def _finite(value: float | None) -> float | None:
    """A number that JSON has."""
    return value if value is not None and isfinite(value) else None


def _small(value: float) -> str:
    """A difference: zero, a power of ten, or two digits.

    >>> _small(0), _small(4.4e-13), _small(0.0213)
    ('0', '4e-13', '0.021')
    """
    if not isfinite(value):
        return "beyond all"
    return "0" if not value else f"{value:.2g}" if value >= 1e-4 else f"{value:.0e}"


def build(given: Mapping[str, Any]) -> TrainingScene:
    """The scene for these parameters. Raises BadArgument where a worker would have no window."""
    workers, windows = given["workers"], given["windows"]
    if windows < workers:
        raise BadArgument("windows", windows, f"{workers} or more: a window for each of {workers} workers")
    if given["train"] % EVERY:
        raise BadArgument("train", given["train"], f"a multiple of {EVERY}")
    small, more = divmod(windows, workers)
    shares = [small + (worker < more) for worker in range(workers)]
    if given["shares"] == UNEQUAL:
        shares = [1] * (workers - 1) + [windows - workers + 1]
    return TrainingScene(given, shares)
