"""Models and machines of one's own, from a TOML file: what `plan` can be asked beside the published ones.

[models.mine]
layers = 48
hidden = 6144
heads = 48
vocab = 50000
sequence = 4096

[machines.cluster]
memory_bytes = 96e9
memory_bandwidth = 4e12
peak_flops = 1e15
link_bandwidth = 450e9
gpus_per_server = 8
network_bandwidth = 50e9
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from dataclasses import MISSING, dataclass, field, fields
from pathlib import Path
from typing import Any, TypeVar

from simlib import hardware, models
from simlib.errors import BadArgument
from simlib.hardware import Hardware
from simlib.models import Model
from simlib.transformer import Transformer
from tutor.regular_file import read_regular

_MOST_BYTES = 1 << 20
_OWN = "your file"
Made = TypeVar("Made")


class NoRuns(Exception):
    """A file that cannot be read as models and machines: one line that says where and why."""


@dataclass(frozen=True)
class OwnRuns:
    """Models and machines by their ids, those of the file before the published ones."""

    models: dict[str, Model] = field(default_factory=dict)
    machines: dict[str, Hardware] = field(default_factory=dict)

    def model(self, id: str) -> Model:
        """The model of this id. Raises BadArgument that names them all."""
        return _found("model", id, self.models, models.MODELS)

    def machine(self, id: str) -> Hardware:
        """The machine of this id. Raises BadArgument that names them all."""
        return _found("hardware", id, self.machines, hardware.HARDWARE)


def _found(what: str, id: str, own: dict[str, Made], published: dict[str, Made]) -> Made:
    for among in (own, published):
        if id in among:
            return among[id]
    if id.lower() in published:
        return published[id.lower()]
    raise BadArgument(what, id, ", ".join([*own, *published]))


def read(path: Path) -> OwnRuns:
    """What the file holds. Raises NoRuns, naming the file, the table, the key and what would be accepted."""
    try:
        data = read_regular(path, _MOST_BYTES)
    except OSError as error:
        raise NoRuns(f"{path}: {error.strerror or error}") from None
    if len(data) > _MOST_BYTES:
        raise NoRuns(f"{path} is larger than {_MOST_BYTES:,} bytes; a file of models and machines is small")
    try:
        tables = tomllib.loads(data.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise NoRuns(f"{path} is not TOML: {error}") from None
    unknown = [name for name in tables if name not in ("models", "machines")]
    if unknown:
        raise NoRuns(f"{path}: [{unknown[0]}]; accepted: [models.ID] and [machines.ID]")
    return OwnRuns(
        {id: _model(path, id, table) for id, table in _tables(path, tables, "models")},
        {id: _machine(path, id, table) for id, table in _tables(path, tables, "machines")},
    )


def _tables(path: Path, tables: dict[str, Any], kind: str) -> list[tuple[str, dict[str, Any]]]:
    found = tables.get(kind, {})
    if not isinstance(found, dict) or not all(isinstance(table, dict) for table in found.values()):
        raise NoRuns(f"{path}: {kind} is no table of tables; accepted: [{kind}.ID]")
    return list(found.items())


def _model(path: Path, id: str, table: dict[str, Any]) -> Model:
    where = f"{path}, [models.{id}]"
    table = dict(table)
    name = _text(where, table, "name", id)
    source = _text(where, table, "source", _OWN)
    shape = _made(where, Transformer, table)
    return Model(id, name, shape, float(shape.params), source)


def _machine(path: Path, id: str, table: dict[str, Any]) -> Hardware:
    where = f"{path}, [machines.{id}]"
    table = dict(table)
    given = {"id": id, "name": _text(where, table, "name", id), "source": _text(where, table, "source", _OWN)}
    for key, value in table.items():
        number = isinstance(value, (int, float)) and not isinstance(value, bool) and 0 < value < 1e100
        if key == "gpus_per_server" and not isinstance(value, int):
            number = False
        if not number and any(key == one.name for one in fields(Hardware)):
            accepted = "a whole number from 1" if key == "gpus_per_server" else "a number above 0, in base units"
            raise NoRuns(f"{where}: {key} is {value!r}; accepted: {accepted}")
    return _made(where, Hardware, table, given)


def _made(where: str, kind: Callable[..., Made], table: dict[str, Any], given: dict[str, Any] | None = None) -> Made:
    """An object of this dataclass from the table's keys."""
    given = given or {}
    wanted = {one.name: one for one in fields(kind) if one.name not in given}  # type: ignore[arg-type]
    for key in table:
        if key not in wanted:
            raise NoRuns(f"{where}: {key}; accepted: {', '.join(wanted)}")
    missing = [name for name, one in wanted.items() if one.default is MISSING and name not in table]
    if missing:
        raise NoRuns(f"{where}: {missing[0]} is missing")
    for name, one in wanted.items():
        if name in table and one.type == "bool" and not isinstance(table[name], bool):
            raise NoRuns(f"{where}: {name} is {table[name]!r}; accepted: true or false")
    try:
        return kind(**given, **table)
    except BadArgument as error:
        raise NoRuns(f"{where}: {error}") from None


def _text(where: str, table: dict[str, Any], key: str, default: str) -> str:
    value = table.pop(key, default)
    if not isinstance(value, str) or not value.strip():
        raise NoRuns(f"{where}: {key} is {value!r}; accepted: a text")
    from tutor.safe_text import visible

    return visible(value)[:80]
