"""Problems from the engine's quantities: arguments drawn so that the figure can be worked out with a pencil."""

from __future__ import annotations

import random
from collections.abc import Iterator
from functools import cache
from typing import Any

from simlib import quantities
from simlib.errors import BadArgument
from simlib.quantities import Parameter, Quantity
from simlib.quantities.registry import written
from tutor import units
from tutor.course.model import NUMBER, Course, Lesson, Question, Step
from tutor.practice.problem import NOWHERE, Problem, Skill, made

_DRAWS = 24
# What each argument is drawn from, by its name: sizes that real runs have
_SIZES: dict[str, tuple[Any, ...]] = {
    "workers": (2, 3, 4, 5, 6, 8, 10, 16, 32, 64),
    "gpus": (2, 4, 8, 16, 32, 64, 128),
    "bytes": tuple(size * 10**6 for size in (24, 60, 120, 200, 240, 400, 480, 600, 1200)),
    "payload": tuple(size * 10**6 for size in (1, 2, 5, 8, 10, 20, 50)),
    "chunk_bytes": (10**6, 2 * 10**6, 4 * 10**6),
    "alpha": (2e-6, 5e-6, 1e-5, 2e-5, 5e-5),
    "alpha_in": (1e-6, 2e-6, 5e-6),
    "alpha_out": (1e-5, 2e-5, 5e-5),
    "bandwidth": (10e9, 20e9, 25e9, 50e9, 100e9, 400e9),
    "bandwidth_in": (200e9, 300e9, 400e9),
    "bandwidth_out": (10e9, 20e9, 25e9, 50e9),
    "nodes": (2, 4, 8, 16),
    "gpus_per_node": (4, 8),
    "op": ("all_reduce", "reduce_scatter", "all_gather", "broadcast"),
    "algorithm": ("ring", "naive", "direct"),
    "elements": (10, 11, 12, 17, 20, 25, 100),
    "chunk": (0, 1, 2),
    "chunks": (2, 3, 4, 8),
    "worker": (0, 1, 2, 3),
    "params": tuple(int(size * 10**9) for size in (1, 1.5, 2, 3, 4, 6, 7, 8, 10, 13, 20, 30, 70)),
    "stage": (0, 1, 2, 3),
    "optimizer_bytes": (6, 8, 12),
    "dtype_bytes": (2, 4),
    "capacity": (24 * 10**9, 40 * 10**9, 80 * 10**9, 141 * 10**9),
    "stages": (2, 3, 4, 6, 8, 12, 16),
    "micro_batches": (2, 4, 5, 8, 10, 12, 16, 24, 32, 60),
    "batch": (64, 128, 256, 512, 1024),
    "micro_batch": (1, 2, 4, 8),
    "critical": (100, 200, 250, 400),
    "data": (1, 2, 4, 8, 16),
    "tensor": (1, 2, 4, 8),
    "pipeline": (1, 2, 4, 8),
    "rank": (0, 3, 5, 9, 14),
    "axis": ("data", "tensor", "pipeline"),
    "layers": (12, 24, 32, 40, 48, 80, 96),
    "hidden": (1024, 2048, 4096, 8192),
    "heads": (16, 32, 64),
    "kv_heads": (4, 8),
    "head_size": (64, 128),
    "vocab": (32000, 50000, 51200),
    "sequence": (1024, 2048, 4096, 8192),
    "tokens": (10**9, 10**10, 10**11, 2 * 10**11, 10**12),
    "flops_per_gpu": (100e12, 150e12, 200e12, 400e12),
    "flops_per_second": (1e15, 2e16, 5e16),
    "flops_per_byte": (300, 1000, 2000),
    "passes": (6, 8),
    "mode": ("none", "tensor", "full"),
    "part": ("attention", "mlp", "norms", "scores"),
    "sizes": ([8e6] * 6, [4e6, 12e6, 12e6, 16e6, 20e6], [30e6, 10e6, 10e6, 5e6], [10e6] * 8),
    "bucket": (0, 1),
    "gradient_seconds": (0.005, 0.01, 0.02),
    "seconds_per_byte": (1e-10, 2e-10, 1e-9),
    "gradients": ([0.2, 0.4], [1, 3, 5], [2, 4, 6, 8], [0.1, 0.3, 0.5]),
    "samples": ([4, 4], [2, 6], [8, 8, 8]),
    "logits": ([1, 2, 0], [0, 0, 1, 1], [2, 1]),
    "target": (0, 1),
    "split": ([3, 4], [1, 2, 2], [6, 8]),
    "recipe": ("adam", "adam-fp32-gradients", "adam-8bit", "adam-fp32", "sgd-momentum", "sgd"),
    "every": (2, 4, 5, 8),
    "layer_bytes": (10**9, 2 * 10**9),
    "input_bytes": (10**7, 5 * 10**7),
    "room": (20 * 10**9, 40 * 10**9),
    "backward": (2,),
    "forward": (1, 2),
    "input": (1, 2),
    "weight": (1, 2),
    "keep": (1 / 100, 1 / 32, 1 / 16, 1 / 8),
    "value_bytes": (2, 4),
    "index_bytes": (4,),
    "dense_bytes": (2, 4),
    "seconds": (0.01, 0.02, 0.05, 0.1),
    "seconds_one": (64, 80, 120, 200),
    "seconds_many": (5, 8, 10, 16, 20),
    "work_one": (1,),
    "work_many": (1, 2, 4, 8),
    "schedule": ("gpipe", "1f1b"),
    "hardware": ("h100", "a100"),
    "model": ("llama-7b", "llama-13b", "gpt-175b"),
    "x": (-2, -1, 0.5, 1, 2),
    "sequence_parallel": (True, False),
    "recompute": (True, False),
    "scatter_gather": (True, False),
    "offload": (True, False),
}
# Where an argument of this name has other sizes
_OF_FAMILY: dict[str, tuple[Any, ...]] = {
    "step.tokens": (2**18, 2**19, 2**20, 2**21, 2**22),
    "checkpointing.backward": (1, 2, 3),
    "layout.gpus": (16, 32, 64, 128, 256, 512),
}
_PLAUSIBLE = {"scaling.efficiency": (0.2, 1.0), "machine.utilisation": (0.1, 0.7)}
# Looked up, searched for by the planner, or timed by the engine: no figure that one works out
LOOKED_UP = ("hardware.", "model.", "run.", "data_sheet.", "plan.", "pipeline.makespan", "pipeline.timed_bubble")
_FORMATS = {"bytes": "B", "payload": "B", "capacity": "B", "room": "B", "bandwidth": "B/s", "alpha": "s"}


def skills(course: Course) -> Iterator[Skill]:
    """A skill for each quantity that can be worked out, of the step that asks for it, or of its family's first."""
    taught = _taught(course)
    families: dict[str, tuple[Lesson, Step]] = {}
    for name, taught_in in taught.items():
        families.setdefault(name.partition(".")[0], taught_in)
    for name in quantities.names():
        place = taught.get(name) or families.get(name.partition(".")[0])
        if place is not None and workable(name):
            yield Skill(f"quantity:{name}", *place)


@cache
def workable(name: str) -> bool:
    """Whether it is a number that is worked out from arguments which can be drawn."""
    return not name.startswith(LOOKED_UP) and _arguments(quantities.quantity(name), random.Random(0)) is not None


def problem(skill: Skill, course: Course, draw: random.Random) -> Problem:
    """The quantity for arguments that `draw` gives: of some, those whose figure is the shortest."""
    quantity = quantities.quantity(skill.id.partition(":")[2])
    drawn = [found for _ in range(6) if (found := _arguments(quantity, draw)) is not None]
    arguments, value = min(drawn, key=lambda one: _digits(one[1].value))
    given = "; ".join(_given(quantity, name, argument) for name, argument in arguments.items())
    # What comes after the colon says how it is worked out: that is a hint
    what, _, more = quantity.help.partition(": ")
    text = " ".join(f"{name}={_typed(value_)}" for name, value_ in arguments.items())
    question = Question(
        id=f"practice-{quantity.name}",
        kind=NUMBER,
        prompt=f"{what.rstrip('.')}. Work it out for {_escaped(given)}.",
        answer=f"{quantity.name} {text}".strip(),
        why=f"{_escaped(value.worked)}. ({quantity.source})",
        place=NOWHERE,
        hints=(
            *([f"{more[:1].upper()}{more[1:]}"] if more else []),
            f"The formula: {_escaped(value.formula)}",
            f"With the numbers in: {_escaped(_without_end(value.worked))}",
        ),
        unit=quantity.unit,
    )
    return made(skill, course, question)


def _arguments(quantity: Quantity, draw: random.Random) -> tuple[dict[str, Any], quantities.Value] | None:
    """Arguments that the quantity takes, with its value; None where none are found."""
    family = quantity.name.partition(".")[0]
    alone = not any(parameter.required for parameter in quantity.parameters)
    for _ in range(_DRAWS):
        chosen: dict[str, Any] = {}
        for parameter in quantity.parameters:
            sizes = _OF_FAMILY.get(f"{family}.{parameter.name}", _SIZES.get(parameter.name))
            if sizes is None and parameter.required:
                return None
            if sizes is not None and (parameter.required or alone or draw.random() < 0.3):
                chosen[parameter.name] = draw.choice(sizes)
        try:
            value = quantities.evaluate(quantity.name, **chosen)
        except BadArgument:
            continue
        if _is_sensible(quantity.name, value.value):
            return chosen, value
    return None


def _is_sensible(name: str, value: Any) -> bool:
    """Whether it is a number that the quantity may have in a real run."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not value:
        return False
    least, most = _PLAUSIBLE.get(name, (0, float("inf")))
    return least <= value <= most


def _taught(course: Course) -> dict[str, tuple[Lesson, Step]]:
    """The first step that asks for each quantity, or else speaks of it."""
    found: dict[str, tuple[Lesson, Step]] = {}
    names = quantities.names()
    for in_question in (True, False):
        for lesson in course.lessons:
            for step in lesson.steps:
                if in_question:
                    text = step.question.answer if step.question else ""
                else:
                    text = " ".join(getattr(block, "text", "") for block in step.blocks)
                for name in names:
                    if name in text and name not in found and _is_word(name, text):
                        found[name] = (lesson, step)
    return found


def _is_word(name: str, text: str) -> bool:
    at = text.index(name)
    end = at + len(name)
    before, after = text[at - 1 : at], text[end : end + 1]
    return not (before.isalnum() or before == "_" or after.isalnum() or after in ("_", "."))


def _digits(value: Any) -> int:
    """How many digits the figure has."""
    return len(f"{float(value):.6e}".split("e")[0].rstrip("0"))


def _given(quantity: Quantity, name: str, argument: Any) -> str:
    """An argument with its symbol and what it is: "N = 8 (how many workers take part)"."""
    parameter: Parameter = next(one for one in quantity.parameters if one.name == name)
    if isinstance(argument, str):
        return f"{name.replace('_', ' ')} {argument}"
    return f"{parameter.symbol or name} = {_shown(name, argument)} ({parameter.help})"


def _shown(name: str, value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return ", ".join(map(written, value))
    unit = _FORMATS.get(name.split("_")[0], "")
    return units.show(value, unit) if unit and value else written(value)


def _typed(value: Any) -> str:
    if isinstance(value, list):
        return f"[{','.join(map(str, value))}]"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _without_end(worked: str) -> str:
    return " = ".join(worked.split(" = ")[:-1])


def _escaped(text: str) -> str:
    """Text of the engine's as a course file would hold it: no braces that ask for a figure."""
    return text.replace("{{", "{ {")
