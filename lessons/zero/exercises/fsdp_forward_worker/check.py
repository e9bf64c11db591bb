"""Checks fsdp_forward_worker: every worker's output, what it held layer by layer, and the bytes that it took."""

import numpy as np

from simlib.collectives import ring_all_gather

collectives = ("all_gather",)
most_bytes = 1.0


def cases(seed):
    """Square layers that N divides, then layers of other shapes, shards that are filling alone, and one worker."""
    rng = np.random.default_rng(seed)
    yield "2 workers, 2 layers", _case(rng, 2, [2, 2, 2]), None
    yield "4 workers, 3 layers", _case(rng, 4, [4, 4, 4, 4]), None
    yield "3 workers, layers that 3 does not divide", _case(rng, 3, [2, 4, 5]), None
    yield "5 workers, shards of filling alone", _case(rng, 5, [2, 3, 1]), None
    yield "4 workers, floats of 32 bits", _case(rng, 4, [3, 5, 2], np.float32), None
    yield "1 worker", _case(rng, 1, [3, 3, 2]), None


def sized(seed, workers, length):
    """Two square layers with about `length` weights together."""
    width = max(1, round((length / 2) ** 0.5))
    return _case(np.random.default_rng(seed), workers, [width] * 3)


def _case(rng, workers, widths, dtype=np.float64):
    shapes = [[rows, columns] for rows, columns in zip(widths, widths[1:])]
    shards = [[] for _ in range(workers)]
    for rows, columns in shapes:
        # Mostly positive, so that the outputs do not end in zeros
        flat = rng.integers(-2, 6, rows * columns).astype(dtype)
        for own, shard in zip(shards, np.split(np.append(flat, np.zeros(-len(flat) % workers, dtype)), workers)):
            own.append(shard)
    return {
        "world_size": workers,
        "shards": shards,
        "shapes": [shapes] * workers,
        "x": [rng.integers(1, 9, (int(rng.integers(1, 3)), widths[0])).astype(dtype) for _ in range(workers)],
    }


def _matrices(arguments):
    """The whole matrices, put together from all workers' shards."""
    return [
        np.concatenate([own[layer] for own in arguments["shards"]])[: rows * columns].reshape(rows, columns)
        for layer, (rows, columns) in enumerate(arguments["shapes"][0])
    ]


def expected(arguments):
    """Each worker's output, and the weights that it holds while each layer runs."""
    matrices = _matrices(arguments)
    own = sum(len(shard) for shard in arguments["shards"][0])
    held = [own + matrix.size for matrix in matrices]
    return [(_forward(x, matrices), held) for x in arguments["x"]]


def _forward(x, matrices, rule=lambda x, matrix: np.maximum(x @ matrix, 0)):
    for matrix in matrices:
        x = rule(x, matrix)
    return x


def _backwards(arguments, matrices):
    """The outputs of the layers in the reverse order; as many zeros where they do not fit."""
    if any(len(one) != len(one.T) for one in matrices):
        return [np.zeros((0, 0))] * len(arguments["x"])
    return [_forward(x, matrices[::-1]) for x in arguments["x"]]


def bill(arguments):
    """An all-gather for each layer."""
    traces = [ring_all_gather(list(pieces)) for pieces in zip(*arguments["shards"])]
    return {
        what: [sum(parts) for parts in zip(*(getattr(trace, what) for trace in traces))]
        for what in ("bytes_sent", "messages_sent")
    } | {"steps": sum(trace.last_step for trace in traces)}


def explain_bill(arguments, engine, yours):
    """Where the bytes too many come from."""
    if max(yours["bytes_sent"]) == 2 * max(engine["bytes_sent"]):
        return "Every matrix is gathered twice. In the forward pass once is enough."
    return "Gather each layer's shards once, and nothing else: samples and outputs stay where they are."


def held(arguments, expected, got):
    """The most weights that each worker counts while a layer runs."""
    if not isinstance(got, list) or not all(isinstance(own, (list, tuple)) and len(own) == 2 for own in got):
        return None
    counts = [_most(own[1]) for own in got]
    if None in counts or len(counts) != len(expected):
        return None
    return {"what": "weights", "yours": counts, "engine": [max(right) for _, right in expected]}


def _most(held):
    """The largest of a list of counts; None where it is no such list."""
    is_list = isinstance(held, (list, tuple)) and len(held) > 0
    return max(held) if is_list and all(type(count) is int and 0 <= count < 1e15 for count in held) else None


def called(path):
    """What a part of the result is called."""
    return f"worker {path[0]}, {('output', 'held')[path[1]]}"


def explain(arguments, expected, got, difference):
    """The first worker whose output or count is wrong, and the slip that it looks like."""
    if not isinstance(got, list) or len(got) != len(expected):
        return None
    for worker, own in enumerate(got):
        if not isinstance(own, (list, tuple)) or len(own) != 2:
            return _no_pair(worker, own, expected[worker][0])
        if type(own[1]) is int:
            layers = len(expected[worker][1])
            reason = f"Worker {worker}'s held is one number. Return a list of {layers}: a count for each layer."
            return {"kind": "wrong_type", "reason": reason, "first_difference": None}
    for worker, ((right, _), (own, _)) in enumerate(zip(expected, got)):
        if not isinstance(own, np.ndarray) or own.dtype.kind != "f" or own.ndim != 2:
            return None
        if own.shape != right.shape:
            return {"kind": "wrong_shape", "reason": _shapes(arguments, worker, own, right)}
    for worker, ((right, _), (own, _)) in enumerate(zip(expected, got)):
        if not _same(own, right):
            return _of_output(arguments, worker, right, own, [pair[0] for pair in got])
    for worker, ((_, right), (_, own)) in enumerate(zip(expected, got)):
        if not isinstance(own, (list, tuple)) or len(own) != len(right) or not all(type(held) is int for held in own):
            return None
        if list(own) != right:
            return _of_held(arguments, worker, right, list(own))
    return None


def _no_pair(worker, own, right):
    if isinstance(own, np.ndarray) and own.shape == right.shape:
        reason = f"Worker {worker} returned its output alone. Return (output, held), held with an entry for each layer."
        return {"kind": "wrong_shape", "reason": reason, "first_difference": None}
    return None


def _shapes(arguments, worker, own, right):
    said = f"Worker {worker}'s output is {own.shape[0]} x {own.shape[1]}; expected {right.shape[0]} x {right.shape[1]}."
    if own.shape[0] == sum(len(x) for x in arguments["x"]) != right.shape[0]:
        return f"{said} Those are the samples of all workers. Each worker runs the whole layer on its own samples alone."
    if own.shape[1] < right.shape[1]:
        return f"{said} A part of the columns is missing. Each worker computes the whole layer, for its own samples."
    return said


def _of_output(arguments, worker, right, own, outputs):
    row, column = (int(i) for i in np.argwhere(~np.isclose(own, right, rtol=1e-5, atol=1e-6))[0])
    said = f"Worker {worker}, output [{row}, {column}]: expected {right[row, column]:.6g}, yours {own[row, column]:.6g}."
    slip = _slip(arguments, outputs)
    return {
        "kind": None,
        "reason": f"{said} {slip}" if slip else said,
        "path": (worker, 0, row, column),
        "first_difference": {
            "worker": worker,
            "index": [row, column],
            "expected": right[row, column],
            "got": own[row, column],
        },
    }


def _slip(arguments, outputs):
    """Which wrong rule makes these outputs; None if none that is known does."""
    matrices = _matrices(arguments)
    shards = arguments["shards"]

    def alone(worker):
        """The matrices with zeros for what other workers have."""
        filled = []
        for layer, matrix in enumerate(matrices):
            pieces = [own[layer] if rank == worker else 0 * own[layer] for rank, own in enumerate(shards)]
            filled.append(np.concatenate(pieces)[: matrix.size].reshape(matrix.shape))
        return filled

    def by_columns(layers):
        return [matrix.reshape(-1).reshape(matrix.shape[::-1]).T for matrix in layers]

    rules = [
        ([_forward(x, matrices, np.matmul) for x in arguments["x"]], "The numpy.maximum(…, 0) is missing."),
        (
            [_forward(x, alone(worker)) for worker, x in enumerate(arguments["x"])],
            "Each worker computed with its own shard and zeros for the others: gather the whole matrix.",
        ),
        (
            [_forward(x, by_columns(matrices)) for x in arguments["x"]],
            "The gathered numbers are put into the matrix column by column; they come row by row.",
        ),
        (
            [np.maximum(_forward(x, matrices, np.matmul), 0) for x in arguments["x"]],
            "The numpy.maximum(…, 0) comes after each layer, not at the end alone.",
        ),
        (_backwards(arguments, matrices), "The layers run from the last to the first: the first one comes first."),
        ([_forward(x, matrices[:-1]) for x in arguments["x"]], "The last layer is missing."),
        ([0 * output for output in outputs], "It is 0 throughout: no weights have come in."),
    ]
    for made, words in rules:
        if all(one.shape == other.shape and _same(one, other) for one, other in zip(made, outputs)):
            return words
    return None


def _of_held(arguments, worker, right, own):
    layer = next(place for place, (one, other) in enumerate(zip(right, own)) if one != other)
    said = f"Worker {worker}, layer {layer}: it holds {right[layer]} weights, you count {own[layer]}."
    sizes = [rows * columns for rows, columns in arguments["shapes"][0]]
    shards = [len(shard) for shard in arguments["shards"][worker]]
    world_size = arguments["world_size"]
    rules = [
        (
            [sum(shards) + sum(sizes)] * len(sizes),
            "All matrices are there at once. Gather a layer just before it runs, and free it just after.",
        ),
        (
            [sum(shards) + sum(sizes[: place + 1]) for place in range(len(sizes))],
            "What was gathered is never freed, so that in the end the whole model is there.",
        ),
        (sizes, "Its own shards are missing: it holds those of all layers, all the time."),
        ([sum(shards)] * len(sizes), "The gathered matrix is missing: while a layer runs it is there in full."),
        (
            [shard + size for shard, size in zip(shards, sizes)],
            "It holds its shards of all the layers, also of those that are not running.",
        ),
        ([sum(shards) + world_size * shard for shard in shards], "Of the gathered matrix the filling does not count: cut it off."),
        (
            [count * shard.itemsize for count in right for shard in arguments["shards"][worker][:1]],
            "Those are bytes: count weights.",
        ),
        ([sum(sizes) + size for size in sizes], "Before a layer runs it holds shards alone, not the whole model."),
    ]
    slip = next((words for made, words in rules if made == own), None)
    if own == sizes == [sum(shards)] * len(sizes):
        slip = "Either the gathered matrix or its own shards of all layers are missing: while a layer runs it holds both."
    return {
        "kind": None,
        "reason": f"{said} {slip}" if slip else said,
        "path": (worker, 1, layer),
        "first_difference": {"worker": worker, "index": layer, "expected": right[layer], "got": own[layer]},
    }


def _same(one, other):
    return bool(np.allclose(one.astype(float), other.astype(float), rtol=1e-5, atol=1e-6))
