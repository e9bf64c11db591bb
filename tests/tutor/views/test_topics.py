"""Topics: the JSON that others rely on, knobs, and what is said of parameters that cannot be shown."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from simlib.errors import BadArgument
from tutor.views.topics import TOPICS, topic

THREE = [[1, 2, 3], [10, 20, 30], [100, 200, 300]]


def data(name: str, **parameters):
    """The JSON of a topic, as another program would read it."""
    return json.loads(json.dumps(topic(name).scene(parameters).data(), allow_nan=False))


def test_all_reduce():
    found = data("all-reduce", algorithm="ring", workers=3, values=THREE)
    assert list(found) == ["algorithm", "workers", "steps", "result", "bytes_sent"]
    assert found["algorithm"] == "ring"
    assert found["workers"] == 3
    assert [(step["phase"], step["step"]) for step in found["steps"]] == [
        ("reduce-scatter", 1),
        ("reduce-scatter", 2),
        ("all-gather", 3),
        ("all-gather", 4),
    ]
    assert found["steps"][0]["transfers"] == [
        {"from": 0, "to": 1, "chunk": 0, "bytes": 8},
        {"from": 1, "to": 2, "chunk": 1, "bytes": 8},
        {"from": 2, "to": 0, "chunk": 2, "bytes": 8},
    ]
    assert found["steps"][1]["state"] == [[1, 222, 303], [11, 20, 333], [111, 220, 300]]
    assert found["result"] == [[111, 222, 333]] * 3
    assert found["bytes_sent"] == [32, 32, 32]


def test_reduce_scatter_and_all_gather_have_the_same_form():
    values = [[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12], [13, 14, 15, 16]]
    assert data("reduce-scatter", values=values)["result"] == [[28], [32], [36], [40]]
    assert data("reduce-scatter", values=values, ownership="ring")["result"] == [[32], [36], [40], [28]]
    gathered = data("all-gather", values=[[1], [2, 3], []])
    assert gathered["steps"][0]["state"] == [[1, None, None], [1, 2, 3], [None, 2, 3]]
    assert gathered["result"] == [[1, 2, 3]] * 3
    assert set(gathered) == set(data("reduce-scatter", values=values))


@pytest.mark.parametrize(
    ("algorithm", "steps", "sent"),
    [
        # 8 workers, an array of 64 bytes. Ring: 2 (N - 1) steps, 2 (N - 1) / N of the array
        ("ring", 14, [112] * 8),
        # The root gets 7 arrays and sends 7
        ("naive", 14, [448] + [64] * 7),
        ("direct", 1, [448] * 8),
        # log2 N levels up and down; the root sends to 3 children, a leaf to its parent alone
        ("tree", 6, [192, 64, 128, 64, 192, 64, 128, 64]),
        ("halving-doubling", 6, [112] * 8),
        # 2 servers of 4: 2 x 3/4 of the array inside, 2 x 1/2 of a quarter of it between them
        ("hierarchical", 8, [2 * 48 + 16] * 8),
    ],
)
def test_every_algorithm_of_an_all_reduce_has_the_same_form(algorithm, steps, sent):
    found = data("all-reduce", algorithm=algorithm, workers=8, length=8, seed=1)
    assert list(found) == ["algorithm", "workers", "steps", "result", "bytes_sent"]
    assert found["algorithm"] == algorithm
    assert len(found["steps"]) == steps
    assert found["bytes_sent"] == sent
    assert found["result"] == data("all-reduce", workers=8, length=8, seed=1)["result"]


def test_chunks_follow_one_another_through_two_trees():
    # NCCL's trees for 8 ranks are 3 deep: chunks + 2 x 3 - 1 steps
    assert len(data("all-reduce", algorithm="double-tree", workers=8, chunks=5)["steps"]) == 10


def test_broadcast():
    found = data("broadcast", workers=4, values=[[7, 8], [0, 0], [0, 0], [0, 0]])
    assert found["steps"][0]["transfers"] == [{"from": 0, "to": 2, "chunk": 0, "bytes": 16}]
    assert found["steps"][0]["state"] == [[7, 8], [None, None], [7, 8], [None, None]]
    assert found["result"] == [[7, 8]] * 4
    assert data("broadcast", workers=4, root=3, length=1, algorithm="naive")["bytes_sent"] == [0, 0, 0, 24]
    assert data("broadcast", workers=4, length=4, algorithm="chain")["bytes_sent"] == [32, 32, 32, 0]


def test_all_to_all_moves_rows_to_columns_of_uneven_chunks_too():
    assert data("all-to-all", values=[[1, 2], [3, 4]])["result"] == [[1, 3], [2, 4]]
    uneven = data("all-to-all", values=[[1, 2, 3], [4, 5, 6]])
    assert uneven["result"] == [[1, 2, 4, 5], [3, 6]]
    assert uneven["bytes_sent"] == [8, 16]


def test_zero():
    found = data("zero", params=7e9, gpus=8)
    assert list(found) == ["params", "gpus", "stages"]
    assert [stage["total"] for stage in found["stages"]] == [112e9, 38.5e9, 26.25e9, 14e9]
    assert list(found["stages"][0]) == ["stage", "weights", "gradients", "optimizer", "total", "sent"]
    assert all(isinstance(value, int) for stage in found["stages"] for value in stage.values())
    assert [stage["stage"] for stage in data("zero", stage=3)["stages"]] == [3]


def test_pipeline():
    found = data("pipeline", schedule="gpipe", stages=2, micro_batches=3, forward_only=True)
    assert found == {
        "schedule": "gpipe",
        "orders": [["0F0", "0F1", "0F2"], ["1F0", "1F1", "1F2"]],
        "makespan": 4,
        "span": [3, 3],
        "idle": [1, 1],
        "bubble": 0.25,
        "bubble_of_ideal": pytest.approx(1 / 3),
        "peak_activations": [3, 3],
        "slot": 1,
        "grid": [["0F0", "0F1", "0F2", None], [None, "1F0", "1F1", "1F2"]],
    }
    assert data("pipeline", forward=2**0.5)["grid"] is None


def test_seeded_values_are_the_same_every_time_and_follow_the_seed():
    one, again, other = (data("all-reduce", workers=8, length=20, seed=seed) for seed in (5, 5, 6))
    assert one == again
    assert one != other


def test_a_number_takes_the_bytes_of_its_type():
    assert data("all-reduce", values=THREE, dtype="float16")["bytes_sent"] == [8, 8, 8]
    assert data("all-reduce", values=THREE, dtype="int32")["bytes_sent"] == [16, 16, 16]
    assert data("all-reduce", values=[[1.5], [2]])["result"] == [[3.5], [3.5]]


@pytest.mark.parametrize(
    ("name", "parameters", "said"),
    [
        ("all-reduce", {"workers": 0}, "workers is 0; accepted: a whole number from 1 to 64"),
        ("all-reduce", {"workers": True}, "workers is True"),
        ("all-reduce", {"workers": "3"}, "workers is '3'"),
        ("all-reduce", {"workers": 2, "values": THREE}, "workers is 2; accepted: 3, as values has"),
        ("all-reduce", {"length": 2, "values": THREE}, "length is 2; accepted: 3"),
        ("all-reduce", {"seed": 1, "values": THREE}, "seed is 1"),
        ("all-reduce", {"values": [[1, 2], [3]]}, r"values\[1\] is \[3\]; accepted: 2 numbers"),
        ("all-reduce", {"values": [1, 2]}, "a row of numbers for each worker"),
        ("all-reduce", {"values": {}}, "a row of numbers for each worker"),
        ("all-reduce", {"values": []}, "a row of numbers for each worker"),
        ("all-reduce", {"values": [[]]}, "at least one number"),
        ("all-reduce", {"values": [["a"]]}, "numbers, each of them finite"),
        ("all-reduce", {"values": [[float("nan")]]}, "numbers, each of them finite"),
        ("all-reduce", {"values": [[10**30]]}, "2\\^53"),
        ("all-reduce", {"values": [[1]] * 65}, "at most 64 rows"),
        ("all-reduce", {"values": [[0.5]], "dtype": "int64"}, "a float type"),
        ("all-reduce", {"values": [[2**31 - 1]] * 2, "dtype": "int32"}, "dtype is 'int32'"),
        ("all-reduce", {"values": [[6e4], [6e4]], "dtype": "float16"}, "dtype is 'float16'"),
        ("all-reduce", {"algorithm": "star"}, "algorithm is 'star'; accepted: ring, naive, direct, tree"),
        ("all-reduce", {"nodes": 2}, r"nodes is 2; accepted: a divisor of the number of workers \(3\)"),
        ("all-reduce", {"algorithm": "hierarchical", "workers": 8, "nodes": 3}, "nodes is 3; accepted: a divisor"),
        ("all-reduce", {"chunks": 2}, "chunks is 2; accepted: none with ring"),
        ("reduce-scatter", {"algorithm": "direct", "ownership": "ring"}, "ownership is 'ring'; accepted: api with"),
        ("broadcast", {"root": 3}, "root is 3; accepted: a whole number from 0 to 2"),
        ("broadcast", {"chunks": 2}, "chunks is 2; accepted: none with tree"),
        ("all-to-all", {"algorithm": "ring"}, "a parameter of all-to-all is 'algorithm'"),
        ("all-reduce", {"op": "xor"}, "op is 'xor'; accepted: sum, mean, max"),
        ("all-reduce", {"workers": 64, "length": 10_000}, "length is 10000"),
        ("all-reduce", {"ownership": "api"}, "a parameter of all-reduce is 'ownership'"),
        ("reduce-scatter", {"ownership": "nobody"}, "ownership is 'nobody'; accepted: api, ring"),
        ("traffic", {"keep": 1.5}, "keep is 1.5; accepted: a number up to 1"),
        ("traffic", {"bytes": 0}, "bytes is 0"),
        ("traffic", {"compare": "all"}, "compare is 'all'; accepted: sent, busiest-link"),
        ("step", {"model": "gpt-9"}, "model is 'gpt-9'; accepted: llama-7b"),
        ("step", {"bandwidth_factor": 0}, "bandwidth_factor is 0"),
        ("peak", {"recompute": True}, "recompute is True; accepted: both, no, yes"),
        ("step", {"overlap": True}, "overlap is True; accepted: both, no, yes"),
        ("buckets", {"layers": 0}, "layers is 0; accepted: a whole number from 1 to 256"),
        ("buckets", {"cap": 0}, "cap is 0"),
        ("sharded-step", {"stage": 0}, "stage is 0; accepted: a whole number from 1 to 3"),
        ("sharded-step", {"workers": 64, "length": 100}, "length is 100; accepted: less, with 64 workers"),
        ("sharded-step", {"values": [[1e308], [1e308]]}, "dtype is 'float64'"),
        ("activations", {"model": "llama-7b"}, "model is 'llama-7b'; accepted: gpt-175b"),
        ("activations", {"mode": "some"}, "mode is 'some'; accepted: all, none, tensor"),
        ("activations", {"tensor": 0}, "tensor is 0"),
        ("checkpointing", {"every": 97}, "every is 97; accepted: at most the 96 layers that there are"),
        ("checkpointing", {"every": -1}, "every is -1"),
        ("zero", {"stage": 4}, "stage is 4; accepted: a whole number from 0 to 3"),
        ("zero", {"params": 0}, "params is 0"),
        ("zero", {"gpus": 1.5}, "gpus is 1.5"),
        ("zero", {"hardware": "abacus"}, "hardware is 'abacus'; accepted: a100"),
        ("zero", {"capacity": -1}, "capacity is -1"),
        ("zero", {"capacity": float("inf")}, "capacity is inf"),
        ("tensor", {"gpus": 5}, "gpus is 5; accepted: at most 4, one for each column of A"),
        ("tensor", {"part": "wrong-split", "gpus": 3}, "gpus is 3; accepted: at most 2, one for each row"),
        ("tensor", {"part": "attention", "heads": 28, "gpus": 8}, "gpus is 8; accepted: a divisor of the 28 heads"),
        ("tensor", {"part": "attention", "kv_heads": 3}, "kv_heads is 3; accepted: a divisor of the 8 heads"),
        ("tensor", {"part": "attention", "x": [[1]]}, r"x is \[\[1\]\]; accepted: none with part attention"),
        ("tensor", {"heads": 4}, "heads is 4; accepted: none with part mlp"),
        ("tensor", {"x": [[1, 2]], "seed": 1}, "seed is 1; accepted: none where x is given"),
        ("tensor", {"x": [[1, 2], [3]]}, r"x\[1\] is \[3\]; accepted: as many numbers in each row"),
        ("tensor", {"x": [[1, 2, 3]]}, r"a is .*; accepted: 3 rows, one for each column of x"),
        ("tensor", {"b": [[1]]}, "b is .*; accepted: 4 rows, one for each column of a"),
        ("tensor", {"x": []}, "x is .*; accepted: rows of numbers"),
        ("tensor", {"x": [["a", 1]]}, "numbers, each of them finite"),
        ("tensor", {"x": [[1e9, 1]]}, "numbers up to 1,000,000 either way"),
        ("tensor", {"x": [[1]] * 65}, "x is '65 x 1 numbers'; accepted: at most 64 rows and columns"),
        ("tensor", {"sequence_parallel": True}, "gpus is 2; accepted: a divisor of the 1 tokens"),
        ("pipeline", {"schedule": "fifo"}, "schedule is 'fifo'; accepted: gpipe, 1f1b"),
        ("pipeline", {"stages": 0}, "stages is 0"),
        ("pipeline", {"forward": 0}, "forward is 0"),
        ("pipeline", {"forward_only": "yes"}, "forward_only is 'yes'; accepted: true or false"),
        ("pipeline", {"micro_batches": -3}, "micro_batches is -3"),
    ],
)
def test_what_cannot_be_shown_is_named(name, parameters, said):
    with pytest.raises(BadArgument, match=said):
        topic(name).scene(parameters)


def test_an_unknown_topic_is_answered_with_the_names():
    with pytest.raises(
        BadArgument, match="topic is 'tea'; accepted: all-reduce, reduce-scatter, all-gather, broadcast, all-to"
    ):
        topic("tea")


# Sizes of a layout have to come out even together, and mesh and plan have their limits
_TIED = ("gpus", "heads", "kv_heads", "hidden", "data", "tensor", "pipeline", "zero", "micro_batch", "batch", "model")


@pytest.mark.parametrize("name", TOPICS)
def test_every_knob_can_be_turned(name):
    """Each parameter's ladder, choices and ends are values that the topic takes or refuses in a line, never worse."""
    for parameter in TOPICS[name].parameters:
        ends = [end for end in (parameter.least, parameter.most) if end is not None and end < 1000]
        for value in (*parameter.choices, *parameter.ladder, *map(int, ends)):
            try:
                scene = topic(name).scene({parameter.name: value})
            except BadArgument as error:
                assert parameter.kind in ("choice", "whole", "number"), error  # noqa: PT017
                tied = (*_TIED, "schedule", "chunks", "nodes", "root", "layers", "every")
                tied = (*tied, "workers", "windows") if name == "training" else tied
                assert parameter.name in tied, error  # noqa: PT017
                continue
            assert scene.caption(0)
            assert scene.picture(0).size(80).rows


@pytest.mark.parametrize("name", TOPICS)
def test_every_option_does_something(name):
    """Changing a parameter changes the picture or the data, for one of the settings it matters in."""
    other = {
        "algorithm": "direct",
        "data": 4,
        "tensor": 4,
        "pipeline": 2,
        "gpus_per_server": 4,
        "order": "tp-pp-dp",
        "micro_batch": 2,
        "batch": 128,
        "sequence": 2048,
        "zero": 1,
        "checkpointing": "full",
        "rows": 3,
        "nodes": 3,
        "compare": "busiest-link",
        "prefetch": 0,
        "learning_rate": 0.5,
        "layers": 5,
        "first_layer_bytes": 2**24,
        "cap": 2**20,
        "first_cap": 2**28,
        "seconds": 1,
        "bandwidth": 1e9,
        "alpha": 1e-3,
        "model": "llama-13b",
        "tokens": 2**15,
        "bandwidth_factor": 0.1,
        "overlap": "no",
        "recompute": True,
        "bytes": 10**6,
        "keep": 0.5,
        "value_bytes": 4,
        "index_bytes": 0,
        "dense_bytes": 4,
        "root": 2,
        "workers": 5,
        "values": [[7, 8, 9], [4, 5, 6], [1, 2, 3]],
        "length": 7,
        "seed": 9,
        "op": "max",
        "dtype": "float32",
        "ownership": "ring",
        "params": 10**9,
        "gpus": 64,
        "stage": 2,
        "hardware": "h200",
        "capacity": 1e9,
        "optimizer_bytes": 6,
        "schedule": "1f1b",
        "stages": 2,
        "micro_batches": 4,
        "chunks": 2,
        "forward": 3,
        "backward": 3,
        "input": 3,
        "weight": 3,
        "forward_only": True,
        "first": "zb-v",
        "second": "none",
        "third": "zb-h1",
        "memory": "no",
        "last_stage": 2,
        "placement": "v",
        "mode": "full",
        "every": 4,
        "layer": "chain",
        "part": "attention",
        "x": [[2, 1]],
        "a": [[1, 1, 0, 0], [0, 1, 1, 0]],
        "b": [[1, 1], [0, 0], [1, 0], [0, 1]],
        "hidden": 6,
        "sequence_parallel": True,
        "heads": 12,
        "kv_heads": 2,
        "windows": 8,
        "shares": "unequal",
        "mistake": "sum-for-mean",
        "train": 50,
    }
    needs = {
        "training workers": {"train": 20},
        "training windows": {"train": 20},
        "training shares": {"train": 20, "mistake": "mean-of-unequal-means"},
        "training mistake": {"train": 20},
        "training seed": {"train": 20},
        "pipelined stages": {"stages": 3},
        "pipelined micro_batches": {"micro_batches": 2},
        "pipelined schedule": {"schedule": "looped-bfs"},
        "pipelined chunks": {"schedule": "interleaved", "chunks": 1},
        "schedules chunks": {"first": "interleaved", "chunks": 1},
        "schedules input": {"third": "zb-h1"},
        "schedules weight": {"third": "zb-h1"},
        "stages chunks": {"chunks": 1},
        "stages layers": {"chunks": 1},
        "pipeline chunks": {"schedule": "interleaved"},
        "all-reduce chunks": {"algorithm": "double-tree"},
        "broadcast chunks": {"algorithm": "chain"},
        "broadcast algorithm": {"workers": 4},
        "sharded-step stage": {"stage": 1},
        "sharded-memory gpus": {"gpus": 8},
        "input": {"schedule": "zb-h1"},
        "weight": {"schedule": "zb-h1"},
        "tensor sequence_parallel": {"tokens": 2},
        "tensor heads": {"part": "attention"},
        "tensor kv_heads": {"part": "attention"},
    }
    own = {
        "tensor gpus": 4,
        "tensor tokens": 3,
        "broadcast algorithm": "naive",
        "mesh model": "llama-7b",
        "mesh hardware": "a100",
        "layout gpus": 128,
        "activations model": "megatron-7.5b",
        "peak recompute": "no",
        "checkpointing model": "megatron-7.5b",
        "activations sequence": 4096,
        "checkpointing sequence": 4096,
        "layout zero": 2,
    }
    for parameter in TOPICS[name].parameters:
        base = needs.get(f"{name} {parameter.name}", needs.get(parameter.name, {}))
        value = own.get(f"{name} {parameter.name}") or other[parameter.name]
        if base.get(parameter.name, parameter.default) == value:
            value = parameter.ladder[0]
        plain, changed = (topic(name).scene(base | more) for more in ({}, {parameter.name: value}))
        looks = [
            (
                scene.data(),
                ["".join(run.text for run in scene.picture(scene.last_step).line(row, 80)) for row in range(9)],
            )
            for scene in (plain, changed)
        ]
        assert looks[0] != looks[1], parameter.name


def test_the_registry_needs_no_numpy():
    program = "import sys, tutor.views.topics; sys.exit('numpy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
