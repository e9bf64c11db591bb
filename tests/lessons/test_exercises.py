"""Every exercise of the course: its task fails kindly, its solution passes, and each known mistake is told as such."""

from __future__ import annotations

import json
import math
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import lessons
from tutor.checker import check_file
from tutor.checker.definition import Definition
from tutor.checker.inside import frames
from tutor.checker.verdict import CheckResult
from tutor.course.model import Exercise, Place
from tutor.views.explain import explained
from tutor.views.picture import Role, cell
from tutor.views.topics import topic

COURSE = Path(lessons.__file__).parent
FOLDERS = {folder.name: folder for folder in sorted(COURSE.glob("*/exercises/*")) if (folder / "check.py").exists()}
MUTANTS = [(name, file.stem) for name, folder in FOLDERS.items() for file in sorted((folder / "mutants").glob("*.py"))]

# What a learner must read about each mistake
TOLD = {
    ("bucket_gradients", "bytes_go_on"): "Count the bytes of each bucket from 0 again",
    ("bucket_gradients", "empty_at_the_end"): "There is an empty bucket at the end",
    ("bucket_gradients", "first_cap_for_all"): "every bucket but the first is filled until it reaches `cap`",
    ("bucket_gradients", "first_layer_first"): "Backward the last layer is ready first",
    ("bucket_gradients", "last_bucket_forgotten"): "The last bucket is missing",
    ("bucket_gradients", "last_ready_first"): "The bucket that is ready first comes first",
    ("bucket_gradients", "never_over_the_cap"): "DDP closes it once the cap is reached, with the gradient that reached",
    ("bucket_gradients", "no_first_cap"): "Your first bucket has the cap of the others",
    ("bucket_gradients", "one_each"): "Each gradient travels alone in yours",
    ("bucket_gradients", "one_list"): "Return a list of buckets, each a list of parameter numbers",
    ("bucket_gradients", "only_beyond_the_cap"): "It is closed as soon as its bytes have reached the cap",
    ("bucket_gradients", "parameter_0_forgotten"): "what is left at the end travels too",
    ("bucket_gradients", "reversed_places"): "give the model's own numbers",
    ("bucket_gradients", "sizes_for_numbers"): "These are sizes. Return parameter numbers",
    ("bucket_gradients", "sorted_within"): "Within a bucket the gradient that is ready first comes first",
    ("data_parallel_step", "adds_the_step"): "The weights go against the gradient: take it off",
    ("data_parallel_step", "averaged_twice"): "divided by 2 once too often: the mean is a mean already",
    ("data_parallel_step", "changes_its_arguments"): "changed its argument `weights`",
    ("data_parallel_step", "divided_by_workers"): "divided by the workers: divide by all samples",
    ("data_parallel_step", "mean_of_unequal_means"): "they had 6 and 2 samples: weigh each gradient by its samples",
    ("data_parallel_step", "mean_returned"): "That is the mean gradient. Return the weights after the step",
    ("data_parallel_step", "no_learning_rate"): "The learning rate is missing",
    ("data_parallel_step", "not_divided"): "divide by the number of all samples",
    ("data_parallel_step", "one_array"): "Return a list of 2: each worker has its own copy",
    ("data_parallel_step", "own_gradient_only"): "Nothing was averaged, so copies part",
    ("data_parallel_step", "sum_for_mean"): "added up and not divided, which is 2 times their mean",
    ("data_parallel_step", "worker_0_alone"): "Every worker makes the same update",
    ("data_parallel_step", "worker_0_s_gradient"): "the gradient of worker 0 alone",
    ("fsdp_forward_worker", "column_by_column"): "they come row by row",
    ("fsdp_forward_worker", "filling_counted"): "the filling does not count: cut it off",
    ("fsdp_forward_worker", "filling_not_cut"): "cannot reshape array of size 9 into shape (2,4) (line 10)",
    ("fsdp_forward_worker", "gathers_twice"): "Every matrix is gathered twice",
    ("fsdp_forward_worker", "last_rank_skips"): "worker 0 waits in all_gather for 1, but worker 1 has finished",
    ("fsdp_forward_worker", "never_freed"): "What was gathered is never freed",
    ("fsdp_forward_worker", "no_maximum"): "The numpy.maximum(…, 0) is missing",
    ("fsdp_forward_worker", "one_layer_s_shard"): "It holds its shards of all the layers",
    ("fsdp_forward_worker", "output_alone"): "Return (output, held)",
    ("fsdp_forward_worker", "outputs_of_all"): "Each worker runs the whole layer on its own samples alone",
    ("fsdp_forward_worker", "own_shard_only"): "gather the whole matrix",
    ("fsdp_forward_worker", "own_shards_not_counted"): "it holds those of all layers, all the time",
    ("fsdp_forward_worker", "part_of_the_columns"): "A part of the columns is missing",
    ("fsdp_forward_worker", "rank_0_broadcasts"): "Worker 0 calls broadcast; in this exercise a worker has",
    ("fsdp_forward_worker", "samples_gathered"): "samples and outputs stay where they are",
    ("fsdp_forward_worker", "whole_copy_kept"): "All matrices are there at once",
    (
        "gpipe_order",
        "backward_first",
    ): "0B0 on stage 0 can never start: it needs 0F0, which comes later in the same row",
    ("gpipe_order", "backward_reversed"): "micro-batch 0 first; yours begin with the last",
    ("gpipe_order", "idle_times_too"): "Leave idle times out",
    ("gpipe_order", "last_micro_batch_missing"): "Stage 0 never runs 0B2",
    ("gpipe_order", "micro_batches_from_one"): "Micro-batches are counted from 0",
    ("gpipe_order", "one_at_a_time"): "right after its forward pass",
    ("gpipe_order", "one_f_one_b"): "This is 1F1B",
    ("gpipe_order", "one_forward_missing"): "1F2 on stage 1 can never start: it needs 0F2, which no stage runs",
    ("gpipe_order", "one_list"): "Return a list of 2 such lists, one for each stage",
    ("gpipe_order", "row_a_micro_batch"): "Yours has one for each micro-batch",
    ("gpipe_order", "small_letters"): "capital letter",
    ("gpipe_order", "stages_from_one"): "Stages are counted from 0",
    ("gpipe_order", "stages_reversed"): "stage 0 first",
    ("gpipe_order", "tuples_for_strings"): "An operation is a string",
    ("gpipe_order", "waits_for_ever"): "1B2 on stage 1 can never start: it needs 1F2",
    ("ring_all_reduce", "adds_in_both_phases"): "an all-gather step copies it",
    ("ring_all_reduce", "begins_with_the_start"): "Its first entry is the state after step 1",
    ("ring_all_reduce", "changes_its_arguments"): "changed its argument `arrays`",
    ("ring_all_reduce", "chunks_upwards"): "in this step worker 0 sends chunk 2, worker 1 chunk 0",
    (
        "ring_all_reduce",
        "equal_chunks_only",
    ): "Your chunks are 2, 2, 2 long; numpy.array_split cuts 7 numbers into 3, 2, 2",
    ("ring_all_reduce", "final_arrays_only"): "a list of 4 lists of 3 arrays",
    ("ring_all_reduce", "floats"): "they came back as floats",
    ("ring_all_reduce", "lists_for_arrays"): "result[0][0] is a list of 3 whole numbers; expected a NumPy array",
    ("ring_all_reduce", "n_steps_a_phase"): "You return 6 steps; a ring of 3 workers takes 4. It takes N-1 a phase",
    ("ring_all_reduce", "next_chunk"): "a chunk numbered 1 too high: in this step worker 0 sends chunk 0",
    ("ring_all_reduce", "np_split"): "array split does not result in an equal division (line 10)",
    ("ring_all_reduce", "one_step_short"): "You return 3 steps; a ring of 3 workers takes 4",
    ("ring_all_reduce", "one_worker_forgotten"): "return an empty list",
    ("ring_all_reduce", "own_chunk_every_step"): "Every worker sent its own chunk again",
    ("ring_all_reduce", "reduce_scatter_only"): "the all-gather is missing",
    ("ring_all_reduce", "replaces_in_both_phases"): "a reduce-scatter step adds the two",
    ("ring_all_reduce", "same_arrays_appended"): "append copies of them",
    ("ring_all_reduce", "sum_at_once"): "All 4 entries are the same",
    ("ring_all_reduce", "wrong_neighbour"): "Every worker received from its right neighbour",
    ("reduce_scatter_worker", "all_reduce_then_slice"): "2 times as much. That is a whole all-reduce",
    ("reduce_scatter_worker", "all_send_first"): "everyone sends, nobody receives. A send waits for its recv",
    ("reduce_scatter_worker", "chunk_off_by_one"): "That is the sum of chunk 1; worker 0 needs chunk 0",
    ("reduce_scatter_worker", "equal_chunks_only"): "array split does not result in an equal division (line 9)",
    ("reduce_scatter_worker", "last_rank_leaves"): "worker 0 receives from 2, but worker 2 has finished",
    ("reduce_scatter_worker", "mean"): "That is the mean",
    ("reduce_scatter_worker", "own_number_forgotten"): "It comes from chunk 1. In yours worker 1's number is missing",
    ("reduce_scatter_worker", "passes_without_adding"): "In yours the numbers of workers 0 and 2 are missing",
    ("reduce_scatter_worker", "plain_ring_s_chunk"): "Worker 0 returned slice 1 of the sum; rank 0 gets slice 0",
    ("reduce_scatter_worker", "whole_arrays_sent"): "worker 0 sends 48 B in 2 messages; 16 B in 2 messages are enough",
    ("reduce_scatter_worker", "whole_sum"): "Every worker returned the whole sum: that is an all-reduce",
    ("reduce_scatter_worker", "wrong_neighbour"): "Numbers of different chunks have been added",
    ("ring_all_reduce_worker", "adds_in_both_phases"): "worker 0's number is counted twice",
    ("ring_all_reduce_worker", "all_receive_first"): "everyone receives, nobody sends",
    (
        "ring_all_reduce_worker",
        "all_send_first",
    ): "worker 0 sends to 1, worker 1 sends to 2, worker 2 sends to 0: everyone sends, nobody receives",
    ("ring_all_reduce_worker", "calls_all_reduce"): "Worker 0 calls all_reduce; in this exercise a worker has send",
    ("ring_all_reduce_worker", "changes_its_argument"): "changed its argument `array`",
    ("ring_all_reduce_worker", "chunk_off_by_one"): "chunk (r+1) mod N is finished on worker r: print them there",
    ("ring_all_reduce_worker", "equal_chunks_only"): "array split does not result in an equal division (line 9)",
    ("ring_all_reduce_worker", "last_chunk_forgotten"): "Its other chunks are right: is the last step missing?",
    ("ring_all_reduce_worker", "mean"): "That is the mean",
    ("ring_all_reduce_worker", "other_way_round"): "Numbers of different chunks have been added",
    ("ring_all_reduce_worker", "rank_0_collects"): "One worker does the work of all",
    ("ring_all_reduce_worker", "rank_0_stops_early"): "worker 1 receives from 0, but worker 0 has finished",
    ("ring_all_reduce_worker", "reduce_scatter_only"): "The all-gather, N-1 steps, is missing",
    ("ring_all_reduce_worker", "replaces_in_both_phases"): "In yours the numbers of workers 1 and 2 are missing",
    ("ring_all_reduce_worker", "whole_array_sent"): "Whole arrays are sent: send one chunk a step",
    ("ring_all_reduce_worker", "wrong_neighbour"): "worker 1 has to receive from 0",
    ("sharded_adam_step", "changes_its_arguments"): "changed its argument `momentum`",
    ("sharded_adam_step", "equal_shards_only"): "numpy.array_split cuts 7 weights into 3, 2, 2",
    ("sharded_adam_step", "mean_of_squares"): "The mean comes first, then its square",
    ("sharded_adam_step", "momentum_uncorrected"): "The momentum is not divided by 1 - BETA1^step",
    ("sharded_adam_step", "no_all_gather"): "new weights for its own shard alone. The all-gather is missing",
    ("sharded_adam_step", "no_correction"): "The corrections by 1 - BETA1^step and 1 - BETA2^step are missing",
    ("sharded_adam_step", "no_root"): "The root is missing",
    ("sharded_adam_step", "no_square"): "The variance takes the gradient's square",
    ("sharded_adam_step", "np_split"): "array split does not result in an equal division (line 12)",
    ("sharded_adam_step", "own_gradient_only"): "The reduce-scatter, which adds up shard r of all workers, is missing",
    ("sharded_adam_step", "plain_sgd"): "That is plain SGD",
    ("sharded_adam_step", "rings_shard"): "with shard r+1 of the gradient; it owns shard r",
    ("sharded_adam_step", "shards_returned"): "That is its own shard: the all-gather",
    ("sharded_adam_step", "stale_gather"): "weights from before the update: gather the new ones",
    ("sharded_adam_step", "step_counted_on"): "You corrected for step + 1",
    ("sharded_adam_step", "sum_for_mean"): "You took the sum of the gradients; their mean is asked for",
    ("sharded_adam_step", "whole_states"): "It keeps the states of its own shard alone",
    ("top_k_all_gather_worker", "all_reduces"): "Worker 0 calls all_reduce",
    ("top_k_all_gather_worker", "divided_by_senders"): "Who sends nothing for a position counts as 0: divide by N",
    ("top_k_all_gather_worker", "largest_with_sign"): "keep those that are largest without their signs",
    ("top_k_all_gather_worker", "nothing_gathered"): "nothing has been gathered",
    ("top_k_all_gather_worker", "positions_not_gathered"): "the others' values belong to their positions",
    ("top_k_all_gather_worker", "rank_0_skips_one"): "worker 1 waits in all_gather for 0, but worker 0 has finished",
    ("top_k_all_gather_worker", "same_positions_once"): "numpy.add.at adds every time",
    ("top_k_all_gather_worker", "sends_to_the_next_alone"): "everyone sends, nobody receives",
    ("top_k_all_gather_worker", "sum_for_mean"): "You do not divide by the number of workers",
    ("top_k_all_gather_worker", "whole_gradients_gathered"): "Whole gradients are sent, zeros and all",
    ("zero_bytes", "all_gpus_together"): "GPUs hold together",
    ("zero_bytes", "full_precision_gradients"): "Yours has 32-bit gradients",
    ("zero_bytes", "gibibytes"): "Yours is in GiB",
    ("zero_bytes", "gradients_whole_at_stage_2"): "You left the gradients whole. From stage 2 on",
    ("zero_bytes", "no_master_copy"): "The 32-bit master copy of the weights is missing",
    ("zero_bytes", "one_moment"): "Adam in mixed precision keeps three",
    ("zero_bytes", "optimizer_never_divided"): "You left the optimizer states whole. From stage 1 on",
    ("zero_bytes", "other_order"): "The order is weights, gradients, optimizer",
    ("zero_bytes", "parameters_for_bytes"): "You counted parameters",
    ("zero_bytes", "rounded_down"): "divide with /, not //",
    ("zero_bytes", "sixteen_bit_optimizer"): "The optimizer's are 32 bits each",
    ("zero_bytes", "stage_0_divided"): "Up to stage 2 every GPU keeps them whole",
    ("zero_bytes", "total"): "this is one (yours is their sum)",
    ("zero_bytes", "total_too"): "The total is left to the caller",
    ("zero_bytes", "weights_divided_at_stage_1"): "You divided the weights by the number of GPUs. Up to stage 2",
    ("zero_bytes", "weights_divided_at_stage_2"): "You divided the weights by the number of GPUs. Up to stage 2",
}
UNDRAWN = (
    "whole_sum",
    "plain_ring_s_chunk",
    "same_arrays_appended",
    "sum_at_once",
    "begins_with_the_start",
    "changes_its_arguments",
)
# No topic shows sparse arrays, or an optimizer's arrays; buckets are drawn for layers of one size
NO_PICTURE = (
    "top_k_all_gather_worker",
    "data_parallel_step",
    "bucket_gradients",
    "sharded_adam_step",
    "fsdp_forward_worker",
)


def exercise(name: str) -> Exercise:
    return Exercise(name, name, FOLDERS[name], "", (), "", Place(FOLDERS[name] / "check.py", 1))


def run(name: str, file: str, seed: int | None = None) -> CheckResult:
    return check_file(FOLDERS[name] / file, exercise(name), seed)


@cache
def of_mutant(name: str, mutant: str) -> CheckResult:
    return run(name, f"mutants/{mutant}.py", seed=3)


@pytest.mark.parametrize("name", list(FOLDERS))
def test_an_exercise_is_whole(name: str) -> None:
    folder = FOLDERS[name]
    assert all((folder / file).is_file() for file in ("task.py", "solution.py", "check.py"))
    assert len(list((folder / "mutants").glob("*.py"))) >= 4
    assert {stem for other, stem in MUTANTS if other == name} == {stem for other, stem in TOLD if other == name}


@pytest.mark.parametrize("name", list(FOLDERS))
def test_the_task_runs_and_fails_with_its_first_difference(name: str) -> None:
    result = run(name, "task.py")
    assert not result.passed
    assert result.error is None
    assert result.cases[0].first_difference is not None
    assert (FOLDERS[name] / "task.py").read_text().count("...") == 0


@pytest.mark.parametrize("name", list(FOLDERS))
def test_a_task_fits_the_narrowest_editor_and_says_how_it_is_checked(name: str) -> None:
    rows = (FOLDERS[name] / "task.py").read_text(encoding="utf-8").splitlines()
    assert [row for row in rows if len(row) > 76] == []
    assert f"Check it with: worldsize check {name}.py" in rows


@pytest.mark.parametrize("seed", [None, 0, 1])
@pytest.mark.parametrize("name", list(FOLDERS))
def test_the_solution_passes(name: str, seed: int | None) -> None:
    result = run(name, "solution.py", seed)
    assert result.passed, result
    assert len(result.cases) >= 4


@pytest.mark.parametrize(("name", "mutant"), MUTANTS)
def test_a_mistake_is_told_as_what_it_is(name: str, mutant: str) -> None:
    result = of_mutant(name, mutant)
    assert not result.passed
    first = result.cases[0]
    assert not first.passed
    assert TOLD[name, mutant] in first.reason
    assert first.reason[0].isupper() or first.reason.startswith(
        ("reduce-scatter", "all-gather", "stage", "result", "'")
    )
    assert len(first.reason) < 400
    json.dumps(result.to_json(), allow_nan=False)


@pytest.mark.parametrize(("name", "mutant"), MUTANTS)
def test_a_wrong_value_is_drawn_in_its_picture(name: str, mutant: str) -> None:
    result = of_mutant(name, mutant)
    first = result.cases[0]
    if first.picture is None:
        assert result.error is not None or first.first_difference is None or mutant in UNDRAWN or name in NO_PICTURE
        return
    scene = topic(first.picture["topic"]).scene(first.picture["parameters"])
    cells = scene.cells(first.picture["step"])
    there = cells[cell(**first.picture["cell"])]
    assert first.first_difference is not None
    expected = first.first_difference.expected
    assert there == expected or math.isclose(there, expected, rel_tol=1e-6)
    drawn = explained(first.picture)
    size = drawn.picture.size(140)
    roles = {run.role for row in range(size.rows) for run in drawn.picture.line(row, 140)}
    assert Role.DIFFERENCE in roles


def test_the_ring_names_the_step_worker_and_chunk_of_the_lesson_s_table() -> None:
    """The five-row table of the lesson, with one number changed."""
    arrays = [np.array([1, 2, 3]), np.array([10, 20, 30]), np.array([100, 200, 300])]
    table = [
        [[1, 2, 303], [11, 20, 30], [100, 220, 300]],
        [[1, 222, 303], [11, 20, 333], [111, 220, 300]],
        [[111, 222, 303], [11, 222, 333], [111, 220, 333]],
        [[111, 222, 333], [111, 222, 333], [111, 222, 333]],
    ]
    definition = Definition(exercise("ring_all_reduce"))
    trial = definition.trials(0)[0].__class__("the lesson's", {"arrays": arrays}, None)
    right = [[np.array(row) for row in state] for state in table]
    expected = definition.expected(trial)
    assert definition.judge(trial, expected, right, []).case.passed
    right[0][1][0] = 10
    judged = definition.judge(trial, expected, right, []).case
    assert judged.reason.startswith("reduce-scatter step 1, worker 1, chunk 0: expected 11, yours 10.")
    difference = judged.first_difference
    assert difference is not None
    assert (difference.phase, difference.step, difference.worker, difference.chunk) == ("reduce-scatter", 1, 1, 0)
    assert (difference.expected, difference.got) == (11, 10)
    right[0][1][0], right[2][2][2] = 11, 633
    judged = definition.judge(trial, expected, right, []).case
    assert judged.reason.startswith("all-gather step 1 (step 3 of 4), worker 2, chunk 2: expected 333, yours 633.")


def test_zero_bytes_knows_the_lesson_s_figures() -> None:
    definition = Definition(exercise("zero_bytes"))
    trial = definition.trials(0)[0]
    totals = [112e9, 38.5e9, 26.25e9, 14e9]
    for stage, total in enumerate(totals):
        arguments = {"params": 7_000_000_000, "gpus": 8, "stage": stage}
        assert sum(definition.expected(trial.__class__("", arguments, None))) == total


REFERENCE = Path(__file__).parents[1] / "simlib" / "reference_figures.json"


@pytest.mark.parametrize(("stages", "micro_batches"), [(2, 2), (4, 4), (4, 8)])
def test_gpipe_order_is_the_reference_s(stages: int, micro_batches: int) -> None:
    definition = Definition(exercise("gpipe_order"))
    figures = {row["id"]: row for row in json.loads(REFERENCE.read_text(encoding="utf-8"))}
    order = figures[f"gpipe-p{stages}-m{micro_batches}"]["expected"]["order"]
    trial = definition.trials(0)[0].__class__("", {"stages": stages, "micro_batches": micro_batches}, None)
    assert definition.expected(trial) == [order[str(rank)] for rank in range(stages)]


@cache
def prepared(name: str) -> tuple[Definition, list]:
    definition = Definition(exercise(name))
    return definition, [(trial, definition.expected(trial)) for trial in definition.trials(7)]


leaves = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.integers(-(10**300), 10**300)
    | st.floats()
    | st.complex_numbers()
    | st.text(max_size=4)
    | st.sampled_from(["0F0", "0f0", "9F9", "999999F0", "0B0", "", frames.Unknown("a set"), np.float32(2), np.True_])
    | hnp.arrays(
        hnp.scalar_dtypes().filter(lambda kind: kind.kind in "biufc"), hnp.array_shapes(max_side=4, max_dims=3)
    )
)
odd = st.recursive(
    leaves,
    lambda inner: (
        st.lists(inner, max_size=4) | st.tuples(inner, inner, inner) | st.dictionaries(st.text(max_size=2), inner)
    ),
    max_leaves=12,
)


@pytest.mark.parametrize("name", list(FOLDERS))
@settings(max_examples=150, deadline=None)
@given(data=st.data())
def test_whatever_comes_back_gets_a_verdict(name: str, data: st.DataObject) -> None:
    """Values of any form, alone and in the place of one part of the right result."""
    definition, trials = prepared(name)
    trial, expected = data.draw(st.sampled_from(trials))
    got = frames.decode_frame(frames.encode(expected))
    value = data.draw(odd)
    holder, at = None, got
    for _ in range(data.draw(st.integers(0, 3))):
        if not isinstance(at, (list, np.ndarray)) or len(at) == 0:
            break
        index = data.draw(st.integers(0, len(at) - 1))
        holder, at = (at, index), at[index]
    if holder is None:
        got = value
    elif isinstance(holder[0], list):
        holder[0][holder[1]] = value
    case = definition.judge(trial, expected, got, []).case
    assert case.passed or case.reason
    json.dumps(CheckResult(name, False, (case,)).to_json(), allow_nan=False)
    if case.picture is not None:
        explained(case.picture)
