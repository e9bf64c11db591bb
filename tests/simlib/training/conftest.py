"""What the trained models read: the prose of the lessons, and a short text where little is enough."""

from __future__ import annotations

from pathlib import Path

import pytest

from simlib.decoder import Corpus, Decoder, Sizes, corpus

LESSONS = Path(__file__).parents[3] / "lessons"


@pytest.fixture(scope="session")
def prose() -> str:
    """The text of all lessons."""
    text = "\n".join(path.read_text(encoding="utf-8") for path in sorted(LESSONS.glob("*/lesson.md")))
    assert len(text) > 20_000
    return text


@pytest.fixture(scope="session")
def text() -> Corpus:
    """A short text: 24 characters of vocabulary or so."""
    return corpus("the ring passes one chunk at a time, and every worker adds what arrives. " * 12)


@pytest.fixture(scope="session")
def decoder(text: Corpus) -> Decoder:
    """A decoder of two blocks for the short text; hardly anything divides its number of parameters."""
    return Decoder(Sizes(text.vocab, context=6, hidden=8, heads=2, layers=2))
