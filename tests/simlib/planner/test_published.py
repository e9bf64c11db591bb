"""Step times and bytes beside those that were published, each row with its tolerance.

The rows marked "fit" fixed one number, the A100's arithmetic share; the others are predictions. What a paper does
not print (micro-batch or chunks) is what the planner finds fastest, or as the row's note says. The table is printed by
`python tests/benchmarks/planner_speed.py`.
"""

from __future__ import annotations

import importlib.util
import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from simlib import hardware, models, transformer
from simlib.planner import MEGATRON_2021, MEGATRON_2022, Layout, Settings, lay_out, plan
from simlib.transformer import Transformer
from simlib.units import GIB

Row = dict[str, Any]

ROWS: dict[str, Row] = {
    row["id"]: row for row in json.loads(Path(__file__).with_name("published_rows.json").read_text(encoding="utf-8"))
}
SETTINGS = {
    "megatron-2021": MEGATRON_2021,
    "megatron-2022": MEGATRON_2022,
    "megatron-2022-no-sequence-parallelism": replace(MEGATRON_2022, sequence_parallel=False),
    "llama-3": Settings(fused_attention=True),
    "palm": Settings(),
}


def gpt(layers: int, hidden: int, heads: int) -> Transformer:
    """A GPT as NVIDIA's papers have it."""
    shape = Transformer(layers, hidden, heads, vocab=51200, sequence=2048)
    return replace(shape, biases=True, learned_positions=True, norm_parameters=2)


def predicted(row: Row) -> Layout:
    """The run's layout as the planner has it. That it fitted is known: memory does not refuse it here."""
    shape = models.find(row["model"]).shape if "model" in row else gpt(**row["shape"])
    machine = replace(hardware.find(row["hardware"]), memory_bytes=1e12)
    if row["hardware"] == "tpu-v4":
        machine = replace(machine, gpus_per_server=3072)  # half of the chips in each of two pods
    made = plan(shape, machine, row["gpus"], row["global_batch"], settings=SETTINGS[row["settings"]], **row["pinned"])
    assert made.best is not None
    return made.best


def published_seconds(row: Row) -> float:
    """Seconds of a step: as printed, or from the FLOP/s as the paper counts them."""
    if "seconds" in row:
        return float(row["seconds"])
    if "teraflops" in row:  # Narayanan et al., equation 3
        shape = row["shape"]
        flops = transformer.flops_per_step(shape["layers"], shape["hidden"], 51200, 2048, row["global_batch"])
        return flops / row["gpus"] / (row["teraflops"] * 1e12)
    shape = models.find(row["model"]).shape
    flops_per_token = shape.flops_per_token()
    if "hfu" in row:  # a whole forward pass more, so that a third is added
        peak = hardware.find(row["hardware"]).peak_flops
        return float(row["global_batch"] * shape.sequence * flops_per_token * 4 / 3 / row["gpus"] / peak / row["hfu"])
    rate = row["gpus"] * row["model_teraflops"] * 1e12
    return float(row["global_batch"] * shape.sequence * flops_per_token / rate)


@pytest.mark.parametrize("name", ROWS)
def test_step_time(name: str) -> None:
    row = ROWS[name]
    assert predicted(row).step_seconds == pytest.approx(published_seconds(row), rel=row["tolerance"])


def test_rows_that_were_not_fitted_are_within_eight_percent_on_average() -> None:
    tested = [row for row in ROWS.values() if row["used"] == "test"]
    errors = [abs(predicted(row).step_seconds / published_seconds(row) - 1) for row in tested]
    assert len(tested) > 20
    assert sum(errors) / len(errors) < 0.08


def test_narayanans_own_layout_is_among_the_best_tenth() -> None:
    """With the features that their run had: no ZeRO, every layer recomputed, interleaved stages, no overlap."""
    made = plan("megatron-1t", "a100", 3072, 3072, settings=MEGATRON_2021, zero=0, checkpointing="full")
    own = [
        rank
        for rank, layout in enumerate(made.layouts)
        if (layout.tensor, layout.pipeline, layout.data, layout.micro_batch) == (8, 64, 6, 1) and layout.tensor_inside
    ]
    assert own[0] < len(made.layouts) / 10
    assert len(made.layouts) >= 30
    # 502 petaFLOP/s: 102.4 s a step
    assert made.layouts[own[0]].step_seconds == pytest.approx(102.4, rel=0.05)


def test_llama_3s_own_sizes_are_the_fastest() -> None:
    """405B on 16,384 H100: tensor 8, pipeline 16, data 128 (Llama team 2024, table 4), found among thousands."""
    best = plan("llama-3-405b", "h100", 16384, 2048).best
    assert best is not None
    assert (best.tensor, best.pipeline, best.data, best.micro_batch) == (8, 16, 128, 1)


# Korthikanti et al. 2022, figure 1, in GiB: 18 bytes a parameter of the layers alone (embeddings left out), and
# the activations of the layers with tensor parallelism, and with sequence parallelism and selective recomputation
FIGURE_1 = {
    "22B": ((48, 6144, 64), 1, 1, 4, 45.5625, 59.25, 9.5625),
    "175B": ((96, 12288, 96), 8, 3, 1, 45.5625, 66.84375, 12.3515625),
    "530B": ((105, 20480, 128), 35, 3, 1, 31.640625, 114.0234375, 23.076171875),
    "1T": ((128, 25600, 160), 64, 1, 1, 32.958984375, 131.25, 26.5625),
}


@pytest.mark.parametrize("name", FIGURE_1)
def test_memory(name: str) -> None:
    shape, pipeline, chunks, micro_batch, states, whole, selective = FIGURE_1[name]
    sizes = {"tensor": 8, "pipeline": pipeline, "chunks": chunks, "micro_batch": micro_batch}

    def held(sequence_parallel: bool, checkpointing: str) -> Layout:
        batch = pipeline * micro_batch * 2
        settings = replace(MEGATRON_2022, sequence_parallel=sequence_parallel)
        return lay_out(
            gpt(*shape), "a100", 8 * pipeline, batch, settings=settings, checkpointing=checkpointing, **sizes
        )

    plain, spare = held(False, "none"), held(True, "selective")
    assert plain.memory.activations / GIB == pytest.approx(whole, rel=0.05)
    assert spare.memory.activations / GIB == pytest.approx(selective, rel=0.05)
    kept = plain.memory
    model_states = (kept.weights + kept.gradients + kept.optimizer) / GIB
    # What the figure leaves out: the first stage's embedding, its share of 51,200 rows and all 2,048 positions, and
    # norms and biases, 13 h a layer
    left_out = 18 * ((51200 / 8 + 2048) * shape[1] + 13 * shape[1] * shape[0] / pipeline) / GIB
    assert model_states - states == pytest.approx(left_out, rel=0.4)
    assert model_states == pytest.approx(states, rel=0.12)


def test_memory_is_within_nine_percent_on_average() -> None:
    """States and activations together, of both kinds of bars."""
    errors = []
    for shape, pipeline, chunks, micro_batch, states, whole, selective in FIGURE_1.values():
        sizes = {"tensor": 8, "pipeline": pipeline, "chunks": chunks, "micro_batch": micro_batch}
        for checkpointing, activations in (("none", whole), ("selective", selective)):
            settings = replace(MEGATRON_2022, sequence_parallel=checkpointing == "selective")
            gpus, batch = 8 * pipeline, pipeline * micro_batch * 2
            made = lay_out(gpt(*shape), "a100", gpus, batch, settings=settings, checkpointing=checkpointing, **sizes)
            memory = made.memory
            held = (memory.weights + memory.gradients + memory.optimizer + memory.activations) / GIB
            errors.append(abs(held / (states + activations) - 1))
    assert len(errors) == 8
    assert sum(errors) / len(errors) < 0.09


def test_memory_as_megatron_lm_estimates_it() -> None:
    """The 175B model on 64 GPUs: 50,348,611,584 bytes of states, 10,292,838,400 of activations (its own function)."""
    layout = lay_out(
        gpt(96, 12288, 96), "a100", 64, 64, settings=MEGATRON_2022, tensor=8, pipeline=8, checkpointing="selective"
    )
    states = layout.memory.weights + layout.memory.gradients + layout.memory.optimizer
    assert states == pytest.approx(50_348_611_584, rel=0.01)
    assert layout.memory.activations == pytest.approx(10_292_838_400, rel=0.01)


def test_the_readme_shows_every_row_as_it_is_predicted_today() -> None:
    specification = importlib.util.spec_from_file_location("validation", Path(__file__).with_name("validation.py"))
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    readme = Path(__file__).parents[3] / "README.md"
    assert module.table() in readme.read_text(encoding="utf-8")
