"""`answer`, `hint`, `reveal`."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace

from tutor.cli.opening import open_study
from tutor.cli.output import (
    RIGHT,
    WRONG,
    BadUsage,
    of_course,
    say,
    say_json,
)
from tutor.course.model import Question
from tutor.permissions import own_machine
from tutor.plain.markdown import paragraphs
from tutor.plain.paper import Paper
from tutor.program import program
from tutor.study import AnswerOutcome, Study

_LONGEST_ANSWER = 100_000


def _text(words: list[str]) -> str:
    if words != ["-"]:
        return " ".join(words)
    if sys.stdin is None:
        raise BadUsage("- reads standard input, which is closed")
    raw = sys.stdin.buffer.read(_LONGEST_ANSWER + 1)
    if len(raw) > _LONGEST_ANSWER:
        raise BadUsage(f"standard input holds more than {_LONGEST_ANSWER:,} bytes, too long for an answer")
    try:
        return raw.decode("utf-8").strip()
    except UnicodeDecodeError:
        raise BadUsage("standard input is not UTF-8 text") from None


def _split_seed(name: str) -> tuple[str, int | None]:
    """`ID@SEED` as its parts."""
    question, at, seed = name.partition("@")
    if not at:
        return question, None
    if not seed.isascii() or not seed.isdigit() or len(seed) > 18:
        raise BadUsage(f"the seed in {name!r} is {seed!r}; accepted: a whole number, as in {question}@7")
    return question, int(seed)


def answer(arguments: argparse.Namespace) -> int:
    """Judges one answer; without a TEXT it asks the question."""
    from tutor.answers.verdict import NotUnderstood

    question_id, seed = _split_seed(arguments.question)
    with open_study(arguments.course, own_machine()) as study:
        question = study.question(question_id)
        if not arguments.text:
            return _ask(study, question, seed, arguments)
        try:
            text = _text(arguments.text)
            outcome = _given_before(study, question, text, seed) or study.answer(question.id, text, seed)
        except NotUnderstood as error:
            raise BadUsage(f"{question.id}: {error}") from None
    verdict = outcome.verdict
    if arguments.json:
        say_json(
            {
                "question": arguments.question,
                "right": verdict.right,
                "value": verdict.value,
                "reason": verdict.reason,
                "misconception": verdict.misconception,
                "hint": outcome.next_hint,
            }
        )
        return RIGHT if verdict.right else WRONG
    paper = Paper(drawn=True)
    paper.say(f"{'Right' if verdict.right else 'Not right'}: {verdict.understood}")
    paper.together(verdict.reason)
    if outcome.revealed is not None:
        paper.together(f"The answer: {outcome.revealed.answer}", outcome.revealed.why)
    elif outcome.next_hint is not None:
        say(f"A hint: {program()} hint {arguments.question}{of_course(arguments)}")
    return RIGHT if verdict.right else WRONG


def _given_before(study: Study, question: Question, text: str, seed: int | None) -> AnswerOutcome | None:
    """What is said of a wrong answer that is given once more, which uses up no try; None for any other."""
    from tutor.answers.judge import judge
    from tutor.asking import Asking

    asking = Asking(study, question, seed)
    before = asking.wrong_answers[-1:]
    if asking.done or not before:
        return None
    if text.strip() != before[0].strip() and not asking.same_number(text, before[0]):
        return None
    verdict = judge(study.course, question, text, seed)
    reason = f"That is the answer you gave before. {verdict.reason}"
    return AnswerOutcome(replace(verdict, reason=reason), study.standing(question.id).tries, None, None)


def _ask(study: Study, question: Question, seed: int | None, arguments: argparse.Namespace) -> int:
    """Prints the question itself."""
    from tutor.answers.judge import options_shown, prompt

    text = prompt(study.course, question, seed)
    options = options_shown(study.course, question, seed)
    if arguments.json:
        say_json(
            {
                "question": arguments.question,
                "kind": question.kind,
                "prompt": text,
                "options": [{"id": option.id, "text": option.text} for option in options],
                "unit": question.unit,
            }
        )
        return RIGHT
    paper = Paper(drawn=True)
    if question.live:
        _draw_live(study, question, seed, paper)
    paper.markdown(text)
    for number, option in enumerate(options, 1):
        paper.say(f"{option.text}  ({option.id})", f"{number:>3}  ")
    return RIGHT


def _draw_live(study: Study, question: Question, seed: int | None, paper: Paper) -> None:
    """The picture that the question is about, as it opens in the lesson."""
    from tutor.answers.cells import live_picture, scene

    live = live_picture(study.course, question, seed)
    shown = scene(live)
    step = min(live.step, shown.last_step)
    paper.picture(shown.picture(step), shown.caption(step))


def hint(arguments: argparse.Namespace) -> int:
    """Shows the next hint."""
    item, seed = _split_seed(arguments.item)
    with open_study(arguments.course, own_machine()) as study:
        found = study.hint(item, seed)
    if arguments.json:
        say_json({"id": item, "hint": found.text, "number": found.number, "of": found.of})
    else:
        Paper().together(f"Hint {found.number} of {found.of}: {found.text}")
    return RIGHT


def reveal(arguments: argparse.Namespace) -> int:
    """Shows the answer or the solution, and remembers that it was shown."""
    item, seed = _split_seed(arguments.item)
    with open_study(arguments.course, own_machine()) as study:
        revealed = study.reveal(item, seed)
        is_code = study.course.exercise(item) is not None
    if arguments.json:
        say_json({"id": item, "answer": revealed.answer, "why": revealed.why})
    else:
        say(revealed.answer)  # a solution is code, line by line
        if is_code:
            _say_as_comment(revealed.why)
        else:
            Paper().together(revealed.why)
    return RIGHT


def _say_as_comment(source: str) -> None:
    """Markdown as comment lines, so that a solution written into a file stays Python."""
    paper = Paper()
    for paragraph in paragraphs(source):
        first = "# " + " " * paragraph.indent + paragraph.mark
        if paragraph.code:
            paper.line(first + paragraph.text)
        else:
            paper.say(paragraph.text, first, "# " + " " * (len(first) - 2))
