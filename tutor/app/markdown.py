"""Markdown drawn by Rich into rows. Loading this takes a while: the first frame does without."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar

from markdown_it.token import Token
from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import CodeBlock, Heading, Markdown, MarkdownContext, MarkdownElement, Paragraph
from rich.padding import Padding
from rich.segment import Segment
from rich.style import Style
from rich.text import Text, TextType

from tutor.app.widgets.lines import Row
from tutor.views.picture import Role
from tutor.views.terms import Term, Wording

# Between a mark and its word, until the rows are broken: no row ends with a mark
_JOIN = "\ue000"


class Coloured:
    """Gives the words of a picture's terms the looks that they have in it, with a mark at the first mention."""

    def __init__(self, wording: Wording, look: Callable[[Role], Style]) -> None:
        self._wording = wording
        self._look = look
        self._known = set(wording.known)

    def text(self, text: Text, code: list[tuple[int, int]]) -> Text:
        """The text with its terms marked, except within `code`."""
        out, at = text.blank_copy(), 0
        for start, end, term in self._wording.found(text.plain):
            word = text[start:end]
            if any(start < stop and end > first for first, stop in code):
                continue
            if self._wording.only_bold and not _is_bold(text, start, end):
                continue
            word.stylize(self._look(term.role))
            # At a paragraph's beginning it would be a bullet
            out = out + text[at:start] + (self._mark(term) if start else Text()) + word
            at = end
        return out + text[at:] if at else text

    def _mark(self, term: Term) -> Text:
        known = term.name in self._known or not term.mark
        self._known.add(term.name)
        return Text() if known else Text(term.mark + _JOIN, self._look(term.role), end="")


def _is_bold(text: Text, start: int, end: int) -> bool:
    """Whether just this is: in "**gradient accumulation**" something else is introduced."""
    spans = [span for span in text.spans if (span.start, span.end) == (start, end)]
    return any(span.style == "markdown.strong" or getattr(span.style, "bold", False) for span in spans)


class _Paragraph(Paragraph):
    """A paragraph in which the terms of a picture have its colours."""

    coloured: Coloured | None

    @classmethod
    def create(cls, markdown: Markdown, token: Token) -> _Paragraph:
        paragraph = cls(justify=markdown.justify or "left")
        paragraph.coloured = getattr(markdown, "coloured", None)
        return paragraph

    def on_enter(self, context: MarkdownContext) -> None:
        super().on_enter(context)
        self.code: list[tuple[int, int]] = []

    def on_text(self, context: MarkdownContext, text: TextType) -> None:
        start = len(self.text)
        super().on_text(context, text)
        if context.current_style.color == context.console.get_style("markdown.code").color is not None:
            self.code.append((start, len(self.text)))

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        if self.coloured is not None:
            self.text = self.coloured.text(self.text, self.code)
        yield from super().__rich_console__(console, options)


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
        "paragraph_open": _Paragraph,
        "heading_open": _LeftHeading,
        "fence": _PlainCode,
        "code_block": _PlainCode,
    }
    coloured: Coloured | None = None


def markdown_rows(console: Console, source: str, width: int, coloured: Coloured | None = None) -> list[Row]:
    """Markdown as rows of at most `width` columns, without blank rows at either end."""
    options = console.options.update(width=max(1, width), height=None)
    markdown = _Markdown(source, hyperlinks=False)
    markdown.coloured = coloured
    rows = [_trimmed(row) for row in console.render_lines(markdown, options, pad=False)]
    if coloured is not None:
        rows = [[segment._replace(text=segment.text.replace(_JOIN, " ")) for segment in row] for row in rows]
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
