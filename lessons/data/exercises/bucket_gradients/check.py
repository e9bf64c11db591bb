"""Checks bucket_gradients against the engine's buckets, and names known slips."""

from itertools import zip_longest

import numpy as np

from simlib.data_parallel import BUCKET_BYTES, FIRST_BUCKET_BYTES, buckets

MIB = 2**20
DDP = {"first_cap": FIRST_BUCKET_BYTES, "cap": BUCKET_BYTES}


def cases(seed):
    """Layers of one size with DDP's own caps, unequal ones, caps that are reached exactly, and one gradient."""
    rng = np.random.default_rng(seed)
    layers, each = int(rng.integers(7, 12)), int(rng.integers(9, 12))
    yield f"{layers} gradients of {each} MiB", {"sizes": [each * MIB] * layers} | DDP, None
    yield "8 gradients of 4 MiB", {"sizes": [4 * MIB] * 8} | DDP, None
    mixed = [MIB, MIB, 30 * MIB, MIB // 2, MIB // 2, MIB // 4]
    yield "a large gradient among small ones", {"sizes": mixed} | DDP, None
    yield "bytes that reach the cap exactly", {"sizes": [100] * 10, "first_cap": 100, "cap": 200}, None
    yield "a byte short of the cap", {"sizes": [100] * 10, "first_cap": 101, "cap": 201}, None
    wide = [int(size) for size in rng.integers(1, 40, int(rng.integers(20, 30)))]
    yield f"{len(wide)} gradients of all sizes", {"sizes": wide, "first_cap": 10, "cap": 60}, None
    yield "everything in the first bucket", {"sizes": [1, 2, 3], "first_cap": 100, "cap": 5}, None
    yield "one gradient", {"sizes": [3 * MIB]} | DDP, None


def expected(arguments):
    """The engine's buckets, with the numbers that the model gives its parameters."""
    sizes = arguments["sizes"]
    ready = buckets(sizes[::-1], arguments["first_cap"], arguments["cap"])
    return [[len(sizes) - 1 - place for place in bucket] for bucket in ready]


def called(path):
    """What a part of the result is called."""
    return f"bucket {path[0]}"


def explain(arguments, expected, got, difference):
    """The first bucket that differs, and the slip that it looks like."""
    yours = _buckets(got)
    if yours is None:
        if isinstance(got, (list, tuple)) and len(got) and all(isinstance(entry, int) for entry in got):
            reason = "This is one list of numbers. Return a list of buckets, each a list of parameter numbers."
            return {"kind": "wrong_type", "reason": reason, "first_difference": None}
        return None
    place = next((at for at, (one, other) in enumerate(zip(expected, yours)) if one != other), None)
    if place is None and len(yours) == len(expected):
        return None
    place = min(len(yours), len(expected)) if place is None else place
    right, own = (found[place] if place < len(found) else None for found in (expected, yours))
    said = f"Bucket {place}: expected {_told(arguments, right)}, yours {_told(arguments, own)}."
    slip = _slip(arguments, expected, yours) or _members(arguments, yours)
    at = next((at for at, (one, other) in enumerate(zip_longest(right or [], own or [])) if one != other), 0)
    wanted, given = (found[at] if found and at < len(found) else None for found in (right, own))
    found = {"index": [place, at], "expected": wanted, "got": given}
    if wanted == given:  # an empty bucket, in which no number differs
        found = {"index": place, "expected": right, "got": own}
    return {
        "kind": None,
        "reason": f"{said} {slip}" if slip else said,
        "path": (place, at),
        "first_difference": found,
    }


def _buckets(got):
    """The buckets as lists of whole numbers; None for what has another form."""
    if not isinstance(got, (list, tuple)):
        return None
    found = [bucket.tolist() if isinstance(bucket, np.ndarray) else bucket for bucket in got]
    if not all(isinstance(bucket, (list, tuple)) and all(type(entry) is int for entry in bucket) for bucket in found):
        return None
    return [list(bucket) for bucket in found]


def _told(arguments, bucket):
    """A bucket in words: its first numbers and its bytes."""
    if bucket is None:
        return "no such bucket"
    if not bucket:
        return "an empty bucket"
    shown = ", ".join(map(str, bucket[:6])) + (", …" if len(bucket) > 6 else "")
    sizes = arguments["sizes"]
    if any(not 0 <= number < len(sizes) for number in bucket):
        return f"[{shown}]"
    total = sum(sizes[number] for number in bucket)
    return f"[{shown}] with {f'{total / MIB:g} MiB' if total >= MIB / 8 else f'{total} bytes'}"


def _slip(arguments, expected, yours):
    """Which wrong rule makes these buckets; None if none that is known does."""
    sizes, first_cap, cap = arguments["sizes"], arguments["first_cap"], arguments["cap"]
    count = len(sizes)
    backward = range(count - 1, -1, -1)
    rules = [
        (
            [list(range(count))],
            "All gradients travel in one bucket, which is ready when the backward pass is over: nothing is hidden.",
        ),
        (
            [list(backward)],
            "All gradients travel in one bucket. It closes when its bytes have reached its cap: add up sizes[number].",
        ),
        (
            buckets(sizes, first_cap, cap),
            "Yours begin with parameter 0. Backward the last layer is ready first: go from the last parameter to the first, "
            "and give the model's own numbers.",
        ),
        (
            [[count - 1 - number for number in bucket] for bucket in expected],
            "The buckets are right, but these are places in the reversed list. Give the numbers of the model's own order.",
        ),
        ([sorted(bucket) for bucket in expected], "Within a bucket the gradient that is ready first comes first."),
        (expected[::-1], "The bucket that is ready first comes first: the last layers' bucket."),
        ([[sizes[number] for number in bucket] for bucket in expected], "These are sizes. Return parameter numbers."),
        (
            _filled(sizes, backward, first_cap, cap, over=True),
            "You close a bucket before it would exceed its cap. DDP closes it once the cap is reached, with the gradient "
            "that reached it inside.",
        ),
        (
            _filled(sizes, backward, first_cap, cap, beyond=True),
            "You close a bucket when it exceeds its cap. It is closed as soon as its bytes have reached the cap.",
        ),
        (
            [[number] for number in backward],
            "Each gradient travels alone in yours: every bucket but the first is filled until it reaches `cap`.",
        ),
        (_filled(sizes, backward, cap, cap), "Your first bucket has the cap of the others; it has a cap of its own."),
        (_filled(sizes, backward, first_cap, first_cap), "The first cap is for the first bucket; all others have `cap`."),
        (expected[:-1], "The last bucket is missing: what is left at the end travels too, full or not."),
        ([*expected, []], "There is an empty bucket at the end: open one when a gradient needs it."),
        ([[], *expected], "There is an empty bucket at the beginning: the first gradient goes into the first bucket."),
        (_never_emptied(sizes, backward, first_cap, cap), "Count the bytes of each bucket from 0 again."),
    ]
    return next((words for buckets_, words in rules if yours == buckets_ and yours != expected), None)


def _filled(sizes, order, first_cap, cap, over=False, beyond=False):
    """Buckets by a rule that may be wrong: closed before they exceed the cap, or only when they do."""
    found, held = [], 0
    for number in order:
        limit = first_cap if len(found) <= 1 else cap
        full = held + sizes[number] > limit if over else held > limit if beyond else held >= limit
        if not found or full:
            found.append([])
            held = 0
        found[-1].append(number)
        held += sizes[number]
    return found


def _never_emptied(sizes, order, first_cap, cap):
    """Buckets when the bytes go on from bucket to bucket."""
    found, held = [[]], 0
    for number in order:
        if held >= (first_cap if len(found) == 1 else cap):
            found.append([])
        found[-1].append(number)
        held += sizes[number]
    return found


def _members(arguments, yours):
    """A parameter that is in no bucket, in two, or does not exist."""
    numbers = [number for bucket in yours for number in bucket]
    count = len(arguments["sizes"])
    odd = next((number for number in numbers if not 0 <= number < count), None)
    if odd is not None:
        return f"There is no parameter {odd}: they are numbered from 0 to {count - 1}."
    missing = [number for number in range(count) if number not in numbers]
    if missing:
        return f"Parameter {missing[-1]} is in no bucket."
    twice = next((number for number in numbers if numbers.count(number) > 1), None)
    return None if twice is None else f"Parameter {twice} is in two buckets."
