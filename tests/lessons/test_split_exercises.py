"""What the exercises on split layers and on checkpoints call right, by another way: sums written out, differences."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lessons
from simlib.decoder import operations as op
from simlib.training.tensor_parallel.pairs import attention_part, mlp_part
from tutor.checker.definition import Definition, Trial
from tutor.course.model import Exercise, Place

COURSE = Path(lessons.__file__).parent


def prepared(name: str) -> tuple[Definition, list[Trial]]:
    folder = next(COURSE.glob(f"*/exercises/{name}"))
    definition = Definition(Exercise(name, name, folder, "", (), "", Place(folder / "check.py", 1)))
    return definition, definition.trials(11)


def gelu(number: float) -> float:
    return 0.5 * number * (1 + math.tanh(math.sqrt(2 / math.pi) * (number + 0.044715 * number**3)))


def test_the_mlp_is_the_sums_written_out() -> None:
    definition, trials = prepared("tensor_parallel_mlp")
    for trial in trials:
        given = trial.arguments
        reduced, outputs = definition.expected(trial)
        assert len(reduced) == 1
        for gpu in range(given["gpus"]):
            for token, row in enumerate(given["x"]):
                for column, bias in enumerate(given["b_bias"]):
                    hidden = [
                        gelu(sum(row[i] * given["a"][i, j] for i in range(len(row))) + given["a_bias"][j])
                        for j in range(len(given["b"]))
                    ]
                    right = sum(h * given["b"][j, column] for j, h in enumerate(hidden)) + bias
                    assert outputs[gpu][token, column] == pytest.approx(right)
        assert np.allclose(sum(reduced[0]) + given["b_bias"], outputs[0])


def test_the_mlp_s_partial_outputs_are_those_of_the_training_engine() -> None:
    definition, trials = prepared("tensor_parallel_mlp")
    for trial in trials:
        given = trial.arguments
        for gpu, partial in enumerate(definition.expected(trial)[0][0]):
            own = np.array_split(np.arange(len(given["b"])), given["gpus"])[gpu]
            part = {
                "up.weight": given["a"][:, own],
                "up.bias": given["a_bias"][own],
                "down.weight": given["b"][own],
            }
            assert np.allclose(mlp_part(given["x"], part)[0], partial)


def test_attention_is_each_token_s_look_at_those_before_it() -> None:
    definition, trials = prepared("tensor_parallel_attention")
    for trial in trials:
        given = trial.arguments
        x, size = given["x"], len(given["q"]) // given["heads"]
        results = np.zeros_like(x)
        for head in range(given["heads"]):
            own = slice(head * size, (head + 1) * size)
            q, k, v = (x @ given[name][:, own] for name in "qkv")
            for token in range(len(x)):
                scores = [math.exp(q[token] @ k[other] / math.sqrt(size)) for other in range(token + 1)]
                results[token, own] = sum(s / sum(scores) * v[other] for other, s in enumerate(scores))
        for output in definition.expected(trial)[1]:
            assert np.allclose(output, results @ given["out"] + given["out_bias"])


def test_attention_s_partial_outputs_are_those_of_the_training_engine() -> None:
    definition, trials = prepared("tensor_parallel_attention")
    for trial in trials:
        given = trial.arguments
        size = len(given["q"]) // given["heads"]
        for gpu, partial in enumerate(definition.expected(trial)[0][0]):
            heads = np.array_split(np.arange(given["heads"]), given["gpus"])[gpu]
            own = (heads[:, None] * size + np.arange(size)).reshape(-1)
            if not len(own):
                assert not partial.any()
                continue
            part = {
                "qkv.weight": np.concatenate([given[name][:, own] for name in "qkv"], axis=1),
                "qkv.bias": np.zeros(3 * len(own)),
                "project.weight": given["out"][own],
            }
            assert np.allclose(attention_part(given["x"][None], part, len(heads))[0][0], partial)


def test_checkpointed_gradients_are_slopes() -> None:
    """Each gradient against the change of the loss when one weight is moved a little, up and down."""
    definition, trials = prepared("checkpointed_backward")
    small = 1e-6

    def loss(given: dict[str, Any], weights: list[Any]) -> float:
        x = given["checkpoints"][0]
        for weight in weights:
            x = np.tanh(x @ weight)
        return float((x * given["d_output"]).sum())

    for trial in trials:
        given = trial.arguments
        gradients, _ = definition.expected(trial)
        for layer, weight in enumerate(given["weights"]):
            for place in np.ndindex(weight.shape):
                sides = []
                for by in (small, -small):
                    moved = [one.copy() for one in given["weights"]]
                    moved[layer][place] += by
                    sides.append(loss(given, moved))
                slope = (sides[0] - sides[1]) / (2 * small)
                assert gradients[layer][place] == pytest.approx(slope, rel=1e-4, abs=1e-8)


def test_held_inputs_counted_one_by_one() -> None:
    definition, trials = prepared("checkpointed_backward")
    for trial in trials:
        layers, every = len(trial.arguments["weights"]), trial.arguments["every"]
        there = set(range(0, layers, every))
        counts = {}
        for layer in reversed(range(layers)):
            start = layer - layer % every
            if layer == layers - 1 or layer % every == every - 1:
                there |= set(range(start, layer + 1))
            counts[layer] = len(there)
            there.discard(layer)
        assert definition.expected(trial)[1] == [counts[layer] for layer in range(layers)]
        assert len(trial.arguments["checkpoints"]) == len(range(0, layers, every))


def test_the_task_s_gelu_is_the_engine_s() -> None:
    scope: dict[str, Any] = {}
    task = next(COURSE.glob("*/exercises/tensor_parallel_mlp/task.py"))
    exec(task.read_text(encoding="utf-8"), scope)
    x = np.linspace(-4, 4, 33)
    assert np.allclose(scope["gelu"](x), op.gelu(x))
