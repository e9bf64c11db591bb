"""A program that makes every call, with several dtypes and shapes: what it returns must not depend on the engine."""

import numpy as np


def every_call(worker, array):
    rank, world_size = worker.rank, worker.world_size
    right, left = (rank + 1) % world_size, (rank - 1) % world_size
    found = []
    if rank % 2 == 0:
        worker.send(array, dst=right)
        found.append(worker.recv(src=left))
    else:
        found.append(worker.recv(src=left))
        worker.send(array, dst=right)
    found.append(worker.sendrecv(np.arange(6, dtype=np.int16).reshape(2, 3) * rank, dst=right, src=left))
    found.append(worker.sendrecv(7 + rank, dst=left, src=right))
    found.append(worker.sendrecv(np.zeros((0, 2)), dst=left, src=right))
    found.append(worker.sendrecv(np.arange(4.0)[::2] * rank, dst=left, src=right))
    # All send and ask first, and wait later: whoever sends must not depend on when the other waits
    others = [other for other in range(world_size) if other != rank]
    sends = [worker.isend(array * other, dst=other) for other in others]
    asked = [worker.irecv(src=other) for other in others]
    sends += [worker.isend([True, False], dst=right)]
    asked += [worker.irecv(src=left)]
    found += [send.wait() for send in sends]
    found += [request.wait() for request in asked]
    pending = worker.irecv(src=left)
    worker.isend(array, dst=right).wait()
    worker.barrier()
    found += [pending.wait(), pending.wait()]
    for op in ("sum", "mean", "max"):
        found.append(worker.all_reduce(array, op=op))
        found.append(worker.all_reduce(np.arange(5, dtype=np.int32) + rank, op=op))
        found.append(worker.reduce_scatter(np.arange(10.0).reshape(2, 5) * rank, op=op))
        found.append(worker.reduce(array, op=op, root=1))
    found.append(worker.all_reduce(np.float16([1, 2]) * rank))
    found.append(worker.all_gather(np.full((rank + 1, 2), rank, np.float32)))
    found.append(worker.all_to_all(np.arange(2 * world_size) + 10 * rank))
    found.append(worker.broadcast(array + rank if rank == 2 else None, root=2))
    pieces = [np.arange(other + 1) for other in range(world_size)] if rank == 1 else None
    found.append(worker.scatter(pieces, root=1))
    found.append(worker.gather(np.full(rank + 1, rank), root=3))
    return found
