"""The one form in which a lesson names a figure, so that none is ever typed in.

- a quantity of the engine and its arguments: `ring.bytes_sent workers=n bytes=mb*1e6`;
- a cell of the question's live picture: `cell step=1 worker=1 chunk=0`;
- arithmetic over variables, and over the two above in square brackets: `2 * [ring.steps workers=n] + n`.

An argument is a number (`7e9`, `1_000`), arithmetic without spaces (`mb*1e6`) or in round brackets, a
word where the quantity takes one (`op=all_reduce`, `mode=tensor+sequence`), quoted text, `true` or
`false`, a list (`sizes=[4,8]`) or an expression in square brackets. Variables are what a question's
`given` and `vary` name; where one has the name of a word, it is the variable that counts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from tutor.course import arithmetic
from tutor.course.arithmetic import NotArithmetic

CELL = "cell"
_NAME = re.compile(r"[a-z_][a-z0-9_]*(\.[a-z_][a-z0-9_]*)+")
_STARTS_EXPRESSION = re.compile(r"\s*(cell|[a-z_][a-z0-9_]*(\.[a-z_][a-z0-9_]*)+)(\s|$)")
_KEY = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_WORD = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_+.\-]*")
_MOST_NESTED = 5

Variables = Mapping[str, float | str]
# Gives the value of the live picture's cell that a selector's coordinates name
CellLookup = Callable[[Mapping[str, Any]], int | float | str | None]


class ExpressionError(ValueError):
    """An expression that cannot be read or computed; the message names what would be accepted."""


@dataclass(frozen=True)
class Quantity:
    name: str
    arguments: tuple[tuple[str, str], ...]


@dataclass(frozen=True)
class CellOf:
    coordinates: tuple[tuple[str, str], ...]


Expression = Quantity | CellOf | arithmetic.Node


@dataclass(frozen=True)
class Result:
    """What an expression comes to; unit, formula and worked are empty for cells and arithmetic."""

    value: Any
    unit: str = ""
    formula: str = ""
    worked: str = ""


@lru_cache(maxsize=4096)
def parse(text: str) -> Expression:
    """The expression in `text`. Raises ExpressionError.

    >>> parse("ring.steps workers=n-1")
    Quantity(name='ring.steps', arguments=(('workers', 'n-1'),))
    """
    words = _split(text)
    if not words:
        raise ExpressionError("an empty expression; expected a quantity, a cell or arithmetic")
    if words[0] == CELL:
        return CellOf(_arguments(words[1:], "a cell"))
    if _NAME.fullmatch(words[0]):
        return Quantity(words[0], _arguments(words[1:], words[0]))
    if any(_is_argument(word) for word in words):
        raise ExpressionError(f"{words[0]!r} is no quantity's name; expected one such as ring.steps before arguments")
    try:
        return arithmetic.parse(text)
    except NotArithmetic as error:
        raise ExpressionError(f"{_short(text)}: {error}") from None


def evaluate(text: str, variables: Variables, cell: CellLookup | None = None, _nested: int = 0) -> Result:
    """What `text` comes to, with `variables` filled in and cells looked up by `cell`. Raises ExpressionError."""
    if _nested > _MOST_NESTED:
        raise ExpressionError(f"expressions in square brackets more than {_MOST_NESTED} deep")
    expression = parse(text)

    if isinstance(expression, Quantity):
        return _quantity(expression, variables, cell, _nested)
    if isinstance(expression, CellOf):
        if cell is None:
            raise ExpressionError(f"{_short(text)}: there is no live picture here to take a cell from")
        return Result(
            cell({key: _argument(value, variables, cell, _nested, True) for key, value in expression.coordinates})
        )
    if isinstance(expression, arithmetic.Name) and isinstance(variables.get(expression.id), str):
        return Result(variables[expression.id])
    return Result(_arithmetic(text, expression, variables, cell, _nested))


def coordinates(text: str, variables: Variables) -> dict[str, Any]:
    """The coordinates in a selector such as `step=1 worker=n-1`. Raises ExpressionError."""
    expression = parse(f"{CELL} {text}")
    assert isinstance(expression, CellOf)
    return {key: _argument(value, variables, None, 0, True) for key, value in expression.coordinates}


def is_literal(text: str) -> bool:
    """Whether `text` is a figure typed in: arithmetic without a variable, quantity or cell. Raises ExpressionError."""
    expression = parse(text)
    if isinstance(expression, (Quantity, CellOf)):
        return False
    return not arithmetic.names(expression) and not arithmetic.brackets(expression)


def quantities_in(text: str) -> list[str]:
    """The quantities that `text` names, those in square brackets too. Raises ExpressionError."""
    expression = parse(text)
    if isinstance(expression, (Quantity, CellOf)):
        pairs = expression.arguments if isinstance(expression, Quantity) else expression.coordinates
        own = [expression.name] if isinstance(expression, Quantity) else []
        inner = [value[1:-1] for _, value in pairs if value.startswith("[") and _STARTS_EXPRESSION.match(value[1:-1])]
        return own + [name for text in inner for name in quantities_in(text)]
    return [name for text in arithmetic.brackets(expression) for name in quantities_in(text)]


def _quantity(expression: Quantity, variables: Variables, cell: CellLookup | None, nested: int) -> Result:
    from simlib import quantities
    from simlib.errors import BadArgument

    try:
        takes = {parameter.name: parameter.kind for parameter in quantities.quantity(expression.name).parameters}
        arguments = {
            key: _argument(value, variables, cell, nested, takes.get(key) == "word")
            for key, value in expression.arguments
        }
        value = quantities.evaluate(expression.name, **arguments)
    except BadArgument as error:
        raise ExpressionError(f"{expression.name}: {error}") from None
    return Result(value.value, value.unit, value.formula, value.worked)


def _arithmetic(
    text: str, node: arithmetic.Node, variables: Variables, cell: CellLookup | None, nested: int
) -> arithmetic.Numeric:
    def name(id: str) -> arithmetic.Numeric:
        if id not in variables:
            known = f"variables are: {', '.join(variables)}" if variables else "there are none"
            raise ExpressionError(f"{_short(text)}: no variable is called {id!r}; {known}")
        return number(variables[id], id)

    def bracket(inner: str) -> arithmetic.Numeric:
        return number(evaluate(inner, variables, cell, nested + 1).value, f"[{inner}]")

    def number(value: Any, what: str) -> arithmetic.Numeric:
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise ExpressionError(f"{_short(text)}: {what} is {value!r}, which is no number to reckon with")
        return value

    try:
        return arithmetic.evaluate(node, name, bracket)
    except NotArithmetic as error:
        raise ExpressionError(f"{_short(text)}: {error}") from None


def _argument(text: str, variables: Variables, cell: CellLookup | None, nested: int, word: bool) -> Any:
    """The value of an argument; `word` says that a name which is no variable is meant as a word."""
    if text in ("true", "false"):
        return text == "true"
    if len(text) >= 2 and text[0] in "'\"" and text[-1] == text[0]:
        return text[1:-1]
    if text.startswith("[") and text.endswith("]"):
        inside = text[1:-1]
        if _STARTS_EXPRESSION.match(inside):
            return evaluate(inside, variables, cell, nested + 1).value
        if nested >= _MOST_NESTED:
            raise ExpressionError(f"lists more than {_MOST_NESTED} deep")
        return [_argument(part, variables, cell, nested + 1, word) for part in _split(inside, ",")]
    if text in variables:
        return variables[text]
    try:
        node = arithmetic.parse(text)
    except NotArithmetic as error:
        if word and _WORD.fullmatch(text):
            return text
        raise ExpressionError(f"{_short(text)}: {error}") from None
    used = arithmetic.names(node)
    if word and used and not used & set(variables) and _WORD.fullmatch(text):
        return text
    return _arithmetic(text, node, variables, cell, nested)


def _arguments(words: list[str], of: str) -> tuple[tuple[str, str], ...]:
    pairs: dict[str, str] = {}
    for word in words:
        key, equals, value = word.partition("=")
        if not equals or not value or not _KEY.fullmatch(key):
            raise ExpressionError(f"{_short(word)} after {of}; expected arguments such as workers=4")
        if key in pairs:
            raise ExpressionError(f"{of} has {key!r} twice")
        pairs[key] = value
    return tuple(pairs.items())


def _is_argument(word: str) -> bool:
    key, equals, _ = word.partition("=")
    return bool(equals) and bool(_KEY.fullmatch(key))


def _split(text: str, separator: str = "") -> list[str]:
    """`text` parted at white space (or at `separator`) outside brackets and quotes."""
    if len(text) > arithmetic.LONGEST:
        raise ExpressionError(f"an expression longer than {arithmetic.LONGEST} characters")
    words, word, depth, quote = [], "", 0, ""
    for character in text:
        if quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        elif character in "[(":
            depth += 1
        elif character in "])":
            depth -= 1
        if not quote and depth == 0 and (character == separator if separator else character.isspace()):
            words.append(word.strip())
            word = ""
        else:
            word += character
    if quote or depth:
        raise ExpressionError(f"{_short(text)}: a quote or bracket is not closed")
    words.append(word.strip())
    return [word for word in words if word]


def _short(text: str) -> str:
    return repr(text if len(text) <= 60 else f"{text[:57]}…")
