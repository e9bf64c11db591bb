"""What a check found, line by line: the verdict in words, the first difference in its picture, and the bill."""

from __future__ import annotations

from collections.abc import Sequence

from tutor.checker.verdict import Call, Case, CheckResult
from tutor.plain.paper import Paper

MOST_PRINTED = 20  # lines of what a file printed, unless all are asked for


def report(
    paper: Paper, result: CheckResult, steps: tuple[int, int] | None = None, printed: int | None = MOST_PRINTED
) -> None:
    """Says it all.

    `steps` are the steps of a compared run that are shown, both ends; None shows the first that differs.
    Raises BadArgument, with nothing said, for steps that the run does not have.
    `printed` is how many lines of what the file printed are shown, the last ones; None shows all.
    """
    failing = [case for case in result.cases if not case.passed]
    if failing and steps is not None:
        _has_steps(failing[0], *steps)
    _printed(paper, result.output.rstrip().splitlines(), printed)
    kind = f" ({result.error.kind.replace('_', ' ')})" if result.error is not None else ""
    if result.passed:
        every = "its one case" if len(result.cases) == 1 else f"all {len(result.cases)} cases"
        paper.say(f"Right: {result.exercise} passes {every}.")
    elif failing:
        if len(result.cases) == 1:
            paper.say(f"Not right{kind}: the one case, {failing[0].name}:")
        else:
            paper.say(f"Not right{kind}: {len(failing)} of {len(result.cases)} cases. The first, {failing[0].name}:")
        paper.say(failing[0].reason, "  ")
        _calls(paper, failing[0].trace)
        _picture(paper, failing[0], steps)
    elif result.error is not None:
        where = f"line {result.error.line}: " if result.error.line is not None else ""
        paper.say(f"Not right{kind}: {where}{result.error.message}")
        _calls(paper, result.error.trace)
    _bill(paper, result)


def _printed(paper: Paper, lines: Sequence[str], most: int | None) -> None:
    if not lines:
        return
    paper.line("Your file printed:")
    more = 0 if most is None else len(lines) - most
    if more > 0:
        paper.line(f"  | ... {more:,} more line{'' if more == 1 else 's'}")
    for line in lines[max(0, more) :]:
        paper.line(f"  | {line}")


def _calls(paper: Paper, calls: Sequence[Call]) -> None:
    """The learner's own lines that led there."""
    for call in calls:
        paper.line(f"    {call}")


def _bill(paper: Paper, result: CheckResult) -> None:
    """What each worker sent, and held, beside what is enough."""
    from tutor.views.bill_table import bill_table

    failing = next((case.name for case in result.cases if not case.passed), None)
    found = bill_table(result.bill, result.held, failing)
    if found is not None:
        paper.blank()
        paper.picture(*found)


def _has_steps(case: Case, first: int, last: int) -> None:
    from simlib.errors import BadArgument
    from tutor.views.explain import comparison

    compared = comparison(case.picture) if case.picture is not None else None
    if compared is not None and not compared.first_step <= first <= last <= compared.last_step:
        asked = f"{first}:{last}" if last > first else str(first)
        raise BadArgument("--steps", asked, f"{compared.unit}s from {compared.first_step} to {compared.last_step}")


def _picture(paper: Paper, case: Case, steps: tuple[int, int] | None) -> None:
    if case.picture is None:
        return
    from simlib.errors import BadArgument
    from tutor.views.comparison import Comparison, Side
    from tutor.views.explain import comparison, explained

    paper.blank()
    compared: Comparison | None = comparison(case.picture)
    if compared is not None:
        first, last = steps or (compared.opens_at, compared.opens_at)
        for step in range(first, last + 1):
            if paper.draws:
                paper.picture(compared.both(step), compared.caption(step))
            else:
                # Both whole pictures are a lot to listen to: one that has both numbers where they differ
                paper.say(compared.spoken(step), rest="  ")
                whose = "Yours:" if compared.side is Side.YOURS else "What is expected, and yours where it differs:"
                paper.picture(compared.picture(step, compared.side), whose)
        if steps is None and compared.last_step > compared.first_step and paper.draws:
            paper.say(f"--steps {compared.first_step}:{compared.last_step} shows every {compared.unit}.")
        return
    try:
        drawn = explained(case.picture)
    except (BadArgument, ValueError, LookupError, TypeError):
        # A check of somebody's own course may name what cannot be drawn: the words stand alone then
        return
    paper.picture(drawn.picture, drawn.caption)
