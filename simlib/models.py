"""Published transformers by id, each with where its shape is printed."""

from __future__ import annotations

from dataclasses import dataclass

from simlib.errors import BadArgument
from simlib.transformer import Transformer


@dataclass(frozen=True)
class Model:
    """A published model: its shape, and the number of parameters that its authors print."""

    id: str
    name: str
    shape: Transformer
    published_params: float
    source: str


_LLAMA_2 = "Touvron et al. 2023, Llama 2 (context 4,096)"
_MEGATRON = "Narayanan et al. 2021, Efficient Large-Scale Language Model Training on GPU Clusters, table 1"


def _llama(layers: int, hidden: int, heads: int, ffn: int, kv_heads: int, vocab: int, sequence: int) -> Transformer:
    return Transformer(layers, hidden, heads, vocab, sequence, ffn=ffn, kv_heads=kv_heads, gated=True, tied=False)


def _gpt(layers: int, hidden: int, heads: int, vocab: int) -> Transformer:
    return Transformer(layers, hidden, heads, vocab, 2048, biases=True, learned_positions=True, norm_parameters=2)


def _megatron(size: str, billions: float, layers: int, hidden: int, heads: int) -> Model:
    return Model(
        f"megatron-{size}", f"Megatron-LM {size.upper()}", _gpt(layers, hidden, heads, 51200), billions * 1e9, _MEGATRON
    )


_ALL = (
    Model("llama-7b", "LLaMA 7B", _llama(32, 4096, 32, 11008, 32, 32000, 4096), 6.7e9, _LLAMA_2),
    Model("llama-13b", "LLaMA 13B", _llama(40, 5120, 40, 13824, 40, 32000, 4096), 13.0e9, _LLAMA_2),
    Model("llama-70b", "Llama 2 70B", _llama(80, 8192, 64, 28672, 8, 32000, 4096), 70e9, _LLAMA_2),
    Model(
        "llama-3-70b",
        "Llama 3 70B",
        _llama(80, 8192, 64, 28672, 8, 128256, 8192),
        70.6e9,
        "Llama team 2024, The Llama 3 Herd of Models, table 3",
    ),
    Model(
        "llama-3-405b",
        "Llama 3 405B",
        _llama(126, 16384, 128, 53248, 8, 128256, 8192),
        405e9,
        "Llama team 2024, The Llama 3 Herd of Models, table 3",
    ),
    Model(
        "gpt-175b",
        "GPT-3 175B",
        _gpt(96, 12288, 96, 50257),
        175e9,
        "Brown et al. 2020, Language Models are Few-Shot Learners, table 2.1",
    ),
    Model(
        "palm-540b",
        "PaLM 540B",
        Transformer(118, 18432, 48, 256000, 2048, ffn=73728, head_dim=256, kv_heads=1, gated=True, norms_per_layer=1),
        540.35e9,
        "Chowdhery et al. 2022, PaLM, table 1 (multi-query attention, parallel layers, embeddings shared)",
    ),
    _megatron("1.7b", 1.7, 24, 2304, 24),
    _megatron("3.6b", 3.6, 30, 3072, 32),
    _megatron("7.5b", 7.5, 36, 4096, 32),
    _megatron("18.4b", 18.4, 40, 6144, 48),
    _megatron("39.1b", 39.1, 48, 8192, 64),
    _megatron("76.1b", 76.1, 60, 10240, 80),
    _megatron("145.6b", 145.6, 80, 12288, 96),
    _megatron("310.1b", 310.1, 96, 16384, 128),
    _megatron("529.6b", 529.6, 105, 20480, 128),
    _megatron("1t", 1008.0, 128, 25600, 160),
)

MODELS = {model.id: model for model in _ALL}


def find(model: str) -> Model:
    """The model with the id `model`. Raises BadArgument that lists the ids.

    >>> find("llama-7b").shape.params
    6738415616
    """
    if not isinstance(model, str) or model.lower() not in MODELS:
        raise BadArgument("model", model, ", ".join(MODELS))
    return MODELS[model.lower()]
