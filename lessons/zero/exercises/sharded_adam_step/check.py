"""Checks sharded_adam_step against the engine's Adam on the whole model, and names known slips."""

import numpy as np

from simlib.collectives import ring_all_reduce
from simlib.optimizers import AdamW
from simlib.optimizers.state import State

PARTS = ("weights", "momentum", "variance")
# What is computed first comes first
IN_ORDER = ("momentum", "variance", "weights")
RULE = AdamW(weight_decay=0)


def cases(seed):
    """Two workers from their first step; later steps, weights that N does not divide, empty shards, one worker."""
    rng = np.random.default_rng(seed)
    yield "2 workers, 4 weights, first step", _case(rng, 2, 4, 1), None
    yield "4 workers, 8 weights, step 3", _case(rng, 4, 8, 3), None
    yield "3 workers, 7 weights, step 2", _case(rng, 3, 7, 2), None
    yield "5 workers, 3 weights, step 10", _case(rng, 5, 3, 10), None
    yield "4 workers, 10 weights, 200 steps", _case(rng, 4, 10, 200), None
    yield "1 worker, 3 weights, step 4", _case(rng, 1, 3, 4), None


def _case(rng, workers, length, step):
    """Arguments as they are after step - 1 earlier steps of the engine."""
    state = RULE.start(rng.integers(-20, 21, length) / 10)
    gradients = []
    for number in range(step):
        gradients = [rng.integers(1, 100, length) * rng.choice([-0.1, 0.1], length) for _ in range(workers)]
        if number < step - 1:
            state = RULE.apply(state, sum(gradients) / workers)
    return {
        "weights": [state.master.copy() for _ in range(workers)],
        "gradients": gradients,
        "momentum": np.array_split(state.momentum, workers),
        "variance": np.array_split(state.variance, workers),
        "step": step,
        "learning_rate": float(rng.choice([0.01, 0.05, 0.1])),
    }


def expected(arguments):
    """Adam on the whole model with the all-reduced mean, cut into shards: sharding changes nothing."""
    mean = ring_all_reduce(arguments["gradients"], "mean").result[0]
    return _adam(arguments, mean)


def _adam(arguments, gradient):
    """What the workers hold after the engine's step with this gradient."""
    workers = len(arguments["weights"])
    before = State(
        arguments["step"] - 1,
        arguments["weights"][0],
        np.concatenate(arguments["momentum"]),
        np.concatenate(arguments["variance"]),
    )
    after = AdamW(arguments["learning_rate"], weight_decay=0).apply(before, gradient)
    shards = [np.array_split(array, workers) for array in (after.momentum, after.variance)]
    return [after.master.copy() for _ in range(workers)], *shards


def called(path):
    """What a part of the result is called."""
    return f"{PARTS[path[0]]}, worker {path[1]}"


def explain(arguments, expected, got, difference):
    """The first part, worker and place that differ, and the slip that they look like."""
    if not isinstance(got, (list, tuple)) or len(got) != len(PARTS):
        return None
    right, yours = dict(zip(PARTS, expected)), dict(zip(PARTS, got))
    for part in IN_ORDER:
        said = _form(part, right[part], yours[part], arguments)
        if said is not None:
            return said
    for part in IN_ORDER:
        for worker, (wanted, own) in enumerate(zip(right[part], yours[part])):
            if not _same(wanted, own):
                return _difference(arguments, part, worker, right[part], yours[part])
    return None


def _form(part, right, yours, arguments):
    """What is wrong with the form of a part; None where it is a list of arrays of the right lengths."""
    workers = len(right)
    if isinstance(yours, np.ndarray) and yours.ndim == 1 and yours.dtype.kind == "f":
        verb = "are" if part == "weights" else "is"
        return {"kind": "wrong_shape", "reason": f"Your {part} {verb} one array; return a list of {workers}, one a worker."}
    if not isinstance(yours, (list, tuple)) or len(yours) != workers:
        return {}
    for worker, (wanted, own) in enumerate(zip(right, yours)):
        if not isinstance(own, np.ndarray) or own.dtype.kind != "f" or own.ndim != 1:
            return {}
        if own.shape != wanted.shape:
            return {"kind": "wrong_shape", "reason": _lengths(part, worker, len(wanted), len(own), arguments)}
    return None


def _lengths(part, worker, right, yours, arguments):
    whole, workers = len(arguments["weights"][0]), len(arguments["weights"])
    said = f"Worker {worker} has {yours} numbers of {part}; expected {right}."
    if part != "weights" and yours == whole:
        return f"{said} It keeps the states of its own shard alone."
    if part == "weights" and yours == len(np.array_split(np.zeros(whole), workers)[worker]):
        return f"{said} That is its own shard: the all-gather, which gives it the others' weights, is missing."
    if whole % workers:
        lengths = ", ".join(str(len(cut)) for cut in np.array_split(np.zeros(whole), workers))
        return f"{said} numpy.array_split cuts {whole} weights into {lengths}."
    return said


def _difference(arguments, part, worker, right, yours):
    place = int(np.argmax(~np.isclose(yours[worker], right[worker], rtol=1e-7, atol=1e-12)))
    wanted, own = right[worker][place], yours[worker][place]
    said = f"Worker {worker}, {part}, index {place}: expected {wanted:.6g}, yours {own:.6g}."
    slip = _of_weights(arguments, right, yours) if part == "weights" else _of_states(arguments, part, yours)
    return {
        "kind": None,
        "reason": f"{said} {slip}" if slip else said,
        "path": (PARTS.index(part), worker, place),
        "first_difference": {"worker": worker, "index": [part, place], "expected": wanted, "got": own},
    }


def _of_states(arguments, part, yours):
    """Which gradient, or which rule, makes these momenta or variances."""
    workers, gradients = len(arguments["weights"]), arguments["gradients"]
    before, beta = arguments[part], RULE.beta1 if part == "momentum" else RULE.beta2

    def same(taken, change=None):
        rule = change or (lambda old, g: beta * old + (1 - beta) * (g if part == "momentum" else g * g))
        return all(_same(rule(old, g), own) for old, g, own in zip(before, taken, yours))

    cut = [np.array_split(gradient, workers) for gradient in gradients]
    mean = np.array_split(sum(gradients) / workers, workers)
    squares = np.array_split(sum(gradient**2 for gradient in gradients) / workers, workers)
    powers = 1 if part == "momentum" else 2
    other = np.array_split(sum(gradients) / workers, workers)
    beta1, beta2 = RULE.beta1, RULE.beta2
    swapped = [
        beta2 * m + (1 - beta2) * g if part == "momentum" else beta1 * v + (1 - beta1) * g * g
        for m, v, g in zip(arguments["momentum"], arguments["variance"], other)
    ]
    turned = [
        beta2 * v + (1 - beta2) * g * g if part == "momentum" else beta1 * m + (1 - beta1) * g
        for m, v, g in zip(arguments["momentum"], arguments["variance"], other)
    ]
    rules = [
        (all(map(_same, swapped, yours)), "BETA1 and BETA2 are swapped: 0.9 goes with the momentum, 0.999 with the variance."),
        (all(map(_same, turned, yours)), "That is the other of the two states. Return weights, momentum, variance."),
        (
            arguments["step"] == 1 and powers == 1 and not np.any(np.concatenate(before)) and same(mean, lambda old, g: g),
            "Either it is not multiplied by 1 - BETA1, or it is corrected already: keep m itself, the update corrects it.",
        ),
        (same([shard * workers for shard in mean]), "You took the sum of the gradients; their mean is asked for."),
        (same([shard / workers for shard in mean]), f"The mean is divided by {workers} once more."),
        (
            same([cut[rank][rank] for rank in range(workers)]),
            "Each worker used its own gradient. The reduce-scatter, which adds up shard r of all workers, is missing.",
        ),
        (same(cut[0]), "You used worker 0's gradient alone: the mean over all workers is asked for."),
        (
            len(mean[-1]) == len(mean[0]) and same([*mean[1:], mean[0]]),
            "Worker r updated its states with shard r+1 of the gradient; it owns shard r.",
        ),
        (same(mean, lambda old, g: beta * old), "The gradient does not come in."),
        (same(mean, lambda old, g: old), "The state is as before."),
        (same(mean, lambda old, g: beta * old + g**powers), f"The gradient is not multiplied by 1 - BETA{powers}."),
        (same(mean, lambda old, g: old + (1 - beta) * g**powers), f"The old {part} is not multiplied by BETA{powers}."),
        (same(mean, lambda old, g: (1 - beta) * old + beta * g**powers), f"BETA{powers} and 1 - BETA{powers} are swapped."),
        (same(mean, lambda old, g: (1 - beta) * g**powers), f"The old {part} has been forgotten."),
        (
            powers == 2 and same(mean, lambda old, g: beta * old + (1 - beta) * g),
            "The variance takes the gradient's square.",
        ),
        (
            powers == 2 and same(squares, lambda old, g: beta * old + (1 - beta) * g),
            "That is the mean of the squares. The mean comes first, then its square.",
        ),
        (
            same(mean, lambda old, g: (beta * old + (1 - beta) * g**powers) / (1 - beta ** arguments["step"])),
            f"You return what the update divides by. Keep the {part} itself, not corrected.",
        ),
    ]
    return next((words for fits, words in rules if fits), None)


def _of_weights(arguments, right, yours):
    """Which wrong update, or which missing exchange, makes these weights; the states are right."""
    workers, before = len(right), arguments["weights"]
    bounds = np.cumsum([0, *(len(cut) for cut in np.array_split(before[0], workers))])
    own = [array.copy() for array in before]
    for rank in range(workers):
        start, stop = bounds[rank], bounds[rank + 1]
        own[rank][start:stop] = right[rank][start:stop]
    if workers > 1 and all(map(_same, own, yours)):
        return "Each worker has new weights for its own shard alone. The all-gather is missing."
    if all(map(_same, before, yours)):
        return "Those are the weights from before the update: gather the new ones."
    for words, rule in _updates(arguments):
        if all(_same(rule, array) for array in yours):
            return words
    if not all(_same(yours[0], array) for array in yours[1:]):
        return "The workers' weights are no longer equal: all of them get every shard."
    turned = np.concatenate([np.array_split(right[0], workers)[(rank + 1) % workers] for rank in range(workers)])
    if _same(turned, yours[0]):
        return "The shards stand in another order: shard 0 comes first."
    return None


def _updates(arguments):
    """The whole model's weights by wrong rules."""
    mean = sum(arguments["gradients"]) / len(arguments["gradients"])
    old, step, rate = arguments["weights"][0], arguments["step"], arguments["learning_rate"]
    after = AdamW(rate, weight_decay=0).apply(
        State(step - 1, old, np.concatenate(arguments["momentum"]), np.concatenate(arguments["variance"])), mean
    )
    m, v, eps = after.momentum, after.variance, RULE.epsilon
    first, second = 1 - RULE.beta1**step, 1 - RULE.beta2**step
    yield "The corrections by 1 - BETA1^step and 1 - BETA2^step are missing.", old - rate * m / (np.sqrt(v) + eps)
    yield "The momentum is not divided by 1 - BETA1^step.", old - rate * m / (np.sqrt(v / second) + eps)
    yield "The variance is not divided by 1 - BETA2^step.", old - rate * m / first / (np.sqrt(v) + eps)
    later, last = 1 - RULE.beta1 ** (step + 1), 1 - RULE.beta2 ** (step + 1)
    yield "You corrected for step + 1: `step` is the step to do.", old - rate * m / later / (np.sqrt(v / last) + eps)
    yield "The root is missing: divide by sqrt(v) + EPSILON.", old - rate * m / first / (v / second + eps)
    yield "That is plain SGD: the states are kept, but the update does not use them.", old - rate * mean
    yield "That is momentum alone: divide by sqrt(v) + EPSILON.", old - rate * m / first
    yield "You added the step: take it off.", old + rate * m / first / (np.sqrt(v / second) + eps)
    yield "The learning rate is missing.", old - m / first / (np.sqrt(v / second) + eps)


def _same(one, other):
    return one.shape == other.shape and bool(np.allclose(one, other, rtol=1e-7, atol=1e-12))
