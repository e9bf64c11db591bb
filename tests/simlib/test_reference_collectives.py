"""Reference figures of collectives, networks, meshes, buckets and compression: a case each, named by its id."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from simlib import compression, data_parallel, fsdp, mesh, network, tensor_parallel, throughput, units
from simlib.collectives import all_reduce, all_to_all, costs, nccl_trees, ring_all_gather, ring_all_reduce
from simlib.hardware import find
from simlib.mesh import Mesh
from simlib.network import links

Figure = dict[str, Any]

AREAS = ("collectives", "alpha-beta", "compression", "ddp", "fsdp", "tensor-parallel", "mesh", "units")
ALL_FIGURES = json.loads(Path(__file__).with_name("reference_figures.json").read_text(encoding="utf-8"))
FIGURES: dict[str, Figure] = {figure["id"]: figure for figure in ALL_FIGURES if figure["area"] in AREAS}
CASES: dict[str, Callable[[Figure], None]] = {}


def case(pattern: str) -> Callable[[Callable[[Figure], None]], Callable[[Figure], None]]:
    """The decorated check stands for all figures whose id matches."""

    def enter(check: Callable[[Figure], None]) -> Callable[[Figure], None]:
        CASES.update({name: check for name in FIGURES if re.fullmatch(pattern, name)})
        return check

    return enter


@pytest.mark.parametrize("name", FIGURES)
def test_figure(name: str) -> None:
    CASES[name](FIGURES[name])


def close(expected: float, relative: float = 1e-9) -> Any:
    return pytest.approx(expected, rel=relative)


@case("busbw-(all_reduce|all_gather|broadcast)")
def _(figure: Figure) -> None:
    op = figure["inputs"]["op"]
    assert {n: costs.wire_ratio(op, int(n)) for n in figure["expected"]} == figure["expected"]


@case("busbw-(scatter-gather|sendrecv)")
def _(figure: Figure) -> None:
    for op in np.atleast_1d(figure["inputs"]["op"]):
        assert costs.wire_ratio(str(op), figure["inputs"]["n"]) == figure["expected"]


@case("busbw-size-convention")
def _(figure: Figure) -> None:
    # The size is that of the whole array: `count` elements from each of n workers
    assert figure["inputs"]["op"] == ["all_gather", "reduce_scatter", "all_to_all"]
    n, count = 4, 12
    whole = n * count * 8
    gathered = ring_all_gather([np.zeros(count)] * n)
    swapped = all_to_all([np.zeros(whole // 8)] * n)
    assert gathered.bytes_sent == [costs.wire_ratio("all_gather", n) * whole] * n
    assert swapped.bytes_sent == [costs.wire_ratio("all_to_all", n) * whole] * n


@case("busbw-n1")
def _(figure: Figure) -> None:
    n, size = figure["inputs"]["n"], figure["inputs"]["bytes"]
    assert costs.wire_ratio("all_reduce", n) == figure["expected"]["busbw"]
    # One worker sends nothing, and has its result all the same
    trace = ring_all_reduce([np.ones(size // 8)])
    assert (trace.bytes_sent, trace.result[0].nbytes) == ([0], size)


@case("all-to-all-p4")
def _(figure: Figure) -> None:
    assert [array.tolist() for array in all_to_all(figure["inputs"]["data"]).result] == figure["expected"]


@case("all-reduce-p4")
def _(figure: Figure) -> None:
    for algorithm in ("ring", "naive", "direct", "tree", "double-tree", "halving-doubling"):
        result = all_reduce(figure["inputs"]["data"], algorithm=algorithm).result
        assert [array.tolist() for array in result] == [figure["expected"]] * figure["inputs"]["world"]


@case("ring-volume-n.*")
def _(figure: Figure) -> None:
    n = figure["inputs"]["n"]
    trace = ring_all_reduce([np.zeros(n)] * n)
    found = {
        "sent_per_rank": trace.bytes_sent[0] / (8 * n),
        "steps": trace.last_step,
        "bytes_per_step": trace.steps[0].transfers[0].bytes / (8 * n),
    }
    assert found == figure["expected"]
    assert costs.ring_steps(n) == figure["expected"]["steps"]
    assert costs.ring_bytes_sent(figure["inputs"]["bytes"], n) == figure["expected"]["sent_per_rank"]


@case(r"dbtree-n\d")
def _(figure: Figure) -> None:
    trees = nccl_trees(figure["inputs"]["nranks"])
    assert figure["expected"] == [
        {"rank": rank} | {f"t{k}": {"up": tree.up[rank], "down": list(tree.down[rank])} for k, tree in enumerate(trees)}
        for rank in range(figure["inputs"]["nranks"])
    ]


@case("dbtree-property")
def _(figure: Figure) -> None:
    internal = [{rank for rank in range(8) if max(tree.down[rank]) >= 0} for tree in nccl_trees(8)]
    printed = re.findall(r"\{([\d,]+)\}", figure["expected"])
    assert internal == [set(map(int, ranks.split(","))) for ranks in printed]


@case("nccl-default-latencies-us")
def _(figure: Figure) -> None:
    assert list(links.NCCL_PROTOCOLS) == figure["inputs"]["protocols"]
    assert {name: list(values) for name, values in links.NCCL_LATENCIES.items()} == figure["expected"]


@case("ab-ring-16")
def _(figure: Figure) -> None:
    given = [figure["inputs"][name] for name in ("bytes", "P", "alpha", "beta")]
    assert costs.ring_all_reduce_time(*given) == close(figure["expected"]["all_reduce_s"])
    assert costs.ring_all_gather_time(*given) == close(figure["expected"]["all_gather_s"])


@case("ab-hier-4x4")
def _(figure: Figure) -> None:
    i, expected = figure["inputs"], figure["expected"]
    link = (i["alpha"], i["beta"])
    two_levels = costs.hierarchical_all_reduce_time(i["bytes"], i["nodes"], i["gpus"], *link, *link)
    flat = costs.ring_all_reduce_time(i["bytes"], i["nodes"] * i["gpus"], *link)
    assert (two_levels, flat, flat / two_levels) == tuple(
        close(expected[name], 1e-6) for name in ("hier_s", "flat_s", "speedup")
    )


@case("ab-hier-8x8-.*")
def _(figure: Figure) -> None:
    i, expected = figure["inputs"], figure["expected"]
    inside, outside = (i["alpha_in"], i["beta_in"]), (i["alpha_out"], i["beta_out"])
    two_levels = costs.hierarchical_all_reduce_time(i["bytes"], i["nodes"], i["gpus"], *inside, *outside)
    if isinstance(expected, dict):
        assert costs.ring_all_reduce_time(i["bytes"], i["nodes"] * i["gpus"], *outside) == close(expected["flat_s"])
        expected = expected["hier_s"]
    assert two_levels == close(expected, 1e-6)


@case("ab-ring-tree-crossover")
def _(figure: Figure) -> None:
    link = (figure["inputs"]["P"], figure["inputs"]["alpha"], figure["inputs"]["beta"])
    low, high = 1.0, 1e9
    while high - low > 1:
        middle = (low + high) / 2
        tree_wins = costs.tree_all_reduce_time(middle, *link) < costs.ring_all_reduce_time(middle, *link)
        low, high = (middle, high) if tree_wins else (low, middle)
    assert low == pytest.approx(figure["expected"], abs=figure["tolerance"])


@case("sb-ag-v4p-q2a")
def _(figure: Figure) -> None:
    i = figure["inputs"]
    size = i["B"] * i["D"] * 2 / i["Y"]  # bf16, and the other dimension is split over as many
    assert network.links.torus_all_gather_time(size, i["Y"], i["W"], 1e-6) == close(figure["expected"], 0.02)


@case("sb-ag-latency")
def _(figure: Figure) -> None:
    i = figure["inputs"]
    found = links.torus_all_gather_time(i["bytes"], i["axis"], 90e9, i["hop_s"], i["wraparound"])
    assert found == close(figure["expected"])


@case("sb-p2p-v5e")
def _(figure: Figure) -> None:
    i, expected = figure["inputs"], figure["expected"]
    way = (i["ports"], i["W_per_port"], i["hops"], i["hop_s"])
    assert links.point_to_point_time(0, *way) == close(expected["first_byte_s"])
    assert links.point_to_point_time(i["bytes"], *way) == close(expected["total_s"])


@case("sb-h100-ag-pop1")
def _(figure: Figure) -> None:
    i, expected = figure["inputs"], figure["expected"]
    assert find("h100").link_bandwidth == i["W"]
    size = 1024 * 16384 * 2
    assert links.Link(0, i["W"]).time(size) == close(expected["approx_s"])
    assert costs.ring_all_gather_time(size, i["n"], 0, i["W"]) == close(expected["exact_s"])


@case("sb-fat-tree-bw")
def _(figure: Figure) -> None:
    expected = figure["expected"]
    rates = links.fat_tree_bandwidths(list(figure["inputs"].values()))
    assert rates == [close(expected[level], 0.005) for level in figure["inputs"]]
    assert min(rates) == close(expected["overall"], 0.005)


@case("powersgd-.*")
def _(figure: Figure) -> None:
    i = figure["inputs"]
    found = compression.power_sgd(i["rows"], i["cols"], i["rank"], i["min_rate"])
    assert figure["expected"] == {
        "should_compress": found.worth_while,
        "uncompressed": found.uncompressed,
        "compressed": found.compressed,
        "ratio": found.ratio,
    }


@case("ddp-bucket-(5|8|mixed).*")
def _(figure: Figure) -> None:
    sizes = [size * units.MIB for size in figure["inputs"]["tensor_MiB"]]
    caps = [cap * units.MIB for cap in figure["inputs"]["limits_MiB"]]
    assert data_parallel.buckets(sizes, caps[0], caps[-1]) == figure["expected"]


@case("ddp-bucket-edge-401")
def _(figure: Figure) -> None:
    limit = figure["inputs"]["limit_bytes"]
    assert data_parallel.buckets([100 * 4] * 10, limit, limit) == figure["expected"]


@case("ddp-defaults")
def _(figure: Figure) -> None:
    assert figure["expected"] == {
        "first_bucket_bytes": data_parallel.FIRST_BUCKET_BYTES,
        "bucket_cap_bytes": data_parallel.BUCKET_BYTES,
    }


@case("mesh-uneven-composed")
def _(figure: Figure) -> None:
    i, expected = figure["inputs"], figure["expected"]
    shards = mesh.shard_lengths(i["tp_local_dim"], i["dp"])
    assert list(shards) == expected["shards"]
    # What one takes the whole to be who knows only a rank's own shard
    assert [shard * i["dp"] for shard in shards] == expected["inferred_wrong_global"] != [i["tp_local_dim"]] * 2


@case("pp-unshard-lowering")
def _(figure: Figure) -> None:
    assert fsdp.gather_and_free(figure["inputs"]["compute"]) == figure["expected"]


@case("sb-strategy-crossover")
def _(figure: Figure) -> None:
    found = tensor_parallel.weights_gathered_or_sums_reduced(figure["inputs"]["C_over_W"])
    assert found == figure["expected"]["allreduce_beats_allgather_when_D_over"]


@case("tp-scatter-gather")
def _(figure: Figure) -> None:
    b, s, h, t = 3, 5, 7, 11
    values = {"b": b, "s": s, "h": h, "t": t}
    before = tensor_parallel.elements_between_stages(s, b, h, t)
    after = tensor_parallel.elements_between_stages(s, b, h, t, scatter_gather=True)
    expected = figure["expected"]
    assert [before, after] == [eval(expected[name], values) for name in ("volume_before", "volume_after")]


@case("tp-volume-ring-fp16")
def _(figure: Figure) -> None:
    b, s, h, t = 2, 6, 4, 8
    formula = figure["inputs"]["elems"].removesuffix(" per all-reduce")
    expected = eval(formula, {"b": b, "s": s, "h": h, "t": t})
    assert tensor_parallel.elements_sent_per_all_reduce(s, b, h, t) == expected
    sent = ring_all_reduce([np.zeros((b, s, h), dtype=np.float16)] * t).bytes_sent
    assert sent == [expected * 2] * t


@case("sb-mesh-bytes")
def _(figure: Figure) -> None:
    each, together = Mesh.of(**figure["inputs"]["mesh"]).sharded_elements((128, 2048), (("X", "Y"), ()))
    assert {"bytes_per_device": each, "total_bytes": together} == figure["expected"]


@case("sb-mesh-ratio")
def _(figure: Figure) -> None:
    shape = (8, 3, 5)
    _, together = Mesh.of(**figure["inputs"]["mesh"]).sharded_elements(shape, (("X",), (), ()))
    assert together / np.prod(shape) == figure["expected"]


@case("sb-xopt")
def _(figure: Figure) -> None:
    i = figure["inputs"]
    assert mesh.best_fsdp_size(i["B"], i["N"], i["F"]) == close(figure["expected"])


@case("llama3-t4-.*")
def _(figure: Figure) -> None:
    i, expected = figure["inputs"], figure["expected"]
    world = Mesh.of(dp=i["dp"], pp=i["pp"], cp=i["cp"], tp=i["tp"])
    assert world.world_size == expected["gpus"]
    assert i["seq"] * i["batch_per_dp"] * world.size("dp") == expected["tokens_per_batch"]
    used = 100 * throughput.utilisation(expected["tflops"] * 1e12, 1, find("h100").peak_flops)
    assert used == close(expected["mfu_at_989"])
    assert used == pytest.approx(expected["mfu_pct"], abs=0.6)


@case("mesh-megatron-16")
def _(figure: Figure) -> None:
    i = figure["inputs"]
    data = i["world"] // i["tp"] // i["pp"]
    world = Mesh.in_order(i["order"], {"tp": i["tp"], "pp": i["pp"], "dp": data})
    assert {axis: [list(group) for group in world.groups(axis)] for axis in ("tp", "dp", "pp")} == figure["expected"]


@case("mesh-deepspeed-222")
def _(figure: Figure) -> None:
    world = Mesh(tuple(figure["inputs"]["axes"]), tuple(figure["inputs"]["dims"]))
    assert {axis: [list(group) for group in world.groups(axis)] for axis in world.axes} == figure["expected"]


@case("mesh-deepspeed-234")
def _(figure: Figure) -> None:
    world = Mesh(tuple(figure["inputs"]["axes"]), tuple(figure["inputs"]["dims"]))
    assert world.world_size == figure["expected"]["world"]


@case("mesh-hier-16")
def _(figure: Figure) -> None:
    first, second, third = figure["inputs"]["levels"]
    world = Mesh.of(l3=third, l2=second, l1=first)
    assert world.world_size == figure["inputs"]["world"]
    for level, expected in figure["expected"].items():
        assert sorted(list(group) for group in world.groups(level)) == sorted(expected)


@case("gib-80GB-TRAP")
def _(figure: Figure) -> None:
    size = figure["inputs"]["bytes"]
    assert units.gib(size) == close(figure["expected"]["GiB"])
    assert 80 * units.GB < size < 80 * units.GIB
