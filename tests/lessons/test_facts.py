"""Everything that the course has to teach is in one of the lessons' own lists, which map it to step and question."""

from __future__ import annotations

import ast
from pathlib import Path

HERE = Path(__file__).parent

# Why one GPU is not enough, collectives, the ring, costs, data parallelism, ZeRO, tensor parallelism, pipelines,
# checkpointing, utilisation, layouts: how many facts each has
COUNTS = {"W": 3, "C": 4, "R": 4, "A": 8, "D": 6, "Z": 6, "T": 4, "P": 6, "K": 2, "M": 3, "X": 3}


def facts_of(file: Path) -> dict[str, list[tuple[str, str]]]:
    """The FACTS of a lesson's test, read without running it."""
    for node in ast.parse(file.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.target.id == "FACTS":
            assert node.value is not None
            return dict(ast.literal_eval(node.value))
    return {}


def test_no_fact_is_left_out() -> None:
    found: dict[str, list[tuple[str, str]]] = {}
    for file in sorted(HERE.glob("test_*.py")):
        for fact, places in facts_of(file).items():
            found.setdefault(fact, []).extend(places)
    wanted = {f"{letter}{number}" for letter, count in COUNTS.items() for number in range(1, count + 1)}
    assert wanted <= found.keys()
    assert all(found[fact] for fact in wanted)


def test_the_libraries_are_all_there() -> None:
    found = facts_of(HERE / "test_libraries.py")
    assert len(found) >= 7
    said = " ".join(found).lower()
    for name in ("nccl", "ddp", "fsdp", "deepspeed", "megatron", "torchtitan", "nanotron"):
        assert name in said, name
