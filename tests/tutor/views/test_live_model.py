"""The handles of a live picture, without a screen."""

from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simlib.errors import BadArgument
from tutor.views.live_model import END, LiveModel, read, shown, turned
from tutor.views.scene import Parameter
from tutor.views.topics import TOPICS, topic

VALUES = [[1, 2, 3], [10, 20, 30], [100, 200, 300]]


def ring(step: int = 0) -> LiveModel:
    return LiveModel(topic("all-reduce"), {"algorithm": "ring", "values": VALUES}, step)


def handles(model: LiveModel) -> dict[str, str]:
    return {handle.name: handle.text for handle in model.handles()}


def choose(model: LiveModel, name: str) -> None:
    for _ in model.handles():
        if model.selected is not None and model.selected.name == name:
            return
        model.select(1)
    raise AssertionError(f"there is no handle {name}")


def test_the_step_is_turned_first_and_stays_at_its_ends() -> None:
    model = ring()
    assert handles(model)["step"] == "0 of 4"
    model.turn(-1)
    assert model.step == 0
    for _ in range(9):
        model.turn(1)
    assert model.step == 4


def test_a_picture_without_steps_turns_its_first_parameter() -> None:
    model = LiveModel(topic("zero"), {"params": 7e9, "gpus": 8})
    assert model.selected is not None
    assert model.selected.name == "params"
    model.turn(1)
    assert handles(model)["params"] == "13e9"


def test_workers_give_way_to_typed_values_and_the_other_way_round() -> None:
    model = ring()
    choose(model, "workers")
    assert handles(model)["workers"] == "3"
    model.turn(1)
    assert handles(model)["workers"] == "4"
    assert len(model.scene.data()["result"]) == 4
    choose(model, "values")
    model.type("1 2; 3 4")
    assert handles(model)["workers"] == "2"
    assert model.scene.data()["result"] == [[4, 6], [4, 6]]


def test_workers_turn_from_two_to_three_typed_rows_too() -> None:
    # Three is what the topic takes where no number of workers is given
    model = LiveModel(topic("all-reduce"), {"values": [[1, 2], [3, 4]]})
    choose(model, "workers")
    model.turn(1)
    assert len(model.scene.data()["result"]) == 3


def test_a_seed_draws_values_and_can_be_taken_back() -> None:
    model = ring()
    choose(model, "seed")
    assert handles(model)["seed"] == "none"
    model.turn(1)
    assert handles(model)["seed"] == "0"
    assert handles(model)["values"] != "1 2 3; 10 20 30; 100 200 300"
    model.turn(-1)
    assert handles(model)["seed"] == "none"


def test_the_step_moves_back_when_there_are_fewer() -> None:
    model = ring(step=4)
    choose(model, "workers")
    model.turn(-1)
    assert model.scene.last_step == 2
    assert model.step == 2


def test_reset_brings_the_lessons_picture_back() -> None:
    model = ring(step=1)
    choose(model, "values")
    model.type("5 5; 5 5")
    assert not model.is_lessons
    model.reset()
    assert model.is_lessons
    assert handles(model)["values"] == "1 2 3; 10 20 30; 100 200 300"
    assert model.step == 1


@pytest.mark.parametrize(
    ("name", "text", "says"),
    [
        ("values", "1 2; 3", "values"),
        ("values", "1 2; x y", "values is 'x'"),
        ("values", "[[1,", "values"),
        ("values", "", "values is ''"),
        ("workers", "0", "workers is 0"),
        ("workers", "many", "workers is 'many'"),
        ("workers", "2.5", "workers is '2.5'"),
        ("step", "5", "step is '5'; accepted: a whole number from 0 to 4"),
        ("step", "", "step is ''"),
        ("seed", "-1", "seed is -1"),
    ],
)
def test_what_cannot_be_shown_is_named_and_changes_nothing(name: str, text: str, says: str) -> None:
    model = ring(step=2)
    choose(model, name)
    before = handles(model)
    with pytest.raises(BadArgument) as caught:
        model.type(text)
    assert says in str(caught.value)
    assert handles(model) == before
    assert model.is_lessons


def test_values_are_typed_with_commas_json_and_fractions() -> None:
    model = ring()
    choose(model, "values")
    for text in ("1, 2; 3, 4.5", "[[1, 2], [3, 4.5]]"):
        model.type(text)
        assert handles(model)["values"] == "1 2; 3 4.5"


def test_everything_can_be_turned_once_all_is_shown() -> None:
    model = LiveModel(topic("pipeline"), {"schedule": "gpipe", "stages": 2, "micro_batches": 3})
    assert "backward" not in handles(model)
    model.show_all = True
    assert handles(model)["backward"] == "2"
    choose(model, "forward_only")
    model.turn(1)
    assert handles(model)["forward_only"] == "yes"
    model.type("no")
    assert handles(model)["forward_only"] == "no"
    with pytest.raises(BadArgument):
        model.type("perhaps")


def test_a_choice_that_does_not_go_with_the_rest_is_passed_over() -> None:
    # Looped breadth-first takes no three micro-batches on two ranks with one chunk, or says so
    model = LiveModel(topic("pipeline"), {"schedule": "gpipe", "stages": 2, "micro_batches": 3})
    choose(model, "schedule")
    seen = set()
    for _ in range(12):
        model.turn(1)
        seen.add(handles(model)["schedule"])
    assert {"gpipe", "1f1b"} <= seen


def test_rungs_and_ends() -> None:
    ladder = Parameter("gpus", "whole", 8, "", least=1, ladder=(1, 2, 4, 8))
    assert [turned(ladder, value, 1) for value in (1, 3, 4)] == [2, 4, 8]
    assert turned(ladder, 8, 1) is END
    assert turned(ladder, 1, -1) is END
    optional = Parameter("stage", "whole", None, "", least=0, most=3)
    assert turned(optional, None, 1) == 0
    assert turned(optional, 0, -1) is None
    assert turned(optional, None, -1) is END
    assert turned(optional, 3, 1) is END


@given(st.one_of(st.integers(-(10**18), 10**18), st.floats(-1e9, 1e9).map(lambda value: round(value, 3))))
def test_a_number_can_be_typed_as_it_is_shown(value: float) -> None:
    parameter = Parameter("params", "number", 1, "")
    assert read(parameter, shown(parameter, value)) == pytest.approx(value, rel=1e-9)


def test_typed_values_stay_when_servers_are_drawn_or_the_algorithm_changes() -> None:
    model = LiveModel(topic("all-reduce"), {"algorithm": "ring", "values": [[1, 2], [3, 4]], "nodes": 1})
    choose(model, "nodes")
    model.turn(1)
    assert handles(model)["values"] == "1 2; 3 4"
    choose(model, "algorithm")
    model.turn(1)
    assert handles(model)["algorithm"] == "naive"
    assert model.scene.data()["result"] == [[4, 6], [4, 6]]


@pytest.mark.parametrize("name", TOPICS)
def test_every_picture_moves_with_the_arrow_keys(name: str) -> None:
    model = LiveModel(topic(name), {})
    looks = set()
    for handle in model.handles():
        choose(model, handle.name)
        for by in (1, 1, -1):
            with suppress(BadArgument):  # the end of what goes with the others
                model.turn(by)
            looks.add(str(model.scene.data()) + model.caption)
    assert len(looks) > 1


def test_only_what_says_something_is_at_hand_and_another_choice_drops_the_rest():
    live = LiveModel(topic("tensor"), {"part": "attention", "heads": 12})
    assert [handle.name for handle in live.handles()] == ["gpus", "heads", "part"]
    live.select(-1)
    live.turn(1)  # past the last choice to the first
    assert live.given == {"part": "mlp"}
    names = {handle.name for handle in live.handles()}
    assert {"step", "seed"} <= names
    assert "tokens" not in names  # "tokens none" would say nothing
    live.show_all = True
    assert "tokens" in {handle.name for handle in live.handles()}


def test_drawn_matrices_take_the_place_of_typed_ones():
    live = LiveModel(topic("tensor"), {"x": [[2, 1]]})
    live.show_all = True
    assert {handle.name: handle.text for handle in live.handles()}["a"] == "1 0 1 0; 0 1 0 0"
    live.select(next(at for at, handle in enumerate(live.handles()) if handle.name == "tokens"))
    live.type("3")
    assert live.given == {"tokens": 3}
    assert len(live.scene.values("x")) == 3


@given(st.sampled_from(["B", "B/s", "s"]), st.one_of(st.integers(0, 10**15), st.floats(0, 1e6)))
def test_a_value_with_its_unit_can_be_typed_as_it_is_shown(unit: str, value: float) -> None:
    parameter = Parameter("cap", "number", 1, "", unit=unit)
    assert read(parameter, shown(parameter, value)) == pytest.approx(value, rel=1e-9, abs=1e-300)


@pytest.mark.parametrize(
    ("unit", "text", "value"),
    [
        ("B", "25 MiB", 26214400),
        ("B", "8MB", 8e6),
        ("B", "7e9", 7e9),
        ("B/s", "400 Gb/s", 50e9),
        ("s", "10 us", 1e-5),
        ("s", "0.01", 0.01),
    ],
)
def test_a_size_a_speed_or_a_time_is_typed_with_or_without_its_unit(unit: str, text: str, value: float) -> None:
    assert read(Parameter("cap", "number", 1, "", unit=unit), text) == pytest.approx(value)


def test_a_unit_of_another_kind_is_named() -> None:
    with pytest.raises(BadArgument, match="cap is '3 ms'; accepted: a size, as in 25 MiB or 7e9"):
        read(Parameter("cap", "number", 1, "", unit="B"), "3 ms")


@pytest.mark.parametrize(("text", "value"), [("13B", 13 * 10**9), ("1.1 billion", 11 * 10**8), ("350M", 35 * 10**7)])
def test_a_count_with_a_multiple(text: str, value: int) -> None:
    found = read(Parameter("params", "whole", 1, ""), text)
    assert found == value
    assert isinstance(found, int)
