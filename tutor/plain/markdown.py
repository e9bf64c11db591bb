"""The Markdown of lessons as paragraphs without its marks, in the order in which they are read aloud."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_FENCE = re.compile(r"\s*(`{3,}|~{3,})")
_HEADING = re.compile(r"#{1,6}\s+(.*?)\s*#*$")
_ITEM = re.compile(r"(?P<indent>\s*)(?P<mark>[-*+]|\d{1,3}[.)])\s+(?P<text>.*)")
_RULE = re.compile(r"\s*([-*_])(\s*\1){2,}\s*$")
_DIVIDER = re.compile(r"\s*\|?\s*:?-+:?\s*(\|\s*:?-+:?\s*)*\|?\s*$")
_CODE_SPAN = re.compile(r"(`+)(.+?)\1", re.S)
_LINK = re.compile(r"!?\[([^\]]*)\]\(([^)\s]*)\)")
_ESCAPED = re.compile(r"\\([!-/:-@\[-`{-~])")
_KEPT = "\x00{}\x00"  # stands for a stretch that is read as it is written


@dataclass(frozen=True)
class Paragraph:
    """One paragraph, item of a list, or row of a table; or a line of code, which is never wrapped."""

    text: str
    mark: str = ""  # what stands before an item: "- " or "2. "
    indent: int = 0
    code: bool = False
    close: bool = False  # follows the one before without a blank line


def paragraphs(source: str) -> Iterator[Paragraph]:
    """The paragraphs of `source`.

    >>> [(each.mark, each.text) for each in paragraphs("A **ring** has `N` links:\\n\\n- one\\n- two")]
    [('', 'A ring has N links:'), ('- ', 'one'), ('- ', 'two')]
    """
    lines = source.expandtabs(4).splitlines()
    at = 0
    in_list = False
    while at < len(lines):
        line = lines[at]
        fence = _FENCE.match(line)
        item = _ITEM.match(line)
        if not line.strip() or _RULE.match(line):
            at += 1
        elif fence:
            end = next((k for k in range(at + 1, len(lines)) if lines[k].strip().startswith(fence[1])), len(lines))
            yield from _code(lines[at + 1 : end])
            at = end + 1
        elif heading := _HEADING.match(line.strip()):
            yield Paragraph(unmarked(heading[1]))
            at += 1
        elif "|" in line and at + 1 < len(lines) and _DIVIDER.match(lines[at + 1]):
            end = next((k for k in range(at + 2, len(lines)) if "|" not in lines[k]), len(lines))
            yield from _table(lines[at], lines[at + 2 : end])
            at = end
        elif line.startswith("    ") and not in_list and not item:
            after = (k for k in range(at, len(lines)) if lines[k].strip() and not lines[k].startswith("    "))
            end = next(after, len(lines))
            yield from _code(lines[at:end])
            at = end
        else:
            end = at + 1
            while end < len(lines) and not _begins_anew(lines[end]):
                end += 1
            text = item["text"] if item else line
            words = " ".join(each.strip().removeprefix("> ") for each in [text, *lines[at + 1 : end]])
            if item:
                mark = "- " if item["mark"] in "-*+" else f"{item['mark']} "
                yield Paragraph(unmarked(words), mark, len(item["indent"]), close=in_list)
            else:
                yield Paragraph(unmarked(words), indent=2 if in_list and line.startswith(" ") else 0)
            in_list = bool(item) or (in_list and line.startswith(" "))
            at = end
            continue
        if line.strip():
            in_list = False


def _begins_anew(line: str) -> bool:
    """Whether a line ends the paragraph before it."""
    return not line.strip() or any(form.match(line) for form in (_FENCE, _ITEM)) or bool(_HEADING.match(line))


def _code(lines: list[str]) -> Iterator[Paragraph]:
    while lines and not lines[-1].strip():
        lines = lines[:-1]
    margin = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    for number, line in enumerate(lines):
        yield Paragraph(line[margin:].rstrip(), indent=4, code=True, close=number > 0)


def _table(heads: str, rows: list[str]) -> Iterator[Paragraph]:
    """Every row as a sentence that names its columns: a row read aloud alone still says what it is about."""
    names = _row(heads)
    if not rows:
        yield Paragraph("; ".join(filter(None, names)))
    for number, row in enumerate(rows):
        cells = [f"{name}: {cell}" if name else cell for name, cell in zip(names, _row(row), strict=False) if cell]
        yield Paragraph("; ".join(cells), "- ", close=number > 0)


def _row(line: str) -> list[str]:
    kept: list[str] = []

    def keep(found: re.Match[str]) -> str:
        kept.append(found[0])
        return _KEPT.format(len(kept) - 1)

    # A bar inside code parts no columns
    covered = re.sub(r"\\\||" + _CODE_SPAN.pattern, keep, line.strip())
    cells = covered.removeprefix("|").removesuffix("|").split("|")
    back = [re.sub("\x00(\\d+)\x00", lambda found: kept[int(found[1])], cell) for cell in cells]
    return [unmarked(cell.strip()) for cell in back]


def unmarked(text: str) -> str:
    """A line without marks of emphasis, code and links; what stands in code is kept letter for letter.

    >>> unmarked("**N** workers: `2 * (N - 1)`, _not_ `snake_case` or a_b_c; [here](x.md)")
    'N workers: 2 * (N - 1), not snake_case or a_b_c; here (x.md)'
    """
    kept: list[str] = []

    def keep(words: str) -> str:
        kept.append(words)
        return _KEPT.format(len(kept) - 1)

    text = _CODE_SPAN.sub(lambda found: keep(found[2].strip()), text.replace("\x00", ""))
    text = _ESCAPED.sub(lambda found: keep(found[1]), text)
    text = _LINK.sub(lambda found: f"{found[1]} ({found[2]})" if found[2] else found[1], text)
    for mark in (r"\*\*\*", r"\*\*", r"\*"):
        text = re.sub(rf"{mark}(?=\S)(.+?)(?<=\S){mark}", r"\1", text, flags=re.S)
    for mark in ("__", "_"):
        text = re.sub(rf"(?<!\w){mark}(?=\S)(.+?)(?<=\S){mark}(?!\w)", r"\1", text, flags=re.S)
    return re.sub("\x00(\\d+)\x00", lambda found: kept[int(found[1])], text)
