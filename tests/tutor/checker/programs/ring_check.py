import numpy as np

from simlib.collectives import ring_all_reduce


def cases(seed):
    rng = np.random.default_rng(seed)
    for workers in (2, 3, 1):
        yield f"{workers} workers", {"world_size": workers, "array": list(rng.integers(0, 99, (workers, 6)))}, None


def expected(arguments):
    return [sum(arguments["array"])] * arguments["world_size"]


def bill(arguments):
    trace = ring_all_reduce(arguments["array"])
    return {"bytes_sent": trace.bytes_sent, "messages_sent": trace.messages_sent}
