"""Figures filled into prose."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tutor.course.inline import expand, stretches
from tutor.course.model import CourseError, Place

PLACE = Place(Path("lesson.md"), 10)


def shown(text: str) -> str:
    return expand(text, PLACE, {"n": 8, "mb": 100, "share": 0.1})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("nothing to fill in", "nothing to fill in"),
        ("{{n}} workers", "8 workers"),
        ("{{ ring.steps workers=n }} steps", "14 steps"),
        ("{{ring.bytes_sent workers=3 bytes=24 | B}}", "32 B"),
        ("{{ring.bytes_sent workers=3 bytes=24}}", "32 B"),
        ("{{zero.bytes_per_gpu params=7e9 gpus=8 stage=2 | GB}}", "26.25 GB"),
        ("{{pipeline.bubble stages=4 micro_batches=8 | %}}", "27.3%"),
        ("{{ring.ratio workers=64 | x}} and {{ring.ratio workers=4}}", "1.97x and 1.5"),
        ("{{mb*1e6 | B}}, {{n/3 | .2f}}, {{1e6 | ,}}", "100 MB, 2.67, 1,000,000"),
        ("{{share | .0f %}}", "10%"),
        ("`{{n}}` and ``a ` {{n}}`` and {{n}}", "`{{n}}` and ``a ` {{n}}`` and 8"),
        ("```python\n{{n}}\n```\n{{n}}", "```python\n{{n}}\n```\n8"),
        ("~~~~\n```\n{{n}}\n~~~~\n{{n}}", "~~~~\n```\n{{n}}\n~~~~\n8"),
        ("```\n{{n}} never closed", "```\n{{n}} never closed"),
        ("a lone ` and {{n}}", "a lone ` and 8"),
        ("an \\80 GB card, \\{{n}}", "an 80 GB card, {{n}}"),
        ("`\\80`", "`\\80`"),
        ("2 } and }} {", "2 } and }} {"),
    ],
)
def test_what_is_filled_in(text: str, expected: str) -> None:
    assert shown(text) == expected


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("a\nb {{ring.stps workers=3}}", 11, "{{ring.stps workers=3}}: ring.stps: quantity is 'ring.stps'"),
        ("a\n\n{{n | parsecs}}", 12, "{{n | parsecs}}: 'parsecs' is no format; accepted: B, GB, GiB"),
        ("{{m}}", 10, "{{m}}: 'm': no variable is called 'm'"),
        ("{{}}", 10, "{{}}: an empty expression"),
        ("a\n{{n", 11, "{{ is not closed by }}"),
        ("`x`\n\n{{cell step=1}}", 12, "{{cell step=1}}: 'cell step=1': there is no live picture here"),
    ],
)
def test_faults_are_named_with_their_line(text: str, line: int, message: str) -> None:
    with pytest.raises(CourseError) as caught:
        shown(text)
    assert caught.value.message.startswith(message)
    assert caught.value.place == Place(PLACE.file, line)


def test_a_cell_with_nothing_in_it_cannot_be_shown() -> None:
    with pytest.raises(CourseError, match="there is nothing in this cell to show"):
        expand("{{cell slot=3}}", PLACE, {}, lambda at: None)


_TEXTS = st.lists(st.sampled_from(["`", "```", "~~~", "\n", "{{n}}", "{{", "}}", "\\", " a", "8"]), max_size=25).map(
    "".join
)


@settings(deadline=None)
@given(_TEXTS)
def test_stretches_are_the_whole_text_in_order(text: str) -> None:
    found = list(stretches(text))
    assert "".join(stretch.text for stretch in found) == text
    assert all(text[stretch.start :].startswith(stretch.text) for stretch in found)


@settings(deadline=None)
@given(_TEXTS | st.text(max_size=60))
def test_any_text_is_expanded_or_refused(text: str) -> None:
    line = 10
    try:
        shown(text)
    except CourseError as error:
        line = error.place.line
    assert 10 <= line <= 10 + text.count("\n")
