"""A small model's step in a pipeline beside the same step on one device."""

from __future__ import annotations

from tutor.views.picture import Mark, Role, cell
from tutor.views.topics import topic


def test_rows_of_losses_and_gradients(show, rows_of):
    rows = rows_of(show("pipelined", stages=3, micro_batches=2))
    assert rows[0].split() == ["of", "one", "device", "pipeline", "apart"]
    assert [row.split()[:3] for row in rows[1:4]] == [
        ["loss", "micro-batch", "0"],
        ["loss", "micro-batch", "1"],
        ["loss", "the", "step"],
    ]
    assert [row.split()[:4] for row in rows[4:7]] == [["gradient", "of", "rank", str(rank)] for rank in range(3)]
    for row in rows[1:7]:
        one, many, apart = row.split()[-3:]
        assert one == many
        assert apart == "0"


def test_rounding_is_shown_as_what_it_is(show, rows_of):
    rows = rows_of(show("pipelined", stages=3, micro_batches=8, schedule="looped-bfs"))
    apart = [row.split()[-1] for row in rows if row.startswith("gradient of")]
    assert len(apart) == 3
    assert all(text == "0" or float(text) < 1e-15 for text in apart)
    assert any(text != "0" for text in apart)


def test_words_cells_and_blanks(show, rows_of):
    picture = show("pipelined", micro_batches=1)
    assert picture.words()[0].startswith("loss micro-batch 0: one device ")
    assert picture.cells()[cell(micro_batch=0, run="one")] == picture.cells()[cell(micro_batch=0, run="many")]
    marked = picture.marked({cell(part="step", run="many"): Mark(Role.BLANK)})
    assert "_" in rows_of(marked)[2]
    assert "?" in rows_of(marked)[2]
    assert "losses in nats" not in " ".join(rows_of(marked))


def test_data():
    found = topic("pipelined").scene({"stages": 2, "micro_batches": 3, "schedule": "interleaved"}).data()
    assert found["schedule"] == "interleaved"
    assert found["layers"] == [3, 3]
    assert len(found["losses"]["pipeline"]) == 3
    assert found["loss"]["one"] == found["loss"]["pipeline"]
