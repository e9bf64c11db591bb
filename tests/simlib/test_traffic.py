"""What a GPU of a 3D layout sends and holds, against counts worked out message by message."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simlib import traffic
from simlib.errors import BadArgument

SMALL = st.integers(1, 6)


@given(SMALL, SMALL, SMALL, SMALL)
def test_sizes_are_taken_apart_as_they_were_put_together(data: int, tensor: int, pipeline: int, count: int) -> None:
    assert traffic.data_size(data * tensor * pipeline, tensor, pipeline) == data
    assert traffic.micro_batches(data * 2 * count, data, 2) == count


@given(st.integers(2, 6), st.integers(1, 5), st.integers(1, 4))
def test_tensor_traffic_message_by_message(tensor: int, pipeline: int, count: int) -> None:
    """A ring: 2 (t - 1) messages of 1/t of an output, 4 times for each layer of a stage and micro-batch."""
    layers, hidden, sequence = 2 * pipeline, 16, 8
    sent = sum(
        2 * sequence * hidden / tensor
        for _ in range(count)
        for _ in range(layers // pipeline)
        for _ in range(4)
        for _ in range(2 * (tensor - 1))
    )
    assert traffic.tensor_bytes(layers, hidden, sequence, tensor, pipeline, 1, count) == pytest.approx(sent)


@pytest.mark.parametrize(("stages", "directions"), [(1, 0), (2, 1), (3, 2), (9, 2)])
def test_the_fullest_stage_sends_to_its_neighbours(stages: int, directions: int) -> None:
    assert traffic.pipeline_bytes(16, 8, stages, 2, 5) == directions * 5 * 2 * 8 * 16 * 2


def test_states_of_a_copy_are_shared_by_its_gpus_and_with_zero_by_the_copies() -> None:
    # 16, 4 + 12 / d, 2 + 14 / d and 16 / d bytes (Rajbhandari et al. 2020) for each of P / (t p) parameters
    found = [traffic.state_bytes(32e9, 4, 8, 2, stage) for stage in range(4)]
    assert found == [32e9, 14e9, 11e9, 8e9]


def test_gradients_are_averaged_over_the_copies_alone() -> None:
    assert traffic.data_bytes(32e9, 4, 8, 2) == 2 * 3 / 4 * 2 * 2e9
    assert traffic.data_bytes(32e9, 1, 8, 2) == 0


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: traffic.data_size(10, 4, 1), r"gpus is 10; accepted: a multiple of tensor x pipeline \(4\)"),
        (lambda: traffic.micro_batches(10, 4, 1), r"batch is 10; accepted: a multiple of data x micro_batch \(4\)"),
        (lambda: traffic.tensor_bytes(4, 8, 8, 0, 1, 1, 1), "tensor is 0"),
        (lambda: traffic.pipeline_bytes(8, 8, 2.5, 1, 1), "pipeline is 2.5"),
        (lambda: traffic.state_bytes(1e9, 1, 1, 1, 4), "stage is 4"),
        (lambda: traffic.data_bytes(1e9, 0, 1, 1), "data is 0|workers is 0"),
    ],
)
def test_bad_input_is_named(make, said) -> None:
    with pytest.raises(BadArgument, match=said):
        make()
