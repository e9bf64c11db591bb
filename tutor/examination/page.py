"""The page that an examination ends in: what is firm, what is not, and where to go back to. And saving it."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path
from textwrap import fill

from tutor.examination.result import Back, Judged, Result
from tutor.permissions import Permissions

COLUMNS = 78
_NAMES = 1000


class NotSaved(Exception):
    """A page that is not written, with what would be accepted."""


def markdown(result: Result) -> str:
    """The page: plain enough to read as it is, in lines of 78 columns."""
    return "\n".join([*summary(result), "", "## The problems", "", *_problems(result)]).rstrip() + "\n"


def summary(result: Result) -> Iterator[str]:
    """Its first part: the score, and what is firm by lesson."""
    day = time.strftime("%Y-%m-%d", time.localtime(result.ended))
    yield from [f"# Final examination: {result.course}", ""]
    yield f"{day}, {result.score} of {len(result.problems)} right (seed {result.seed})."
    if result.firm:
        yield from ["", "## Firm", ""]
        yield from (f"- {title}" for title in result.firm)
    if result.not_yet_firm:
        yield from ["", "## Not yet firm", ""]
        for title, steps in result.not_yet_firm:
            yield f"- {title}"
            yield from (_item(f"go back to {step.under(title)}, {step.title} ({step.step})", "  ") for step in steps)
    if result.not_asked:
        yield from ["", "## Not asked this time", ""]
        yield _filled("; ".join(result.not_asked) + ".")


def where(step: Back) -> str:
    """A step to go back to, as a person finds it.

    >>> where(Back("ring", "The ring", "ring-rule", "Which chunk comes next", 4))
    'The ring, step 4: Which chunk comes next (ring-rule)'
    """
    return f"{step.lesson_title}, step {step.number}: {step.title} ({step.step})"


def _problems(result: Result) -> Iterator[str]:
    for number, problem in enumerate(result.problems, start=1):
        verdict = "right" if problem.right else "not right" if problem.given else "not answered"
        yield f"### {number}. {problem.title} ({verdict})"
        yield ""
        yield _filled(problem.question)
        yield ""
        if problem.picture:
            yield from ["```", problem.picture, "```", ""]
        if problem.options:
            yield from (_item(option, mark=f"{place}. ") for place, option in enumerate(problem.options, start=1))
            yield ""
        yield from (_item(line) for line in said(problem))
        yield ""


def said(problem: Judged) -> Iterator[str]:
    """What is said of one problem: the answer given, what is behind a wrong one, the right one, where to go back to."""
    yield f"Your answer: {problem.given or 'none'}"
    if problem.right:
        yield f"Right. {problem.why}"
        return
    if problem.said:
        yield f"Not right. {problem.said}"
    if problem.belief:
        yield f"Behind it may be a belief that does not hold: {problem.belief}"
    yield f"The right answer: {problem.answer}"
    yield problem.why
    yield from (f"Go back to {where(step)}." for step in problem.back)


def _filled(text: str) -> str:
    """Paragraphs wrapped; lists and code as they are."""
    paragraphs = text.strip().split("\n\n")
    kept = ("```", "|", "- ", "    ")
    return "\n\n".join(
        part if part.startswith(kept) else fill(" ".join(part.split()), COLUMNS, break_on_hyphens=False)
        for part in paragraphs
    )


def _item(text: str, indent: str = "", mark: str = "- ") -> str:
    plain, rest = " ".join(text.split()), indent + " " * len(mark)
    return fill(plain, COLUMNS, initial_indent=indent + mark, subsequent_indent=rest, break_on_hyphens=False)


def save(result: Result, folder: Path, permissions: Permissions, name: str | None = None) -> Path:
    """Writes the page and returns its file: `name`, or one named after the day in the learner's `folder`.

    Nothing is ever written over: a name of one's own that is taken raises NotSaved, otherwise a number is
    added. NotSaved too where `permissions` keep files to the folder and `name` leads out of it. Raises
    OSError.
    """
    text = markdown(result)
    if name is not None:
        return _write(_allowed(Path(name), folder, permissions), text)
    folder.mkdir(parents=True, exist_ok=True)
    stem = f"examination-{time.strftime('%Y-%m-%d', time.localtime(result.ended))}"
    for number in range(1, _NAMES):
        file = folder / f"{stem}{f'-{number}' if number > 1 else ''}.md"
        try:
            return _write(file, text)
        except NotSaved:
            continue
    raise NotSaved(f"{folder} holds {_NAMES - 1} pages of this day")


def _allowed(file: Path, folder: Path, permissions: Permissions) -> Path:
    if permissions.any_file:
        return file
    inside = (folder / file).resolve()
    if not inside.is_relative_to(folder.resolve()):
        raise NotSaved(f"{file} is outside your folder; accepted here: a name in {folder}")
    folder.mkdir(parents=True, exist_ok=True)
    return inside


def _write(file: Path, text: str) -> Path:
    # "x" and not a look first: it follows no link, and two sessions may save at once
    try:
        with file.open("x", encoding="utf-8") as out:
            out.write(text)
    except FileExistsError:
        raise NotSaved(f"{file} exists and is left as it is; accepted: a new name") from None
    return file
