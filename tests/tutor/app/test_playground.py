"""The playground: any picture with everything that can be changed, and pictures saved as files."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from tutor.app.learner_file import NotSaved
from tutor.app.saved_picture import save_picture
from tutor.app.screens.home import Home
from tutor.app.screens.playground import PlayedPicture, Playground
from tutor.study import Study
from tutor.views.topics import TOPICS, topic

Play = Callable[..., None]
Shown = Callable[..., str]


async def press(pilot: Pilot[Any], *keys: str) -> None:
    for key in keys:
        await pilot.press(key)
    await pilot.pause()


def test_every_topic_is_listed_and_opens_with_all_its_parameters(play: Play, shown: Shown) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await press(pilot, "v")
        assert isinstance(pilot.app.screen, Playground)
        listed = [entry.id for entry in pilot.app.screen.query_one("Topics").entries(80)]  # type: ignore[attr-defined]
        assert listed == list(TOPICS)
        await press(pilot, "enter")
        for known in TOPICS.values():
            screen = pilot.app.screen
            assert isinstance(screen, PlayedPicture)
            title = shown(pilot.app).splitlines()[0]
            assert known.title.partition(":")[0] in title
            model = screen.live.model
            # What has no effect beside the others is left out until it has one
            shut = {parameter.name for parameter in known.parameters if len(parameter.choices) == 1}
            expected = {parameter.name for parameter in known.parameters} - set(known.idle({})) - shut
            assert {handle.name for handle in model.handles()} - {"step"} == expected
            await press(pilot, "n")
        await press(pilot, "p")
        assert pilot.app.screen._topic is list(TOPICS.values())[-1]
        await press(pilot, "escape", "escape")
        assert isinstance(pilot.app.screen, Home)

    play(scenario)


def test_the_picture_is_turned_typed_and_stepped(play: Play, shown: Shown) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await press(pilot, "v", "enter", "right")
        assert "step 1 of 4" in shown(pilot.app)
        await press(pilot, "down", "e", "5", "enter")
        assert "workers 5" in shown(pilot.app)
        assert "worker 4" in shown(pilot.app)
        await press(pilot, "e", "x", "enter")
        assert "accepted" in shown(pilot.app)
        await press(pilot, "escape", "r")
        assert "workers 3" in shown(pilot.app)

    play(scenario)


def test_in_a_small_window_all_of_it_can_be_reached(play: Play, shown: Shown) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await press(pilot, "v", "enter")
        assert "chunk" in shown(pilot.app)
        await press(pilot, "pagedown", "pagedown")
        assert "nothing sent yet" in shown(pilot.app)

    play(scenario, (40, 12))


def test_s_saves_the_picture_and_never_over_another(play: Play, study: Study) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        await press(pilot, "v", "enter", "right", "s", "right", "s", "left", "s")

    play(scenario)
    names = sorted(file.name for file in study.exercise_folder.iterdir())
    assert names == ["all-reduce-step-1-2.svg", "all-reduce-step-1.svg", "all-reduce-step-2.svg"]
    saved = (study.exercise_folder / "all-reduce-step-1.svg").read_text(encoding="utf-8")
    assert ElementTree.fromstring(saved).tag.endswith("svg")
    assert topic("all-reduce").scene({}).caption(1) in saved.replace("&gt;", ">").replace("&lt;", "<")


def test_a_lessons_picture_is_saved_as_it_is_shown(play: Play, study: Study) -> None:
    """Blanks stay blank: the file gives nothing away."""

    async def scenario(pilot: Pilot[Any]) -> None:
        await press(pilot, "enter")
        screen = pilot.app.screen
        await screen.action_step(2)  # type: ignore[attr-defined]
        await pilot.pause()
        screen.view.focus_task()  # type: ignore[attr-defined]
        await pilot.pause()
        screen.view.live.focus()  # type: ignore[attr-defined]
        await press(pilot, "s")

    play(scenario)
    (file,) = study.exercise_folder.glob("*.svg")
    assert "?" in "".join(ElementTree.fromstring(file.read_text(encoding="utf-8")).itertext())


def test_a_folder_that_takes_nothing_is_said(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("a file")
    picture = topic("all-reduce").scene({}).picture(0)
    with pytest.raises(NotSaved, match="cannot take the picture"):
        save_picture(picture, tmp_path / "taken", "all-reduce", title="", caption="")


def test_a_saved_picture_follows_no_link(tmp_path: Path) -> None:
    (tmp_path / "all-reduce.svg").symlink_to(tmp_path / "elsewhere")
    picture = topic("all-reduce").scene({}).picture(0)
    assert save_picture(picture, tmp_path, "all-reduce", title="", caption="").name == "all-reduce-2.svg"
    assert not (tmp_path / "elsewhere").exists()
