"""Prose: Markdown drawn by Rich into rows."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import CodeBlock, Heading, Markdown, MarkdownElement
from rich.padding import Padding
from rich.segment import Segment
from rich.text import Text

from tutor.app.widgets.lines import Lines, Row

if TYPE_CHECKING:
    from rich.theme import Theme

# Longer lines are hard to read however wide the terminal is
MEASURE = 76


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


def markdown_theme(few: bool) -> Theme:
    """Rich's names for the parts of Markdown, in the app's styles."""
    from rich.theme import Theme

    from tutor.app.theme import words

    style = words(few)
    quiet, strong = style.quiet, style.strong
    return Theme(
        {
            "markdown.paragraph": style.plain,
            "markdown.text": style.plain,
            "markdown.code": style.code,
            "markdown.code_block": style.code,
            "markdown.strong": strong,
            "markdown.em": style.emphasis,
            "markdown.emph": style.emphasis,
            "markdown.item.bullet": quiet,
            "markdown.item.number": quiet,
            "markdown.list": style.plain,
            "markdown.item": style.plain,
            "markdown.block_quote": quiet,
            "markdown.hr": quiet,
            "markdown.link": style.plain,
            "markdown.link_url": quiet,
            "markdown.table.border": quiet,
            "markdown.table.header": strong,
            **{f"markdown.h{level}": strong for level in range(1, 8)},
            "markdown.h1.border": quiet,
        }
    )


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


class Prose(Lines):
    """A piece of the lesson's text."""

    DEFAULT_CSS = "Prose { padding: 0 1; }"

    def __init__(self, source: str, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self.source = source

    def update(self, source: str) -> None:
        """Shows another text."""
        self.source = source
        self.changed()

    def rows(self, width: int) -> list[Row]:
        return markdown_rows(self.app.console, self.source, min(width, MEASURE))
