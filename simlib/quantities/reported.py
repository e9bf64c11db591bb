"""Quantities as tools and data sheets report them: nccl-tests, DeepSpeed's estimate, sparse peaks, matrices alone."""

from __future__ import annotations

from simlib import hardware as machines
from simlib import offload as hosts
from simlib.collectives import costs
from simlib.errors import positive_number
from simlib.quantities.parameters import BYTES, GPUS, HARDWARE, PARAMS, WORKERS
from simlib.quantities.registry import FLAG, NUMBER, WHOLE, WORD, Outcome, Parameter, define
from simlib.transformer import Transformer

_NCCL_TESTS = "NVIDIA nccl-tests, doc/PERFORMANCE.md"
_FACTOR = {"all_reduce": "2 (N - 1) / N", "broadcast": "1", "reduce": "1", "sendrecv": "1"}

OP = Parameter("op", WORD, f"one of {', '.join(costs.WIRE_OPS)}")
SECONDS = Parameter("seconds", NUMBER, "seconds that the collective takes", "seconds", unit="s")


@define("nccl_tests.algbw", BYTES, SECONDS, unit="B/s", formula="bytes / seconds", source=_NCCL_TESTS)
def _algbw(bytes: float, seconds: float) -> float:
    """Algorithm bandwidth: the size of the whole array over the time of the collective."""
    return positive_number("bytes", bytes) / positive_number("seconds", seconds)


@define(
    "nccl_tests.busbw",
    OP,
    BYTES,
    SECONDS,
    WORKERS,
    unit="B/s",
    formula="bytes / seconds x factor: 2 (N - 1) / N for all_reduce, 1 for broadcast and reduce, else (N - 1) / N",
    source=_NCCL_TESTS,
)
def _busbw(op: str, bytes: float, seconds: float, workers: int) -> Outcome:
    """Bus bandwidth: the speed of the links that would explain the time, whatever the number of workers."""
    rate = positive_number("bytes", bytes) / positive_number("seconds", seconds)
    return Outcome(rate * costs.wire_ratio(op, workers), f"bytes / seconds x {_FACTOR.get(op, '(N - 1) / N')}")


@define(
    "deepspeed.zero2_bytes",
    PARAMS,
    GPUS,
    Parameter("offload", FLAG, "whether the optimizer is offloaded to the host", "offload", False),
    unit="B",
    formula="2 x P + 18 x P / N; offloaded 2 x P",
    source="DeepSpeed, runtime/zero/stage_1_and_2.py, estimate_zero2_model_states_mem_needs",
)
def _zero2(params: int, gpus: int, offload: bool) -> Outcome:
    """Bytes of model states on each GPU at ZeRO stage 2, as DeepSpeed estimates them: a gradient copy in FP32 too."""
    return Outcome(hosts.zero2(params, gpus, offload), "2 x P" if offload else "2 x P + 18 x P / N")


@define(
    "data_sheet.sparse_peak_flops",
    HARDWARE,
    unit="FLOP/s",
    formula="16-bit with sparsity, as published",
    source="the data sheets of NVIDIA A100, H100, H200 and B200",
)
def _sparse_peak(hardware: str) -> Outcome:
    """Peak FLOP/s of 2:4 sparse 16-bit matrices, the largest number of a data sheet; training is dense."""
    machine = machines.find(hardware)
    return Outcome(machines.sparse_peak_flops(machine), f"16-bit peak of the {machine.name} with sparsity")


@define(
    "shape.matrix_params",
    Parameter("layers", WHOLE, "transformer layers", "L"),
    Parameter("hidden", WHOLE, "hidden size", "h"),
    Parameter("heads", WHOLE, "attention heads", "a"),
    Parameter("vocab", WHOLE, "entries of the vocabulary", "V"),
    Parameter("head_dim", WHOLE, "numbers in a head; hidden / heads by default", "q", 0),
    Parameter("kv_heads", WHOLE, "heads of keys and values; as many as heads by default", "k", 0),
    Parameter("ffn", WHOLE, "columns of the MLP's first matrix; 4 x hidden by default", "f", 0),
    Parameter("gated", FLAG, "whether the MLP has three matrices (SwiGLU), not two", "gated", False),
    Parameter("tied", FLAG, "whether the output layer uses the embedding's matrix", "tied", True),
    formula="L x 2 x h x q x (a + k) + L x mlp x h x f + outer x V x h",
    source="Vaswani et al. 2017; Shazeer 2019 (k below a) and 2020 (gated: mlp 3 in place of 2)",
)
def _matrix_params(
    layers: int,
    hidden: int,
    heads: int,
    vocab: int,
    head_dim: int,
    kv_heads: int,
    ffn: int,
    gated: bool,
    tied: bool,
) -> Outcome:
    """Weights of all matrices of a transformer; norms, biases and positions are not counted."""
    shape = Transformer(
        layers, hidden, heads, vocab, 1, ffn=ffn, head_dim=head_dim, kv_heads=kv_heads, gated=gated, tied=tied
    )
    symbols = {
        "q": shape.attention_width // heads,
        "k": kv_heads or heads,
        "f": shape.ffn_width,
        "mlp": 3 if gated else 2,
        "outer": 1 if tied else 2,
    }
    return Outcome(shape.matrix_params, symbols=symbols)
