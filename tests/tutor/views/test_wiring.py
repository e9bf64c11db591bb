"""Trees and servers beside the workers: who is whose parent, who shares a server, what moves over which line."""

from __future__ import annotations

import pytest

from tutor.views import palette
from tutor.views.picture import Mark, Role, cell
from tutor.views.topics import topic
from tutor.views.tree_lanes import Joint, TreeLanes


def heads(rows: list[str], picture) -> list[str]:
    return [row[: picture.head_columns].rstrip() for row in rows]


def test_a_binomial_tree_of_8_as_it_is_drawn(show, rows_of):
    picture = show("all-reduce", step=2, algorithm="tree", workers=8, length=2)
    assert heads(rows_of(picture)[:9], picture) == [
        "chunk",
        "worker 0 ──┬─←┬──┐",
        "worker 1 ──┘  │  │",
        "worker 2 ──┬──┘  │",
        "worker 3 ──┘     │",
        "worker 4 ──┬─←┬──┘",
        "worker 5 ──┘  │",
        "worker 6 ──┬──┘",
        "worker 7 ──┘",
    ]
    roles = {run.role for run in picture.line(3, 80, 0, picture.head_columns) if run.text.strip()}
    assert Role.SENT in roles  # worker 2 sends up the second lane
    assert picture.words()[0] == (
        "tree: worker 0 is the root; "
        "under worker 0: 1, 2, 4; under worker 2: 3; under worker 4: 5, 6; under worker 6: 7"
    )


def test_whom_a_worker_sends_to_has_its_colour(show):
    picture = show("all-reduce", step=1, algorithm="hierarchical", workers=8, nodes=2)
    for worker in range(8):
        row = [run for run in picture.line(1 + worker, 80, 0, picture.head_columns) if run.text.strip()]
        ((whom, role),) = [(int(run.text), run.role) for run in row if run.text.isdigit() and run.role is not Role.HEAD]
        assert role is palette.of_rank(whom)


def test_on_the_way_down_the_arrow_is_at_the_child(show, rows_of):
    rows = rows_of(show("all-reduce", step=4, algorithm="tree", workers=8, length=2))
    assert rows[1].startswith("worker 0 ──┬──┬──┐")
    assert rows[5].startswith("worker 4 ──┬──┬─←┘")


def test_nccls_two_trees(show, rows_of):
    # For 4 ranks: 0 over 2 over 1 and 3; and its mirror image, 3 over 1 over 0 and 2
    picture = show("all-reduce", step=1, algorithm="double-tree", workers=4, length=2, chunks=1)
    assert heads(rows_of(picture)[:5], picture) == [
        "chunk    tree 0 tree 1",
        "worker 0 ─────┐ ──┐",
        "worker 1 ──┐  │ ─←┼──┐",
        "worker 2 ─←┼──┘ ──┘  │",
        "worker 3 ──┘    ─────┘",
    ]
    assert picture.words()[1] == "tree 1: worker 3 is the root; under worker 1: 0, 2; under worker 3: 1"


def test_a_line_that_goes_by_passes_over():
    # Worker 1 hangs under 3, past the line from 2 to 0
    tree = TreeLanes(4, (Joint(0, (2,)), Joint(3, (1,))))
    rows = ["".join(run.text for run in tree.row(worker, set())) for worker in range(4)]
    assert rows == ["──┐   ", "─────┐", "──┘  │", "─────┘"]


@pytest.mark.parametrize("workers", [2, 3, 5, 8, 12, 16, 33, 64])
@pytest.mark.parametrize("algorithm", ["tree", "double-tree"])
def test_every_worker_but_the_root_hangs_under_one_other(workers, algorithm):
    scene = topic("all-reduce").scene({"workers": workers, "algorithm": algorithm, "length": 2, "chunks": None})
    for tree in scene.picture(0).wiring.trees:
        assert len(tree.parents) == workers - 1
        for worker in range(workers):
            at, climbed = worker, 0
            while at != tree.root:
                at, climbed = tree.parents[at], climbed + 1
                assert climbed < workers
        # A joint never stands left of one below it
        for joint, lane in tree._lanes.items():
            assert all(at < lane for other, at in tree._lanes.items() if other.parent in joint.children)


def test_a_broadcasts_tree_hangs_under_its_root(show):
    assert (
        show("broadcast", workers=5, root=2)
        .words()[0]
        .startswith("tree: worker 2 is the root; under worker 2: 1, 3, 4; under worker 4: 0")
    )


def test_servers_as_they_are_drawn(show, rows_of):
    parameters = {"algorithm": "hierarchical", "workers": 4, "length": 4, "nodes": 2}
    inside, between = (show("all-reduce", step=step, **parameters) for step in (1, 2))
    assert heads(rows_of(inside)[:5], inside) == [
        "           chunk",
        "server 0 ┌ worker 0 → 1",
        "         └ worker 1 → 0",
        "server 1 ┌ worker 2 → 3",
        "         └ worker 3 → 2",
    ]
    assert heads(rows_of(between)[1:3], between) == ["server 0 ┌ worker 0 → 2≈", "         └ worker 1 → 3≈"]
    # 4 workers sent half of 32 bytes inside; then a quarter each way between the servers
    assert "so far 0 B between servers, 64 B inside them" in rows_of(inside)
    assert "so far 32 B between servers, 64 B inside them" in rows_of(between)
    assert between.words()[:2] == ["server 0: workers 0 to 1", "server 1: workers 2 to 3"]


def test_a_ring_over_two_servers_sends_more_over_the_network_than_two_levels_do(show):
    def between(algorithm: str) -> int:
        said = show("all-reduce", algorithm=algorithm, workers=8, length=8, nodes=2).remark
        return int(said.split()[2])

    # Ring: 14 chunks of 8 bytes over each of the two links between servers; two levels: 8 workers 2 x 8 bytes each
    assert between("ring") == 14 * 2 * 8
    assert between("hierarchical") == 8 * 2 * 8


def test_one_server_alone_and_servers_of_one(show, rows_of):
    assert [row.split(" worker")[0] for row in rows_of(show("all-reduce", nodes=3))[1:4]] == [
        "server 0 ─",
        "server 1 ─",
        "server 2 ─",
    ]
    one = show("all-reduce", nodes=1)
    assert "≈" not in "".join(rows_of(one))


def test_many_workers_have_shorter_heads(show, rows_of):
    picture = show("all-reduce", step=0, algorithm="double-tree", workers=64, length=8, nodes=8)
    # The trees scroll with the table, or nothing of it would be in sight
    assert picture.head_columns == len("server   worker 63 ")
    assert rows_of(picture)[0].startswith("server   chunk")
    assert rows_of(picture)[9].startswith("1      ┌ worker 8")


def test_a_picture_that_asks_hides_who_sends(show, rows_of):
    for parameters in ({"algorithm": "tree", "workers": 4}, {"nodes": 3}):
        picture = show("all-reduce", step=1, **parameters)
        asked = picture.marked({cell(worker=0, chunk=0, index=0): Mark(Role.BLANK)})
        drawn, hidden = ("".join(heads(rows_of(one)[:5], one)) for one in (picture, asked))
        assert "→" in drawn or "←" in drawn
        assert "→" not in hidden
        assert "←" not in hidden
        assert not any("sends" in line for line in asked.words())


@pytest.mark.parametrize("algorithm", ["tree", "double-tree", "hierarchical", "halving-doubling", "naive"])
@pytest.mark.parametrize("width", [40, 80, 120])
def test_nothing_moves_from_step_to_step(algorithm, width):
    scene = topic("all-reduce").scene({"workers": 8, "length": 9, "seed": 2, "algorithm": algorithm, "nodes": 4})
    pictures = [scene.picture(step) for step in range(scene.last_step + 1)]
    assert len({picture.size(width) for picture in pictures}) == 1
    assert len({picture.head_columns for picture in pictures}) == 1
