"""What a question says of the answer it wants."""

from __future__ import annotations

import pytest

from tutor.asking import expects
from tutor.course.load import load

COURSE = load()


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("why-how-large", "a number of parameters, to within 0.5%"),
        ("why-gpus-for-a-month", "a number of GPUs"),
        ("why-years", "a number with its unit, to within 0.5%"),
        ("ring-latency-ratio", "a factor"),
        ("ring-chunk-to-send", "a number"),
        ("ring-share-final", "a share: a fraction or a percentage, to within 0.5%"),
        ("collectives-pick-one", "the number of an option"),
        ("why-what-helps-memory", "the numbers of the options, with commas"),
    ],
)
def test_what_is_expected_names_what_is_counted(question: str, words: str) -> None:
    assert expects(COURSE, COURSE.questions()[question]) == words
