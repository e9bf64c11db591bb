"""Exercises that train: what their checks expect, against figures and methods from elsewhere."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simlib.fsdp import step_moments
from tutor.checker.definition import Definition, Trial
from tutor.course.load import load

REFERENCE = Path(__file__).parents[1] / "simlib" / "reference_figures.json"
BUCKETS = {row["id"]: row for row in json.loads(REFERENCE.read_text("utf-8")) if row["id"].startswith("ddp-bucket")}
MIB = 2**20


def expected(exercise: str, **arguments: Any) -> Any:
    """What the check of an exercise expects."""
    return Definition(load().exercises()[exercise]).expected(Trial("", arguments, None))


# Buckets


@pytest.mark.parametrize("name", list(BUCKETS))
def test_buckets_are_those_of_pytorch(name: str) -> None:
    """The reference gives sizes in the order in which they get ready, the exercise takes them the other way round."""
    row = BUCKETS[name]
    if "tensor_MiB" in row["inputs"]:
        ready = [int(size * MIB) for size in row["inputs"]["tensor_MiB"]]
        limits = [limit * MIB for limit in row["inputs"]["limits_MiB"]]
    else:
        ready, limits = [400] * 10, [row["inputs"]["limit_bytes"]]
    found = expected("bucket_gradients", sizes=ready[::-1], first_cap=limits[0], cap=limits[-1])
    assert [[len(ready) - 1 - number for number in bucket] for bucket in found] == row["expected"]


def test_buckets_of_the_task_s_example() -> None:
    found = expected("bucket_gradients", sizes=[10 * MIB] * 5, first_cap=MIB, cap=25 * MIB)
    assert found == [[4], [3, 2, 1], [0]]


# A data-parallel step


@pytest.mark.parametrize("shares", [[4, 4, 4], [7, 1, 4], [12], [5, 0, 7]])
def test_a_step_is_the_step_of_one_worker_with_the_whole_batch(shares: list[int]) -> None:
    """A linear model under squared error, its gradient taken over all samples at once."""
    rng = np.random.default_rng(4)
    inputs, targets, weights = rng.normal(size=(12, 3)), rng.normal(size=12), rng.normal(size=3)

    def gradient(rows: slice) -> np.ndarray:
        x, y = inputs[rows], targets[rows]
        return 2 * x.T @ (x @ weights - y) / max(1, len(x))

    stops = np.cumsum([0, *shares])
    gradients = [gradient(slice(start, stop)) for start, stop in pairwise(stops)]
    copies = [weights.copy() for _ in shares]
    found = expected("data_parallel_step", weights=copies, gradients=gradients, samples=shares, learning_rate=0.1)
    whole = weights - 0.1 * gradient(slice(0, 12))
    assert len(found) == len(shares)
    for copy in found:
        assert copy == pytest.approx(whole, rel=1e-12)


def test_a_step_of_the_task_s_examples() -> None:
    for samples, end in (([8, 8], 0.7), ([12, 4], 0.75)):
        gradients = [np.array([0.2]), np.array([0.4])]
        copies = [np.array([1.0]), np.array([1.0])]
        found = expected("data_parallel_step", weights=copies, gradients=gradients, samples=samples, learning_rate=1.0)
        assert [copy.tolist() for copy in found] == [[pytest.approx(end)]] * 2


# Sharded Adam


@pytest.mark.parametrize(("workers", "length"), [(4, 8), (3, 7), (5, 3), (1, 4)])
def test_a_sharded_adam_gives_the_unsharded_result(workers: int, length: int) -> None:
    """Thirty steps of Kingma and Ba's algorithm on the whole model, and the exercise's solution sharded."""
    source = (load().exercises()["sharded_adam_step"].folder / "solution.py").read_text("utf-8")
    names: dict[str, Any] = {}
    exec(compile(source, "solution.py", "exec"), names)
    rng = np.random.default_rng(workers)
    theta, m, v = rng.normal(size=length), np.zeros(length), np.zeros(length)
    weights = [theta.copy() for _ in range(workers)]
    momentum, variance = np.array_split(m, workers), np.array_split(v, workers)
    for step in range(1, 31):
        gradients = [rng.normal(size=length) for _ in range(workers)]
        arguments = (weights, gradients, momentum, variance, step, 0.05)
        right = expected(
            "sharded_adam_step",
            weights=weights,
            gradients=gradients,
            momentum=momentum,
            variance=variance,
            step=step,
            learning_rate=0.05,
        )
        weights, momentum, variance = names["sharded_adam_step"](*arguments)
        g = sum(gradients) / workers
        m = 0.9 * m + (1 - 0.9) * g
        v = 0.999 * v + (1 - 0.999) * g**2
        theta = theta - 0.05 * (m / (1 - 0.9**step)) / (np.sqrt(v / (1 - 0.999**step)) + 1e-8)
        for copy in weights:
            assert np.array_equal(copy, theta)  # to the last bit
        assert np.concatenate(momentum).tolist() == m.tolist()
        for found, own in zip(right, (weights, momentum, variance), strict=True):
            for one, other in zip(found, own, strict=True):
                assert np.allclose(one, other, rtol=1e-12, atol=1e-14)


def test_a_sharded_step_of_the_task_s_example() -> None:
    found, momentum, _ = expected(
        "sharded_adam_step",
        weights=[np.array([1.0, 1.0])] * 2,
        gradients=[np.array([2.0, 4.0]), np.array([4.0, 0.0])],
        momentum=[np.zeros(1), np.zeros(1)],
        variance=[np.zeros(1), np.zeros(1)],
        step=1,
        learning_rate=0.1,
    )
    for copy in found:
        assert copy == pytest.approx([0.9, 0.9])
    assert [part.tolist() for part in momentum] == [[pytest.approx(0.3)], [pytest.approx(0.2)]]


# A sharded forward pass


@pytest.mark.parametrize("workers", [1, 2, 4])
def test_what_is_held_in_a_forward_pass_is_what_the_peak_is_made_of(workers: int) -> None:
    """Three layers that N divides: the weights that the engine counts along a step of stage 3, nothing ahead."""
    rng = np.random.default_rng(workers)
    matrices = [rng.normal(size=shape) for shape in ((4, 8), (8, 4), (4, 4))]
    x = [rng.normal(size=(2, 4)) for _ in range(workers)]
    found = expected(
        "fsdp_forward_worker",
        world_size=workers,
        shards=[[np.split(matrix.reshape(-1), workers)[rank] for matrix in matrices] for rank in range(workers)],
        shapes=[[list(matrix.shape) for matrix in matrices]] * workers,
        x=x,
    )
    sizes = [matrix.size for matrix in matrices]
    moments = step_moments(sizes, workers, prefetch=0, weight_bytes=1, gradient_bytes=0, optimizer_bytes=0)
    for (output, held), own in zip(found, x, strict=True):
        assert held == [moment.bytes for moment in moments if not moment.backward]
        for matrix in matrices:
            own = np.where(own @ matrix > 0, own @ matrix, 0)
        assert output == pytest.approx(own)


def test_a_sharded_forward_pass_of_the_task_s_example() -> None:
    found = expected(
        "fsdp_forward_worker",
        world_size=2,
        shards=[[np.array([1.0, 0.0])], [np.array([0.0, 2.0])]],
        shapes=[[[2, 2]]] * 2,
        x=[np.array([[3.0, 4.0]])] * 2,
    )
    assert found[0][0].tolist() == [[3.0, 8.0]]
    assert found[0][1] == [6]
