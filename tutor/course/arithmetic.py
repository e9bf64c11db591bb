"""Arithmetic over numbers and names, read by a parser of its own: nothing is ever given to Python to run.

Lessons use it between a quantity's arguments, learners in their answers. Work is bounded whatever is
typed: length, nesting, the size of whole numbers, and powers before they are raised.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass

LONGEST = 500  # characters of one expression
_DEEPEST = 30  # brackets and signs inside one another
_MOST_TOKENS = 200
_MOST_BITS = 1000  # of a whole number on the way

_TOKEN = re.compile(
    r"\s*(?:"
    r"(?P<number>(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d+)?)"
    r"|(?P<name>[A-Za-z_]\w*)"
    r"|(?P<bracket>\[)"
    r"|(?P<operator>\*\*|//|[-+*/%(),])"
    r")",
    re.ASCII,
)
_SUMS, _PRODUCTS = ("+", "-"), ("*", "/", "//", "%")

Numeric = int | float


class NotArithmetic(ValueError):
    """Text that is no arithmetic, or whose value is no number of a sensible size."""


@dataclass(frozen=True)
class Number:
    value: Numeric


@dataclass(frozen=True)
class Name:
    id: str


@dataclass(frozen=True)
class Bracket:
    """What stands between square brackets: another form of expression, for the caller to read."""

    text: str


@dataclass(frozen=True)
class Apply:
    """An operator or function and what it is applied to; a sign is the operator with one operand."""

    operator: str
    operands: tuple[Node, ...]


Node = Number | Name | Bracket | Apply


def _log(value: Numeric) -> float:
    return math.log(value)


def _log2(value: Numeric) -> float:
    return math.log2(value)


FUNCTIONS: dict[str, tuple[int, Callable[..., Numeric]]] = {
    "ceil": (1, math.ceil),
    "floor": (1, math.floor),
    "round": (1, round),
    "abs": (1, abs),
    "sqrt": (1, math.sqrt),
    "exp": (1, math.exp),
    "log": (1, _log),
    "ln": (1, _log),
    "log2": (1, _log2),
    "min": (2, min),
    "max": (2, max),
}


def parse(text: str) -> Node:
    """The arithmetic in `text`: + - * / // % ** ( ) and the FUNCTIONS. Raises NotArithmetic.

    >>> parse("2 * n")
    Apply(operator='*', operands=(Number(value=2), Name(id='n')))
    """
    return _Parser(text).whole()


class _Parser:
    """Recursive descent, one method a level of precedence, as in Python's own grammar."""

    def __init__(self, text: str) -> None:
        if len(text) > LONGEST:
            raise NotArithmetic(f"longer than {LONGEST} characters")
        self.tokens = _tokens(text)
        if len(self.tokens) > _MOST_TOKENS:
            raise NotArithmetic(f"more than {_MOST_TOKENS} numbers and signs")
        self.position = 0
        self.depth = 0

    def whole(self) -> Node:
        node = self.sums()
        if self.peek():
            raise NotArithmetic(f"{self.peek()!r} is not expected after {self.tokens[self.position - 1][1]!r}")
        return node

    def peek(self) -> str:
        return self.tokens[self.position][1] if self.position < len(self.tokens) else ""

    def take(self) -> tuple[str, str]:
        if self.position >= len(self.tokens):
            raise NotArithmetic("it ends where a number should stand")
        self.position += 1
        return self.tokens[self.position - 1]

    def sums(self) -> Node:
        return self.chain(self.products, _SUMS)

    def products(self) -> Node:
        return self.chain(self.signed, _PRODUCTS)

    def chain(self, inner: Callable[[], Node], operators: tuple[str, ...]) -> Node:
        node = inner()
        while self.peek() in operators:
            operator = self.take()[1]
            node = Apply(operator, (node, inner()))
        return node

    def signed(self) -> Node:
        if self.peek() in _SUMS:
            self.deeper()
            node = Apply(self.take()[1], (self.signed(),))
            self.depth -= 1
            return node
        base = self.atom()
        if self.peek() == "**":
            self.deeper()
            self.take()
            # The exponent binds from the right and may carry a sign, as in 2 ** -1
            base = Apply("**", (base, self.signed()))
            self.depth -= 1
        return base

    def atom(self) -> Node:
        kind, text = self.take()
        if kind == "number":
            return Number(_number(text))
        if kind == "bracket":
            return Bracket(text)
        if kind == "name":
            return self.call(text) if self.peek() == "(" else Name(text)
        if text == "(":
            inside = self.inside()
            if len(inside) == 1:
                return inside[0]
            raise NotArithmetic("a comma stands between brackets that hold one number")
        raise NotArithmetic(f"{text!r} stands where a number should")

    def call(self, name: str) -> Node:
        if name not in FUNCTIONS:
            raise NotArithmetic(f"no function is called {name!r}; there are {', '.join(FUNCTIONS)}")
        self.take()
        operands = self.inside()
        wanted = FUNCTIONS[name][0]
        if len(operands) != wanted:
            raise NotArithmetic(f"{name} takes {wanted} number{'s' if wanted > 1 else ''}, not {len(operands)}")
        return Apply(name, operands)

    def inside(self) -> tuple[Node, ...]:
        """What stands between the bracket just opened and its end, parted by commas."""
        self.deeper()
        nodes = [self.sums()]
        while self.peek() == ",":
            self.take()
            nodes.append(self.sums())
        if self.peek() != ")":
            raise NotArithmetic(f"a bracket is not closed before {self.peek()!r}" if self.peek() else "no )")
        self.take()
        self.depth -= 1
        return tuple(nodes)

    def deeper(self) -> None:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise NotArithmetic(f"nested more than {_DEEPEST} deep")


def _tokens(text: str) -> list[tuple[str, str]]:
    tokens: list[tuple[str, str]] = []
    position = 0
    while text[position:].strip():
        match = _TOKEN.match(text, position)
        if match is None:
            raise NotArithmetic(f"{text[position:].strip()[:12]!r} is no number, sign or name")
        position = match.end()
        kind = str(match.lastgroup)
        if kind == "bracket":
            end = closing_bracket(text, position - 1)
            tokens.append((kind, text[position:end]))
            position = end + 1
            continue
        after = text[position : position + 1]
        if kind == "number" and (after.isalnum() or after in (".", "_")):
            # 7b is neither 7 times b nor a name
            raise NotArithmetic(f"{text[match.start(kind) : position + 1]!r} is no number")
        tokens.append((kind, match[kind]))
    return tokens


def closing_bracket(text: str, start: int) -> int:
    """Where the square bracket opened at `start` closes. Raises NotArithmetic if it does not."""
    depth = 0
    for position in range(start, len(text)):
        depth += {"[": 1, "]": -1}.get(text[position], 0)
        if depth == 0:
            return position
    raise NotArithmetic(f"no ] for {text[start : start + 20]!r}")


def _number(text: str) -> Numeric:
    plain = text.replace("_", "")
    if len(plain) > 60:
        raise NotArithmetic(f"{plain[:10]}… has more digits than any figure here needs")
    value: Numeric = int(plain) if plain.isdecimal() else float(plain)
    return _sensible(value)


def _sensible(value: Numeric) -> Numeric:
    if isinstance(value, int):
        if value.bit_length() > _MOST_BITS:
            raise NotArithmetic("the number grows too large")
    elif not math.isfinite(value):
        raise NotArithmetic("the number grows too large")
    return value


def evaluate(node: Node, name: Callable[[str], Numeric], bracket: Callable[[str], Numeric]) -> Numeric:
    """The value of `node`; `name` and `bracket` give those of its names and square brackets.

    Raises NotArithmetic for a division by zero, a root or logarithm that does not exist, or a value
    too large to be a figure here; what `name` and `bracket` raise passes through.

    >>> evaluate(parse("2 ** 10 - n"), {"n": 24}.__getitem__, len)
    1000
    """
    match node:
        case Number(value):
            return value
        case Name(id):
            return name(id)
        case Bracket(text):
            return bracket(text)
        case Apply(operator, operands):
            return _apply(operator, [evaluate(operand, name, bracket) for operand in operands])


def _apply(operator: str, values: list[Numeric]) -> Numeric:
    try:
        return _sensible(_applied(operator, values))
    except ZeroDivisionError:
        raise NotArithmetic("it divides by zero") from None
    except OverflowError:
        raise NotArithmetic("the number grows too large") from None
    except ValueError as error:
        if isinstance(error, NotArithmetic):
            raise
        raise NotArithmetic(f"{operator} of {values[0]} does not exist") from None


def _applied(operator: str, values: list[Numeric]) -> Numeric:
    match operator, values:
        case "+", [a]:
            return a
        case "-", [a]:
            return -a
        case "+", [a, b]:
            return a + b
        case "-", [a, b]:
            return a - b
        case "*", [a, b]:
            return a * b
        case "/", [a, b]:
            return a / b
        case "//", [a, b]:
            return a // b
        case "%", [a, b]:
            return a % b
        case "**", [a, b]:
            return _power(a, b)
    result: Numeric = FUNCTIONS[operator][1](*values)
    return result


def _power(base: Numeric, exponent: Numeric) -> Numeric:
    if isinstance(base, int) and isinstance(exponent, int) and exponent >= 0:
        # Looked at before it is raised: 10**10000000 must cost nothing
        if (base.bit_length() - 1) * exponent > _MOST_BITS:
            raise NotArithmetic("the power grows too large")
        power: int = base**exponent
        return power
    if base < 0 and exponent != int(exponent):
        raise NotArithmetic("a root of a negative number does not exist")
    root: float = float(base) ** float(exponent)
    return root


def names(node: Node) -> set[str]:
    """The names that `node` uses, outside its square brackets."""
    match node:
        case Name(id):
            return {id}
        case Apply(_, operands):
            return set().union(*(names(operand) for operand in operands))
        case _:
            return set()


def brackets(node: Node) -> list[str]:
    """The texts of its square brackets, in reading order."""
    match node:
        case Bracket(text):
            return [text]
        case Apply(_, operands):
            return [text for operand in operands for text in brackets(operand)]
        case _:
            return []
