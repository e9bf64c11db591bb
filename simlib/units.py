"""Decimal and binary units: card makers print GB, some tools print GiB, and a few print GiB and write "GB"."""

from __future__ import annotations

KB, MB, GB, TB = 10**3, 10**6, 10**9, 10**12
KIB, MIB, GIB, TIB = 2**10, 2**20, 2**30, 2**40


def gib(size: float) -> float:
    """`size` bytes in GiB (2**30 bytes).

    >>> round(gib(83e9), 1)      # 83 GB fit on a card of 80 GiB
    77.3
    """
    return size / GIB
