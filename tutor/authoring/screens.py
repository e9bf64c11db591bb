"""Whether a step fits: one screen of 80x24 and one page further."""

from __future__ import annotations

import re
from collections.abc import Iterator
from textwrap import wrap

from tutor.answers import cells, texts
from tutor.authoring.problem import Problem
from tutor.course.blocks import WITH_OPTIONS
from tutor.course.model import Course, CourseError, Exercise, Live, Prose, Question, Step

COLUMNS, ROWS = 76, 22  # of 80x24, without margins, title and keys
SCREENS = 2
_AROUND_PICTURE = 5  # its handles, caption and margins
_AROUND_TASK = 4  # what is typed, what is accepted, margins
_ITEM = re.compile(r"\s*(?:[-*+]|\d+[.)])\s+")


def check_size(course: Course, step: Step) -> Iterator[Problem]:
    """A step that is longer than one screen and one page."""
    try:
        rows = step_rows(course, step)
    except CourseError:
        # What cannot be filled in or drawn is told elsewhere
        return
    if rows > SCREENS * ROWS:
        message = (
            f"step {step.id} takes about {rows} rows of {COLUMNS}; at most {SCREENS * ROWS} fit one screen and a page"
        )
        yield Problem(step.place, message)


def step_rows(course: Course, step: Step) -> int:
    """About how many rows the step takes on 80x24. Raises CourseError."""
    return sum(_rows(course, step, block) for block in step.blocks)


def _rows(course: Course, step: Step, block: Prose | Live | Question | Exercise) -> int:
    if isinstance(block, Prose):
        return 1 + prose_rows(texts.prose(course, step, block))
    if isinstance(block, Live):
        shown = cells.scene(block)
        return shown.picture(min(block.step, shown.last_step)).size(COLUMNS).rows + _AROUND_PICTURE
    if isinstance(block, Exercise):
        return prose_rows(block.prompt) + _AROUND_TASK
    rows = prose_rows(texts.prompt(course, block)) + _AROUND_TASK
    if block.kind in WITH_OPTIONS:
        rows += sum(len(_wrapped(option.text)) for option in texts.options_shown(course, block))
    return rows


def prose_rows(text: str) -> int:
    """Rows of Markdown as it is drawn: paragraphs wrapped, items and code lines each on their own."""
    rows, paragraph, in_code = 0, "", False

    def flow(lines: str) -> int:
        return len(_wrapped(lines)) if lines.strip() else 0

    for line in text.split("\n"):
        if line.lstrip().startswith(("```", "~~~")):
            rows += flow(paragraph) + 1
            paragraph, in_code = "", not in_code
        elif in_code or line.lstrip().startswith("|") or not line.strip():
            rows += flow(paragraph) + 1
            paragraph = ""
        elif _ITEM.match(line):
            rows += flow(paragraph)
            paragraph = line
        else:
            paragraph = f"{paragraph} {line.strip()}"
    return rows + flow(paragraph)


def _wrapped(text: str) -> list[str]:
    return wrap(text, COLUMNS) or [""]
