"""How a training system works, apart from its layout: what the planner assumes of every layout alike."""

from __future__ import annotations

from dataclasses import dataclass, fields

from simlib.errors import BadArgument, positive_number
from simlib.zero import ADAM_BYTES, GRADIENT_BYTES


@dataclass(frozen=True)
class Settings:
    """Features and bytes of the training system. Raises BadArgument for values that are not of their kind."""

    sequence_parallel: bool = True  # norms and dropouts split along the sequence (Korthikanti et al. 2022)
    fused_attention: bool = False  # attention that never writes its scores to memory (Dao et al. 2022)
    overlap_data: bool = True  # gradients and sharded weights travel while other layers compute
    overlap_tensor: bool = True  # input gradients are reduced while weight gradients are computed
    overlap_pipeline: bool = True  # with chunks, stages exchange one while they compute another
    all_network_cards: bool = True  # a group's GPUs in one server share its data between their network cards
    dropout: bool | None = None  # None: as the shape's authors trained it, with biases yes, without no
    gradient_bytes: float = GRADIENT_BYTES  # per parameter, held and sent; 4 where they are added up in FP32
    optimizer_bytes: float = ADAM_BYTES
    reserved_bytes: float = 2e9  # context, libraries' workspaces, communication buffers: an assumption
    efficiency: float | None = None  # a constant share of peak instead of the machine's own

    def __post_init__(self) -> None:
        for name in FLAGS:
            value = getattr(self, name)
            if not isinstance(value, bool) and not (name == "dropout" and value is None):
                raise BadArgument(name, value, "True or False")
        for name in ("gradient_bytes", "optimizer_bytes", "reserved_bytes"):
            positive_number(name, getattr(self, name), zero=True)


FLAGS = (
    "sequence_parallel",
    "fused_attention",
    "overlap_data",
    "overlap_tensor",
    "overlap_pipeline",
    "all_network_cards",
    "dropout",
)
SETTINGS = tuple(field.name for field in fields(Settings))

# As in Narayanan et al. 2021: no sequence parallelism yet, every message waited for, gradients added up in FP32
MEGATRON_2021 = Settings(
    sequence_parallel=False, overlap_data=False, overlap_tensor=False, overlap_pipeline=False, gradient_bytes=4
)
# As in Korthikanti et al. 2022: sequence parallelism, input gradients reduced during the weight gradients
MEGATRON_2022 = Settings(overlap_data=False, overlap_pipeline=False, gradient_bytes=4)

# What no figure of the planner's holds
LEFT_OUT = (
    "reading data and writing checkpoints",
    "failures, restarts and slow machines",
    "fragments of memory beyond what is reserved",
    "other traffic on the network",
)
