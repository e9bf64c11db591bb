"""Reference figures of models, FLOPs and utilisation: a case each; and no figure of the file without a case."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from simlib import activations, hardware, models, throughput, transformer, units
from simlib.transformer import Transformer

Figure = dict[str, Any]

AREAS = ("params-flops", "mfu")
ALL_FIGURES = json.loads(Path(__file__).with_name("reference_figures.json").read_text(encoding="utf-8"))
FIGURES: dict[str, Figure] = {figure["id"]: figure for figure in ALL_FIGURES if figure["area"] in AREAS}
CASES: dict[str, Callable[[Figure], None]] = {}

# Whose figures are cases in the test files beside this one
ELSEWHERE = {
    "test_reference_collectives.py": (
        "collectives",
        "alpha-beta",
        "compression",
        "ddp",
        "fsdp",
        "tensor-parallel",
        "mesh",
        "units",
    ),
    "test_reference_memory.py": ("zero", "activation", "memory"),
    "test_pipeline_reference.py": ("pipeline",),
}
NOT_APPLYING = {
    "calculon-validation-errors": "how far another tool is from measurements: a figure of that tool, not of the field"
}


def case(pattern: str) -> Callable[[Callable[[Figure], None]], Callable[[Figure], None]]:
    """The decorated check stands for all figures whose id matches."""

    def enter(check: Callable[[Figure], None]) -> Callable[[Figure], None]:
        CASES.update({name: check for name in FIGURES if re.fullmatch(pattern, name)})
        return check

    return enter


@pytest.mark.parametrize("name", FIGURES)
def test_figure(name: str) -> None:
    CASES[name](FIGURES[name])


def test_every_figure_has_its_place() -> None:
    places = [*AREAS, *(area for areas in ELSEWHERE.values() for area in areas)]
    assert len(places) == len(set(places))
    for figure in ALL_FIGURES:
        assert (figure["area"] in places) != (figure["id"] in NOT_APPLYING)
    for file in ELSEWHERE:
        assert Path(__file__).with_name(file).exists()


@case("sb-llama3-70b-params")
def _(figure: Figure) -> None:
    i = figure["inputs"]
    shape = Transformer(
        i["L"], i["D"], i["N"], i["V"], 8192, ffn=i["F"], head_dim=i["H"], kv_heads=i["K"], gated=True, tied=False
    )
    assert figure["expected"] == {
        "ffw": shape.mlp_params,
        "vocab": shape.embedding_params,
        "attn": shape.attention_params,
        "total": shape.matrix_params,
    }
    assert models.find("llama-3-70b").shape.params == shape.params


@case("sb-tfm-q1")
def _(figure: Figure) -> None:
    i, expected = figure["inputs"], figure["expected"]
    shape = Transformer(i["L"], i["D"], 32, i["V"], 2048, ffn=i["F"], gated=True, tied=False)
    assert shape.attention_width == i["NH"]
    # The book counts one norm a layer
    assert shape.matrix_params + i["L"] * i["D"] == expected["params"]
    layers = shape.attention_params + shape.mlp_params
    assert shape.attention_params / layers == expected["attn_fraction"]
    assert shape.kv_values_per_token == expected["kv_bytes_per_token_int8"]


@case("calculon-palm-params-TRAP")
def _(figure: Figure) -> None:
    i, expected = figure["inputs"], figure["expected"]
    shape = models.find("palm-540b").shape
    assert [shape.layers, shape.hidden, shape.heads, shape.head_dim] == [i["L"], i["h"], i["a"], i["head"]]
    assert shape.params == pytest.approx(expected["published"], rel=1e-3)
    # Without the third MLP matrix, multi-query attention and the real vocabulary it comes out a fifth too small
    plain = Transformer(i["L"], i["h"], i["a"], 51200, 2048, head_dim=i["head"])
    assert plain.params == pytest.approx(figure["wrong_value"], rel=0.02)


@case("narayanan-t1-.*")
def _(figure: Figure) -> None:
    i, expected = figure["inputs"], figure["expected"]
    params = transformer.params(i["layers"], i["hidden"], i["vocab"], i["seq"])
    flops = transformer.flops_per_step(i["layers"], i["hidden"], i["vocab"], i["seq"], i["batch"])
    assert params == pytest.approx(expected["params_exact"], rel=1e-12)
    assert params / 1e9 == pytest.approx(expected["params_B_table"], abs=0.05)
    assert flops == pytest.approx(expected["flops_per_iter_eq3"], rel=1e-12)
    assert i["gpus"] // (i["tp"] * i["pp"]) == expected["dp"]
    achieved = i["gpus"] * expected["tflops_per_gpu"] / 1000
    assert achieved == pytest.approx(expected["aggregate_pflops"], rel=0.004)
    used = throughput.utilisation(achieved * 1e15, i["gpus"], i["peak_TFLOPs"] * 1e12)
    assert 100 * used == pytest.approx(expected["pct_peak"], abs=0.51)
    [preset] = [m for m in models.MODELS.values() if m.id.startswith("megatron") and m.shape.hidden == i["hidden"]]
    assert [preset.shape.layers, preset.shape.heads] == [i["layers"], i["heads"]]


@case("ec-cookbook-flops-175b")
def _(figure: Figure) -> None:
    i = figure["inputs"]
    sequences = i["tokens"] / i["s"]
    found = transformer.flops_per_step(i["L"], i["h"], 51200, i["s"], sequences, recompute=i["ckpt"])
    assert found == pytest.approx(figure["expected"], rel=0.003)


@case("llm-analysis-G-TRAP")
def _(figure: Figure) -> None:
    i = figure["inputs"]
    shape = Transformer(i["L"], i["h"], 96, i["V"], 2048)
    assert shape.matrix_params == figure["expected"]["params"]
    # A count printed with binary prefixes
    assert units.gib(shape.matrix_params) * 1e9 == pytest.approx(figure["wrong_value"], rel=1e-4)


@case("llama3-6N")
def _(figure: Figure) -> None:
    # 6 FLOPs a parameter and token: what one FLOP/s takes in seconds for one token
    found = transformer.training_seconds(figure["inputs"]["params"], 1, 1, 1)
    assert found == figure["expected"]["flops_per_token"]


@case("sb-llama3-70b-time")
def _(figure: Figure) -> None:
    i, expected = figure["inputs"], figure["expected"]
    assert hardware.find("tpu-v5p").peak_flops == i["peak"]
    seconds = transformer.training_seconds(i["params"], i["tokens"], i["chips"], i["mfu"] * i["peak"])
    assert seconds == pytest.approx(expected["seconds"])
    assert seconds / 86400 == pytest.approx(expected["days"], abs=0.01)
    assert transformer.training_seconds(i["params"], i["tokens"], 1, 1) == pytest.approx(expected["flops"])


@case("narayanan-t2-.*")
def _(figure: Figure) -> None:
    i, expected = figure["inputs"], figure["expected"]
    days = transformer.training_seconds(i["params"], i["tokens"], i["gpus"], i["tflops"] * 1e12, passes=8) / 86400
    assert days == pytest.approx(expected["days_formula"])
    assert days == pytest.approx(expected["days_table"], rel=0.035)


@case("narayanan-(gpt3-34days|1t-84days)")
def _(figure: Figure) -> None:
    i = figure["inputs"]
    days = transformer.training_seconds(i["params"], i["tokens"], i["gpus"], i["tflops"] * 1e12, passes=8) / 86400
    assert days == pytest.approx(figure["expected"], abs=float(figure["tolerance"].split()[0]))


def step_flops(i: Figure, recompute: str) -> float:
    return transformer.flops_per_step(i["L"], i["h"], i.get("v", 51200), i.get("s", 2048), i["batch"], recompute)


@case("korthikanti-t5-.*")
def _(figure: Figure) -> None:
    i, expected = figure["inputs"], figure["expected"]
    mfu, hfu = (
        100 * throughput.utilisation(step_flops(i, recompute) / i["iter_s_present"], i["gpus"], i["peak"])
        for recompute in ("none", "selective")
    )
    assert (mfu, hfu) == (pytest.approx(expected["mfu_pct"]), pytest.approx(expected["hfu_pct"]))
    assert mfu == pytest.approx(expected["mfu_pct_table"], abs=0.2)
    assert hfu == pytest.approx(expected["hfu_pct_table"], abs=0.2)
    assert 100 * (i["iter_s_full"] / i["iter_s_present"] - 1) == pytest.approx(expected["speedup_pct"])


@case("korthikanti-530b-dp8")
def _(figure: Figure) -> None:
    i = figure["inputs"]
    peak = hardware.find("a100").peak_flops
    used = 100 * throughput.utilisation(step_flops(i, "none") / i["iter_s"], i["gpus"], peak)
    assert used == pytest.approx(figure["expected"], abs=figure["tolerance"])


@case("selective-recompute-flops")
def _(figure: Figure) -> None:
    i, expected = figure["inputs"], figure["expected"]
    for name, layers, printed, exact in (
        ("gpt3", 96, expected["gpt3_pct"], expected["exact_s_over_6h"][0]),
        ("mtnlg", 105, expected["mtnlg_pct"], expected["exact_s_over_6h"][1]),
    ):
        hidden = i[name]
        assert 100 * activations.recomputation_overhead(i["s"], hidden) == pytest.approx(exact)
        base, more = (
            transformer.flops_per_step(layers, hidden, 51200, i["s"], 1, recompute)
            for recompute in ("none", "selective")
        )
        assert 100 * (more / base - 1) == pytest.approx(printed, abs=0.1)


@case("palm-table3")
def _(figure: Figure) -> None:
    # Throughputs in tokens per second as the paper prints them, for the two models where it does
    printed = dict(zip(figure["inputs"]["models"], figure["expected"], strict=True))
    for name, shape, tokens_per_second, chips, machine in (
        ("PaLM", models.find("palm-540b").shape, 238.3e3, 6144, "tpu-v4"),
        ("MT-NLG", models.find("megatron-529.6b").shape, 65.43e3, 2240, "a100"),
    ):
        flops = shape.flops_per_token() * tokens_per_second
        used = 100 * throughput.utilisation(flops, chips, hardware.find(machine).peak_flops)
        assert used == pytest.approx(printed[name], abs=0.1)


@case("sparse-peak-TRAP")
def _(figure: Figure) -> None:
    found = throughput.utilisation(figure["inputs"]["achieved_tflops"] * 1e12, 1, hardware.find("h200").peak_flops)
    assert found == pytest.approx(figure["expected"]["mfu"], abs=figure["tolerance"])
    # Against the sparse peak, twice the dense one
    assert found / 2 == pytest.approx(figure["wrong_value"], abs=figure["tolerance"])
