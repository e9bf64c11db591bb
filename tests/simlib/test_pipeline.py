"""Schedules for any sizes and times: valid, with the closed forms where those hold, within their memory."""

from __future__ import annotations

import re
import subprocess
import sys
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simlib.errors import BadArgument
from simlib.pipeline import (
    SCHEDULES,
    Schedule,
    formulas,
    gpipe,
    interleaved,
    one_f_one_b,
    schedule,
    zero_bubble,
)

ONE_CHUNK = ("gpipe", "1f1b")
TIMES = st.sampled_from([0.3, 0.5, 1, 1.5, 2, 3.7, 10, 3.141592653589793])
STAGES = st.integers(1, 9)
MICRO_BATCHES = st.integers(1, 20)
LATENCY = st.sampled_from([0, 0.1, 1, 5])


@st.composite
def sizes(draw, name: str, least: int = 1) -> tuple[str, int, int, int]:
    """Name, stages, micro-batches (at least `least` times the stages, or 1) and chunks that the schedule takes."""
    stages = draw(st.integers(1, 4)) * 2 if name == "dualpipe" else draw(STAGES)
    chunks = draw(st.integers(1, 4)) if name in ("interleaved", "looped-bfs", "zb-h1") else 1
    lowest = 2 * stages if name.startswith("dualpipe") else least * stages if least > 1 else 1
    micro_batches = lowest + draw(st.integers(0, 12))
    if name == "interleaved" or chunks > 1:
        micro_batches -= micro_batches % max(1, micro_batches // stages)
    if name == "dualpipe":
        micro_batches += micro_batches % 2
    return name, stages, micro_batches, chunks


def assert_valid(made: Schedule, latency: float = 0, forward_only: bool = False) -> None:
    """Each pass of each micro-batch once, one at a time on a rank, none before what it needs has arrived."""
    when: dict[tuple[int, str, int], tuple[int, float, float]] = {}
    for rank, row in enumerate(made.orders):
        free = 0.0
        for step, start, end in zip(row, made.timeline.starts[rank], made.timeline.ends[rank], strict=True):
            assert free - 1e-9 <= start < end
            free = end
            for part in step.parts:
                assert tuple(part) not in when, f"{part} is given twice"
                when[tuple(part)] = (rank, start, end)

    def assert_after(key: tuple[int, str, int], *needed: tuple[int, str, int], on_rank: bool = False) -> None:
        rank, start, _ = when[key]
        supplier, _, end = next(when[need] for need in needed if need in when)
        assert not on_rank or supplier == rank
        assert start >= end + (0 if supplier == rank else latency) - 1e-9, f"{key} before {needed}"

    last = (made.stages if made.name == "dualpipe" else made.stages * made.chunks) - 1
    seen = set()
    for stage in range(last + 1):
        for batch in range(made.micro_batches):
            forward, backward, first_half, second_half = [(stage, kind, batch) for kind in "FBIW"]
            whole = backward in when
            seen |= {forward} if forward_only else {forward, backward} if whole else {forward, first_half, second_half}
            if stage > 0:
                assert_after(forward, (stage - 1, "F", batch))
            if forward_only:
                continue
            going_back = backward if whole else first_half
            assert_after(going_back, forward, on_rank=True)
            if stage < last:
                assert_after(going_back, (stage + 1, "B", batch), (stage + 1, "I", batch))
            if not whole:
                assert_after(second_half, first_half, on_rank=True)
    assert seen == set(when)


@pytest.mark.parametrize("name", SCHEDULES)
@given(st.data(), TIMES, TIMES, TIMES, TIMES, LATENCY, st.booleans())
def test_every_schedule_is_valid_for_any_sizes_and_times(name, data, forward, backward, input, weight, latency, only):
    times = {"forward": forward, "backward": backward, "input": input, "weight": weight, "latency": latency}
    made = schedule(*data.draw(sizes(name)), forward_only=only, **times)
    assert_valid(made, latency, only)


@pytest.mark.parametrize("name", SCHEDULES)
@given(st.data())
def test_activations_held_are_those_of_the_formulas(name, data):
    _, stages, micro_batches, chunks = data.draw(sizes(name))
    made = schedule(name, stages, micro_batches, chunks)
    assert list(made.peak_activations) == [
        formulas.peak_activations(name, stages, micro_batches, stage, chunks) for stage in range(stages)
    ]


@pytest.mark.parametrize(("name", "cap"), [("zb-h1", 1), ("zb-h2", 2)])
@given(STAGES, MICRO_BATCHES, TIMES, TIMES, TIMES, LATENCY)
def test_zero_bubble_plans_keep_within_their_memory(name, cap, stages, micro_batches, forward, input, weight, latency):
    made = schedule(name, stages, micro_batches, forward=forward, input=input, weight=weight, latency=latency)
    assert max(made.peak_activations) <= cap * stages


@pytest.mark.parametrize("name", ["interleaved", "looped-bfs"])
@given(st.data(), TIMES, TIMES)
def test_chunks_divide_the_bubble(name, data, forward, backward):
    _, stages, micro_batches, chunks = data.draw(sizes(name, least=2))
    made = schedule(name, stages, micro_batches, chunks, forward=forward, backward=backward)
    assert made.idle == pytest.approx([(stages - 1) * (forward + backward) / chunks] * stages, abs=1e-9)
    assert made.bubble == pytest.approx(formulas.bubble(stages, micro_batches, chunks), abs=1e-12)
    assert made.bubble_of_ideal == pytest.approx(formulas.bubble_of_ideal(stages, micro_batches, chunks), abs=1e-12)
    assert made.makespan == pytest.approx(formulas.makespan(stages, micro_batches, forward, backward, chunks))


@given(STAGES, st.integers(0, 12), TIMES, st.sampled_from([0.3, 0.5, 1]))
def test_zb_h1_has_the_bubble_of_its_paper(stages, more, unit, weight):
    """(p-1) (F + I - W), for F = I >= W and no fewer micro-batches than stages (Qi et al. 2023, table 2)."""
    times = {"forward": unit, "input": unit, "weight": weight * unit}
    made = schedule("zb-h1", stages, stages + more, **times)
    assert made.idle == pytest.approx([(stages - 1) * (2 - weight) * unit] * stages, abs=1e-9)


# Name, p, m, F, I, W: longest span and makespan. From the generator of Qi et al. run for these times
# (sail-sg/zero-bubble-pipeline-parallelism at 39f2c18, scheduler/zb.py, activations freed by W); the last three from
# the order of torch.distributed.pipelining's ScheduleInterleavedZeroBubble, where that is shorter.
PLANNED = {
    ("zb-h1", 6, 3, 10, 3, 10): (114, 119),
    ("zb-h1", 4, 9, 10, 5, 15): (285, 300),
    ("zb-h2", 5, 6, 10, 15, 10): (260, 260),
    ("zb-h2", 4, 10, 11, 30, 10): (563, 563),
    ("zb-h2", 5, 6, 30, 11, 11): (421, 432),
    ("zb-h2", 3, 12, 3, 20, 10): (427, 427),
    ("zb-h2", 5, 11, 30, 11, 20): (692, 791),
    ("zb-h2", 5, 7, 11, 3, 10): (177, 212),
    ("zb-h2", 5, 14, 15, 10, 11): (510, 564),
    ("zb-h2", 5, 14, 20, 3, 10): (468, 542),
    ("zb-h2", 5, 11, 12, 15, 11): (436, 466),
    ("zb-h2", 6, 12, 20, 11, 12): (542, 616),
    ("zb-h1", 3, 18, 3, 5, 10): (334, 334),
    ("zb-h1", 5, 18, 3, 10, 10): (454, 454),
    ("zb-h1", 6, 6, 5, 3, 15): (153, 163),
}


@pytest.mark.parametrize("case", PLANNED, ids=lambda case: "-".join(map(str, case)))
def test_uneven_times_are_planned_as_well_as_by_the_published_planners(case):
    name, stages, micro_batches, forward, input, weight = case
    made = schedule(name, stages, micro_batches, forward=forward, input=input, weight=weight)
    assert (max(made.span), made.makespan) == PLANNED[case]


@given(STAGES, st.integers(0, 12), TIMES)
def test_zb_h2_and_zb_v_have_no_bubble_within_a_rank(stages, more, unit):
    """For F = I = W; what is left is the stagger of the ranks' starts."""
    times = {"forward": unit, "input": unit, "weight": unit}
    micro_batches = 2 * stages + more
    for name, hop in [("zb-h2", unit), ("zb-v", unit / 2)]:
        made = schedule(name, stages, micro_batches, **times)
        assert made.span == pytest.approx([3 * micro_batches * unit] * stages)
        assert made.makespan == pytest.approx(3 * micro_batches * unit + (stages - 1) * hop)


@given(st.data(), TIMES)
def test_dualpipe_has_the_bubble_of_its_authors(data, unit):
    """(P/2 - 1) (F&B + B - 3W) for P model stages, F = I = W (DeepSeek-AI, README of DualPipe)."""
    times = {"forward": unit, "backward": 2 * unit, "input": unit, "weight": unit}
    made = schedule(*data.draw(sizes("dualpipe")), **times)
    assert made.idle == pytest.approx([(made.stages / 2 - 1) * 2 * unit] * made.stages, abs=1e-9)
    folded = schedule(*data.draw(sizes("dualpipe-v")), **times)
    assert folded.idle == pytest.approx([(folded.stages - 1) * unit] * folded.stages, abs=1e-9)


@given(st.data(), STAGES, MICRO_BATCHES)
def test_stages_of_different_speed_are_valid(data, stages, micro_batches):
    forward = data.draw(st.lists(TIMES, min_size=stages, max_size=stages))
    backward = data.draw(st.lists(TIMES, min_size=stages, max_size=stages))
    made = schedule("1f1b", stages, micro_batches, forward=forward, backward=backward)
    assert_valid(made)
    busy = [micro_batches * (f + b) for f, b in zip(forward, backward, strict=True)]
    assert made.busy == pytest.approx(busy)
    assert made.makespan >= max(busy) - 1e-9


@given(st.sampled_from(ONE_CHUNK), STAGES, MICRO_BATCHES, TIMES, TIMES)
def test_even_stages_meet_the_closed_forms(name, stages, micro_batches, forward, backward):
    made = schedule(name, stages, micro_batches, forward=forward, backward=backward)
    assert made.makespan == pytest.approx((micro_batches + stages - 1) * (forward + backward))
    assert made.idle == pytest.approx([(stages - 1) * (forward + backward)] * stages, abs=1e-9)
    assert made.bubble == pytest.approx(formulas.bubble(stages, micro_batches), abs=1e-12)
    assert made.bubble_of_ideal == pytest.approx(formulas.bubble_of_ideal(stages, micro_batches), abs=1e-12)
    assert made.span == pytest.approx([made.makespan - stage * (forward + backward) for stage in range(stages)])


@given(STAGES, MICRO_BATCHES, TIMES, TIMES, LATENCY)
def test_latency_delays_gpipe_by_every_message_of_the_longest_path(stages, micro_batches, forward, backward, latency):
    made = schedule("gpipe", stages, micro_batches, forward=forward, backward=backward, latency=latency)
    assert made.makespan == pytest.approx(
        (micro_batches + stages - 1) * (forward + backward) + 2 * (stages - 1) * latency
    )
    assert made.makespan == pytest.approx(
        formulas.makespan(stages, micro_batches, forward=forward, backward=backward, latency=latency)
    )


def test_the_forward_grid_of_the_first_lesson():
    made = schedule("gpipe", 2, 3, forward_only=True)
    assert made.grid == [["0F0", "0F1", "0F2", None], [None, "1F0", "1F1", "1F2"]]
    assert sum(cell is None for row in made.grid for cell in row) == formulas.idle_slots(2, 3) == 2
    assert formulas.total_slots(2, 3) == 8
    assert (made.slot, made.makespan, made.bubble) == (1, 4, 1 / 4)


@given(STAGES, MICRO_BATCHES)
def test_the_forward_grid_has_the_slots_of_the_formulas(stages, micro_batches):
    grid = schedule("1f1b", stages, micro_batches, forward_only=True).grid
    assert grid is not None
    cells = [cell for row in grid for cell in row]
    assert len(cells) == formulas.total_slots(stages, micro_batches)
    assert cells.count(None) == formulas.idle_slots(stages, micro_batches)


@given(st.sampled_from(ONE_CHUNK), STAGES, MICRO_BATCHES, st.sampled_from([(1, 2), (0.3, 1), (1.5, 2), (2, 4)]))
def test_a_cell_of_the_grid_lasts_the_slot(name, stages, micro_batches, times):
    made = schedule(name, stages, micro_batches, forward=times[0], backward=times[1])
    exact = [Fraction(str(time)) for time in times]
    assert made.slot == {(1, 2): 1, (0.3, 1): 0.1, (1.5, 2): 0.5, (2, 4): 2}[times]
    slot = Fraction(str(made.slot))
    assert made.grid is not None
    for row, steps in zip(made.grid, made.orders, strict=True):
        assert len(row) * slot == Fraction(made.makespan).limit_denominator(1000)
        for step in steps:
            assert row.count(str(step)) * slot == exact["FB".index(step.kind)]


@pytest.mark.parametrize("forward", [3.141592653589793, 1.00000123])
def test_times_without_a_common_divisor_have_no_grid(forward):
    made = schedule("gpipe", 2, 3, forward=forward)
    assert (made.slot, made.grid) == (None, None)
    assert made.makespan == pytest.approx(4 * (forward + 2))


def test_a_grid_too_fine_to_draw_is_none():
    made = schedule("gpipe", 100, 200, forward=1, backward=2.0001)
    assert made.slot == 0.0001
    assert made.grid is None


def test_sums_of_tenths_do_not_drift():
    made = schedule("gpipe", 1, 1000, forward=0.1, backward=0.2)
    assert made.makespan == 300
    assert made.timeline.ends[0][2] == 0.3


@pytest.mark.parametrize(
    ("module", "arguments", "stage_shown"),
    [
        (gpipe, ("gpipe", 3, 4), False),
        (one_f_one_b, ("1f1b", 3, 4), False),
        (interleaved, ("interleaved", 2, 2, 2), True),
        (zero_bubble, ("zb-h1", 2, 4), False),
    ],
)
def test_the_drawing_in_the_docstring_is_the_grid(module, arguments, stage_shown):
    drawn = [line.split()[2:] for line in module.__doc__.splitlines() if line.startswith(("    stage ", "    rank "))]
    cells = [[cell or "." for cell in row] for row in schedule(*arguments).grid or []]
    assert drawn == [[cell if stage_shown or cell == "." else cell[1:] for cell in row] for row in cells]


def test_a_slower_operation_delays_those_that_need_it():
    plain = schedule("gpipe", 3, 4)
    slow = schedule("gpipe", 3, 4, exceptions={"2F1": 6})
    assert slow.makespan == plain.makespan + 5
    assert slow.busy == (12, 12, 17)


@pytest.mark.parametrize(
    ("arguments", "name", "accepted"),
    [
        (("hpipe", 2, 3), "schedule", "gpipe, 1f1b"),
        (("gpipe", 0, 3), "stages", "a whole number from 1"),
        (("gpipe", 2, 0), "micro_batches", "a whole number from 1"),
        (("gpipe", 2, 2.5), "micro_batches", "a whole number"),
        (("gpipe", 2, 3, 2), "chunks", "1 for gpipe"),
        (("zb-v", 2, 3, 3), "chunks", "2: zb-v folds"),
        (("zb-h2", 2, 3, 2), "chunks", "1 for zb-h2"),
        (("zb-h1", 4, 9, 2), "micro_batches", "8 or 10 would"),
        (("dualpipe", 3, 8), "stages", "an even number"),
        (("dualpipe", 4, 9), "micro_batches", "an even number"),
        (("dualpipe", 4, 6), "micro_batches", "at least twice the stages for dualpipe, here 8"),
        (("dualpipe-v", 4, 7), "micro_batches", "at least twice the stages for dualpipe-v, here 8"),
        (("gpipe", 2**14, 1, 2**20), "chunks", "1 for gpipe"),
        (("gpipe", 2**14 + 1, 1), "stages", "from 1 to 16,384"),
        (("looped-bfs", 2**10, 1, 17), "chunks", "at most 16 with 1,024 stages"),
        (("zb-v", 513, 1), "stages", "at most 512 for zb-v"),
        (("gpipe", 2**11, 2**11), "micro_batches", "at most 512 with 2,048 stages"),
        (("gpipe", 2, 3, 1, 0), "forward", "above 0"),
        (("gpipe", 2, 3, 1, 1, -2), "backward", "above 0"),
        (("gpipe", 2, 3, 1, 1, 2, float("nan")), "input", "finite"),
        (("gpipe", 2, 3, 1, 1, 2, 1, "x"), "weight", "finite number"),
        (("gpipe", 2, 3, 1, [1, 2, 3]), "forward", "one for each of the 2 model stages"),
        (("gpipe", 2, 3, 1, [1, 0]), "forward[1]", "above 0"),
    ],
)
def test_bad_arguments_are_named(arguments, name, accepted):
    with pytest.raises(BadArgument) as caught:
        schedule(*arguments)
    assert caught.value.name == name
    assert accepted in caught.value.accepted


@pytest.mark.parametrize(
    ("keywords", "name"),
    [
        ({"latency": -1}, "latency"),
        ({"overlapped": 0}, "overlapped"),
        ({"exceptions": {"0F0": 0}}, "exceptions[0F0]"),
        ({"exceptions": {"0X0": 1}}, "operation"),
        ({"exceptions": {"(0F0;1B0)": 1}}, "exceptions"),
    ],
)
def test_bad_times_are_named(keywords, name):
    with pytest.raises(BadArgument) as caught:
        schedule("gpipe", 2, 3, **keywords)
    assert caught.value.name == name


@given(st.integers(1, 12), st.integers(1, 100))
def test_a_number_of_micro_batches_that_does_not_split_is_answered_with_two_that_do(stages, micro_batches):
    if micro_batches % max(1, micro_batches // stages) == 0:
        assert schedule("interleaved", stages, micro_batches, 2).micro_batches == micro_batches
        return
    with pytest.raises(BadArgument) as caught:
        schedule("interleaved", stages, micro_batches, 2)
    assert (caught.value.name, caught.value.value) == ("micro_batches", micro_batches)
    below, above = map(int, re.findall(r"(\d+) or (\d+) would", caught.value.accepted)[0])
    assert below < micro_batches < above
    for fitting in (below, above):
        assert schedule("interleaved", stages, fitting, 2).micro_batches == fitting


def test_formulas_come_without_the_schedules():
    modules = "[module for module in sys.modules if module.startswith('simlib.pipeline.')]"
    program = f"import sys, simlib.pipeline.formulas; print({modules})"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "['simlib.pipeline.sizes', 'simlib.pipeline.formulas']"
