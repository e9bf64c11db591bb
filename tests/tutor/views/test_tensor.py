"""Split matrices in numbers, the wrong split beside the right one, and heads over GPUs."""

from __future__ import annotations

import itertools
import json
import math
import re

import pytest

from tutor.views.ascii import to_ascii
from tutor.views.picture import Mark, Role, cell
from tutor.views.select import one, table
from tutor.views.topics import topic

# GeLU by its definition with tanh: 1, 2 and their neighbours as every step below needs them
G1, G2 = 0.841192, 1.954598


def gelu(x):
    return 0.5 * x * (1 + math.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))


def scene_of(**parameters):
    return topic("tensor").scene(parameters)


def looks(step: int, **parameters) -> list[tuple[Role, str]]:
    """Role and text of everything that stands in a cell, and the signs beside them."""
    picture = scene_of(**parameters).picture(step)
    rows = range(picture.size(100).rows - picture.foot_rows(100))
    return [(run.role, to_ascii(run.text)) for row in rows for run in picture.line(row, 100) if run.text.strip(" ")]


# The split MLP


def test_the_worked_example_of_two_gpus():
    scene = scene_of()
    assert scene.last_step == 4
    assert [table(scene, f"step={step} matrix={name}") for step, name in enumerate(("x", "xa"))] == [
        [[1, 2], [1, 2]],
        [[1, 2], [1, 0]],
    ]
    for step, name, expected in (
        (2, "gelu", [[G1, G2], [G1, 0]]),
        (3, "partial", [[G1, G2], [G1, G1]]),
        (4, "y", [[2 * G1, G1 + G2]] * 2),
    ):
        for found, wanted in zip(table(scene, f"step={step} matrix={name}"), expected, strict=True):
            assert found == pytest.approx(wanted, abs=1e-6)
    assert [round(value, 3) for value in table(scene, "step=4 matrix=y")[0]] == [1.682, 2.796]
    # Columns and rows are counted in the whole matrices: GPU 1 has columns 2 and 3
    assert one(scene, "step=0 gpu=1 matrix=a row=0 column=2") == 1
    assert one(scene, "step=0 gpu=1 matrix=b row=2 column=1") == 1


def test_what_is_not_computed_yet_is_not_there():
    scene = scene_of()
    names = [{dict(place)["matrix"] for place in scene.cells(step)} for step in range(5)]
    assert names[0] == {"x", "a", "b"}
    assert [after - before for before, after in itertools.pairwise(names)] == [
        {"xa"},
        {"gelu"},
        {"partial"},
        {"y"},
    ]


def test_nothing_moves_while_the_stages_go_on():
    scene = scene_of()
    for width in (40, 60, 76, 120):
        sizes = {scene.picture(step).size(width).rows for step in range(5)}
        assert len(sizes) == 1
        places = []
        for step in (3, 4):
            picture = scene.picture(step)
            rows = ["".join(run.text for run in picture.line(row, width)) for row in range(picture.size(width).rows)]
            places.append([(row, text.index("0.841 1.955")) for row, text in enumerate(rows) if "0.841 1.955" in text])
        assert places[0] == places[1]


def test_the_captions_count_messages(show):
    scene = scene_of()
    assert scene.caption(3) == "step 3 of 4: each multiplies by its rows of B; nothing is sent"
    # 2 (N - 1) / N of two numbers of 8 bytes
    assert scene.caption(4).endswith("(all-reduce): partial outputs are added; each sends 16 B")
    assert all(len(scene_of(tokens=2, sequence_parallel=True).caption(step)) <= 76 for step in range(6))


def test_sequence_parallelism_gathers_tokens_and_scatters_sums():
    scene = scene_of(x=[[1, 2], [2, 1]], sequence_parallel=True)
    assert scene.last_step == 5
    assert table(scene, "step=0 matrix=own") == [[1, 2], [2, 1]]
    assert table(scene, "step=1 matrix=x") == [[1, 2, 2, 1]] * 2
    # The second token is (2, 1): GeLU(2), GeLU(1) and GeLU(2), times the rows of B
    own = table(scene, "step=5 matrix=y")
    assert own[0] == pytest.approx([2 * G1, G1 + G2], abs=1e-6)
    assert own[1] == pytest.approx([2 * G2, G1 + G2], abs=1e-6)
    assert one(scene, "step=5 gpu=1 matrix=y row=1 column=0") == own[1][0]
    assert "(reduce-scatter)" in scene.caption(5)
    sent = [call["bytes_sent"] for call in scene.data()["collectives"]]
    plain = scene_of(x=[[1, 2], [2, 1]]).data()["collectives"][0]["bytes_sent"]
    assert [sum(pair) for pair in zip(*sent, strict=True)] == plain


def test_what_is_sent_and_what_is_final_has_a_sign_too():
    last = looks(4)
    signs = {role: {re.sub(r"[\d.]+", "n", text) for of, text in last if of is role} for role in Role}
    assert signs[Role.SENT] == {"n", ">"}
    assert signs[Role.FINISHED] == {"n", "*"}
    assert signs[Role.WEIGHTS] == {"n"}
    assert Role.FORWARD in {role for role, _ in looks(3)}


def test_uneven_parts_and_one_gpu():
    scene = scene_of(hidden=5, gpus=3, seed=1)
    assert [len(row) for row in table(scene, "step=2 matrix=gelu")] == [2, 2, 1]
    alone = scene_of(gpus=1)
    assert table(alone, "step=4 matrix=y")[0] == pytest.approx(table(scene_of(), "step=4 matrix=y")[0])
    assert alone.caption(4).endswith("each sends 0 B")


def test_words_name_gpus_and_their_parts(show):
    words = show("tensor").words()
    assert "GPU 1, A, columns 2 to 3: 1 0; 0 0" in words
    assert "GPU 0, B, rows 0 to 1: 1 0; 0 1" in words
    assert "GPU 0, partial output: 0.841 1.955, sent" in words


def test_a_blank_hides_a_number_and_a_mistake_stands_beside_it(show, rows_of):
    picture = show("tensor", step=3)
    place = cell(gpu=1, matrix="partial", row=0, column=0)
    blank = "\n".join(rows_of(picture.marked({place: Mark(Role.BLANK)})))
    assert "_____ 0.841" in blank
    wrong = "\n".join(rows_of(picture.marked({place: Mark(Role.DIFFERENCE, "2")})))
    assert "2≠0.841" in wrong
    assert picture.written(place, 0.8411919) == "0.841"
    assert "yours 2, expected 0.841" in "\n".join(picture.marked({place: Mark(Role.DIFFERENCE, "2")}).words())


# The way back


def test_the_way_back_sends_in_front_alone():
    scene = scene_of(part="mlp-backward")
    assert [scene.caption(step).endswith("nothing is sent") for step in range(1, 5)] == [True, True, True, False]
    # dY = (1, 1): each number's slope is what GeLU's differences give
    slope = {x: (gelu(x + 1e-6) - gelu(x - 1e-6)) / 2e-6 for x in (0, 1, 2)}
    assert table(scene, "step=1 matrix=dgelu") == [[1, 1], [2, 0]]
    assert table(scene, "step=2 matrix=dxa")[0] == pytest.approx([slope[1], slope[2]], rel=1e-6)
    assert table(scene, "step=3 matrix=dpartial")[1] == pytest.approx([2 * slope[1], 0], rel=1e-6)
    for row in table(scene, "step=4 matrix=dx"):
        assert row == pytest.approx([3 * slope[1], slope[2]], rel=1e-6)
    assert Role.BACKWARD in {run for run, _ in looks(2, part="mlp-backward")}


# The wrong split


def test_gelu_of_a_sum_is_not_the_sum_of_gelus():
    scene = scene_of(part="wrong-split")
    right, wrong = table(scene, "step=3 matrix=together")
    assert right == pytest.approx([G2, G1, G1, 0], abs=1e-6)
    minus = -0.158808  # GeLU(-1)
    assert wrong == pytest.approx([2 * G1, G1, G1, G1 + minus], abs=1e-6)
    assert scene.data()["differs"] == [[0, 0], [0, 3]]
    assert (round(right[0], 3), round(wrong[0], 3)) == (1.955, 1.682)
    assert scene.caption(3) == "step 3 of 3: put together: 1.682 is not 1.955"


def test_the_partial_sums_add_up_where_the_gelus_do_not():
    scene = scene_of(part="wrong-split")
    parts = table(scene, "step=1 matrix=xa split=rows")
    assert [sum(column) for column in zip(*parts, strict=True)] == [2, 1, 1, 0]
    assert table(scene, "step=1 matrix=xa split=columns") == [[2, 1], [1, 0]]


def test_the_difference_is_marked_without_colour(rows_of):
    picture = scene_of(part="wrong-split").picture(3)
    rows = rows_of(picture)
    assert [row.count("≠") for row in rows if row.startswith("added up")] == [2]
    assert any("1.955" in row for row in rows if row.startswith("together"))
    asked = picture.marked({cell(split="rows", matrix="together", row=0, column=0): Mark(Role.BLANK)})
    (hidden,) = [row for row in rows_of(asked) if row.startswith("added up")]
    assert hidden.count("≠") == 1


def test_without_a_difference_nothing_is_marked(rows_of):
    # Every sum has one part that is not 0, and GeLU(0) is 0
    scene = scene_of(part="wrong-split", x=[[1, 2]], a=[[1, 0, 1, 0], [0, 1, 0, 0]])
    assert scene.data()["differs"] == []
    assert "nothing differs" in scene.caption(3)
    assert "≠" not in "\n".join(rows_of(scene.picture(3)))


# Heads


def test_heads_are_dealt_out_whole(rows_of):
    scene = scene_of(part="attention", heads=8, gpus=4)
    assert [gpu["q"] for gpu in scene.data()["per_gpu"]] == [[0, 1], [2, 3], [4, 5], [6, 7]]
    assert table(scene, "matrix=v") == [[0, 1], [2, 3], [4, 5], [6, 7]]
    assert rows_of(scene.picture(0))[3].split() == ["GPU", "2", "4", "5", "4", "5", "4", "5"]
    assert scene.caption(0) == "8 heads over 4 GPUs: 2 heads of q, 2 heads of k and v on each, all whole"


def test_grouped_queries_stay_with_their_keys():
    scene = scene_of(part="attention", heads=8, kv_heads=2)
    assert scene.data()["per_gpu"] == [
        {"gpu": 0, "q": [0, 1, 2, 3], "k": [0], "v": [0]},
        {"gpu": 1, "q": [4, 5, 6, 7], "k": [1], "v": [1]},
    ]


def test_many_heads_take_several_rows():
    picture = scene_of(part="attention", heads=96, gpus=8).picture(0)
    assert picture.size(76).columns <= 76
    assert picture.size(76).rows <= 30
    assert len(picture.cells()) == 3 * 96


# All of them


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"x": [[1, 2], [2, 1]], "sequence_parallel": True},
        {"part": "mlp-backward"},
        {"part": "wrong-split"},
        {"part": "attention"},
        {"part": "attention", "heads": 32, "kv_heads": 8, "gpus": 8},
    ],
)
def test_it_fits_a_small_screen_and_is_json(parameters):
    scene = scene_of(**parameters)
    size = scene.picture(scene.last_step).size(76)
    assert size.columns <= 76
    assert size.rows <= 19
    assert json.loads(json.dumps(scene.data(), allow_nan=False)) == scene.data()
    for width in (40, 200):
        assert scene.picture(0).size(width).columns <= max(40, width)
    assert all(math.isfinite(value) for value in scene.cells(scene.last_step).values())
