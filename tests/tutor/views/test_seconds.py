"""How long an all-reduce takes by each algorithm, and how much of it is latency."""

from __future__ import annotations

import pytest

from tutor.views.picture import Mark, Role, cell
from tutor.views.select import one
from tutor.views.topics import topic

ALPHA, INSIDE, BETWEEN = 10e-6, 450e9, 50e9


def test_each_algorithm_takes_what_its_formula_says() -> None:
    scene = topic("seconds").scene({"bytes": 1e6, "gpus": 64})
    # 126 steps of 1/64 of the array; 12 of all of it; two trees: 2 (5 + k) of 1/k, k = 2 or 3 near sqrt(5 * 2)
    assert one(scene, "algorithm=ring part=seconds") == pytest.approx(126 * (ALPHA + 1e6 / 64 / BETWEEN))
    assert one(scene, "algorithm=tree part=seconds") == pytest.approx(12 * (ALPHA + 1e6 / BETWEEN))
    assert one(scene, "algorithm=two-trees part=seconds") == pytest.approx(16 * (ALPHA + 1e6 / 3 / BETWEEN))
    # 14 steps of 1/8 inside a server, 14 of 1/64 between eight of them
    inside, between = 14 * (ALPHA + 1e6 / 8 / INSIDE), 14 * (ALPHA + 1e6 / 64 / BETWEEN)
    assert one(scene, "algorithm=two-levels part=seconds") == pytest.approx(inside + between)
    assert one(scene, "algorithm=two-levels part=latency") == pytest.approx(28 * ALPHA)


def test_latency_and_bytes_are_all_of_it() -> None:
    for size in (1e3, 1e6, 1e9):
        scene = topic("seconds").scene({"bytes": size})
        for way in scene.data()["algorithms"]:
            parts = [one(scene, f"algorithm={way['algorithm']} part={part}") for part in ("latency", "bytes")]
            assert sum(parts) == pytest.approx(way["seconds"])


@pytest.mark.parametrize(
    ("given", "names"),
    [
        ({"gpus": 8}, ["ring", "tree", "two-trees"]),
        ({"gpus": 12}, ["ring", "tree", "two-trees"]),
        ({"gpus": 16}, ["ring", "tree", "two-trees", "two-levels"]),
        ({"gpus": 16, "alpha": 0}, ["ring", "tree", "two-levels"]),
    ],
)
def test_which_algorithms_are_shown(given: dict[str, float], names: list[str]) -> None:
    assert [way["algorithm"] for way in topic("seconds").scene(given).data()["algorithms"]] == names


def test_trees_win_with_small_arrays_and_levels_with_large_ones() -> None:
    def fastest(size: float) -> str:
        return topic("seconds").scene({"bytes": size}).caption(0).rsplit(" by ", 1)[1]

    assert [fastest(size) for size in (1e3, 1e6, 1e9)] == ["simple tree", "two trees", "two levels"]


def test_as_it_is_drawn(show, rows_of) -> None:
    rows = rows_of(show("seconds", bytes=1e3, gpus=16), 60)
    assert rows[:4] == [
        "ring        " + "·" * 48,
        "simple tree " + "·" * 13,
        "two trees   " + "·" * 13,
        "two levels  " + "·" * 26,
    ]
    assert rows[6:8] == ["us            in all  latency     bytes", "ring          300         300  0.0375"]


def test_a_figure_that_is_asked_for_is_nowhere_in_its_row(show, rows_of) -> None:
    picture = show("seconds", bytes=1e6).marked({cell(algorithm="ring", part="seconds"): Mark(Role.BLANK)})
    row = [row for row in rows_of(picture) if row.startswith("ring")]
    assert all("1.3" not in text for text in row)
    assert "1.3" not in picture.words()[0]
