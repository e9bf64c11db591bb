"""Shapes, FLOPs, step times, activations, buckets and compression against published figures and by other methods."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from simlib import activations, compression, data_parallel, hardware, models, tensor_parallel, throughput, transformer
from simlib.errors import BadArgument
from simlib.transformer import Transformer


@pytest.mark.parametrize("model", models.MODELS.values(), ids=models.MODELS)
def test_a_shape_has_the_parameters_that_its_paper_prints(model: models.Model) -> None:
    # Names round: Llama 2 "70B" has 69.0e9, Megatron's 1.7B row is 1.65e9
    assert model.shape.params == pytest.approx(model.published_params, rel=0.03)
    assert model.source


def test_exact_counts_of_released_weights() -> None:
    # Elements in the released checkpoints
    assert models.find("llama-7b").shape.params == 6_738_415_616
    assert models.find("llama-13b").shape.params == 13_015_864_320
    assert models.find("llama-70b").shape.params == 68_976_648_192
    assert models.find("llama-3-405b").shape.params == 405_853_388_800


@given(st.integers(1, 100), st.integers(1, 64), st.integers(1, 60000), st.integers(1, 4096))
def test_a_gpt_counted_matrix_by_matrix_has_the_closed_form(layers: int, heads: int, vocab: int, sequence: int) -> None:
    hidden = 8 * heads
    shape = Transformer(layers, hidden, heads, vocab, sequence, biases=True, learned_positions=True, norm_parameters=2)
    assert shape.params == transformer.params(layers, hidden, vocab, sequence) + 2 * hidden


@given(st.integers(1, 20), st.integers(1, 300), st.integers(1, 9000), st.integers(1, 300), st.integers(1, 9))
def test_flops_counted_product_by_product(layers: int, hidden: int, vocab: int, sequence: int, batch: int) -> None:
    tokens = batch * sequence
    forward = layers * (
        2 * tokens * hidden * 3 * hidden  # queries, keys, values
        + 2 * 2 * tokens * sequence * hidden  # scores, and values weighted by them
        + 2 * tokens * hidden * hidden  # output
        + 2 * 2 * tokens * hidden * 4 * hidden  # MLP
    )
    logits = 2 * tokens * hidden * vocab
    found = {
        kind: transformer.flops_per_step(layers, hidden, vocab, sequence, batch, kind)
        for kind in transformer.RECOMPUTATION
    }
    assert found["none"] == 3 * (forward + logits)
    assert found["full"] == 4 * forward + 3 * logits
    # As the paper counts it: three times the attention products
    assert found["selective"] == 3 * (forward + logits) + 3 * layers * 4 * tokens * sequence * hidden


def test_a_slower_network_is_not_hidden() -> None:
    model, machine = models.find("llama-7b"), hardware.find("h100")
    times = []
    for share in (1, 10, 100):
        slow = hardware.Hardware(
            "slow",
            "slow",
            80e9,
            3e12,
            machine.peak_flops,
            machine.link_bandwidth,
            8,
            machine.network_bandwidth / share,
            "a thought experiment",
        )
        step = throughput.step_time(model, 64, slow, 2**20)
        assert step.exposed == max(0, step.sync - step.compute * 2 / 3)
        times.append(step.seconds)
    assert times == pytest.approx([1.6417, 1.6417 / 3 + 5.3065, 1.6417 / 3 + 53.065], rel=1e-3)


def test_table_2_in_full() -> None:
    # s = h = a = 64, b = 1 and t = 4: s b h is 4096, and 5 a s / h is 320
    found = [activations.bytes_per_layer(64, 1, 64, 64, 4, mode) / 4096 for mode in activations.MODES]
    assert found == [34 + 320, 10 + 6 + 80, 8.5 + 80, 16, 8.5, 2]


def test_buckets_close_after_reaching_their_cap() -> None:
    assert data_parallel.buckets([]) == []
    assert data_parallel.buckets([5, 1, 1, 1], first_cap=1, cap=2) == [[0], [1, 2], [3]]
    assert data_parallel.buckets([0, 0, 3], first_cap=1, cap=2) == [[0, 1, 2]]


@given(st.lists(st.integers(1, 50), max_size=30), st.integers(1, 60), st.integers(1, 60))
def test_buckets_hold_every_gradient_once_in_order(sizes: list[int], first_cap: int, cap: int) -> None:
    filled = data_parallel.buckets(sizes, first_cap, cap)
    assert [index for bucket in filled for index in bucket] == list(range(len(sizes)))
    for place, bucket in enumerate(filled):
        limit = cap if place else first_cap
        assert sum(sizes[index] for index in bucket[:-1]) < limit
        assert place == len(filled) - 1 or sum(sizes[index] for index in bucket) >= limit


def test_an_all_reduce_waits_for_its_bucket_and_for_the_one_before() -> None:
    timeline = data_parallel.bucket_timeline([4, 4, 4], [1, 5, 1], 1.0, latency=0.5, first_cap=4, cap=4)
    assert [(bucket.ready, bucket.start, bucket.end) for bucket in timeline] == [
        (1.0, 1.0, 5.5),
        (6.0, 6.0, 10.5),
        (7.0, 10.5, 15.0),
    ]


@pytest.mark.parametrize("workers", [4, 8, 16, 32, 64])
def test_sparse_against_dense_counted_in_bytes(workers: int) -> None:
    elements = 16 * 1024
    sparse = (workers - 1) * (elements // 16) * (2 + 4)
    dense = 2 * (workers - 1) / workers * elements * 2
    assert compression.wire_ratio(1 / 16, workers, 2, 4, 2) == pytest.approx(sparse / dense)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: models.find("llama"), "model is 'llama'; accepted: llama-7b"),
        (lambda: hardware.find(""), "hardware is ''; accepted: a100"),
        (lambda: Transformer(0, 8, 2, 10, 10), "layers is 0"),
        (lambda: Transformer(1, 8, 3, 10, 10), "heads is 3; accepted: a divisor of hidden"),
        (lambda: Transformer(1, 8, 4, 10, 10, kv_heads=3), "kv_heads is 3"),
        (lambda: transformer.flops_per_step(1, 1, 1, 1, 1, "some"), "recompute is 'some'"),
        (lambda: activations.bytes_per_layer(1, 1, 1, 1, 1, "all"), "mode is 'all'; accepted: none, tensor"),
        (lambda: data_parallel.buckets([1], cap=0), "cap is 0"),
        (lambda: data_parallel.buckets([-1]), r"sizes\[0\] is -1"),
        (lambda: data_parallel.buckets("123"), "sizes is '123'"),
        (lambda: data_parallel.bucket_timeline([1], [], 1), "backward_seconds is "),
        (lambda: compression.wire_ratio(1.5, 4), "keep is 1.5"),
        (lambda: throughput.utilisation(1, 0, 1), "gpus is 0"),
        (lambda: tensor_parallel.elements_between_stages(1, 1, 1, 0, scatter_gather=True), "tensor is 0"),
    ],
)
def test_bad_input_is_named(call: object, message: str) -> None:
    with pytest.raises(BadArgument, match=message):
        call()  # type: ignore[operator]
