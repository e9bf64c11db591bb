"""ZB-H1 and ZB-H2: 1F1B whose bubble is filled with weight gradients (Qi et al. 2023, sections 2 and 3).

A backward pass has two halves: I, the gradient of the stage's input, for which the stage before
waits, and W, the gradients of its weights, for which nobody does. So I runs as early as it can, and
W wherever a rank would otherwise be idle. Two stages and four micro-batches, all three of one length:

    stage 0   F0 F1 .  I0 W0 F2 I1 W1 F3 I2 W2 I3 W3
    stage 1   .  F0 I0 F1 I1 W0 F2 I2 W1 F3 I3 W2 W3

A W that waits keeps its activations, so memory limits how far W can be put off. ZB-H1 holds as much
as 1F1B's first stage, p activations; ZB-H2 twice that, which lets the ranks run so many forward
passes ahead that none is ever idle between its first operation and its last.

How long F, I and W take differs from model to model, so the order is planned for the times given,
with the heuristic of the paper's section 3.1. The plan goes round by round: every rank runs one
forward pass, from the first rank to the last, then every rank one I, from the last to the first. A
rank that would wait for either fills the wait with W passes as far as whole ones fit, and one more if
it is the rank that has idled the most. A rank whose memory is full runs a W before the next F. Three
choices are left open (`Policy`); all their combinations are planned and the best is taken: the one
with the shortest span, for successive steps overlap where spans leave room.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import product
from typing import NamedTuple

from simlib.pipeline import interleaved_zero_bubble
from simlib.pipeline.durations import Length, StageTimes, common_slot, durations, exact, stage_lengths
from simlib.pipeline.operations import FORWARD, INPUT, WEIGHT
from simlib.pipeline.rows import Orders, each_in_order
from simlib.pipeline.timeline import run


class Policy(NamedTuple):
    """The choices that the heuristic leaves open."""

    first_gradient_first: bool  # in warm-up, never delay the first I by a forward pass
    may_sit_out: bool  # a rank that is two forwards ahead of the next may leave one out for a round
    always_fill: bool  # fill a wait shorter than a W even on a rank that has idled less than others


POLICIES = [Policy(*choice) for choice in product((True, False), repeat=3)]


class Lengths(NamedTuple):
    """How long the operations of one rank take, in slots where there is a common one."""

    forward: float
    input: float
    weight: float


def orders(stages: int, micro_batches: int, times: StageTimes, memory: int, freed_by_input: float = 0) -> Orders:
    """The order of each of `stages` ranks, none of which ever holds more than `memory` (>= 1) activations.

    `freed_by_input` is the share of an activation that its I frees already; the W frees the rest.

    >>> [" ".join(map(str, row)) for row in orders(2, 3, StageTimes(), memory=2)]
    ['0F0 0F1 0I0 0W0 0F2 0I1 0W1 0I2 0W2', '1F0 1I0 1F1 1I1 1W0 1F2 1I2 1W1 1W2']
    """
    lengths, latency = _lengths(stages, times)
    least = _least_span(lengths, latency, min(memory, micro_batches), micro_batches)
    best: _Plan | None = None
    for policy in POLICIES:
        plan = _Plan(policy, lengths, micro_batches, latency, memory, freed_by_input)
        plan.make()
        if best is None or plan.cost() < best.cost():
            best = plan
        if plan.cost()[0] <= least:
            return plan.rows()  # no order can do better
    assert best is not None
    if memory < stages:
        return best.rows()
    # The plain pattern needs p activations, and now and then it is the better plan
    return min(best.rows(), interleaved_zero_bubble.orders(stages, micro_batches, 1), key=partial(_cost, times))


def _cost(times: StageTimes, planned: Orders) -> tuple[float, float]:
    timeline = run(planned, durations(planned, times))
    return max(timeline.span), timeline.makespan


def _lengths(stages: int, times: StageTimes) -> tuple[list[Lengths], float]:
    """Each rank's lengths and the latency, in slots of the common divisor where there is one."""
    by_kind = stage_lengths(times, stages)
    latency = exact(times.latency)
    rows = [by_kind[kind] for kind in (FORWARD, INPUT, WEIGHT)]
    slot = common_slot([length for row in rows for length in row] + [latency] * (latency > 0))

    def counted(length: Length) -> float:
        return float(length) if slot is None else int(length / slot)

    return [Lengths(*map(counted, rank)) for rank in zip(*rows, strict=True)], counted(latency)


def _least_span(lengths: Sequence[Lengths], latency: float, most_forwards: int, micro_batches: int) -> float:
    """A span that no order can go below: that of the rank which has to wait the longest for its first gradient.

    From its first F until that gradient is there, a rank has nothing to run but the forward passes that its
    memory allows; from then on it may be busy all the time.
    """
    least = way_back = 0.0
    for rank in reversed(lengths):
        first_gradient = rank.forward + way_back
        wait = max(0, first_gradient - most_forwards * rank.forward)
        least = max(least, micro_batches * sum(rank) + wait)
        way_back += rank.forward + rank.input + 2 * latency
    return least


class _Rank:
    """A rank while its row is planned: what it has run so far, and when it is free again."""

    def __init__(self, lengths: Lengths) -> None:
        self.forward, self.input, self.weight = lengths
        self.kinds: list[str] = []  # of its operations; those of a kind take the micro-batches in their order
        self.forwards: list[float] = []  # when the forward passes ended
        self.inputs: list[float] = []  # when the I passes ended
        self.weights = 0  # how many W passes there were
        self.clock: float = 0
        self.idle: float = 0  # since the first forward pass
        self.held: float = 0

    @property
    def has_put_off(self) -> bool:
        return self.weights < len(self.inputs)


class _Plan:
    """One run of the heuristic under one policy."""

    def __init__(
        self,
        policy: Policy,
        lengths: Sequence[Lengths],
        micro_batches: int,
        latency: float,
        memory: float,
        freed_by_input: float,
    ) -> None:
        self.policy = policy
        self.micro_batches = micro_batches
        self.latency = latency
        self.memory = memory
        self.freed_by_input = freed_by_input
        self.ranks = list(map(_Rank, lengths))
        self.most_idle: float = 0  # of all ranks, so far

    def cost(self) -> tuple[float, float]:
        """The longest span of a rank, then the makespan: less is better."""
        spans = [rank.clock - rank.forwards[0] + rank.forward for rank in self.ranks]
        return max(spans), max(rank.clock for rank in self.ranks)

    def rows(self) -> Orders:
        return tuple(each_in_order(stage, "".join(rank.kinds)) for stage, rank in enumerate(self.ranks))

    def make(self) -> None:
        """Plan every row from beginning to end."""
        up = range(len(self.ranks) - 1, -1, -1)
        self.warm_up()
        for stage in up:
            self.run_input(stage)
        for _ in range(1, self.micro_batches):
            for stage in self.stages_with_a_forward():
                self.run_forward(stage)
            for stage in up:
                self.run_input(stage)
        for rank in self.ranks:
            while rank.has_put_off:
                self.run_weight(rank)

    def warm_up(self) -> None:
        """The forward passes before the first I: one on each rank, and those that fit before its gradient is there."""
        for stage in range(len(self.ranks)):
            self.run_forward(stage)
        for stage, extra in enumerate(self.extra_forwards()):
            for _ in range(extra):
                self.run_forward(stage)

    def extra_forwards(self) -> list[int]:
        """How many forward passes more than one each rank runs before its first I."""
        extra = [0] * len(self.ranks)
        gradient = self.ranks[-1].clock + self.ranks[-1].input  # when the rank after has run its first I
        for stage in range(len(self.ranks) - 2, -1, -1):
            rank = self.ranks[stage]
            clock, arrival = rank.clock, gradient + self.latency
            most = min(self.micro_batches - 1, int(self.memory - rank.held))
            while extra[stage] < most:
                fits = clock + rank.forward <= arrival
                if not fits and (self.policy.first_gradient_first or clock >= arrival):
                    break
                clock += rank.forward
                extra[stage] += 1
            gradient = max(clock, arrival) + rank.input
        for stage in range(1, len(extra)):
            # A rank can run no more than the one before has sent, and that one stays ahead while it has any left
            ahead = extra[stage - 1]
            extra[stage] = min(extra[stage], ahead if ahead == self.micro_batches - 1 else max(0, ahead - 1))
        return extra

    def stages_with_a_forward(self) -> list[int]:
        """The stages that run a forward pass in this round, from first to last."""
        stage = len(self.ranks)
        # If a rank has none to run, or leaves it out, those before it have no reason to run further ahead
        while stage > 0 and len(self.ranks[stage - 1].forwards) < self.micro_batches and not self.sits_out(stage - 1):
            stage -= 1
        return list(range(stage, len(self.ranks)))

    def sits_out(self, stage: int) -> bool:
        """Whether a rank that is well ahead keeps itself free for the gradient that the next one is about to send."""
        if not self.policy.may_sit_out or stage + 1 == len(self.ranks):
            return False
        rank, after = self.ranks[stage], self.ranks[stage + 1]
        if len(rank.forwards) < len(after.forwards) + 2:
            return False
        spare = after.clock + after.forward + after.input + self.latency - rank.clock
        if spare <= 0:
            return True
        # Between a forward pass that makes the gradient wait and idling until it is there: idle if others do more
        return rank.forward > spare and spare <= self.most_idle - rank.idle

    def run_forward(self, stage: int) -> None:
        rank = self.ranks[stage]
        while rank.held + 1 > self.memory:
            self.run_weight(rank)
        arrival = self.ranks[stage - 1].forwards[len(rank.forwards)] + self.latency if stage else 0
        self.fill(rank, arrival)
        self.wait(rank, arrival)
        rank.kinds.append(FORWARD)
        rank.clock += rank.forward
        rank.forwards.append(rank.clock)
        rank.held += 1

    def run_input(self, stage: int) -> None:
        rank = self.ranks[stage]
        done = len(rank.inputs)
        arrival = self.ranks[stage + 1].inputs[done] + self.latency if stage + 1 < len(self.ranks) else 0
        self.fill(rank, arrival)
        if stage == 0 and len(rank.forwards) == self.micro_batches:
            while rank.has_put_off:  # nobody waits for the first rank's I
                self.run_weight(rank)
        self.wait(rank, arrival)
        rank.kinds.append(INPUT)
        rank.clock += rank.input
        rank.inputs.append(rank.clock)
        rank.held -= self.freed_by_input

    def run_weight(self, rank: _Rank) -> None:
        rank.kinds.append(WEIGHT)
        rank.clock += rank.weight
        rank.weights += 1
        rank.held -= 1 - self.freed_by_input

    def fill(self, rank: _Rank, until: float) -> None:
        """Run W passes put off while the rank would wait: whole ones, and a last that is late if that is fair."""
        while rank.clock < until and rank.has_put_off:
            fits = rank.clock + rank.weight <= until
            if not fits and not self.policy.always_fill and until - rank.clock <= self.most_idle - rank.idle:
                break
            self.run_weight(rank)

    def wait(self, rank: _Rank, until: float) -> None:
        """Idle until then, if the rank is free before."""
        if rank.clock < until:
            if rank.forwards:
                rank.idle += until - rank.clock
                self.most_idle = max(self.most_idle, rank.idle)
            rank.clock = until
