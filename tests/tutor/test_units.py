"""Units read and printed. Expected texts by hand, from 1 GB = 1e9 bytes and 1 GiB = 2**30 bytes."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tutor import units


@pytest.mark.parametrize(
    ("value", "form", "expected"),
    [
        (24, "B", "24 B"),
        (0, "B", "0 B"),
        (999, "B", "999 B"),
        (1536, "B", "1.536 KB"),
        (999_999.6, "B", "1 MB"),
        (13476e6, "B", "13.5 GB"),
        (26.25e9, "B", "26.25 GB"),
        (-13476e6, "B", "-13.5 GB"),
        (112e9, "GB", "112 GB"),
        (38.5e9, "GiB", "35.9 GiB"),
        (2**20, "MiB", "1 MiB"),
        (38.5e9, "MB", "38,500 MB"),
        (13476e6, ".1f GB", "13.5 GB"),
        (13476e6, ",.0f MB", "13,476 MB"),
        (50e9, "Gbit/s", "400 Gbit/s"),
        (450e9, "B/s", "450 GB/s"),
        (3 / 11, "%", "27.3%"),
        (3 / 35, "%", "8.57%"),
        (0.25, "%", "25%"),
        (3 / 11, ".0f %", "27%"),
        (1.96875, "x", "1.97x"),
        (2, "x", "2x"),
        (0.0524, "s", "52.4 ms"),
        (0.53, "s", "0.53 s"),
        (2e-6, "s", "2 us"),
        (90, "s", "90 s"),
        (7200, "s", "2 h"),
        (3 * 86400, "s", "3 days"),
        (2457.589 * 86400, "s", "6.73 years"),
        (0.0524, "ms", "52.4 ms"),
        (8.4e22, "FLOP", "84 ZFLOP"),
        (989e12, "FLOP/s", "989 TFLOP/s"),
        (126, "", "126"),
        (1234567, "", "1,234,567"),
        (7e9, "", "7,000,000,000"),
        (1.5, "", "1.5"),
        (1.96875, "", "1.97"),
        (1e-5, "", "1e-5"),
        (8.4e22, ".3g", "8.4e22"),
        (1e22, "", "1e22"),
        (1e6, ",", "1,000,000"),
        (2 / 3, ".2f", "0.67"),
        (8.0, "d", "8"),
        ("tensor", "GB", "tensor"),
        (None, "", ""),
        ([1, 2.5], "", "1, 2.5"),
    ],
)
def test_what_is_shown(value: object, form: str, expected: str) -> None:
    assert units.show(value, form) == expected


@pytest.mark.parametrize("form", ["parsec", "gb", "gGB", "GB/x", "..f", "0.1f", "{}", "B B", ".999f"])
def test_an_unknown_format_is_refused(form: str) -> None:
    assert not units.is_format(form)
    with pytest.raises(ValueError, match="is no format; accepted: B, GB"):
        units.show(1, form)


@pytest.mark.parametrize(
    ("text", "name", "factor"),
    [
        ("GB", "GB", 1e9),
        ("gb", "GB", 1e9),
        ("Gb", "Gbit", 1e9 / 8),
        ("gbit", "Gbit", 1e9 / 8),
        ("gigabits", "Gbit", 1e9 / 8),
        ("GiB", "GiB", 2**30),
        ("gib", "GiB", 2**30),
        ("Gib", "GiB", 2**30),
        ("Gibit", "Gibit", 2**27),
        ("kB", "KB", 1e3),
        ("gigabytes", "GB", 1e9),
        ("Gbps", "Gbit/s", 1e9 / 8),
        ("percent", "%", 0.01),
        ("µs", "us", 1e-6),
        ("hours", "h", 3600),
        ("TFLOPs", "TFLOP", 1e12),
        ("TFLOPS", "TFLOP/s", 1e12),
        ("zettaFLOPs", "ZFLOP", 1e21),
        ("yottaflop", "YFLOP", 1e24),
        ("ExaFLOP/s", "EFLOP/s", 1e18),
        ("petaFLOPS", "PFLOP/s", 1e15),
        ("exabytes", "EB", 1e18),
        ("EiB", "EiB", 2**60),
        ("exbibytes", "EiB", 2**60),
        ("bytes/s", "B/s", 1),
        ("gigabytes/s", "GB/s", 1e9),
        ("Gigabits/s", "Gbit/s", 1e9 / 8),
        ("Gigabits", "Gbit", 1e9 / 8),
        ("B/S", "B/s", 1),
        ("×", "x", 1),
    ],
)
def test_units_in_their_spellings(text: str, name: str, factor: float) -> None:
    unit = units.find(text)
    assert unit is not None
    assert (unit.name, unit.factor) == (name, pytest.approx(factor))


@pytest.mark.parametrize("text", ["steps", "GPUs", "micro-batches", "", "GBGB", "²"])
def test_a_noun_is_no_unit(text: str) -> None:
    assert units.find(text) is None
    assert units.measure_of(text) == units.COUNT


@settings(deadline=None)
@given(st.floats(1e-3, 1e20), st.sampled_from(["B", "GB", "GiB", "s", "ms", "FLOP", "B/s"]))
def test_what_is_shown_says_the_value_to_half_a_percent(value: float, form: str) -> None:
    number, _, name = units.show(value, form).partition(" ")
    unit = units.find(name)
    assert unit is not None
    assert float(number.replace(",", "")) * unit.factor == pytest.approx(value, rel=0.005001)


@settings(deadline=None)
@given(
    st.floats() | st.integers() | st.text(max_size=5) | st.booleans(),
    st.sampled_from(["", "B", "%", "s", ".2f", "d", ","]),
)
def test_any_value_can_be_shown(value: object, form: str) -> None:
    assert isinstance(units.show(value, form), str)
