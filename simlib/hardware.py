"""Published machines: memory, peak arithmetic, links. Figures are those of the makers, in base units.

Peaks are dense 16-bit (bf16 or fp16) matrix arithmetic: data sheets that print twice as much mean sparse matrices.
"""

from __future__ import annotations

from dataclasses import dataclass

from simlib.errors import BadArgument


@dataclass(frozen=True)
class Hardware:
    """One accelerator, and how it reaches the others. Bytes and bytes per second count 1 GB = 1e9 bytes."""

    id: str
    name: str
    memory_bytes: float
    memory_bandwidth: float  # bytes per second
    peak_flops: float  # dense 16-bit FLOP/s
    link_bandwidth: float  # bytes per second and direction, to the others that fast links join
    gpus_per_server: int  # how many the fast links join
    network_bandwidth: float  # bytes per second and direction between those, per accelerator
    source: str

    def bandwidth(self, gpus: int) -> float:
        """Bytes per second and direction that a ring of `gpus` accelerators gets: its slowest link's."""
        return self.link_bandwidth if gpus <= self.gpus_per_server else self.network_bandwidth


_ALL = (
    Hardware(
        "a100",
        "A100 SXM 80 GB",
        80e9,
        2.039e12,
        312e12,
        300e9,
        8,
        25e9,
        "NVIDIA A100 data sheet; NVLink 3, 600 GB/s both directions together; DGX A100, one 200 Gb/s card per GPU",
    ),
    Hardware(
        "a100-40gb",
        "A100 SXM 40 GB",
        40e9,
        1.555e12,
        312e12,
        300e9,
        8,
        25e9,
        "NVIDIA A100 data sheet; NVLink 3, 600 GB/s both directions together; DGX A100, one 200 Gb/s card per GPU",
    ),
    Hardware(
        "h100",
        "H100 SXM 80 GB",
        80e9,
        3.35e12,
        989e12,
        450e9,
        8,
        50e9,
        "NVIDIA H100 data sheet; NVLink 4, 900 GB/s both directions together; DGX H100, one 400 Gb/s card per GPU",
    ),
    Hardware(
        "h200",
        "H200 SXM 141 GB",
        141e9,
        4.8e12,
        989e12,
        450e9,
        8,
        50e9,
        "NVIDIA H200 data sheet; NVLink 4, 900 GB/s both directions together; DGX H200, one 400 Gb/s card per GPU",
    ),
    Hardware(
        "b200",
        "B200 180 GB",
        180e9,
        8e12,
        2.25e15,
        900e9,
        8,
        50e9,
        "NVIDIA DGX B200 data sheet (8 GPUs: 1,440 GB, 64 TB/s, 72 PFLOP/s FP8); NVLink 5, one 400 Gb/s card per GPU",
    ),
    Hardware(
        "tpu-v4",
        "TPU v4",
        32e9,
        1.2e12,
        275e12,
        90e9,
        4096,
        6.25e9,
        "Google Cloud TPU v4; How to Scale Your Model, chapter 2: links of 45 GB/s, both ways round one torus axis",
    ),
    Hardware(
        "tpu-v5p",
        "TPU v5p",
        96e9,
        2.8e12,
        459e12,
        180e9,
        8960,
        6.25e9,
        "Google Cloud TPU v5p; How to Scale Your Model, chapter 2: links of 90 GB/s, both ways round one torus axis",
    ),
)

HARDWARE = {machine.id: machine for machine in _ALL}


def find(hardware: str) -> Hardware:
    """The machine with the id `hardware`. Raises BadArgument that lists the ids.

    >>> find("h100").memory_bytes
    80000000000.0
    """
    if not isinstance(hardware, str) or hardware.lower() not in HARDWARE:
        raise BadArgument("hardware", hardware, ", ".join(HARDWARE))
    return HARDWARE[hardware.lower()]


# What NVIDIA's data sheets print largest for 16 bits: 2:4 sparse matrices, twice the dense peak before rounding
_SPARSE_PEAKS = {"a100": 624e12, "a100-40gb": 624e12, "h100": 1979e12, "h200": 1979e12, "b200": 4.5e15}


def sparse_peak_flops(machine: Hardware) -> float:
    """The FLOP/s that the data sheet prints for sparse 16-bit matrices. Training's are dense: see `peak_flops`.

    Raises BadArgument for a machine without a figure for sparse matrices.

    >>> sparse_peak_flops(find("h100")) / 1e12
    1979.0
    """
    if machine.id not in _SPARSE_PEAKS:
        raise BadArgument("hardware", machine.id, ", ".join(_SPARSE_PEAKS))
    return _SPARSE_PEAKS[machine.id]
