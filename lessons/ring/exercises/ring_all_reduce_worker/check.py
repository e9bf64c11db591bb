"""Checks ring_all_reduce_worker: what every worker returns, and what each of them sent."""

from itertools import product

import numpy as np

from simlib.collectives import ring_all_reduce

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
    """The sum, on every worker."""
    return ring_all_reduce(arguments["array"]).result


def bill(arguments):
    """What a ring sends; not judged where chunks are of unequal length, since other cuts are as good."""
    trace = ring_all_reduce(arguments["array"])
    if len(arguments["array"][0]) % arguments["world_size"]:
        return None
    return {"bytes_sent": trace.bytes_sent, "messages_sent": trace.messages_sent, "steps": trace.last_step}


def explain_bill(arguments, engine, yours):
    """Where the bytes too many come from."""
    size, most = arguments["array"][0].nbytes, max(yours["bytes_sent"])
    if yours["bytes_sent"].count(most) == 1:
        return "One worker does the work of all, and its link is the slow one: let every worker send to its neighbour."
    if most % size == 0:
        return "Whole arrays are sent: send one chunk a step, 1/N of the array."
    return "A ring sends one chunk a step, in N-1 steps that add and N-1 that copy."


def explain(arguments, expected, got, difference):
    """The first wrong number by worker, chunk and index, and whose numbers are in it."""
    arrays = arguments["array"]
    if not isinstance(got, list) or len(got) != len(arrays):
        return None
    for worker, (right, own) in enumerate(zip(expected, got)):
        if isinstance(own, list) and len(own) == len(arrays) and all(isinstance(part, np.ndarray) for part in own):
            return {
                "kind": "wrong_type",
                "reason": f"Worker {worker} returned its {len(own)} chunks in a list. Return one array: numpy.concatenate joins them.",
            }
        if not isinstance(own, np.ndarray) or own.shape != right.shape or own.dtype.kind not in "iuf":
            return None
        if not _same(own, right):
            return _difference(arrays, worker, right, own, got)
    return None


def _difference(arrays, worker, right, own, got):
    trace = ring_all_reduce(arrays)
    wrong = ~np.isclose(own.astype(float), right.astype(float), rtol=1e-5, atol=1e-6)
    place = int(np.argmax(wrong))
    chunk = next(c for c, (first, stop) in enumerate(trace.chunk_bounds) if first <= place < stop)
    first, stop = trace.chunk_bounds[chunk]
    index = place - first
    at = f"Worker {worker}, chunk {chunk}" + (f", index {index}" if stop - first > 1 else "")
    said = f"{at}: expected {_text(right[place])}, yours {_text(own[place])}."
    slip = _slip(arrays, worker, right, own, got, place)
    dtype = {"dtype": "float32"} if arrays[0].dtype == np.float32 else {}
    return {
        "kind": None,
        "reason": " ".join(filter(None, [said, slip])),
        "first_difference": {
            "phase": "all-gather",
            "step": trace.last_step,
            "worker": worker,
            "chunk": chunk,
            "index": index,
            "expected": right[place],
            "got": own[place],
        },
        "picture": {
            "topic": "all-reduce",
            "parameters": {"algorithm": "ring", "values": [array.tolist() for array in arrays]} | dtype,
            "step": trace.last_step,
            "cell": {"worker": worker, "chunk": chunk, "index": index},
            "yours": own[place].item() if np.isfinite(own[place]) else str(own[place]),
            # What the workers held on the way is not known: they return the end
            "own": {"states": [None] * (trace.last_step - 1) + [[_numbers(one) for one in got]]},
        },
    }


def _slip(arrays, worker, right, own, got, place):
    """What the arrays look like; None if nothing that is known."""
    world_size = len(arrays)
    if all(_same(one, array) for one, array in zip(got, arrays)):
        return "Every worker returned what it started with: nothing has been added."
    if _same(own * world_size, right):
        return "That is the mean. An all-reduce gives the sum unless it is asked for the mean."
    bounds = ring_all_reduce(arrays).chunk_bounds
    wrong = [c for c, (first, stop) in enumerate(bounds) if not _same(own[first:stop], right[first:stop])]
    counts = _whose(arrays, place, own[place])
    half = all(_right_chunks(one, right, bounds) == [(rank + 1) % world_size] for rank, one in enumerate(got))
    if half and counts and max(counts) < 2:
        return "Each worker has one finished chunk: that is the reduce-scatter. The all-gather, N-1 steps, is missing."
    if counts is None and _other_gather(arrays, got):
        return (
            "The reduce-scatter is right. In the all-gather worker r first sends chunk (r+1) mod N, which is finished, and "
            "what arrives is chunk r; each step on, both are one lower."
        )
    if counts is None and _mixed(arrays, own[: bounds[0][1]]):
        return "Numbers of different chunks have been added: what arrives has the number that the left one sent."
    parts = [_says_whose(counts) if counts else None]
    if counts and max(counts) > 1:
        parts.append("What arrives in the all-gather is a finished sum: it replaces the chunk.")
    elif counts and sum(counts) == 1 and not _right_chunks(own, right, bounds):
        parts.append(
            "After N-1 steps that add, chunk (r+1) mod N is finished on worker r: print them there, and go on from it."
        )
    elif len(wrong) == 1 and world_size > 2:
        parts.append("Its other chunks are right: is the last step missing?")
    return " ".join(filter(None, parts)) or None


def _other_gather(arrays, got):
    """Whether a right reduce-scatter and an all-gather with wrong numbers of chunks end like this."""
    world_size = len(arrays)
    finished = ring_all_reduce(arrays).state(world_size - 1)
    for sends, takes in product(range(-1, 3), repeat=2):
        if (sends, takes) == (1, 0):
            continue
        chunks = [np.array_split(array, world_size) for array in finished]
        for step in range(world_size - 1):
            sent = [chunks[rank][(rank - step + sends) % world_size] for rank in range(world_size)]
            for rank in range(world_size):
                chunks[rank][(rank - step + takes) % world_size] = sent[rank - 1]
        ends = [np.concatenate(parts) for parts in chunks]
        if all(one.shape == other.shape and _same(one, other) for one, other in zip(ends, got)):
            return True
    return False


def _right_chunks(own, right, bounds):
    pieces = ((number, own[first:stop], right[first:stop]) for number, (first, stop) in enumerate(bounds))
    return [number for number, mine, sums in pieces if _same(mine, sums)]


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


def _numbers(array):
    return array.tolist() if isinstance(array, np.ndarray) else array


def _text(number):
    number = np.asarray(number)[()]
    return str(number.item()) if number.dtype.kind in "iu" else f"{number.item():.6g}"


def _same(one, other):
    return one.shape == other.shape and bool(np.allclose(one.astype(float), other.astype(float), rtol=1e-5, atol=1e-6))


def _powers(rng, workers, length):
    """Worker 0 has units, worker 1 tens, worker 2 hundreds: each sum shows who is in it."""
    return [rng.integers(1, 5, length) * 10**rank for rank in range(workers)]
