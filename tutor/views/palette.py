"""How each role looks: colours for dark and light backgrounds, attributes, and glyphs for where there is no colour.

The same thing has the same colour in every picture: what a worker sends is orange, what arrives is
sky blue, what is done is green; forward work and the weights are blue, backward work and the
gradients violet; activations are teal, and arithmetic, whatever it computes, is light grey. Ranks have
colours that are no thing's, and groups of them backgrounds.
tutor.views.terms says what each is called. Each distinction also has a glyph, a bracket or a place of
its own, so that a picture printed in black still says everything.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal

from tutor.views.picture import Role

Background = Literal["dark", "light"]

# Glyphs, each one terminal cell wide and none of them an emoji; tutor.views.ascii has their plain forms
ARROW = "→"
DONE = "✓"
IDLE = "·"
NOT_HELD = "·"
BACKWARD = "«"
INPUT_GRADIENT = "‹"
WEIGHT_GRADIENT = "w"
RULE = "─"
FORWARD_GOES_ON = "─"
BACKWARD_GOES_ON = "═"
INPUT_GRADIENT_GOES_ON = "╌"
WEIGHT_GRADIENT_GOES_ON = "┄"
CAPACITY = "┃"
UNEQUAL = "≠"
BACK_ARROW = "←"
OVER_NETWORK = "≈"
SENT_LINE = "━"
PEAK = "▲"
# Lines that join workers, by the directions they leave in: left, right, up, down
JOINTS = {
    "lr": "─",
    "ud": "│",
    "lrd": "┬",
    "lru": "┴",
    "ld": "┐",
    "lu": "┘",
    "lud": "┤",
    "lrud": "┼",
    "rd": "┌",
    "ru": "└",
}
WEIGHTS_FILL = "█"
GRADIENTS_FILL = "▒"
OPTIMIZER_FILL = "░"
SCORES_FILL = "▓"
MLP_FILL = "▄"
ACTIVATIONS_FILL = "▀"
COMPUTE_FILL = "■"
CHECKPOINT_FILL = "■"
AGAIN = "╌"  # done a second time, in the colour of what is
HIDDEN_LINE = "┄"  # communication beside which something is computed

# Black and the grey most themes use, white and the cream of the best known light theme
PAGE: Mapping[Background, str] = MappingProxyType({"dark": "#11151c", "light": "#ffffff"})


@dataclass(frozen=True)
class Style:
    """A role's look. `foreground` None is the terminal's own colour.

    `background` serves truecolour and 256 colours only; with fewer, `reverse` sets the cell off.
    `ansi` is one of the 16 colours (0 to 15), or None for the terminal's own.
    """

    foreground: str | None = None
    ansi: int | None = None
    background: str | None = None
    bold: bool = False
    underline: bool = False
    reverse: bool = False


_DARK: dict[Role, Style] = {
    Role.PLAIN: Style("#dfe5ee"),
    Role.QUIET: Style("#8c98a8"),
    Role.HEAD: Style("#b4c0d0"),
    Role.IDLE: Style("#8c98a8"),
    Role.SENT: Style("#ffb454", 3, bold=True),
    Role.RECEIVED: Style("#6cd0ff", 14, bold=True),
    Role.FINISHED: Style("#7ddc8f", 10),
    Role.ABSENT: Style("#6f7b8b"),
    Role.FORWARD: Style("#cfe3ff", 14, "#1f4068"),
    Role.BACKWARD: Style("#f0dcff", 13, "#55306e", reverse=True),
    Role.INPUT_GRADIENT: Style("#ffd9ec", 13, "#722b52"),
    Role.WEIGHT_GRADIENT: Style("#d9f2d9", 10, "#2c5436"),
    Role.WEIGHTS: Style("#6fa8ff", 14),
    Role.GRADIENTS: Style("#c792ea", 13),
    Role.OPTIMIZER: Style("#8fb8a8", 10),
    Role.ACTIVATIONS: Style("#5fd0c0", 6),
    Role.COMPUTE: Style("#c3cad6"),
    Role.CAPACITY: Style("#ffffff", 15, bold=True),
    Role.OVER: Style("#ff7b72", 9, bold=True),
    Role.PEAK: Style("#ffd166", 11, bold=True),
    # Colours of nothing else, at 16 too, where there are only three
    Role.RANK_0: Style("#5fffff", 12),
    Role.RANK_1: Style("#afaf00", 2),
    Role.RANK_2: Style("#d7ff87", 5),
    Role.RANK_3: Style("#ffafd7", 12),
    Role.RANK_4: Style("#d7875f", 2),
    Role.RANK_5: Style("#8787ff", 5),
    Role.GROUP_0: Style("#eeeeee", None, "#5f0000"),
    Role.GROUP_1: Style("#eeeeee", None, "#005f00", reverse=True),
    Role.GROUP_2: Style("#eeeeee", None, "#000087"),
    Role.GROUP_3: Style("#eeeeee", None, "#585858", reverse=True),
    Role.YOURS: Style("#ffe08a", 11, bold=True, underline=True),
    Role.ENGINE: Style("#7ddc8f", 10, bold=True),
    Role.DIFFERENCE: Style("#ffffff", 9, "#a4262c", bold=True, reverse=True),
    Role.CURSOR: Style("#11151c", None, "#ffe08a", bold=True, reverse=True),
    Role.BLANK: Style("#b4c0d0"),
}

# On white, only blue, red and magenta of the 16 are dark enough everywhere; the rest stays the terminal's own
_LIGHT: dict[Role, Style] = {
    Role.PLAIN: Style("#1c2430"),
    Role.QUIET: Style("#5f6b7a"),
    Role.HEAD: Style("#3b4757"),
    Role.IDLE: Style("#5f6b7a"),
    Role.SENT: Style("#9a4b00", 5, bold=True),
    Role.RECEIVED: Style("#00629b", 4, bold=True),
    Role.FINISHED: Style("#1a6b2d"),
    Role.ABSENT: Style("#76818f"),
    Role.FORWARD: Style("#0b2d57", 4, "#cfe1fb"),
    Role.BACKWARD: Style("#3f1459", 5, "#e6d0f5", reverse=True),
    Role.INPUT_GRADIENT: Style("#5c0f38", 5, "#fad4e5"),
    Role.WEIGHT_GRADIENT: Style("#123d1c", None, "#d2ecd4"),
    Role.WEIGHTS: Style("#1f5fbf", 4),
    Role.GRADIENTS: Style("#7a33a8", 5),
    Role.OPTIMIZER: Style("#3f6b5c"),
    Role.ACTIVATIONS: Style("#0b6a66"),
    Role.COMPUTE: Style("#4a5568"),
    Role.CAPACITY: Style("#000000", bold=True),
    Role.OVER: Style("#b3161b", 1, bold=True),
    Role.PEAK: Style("#8a4b00", bold=True),
    Role.RANK_0: Style("#005fff", 4),
    Role.RANK_1: Style("#870000", 5),
    Role.RANK_2: Style("#af00af"),
    Role.RANK_3: Style("#0000af", 4),
    Role.RANK_4: Style("#d7005f", 5),
    Role.RANK_5: Style("#5f0087"),
    Role.GROUP_0: Style("#1c1c1c", None, "#ffd7af"),
    Role.GROUP_1: Style("#1c1c1c", None, "#d7ffaf", reverse=True),
    Role.GROUP_2: Style("#1c1c1c", None, "#afffff"),
    Role.GROUP_3: Style("#1c1c1c", None, "#ffffaf", reverse=True),
    Role.YOURS: Style("#7a4f00", 5, bold=True, underline=True),
    Role.ENGINE: Style("#1a6b2d", 4, bold=True),
    Role.DIFFERENCE: Style("#ffffff", 1, "#b3161b", bold=True, reverse=True),
    Role.CURSOR: Style("#ffffff", None, "#1c2430", bold=True, reverse=True),
    Role.BLANK: Style("#3b4757"),
}

STYLES: Mapping[Background, Mapping[Role, Style]] = MappingProxyType(
    {"dark": MappingProxyType(_DARK), "light": MappingProxyType(_LIGHT)}
)


def style(role: Role, background: Background = "dark") -> Style:
    """How `role` looks on a dark or a light background.

    >>> style(Role.SENT).foreground, style(Role.SENT).ansi
    ('#ffb454', 3)
    """
    return STYLES[background][role]


RANKS = (Role.RANK_0, Role.RANK_1, Role.RANK_2, Role.RANK_3, Role.RANK_4, Role.RANK_5)
GROUPS = (Role.GROUP_0, Role.GROUP_1, Role.GROUP_2, Role.GROUP_3)


def of_rank(rank: int) -> Role:
    """The role of what is on `rank`: ranks that stand near one another differ.

    >>> of_rank(1), of_rank(7)
    (<Role.RANK_1: 'rank-1'>, <Role.RANK_1: 'rank-1'>)
    """
    return RANKS[rank % len(RANKS)]


def of_group(group: int) -> Role:
    """The role of a group of ranks: what lies beside it differs.

    >>> of_group(1), of_group(5)
    (<Role.GROUP_1: 'group-1'>, <Role.GROUP_1: 'group-1'>)
    """
    return GROUPS[group % len(GROUPS)]


def rgb(colour: str) -> tuple[int, int, int]:
    """Red, green and blue, 0 to 255, of a "#rrggbb" colour."""
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def bracketed(role: Role, text: str) -> str:
    """`text` with the signs that tell a mark without colour: (yours), =engine's, ≠differing, [cursor]."""
    match role:
        case Role.DIFFERENCE:
            return f"{UNEQUAL}{text}"
        case Role.YOURS:
            return f"({text})"
        case Role.ENGINE:
            return f"={text}"
        case Role.CURSOR:
            return f"[{text}]"
        case _:
            return text
