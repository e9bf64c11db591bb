"""Cases of all_sums, from the simplest to the hardest."""

import numpy as np


def cases(seed):
    yield "two workers, two numbers", {"arrays": [np.array([1, 2]), np.array([10, 20])]}, None
    random = np.random.default_rng(seed)
    yield "three workers", {"arrays": [random.integers(1, 9, 3) for _ in range(3)]}, None


def expected(arguments):
    total = np.sum(arguments["arrays"], axis=0)
    return [total for _ in arguments["arrays"]]


def explain(arguments, expected, got, difference):
    arrays = arguments["arrays"]
    for worker, (right, mine) in enumerate(zip(expected, got, strict=True)):
        for chunk, (value, typed) in enumerate(zip(right, mine, strict=True)):
            if value != typed:
                return {
                    "reason": f"worker {worker}, chunk {chunk}: expected {value}, yours {typed}",
                    "first_difference": {"worker": worker, "chunk": chunk, "expected": int(value), "got": int(typed)},
                    "picture": {
                        "topic": "all-reduce",
                        "parameters": {"values": [array.tolist() for array in arrays]},
                        "step": 2 * (len(arrays) - 1),
                        "cell": {"worker": worker, "chunk": chunk, "index": 0},
                        "yours": int(typed),
                    },
                }
    return {}
