"""How much a learner's file may use."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields, replace

MIB = 1 << 20
_LEAST_DATA = 128 * MIB  # Python and NumPy alone take a part of it


@dataclass(frozen=True)
class Limits:
    """Limits of one check, for all its cases together. Times in seconds, sizes in bytes."""

    cpu: int = 3  # processor time; a second later the system ends the process
    wall: float = 10.0
    start: float = 30.0  # for the process to be ready, before any of the learner's code
    data: int = 512 * MIB
    address_space: int = 2048 * MIB
    open_files: int = 64
    output_kept: int = 64 << 10
    output_most: int = 8 * MIB
    result_most: int = 32 * MIB
    # programs of workers
    workers: int = 16
    message_most: int = 32 * MIB
    messages_total: int = 128 * MIB  # of all workers together, in all cases
    boxed: bool = False  # in a box of bubblewrap's as well: nothing of other learners can be seen

    @classmethod
    def of_class(cls) -> Limits:
        """The limits where many learners share a host: more patience, and a box.

        >>> Limits.of_class().boxed
        True
        """
        return cls(wall=20.0, boxed=True)

    def of_worker(self, workers: int) -> Limits:
        """The limits of one of so many workers: they share what a check may hold and print.

        >>> Limits().of_worker(8).result_most // MIB
        4
        """
        return replace(
            self,
            data=max(_LEAST_DATA, self.data // workers),
            result_most=self.result_most // workers,
            output_kept=self.output_kept // workers,
            output_most=self.output_most // workers,
        )

    def raised(self, asked: Iterable[Mapping[str, float] | None]) -> Limits:
        """These limits, with each one raised to the most that a case asks for.

        Raises KeyError for a name that is no limit.

        >>> Limits().raised([{"cpu": 6}, None]).cpu
        6
        """
        most = asdict(self)
        names = {field.name for field in fields(self)}
        for wishes in asked:
            for name, value in (wishes or {}).items():
                if name not in names:
                    raise KeyError(name)
                most[name] = max(most[name], value)
        return Limits(**most)
