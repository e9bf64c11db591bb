"""What real learners believe, of the whole course: each belief is met by a known wrong answer.

The ids are those of reports by users of the libraries; their beliefs stand in course.toml.
"""

from __future__ import annotations

import pytest

from tutor.answers.near_misses import near_miss
from tutor.answers.numbers import read_number
from tutor.course.load import load

COURSE = load()

BELIEFS = {
    "memory": (
        "weights-only",
        "no-master-weights",
        "mixed-precision-halves-memory",
        "sixteen-whatever-the-gradients",
        "eight-bit-adam-quarters-all",
        "pure-bf16-keeps-small-steps",
    ),
    "collectives": (
        "only-rank-0-reduces",
        "all-send-first",
        "order-may-differ",
        "barrier-shares-values",
        "members-only-make-the-group",
        "bad-batch-skips-backward",
        "all-gather-carries-gradients",
        "unequal-all-gather",
        "ring-leaves-chunk-r",
        "timer-without-synchronise",
    ),
    "communication-cost": (
        "all-reduce-n-copies",
        "all-reduce-sends-once",
        "sync-time-grows-with-n",
        "ring-latency-constant",
        "small-messages-at-full-speed",
        "bus-bandwidth-is-size-over-time",
        "bits-for-bytes",
        "both-directions-added",
        "gib-for-gb",
        "elements-for-bytes",
        "all-gather-input-is-total",
        "tree-is-always-faster",
        "sparse-saves-in-full",
    ),
    "data-parallel": (
        "sum-for-mean",
        "averaged-twice",
        "loss-times-world-size",
        "mean-of-unequal-means",
        "averaging-shrinks-the-rate",
        "rate-from-batch-per-gpu",
        "ddp-splits-the-loader-batch",
        "launching-splits-the-data",
        "ddp-shards-the-model",
        "ddp-adds-no-memory",
        "batch-norm-sees-all",
        "same-seed-for-noise",
        "module-bypasses-ddp",
        "unused-parameter-is-harmless",
        "rank-0-loss-is-the-loss",
        "logged-sum",
        "schedule-in-optimizer-steps",
        "global-rank-as-device",
        "clip-before-average",
    ),
    "data-and-checkpoints": (
        "set-epoch-forgotten",
        "sampler-counts-each-once",
        "sampler-over-the-world",
        "short-rank-just-stops",
        "local-rank-0-writes",
        "rank-0-alone-saves-sharded",
    ),
    "buckets-and-overlap": (
        "first-layer-first",
        "one-big-bucket",
        "overlap-hides-all",
    ),
    "gradient-accumulation": (
        "accumulate-undivided",
        "token-mean-of-means",
        "clip-each-micro-batch",
        "one-sync-by-itself",
        "no-sync-is-free-when-sharded",
        "stage-2-accumulates-locally",
        "batch-without-gpus",
    ),
    "zero-fsdp": (
        "stage-1-divides-all",
        "stage-2-keeps-gradients",
        "stage-3-keeps-weights",
        "stage-3-is-model-parallel",
        "fsdp-shards-the-computation",
        "zero-shards-activations",
        "one-unit-for-the-model",
        "no-reshard-still-sharded",
        "hybrid-shard-over-the-world",
        "stages-1-2-send-more",
        "stage-3-sends-the-same",
        "local-norm-for-clipping",
    ),
    "tensor-parallel": (
        "rows-first",
        "gather-between-the-matrices",
        "bias-on-every-rank",
        "all-reduce-transposes-to-all-reduce",
        "no-backward-all-reduce",
        "two-all-reduces-a-layer",
        "tensor-traffic-falls-with-t",
        "tensor-across-servers",
        "any-t-divides-heads",
        "norm-weights-split",
        "replicated-counted-t-times",
        "own-dropout-in-replicated-parts",
        "softmax-of-own-vocabulary",
        "tensor-divides-all-activations",
    ),
    "sequence-parallel": (
        "sequence-parallel-doubles-traffic",
        "norm-gradients-need-no-sync",
        "sequence-parallel-splits-attention",
    ),
    "pipeline": (
        "bubble-of-the-wrong-whole",
        "bubble-with-p",
        "pipeline-without-micro-batches",
        "1f1b-shrinks-the-bubble",
        "1f1b-keeps-m",
        "stages-alike-in-memory",
        "micro-batches-ignore-data-parallel",
        "larger-micro-batch-smaller-bubble",
        "p-in-flight-with-few",
        "interleaving-divides-the-share",
        "interleaving-is-free-memory",
        "layers-rounded-down",
        "stages-equal-by-layers",
        "loss-on-rank-0",
        "tied-embedding-stays-tied",
    ),
    "activation-checkpointing": (
        "checkpointing-doubles-time",
        "checkpointing-removes-activations",
        "activation-formula-times-dtype",
    ),
    "mfu": (
        "sparse-peak",
        "all-tokens-one-gpu",
        "recompute-in-mfu",
        "attention-left-out",
        "forward-only",
        "samples-for-tokens",
        "tokens-times-world",
        "busy-is-efficient",
        "time-at-peak",
    ),
    "layouts": (
        "world-is-the-sum",
        "data-parallel-is-the-world",
        "layout-leaves-the-batch",
        "data-group-is-neighbours",
        "states-over-the-world",
    ),
    "scaling": (
        "speed-up-as-efficiency",
        "fixed-steps-fixed-speed",
        "batch-times-k-steps-over-k",
    ),
}

# Slips of units, which any question with a unit tells apart without being told how
OF_ANY_QUESTION = {"gib-for-gb"}


@pytest.mark.parametrize("belief", [belief for ids in BELIEFS.values() for belief in ids])
def test_each_belief_is_met(belief: str) -> None:
    assert belief in COURSE.misconceptions
    met = {wrong.misconception for question in COURSE.questions().values() for wrong in question.wrong}
    assert belief in met | OF_ANY_QUESTION


def test_a_gibibyte_is_told_from_a_gigabyte() -> None:
    found = near_miss(read_number("104.308", "GB"), 112e9, "GB")
    assert found is not None
    assert found.misconception == "gib-for-gb"
