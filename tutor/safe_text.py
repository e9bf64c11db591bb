"""Makes a string from a learner's file safe to show: no terminal escape, no invisible character."""

from __future__ import annotations

import unicodedata

_PICTURES = {code: chr(0x2400 + code) for code in range(0x20)} | {0x7F: "\u2421"}


def visible(text: str, *, lines: bool = False) -> str:
    """`text` with control, format, private and surrogate characters as visible signs.

    C0 and DEL become their Unicode pictures; C1, Cf, Co and Cs become `<U+XXXX>`. With
    `lines=True`, line feeds stay and tabs become four spaces.

    >>> visible("a\\x1b[31mb")
    'a␛[31mb'
    """
    out: list[str] = []
    for character in text:
        code = ord(character)
        if lines and character == "\n":
            out.append(character)
        elif lines and character == "\t":
            out.append("    ")
        elif code in _PICTURES:
            out.append(_PICTURES[code])
        elif unicodedata.category(character) in ("Cc", "Cf", "Co", "Cs", "Zl", "Zp"):
            out.append(f"<U+{code:04X}>")
        else:
            out.append(character)
    return "".join(out)
