"""Programs that go wrong, each in its own way: what the learner is told is tested."""

import ctypes
import os


def raises(worker, array):
    print("hello from", worker.rank)
    if worker.rank == 2:
        array[len(array)]
    return worker.recv(src=(worker.rank + 1) % worker.world_size)


def leaves(worker, array):
    if worker.rank == 1:
        os._exit(3)
    return worker.recv(src=(worker.rank + 1) % worker.world_size)


def is_killed(worker, array):
    if worker.rank == 1:
        getattr(ctypes.CDLL(None), "raise")(9)
    return worker.recv(src=(worker.rank + 1) % worker.world_size)


def crashes(worker, array):
    if worker.rank == 3:
        ctypes.string_at(0)
    return worker.recv(src=(worker.rank + 1) % worker.world_size)


def loops(worker, array):
    while worker.rank == 1:
        pass
    return worker.recv(src=(worker.rank + 1) % worker.world_size)


def all_send_first(worker, array):
    worker.send(array, dst=(worker.rank + 1) % worker.world_size)
    return worker.recv(src=(worker.rank - 1) % worker.world_size)


def one_skips_a_collective(worker, array):
    return array if worker.rank == 3 else worker.all_reduce(array)


def not_the_same_call(worker, array):
    if worker.rank == 1:
        worker.barrier()
    return worker.all_gather(array)


def nobody_receives(worker, array):
    worker.isend(array, dst=(worker.rank + 1) % worker.world_size)
    return array


def sends_words(worker, array):
    worker.send("hello", dst=(worker.rank + 1) % worker.world_size)


def unlike_arrays(worker, array):
    return worker.all_reduce(array[worker.rank :])
