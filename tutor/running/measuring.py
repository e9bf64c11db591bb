"""What messages of several sizes take on this machine, measured in the run itself: every rank calls `sweep`.

A round is so many messages in a row without a pause, its time divided by their number. Of several rounds the fastest
counts: the others say what else the machine was doing.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from tutor.running.transport import Transport

SIZES = (8, 512, 4096, 32768, 262144, 1048576)  # bytes
PAIR, EVERYBODY, ALL_REDUCE = "pair", "everybody", "all_reduce"
_ROUNDS = 9
_MESSAGES_FOR_BYTES = 1 << 20  # so many bytes go into a round, but
_MOST, _LEAST = 12, 2  # messages


def sweep(transport: Transport) -> dict[str, list[list[float]]]:
    """Pairs (bytes, seconds) of a message between ranks 0 and 1 alone, of one to every right neighbour at the same
    time, and of the library's all-reduce. With one rank there is nothing to measure."""
    if transport.world_size == 1:
        return {}
    found: dict[str, list[list[float]]] = {PAIR: [], EVERYBODY: [], ALL_REDUCE: []}
    right, left = (transport.rank + 1) % transport.world_size, (transport.rank - 1) % transport.world_size
    for size in SIZES:
        array = np.zeros(size // 8)
        found[PAIR].append([size, _pair(transport, array)])

        def shift(array: Any = array) -> None:
            transport.sendrecv(array, right, left)

        def reduce(array: Any = array) -> None:
            transport.all_reduce(array, "sum")

        found[EVERYBODY].append([size, _fastest(transport, shift, size)])
        found[ALL_REDUCE].append([size, _fastest(transport, reduce, size)])
    return found


def messages(size: int) -> int:
    """How many messages of `size` bytes make a round."""
    return max(_LEAST, min(_MOST, _MESSAGES_FOR_BYTES // size))


def _fastest(transport: Transport, call: Callable[[], None], size: int) -> float:
    rounds = []
    call()  # the first one sets up what the others use
    for _ in range(_ROUNDS):
        transport.agree(b" ")
        began = time.perf_counter()
        for _ in range(messages(size)):
            call()
        rounds.append((time.perf_counter() - began) / messages(size))
    return min(rounds)


def _pair(transport: Transport, array: Any) -> float:
    """Ranks 0 and 1 in turn; the others keep no core busy meanwhile."""
    if transport.rank > 1:
        transport.recv_at_rest(0)
        return 0.0

    def there_and_back() -> None:
        if transport.rank == 0:
            transport.send(array, 1)
            transport.recv(1)
        else:
            array_back = transport.recv(0)
            transport.send(array_back, 0)

    rounds = []
    there_and_back()
    for _ in range(_ROUNDS):
        began = time.perf_counter()
        for _ in range(messages(array.nbytes)):
            there_and_back()
        rounds.append((time.perf_counter() - began) / messages(array.nbytes) / 2)
    if transport.rank == 0:
        for rank in range(2, transport.world_size):
            transport.send(np.zeros(1), rank)
    return min(rounds)
