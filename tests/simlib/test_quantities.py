"""Every quantity by name: its value against the course's figures, its worked line against its value, bad input."""

from __future__ import annotations

import math
import re
from typing import Any

import pytest

from simlib import quantities
from simlib.errors import BadArgument

GPT_1_7B = {"layers": 24, "hidden": 2304, "vocab": 51200, "sequence": 2048}


GPT_175B_LAYER = {"sequence": 2048, "micro_batch": 1, "hidden": 12288, "heads": 96, "tensor": 8}


REDUCED = {"sizes": [1, 1, 1], "gradient_seconds": 1, "seconds_per_byte": 2, "first_cap": 1, "cap": 1}
SHARDED = {"params": 7e9, "gpus": 8}


GPT_175B_PART = {name: size for name, size in GPT_175B_LAYER.items() if name != "tensor"}


EPOCHS = {"seconds_one": 250, "seconds_many": 280, "work_one": 500, "work_many": 4000}
LLAMA_ROOM = {"room": 60e9, "layers": 32, "sequence": 2048, "hidden": 4096, "heads": 32}
TENSOR = {"sequence": 2048, "micro_batch": 1, "hidden": 12288, "tensor": 8}
NETWORK = {"bytes": 13.476e9, "workers": 64, "alpha": 0, "bandwidth": 50e9}
EIGHTY_LAYERS = {"layers": 80, "sequence": 4096, "micro_batch": 1, "hidden": 8192, "tensor": 16, "hardware": "h100"}


LAYOUT_OF_64 = {"params": 70e9, "data": 2, "tensor": 8, "pipeline": 4}


TRAFFIC_BETWEEN = {"model": "llama-70b", "pipeline": 4, "micro_batch": 1, "micro_batches": 128}
TRAFFIC = TRAFFIC_BETWEEN | {"tensor": 8}
LLAMA_LAYOUT = {
    "model": "llama-7b",
    "hardware": "h100",
    "gpus": 64,
    "batch": 256,
    "tensor": 1,
    "pipeline": 1,
    "zero": 3,
}


LLAMA_STEP = {"model": "llama-7b", "gpus": 64, "hardware": "h100", "tokens": 2**20}


# One call of each quantity, with the value that the course's facts and their sources give for it
CALLS: list[tuple[str, dict[str, Any], Any]] = [
    ("collective.wire_ratio", {"op": "all_reduce", "workers": 64}, 1.96875),
    ("collective.wire_ratio", {"op": "all_to_all", "workers": 4}, 0.75),
    ("collective.wire_ratio", {"op": "broadcast", "workers": 4}, 1),
    ("ring.steps", {"workers": 64}, 126),
    ("ring.ratio", {"workers": 4}, 1.5),
    ("ring.bytes_sent", {"bytes": 24, "workers": 3}, 32),
    ("ring.time", {"bytes": 13.476e9, "workers": 8, "alpha": 0, "bandwidth": 450e9}, 0.05240667),
    ("ring.time", {"bytes": 100e6, "workers": 16, "alpha": 10e-6, "bandwidth": 100e9}, 0.002175),
    ("ring.chunk_elements", {"elements": 10, "workers": 4}, 3),
    ("ring.chunk_elements", {"elements": 10, "workers": 4, "chunk": 3}, 2),
    ("ring.final_chunk", {"worker": 3, "workers": 4}, 0),
    ("tree.time", {"bytes": 13.476e9, "workers": 64, "alpha": 0, "bandwidth": 50e9}, 3.23424),
    (
        "hierarchical.time",
        {
            "bytes": 1e9,
            "nodes": 8,
            "gpus_per_node": 8,
            "alpha_in": 1e-6,
            "bandwidth_in": 600e9,
            "alpha_out": 5e-6,
            "bandwidth_out": 100e9,
        },
        0.005188166666666667,
    ),
    ("tree.steps", {"workers": 9}, 8),
    ("tree.pipelined_time", NETWORK | {"chunks": 1000}, 2 * 1005 * 13.476e9 / 1000 / 50e9),
    ("tree.pipelined_time", NETWORK | {"workers": 1, "chunks": 3}, 0),
    ("ring.chunked_time", NETWORK | {"alpha": 1e-6, "chunk_bytes": 1e6}, 126 * 211e-6 + 126 / 64 * 13.476e9 / 50e9),
    ("message.time", {"bytes": 100e6, "alpha": 5e-6, "bandwidth": 50e9}, 0.002005),
    ("all_reduce.busiest_link_bytes", {"algorithm": "ring", "bytes": 64, "workers": 64}, 126),
    ("all_reduce.busiest_link_bytes", {"algorithm": "naive", "bytes": 64, "workers": 64}, 63 * 64),
    ("all_reduce.busiest_link_bytes", {"algorithm": "direct", "bytes": 64, "workers": 64}, 63 * 64),
    ("all_gather.time", {"payload": 8, "workers": 3, "alpha": 1, "bandwidth": 4}, 6),
    ("all_gather.bytes_sent", {"payload": 100, "workers": 8}, 700),
    ("zero.bytes_per_gpu", {"params": 7e9, "gpus": 8, "stage": 0}, 112e9),
    ("zero.bytes_per_gpu", {"params": 7e9, "gpus": 8, "stage": 1}, 38.5e9),
    ("zero.bytes_per_gpu", {"params": 7e9, "gpus": 8, "stage": 2}, 26.25e9),
    ("zero.bytes_per_gpu", {"params": 7e9, "gpus": 8, "stage": 3}, 14e9),
    ("zero.weights_bytes", {"params": 7e9, "gpus": 8, "stage": 3}, 1.75e9),
    ("zero.gradients_bytes", {"params": 7e9, "gpus": 8, "stage": 1}, 14e9),
    ("zero.gradients_bytes", {"params": 7e9, "gpus": 8, "stage": 2}, 1.75e9),
    ("zero.optimizer_bytes", {"params": 7e9, "gpus": 8, "stage": 0}, 84e9),
    ("zero.optimizer_bytes", {"params": 7e9, "gpus": 8, "stage": 1}, 10.5e9),
    ("zero.bytes_per_gpu_by_recipe", SHARDED | {"recipe": "adam", "stage": 1}, 38.5e9),
    ("zero.bytes_per_gpu_by_recipe", SHARDED | {"recipe": "adam-fp32-gradients", "stage": 0}, 126e9),
    ("zero.bytes_per_gpu_by_recipe", SHARDED | {"recipe": "adam-8bit", "stage": 2}, 14e9 + 7e9),
    ("zero.bytes_per_gpu_by_recipe", SHARDED | {"recipe": "sgd", "stage": 3}, 7e9),
    ("zero.bytes_per_param", {}, 16),
    ("zero.bytes_sent", {"params": 6.738e9, "gpus": 64, "stage": 0}, 26530875000),
    ("zero.bytes_sent", {"params": 6.738e9, "gpus": 64, "stage": 3}, 39796312500),
    ("zero.first_stage_that_fits", {"params": 7e9, "gpus": 8, "capacity": 80e9}, 1),
    ("zero.first_stage_that_fits", {"params": 7e9, "gpus": 1, "capacity": 80e9}, None),
    ("training.state_bytes", {"params": 7e9}, 112e9),
    (
        "training.seconds",
        {"params": 1e12, "tokens": 450e9, "gpus": 3072, "flops_per_gpu": 163e12, "passes": 8},
        7189417.2,
    ),
    ("training.flops", {"params": 70e9, "tokens": 15e12}, 6.3e24),
    ("machine.utilisation", {"flops_per_second": 502e15, "gpus": 3072, "hardware": "a100"}, 502 / 3072 / 0.312),
    ("checkpointing.extra_compute", {}, 1 / 3),
    ("run.utilisation", {"run": "megatron-1t"}, 0.52),
    ("run.gpus", {"run": "palm-540b"}, 6144),
    ("run.tokens_per_second", {"run": "palm-540b"}, 238300),
    ("run.flops_per_gpu", {"run": "llama-3-405b-16k"}, 400e12),
    ("run.flops_per_gpu", {"run": "palm-540b"}, pytest.approx(0.462 * 275e12, rel=0.003)),
    ("run.computed_utilisation", {"run": "megatron-1t"}, 502 / 3072 / 0.312),
    ("scaling.speed_up", {"seconds_one": 60, "seconds_many": 20}, 3),
    ("scaling.speed_up", EPOCHS, 50 / 7),
    ("scaling.efficiency", {"seconds_one": 60, "seconds_many": 20, "gpus": 4}, 0.75),
    ("scaling.efficiency", EPOCHS | {"gpus": 8}, 25 / 28),
    ("scaling.tokens_per_step", {"gpus": 16, "micro_batch": 4, "sequence": 4096, "tensor": 8}, 32768),
    (
        "scaling.tokens_per_step",
        {"gpus": 64, "micro_batch": 1, "sequence": 2048, "micro_batches": 8, "tensor": 4, "pipeline": 4},
        65536,
    ),
    ("hardware.memory_bytes", {"hardware": "h100"}, 80e9),
    ("hardware.peak_flops", {"hardware": "a100"}, 312e12),
    ("hardware.bandwidth", {"hardware": "h100", "gpus": 8}, 450e9),
    ("hardware.bandwidth", {"hardware": "h100", "gpus": 9}, 50e9),
    ("transformer.params", {"layers": 40, "hidden": 6144, "vocab": 51200, "sequence": 2048}, 18449743872),
    ("transformer.flops_per_step", GPT_1_7B | {"batch": 512}, 1.5466830067924994e16),
    (
        "transformer.flops_per_step",
        GPT_1_7B | {"batch": 512, "recompute": False},
        72 * 2**20 * 24 * 2304**2 * (1 + 4 / 27 + 25 / 324),
    ),
    ("activations.bytes_per_layer", GPT_175B_LAYER | {"mode": "none"}, 2048 * 12288 * 114),
    ("activations.bytes_per_layer", GPT_175B_LAYER | {"mode": "tensor"}, 2048 * 12288 * 23),
    ("activations.bytes_per_layer", GPT_175B_LAYER | {"mode": "tensor+sequence"}, 2048 * 12288 * 14.25),
    ("activations.bytes_per_layer", GPT_175B_LAYER | {"mode": "tensor+selective"}, 2048 * 12288 * 13),
    ("activations.bytes_per_layer", GPT_175B_LAYER | {"mode": "tensor+sequence+selective"}, 2048 * 12288 * 4.25),
    ("activations.bytes_per_layer", GPT_175B_LAYER | {"mode": "full"}, 2048 * 12288 * 2),
    ("activations.part_bytes", GPT_175B_PART | {"part": "scores"}, 2048 * 12288 * 80),
    ("activations.part_bytes", GPT_175B_PART | {"part": "mlp"}, 2048 * 12288 * 19),
    ("activations.part_bytes", GPT_175B_PART | {"part": "input"}, 2048 * 12288 * 2),
    ("activations.first_stage_bytes", GPT_175B_LAYER | {"layers": 96, "mode": "tensor"}, 96 * 2048 * 12288 * 23),
    (
        "activations.first_stage_bytes",
        GPT_175B_LAYER | {"layers": 96, "mode": "tensor", "pipeline": 8, "micro_batches": 2},
        96 // 8 * 2 * 2048 * 12288 * 23,
    ),
    # 32 layers of 2048 x 4096 x 114 bytes are 30.6 GB; their inputs 0.537 GB, and a layer 0.956 GB
    ("activations.largest_micro_batch", LLAMA_ROOM, 1),
    ("activations.largest_micro_batch", LLAMA_ROOM | {"room": 62e9}, 2),
    ("activations.largest_micro_batch", LLAMA_ROOM | {"mode": "full"}, 40),
    ("checkpointing.peak_bytes", {"layers": 16, "layer_bytes": 10, "input_bytes": 1, "every": 0}, 160),
    ("checkpointing.peak_bytes", {"layers": 16, "layer_bytes": 10, "input_bytes": 1, "every": 4}, 3 + 40),
    ("checkpointing.peak_bytes", {"layers": 15, "layer_bytes": 10, "input_bytes": 1, "every": 4}, 2 + 40),
    ("checkpointing.best_every", {"layers": 100, "layer_bytes": 1, "input_bytes": 1}, 10),
    ("checkpointing.best_every", {"layers": 96, "layer_bytes": 114, "input_bytes": 2}, 1),
    ("checkpointing.selective_overhead", {"sequence": 2048, "hidden": 12288}, 1 / 36),
    (
        "transformer.flops_per_token",
        {"params": 6738415616, "layers": 32, "heads": 32, "head_size": 128, "sequence": 32768},
        6 * 6738415616 + 12 * 32 * 4096 * 32768,
    ),
    ("model.params", {"model": "llama-7b"}, 6738415616),
    ("model.flops_per_token", {"model": "llama-7b"}, 6 * 6738415616 + 12 * 32 * 4096 * 4096),
    ("step.compute_seconds", LLAMA_STEP, pytest.approx(1.64, abs=0.005)),
    ("step.compute_seconds", LLAMA_STEP | {"recompute": True}, pytest.approx(1.64 * 4 / 3, abs=0.01)),
    ("step.sync_seconds", LLAMA_STEP, pytest.approx(0.53, abs=0.005)),
    ("step.sync_seconds", LLAMA_STEP | {"gpus": 8}, pytest.approx(0.052, abs=0.0005)),
    ("step.seconds", LLAMA_STEP, pytest.approx(1.64, abs=0.005)),
    ("step.seconds", LLAMA_STEP | {"overlap": False}, pytest.approx(2.17, abs=0.005)),
    ("step.exposed_seconds", LLAMA_STEP, 0),
    ("step.exposed_seconds", LLAMA_STEP | {"overlap": False}, pytest.approx(0.53, abs=0.005)),
    ("step.mfu", LLAMA_STEP, pytest.approx(0.473, abs=0.0005)),
    ("step.mfu", LLAMA_STEP | {"overlap": False}, pytest.approx(0.357, abs=0.0005)),
    ("step.mfu", LLAMA_STEP | {"recompute": True}, pytest.approx(0.473 * 3 / 4, abs=0.0005)),
    ("step.hfu", LLAMA_STEP | {"recompute": True}, pytest.approx(0.473, abs=0.0005)),
    ("step.hfu", LLAMA_STEP | {"overlap": False}, pytest.approx(0.357, abs=0.0005)),
    ("tensor.collectives_per_layer", {}, 4),
    ("tensor.collectives_per_layer", {"sequence_parallel": True}, 8),
    ("tensor.collectives_per_layer", {"recompute": True}, 6),
    ("tensor.bytes_sent_per_layer", TENSOR, 4 * 2 * 7 / 8 * 2048 * 12288 * 2),
    ("tensor.bytes_sent_per_layer", TENSOR | {"recompute": True}, 6 * 2 * 7 / 8 * 2048 * 12288 * 2),
    ("tensor.elements_sent_per_all_reduce", TENSOR, 2 * 7 / 8 * 2048 * 12288),
    # 80 layers of hidden size 8192 over two servers of eight: figures as people get them wrong and right
    ("tensor.communication_seconds", EIGHTY_LAYERS, pytest.approx(0.80530637, rel=1e-7)),
    ("tensor.communication_seconds", EIGHTY_LAYERS | {"recompute": True}, pytest.approx(1.5 * 0.80530637, rel=1e-7)),
    ("tensor.communication_seconds", EIGHTY_LAYERS | {"tensor": 8}, 80 * 4 * 2 * 7 / 8 * 4096 * 8192 * 2 / 450e9),
    ("tensor.elements_between_stages", TENSOR, 2048 * 12288),
    ("tensor.elements_between_stages", TENSOR | {"scatter_gather": True}, 2048 * 12288 / 8),
    ("tensor.crossover_dimension", {"flops_per_byte": 2550}, 5100),
    ("tensor.largest_split", {"heads": 28, "gpus": 8}, 7),
    ("tensor.largest_split", {"heads": 64, "gpus": 16, "kv_heads": 8}, 8),
    ("tensor.layer_params", {"hidden": 8, "tensor": 2}, (12 * 64 + 7 * 8) / 2 + 6 * 8),
    ("tensor.norm_params", {"hidden": 4096}, 8192),
    ("tensor.gradient_norm", {"split": [3, 4], "whole": [12]}, 13),
    ("tensor.cross_entropy", {"logits": [0, 0, 0, 0], "target": 3, "tensor": 2}, pytest.approx(1.3862944)),
    ("tensor.gelu", {"x": 2}, pytest.approx(1.955, abs=0.0005)),
    ("tensor.gelu", {"x": -1}, pytest.approx(0.841 - 1, abs=0.0005)),
    ("ddp.mean_gradient", {"gradients": [0.2, 0.4]}, 0.3),
    ("ddp.mean_gradient", {"gradients": [0.2, 0.4], "samples": [3, 1]}, 0.25),
    ("ddp.buckets", {"sizes": [10 * 2**20] * 5}, [[0], [1, 2, 3], [4]]),
    ("ddp.buckets", {"sizes": [400] * 6, "first_cap": 401, "cap": 401}, [[0, 1], [2, 3], [4, 5]]),
    # The first bucket is full at once, the second with the gradient that makes it reach 25
    ("ddp.bucket_bytes", {"sizes": [10] * 5, "bucket": 0, "first_cap": 1, "cap": 25}, 10),
    ("ddp.bucket_bytes", {"sizes": [10] * 5, "bucket": 1, "first_cap": 1, "cap": 25}, 30),
    ("ddp.bucket_bytes", {"sizes": [10 * 2**20] * 5, "bucket": 2}, 10 * 2**20),
    # Ready at 1, 2, 3; two seconds each, one after another: 1 to 3, 3 to 5, 5 to 7
    ("ddp.reduced_seconds", REDUCED, 7),
    ("ddp.reduced_seconds", REDUCED | {"latency": 0.5}, 8.5),
    ("ddp.reduced_seconds", REDUCED | {"first_cap": 3, "cap": 3}, 9),
    ("ddp.reduced_seconds", REDUCED | {"seconds_per_byte": 0.5}, 3.5),
    ("batch.steps_of_least", {"batch": 1e6, "critical": 1e6}, 2),
    ("batch.steps_of_least", {"batch": 4e6, "critical": 1e6}, 1.25),
    ("batch.samples_of_least", {"batch": 4e6, "critical": 1e6}, 5),
    (
        "compression.wire_ratio",
        {"keep": 0.0625, "workers": 64, "value_bytes": 2, "index_bytes": 4, "dense_bytes": 2},
        6,
    ),
    ("layout.gpus", {"data": 6, "tensor": 8, "pipeline": 64}, 3072),
    ("layout.data_size", {"gpus": 16384, "tensor": 8, "pipeline": 16}, 128),
    ("layout.micro_batches", {"batch": 3072, "data": 6, "micro_batch": 1}, 512),
    ("layout.global_batch", {"data": 128, "micro_batch": 1, "micro_batches": 16}, 2048),
    ("layout.state_bytes", LAYOUT_OF_64, 35e9),
    ("layout.state_bytes", LAYOUT_OF_64 | {"stage": 1}, (4 + 12 / 2) * 70e9 / 32),
    ("layout.tensor_bytes", TRAFFIC, 4 * 20 * 128 * 2 * 7 / 8 * 4096 * 8192 * 2),
    ("layout.tensor_bytes", TRAFFIC | {"recompute": True}, 6 * 20 * 128 * 2 * 7 / 8 * 4096 * 8192 * 2),
    ("layout.pipeline_bytes", TRAFFIC_BETWEEN, 2 * 128 * 4096 * 8192 * 2),
    ("layout.pipeline_bytes", TRAFFIC_BETWEEN | {"pipeline": 2}, 128 * 4096 * 8192 * 2),
    ("layout.data_bytes", LAYOUT_OF_64, 2 * 70e9 / 32),
    ("mesh.coordinate", {"rank": 13, "axis": "pipeline", "data": 2, "tensor": 2, "pipeline": 4}, 3),
    ("mesh.coordinate", {"rank": 13, "axis": "data", "data": 2, "tensor": 2, "pipeline": 4}, 0),
    ("mesh.group", {"rank": 5, "axis": "data", "data": 2, "tensor": 2, "pipeline": 4}, [5, 7]),
    ("mesh.group", {"rank": 5, "axis": "pipeline", "data": 2, "tensor": 2, "pipeline": 4}, [1, 5, 9, 13]),
    ("mesh.group", {"rank": 5, "axis": "data", "data": 2, "tensor": 2, "pipeline": 4, "order": "tp-pp-dp"}, [5, 13]),
    # LLaMA 7B on 64 copies is the course's data-parallel step
    ("plan.step_seconds", LLAMA_LAYOUT, pytest.approx(1.64, abs=0.01)),
    ("plan.part_seconds", LLAMA_LAYOUT | {"part": "compute"}, pytest.approx(1.64, abs=0.01)),
    # Weights, gradients and optimizer states over 64: 12 of 16 bytes a parameter are the optimizer's
    ("plan.part_bytes", LLAMA_LAYOUT | {"part": "optimizer"}, 12 * 6_738_415_616 / 64),
    ("plan.mfu", LLAMA_LAYOUT, pytest.approx(0.472, abs=0.001)),
    ("plan.bytes_per_gpu", LLAMA_LAYOUT, pytest.approx(57.1e9, abs=0.1e9)),
    ("plan.layouts_that_fit", {"model": "llama-7b", "hardware": "h100", "gpus": 1, "batch": 1}, 0),
    ("pipeline.bubble", {"stages": 4, "micro_batches": 8}, 3 / 11),
    ("pipeline.bubble", {"stages": 8, "micro_batches": 16, "chunks": 4}, 7 / 71),
    ("pipeline.bubble_of_ideal", {"stages": 4, "micro_batches": 8}, 0.375),
    ("pipeline.bubble_of_ideal", {"stages": 4, "micro_batches": 8, "chunks": 2}, 0.1875),
    ("pipeline.zero_bubble_idle", {"stages": 8, "weight": 0.3}, 11.9),
    ("pipeline.zero_bubble", {"stages": 8, "micro_batches": 32, "weight": 0.3}, 11.9 / 85.5),
    ("nccl_tests.algbw", {"bytes": 1e9, "seconds": 0.005}, 200e9),
    ("nccl_tests.busbw", {"op": "all_reduce", "bytes": 1e9, "seconds": 0.005, "workers": 8}, 350e9),
    ("nccl_tests.busbw", {"op": "all_gather", "bytes": 1e9, "seconds": 0.005, "workers": 8}, 175e9),
    ("nccl_tests.busbw", {"op": "broadcast", "bytes": 1e9, "seconds": 0.005, "workers": 8}, 200e9),
    ("deepspeed.zero2_bytes", {"params": 2851e6, "gpus": 8}, pytest.approx(11.28 * 2**30, rel=1e-3)),
    ("deepspeed.zero2_bytes", {"params": 2851e6, "gpus": 8, "offload": True}, 5702e6),
    ("data_sheet.sparse_peak_flops", {"hardware": "h200"}, 1979e12),
    ("shape.matrix_params", {"layers": 96, "hidden": 12288, "heads": 96, "vocab": 50272}, 174_563_917_824),
    (
        "shape.matrix_params",
        {"layers": 80, "hidden": 8192, "heads": 64, "vocab": 32000, "kv_heads": 8, "ffn": 28672}
        | {"gated": True, "tied": False},
        # Llama 2 70B: Q and O whole, K and V an eighth, three matrices of the MLP, two of the vocabulary
        80 * (2 * 8192**2 + 2 * 8192 * 1024 + 3 * 8192 * 28672) + 2 * 32000 * 8192,
    ),
    ("pipeline.slots", {"stages": 2, "micro_batches": 3}, 8),
    ("pipeline.idle_slots", {"stages": 2, "micro_batches": 3}, 2),
    ("pipeline.peak_activations", {"schedule": "1f1b", "stages": 4, "micro_batches": 8, "stage": 1}, 3),
    ("pipeline.peak_activations", {"schedule": "gpipe", "stages": 4, "micro_batches": 8, "stage": 1}, 8),
    ("pipeline.micro_batches", {"batch": 256, "micro_batch": 2, "data": 8}, 16),
    ("pipeline.messages", {"stages": 4, "micro_batches": 8}, 48),  # 3 cuts, both ways
    ("pipeline.messages", {"stages": 4, "micro_batches": 8, "chunks": 2}, 112),  # 7 cuts
    ("pipeline.layers_built", {"layers": 30, "stages": 4}, 28),
    ("pipeline.timed_bubble", {"schedule": "zb-h1", "stages": 4, "micro_batches": 8}, 3 / 27),
    ("pipeline.makespan", {"schedule": "1f1b", "stages": 4, "micro_batches": 8}, 33),
]


def reckon(formula: str) -> float:
    """What a formula with numbers in comes to, by Python's own arithmetic."""
    text = re.sub(r"(?<=\d),(?=\d{3})", "", formula)
    text = re.sub(r"(?<=[\d)]) (?=\()", " * ", text)
    text = re.sub(r" x ", " * ", text).replace(" mod ", " % ").replace("^", "**")
    names = {
        "ceil": math.ceil,
        "log2": math.log2,
        "min": min,
        "max": max,
        "tanh": math.tanh,
        "sqrt": math.sqrt,
        "pi": math.pi,
    }
    return float(eval(text, {"__builtins__": {}}, names))


@pytest.mark.parametrize(("name", "arguments", "expected"), CALLS, ids=[f"{c[0]} {c[1]}" for c in CALLS])
def test_values(name: str, arguments: dict[str, Any], expected: Any) -> None:
    found = quantities.evaluate(name, **arguments)
    close = pytest.approx(expected, rel=1e-6) if isinstance(expected, (int, float)) else expected
    assert found.value == close
    as_text = quantities.evaluate(name, **{key: str(value) for key, value in arguments.items()})
    assert as_text == found
    assert found.unit == quantities.quantity(name).unit


@pytest.mark.parametrize(("name", "arguments", "_"), CALLS, ids=[f"{c[0]} {c[1]}" for c in CALLS])
def test_the_worked_line_comes_to_the_value(name: str, arguments: dict[str, Any], _: Any) -> None:
    found = quantities.evaluate(name, **arguments)
    parts = found.worked.split(" = ")
    ending = parts[-1].removesuffix(found.unit).strip()
    if isinstance(found.value, (int, float)):
        assert float(ending.replace(",", "")) == pytest.approx(found.value, rel=1e-5)
    if len(parts) == 3 and parts[0] == found.formula:
        assert reckon(parts[1]) == pytest.approx(found.value, rel=1e-4)


def test_every_quantity_is_tried_here_and_says_what_it_is() -> None:
    assert sorted({name for name, _, _ in CALLS}) == quantities.names()
    for name in quantities.names():
        about = quantities.quantity(name)
        assert about.name == name
        assert about.formula
        assert about.source
        assert about.help.endswith(".")
        assert all(parameter.help for parameter in about.parameters)


@pytest.mark.parametrize(("name", "arguments", "_"), CALLS, ids=[f"{c[0]} {c[1]}" for c in CALLS])
def test_every_argument_is_named_when_it_is_bad(name: str, arguments: dict[str, Any], _: Any) -> None:
    about = quantities.quantity(name)
    for parameter in about.parameters:
        if parameter.name in ("x", "gradients", "logits"):
            continue  # any number will do
        bad: list[Any] = {"flag": ["maybe"], "word": ["no such thing"], "numbers": ["x", [-1]]}.get(
            parameter.kind, [-5, "x", True, None]
        )
        for value in bad:
            with pytest.raises(BadArgument) as caught:
                quantities.evaluate(name, **arguments | {parameter.name: value})
            assert caught.value.name.split("[")[0] == parameter.name
