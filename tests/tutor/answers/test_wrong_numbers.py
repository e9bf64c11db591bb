"""What is said to a wrong number: a known mistake, a slip of unit or prefix, or its direction."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tutor.answers.judge import judge
from tutor.course.model import Course, Question

Ask = Callable[..., tuple[Course, Question]]
QUESTIONS = Path(__file__).parent / "questions"
STAGE_1 = (QUESTIONS / "stage_1.toml").read_text(encoding="utf-8")
BUBBLE = (QUESTIONS / "bubble.toml").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    ("text", "reason", "misconception"),
    [
        ("14", "All divided gives 14 GB.", "stage-1-divides-all"),
        ("14e9", "All divided gives 14 GB.", "stage-1-divides-all"),
        ("13.04 GiB", "All divided gives 14 GB.", "stage-1-divides-all"),
        ("19.25 GB", "Half.", "half"),
        (
            "35.86 GB",
            "This is the number of GiB, and 1 GiB is 2**30 bytes, 1 GB is 1e9. Write GiB, or give it in GB.",
            "gib-for-gb",
        ),
        (
            "35.86",
            "This is the number of GiB, and 1 GiB is 2**30 bytes, 1 GB is 1e9. Write GiB, or give it in GB.",
            "gib-for-gb",
        ),
        (
            "38.5 GiB",
            "This is the number of GB, and 1 GiB is 2**30 bytes, 1 GB is 1e9. Write GB, or give it in GiB.",
            "gib-for-gb",
        ),
        ("308 GB", "This is eight times too much. Did you count bits? A byte has eight of them.", None),
        ("4.81 GB", "This is an eighth of it. Did you divide by eight, as from bits to bytes?", None),
        ("38.5/8 GB", "This is an eighth of it. Did you divide by eight, as from bits to bytes?", None),
        ("4.8 GB", "4.8 GB is too low.", None),  # an eighth to half a percent, by chance
        ("310 GB", "310 GB is too high.", None),
        ("38.5 Gb", "That many bytes, but you wrote bits: eight bits are one byte.", "bits-for-bytes"),
        (
            "38.5 MB",
            "The digits are right, but it is 1,000 times too little: check the prefix of the unit.",
            "wrong-prefix",
        ),
        (
            "38500",
            "The digits are right, but it is 1,000 times too much: check the prefix of the unit.",
            "wrong-prefix",
        ),
        ("-38.5", "The size is right, the sign is not.", None),
        ("39", "39 GB is near, but rounded too far: give one digit more.", None),
        ("40", "40 GB is too high.", None),
        ("19 GB", "Half.", "half"),
        ("43.35 GB", "43.35 GB is too high.", None),  # 2**50 / 1e15
        ("37.6 GB", "37.6 GB is too low.", None),  # 1000 / 1024
        (
            "38.5 KB",
            "The digits are right, but it is 1,000,000 times too little: check the prefix of the unit.",
            "wrong-prefix",
        ),
        (
            "41.34 GB",
            "You took 2**30 bytes for 1 GB. That is 1 GiB; 1 GB is 1e9 bytes.",
            "gib-for-gb",
        ),
        ("33.4 GiB", "You divided by 1.074 once too often: 1 GiB is 2**30 bytes, 1 GB is 1e9.", "gib-for-gb"),
        ("38.2 GB", "38.2 GB is too low.", None),
        ("0", "0 GB is too low.", None),
    ],
)
def test_wrong_with_its_reason(ask: Ask, text: str, reason: str, misconception: str | None) -> None:
    verdict = judge(*ask(STAGE_1), text)
    assert (verdict.right, verdict.reason, verdict.misconception) == (False, reason, misconception)


LINK = """\
kind = "number"
prompt = "How fast?"
answer = "hardware.bandwidth hardware=h100 gpus=8"
why = "So."
unit = "B/s"
"""


def test_eight_times_a_link_s_bandwidth_is_bits(ask: Ask) -> None:
    # An H100's NVLink has 450 GB/s in one direction: links are what is sold in bits
    verdict = judge(*ask(LINK), "3600 GB/s")
    assert verdict.reason == "This is eight times too much. Did you count bits? A byte has eight of them."
    assert verdict.misconception == "bits-for-bytes"


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("27.3", "This is the percentage, but it is read as a share of 1. Write it with %, or as a share of 1."),
        ("0.273%", "This is the share of 1, not the percentage: leave the % out."),
        ("38%", "Of the ideal time."),
    ],
)
def test_shares_that_are_off_by_their_form(ask: Ask, text: str, reason: str) -> None:
    verdict = judge(*ask(BUBBLE), text)
    assert (verdict.right, verdict.reason) == (False, reason)


INDEX = 'kind = "number"\nprompt = "P"\nwhy = "W"\nanswer = "(worker - 3) % 8"\ngiven = { worker = 1 }\n'


@pytest.mark.parametrize(("text", "reason"), [("7", "7 is not it."), ("2", "2 is not it."), ("2.5", "2.5 is not it.")])
def test_an_index_is_neither_too_high_nor_too_low(ask: Ask, text: str, reason: str) -> None:
    verdict = judge(*ask(INDEX), text)
    assert (verdict.right, verdict.reason) == (False, reason)
    assert judge(*ask(INDEX), "6").right


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("112", "The digits are right, but it is 1,000,000,000 times too little: check the zeros."),
        ("112e12", "The digits are right, but it is 1,000 times too much: check the zeros."),
        # 2**30 times too little: its digits are others, and the factor would be half of the answer
        ("104.3", "104.3 is not it."),
    ],
)
def test_a_count_has_zeros_and_no_prefix(ask: Ask, text: str, reason: str) -> None:
    count = 'kind = "number"\nprompt = "P"\nwhy = "W"\nanswer = "n * 1e9"\ngiven = { n = 112 }\n'
    assert judge(*ask(count), text).reason == reason
