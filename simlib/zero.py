"""ZeRO: how many bytes of model state each GPU keeps, and how many it sends, when states are sharded.

Source: Rajbhandari et al. 2020, "ZeRO: Memory Optimizations Toward Training Trillion Parameter Models",
sections 3.1 (where the memory goes), 5 (the three stages) and 7 (what they send). P is the number of
parameters (the paper's psi), N the number of data-parallel GPUs, K the optimizer's bytes per parameter.
Closed forms; no NumPy. `simlib.training.sharded` carries the stages out, and counts.
"""

from __future__ import annotations

from dataclasses import dataclass

from simlib.errors import one_of, positive_number, whole_number

STAGES = (0, 1, 2, 3)

# Bytes per parameter in mixed-precision training with Adam
WEIGHT_BYTES = 2  # 16-bit weights
GRADIENT_BYTES = 2  # 16-bit gradients
ADAM_BYTES = 12  # FP32 master weights, momentum and variance, 4 bytes each


@dataclass(frozen=True)
class Recipe:
    """Bytes per parameter that a way of training keeps: of weights, of gradients, of optimizer states."""

    weights: float
    gradients: float
    optimizer: float
    what: str

    @property
    def total(self) -> float:
        """Their sum."""
        return self.weights + self.gradients + self.optimizer


RECIPES = {
    "adam": Recipe(2, 2, 12, "mixed precision, Adam: FP32 master weights, momentum and variance"),
    "adam-fp32-gradients": Recipe(2, 4, 12, "the same with gradients accumulated in FP32, as Megatron-LM does"),
    "adam-8bit": Recipe(2, 2, 6, "mixed precision, Adam with momentum and variance in 8 bits each"),
    "adam-fp32": Recipe(4, 4, 8, "everything in FP32, Adam: the weights are their own master copy"),
    "sgd-momentum": Recipe(2, 2, 8, "mixed precision, SGD with momentum on FP32 master weights"),
    "sgd": Recipe(2, 2, 4, "mixed precision, plain SGD on FP32 master weights"),
}


def recipe(name: str) -> Recipe:
    """The recipe called `name`. Raises BadArgument that lists them.

    >>> recipe("adam").total, recipe("adam-8bit").total
    (16, 10)
    """
    return RECIPES[one_of("recipe", name, tuple(RECIPES))]


@dataclass(frozen=True)
class ModelStates:
    """Bytes of model state on one GPU, by what they hold. Shares of an uneven split may be fractions of a byte."""

    weights: float
    gradients: float
    optimizer: float

    @property
    def total(self) -> float:
        """Their sum, in bytes."""
        return self.weights + self.gradients + self.optimizer


def model_states(
    params: float,
    gpus: int,
    stage: int,
    optimizer_bytes: float = ADAM_BYTES,
    weight_bytes: float = WEIGHT_BYTES,
    gradient_bytes: float = GRADIENT_BYTES,
) -> ModelStates:
    """Bytes of weights, gradients and optimizer states on each of `gpus` GPUs at a ZeRO `stage`.

    Stage 0 shards nothing: every GPU keeps all of it, (2 + 2 + K) P. Stage 1 shards the optimizer states,
    stage 2 the gradients too, stage 3 the weights too (Rajbhandari et al. 2020, section 5). Other precisions
    change the bytes per parameter: see RECIPES.
    Raises BadArgument for a stage that is not 0 to 3 and for sizes that are not positive.

    >>> model_states(7e9, gpus=8, stage=1)
    ModelStates(weights=14000000000, gradients=14000000000, optimizer=10500000000)
    >>> [model_states(7e9, 8, stage).total / 1e9 for stage in STAGES]
    [112.0, 38.5, 26.25, 14.0]
    """
    params = whole_number("params", params)
    gpus = whole_number("gpus", gpus)
    stage = whole_number("stage", stage, 0, 3)
    per_param = [
        positive_number(name, given, zero=True)
        for name, given in (
            ("weight_bytes", weight_bytes),
            ("gradient_bytes", gradient_bytes),
            ("optimizer_bytes", optimizer_bytes),
        )
    ]
    # The stage from which each is sharded: weights last, optimizer states first
    shares = [gpus if stage >= sharded_from else 1 for sharded_from in (3, 2, 1)]
    return ModelStates(*(_exact(size * params / share) for size, share in zip(per_param, shares, strict=True)))


def bytes_per_gpu(params: float, gpus: int, stage: int, optimizer_bytes: float = ADAM_BYTES) -> float:
    """All bytes of model state on one GPU: 16 P; 4 P + K P / N; 2 P + (2 + K) P / N; (4 + K) P / N.

    >>> bytes_per_gpu(7e9, gpus=8, stage=3)
    14000000000
    """
    return model_states(params, gpus, stage, optimizer_bytes).total


def bytes_sent(params: float, gpus: int, stage: int, dtype_bytes: float = 2) -> float:
    """Bytes that each GPU sends in one step, by ring collectives on values of `dtype_bytes`.

    Stages 0 to 2: a reduce-scatter of the gradients and an all-gather of the weights (or, without ZeRO, an
    all-reduce, which is the same two), 2 (N - 1) / N of the model. Stage 3 gathers the weights for the forward
    pass and again for the backward pass, and reduce-scatters the gradients: 3 (N - 1) / N
    (Rajbhandari et al. 2020, section 7). Raises BadArgument as `model_states` does.

    >>> bytes_sent(6.738e9, gpus=64, stage=0), bytes_sent(6.738e9, gpus=64, stage=3)
    (26530875000, 39796312500)
    """
    params = whole_number("params", params)
    gpus = whole_number("gpus", gpus)
    passes = collective_passes(stage)
    return _exact(passes * (gpus - 1) * params * positive_number("dtype_bytes", dtype_bytes) / gpus)


def collective_passes(stage: int) -> int:
    """How often the whole model goes around the ring in one step: 2 for stages 0 to 2, 3 for stage 3."""
    return 3 if whole_number("stage", stage, 0, 3) == 3 else 2


def first_stage_that_fits(params: float, gpus: int, capacity: float, optimizer_bytes: float = ADAM_BYTES) -> int | None:
    """The lowest stage whose model states fit into `capacity` bytes per GPU; None where even stage 3 does not.

    Model states only: activations, buffers and fragmentation come on top.

    >>> first_stage_that_fits(7e9, gpus=8, capacity=80e9)
    1
    >>> first_stage_that_fits(7e9, gpus=1, capacity=80e9) is None
    True
    """
    room = positive_number("capacity", capacity)
    return next((stage for stage in STAGES if bytes_per_gpu(params, gpus, stage, optimizer_bytes) <= room), None)


@dataclass(frozen=True)
class Shards:
    """A flat array cut into equal shards, the end filled up with padding (in elements)."""

    padded: int
    per_rank: int
    real_on_last_rank: int


def padded_shards(elements: int, gpus: int, align: int = 2) -> Shards:
    """`elements` in equal shards, one per GPU, each a multiple of `align` elements (DeepSpeed aligns to 2).

    >>> padded_shards(57, 2)
    Shards(padded=60, per_rank=30, real_on_last_rank=27)
    """
    count, n = whole_number("elements", elements), whole_number("gpus", gpus)
    block = n * whole_number("align", align)
    each = -(-count // block) * block // n
    return Shards(each * n, each, max(0, count - each * (n - 1)))


def _exact(number: float) -> float:
    """A whole number of bytes as an int, so that it prints and compares as one."""
    return int(number) if number == int(number) else number
