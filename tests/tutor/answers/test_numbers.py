"""Numbers as people type them. Every case is worked out by hand."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tutor import units
from tutor.answers.numbers import read_number
from tutor.answers.verdict import NotUnderstood


def readings(text: str, unit: str = "") -> list[float]:
    return [reading.value for reading in read_number(text, unit, units.natural(38.5e9, unit)).readings]


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("38.5", 38.5e9),
        ("38.5 GB", 38.5e9),
        ("38.5GB", 38.5e9),
        ("38.5 gb per GPU", 38.5e9),
        ("38.5 GB/GPU", 38.5e9),
        ("38.5 gigabytes.", 38.5e9),
        ("about 38.5 GB", 38.5e9),
        ("≈ 38.5 GB", 38.5e9),
        ("= 38.5 GB", 38.5e9),
        ("38,5 GB", 38.5e9),
        ("38,500 MB", 38.5e9),
        ("38 500 MB", 38.5e9),
        ("38'500 MB", 38.5e9),
        ("38\u00a0500\u202fMB", 38.5e9),  # a no-break space, as a word processor writes it
        ("38_500 MB", 38.5e9),
        ("38.500,5 MB", 38.5005e9),
        ("1,234,567 KB", 1234567e3),
        ("1.234.567 KB", 1234567e3),
        ("0,273 GB", 0.273e9),
        ("35.86 GiB", 35.86 * 2**30),
        ("308 Gb", 38.5e9),
        ("308 Gbit", 38.5e9),
        ("308 gigabits", 38.5e9),
        ("38.5 billion bytes", 38.5e9),
        ("38.5 billion", 38.5e9),
        ("−38.5 GB", -38.5e9),
        ("–38.5", -38.5e9),
        ("4*7+12*7/8", 38.5e9),
        ("4×7 + 12×7÷8 GB", 38.5e9),
        ("4 x 7 + 12 x 7 / 8", 38.5e9),
        ("(28+10.5) GB", 38.5e9),
        ("77/2 GB", 38.5e9),
        ("½ GB", 0.5e9),
        ("7² GB", 49e9),
        ("3.85·10¹⁰ B", 38.5e9),
        ("3.85x10^10 bytes", 38.5e9),
        ("3.85e+10 B", 38.5e9),
        (".5 GB", 0.5e9),
        ("7. GB", 7e9),
        ("٣٨ GB", 38e9),
        ("max(28, 3) GB", 28e9),
        ("38.5 G", 38.5e9),
        ("38.5G", 38.5e9),
        ("38.5 g", 38.5e9),
        ("38500 M on each GPU", 38.5e9),
        ("35.86 Gi", 35.86 * 2**30),
        ("38.5 GB in all?", 38.5e9),
        ("38.5 GB (approximately)", 38.5e9),
    ],
)
def test_bytes_for_a_question_in_gb(text: str, first: float) -> None:
    assert readings(text, "GB")[0] == pytest.approx(first)


@pytest.mark.parametrize(
    ("text", "unit", "expected"),
    [
        ("38.5", "GB", [38.5e9, 38.5]),
        ("38.5e9", "GB", [38.5e18, 38.5e9]),
        ("38.5", "B", [38.5e9, 38.5]),
        ("27.3", "%", [0.273, 27.3]),
        ("0.273", "%", [0.00273, 0.273]),
        ("3/11", "%", [3 / 1100, 3 / 11]),
        ("27.3 %", "%", [0.273]),
        ("27 percent", "", [0.27]),
        ("27%", "", [0.27]),
        ("14", "", [14]),
        ("14 steps", "steps", [14]),
        ("14 of them", "steps", [14]),
        ("1 step", "steps", [1]),
        ("14 steps per worker", "", [14]),
        ("63 micro-batch", "micro-batches", [63]),
        ("32 all-reduces", "collectives", [32]),
        ("9 pieces", "slots", [9]),
        ("27% of the total time", "%", [0.27]),
        ("9 times as much", "x", [9]),
        ("9-fold", "x", [9]),
        ("9 fold.", "x", [9]),
        ("9x.", "x", [9]),
        ("x9", "x", [9]),
        ("a factor of 9", "x", [9]),
        ("9:1", "x", [9]),
        ("1 : 8", "%", [1 / 800, 1 / 8]),
        ("25%.", "%", [0.25]),
        ("#6", "", [6]),
        ("it is 6", "", [6]),
        ("11.25B params", "parameters", [11.25e9]),
        ("11.25 bn", "parameters", [11.25e9]),
        ("3 other ranks", "ranks", [3]),
        ("2 weeks", "s", [2 * 604800]),
        ("12 months", "s", [365.25 * 86400]),
        ("2 y", "s", [2 * 365.25 * 86400]),
        ("0.084 YFLOP", "FLOP", [84e21]),
        ("0 x 6", "", [0]),
        ("84 Z", "FLOP", [84e21]),
        ("350 G", "B/s", [350e9]),
        ("350 GB per second", "B/s", [350e9]),
        ("10 us + 20 us", "s", [30e-6]),
        ("10us+0.02 ms", "s", [30e-6]),
        ("1e-5 s + 2e-5 s", "s", [30e-6]),
        ("52 GB + 156 GB / 8", "B", [71.5e9]),
        ("4*13 GB + 12*13/8 GB", "B", [71.5e9]),
        ("13 GB * (4 + 12/8)", "B", [71.5e9]),
        ("200 GB/s * 1.75", "B/s", [350e9]),
        ("2,800 Gbit a second", "B/s", [350e9]),
        ("35 H100s", "GPUs", [35]),
        ("750 MB sent", "B", [750e6]),
        ("chunk 6", "", [6]),
        ("Stage: 2", "", [2]),
        ("N = 6", "", [6]),
        ("bubble = 27%", "", [0.27]),
        ("(1 - 4 + 1) % 8", "", [6]),
        ("1.5x", "", [1.5]),
        ("1.5 times", "x", [1.5]),
        ("2 zettaFLOPs", "FLOP", [2e21]),
        ("1.5 ZFLOP", "FLOP", [1.5e21]),
        ("1 yottaFLOP", "FLOP", [1e24]),
        ("2 Y", "FLOP", [2e24]),
        ("300 teraflops", "FLOP/s", [300e12]),
        ("300 tflops", "FLOP/s", [300e12]),
        ("300 TFLOPs", "FLOP/s", [300e12]),
        ("300 teraFLOPs per second", "FLOP/s", [300e12]),
        ("300 teraflops", "FLOP", [300e12]),
        ("5 gigabytes per second", "B/s", [5e9]),
        ("1/8th", "%", [1 / 800, 1 / 8]),
        ("1/8th", "", [1 / 8]),
        ("2/3rds of it", "", [2 / 3]),
        ("an eighth", "%", [1 / 800, 1 / 8]),
        ("about an eighth of the total", "", [1 / 8]),
        ("two-thirds", "", [2 / 3]),
        ("half", "x", [0.5]),
        ("3 quarters", "", [0.75]),
        ("7b", "", [7e9]),
        ("350m", "", [350e6]),
        ("7B", "", [7e9]),
        ("7 billion parameters", "", [7e9]),
        ("52 ms", "s", [0.052]),
        ("2 min", "s", [120]),
    ],
)
def test_every_way_in_which_it_may_be_meant(text: str, unit: str, expected: list[float]) -> None:
    assert readings(text, unit) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("text", "unit", "message"),
    [
        ("", "", "nothing was typed; accepted: a number such as 12, 1,200, 1.2e3 or 100/8"),
        ("  ", "GB", "nothing was typed; accepted: a number such as 12.5 GB"),
        ("abc", "", "'abc' is no number; accepted: a number such as 12"),
        ("the third", "", "'the third' is no number"),
        ("an eighth", "GB", "'an eighth' is no number; accepted: a number such as 12.5 GB"),
        ("300 TFLOP", "FLOP/s", "'300 TFLOP' is in FLOPs; this asks for FLOPs a second"),
        ("300 TFLOP/s", "FLOP", "'300 TFLOP/s' is in FLOPs a second; this asks for FLOPs"),
        ("\x1b[31m", "", "'␛[31m' is no number"),
        (
            "38.5 GB/s",
            "GB",
            "'38.5 GB/s' is in bytes a second; this asks for bytes; accepted: a number such as 12.5 GB",
        ),
        ("38.5 s", "GB", "'38.5 s' is in seconds; this asks for bytes"),
        ("14 GB", "steps", "'14 GB' is in bytes; this asks for a plain number"),
        ("3 GB", "%", "'3 GB' is in bytes; this asks for a share; accepted: a number such as 12.5%"),
        ("12/7 abc", "x", "'12/7 abc' is not clear from 'abc' on; accepted: a number such as 12"),
        ("12/7 abc é", "", "'12/7 abc é' is not clear from 'abc é' on"),
        ("38.5 GB is wrong", "GB", "'38.5 GB is wrong' is not clear from 'GB is wrong' on; accepted: a number such as"),
        ("38.5 GB is wrong", "B", "'38.5 GB is wrong' is not clear from 'GB is wrong' on"),
        ("38.5 G is wrong", "B", "'38.5 G is wrong' is not clear from 'G is wrong' on"),
        ("14 is wrong", "steps", "'14 is wrong' is not clear from 'is wrong' on"),
        ("27% not", "%", "'27% not' is not clear from '% not' on"),
        ("7 billion bananas", "", "'7 billion bananas' is not clear from 'billion bananas' on"),
        ("0x6", "", "'0x6' is no decimal number; accepted: a number such as 12"),
        ("0b101", "", "'0b101' is no decimal number"),
        ("38.5 bananas", "GB", "'38.5 bananas' has 'bananas', which is no unit of bytes"),
        ("38.5 GB or 40 GB", "GB", "'38.5 GB or 40 GB' is not clear from 'GB or 40 GB' on"),
        ("1,234,56", "", "'1,234,56' is no number"),
        ("1 2", "", "'1 2' cannot be worked out: '2' is not expected after '1'"),
        ("10**10000", "", "'10**10000' cannot be worked out: the power grows too large"),
        ("9^9^9^9", "", "'9^9^9^9' cannot be worked out: the power grows too large"),
        ("(" * 50 + "1", "", "cannot be worked out: nested more than 30 deep"),
        ("1/0", "", "'1/0' cannot be worked out: it divides by zero"),
        ("1e400", "", "'1e400' cannot be worked out: the number grows too large"),
        ("not 6", "", "'not 6' is no number"),
        ("2*n", "", "'2*n' cannot be worked out: it ends where a number should stand"),
        ("9" * 250, "", "longer than 200 characters"),
        (
            "10 us + 20",
            "s",
            "'10 us + 20' is not clear from 'us + 20' on; accepted: a number such as 0.125 s, 125 ms or 1/8",
        ),
        (
            "10 us + 20 GB",
            "s",
            "'10 us + 20 GB' is not clear from 'us + 20 GB' on; accepted: a number such as 0.125 s, 125 ms or 1/8",
        ),
    ],
)
def test_what_is_not_understood(text: str, unit: str, message: str) -> None:
    with pytest.raises(NotUnderstood) as caught:
        read_number(text, unit)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_the_last_typed_digit_tells_how_exactly_it_was_meant() -> None:
    for text, step, digits in [("38.50", 0.01, 4), ("27", 1, 2), ("0.027", 0.001, 2), ("1.5e3", 100, 2)]:
        reading = read_number(text).readings[0]
        assert (reading.step, reading.digits) == (pytest.approx(step), digits)
    assert read_number("3/11").readings[0].step is None


_UNITS = ["", "GB", "B", "%", "s", "steps", "x"]
_TYPED = st.sampled_from(
    ["1", "38.5", ",", ".", "e", "GB", " ", "(", ")", "*", "**", "x", "×", "%", "-", "/", "²", "½", "log2", "_"]
)


@settings(deadline=None)
@given(st.text(max_size=60) | st.lists(_TYPED, max_size=20).map("".join), st.sampled_from(_UNITS))
def test_any_text_is_a_number_or_not_understood_in_one_line(text: str, unit: str) -> None:
    try:
        assert readings(text, unit)
        message = "accepted: "
    except NotUnderstood as error:
        message = str(error)
    assert message.splitlines() == [message]
    assert "accepted: " in message


_PREFIXES = {"kilo": "K", "mega": "M", "giga": "G", "tera": "T", "peta": "P", "exa": "E", "zetta": "Z", "yotta": "Y"}


@settings(deadline=None)
@given(st.integers(1, 999), st.sampled_from(sorted(_PREFIXES)), st.sampled_from(["FLOP", "FLOPs", "byte", "bytes"]))
def test_a_prefix_written_out_is_that_prefix(many: int, prefix: str, noun: str) -> None:
    unit = "FLOP" if noun.startswith("FLOP") else "B"
    steps = 1 + list(_PREFIXES).index(prefix)
    assert readings(f"{many} {prefix}{noun}", unit) == pytest.approx([many * 1000.0**steps])
    assert readings(f"{many} {_PREFIXES[prefix]}{unit}", unit) == pytest.approx([many * 1000.0**steps])


@settings(deadline=None)
@given(st.integers(1, 999), st.integers(1, 999), st.sampled_from(["st", "nd", "rd", "th", "ths", ""]))
def test_a_fraction_may_end_as_it_is_said(over: int, under: int, ending: str) -> None:
    assert readings(f"{over}/{under}{ending}") == pytest.approx([over / under])


@settings(deadline=None)
@given(st.floats(1e-6, 1e15), st.sampled_from(["GB", "MB", "GiB", "KB", "B"]))
def test_what_is_shown_is_read_back_as_the_same(value: float, unit: str) -> None:
    shown = units.show(value, f".10g {unit}")
    assert readings(shown, "GB")[0] == pytest.approx(value, rel=1e-8)
