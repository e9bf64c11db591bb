"""The pictures that the README shows are made by the tool itself: this test makes them again and compares.

After a change that is meant to change them, `python tests/pictures/test_readme_pictures.py` writes them anew.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tutor.views.svg import svg
from tutor.views.topics import topic

HERE = Path(__file__).parent
README = HERE.parents[1] / "README.md"

# File: topic, parameters, step
PICTURES: dict[str, tuple[str, dict[str, Any], int]] = {
    "ring.svg": ("all-reduce", {"values": [[1, 2, 3], [10, 20, 30], [100, 200, 300]]}, 1),
    "zero.svg": ("zero", {"params": 7e9, "gpus": 8, "hardware": "h100"}, 0),
    "pipeline.svg": ("pipeline", {"schedule": "1f1b", "stages": 4, "micro_batches": 8}, 0),
}


def made(name: str) -> str:
    chosen, parameters, step = PICTURES[name]
    scene = topic(chosen).scene(parameters)
    return svg(scene.picture(step), title=topic(chosen).title, caption=scene.caption(step), width=90)


@pytest.mark.parametrize("name", PICTURES)
def test_the_picture_is_what_the_tool_draws_today(name: str):
    assert (HERE / name).read_text(encoding="utf-8") == made(name)


def test_the_readme_shows_no_other_picture():
    shown = set(re.findall(r"tests/pictures/([\w-]+\.svg)", README.read_text(encoding="utf-8")))
    assert shown <= PICTURES.keys()
    assert {path.name for path in HERE.glob("*.svg")} == PICTURES.keys()


if __name__ == "__main__":
    for name in PICTURES:
        (HERE / name).write_text(made(name), encoding="utf-8")
