"""Markdown read aloud: its marks go, what it says stays."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tutor.plain.markdown import paragraphs, unmarked


def said(source: str) -> list[tuple[str, str]]:
    return [(" " * each.indent + each.mark, each.text) for each in paragraphs(source)]


def test_paragraphs_lists_and_headings() -> None:
    source = "## A head\n\nOne **bold**\nline.\n\n- first\n  goes on\n- second\n  - deeper\n1. counted\n\n---\nLast."
    assert said(source) == [
        ("", "A head"),
        ("", "One bold line."),
        ("- ", "first goes on"),
        ("- ", "second"),
        ("  - ", "deeper"),
        ("1. ", "counted"),
        ("", "Last."),
    ]
    assert [each.close for each in paragraphs("- a\n- b\n\nc")] == [False, True, False]


def test_code_is_kept_letter_for_letter() -> None:
    found = list(paragraphs("So:\n\n```python\nif x:\n    y = a * b  # **not** bold\n\n```\n\n    indented *too*\n"))
    assert [each.text for each in found if each.code] == ["if x:", "    y = a * b  # **not** bold", "indented *too*"]
    assert not any("```" in each.text for each in found)
    assert unmarked("`a * b` and *c* and `d_e_f`, ``x`y``") == "a * b and c and d_e_f, x`y"


def test_a_row_of_a_table_names_its_columns() -> None:
    table = "| call | adds | |\n|---|:--:|---|\n| `a|b` | yes | x |\n| c \\| d | | y |\n\nAfter."
    assert said(table) == [("- ", "call: a|b; adds: yes; x"), ("- ", "call: c | d; y"), ("", "After.")]


def test_signs_that_mark_nothing_stay() -> None:
    for text in ("2 * 3 * 4", "reduce_scatter_tensor", "a < b > c", "5 > 3", "N-1 steps", "snake_case_ too", "50% [1]"):
        assert unmarked(text) == text
    assert unmarked(r"\*not\* bold, \_x\_") == "*not* bold, _x_"
    assert unmarked("[PyTorch](https://pytorch.org) and ***both***") == "PyTorch (https://pytorch.org) and both"


@given(st.text(alphabet="ab *_`#|-\n\\[]()1.>~", max_size=60))
def test_letters_and_digits_are_never_lost(source: str) -> None:
    if "```" in source or "~~~" in source:
        return  # what follows a fence is the name of a language
    kept = "".join(f"{each.mark}{each.text}" for each in paragraphs(source))
    rows = [line for line in source.splitlines() if line.count("|") > 1]  # cells beyond a table's heads have no name
    assert rows or sorted(filter(str.isalpha, kept)) == sorted(filter(str.isalpha, source))
