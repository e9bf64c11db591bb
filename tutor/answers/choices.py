"""Options as a person names them: by id, by the number or letter they are shown with, or by their words."""

from __future__ import annotations

import re
from collections.abc import Sequence

from tutor.answers.verdict import NotUnderstood
from tutor.course.model import Option
from tutor.safe_text import visible

LONGEST = 2000
_LABEL = re.compile(r"(?:(?:options?|numbers?|no\.)\s*)?#?\(?\s*(?P<label>\d{1,2}|[A-Za-z])\s*[).:]?", re.I)
_WITH_DASHES = re.compile(r"\d{1,2}(?:\s*-\s*\d{1,2})+")
_BETWEEN = re.compile(r"[,;\n>→]+|-+>")
_AND = r"(?:(?:and|then|&|\+)\s+)"
_JOINTS = re.compile(rf"\s{_AND}+", re.I), re.compile(rf"\s+{_AND}*", re.I)
_JOINED = r"\s*(?:[,;>→\n]|-+>)\s*(?:then\s+|and\s+)?"


def read_choice(text: str, options: Sequence[Option]) -> str:
    """The id of the option that `text` names; `options` are in the order in which they are shown.

    Raises NotUnderstood with the numbers.
    """
    _check_length(text)
    found = _find(text, options)
    if found is None:
        raise NotUnderstood(f"{_shown(text)} is none of the options; accepted: a number from 1 to {len(options)}")
    return found


def read_choices(text: str, options: Sequence[Option]) -> list[str]:
    """The ids of all options that `text` names, each once, as they are shown; `none` names none of them."""
    _check_length(text)
    if text.strip().lower() in ("none", "-"):
        return []
    named = _named(text, options)
    return [option.id for option in options if option.id in named]


def read_order(text: str, options: Sequence[Option]) -> list[str]:
    """The ids of all options in the order in which `text` names them. Raises NotUnderstood unless each comes once."""
    _check_length(text)
    if _WITH_DASHES.fullmatch(text.strip()):
        text = text.replace("-", ",")  # an order of 4-3-1-2; with choices 1-3 could mean three of them
    named = _named(text, options)
    for number, option in enumerate(options, 1):
        if (times := named.count(option.id)) > 1:
            raise NotUnderstood(f"{number} comes {times} times; accepted: every option once, {_numbers(options)}")
    missing = [str(number) for number, option in enumerate(options, 1) if option.id not in named]
    if missing:
        verb = "are" if len(missing) > 1 else "is"
        raise NotUnderstood(f"{', '.join(missing)} {verb} missing; accepted: every option once, {_numbers(options)}")
    return named


def _named(text: str, options: Sequence[Option]) -> list[str]:
    whole = _find(text, options)
    if whole is not None:
        return [whole]
    by_words = _by_their_words(text, options)
    if by_words:
        return by_words
    parts = [piece for part in _BETWEEN.split(text) if part.strip() for piece in _pieces(part, options)]
    if not parts:
        raise NotUnderstood(f"nothing was typed; accepted: {_numbers(options)}")
    ids = []
    for part in parts:
        found = _find(part, options)
        if found is None:
            raise NotUnderstood(f"{_shown(part)} is none of the options; accepted: {_numbers(options)}")
        ids.append(found)
    return ids


def _pieces(part: str, options: Sequence[Option]) -> list[str]:
    """What stands between two commas; taken apart where it is more than one option: 1 2, 3 and 4."""
    if _find(part, options) is not None:
        return [part]
    for joint in _JOINTS:
        pieces = [piece for piece in joint.split(f" {part.strip()} ") if piece.strip()]
        if all(_find(piece, options) is not None for piece in pieces):
            return pieces
    return [part]


def _by_their_words(text: str, options: Sequence[Option]) -> list[str]:
    """The ids where `text` is the options' own words, joined as the right answer is shown; they may hold commas."""
    ids = {option.text: option.id for option in options}
    if len(ids) < len(options):
        return []
    any_text = "|".join(re.escape(words) for words in sorted(ids, key=len, reverse=True))
    if not re.fullmatch(rf"\s*(?:{any_text})(?:{_JOINED}(?:{any_text}))*\s*", text):
        return []
    return [ids[words] for words in re.findall(any_text, text)]


def _find(text: str, options: Sequence[Option]) -> str | None:
    typed = text.strip()
    for option in options:
        if typed == option.id:
            return option.id
    plain = _plain(typed)
    for words in ([_plain(option.id) for option in options], [_plain(option.text) for option in options]):
        if plain and words.count(plain) == 1:
            return options[words.index(plain)].id
    label = _LABEL.fullmatch(typed)
    if label:
        mark = label["label"].lower()
        index = int(mark) - 1 if mark.isdigit() else ord(mark) - ord("a")
        if 0 <= index < len(options):
            return options[index].id
    return None


def _plain(text: str) -> str:
    """Words only, in small letters: how an option is told from another, however it is typed."""
    return " ".join(re.findall(r"\w+|[^\w\s.,;:!?'\"`*_-]", text.lower().replace("_", " ")))


def _numbers(options: Sequence[Option]) -> str:
    return f"numbers from 1 to {len(options)}, parted by commas"


def _check_length(text: str) -> None:
    if len(text) > LONGEST:
        raise NotUnderstood(f"longer than {LONGEST} characters; accepted: numbers, parted by commas")


def _shown(text: str) -> str:
    shown = visible(text.strip())
    return repr(shown if len(shown) <= 40 else f"{shown[:37]}…") if shown else "nothing"
