"""Checks reduce_scatter_worker: which slice every worker returns, and what each of them sent."""

from itertools import product

import numpy as np

from simlib.collectives import ring_reduce_scatter

most_bytes = 1.0


def cases(seed):
    """From three workers with a number for each chunk to lengths that N does not divide, and to one worker."""
    rng = np.random.default_rng(seed)
    for workers, length in ((3, 3), (4, 8), (2, 2), (3, 7), (5, 3)):
        arrays = _powers(rng, workers, length)
        yield f"{workers} workers, {length} numbers", {"world_size": workers, "array": arrays}, None
    floats = [rng.normal(size=5).astype(np.float32) for _ in range(4)]
    yield "4 workers, 5 floats of 32 bits", {"world_size": 4, "array": floats}, None
    whole = [rng.integers(-99, 1000, 24) for _ in range(6)]
    yield "6 workers, 24 numbers", {"world_size": 6, "array": whole}, None
    yield "1 worker", {"world_size": 1, "array": [rng.integers(-99, 1000, 4)]}, None


def sized(seed, workers, length):
    """Arrays of `length` numbers each, for any number of workers."""
    rng = np.random.default_rng(seed)
    few = workers <= 5
    arrays = _powers(rng, workers, length) if few else [rng.integers(-99, 1000, length) for _ in range(workers)]
    return {"world_size": workers, "array": arrays}


def expected(arguments):
    """Slice r of the sum, on worker r."""
    return ring_reduce_scatter(arguments["array"]).result


def bill(arguments):
    """What a ring sends; not judged where chunks are of unequal length, since other cuts are as good."""
    trace = ring_reduce_scatter(arguments["array"])
    if len(arguments["array"][0]) % arguments["world_size"]:
        return None
    return {"bytes_sent": trace.bytes_sent, "messages_sent": trace.messages_sent, "steps": trace.last_step}


def explain_bill(arguments, engine, yours):
    """Where the bytes too many come from."""
    need, most = max(engine["bytes_sent"]), max(yours["bytes_sent"])
    if yours["bytes_sent"].count(most) == 1:
        return "One worker does the work of all, and its link is the slow one: let every worker send to its neighbour."
    if need and most == 2 * need:
        return "That is a whole all-reduce: stop when the sums are finished, and give each worker its own."
    return "A ring sends one chunk a step, 1/N of the array, in N-1 steps."


def explain(arguments, expected, got, difference):
    """The first wrong number by worker and index, and whose numbers are in it."""
    arrays = arguments["array"]
    if not isinstance(got, list) or len(got) != len(arrays):
        return None
    if not all(isinstance(own, np.ndarray) and own.dtype.kind in "iuf" for own in got):
        return None
    total = np.concatenate(expected)
    if len(arrays) > 1 and all(_same(own, total) for own in got):
        return {
            "kind": "wrong_shape",
            "reason": "Every worker returned the whole sum: that is an all-reduce. Worker r needs slice r alone.",
        }
    slices = _slices(got, expected)
    if slices is not None and slices != list(range(len(arrays))):
        return _other_slices(slices, expected, got)
    for worker, (right, own) in enumerate(zip(expected, got)):
        if own.shape == arrays[worker].shape != right.shape:
            said = f"Worker {worker} returned an array of {len(own)} numbers; expected {len(right)}."
            return {"kind": "wrong_shape", "reason": f"{said} Return slice r alone, without the places of the others."}
        if own.shape != right.shape:
            return None
        if not _same(own, right):
            return _difference(arrays, worker, right, own, got)
    return None


def _slices(got, expected):
    """Which slice of the sum each worker returned; None unless each is one, and tells which."""
    found = []
    for own in got:
        same = [number for number, right in enumerate(expected) if _same(own, right)]
        if len(same) != 1:
            return None
        found.append(same[0])
    return found


def _other_slices(slices, expected, got):
    worker = next(rank for rank, number in enumerate(slices) if number != rank)
    world_size = len(expected)
    why = ""
    if slices == [(rank + 1) % world_size for rank in range(world_size)]:
        why = " The plain ring leaves chunk (r+1) mod N on worker r: start one chunk lower, so that r's own comes last."
    said = f"Worker {worker} returned slice {slices[worker]} of the sum; rank {worker} gets slice {worker}."
    different = expected[worker].shape == got[worker].shape and len(expected[worker]) > 0
    return {
        "kind": None if different else "wrong_shape",
        "reason": said + why,
        "first_difference": {
            "phase": "reduce-scatter",
            "worker": worker,
            "chunk": worker,
            "index": 0,
            "expected": expected[worker][0],
            "got": got[worker][0],
        }
        if different
        else None,
    }


def _difference(arrays, worker, right, own, got):
    trace = ring_reduce_scatter(arrays)
    wrong = ~np.isclose(own.astype(float), right.astype(float), rtol=1e-5, atol=1e-6)
    index = int(np.argmax(wrong))
    place = trace.chunk_bounds[worker][0] + index
    at = f"Worker {worker}" + (f", index {index}" if len(right) > 1 else "")
    said = f"{at}: expected {_text(right[index])}, yours {_text(own[index])}."
    dtype = {"dtype": "float32"} if arrays[0].dtype == np.float32 else {}
    return {
        "kind": None,
        "reason": " ".join(filter(None, [said, _slip(arrays, worker, right, own, got, place, index)])),
        "first_difference": {
            "phase": "reduce-scatter",
            "step": trace.last_step,
            "worker": worker,
            "chunk": worker,
            "index": index,
            "expected": right[index],
            "got": own[index],
        },
        "picture": {
            "topic": "reduce-scatter",
            "parameters": {"algorithm": "ring", "values": [array.tolist() for array in arrays]} | dtype,
            "step": trace.last_step,
            "cell": {"worker": worker, "chunk": worker, "index": index},
            "yours": own[index].item() if np.isfinite(own[index]) else str(own[index]),
        },
    }


def _slip(arrays, worker, right, own, got, place, index):
    """What the slices look like; None if nothing that is known."""
    world_size = len(arrays)
    bounds = ring_reduce_scatter(arrays).chunk_bounds
    if all(_same(one, array[first:stop]) for one, array, (first, stop) in zip(got, arrays, bounds)):
        return "Every worker returned its own numbers: nothing has been added."
    if _same(own * world_size, right):
        return "That is the mean. A reduce-scatter gives the sum unless it is asked for the mean."
    counts = _whose(arrays, place, own[index])
    if counts:
        return _says_whose(counts)
    for number, (first, stop) in enumerate(bounds):
        counts = _whose(arrays, first + index, own[index]) if stop - first == len(own) else None
        if counts and set(counts) == {1}:
            return f"That is the sum of chunk {number}; worker {worker} needs chunk {worker}."
        if counts:
            steps = "Is there a step too many? N-1 are enough." if max(counts) > 1 else "Is a step missing?"
            return f"It comes from chunk {number}. {_says_whose(counts)} {steps}"
    if _mixed(arrays, own):
        return "Numbers of different chunks have been added: what arrives belongs to the chunk that the left one sent."
    return None


def _whose(arrays, place, got):
    """How often each worker's number is in this one: [1, 0, 2]; None where that cannot be told."""
    if len(arrays) > 5 or arrays[0].dtype.kind not in "iu" or isinstance(got, (bool, np.bool_)) or got != got:
        return None
    numbers = [array[place].item() for array in arrays]
    found = [
        counts
        for counts in product(range(3), repeat=len(arrays))
        if sum(count * number for count, number in zip(counts, numbers)) == got
    ]
    return list(found[0]) if len(found) == 1 else None


def _says_whose(counts):
    """The workers that are missing in a sum, and those that are in it twice."""
    parts = []
    for count, words in ((0, ("is missing", "are missing")), (2, ("is counted twice", "are counted twice"))):
        ranks = [str(rank) for rank, times in enumerate(counts) if times == count]
        if ranks:
            numbers = "number" if len(ranks) == 1 else "numbers"
            workers = "worker " + ranks[0] + "'s" if len(ranks) == 1 else "workers " + " and ".join(ranks)
            of = f"{workers} {numbers}" if len(ranks) == 1 else f"the {numbers} of {workers}"
            parts.append(f"{of} {words[len(ranks) > 1]}")
    said = ", and ".join(parts)
    return f"In yours {said}." if said else None


def _mixed(arrays, piece):
    """Whether this is a sum of numbers from chunks with different numbers: of one chunk, or none, of each worker."""
    world_size = len(arrays)
    if world_size > 3 or len(arrays[0]) % world_size or len(arrays[0]) // world_size != len(piece):
        return False
    parts = [[*np.array_split(array, world_size), np.zeros_like(piece)] for array in arrays]
    return any(_same(sum(choice), piece) for choice in product(*parts))


def _text(number):
    number = np.asarray(number)[()]
    return str(number.item()) if number.dtype.kind in "iu" else f"{number.item():.6g}"


def _same(one, other):
    return one.shape == other.shape and bool(np.allclose(one.astype(float), other.astype(float), rtol=1e-5, atol=1e-6))


def _powers(rng, workers, length):
    """Worker 0 has units, worker 1 tens, worker 2 hundreds: each sum shows who is in it."""
    return [rng.integers(1, 5, length) * 10**rank for rank in range(workers)]
