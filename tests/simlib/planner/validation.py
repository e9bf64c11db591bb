"""The table of published runs beside the planner's predictions, as the README shows it.

`python tests/simlib/planner/validation.py` prints it anew.
"""

from __future__ import annotations

import importlib.util
import re
from pathlib import Path
from types import ModuleType
from typing import Any

HERE = Path(__file__).parent
NAMES = {
    "narayanan-t1": "Narayanan et al. 2021, table 1",
    "narayanan-t2": "the same, table 2, without interleaving",
    "korthikanti-t5": "Korthikanti et al. 2022, table 5",
    "korthikanti": "the same, section 6.3",
    "mt-nlg": "Smith et al. 2022 (DeepSpeed)",
    "llama3-t4": "Llama team 2024, table 4",
    "palm": "Chowdhery et al. 2022 (PaLM)",
}


def published() -> ModuleType:
    """The module that holds the rows and how each is predicted."""
    specification = importlib.util.spec_from_file_location("published", HERE / "test_published.py")
    assert specification is not None
    assert specification.loader is not None
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def row(module: ModuleType, id: str, of: dict[str, Any]) -> str:
    """One run: what was published, what the planner says, how far it is off."""
    source = next(name for name in NAMES if id.startswith(name))
    what = re.sub(r"^-", "", id.removeprefix(source))
    layout = module.predicted(of)
    seconds, said = layout.step_seconds, module.published_seconds(of)
    mark = " (fitted)" if of["used"] == "fit" else ""
    sizes = f"{layout.data} x {layout.tensor} x {layout.pipeline}"
    error = f"{100 * (seconds / said - 1):+.1f}%"
    return f"| {NAMES[source]}{mark} | {what} | {of['gpus']:,} | {sizes} | {said:.2f} s | {seconds:.2f} s | {error} |"


def table() -> str:
    """The whole table in Markdown."""
    module = published()
    names = ("run", "size", "GPUs", "data x tensor x pipeline", "published", "predicted", "error")
    head = f"| {' | '.join(names)} |", "|---" * len(names) + "|"
    return "\n".join([*head, *(row(module, id, of) for id, of in module.ROWS.items())])


if __name__ == "__main__":
    print(table())
