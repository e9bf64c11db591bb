"""Checks data_parallel_step against the engine's all-reduce and SGD, and names known slips."""

import numpy as np

from simlib.optimizers import Sgd
from simlib.training.course import Recorder
from simlib.training.data_parallel import average

SHARES = {
    "2 workers, 8 samples each": [8, 8],
    "4 workers, 4 samples each": [4, 4, 4, 4],
    "2 workers, 6 and 2 samples": [6, 2],
    "3 workers, 5, 2 and 9 samples": [5, 2, 9],
    "4 workers, one without samples": [4, 4, 0, 3],
    "1 worker": [5],
}


def cases(seed):
    """Equal shares, then unequal ones, a worker with nothing to do, and one alone."""
    rng = np.random.default_rng(seed)
    for name, samples in SHARES.items():
        yield name, _case(rng, samples, np.float64), None
    yield "3 workers, floats of 32 bits", _case(rng, [7, 1, 4], np.float32), None


def _case(rng, samples, dtype):
    length = int(rng.integers(3, 7))
    weights = rng.integers(-40, 41, length) / 10
    gradients = [(rng.integers(1, 100, length) * (count > 0) / 10).astype(dtype) for count in samples]
    return {
        "weights": [weights.astype(dtype) for _ in samples],
        "gradients": gradients,
        "samples": samples,
        "learning_rate": float(rng.choice([0.1, 0.2, 0.5])),
    }


def expected(arguments):
    """Every worker's weights, by the engine."""
    rule = Sgd(arguments["learning_rate"])
    means = average(Recorder(len(arguments["weights"])), arguments["gradients"], arguments["samples"])
    return [rule.apply(rule.start(copy), mean).master for copy, mean in zip(arguments["weights"], means)]


def called(path):
    """What a part of the result is called."""
    return f"worker {path[0]}"


def explain(arguments, expected, got, difference):
    """The first wrong number by worker and place, and the slip that it looks like."""
    workers = len(expected)
    if isinstance(got, np.ndarray) and got.ndim == 1 and got.shape == expected[0].shape and got.dtype.kind == "f":
        reason = f"This is one array. Return a list of {workers}: each worker has its own copy of the weights."
        return {"kind": "wrong_shape", "reason": reason, "first_difference": None}
    if not isinstance(got, (list, tuple)) or len(got) != workers:
        return None
    if not all(_is_row(own, right) for own, right in zip(got, expected)):
        return None
    worker = next((rank for rank, (own, right) in enumerate(zip(got, expected)) if not _same(own, right)), None)
    if worker is None:
        return None
    right, own = expected[worker], got[worker]
    place = int(np.argmax(~np.isclose(own, right, rtol=1e-5, atol=1e-6)))
    said = f"Worker {worker}, weight {place}: expected {right[place]:.6g}, yours {own[place]:.6g}."
    slip = _slip(arguments, got)
    return {
        "kind": None,
        "reason": f"{said} {slip}" if slip else said,
        "path": (worker, place),
        "first_difference": {"worker": worker, "index": place, "expected": right[place], "got": own[place]},
    }


def _slip(arguments, got):
    """Which wrong rule makes these weights; None if none that is known does."""
    weights, gradients, samples = arguments["weights"], arguments["gradients"], arguments["samples"]
    workers, total, rate = len(weights), sum(samples), arguments["learning_rate"]
    summed = sum(gradients)
    weighted = sum(gradient * count for gradient, count in zip(gradients, samples))
    mean = weighted / total
    counts = " and ".join(map(str, samples))
    rules = [
        ([gradient for gradient in gradients], "Every worker used its own gradient. Nothing was averaged, so copies part."),
        ([0 * mean] * workers, "The weights are as before: nothing was taken off. Is a share rounded to 0?"),
        ([summed] * workers, f"The {workers} gradients are added up and not divided, which is {workers} times their mean."),
        (
            [summed / workers] * workers,
            f"Every worker counts the same in yours, but they had {counts} samples: weigh each gradient by its samples.",
        ),
        ([mean / workers] * workers, f"That is divided by {workers} once too often: the mean is a mean already."),
        ([weighted] * workers, "Gradients times samples are added up: divide by the number of all samples."),
        ([weighted / workers] * workers, "Gradients times samples are divided by the workers: divide by all samples."),
        ([gradients[0]] * workers, "All workers used the gradient of worker 0 alone."),
        ([-mean] * workers, "You added the step. The weights go against the gradient: take it off."),
        ([mean / rate] * workers, "The learning rate is missing: the whole mean gradient was taken off."),
        ([mean] + [0 * mean] * (workers - 1), "Worker 0 alone was updated. Every worker makes the same update."),
    ]
    for steps, words in rules:
        if all(_same(copy - rate * step, own) for copy, step, own in zip(weights, steps, got)):
            return words
    if all(_same(mean, own) for own in got):
        return "That is the mean gradient. Return the weights after the step."
    if not all(_same(got[0], own) for own in got[1:]):
        return "The workers' copies are no longer equal: all of them take off the same mean."
    return None


def _is_row(own, right):
    return isinstance(own, np.ndarray) and own.shape == right.shape and own.dtype.kind == "f"


def _same(one, other):
    return bool(np.allclose(one.astype(float), other.astype(float), rtol=1e-5, atol=1e-6))
