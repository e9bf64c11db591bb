"""Asks for the all-reduce instead of writing it."""


def ring_all_reduce_worker(worker, array):
    return worker.all_reduce(array)
