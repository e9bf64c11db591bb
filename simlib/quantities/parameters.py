"""Parameters that several quantities share."""

from __future__ import annotations

from simlib.quantities.registry import FLAG, NUMBER, WHOLE, WORD, Parameter

WORKERS = Parameter("workers", WHOLE, "how many workers take part", "N")
BYTES = Parameter("bytes", NUMBER, "bytes of the whole array on each worker", "bytes", unit="B")
ALPHA = Parameter("alpha", NUMBER, "seconds of latency of one message", "alpha", unit="s")
BANDWIDTH = Parameter("bandwidth", NUMBER, "bytes per second of a link, in one direction", "bandwidth", unit="B/s")
PAYLOAD = Parameter("payload", NUMBER, "bytes that each worker contributes", "payload", unit="B")

PARAMS = Parameter("params", WHOLE, "how many parameters the model has", "P")
GPUS = Parameter("gpus", WHOLE, "how many GPUs share the work", "N")
STAGE = Parameter("stage", WHOLE, "the ZeRO stage: 0, 1, 2 or 3", "stage")
OPTIMIZER_BYTES = Parameter("optimizer_bytes", NUMBER, "optimizer bytes per parameter", "K", 12, unit="B")

STAGES = Parameter("stages", WHOLE, "how many pipeline stages there are, one a GPU", "p")
MICRO_BATCHES = Parameter("micro_batches", WHOLE, "how many micro-batches a step has", "m")
CHUNKS = Parameter("chunks", WHOLE, "model chunks per GPU", "v", 1)

HARDWARE = Parameter("hardware", WORD, "a machine by its id, such as h100 or a100", "hardware")
MODEL = Parameter("model", WORD, "a model by its id, such as llama-7b or gpt-175b", "model")
TOKENS = Parameter("tokens", NUMBER, "how many tokens are trained on", "tokens")
RECOMPUTE = Parameter("recompute", FLAG, "whether activations are recomputed in the backward pass", "recompute", False)
