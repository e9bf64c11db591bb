"""Markdown drawn by Rich into rows. Loading this takes a while: the first frame does without."""

from __future__ import annotations

from typing import ClassVar

from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import CodeBlock, Heading, Markdown, MarkdownElement
from rich.padding import Padding
from rich.segment import Segment
from rich.text import Text

from tutor.app.widgets.lines import Row


class _LeftHeading(Heading):
    """A heading at the left edge: Rich centres it."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        self.text.justify = "left"
        yield self.text


class _PlainCode(CodeBlock):
    """Code as it is, set in by two columns: Rich would load a highlighter and paint a background."""

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        code = Text(str(self.text).rstrip(), style="markdown.code", no_wrap=False, overflow="fold")
        yield Padding(code, (0, 0, 0, 2))


class _Markdown(Markdown):
    elements: ClassVar[dict[str, type[MarkdownElement]]] = {
        **Markdown.elements,
        "heading_open": _LeftHeading,
        "fence": _PlainCode,
        "code_block": _PlainCode,
    }


def markdown_rows(console: Console, source: str, width: int) -> list[Row]:
    """Markdown as rows of at most `width` columns, without blank rows at either end."""
    options = console.options.update(width=max(1, width), height=None)
    drawn = console.render_lines(_Markdown(source, hyperlinks=False), options, pad=False)
    rows = [_trimmed(row) for row in drawn]
    while rows and not rows[-1]:
        rows.pop()
    while rows and not rows[0]:
        rows.pop(0)
    return rows


def _trimmed(row: Row) -> Row:
    """The row without the blanks at its end."""
    kept = list(row)
    while kept and not kept[-1].text.rstrip():
        kept.pop()
    if kept:
        kept[-1] = Segment(kept[-1].text.rstrip(), kept[-1].style)
    return kept
