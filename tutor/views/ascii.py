"""Plain ASCII for terminals and locales without UTF-8.

Pictures: one character for one, so that columns stay where they are. Sentences: spelled out, so that nothing is lost.
"""

from __future__ import annotations

import re
import unicodedata

from tutor.views import palette

# Every glyph the views draw; a test draws all pictures and finds each of their characters here or in ASCII
GLYPHS: dict[str, str] = {
    palette.ARROW: ">",
    palette.DONE: "*",
    palette.IDLE: ".",
    palette.BACKWARD: "<",
    palette.INPUT_GRADIENT: "i",
    palette.FORWARD_GOES_ON: "-",
    palette.BACKWARD_GOES_ON: "=",
    palette.INPUT_GRADIENT_GOES_ON: "~",
    palette.WEIGHT_GRADIENT_GOES_ON: "_",
    palette.CAPACITY: "|",
    palette.UNEQUAL: "#",
    palette.WEIGHTS_FILL: "W",
    palette.GRADIENTS_FILL: "G",
    palette.OPTIMIZER_FILL: "O",
    palette.SCORES_FILL: "S",
    palette.MLP_FILL: "M",
    palette.ACTIVATIONS_FILL: "A",
    palette.COMPUTE_FILL: "C",
    palette.BACK_ARROW: "<",
    palette.OVER_NETWORK: "~",
    palette.SENT_LINE: "=",
    palette.PEAK: "^",
    **dict.fromkeys(palette.JOINTS.values(), "+"),
    palette.JOINTS["lr"]: "-",
    palette.JOINTS["ud"]: "|",
    "×": "x",
    "—": "-",
    "–": "-",
}

_TABLE = str.maketrans(GLYPHS)


def to_ascii(text: str) -> str:
    """`text` in ASCII, as long as before: known glyphs as their plain forms, anything else as "?".

    >>> to_ascii("worker 0 → 1: 303✓")
    'worker 0 > 1: 303*'
    """
    return text.translate(_TABLE).encode("ascii", "replace").decode("ascii")


_SPELLED = str.maketrans(
    {
        palette.ARROW: "->",
        palette.BACK_ARROW: "<-",
        palette.UNEQUAL: "!=",
        "≈": "~",
        "≃": "~",
        "≤": "<=",
        "≥": ">=",
        "…": "...",
        "√": "sqrt ",
        "−": "-",
        "·": ".",
        "÷": "/",
        "ᵀ": "^T",
        "α": "alpha",
        "β": "beta",
        "µ": "u",
        "μ": "u",
        "⌈": "ceil(",
        "⌉": ")",
        "⌊": "floor(",
        "⌋": ")",
        **dict.fromkeys("‘’´", "'"),
        **dict.fromkeys("“”„", '"'),
    }
)
_RAISED = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-")
_ROOT = re.compile(r"(?<=\w)√")
_POWER = re.compile(r"[⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻]+")


def spelled(text: str) -> str:
    """A sentence in ASCII, however long it gets; a sign that has no ASCII name is "?".

    >>> spelled("2 × 10⁻⁹ s… 2√h, Kähler")
    '2 x 10^-9 s... 2 sqrt h, Kahler'
    """
    if text.isascii():
        return text
    text = _ROOT.sub(" √", text)
    text = _POWER.sub(lambda found: "^" + found[0].translate(_RAISED), text).translate(_SPELLED).translate(_TABLE)
    bare = "".join(sign for sign in unicodedata.normalize("NFKD", text) if not unicodedata.combining(sign))
    return bare.encode("ascii", "replace").decode("ascii")
