"""Pictures that are larger than their window."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from textual.pilot import Pilot

from tutor.app.widgets.picture_view import PictureView
from tutor.views.picture import cell
from tutor.views.topics import topic

Play = Callable[..., None]


@pytest.mark.parametrize(("rows", "fixed"), [(16, True), (9, False)])
def test_notes_stay_below_unless_they_take_the_window(play: Play, rows: int, fixed: bool) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        picture = topic("all-reduce").scene({"workers": 20, "seed": 1}).picture(0)
        foot = picture.foot_rows(79)
        view = PictureView(picture)
        view.styles.max_height = rows
        await pilot.app.screen.mount(view, before=0)
        await pilot.pause()
        window = view.scrollable_content_region.height
        assert fixed == (3 * foot <= window)
        last = view.render_line(window - 1).text
        assert ("sent" in last) == fixed
        view.pan(0, 100)
        await pilot.pause()
        # At the end both show the last rows, and the last worker is among what can be reached
        shown = [view.render_line(y).text for y in range(window)]
        assert "sent" in shown[-1]
        assert any(row.startswith("worker 19") for row in shown)

    play(scenario)


def test_a_wide_picture_scrolls_beside_its_heads(play: Play) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        picture = topic("all-reduce").scene({"workers": 12, "seed": 1}).picture(3)
        view = PictureView(picture)
        view.styles.max_height = 10
        await pilot.app.screen.mount(view, before=0)
        await pilot.pause()

        def rows() -> list[str]:
            return [view.render_line(y).text for y in range(view.size.height)]

        assert picture.size(40).columns > 40
        before = rows()
        assert before[0].startswith("chunk")
        view.pan(8, 0)
        await pilot.pause()
        assert [row[: picture.head_columns] for row in rows()] == [row[: picture.head_columns] for row in before]
        assert rows()[1] != before[1]
        view.pan(0, 4)
        await pilot.pause()
        assert rows()[0].startswith("chunk")
        assert rows()[1].startswith("worker 4")
        view.bring_into_sight(cell(worker=0, chunk=11, index=0))
        await pilot.pause()
        assert rows()[1].startswith("worker 0")
        assert view.place_of(cell(worker=0, chunk=11, index=0)) is not None
        assert view.place_of(cell(worker=99, chunk=0, index=0)) is None
        assert not before[0].endswith("11")
        assert rows()[0].rstrip().endswith("11")

    play(scenario, size=(40, 24))


@pytest.mark.parametrize(
    ("there", "back", "moved", "size"),
    [
        ("shift+right", "shift+left", (8, 0), (40, 24)),
        ("l", "h", (8, 0), (40, 24)),
        ("shift+down", "shift+up", (0, 4), (120, 20)),  # beside the text, it has the height of the window
    ],
)
def test_keys_move_a_picture_and_bring_it_back(
    play: Play, open_step: Any, there: str, back: str, moved: tuple[int, int], size: tuple[int, int]
) -> None:
    async def scenario(pilot: Pilot[Any]) -> None:
        screen = await open_step(pilot, 1)
        await pilot.press("down", *["right"] * 12)  # more workers
        await pilot.pause()
        view = screen.query_one(PictureView)
        assert (view.scroll_offset.x, view.scroll_offset.y) == (0, 0)
        await pilot.press(there)
        await pilot.pause()
        assert (view.scroll_offset.x, view.scroll_offset.y) == moved
        await pilot.press(back)
        await pilot.pause()
        assert (view.scroll_offset.x, view.scroll_offset.y) == (0, 0)

    play(scenario, size=size)
