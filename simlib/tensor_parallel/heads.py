"""Attention over t GPUs: whole heads, equally many on each. No NumPy.

Sources: Shoeybi et al. 2019, "Megatron-LM", section 3; Ainslie et al. 2023, "GQA" (query heads that share keys and
values).
"""

from __future__ import annotations

from typing import NamedTuple

from simlib.errors import BadArgument, whole_number


class HeadShare(NamedTuple):
    """The heads of one GPU by their numbers in the whole model."""

    query: tuple[int, ...]
    key_value: tuple[int, ...]  # each serves the query heads of its group


def heads_on_gpus(heads: int, gpus: int, kv_heads: int | None = None) -> tuple[HeadShare, ...]:
    """Which heads each GPU has: consecutive ones, so that query heads stay with the keys and values that they use.

    With `kv_heads` (grouped-query attention) heads / kv_heads query heads share one head of keys and values; without,
    each has its own. Raises BadArgument unless `gpus` divides the heads of both kinds.

    >>> heads_on_gpus(8, 2, kv_heads=2)
    (HeadShare(query=(0, 1, 2, 3), key_value=(0,)), HeadShare(query=(4, 5, 6, 7), key_value=(1,)))
    """
    queries, pairs = _counts(heads, kv_heads)
    t = whole_number("gpus", gpus)
    fewest, what = (queries, "heads") if pairs == queries else (pairs, "heads of keys and values")
    if fewest % t:
        several = [str(size) for size in range(1, fewest + 1) if fewest % size == 0]
        raise BadArgument("gpus", gpus, f"a divisor of the {fewest} {what}, which stay whole: {', '.join(several)}")
    own, own_pairs = queries // t, pairs // t
    return tuple(
        HeadShare(tuple(range(gpu * own, (gpu + 1) * own)), tuple(range(gpu * own_pairs, (gpu + 1) * own_pairs)))
        for gpu in range(t)
    )


def largest_split(heads: int, gpus: int, kv_heads: int | None = None) -> int:
    """The most GPUs, of `gpus` at hand, that can share the heads: the largest divisor of their number.

    >>> largest_split(28, 8), largest_split(32, 8), largest_split(64, 16, kv_heads=8)
    (7, 8, 8)
    """
    _, pairs = _counts(heads, kv_heads)
    return next(t for t in range(whole_number("gpus", gpus, 1, 10**6), 0, -1) if pairs % t == 0)


def _counts(heads: int, kv_heads: int | None) -> tuple[int, int]:
    """Query heads, and heads of keys and values, which divide them."""
    queries = whole_number("heads", heads, 1, 10**6)
    pairs = queries if kv_heads is None else whole_number("kv_heads", kv_heads, 1, queries)
    if queries % pairs:
        raise BadArgument("kv_heads", kv_heads, f"a divisor of the {queries} heads, so that groups are equal")
    return queries, pairs
