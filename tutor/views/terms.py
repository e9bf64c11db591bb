"""The things that pictures draw: what each is called, in which role and with which signs, the same everywhere.

Legends, and the prose beside a picture, both speak of them. A look is a role with a sign: one look is
one thing in every picture, and the words that mean the thing have its colour wherever they stand beside it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from tutor.views import heads, palette
from tutor.views.picture import Picture, Role

_ROWS = 40  # as much of a picture as is looked at to find what it draws


@dataclass(frozen=True)
class Term:
    """A thing that pictures draw, or a part of one with a sign of its own."""

    name: str
    role: Role
    words: str  # what it is called: a regular expression
    signs: tuple[str, ...] = ()  # before its name in legends: a fill, or a number n with its sign
    in_legends: str = ""  # what else legends say of it: a regular expression
    mark: str = ""  # at its first mention in prose; none where among words it would be taken for punctuation

    @property
    def told_by(self) -> str:
        """The sign without which the role is another part of the same thing, if there is one."""
        return self.mark if self.mark in _FILLS else ""


_FILLS = (
    palette.WEIGHTS_FILL,
    palette.GRADIENTS_FILL,
    palette.OPTIMIZER_FILL,
    palette.SCORES_FILL,
    palette.MLP_FILL,
    palette.CHECKPOINT_FILL,
    palette.AGAIN,
)
_SENT_SIGNS = (f"n{palette.ARROW}", f"{palette.SENT_LINE}{palette.ARROW}", palette.SENT_LINE, palette.OVER_NETWORK)
# Longer names before the shorter ones in them
TERMS = (
    Term("sent", Role.SENT, "sends?|sent", _SENT_SIGNS, "all-reduced|on the way|over the network"),
    Term("hidden", Role.SENT, "hidden", (palette.HIDDEN_LINE,), mark=palette.HIDDEN_LINE),
    Term("arrived", Role.RECEIVED, "arrives?|arrived", (f"{palette.ARROW}n", palette.BACK_ARROW)),
    Term("final", Role.FINISHED, "final", (f"n{palette.DONE}",)),
    Term("not held", Role.ABSENT, "not held", (palette.NOT_HELD,)),
    Term("input gradient", Role.INPUT_GRADIENT, "input[- ]gradients?", (f"{palette.INPUT_GRADIENT}n",)),
    Term("weight gradient", Role.WEIGHT_GRADIENT, "weight[- ]gradients?", (f"{palette.WEIGHT_GRADIENT}n",)),
    Term("forward", Role.FORWARD, "forward", ("n", palette.FORWARD_GOES_ON)),
    Term(
        "backward",
        Role.BACKWARD,
        "backward",
        (f"{palette.BACKWARD}n", f"{palette.BACKWARD}{palette.BACKWARD_GOES_ON}"),
    ),
    Term("idle", Role.IDLE, "idle|waiting|bubbles?|latency", (palette.IDLE,)),
    Term("weights", Role.WEIGHTS, "weights?", (palette.WEIGHTS_FILL,), mark=palette.WEIGHTS_FILL),
    Term("gradients", Role.GRADIENTS, "gradients?", (palette.GRADIENTS_FILL,), mark=palette.GRADIENTS_FILL),
    Term(
        "optimizer",
        Role.OPTIMIZER,
        "optimizer(?: states?)?",
        (palette.OPTIMIZER_FILL,),
        mark=palette.OPTIMIZER_FILL,
    ),
    Term("activations", Role.ACTIVATIONS, "activations"),
    Term("checkpoints", Role.ACTIVATIONS, "checkpoints?", (palette.CHECKPOINT_FILL,), "input", palette.CHECKPOINT_FILL),
    Term("norms", Role.ACTIVATIONS, "norms", (palette.OPTIMIZER_FILL,), mark=palette.OPTIMIZER_FILL),
    Term("attention", Role.ACTIVATIONS, "attention", (palette.GRADIENTS_FILL,), mark=palette.GRADIENTS_FILL),
    Term("scores", Role.ACTIVATIONS, "scores", (palette.SCORES_FILL,), mark=palette.SCORES_FILL),
    Term("MLP", Role.ACTIVATIONS, "MLP", (palette.MLP_FILL,), mark=palette.MLP_FILL),
    Term("kept", Role.ACTIVATIONS, "kept", (palette.WEIGHTS_FILL,), mark=palette.WEIGHTS_FILL),
    *(
        Term("recomputed", role, "recomputed", (palette.AGAIN,), mark=palette.AGAIN)
        for role in (Role.ACTIVATIONS, Role.FORWARD, Role.COMPUTE)
    ),
    Term("compute", Role.COMPUTE, "compute", (palette.COMPUTE_FILL,), "for the model"),
    Term("peak", Role.PEAK, "peak", (f"{palette.PEAK}n",), "the most"),
)


@dataclass(frozen=True)
class Wording:
    """The terms of one picture, found in the text beside it. `known` are those that need no mark any more."""

    terms: tuple[Term, ...]
    known: frozenset[str] = frozenset()
    only_bold: bool = False  # where a term is introduced, and nowhere else

    def found(self, text: str) -> Iterator[tuple[int, int, Term]]:
        """Where the text speaks of what the picture draws.

        >>> wording = Wording(tuple(term for term in TERMS if term.name in ("forward", "gradients")))
        >>> [(start, end, term.name) for start, end, term in wording.found("Forward passes need no gradient.")]
        [(0, 7, 'forward'), (23, 31, 'gradients')]
        """
        for match in self._pattern.finditer(text) if self.terms else ():
            yield match.start(), match.end(), self.terms[int((match.lastgroup or "t0")[1:])]

    def after(self, texts: Iterable[str]) -> Wording:
        """The same for a text that stands after these."""
        return replace(self, known=self.known.union(*({of.name for *_, of in self.found(text)} for text in texts)))

    def unmarked(self) -> Wording:
        """The same without marks, for texts in which a sign would be in the way."""
        return replace(self, known=frozenset(term.name for term in self.terms))

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        names = "|".join(f"(?P<t{number}>{term.words})" for number, term in enumerate(self.terms))
        return re.compile(rf"(?<![\w-])(?:{names})(?![\w-])", re.IGNORECASE)


# What a text without a picture may introduce, and the next picture draws
INTRODUCED = Wording(
    tuple(
        term
        for term in TERMS
        if term.name in ("forward", "backward", "idle", "weights", "gradients", "optimizer", "activations")
    ),
    only_bold=True,
)


def wording(picture: Picture, width: int) -> Wording:
    """The terms that `picture` draws: those whose role, and sign if it takes one to tell them, is in it.

    `width` is one that it is laid out for anyway.
    """
    drawn: dict[Role, str] = {}
    ranks: dict[str, Term] = {}
    rows = picture.size(width).rows
    foot = range(max(_ROWS, rows - picture.foot_rows(width)), rows)
    for row in (*range(min(rows, _ROWS)), *foot):
        for run in picture.line(row, width, 0, width):
            drawn[run.role] = drawn.get(run.role, "") + run.text
            if heads.of_name(run.text) is run.role:
                ranks[run.text] = Term(run.text, run.role, re.escape(run.text))
    terms = [term for term in TERMS if term.role in drawn and term.told_by in drawn[term.role]]
    return Wording((*terms, *ranks.values()))
