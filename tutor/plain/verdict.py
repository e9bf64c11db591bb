"""What a check found, line by line: the verdict in words, the first difference in its picture, and the bill."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tutor.checker.verdict import Case, CheckResult
from tutor.plain.paper import Paper


def report(paper: Paper, result: CheckResult) -> None:
    """Says it all."""
    if result.output:
        paper.line("Your file printed:")
        for line in result.output.splitlines():
            paper.line(f"  | {line}")
    kind = f" ({result.error.kind.replace('_', ' ')})" if result.error is not None else ""
    failing = [case for case in result.cases if not case.passed]
    if result.passed:
        paper.say(f"Right: {result.exercise} passes all {len(result.cases)} cases.")
    elif failing:
        paper.say(f"Not right{kind}: {len(failing)} of {len(result.cases)} cases. The first, {failing[0].name}:")
        paper.say(failing[0].reason, "  ")
        _picture(paper, failing[0])
    elif result.error is not None:
        where = f"line {result.error.line}: " if result.error.line is not None else ""
        paper.say(f"Not right{kind}: {where}{result.error.message}")
    if result.bill is not None:
        _bill(paper, result.bill)


def _bill(paper: Paper, bill: Mapping[str, Any]) -> None:
    """What each worker sent, beside what the engine's workers send."""
    from tutor.units import show

    yours, engine = bill["yours"], bill["engine"]
    case = f", {bill['case']}" if bill.get("case") else ""
    paper.say(f"The bill{case}:")
    for name, unit, word in (("bytes_sent", "B", "sent"), ("messages_sent", "", "messages")):
        if name in yours and name in engine:
            paper.say(f"{word}: yours {show(yours[name], unit)}; the engine {show(engine[name], unit)}", "  ")


def _picture(paper: Paper, case: Case) -> None:
    if case.picture is None:
        return
    from simlib.errors import BadArgument
    from tutor.views.explain import explained

    try:
        drawn = explained(case.picture)
    except (BadArgument, ValueError, LookupError, TypeError):
        # A check of somebody's own course may name what cannot be drawn: the words stand alone then
        return
    paper.picture(drawn.picture, drawn.caption)
