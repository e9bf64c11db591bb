"""Checks top_k_all_gather_worker: the mean of the sparse gradients, and the bytes that it took."""

import numpy as np

from simlib.collectives import ring_all_gather

collectives = ("all_gather",)
most_bytes = 1.0


def cases(seed):
    """From two workers that keep one value each to workers that keep the same positions, everything, and one alone."""
    rng = np.random.default_rng(seed)
    yield "2 workers, 1 of 4 values", _case([_gradient(rng, 4), _gradient(rng, 4)], 1), None
    yield "3 workers, 2 of 12 values", _case([_gradient(rng, 12) for _ in range(3)], 2), None
    same = [_gradient(rng, 8) for _ in range(3)]
    for gradient in same:
        gradient[rng.permutation(3)[:2]] += 100.0
    yield "3 workers that keep some of the same positions", _case(same, 2), None
    single = [_gradient(rng, 20).astype(np.float32) for _ in range(4)]
    yield "4 workers, 3 of 20 values of 32 bits", _case(single, 3), None
    yield "6 workers, 2 of 32 values", _case([_gradient(rng, 32) for _ in range(6)], 2), None
    yield "2 workers, all 5 values", _case([_gradient(rng, 5), _gradient(rng, 5)], 5), None
    yield "1 worker", _case([_gradient(rng, 6)], 2), None


def sized(seed, workers, length):
    """Gradients of `length` values each, of which one in a hundred is sent."""
    rng = np.random.default_rng(seed)
    return _case([_gradient(rng, length) for _ in range(workers)], max(1, length // 100))


def _gradient(rng, length):
    """No two values have the same size, and the largest one is negative."""
    sizes = rng.permutation(np.arange(1, length + 1) + rng.integers(1, 10, length) / 16)
    signs = np.where(sizes == sizes.max(), -1.0, rng.choice([-1.0, 1.0], length))
    return sizes * signs


def _case(gradients, k):
    return {"world_size": len(gradients), "gradient": gradients, "k": [k] * len(gradients)}


def expected(arguments):
    """The mean, on every worker."""
    mean = sum(_sparse(arguments)) / arguments["world_size"]
    return [mean] * arguments["world_size"]


def _sparse(arguments, size=np.abs):
    """Each worker's gradient with zeros for what it does not send."""
    kept = []
    for gradient, k in zip(arguments["gradient"], arguments["k"]):
        positions = np.argsort(size(gradient))[-k:]
        sparse = np.zeros_like(gradient)
        sparse[positions] = gradient[positions]
        kept.append(sparse)
    return kept


def bill(arguments):
    """An all-gather of k positions of 8 bytes, and one of k values."""
    k = arguments["k"][0]
    traces = [
        ring_all_gather([np.zeros(k, dtype)] * arguments["world_size"])
        for dtype in (np.int64, arguments["gradient"][0].dtype)
    ]
    return {
        what: [sum(parts) for parts in zip(*(getattr(trace, what) for trace in traces))]
        for what in ("bytes_sent", "messages_sent")
    } | {"steps": sum(trace.last_step for trace in traces)}


def explain_bill(arguments, engine, yours):
    """Where the bytes too many come from."""
    size, others = arguments["gradient"][0].nbytes, arguments["world_size"] - 1
    if max(yours["bytes_sent"]) >= size * others:
        return "Whole gradients are sent, zeros and all: gather the k positions and the k values."
    return "Gather the k positions once and the k values once."


def explain(arguments, expected, got, difference):
    """The first wrong number by worker and position, and the slip that it looks like."""
    gradients = arguments["gradient"]
    if not isinstance(got, list) or len(got) != len(gradients):
        return None
    for worker, (right, own) in enumerate(zip(expected, got)):
        if isinstance(own, np.ndarray) and own.shape == (len(gradients) * arguments["k"][0],) != right.shape:
            said = f"Worker {worker} returned {len(own)} values, those that are sent; expected {len(right)}."
            return {"kind": "wrong_shape", "reason": f"{said} Put each at its position, with 0 where nothing is sent."}
        if not isinstance(own, np.ndarray) or own.shape != right.shape or own.dtype.kind != "f":
            return None
        if _same(own, right):
            continue
        wrong = ~np.isclose(own, right, rtol=1e-5, atol=1e-6)
        place = int(np.argmax(wrong))
        sent = [rank for rank, sparse in enumerate(_sparse(arguments)) if sparse[place] != 0]
        said = f"Worker {worker}, position {place}: expected {right[place]:.6g}, yours {own[place]:.6g}."
        return {
            "kind": None,
            "reason": f"{said} {_slip(arguments, worker, got) or _senders(sent)}",
            "path": (worker, place),
            "first_difference": {"worker": worker, "index": place, "expected": right[place], "got": own[place]},
        }
    return None


def _senders(ranks):
    """Who sends something for a position."""
    if not ranks:
        return "No worker sends anything for this position."
    named = " and ".join(str(rank) for rank in ranks)
    return f"Worker {named} sends a value for it." if len(ranks) == 1 else f"Workers {named} send values for it."


def _slip(arguments, worker, got):
    """Which wrong rule makes these arrays; None if none that is known does."""
    world_size, gradients = arguments["world_size"], arguments["gradient"]
    sparse = _sparse(arguments)
    total = sum(sparse)
    senders = sum((part != 0).astype(int) for part in sparse)
    last = np.zeros_like(total)
    for part in sparse:
        last = np.where(part != 0, part, last)
    signed = sum(_sparse(arguments, size=lambda gradient: gradient))
    rules = [
        (
            [total] * world_size if senders.max() < 2 else [],
            "You do not divide by the number of workers. Who sends nothing for a position counts as 0: divide by N.",
        ),
        ([total] * world_size, "That is the sum: the mean divides it by the number of workers."),
        (
            [total / np.maximum(senders, 1)] * world_size,
            "You divide by the number of workers that sent the position. Who sends nothing counts as 0: divide by N.",
        ),
        (
            [last / world_size] * world_size,
            "Where several workers send the same position, only the last one counts in yours: `a[positions] += values` "
            "adds once for each position. numpy.add.at adds every time.",
        ),
        ([signed / world_size] * world_size, "You keep the largest values; keep those that are largest without their signs."),
        (
            [sum(_sparse(arguments, size=lambda gradient: -np.abs(gradient))) / world_size] * world_size,
            "You keep the smallest values; keep the largest, signs aside.",
        ),
        (
            [sum(map(np.abs, sparse)) / world_size] * world_size,
            "The values have lost their signs: look for the largest without them, and send those of the gradient.",
        ),
        (sparse, "Every worker returned what it sends itself: nothing has been gathered."),
        ([part / world_size for part in sparse], "Every worker has its own values alone: nothing has been gathered."),
        ([sum(gradients) / world_size] * world_size, "That is the mean of the whole gradients; only k values of each are sent."),
    ]
    for arrays, words in rules:
        if arrays and all(_same(one, other) for one, other in zip(got, arrays)):
            return words
    own_positions = np.flatnonzero(sparse[worker])
    if np.isin(np.flatnonzero(got[worker]), own_positions).all() and world_size > 1:
        return "Your worker fills its own positions alone: the others' values belong to their positions, so gather those too."
    return None


def _same(one, other):
    return one.shape == other.shape and bool(np.allclose(one.astype(float), other.astype(float), rtol=1e-5, atol=1e-6))
