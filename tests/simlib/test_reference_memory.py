"""Reference figures of ZeRO, activations and memory: a case each, named by its id."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from math import ceil
from pathlib import Path
from typing import Any

import pytest

from simlib import activations, offload, zero
from simlib.transformer import Transformer, fullest_shard_params, stage_params
from simlib.units import GB, GIB, MIB, gib

Figure = dict[str, Any]

AREAS = ("zero", "activation", "memory")
ALL_FIGURES = json.loads(Path(__file__).with_name("reference_figures.json").read_text(encoding="utf-8"))
FIGURES: dict[str, Figure] = {figure["id"]: figure for figure in ALL_FIGURES if figure["area"] in AREAS}
CASES: dict[str, Callable[[Figure], None]] = {}


def case(pattern: str) -> Callable[[Callable[[Figure], None]], Callable[[Figure], None]]:
    """The decorated check stands for all figures whose id matches."""

    def enter(check: Callable[[Figure], None]) -> Callable[[Figure], None]:
        CASES.update({name: check for name in FIGURES if re.fullmatch(pattern, name)})
        return check

    return enter


@pytest.mark.parametrize("name", FIGURES)
def test_figure(name: str) -> None:
    CASES[name](FIGURES[name])


@case("zero-table1-.*")
def _(figure: Figure) -> None:
    i = figure["inputs"]
    found = [zero.bytes_per_gpu(i["params"], i["Nd"], stage, i["K"]) / GB for stage in (1, 2, 3)]
    assert found == list(figure["expected"].values())


@case("zero-comm-volume")
def _(figure: Figure) -> None:
    found = [zero.bytes_sent(10**6, 1000, stage, dtype_bytes=1) / 10**6 for stage in range(4)]
    assert found == [pytest.approx(passes * 999 / 1000) for passes in figure["expected"].values()]


@case("allreduce-vs-rs-claim-TRAP")
def _(figure: Figure) -> None:
    i = figure["inputs"]
    stage_0, stage_2 = (zero.bytes_sent(10**6, i["P"], stage, i["psi_bytes"]) for stage in (0, 2))
    assert stage_2 / stage_0 == figure["expected"]["zero2_over_dp"] != figure["wrong_value"]


@case("ds-zero3-t5-3b")
def _(figure: Figure) -> None:
    i = figure["inputs"]
    options = {
        "param_cpu_opt_cpu": {"offload_optimizer": True, "offload_params": True},
        "param_none_opt_cpu": {"offload_optimizer": True},
        "none": {},
    }
    for row, expected in figure["expected"].items():
        kind, _, zero_init = row.rpartition("_zinit")
        found = offload.zero3(
            i["total_params"],
            i["largest_layer_params"],
            i["gpus_per_node"],
            i["nodes"],
            zero_init=zero_init == "1",
            **options[kind],
        )
        assert [gib(found.host), gib(found.gpu)] == pytest.approx(expected, abs=figure["tolerance"])


@case("ds-issue-4527-table")
def _(figure: Figure) -> None:
    i = figure["inputs"]
    options = {
        "z3_off_all": {"offload_optimizer": True, "offload_params": True},
        "z3_off_opt": {"offload_optimizer": True},
        "z3_none": {},
    }
    for row, expected in figure["expected"].items():
        found = offload.zero3(i["total_params"], i["largest_layer"], i["gpus"], **options[row])
        assert [gib(found.host), gib(found.gpu)] == pytest.approx(expected, abs=figure["tolerance"])


@case("ds-zero2-t5-3b-TRAP")
def _(figure: Figure) -> None:
    i, expected = figure["inputs"], figure["expected"]
    params, gpus = i["total_params"], i["gpus"]
    assert gib(offload.zero2(params, gpus)) == pytest.approx(expected["current_code"])
    assert gib(offload.zero2(params, gpus, offload=True)) == pytest.approx(expected["offload_gpu"])
    # The documented table is older: 4 P + 16 P / N
    assert gib(4 * params + 16 * params / gpus) == pytest.approx(figure["wrong_value"], abs=0.01)


@case("ds-padding-57-params")
def _(figure: Figure) -> None:
    shards = zero.padded_shards(figure["inputs"]["numel"], figure["inputs"]["world"])
    assert vars(shards) == figure["expected"]


MODES = {
    "act-formula-none-1gpu": "none",
    "act-formula-tp": "tensor",
    "act-formula-tp_sp": "tensor+sequence",
    "act-formula-full": "full",
}


@case("act-formula-.*")
def _(figure: Figure) -> None:
    formula = figure["expected"].replace("sbh", "s*b*h")
    for s, b, h, a, t in ((2048, 4, 6144, 64, 8), (4096, 1, 4096, 32, 2), (7, 3, 5, 2, 1)):
        expected = eval(formula, {"s": s, "b": b, "h": h, "a": a, "t": t})
        assert activations.bytes_per_layer(s, b, h, a, t, MODES[figure["id"]]) == pytest.approx(expected, rel=1e-12)


@case("act-breakdown")
def _(figure: Figure) -> None:
    expected = {name: int(re.match(r"\d+", text)[0]) for name, text in figure["expected"].items() if name != "sum"}  # type: ignore[index]
    parts = {"attention": activations.ATTENTION, "mlp": activations.MLP, "layernorms": activations.NORMS}
    assert parts == expected
    # s = a = h = b = 1 leaves the coefficients: 34, and 5 of the scores
    assert activations.bytes_per_layer(1, 1, 1, 1) == sum(parts.values()) + 5


@case("act-fig1-.*")
def _(figure: Figure) -> None:
    i, expected = figure["inputs"], figure["expected"]
    shape = Transformer(i["L"], i["h"], i["a"], vocab=51200, sequence=i["s"])
    on_one_gpu = (shape.attention_params + shape.mlp_params) / (i["p"] * i["t"])
    states = zero.model_states(on_one_gpu, 1, 0, gradient_bytes=4)
    assert gib(states.total) == pytest.approx(expected["params_and_optimizer"])
    for mode, name in (("tensor", "activations_tp"), ("tensor+sequence+selective", "activations_tp_sp_selective")):
        found = activations.first_stage_bytes(
            i["L"], i["s"], i["b"], i["h"], i["a"], i["t"], mode, i["p"], i["interleave"]
        )
        assert gib(found) == pytest.approx(expected[name])


def megatron(figure: Figure) -> tuple[Figure, Transformer]:
    """The inputs of one of Megatron-LM's estimates, and the shape that they describe (no biases, two norms a layer)."""
    base = FIGURES[figure["inputs"].get("same_as", figure["id"])]["inputs"]
    i = {"dp": 1, "dist_opt": False, "vp": None} | base | figure["inputs"]
    shape = Transformer(
        i["L"],
        i["h"],
        i["a"],
        i["V"],
        i["s"],
        ffn=i.get("ffn", 0),
        gated=i.get("swiglu", False),
        tied=not i.get("untied", False),
        norm_parameters=1 if i.get("norm") == "RMSNorm" else 2,
    )
    return i, shape


@case("mg-theo-.*")
def _(figure: Figure) -> None:
    i, shape = megatron(figure)
    expected = figure["expected"]
    on_one_gpu = fullest_shard_params(shape, i["tp"], i["pp"])
    stage = 1 if i["dist_opt"] else 0
    states = zero.model_states(on_one_gpu, i["dp"], stage, gradient_bytes=4)
    kept = activations.first_stage_bytes(
        i["L"],
        i["s"],
        i["b"],
        i["h"],
        i["a"],
        i["tp"],
        "tensor+sequence+selective",
        i["pp"],
        micro_batches=i.get("num_microbatches"),
    )
    kept += activations.outside_layers_bytes(
        i["s"], i["b"], i["h"], i["V"], i["tp"], i["pp"], i.get("num_microbatches")
    )
    if "weight_optimizer_bytes" in expected:
        assert states.total == expected["weight_optimizer_bytes"]
    if "activation_bytes" in expected:
        assert kept == expected["activation_bytes"]
    if "bytes_per_param" in expected:
        assert states.total / on_one_gpu == expected["bytes_per_param"]
    if "params" in expected:
        assert shape.params == expected["params"]


@case("uneven-pp-heaviest-stage")
def _(figure: Figure) -> None:
    i, expected = figure["inputs"], figure["expected"]
    shape = Transformer(i["layers"], hidden=16, heads=4, vocab=32, sequence=8, norm_parameters=2)
    heaviest = max(stage_params(shape, i["layout"]))
    average = fullest_shard_params(shape, pipeline=len(i["layout"]))
    assert (heaviest, average) == (expected["heaviest_stage_params"], expected["average_params"])
    assert 100 * (1 - average / heaviest) == pytest.approx(expected["underestimate_pct"], abs=figure["tolerance"])


@case("sb-llama3-70b-min-chips-TRAP")
def _(figure: Figure) -> None:
    i, expected = figure["inputs"], figure["expected"]
    states = zero.model_states(i["params"], 1, 0, i["opt_bytes"], gradient_bytes=0)
    kept = activations.checkpointed_bytes(i["batch_tokens"], i["D"], i["L"], i["ckpt_per_layer"])
    found = {
        "params_B": states.weights,
        "opt_B": states.optimizer,
        "ckpt_B": kept,
        "total_B": states.total + kept,
        "chips": ceil((states.total + kept) / i["hbm"]),
    }
    assert found == expected
    assert activations.checkpointed_bytes(i["batch_tokens"], i["D"], i["L"], 3) == figure["wrong_value"]["ckpt_B"]


@case("sb-13b-memory")
def _(figure: Figure) -> None:
    i, expected = figure["inputs"], figure["expected"]
    # 2 bytes of weights and 8 of optimizer states a parameter; of each layer one hidden and two MLP-wide arrays
    states = zero.model_states(i["params"], 1, 0, optimizer_bytes=i["bytes_per_param"] - 2, gradient_bytes=0)
    kept = activations.checkpointed_bytes(i["tokens"], i["D"], i["L"], 1 + 2 * i["F_over_D"])
    assert states.total == expected["states_B"]
    assert kept == pytest.approx(expected["activations_B"])


@case("ec-cookbook-grad-TRAP")
def _(figure: Figure) -> None:
    i, expected = figure["inputs"], figure["expected"]
    shape = Transformer(i["L"], i["h"], i["a"], 51200, i["s"], tied=False, learned_positions=True, norm_parameters=2)
    states = zero.model_states(shape.params / i["tp"], i["gpus"] // i["tp"], i["zero"], gradient_bytes=i["grad_bytes"])
    found = {
        "grad_GiB_per_gpu": gib(states.gradients),
        "model_GiB": gib(states.weights),
        "opt_GiB": gib(states.optimizer),
    }
    assert found == pytest.approx(expected, abs=0.01)
    # Undivided by the tensor-parallel size it would be twice as much
    assert gib(states.gradients * i["tp"]) == pytest.approx(figure["wrong_value"], abs=0.01)


@case("accelerate-bert-table")
def _(figure: Figure) -> None:
    # An encoder of this shape; the norm after the last layer stands for the one after BERT's embeddings
    shape = Transformer(12, 768, 12, 28996, 512, biases=True, learned_positions=True, norm_parameters=2)
    token_types, pooler = 2 * 768, 768 * 768 + 768
    params = shape.params + token_types + pooler
    for size, (largest, total, training) in zip((4, 2), figure["expected"].values(), strict=True):
        states = zero.model_states(params, 1, 0, optimizer_bytes=2 * size, weight_bytes=size, gradient_bytes=size)
        found = [shape.embedding_params * size / MIB, states.weights / MIB]
        assert found == pytest.approx([largest, total], abs=figure["tolerance"])
        assert states.total / MIB == pytest.approx(training, abs=4 * figure["tolerance"])  # printed as 4 x the rounded
        assert states.weights < GIB
