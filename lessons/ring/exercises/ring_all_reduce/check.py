"""Checks ring_all_reduce against the engine's trace, and names known slips."""

import numpy as np

from simlib.collectives import ring_all_reduce


def cases(seed):
    """From three workers with a number for each chunk to lengths that N does not divide, and to one worker."""
    rng = np.random.default_rng(seed)
    yield "3 workers, 3 numbers", {"arrays": _powers(rng, 3)}, None
    yield "4 workers, 8 numbers", {"arrays": _whole(rng, 4, 8)}, None
    yield "2 workers, 2 numbers", {"arrays": _whole(rng, 2, 2)}, None
    yield "3 workers, 7 numbers", {"arrays": _whole(rng, 3, 7)}, None
    yield "5 workers, 3 numbers", {"arrays": _whole(rng, 5, 3)}, None
    yield "3 workers, 6 floats", {"arrays": [rng.normal(size=6).round(3) for _ in range(3)]}, None
    single = [rng.normal(size=5).astype(np.float32) for _ in range(4)]
    yield "4 workers, 5 floats of 32 bits", {"arrays": single}, None
    workers, length = int(rng.integers(6, 9)), int(rng.integers(10, 30))
    yield f"{workers} workers, {length} numbers", {"arrays": _whole(rng, workers, length)}, None
    yield "1 worker", {"arrays": _whole(rng, 1, 4)}, None


def _powers(rng, workers):
    """Worker 0 has units, worker 1 tens, worker 2 hundreds: each sum shows who is in it."""
    return [rng.permutation(9)[:workers].astype(np.int64) * 10**rank + 10**rank for rank in range(workers)]


def _whole(rng, workers, length):
    return [rng.integers(-99, 1000, length) for _ in range(workers)]


def expected(arguments):
    """Every worker's array after each step."""
    trace = ring_all_reduce(arguments["arrays"])
    return [trace.state(step) for step in range(1, trace.last_step + 1)]


def explain(arguments, expected, got, difference):
    """The first difference by phase, step, worker and chunk, and the slip that it looks like."""
    arrays = arguments["arrays"]
    if len(arrays) == 1:
        return {"reason": "With one worker there is nothing to send and no step: return an empty list."}
    if not isinstance(got, (list, tuple, np.ndarray)):
        return None
    if _is_state(got, arrays):
        return {
            "kind": "wrong_shape",
            "reason": f"This is one array for each worker, the state at one moment. Return the states after each of "
            f"the {len(expected)} steps: a list of {len(expected)} lists of {len(arrays)} arrays.",
        }
    states = _states(got, arrays)
    if states is None:
        return _not_states(got, arrays, expected)
    return _slip_of_all(states, arrays, expected) or _slip_of_one(states, arrays, expected, difference)


def _is_state(value, arrays):
    """Whether this is a list of N arrays of the right length."""
    is_list = isinstance(value, (list, tuple)) or (isinstance(value, np.ndarray) and value.ndim == 2)
    return is_list and len(value) == len(arrays) and all(map(_is_row, value, arrays))


def _is_row(value, array):
    return isinstance(value, np.ndarray) and value.shape == array.shape and value.dtype.kind in "iuf"


def _states(got, arrays):
    return list(got) if len(got) and all(_is_state(state, arrays) for state in got) else None


def _not_states(got, arrays, expected):
    """What has another form than a list of lists of arrays; None leaves it to the comparison's own words."""
    if len(got) == 0:
        return {"reason": f"The list is empty; there are {len(expected)} steps, and each has its entry."}
    for number, state in enumerate(got, 1):
        if isinstance(state, (list, tuple)) and len(state) != len(arrays):
            reason = f"Entry {number} has {_count(len(state), 'array')}; each of the {len(arrays)} workers has one."
            return {"kind": "wrong_shape", "reason": reason}
        for rank, row in enumerate(state if isinstance(state, (list, tuple)) else []):
            if isinstance(row, np.ndarray) and row.shape != arrays[rank].shape:
                reason = f"In entry {number} worker {rank}'s array has shape {row.shape}; it starts with {arrays[rank].shape}."
                return {"kind": "wrong_shape", "reason": reason}
    return None


def _slip_of_all(states, arrays, expected):
    """Slips that show in the list as a whole."""
    steps = len(expected)
    if len(states) > 1 and all(_same(state, states[0]) for state in states) and not _same(states[0], arrays):
        return {
            "first_difference": None,
            "reason": f"All {len(states)} entries are the same. Each step moves one chunk a worker. If yours do that in arrays "
            "that you go on changing, every entry shows how they end: append copies of them.",
        }
    if _same(states[0], arrays) and not _same(expected[0], arrays) and len(states) > 1 and _same(states[1], expected[0]):
        return {
            "first_difference": None,
            "reason": "The list begins with what the workers start with. Its first entry is the state after step 1.",
        }
    agreed = next((i for i, (one, other) in enumerate(zip(states, expected)) if not _same(one, other)), None)
    if agreed is None and len(states) != steps:
        return {"reason": f"What is there is right. {_steps(states, arrays)}"}
    return None


def _steps(states, arrays):
    """What is wrong with the number of steps; nothing where it is right."""
    half = len(arrays) - 1
    if len(states) == 2 * half:
        return ""
    why = "That is the reduce-scatter; the all-gather is missing." if len(states) == half else "It takes N-1 a phase."
    return f"You return {_count(len(states), 'step')}; a ring of {len(arrays)} workers takes {2 * half}. {why}"


def _slip_of_one(states, arrays, expected, difference):
    """The first number that differs, with what it looks like."""
    trace = ring_all_reduce(arrays)
    for number, (state, right) in enumerate(zip(states, expected), 1):
        if _same(state, right):
            continue
        worker = next(rank for rank in range(len(arrays)) if not _same_row(state[rank], right[rank]))
        wrong = ~np.isclose(state[worker].astype(float), right[worker].astype(float), rtol=1e-6, atol=1e-6)
        place = int(np.argmax(wrong))
        chunk = next(c for c, (first, stop) in enumerate(trace.chunk_bounds) if first <= place < stop)
        within = place - trace.chunk_bounds[chunk][0]
        steps = _steps(states, arrays)
        said = _difference(trace, arrays, number, worker, chunk, within, right[worker][place], state, place, steps)
        said["picture"]["own"] = {"states": [[row.tolist() for row in state] for state in states[: 2 * len(expected)]]}
        return said
    if difference["kind"] == "wrong_type":
        return {
            "kind": "wrong_type",
            "reason": "The numbers are right, but they came back as floats, and the arrays hold whole numbers. Keep the "
            "arrays' own type: numpy.zeros and numpy.empty make floats unless told otherwise.",
        }
    return None


def _difference(trace, arrays, number, worker, chunk, within, right, state, place, steps):
    step = trace.steps[number - 1]
    world_size, half = len(arrays), len(arrays) - 1
    yours = state[worker][place]
    in_phase = number if number <= half else number - half
    first, stop = trace.chunk_bounds[chunk]
    at = f"{step.phase} step {in_phase}, worker {worker}, chunk {chunk}" + (f", index {within}" if stop - first > 1 else "")
    if number > half:
        at = at.replace(f"step {in_phase}", f"step {in_phase} (step {number} of {2 * half})")
    slip = _slip(trace.state(number - 1), state, number, world_size) or _other_chunks(trace, arrays, number, state)
    if slip is None and yours == trace.state(number - 1)[worker][place]:
        slip = f"Worker {worker} should have received it from worker {(worker - 1) % world_size} in this step."
    if slip is None and right == trace.state(number - 1)[worker][place]:
        slip = f"Worker {worker} receives another chunk in this step, and this one stays as it was."
    dtype = {"dtype": "float32"} if arrays[0].dtype == np.float32 else {}
    return {
        "kind": None,
        "reason": " ".join(filter(None, [f"{at}: expected {_text(right)}, yours {_text(yours)}.", slip, steps])),
        "first_difference": {
            "phase": step.phase,
            "step": number,
            "worker": worker,
            "chunk": chunk,
            "index": within,
            "expected": right,
            "got": yours,
        },
        "picture": {
            "topic": "all-reduce",
            "parameters": {"algorithm": "ring", "values": [array.tolist() for array in arrays]} | dtype,
            "step": number,
            "cell": {"worker": worker, "chunk": chunk, "index": within},
            "yours": yours.item() if np.isfinite(yours) else str(yours),
        },
    }


def _slip(before, state, number, world_size):
    """Which wrong rule makes this state of the one before it; None if none that is known does."""
    if _same(state, before):
        return "Nothing has moved in this step. A sum in a new array is in no worker's array until it is put there."
    adding = number < world_size
    rules = [
        (
            {"adding": not adding},
            "The receiver put what arrived in the place of its own chunk; a reduce-scatter step adds the two."
            if adding
            else "The receiver added what arrived. It is a finished sum already: an all-gather step copies it.",
        ),
        *([({"larger": True}, "The receiver kept the larger number; an all-reduce adds the two.")] if adding else []),
        (
            {"direction": -1},
            "Every worker received from its right neighbour; in this ring chunks travel to the right, from worker i "
            "to worker i+1.",
        ),
    ]
    for by in sorted(range(1 - world_size, world_size), key=abs):
        how = f"{abs(by)} too {'high' if by > 0 else 'low'}"
        sent = (1 - number) % world_size
        rule = f"in this step worker 0 sends chunk {sent}, worker 1 chunk {(sent + 1) % world_size}, and so on."
        if by == number - 1 > 0 and adding:
            words = "Every worker sent its own chunk again; after step 1 it sends on the chunk that it has just received."
            rules.append(({"offset": by}, words))
        rules.append(({"offset": by}, f"Every worker sent a chunk numbered {how}: {rule}"))
    for rule, words in rules:
        changed = {"adding": adding, "direction": 1, "offset": 0} | rule
        if changed["offset"] == 0 and "offset" in rule:
            continue
        if _same(_next(before, number, _bounds(len(before[0]), world_size), **changed), state):
            return words
    return None


def _other_chunks(trace, arrays, number, state):
    """Whether the right rule with chunks cut in another way makes this state."""
    world_size, length = len(arrays), len(arrays[0])
    if length % world_size == 0:
        return None
    floor, ceiling = length // world_size, -(-length // world_size)
    rest_left = [(c * floor, (c + 1) * floor) for c in range(world_size)]
    rest_last = [*rest_left[:-1], (rest_left[-1][0], length)]
    full_first = [(min(length, c * ceiling), min(length, (c + 1) * ceiling)) for c in range(world_size)]
    one_longer_last = [((length * c) // world_size, (length * (c + 1)) // world_size) for c in range(world_size)]
    lengths = ", ".join(str(stop - first) for first, stop in trace.chunk_bounds)
    for bounds in (rest_left, rest_last, full_first, one_longer_last):
        before = arrays
        for step in range(1, number + 1):
            before = _next(before, step, bounds, adding=step < world_size)
        if _same(before, state):
            yours = ", ".join(str(stop - first) for first, stop in bounds)
            return f"Your chunks are {yours} long; numpy.array_split cuts {length} numbers into {lengths}."
    return None


def _bounds(length, world_size):
    stops = np.cumsum([len(part) for part in np.array_split(np.arange(length), world_size)]).tolist()
    return list(zip([0, *stops[:-1]], stops))


def _next(before, number, bounds, adding, direction=1, offset=0, larger=False):
    """The state after step `number` by a rule that may be wrong."""
    world_size = len(before)
    after = [array.copy() for array in before]
    for worker in range(world_size):
        first, stop = bounds[(worker - number + 1 + offset) % world_size]
        receiver = after[(worker + direction) % world_size]
        sent = before[worker][first:stop]
        together = np.maximum if larger else np.add
        receiver[first:stop] = together(receiver[first:stop], sent) if adding else sent
    return after


def _same(one, other):
    return all(map(_same_row, one, other))


def _same_row(one, other):
    return bool(np.allclose(one.astype(float), other.astype(float), rtol=1e-6, atol=1e-6))


def _text(number):
    return str(number.item()) if number.dtype.kind in "iu" else f"{number.item():.6g}"


def _count(count, thing):
    return f"{count} {thing}" if count == 1 else f"{count} {thing}s"
