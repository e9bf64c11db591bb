"""What a program sent beside what it need send: in words, and whether it is too much."""

from __future__ import annotations

from typing import Any

Bill = dict[str, list[int]]  # "bytes_sent" and "messages_sent", an entry for each worker


def times_too_much(engine: Bill, yours: Bill) -> float:
    """What the busiest worker sends, over what the engine's busiest one does; 1 where neither sends anything.

    >>> times_too_much({"bytes_sent": [48, 48]}, {"bytes_sent": [96, 24]})
    2.0
    """
    need, sent = max(engine["bytes_sent"]), max(yours["bytes_sent"])
    if need == 0:
        return 1.0 if sent == 0 else float("inf")
    return sent / need


def told(engine: Bill, yours: Bill) -> str:
    """How wasteful a right program is.

    >>> told({"bytes_sent": [48, 48], "messages_sent": [6, 6]}, {"bytes_sent": [24, 96], "messages_sent": [3, 1]})
    'The values are right, but worker 1 sends 96 B in 1 message; 48 B in 6 messages are enough. That is 2 times as \
much.'
    """
    busiest = yours["bytes_sent"].index(max(yours["bytes_sent"]))
    enough = engine["bytes_sent"].index(max(engine["bytes_sent"]))
    times = times_too_much(engine, yours)
    but = f"The values are right, but worker {busiest} sends {_sent(yours, busiest)}; "
    if times == float("inf"):
        return but + "nothing need be sent."
    return but + f"{_sent(engine, enough)} are enough. That is {times:.3g} times as much."


def _sent(bill: Bill, worker: int) -> str:
    messages = bill["messages_sent"][worker]
    return f"{bill['bytes_sent'][worker]:,} B in {messages:,} message{'' if messages == 1 else 's'}"


def held_shown(counted: list[dict[str, Any] | None], case: str | None = None) -> dict[str, Any] | None:
    """Of what was held, case by case: the first in which it is not what is enough; else that of `case`, or the largest.

    >>> held_shown([None, {"case": "two", "what": "weights", "yours": [3.0], "engine": [3.0]}])["case"]
    'two'
    """
    known = [held for held in counted if held is not None]
    if not known:
        return None
    differing = next((held for held in known if held["yours"] != held["engine"]), None)
    return (
        differing
        or next((held for held in known if held["case"] == case), None)
        or max(known, key=lambda held: max(held["engine"], default=0))
    )


def shown(bills: list[tuple[str, Bill, Bill]], wasteful: str | None) -> dict[str, Any] | None:
    """The bill of a check: that of the first wasteful case, or of the one that costs the most."""
    if not bills:
        return None
    of_most = max(bills, key=lambda bill: sum(bill[1]["bytes_sent"]))
    case, engine, yours = next((bill for bill in bills if bill[0] == wasteful), of_most)
    return {"case": case, "yours": yours, "engine": engine}
