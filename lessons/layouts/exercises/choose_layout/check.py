"""Checks choose_layout: lays the answer out with the planner, and says of it what does not fit, or why it is slow."""

from functools import lru_cache

import numpy as np

from simlib.hardware import Hardware
from simlib.planner import CAUSES, CHECKPOINTING, Settings, lay_out, plan, why
from simlib.planner.choices import problem
from simlib.planner.search import refusal
from simlib.transformer import Transformer

KEYS = ("data", "tensor", "pipeline", "zero", "micro_batch", "checkpointing")
SIZES = ("data", "tensor", "pipeline")
SLOWER = 1.1  # the time to beat: so many times that of the planner's fastest
CATEGORIES = ("weights", "gradients", "optimizer", "activations", "other")
OTHER = "what is set aside and a layer at work"


def cases(seed):
    """One that asks for everything; a larger model; one that needs little; an odd number of GPUs; two tight ones."""
    rng = np.random.default_rng(seed)
    pick = lambda *values: values[int(rng.integers(len(values)))]  # noqa: E731
    yield _case("13B on 32 GPUs of 40 GB", (40, 5120, 40), 2048, _machine(rng, 32, 4, 40), 32 * pick(4, 6, 8))
    yield _case("39B on 64 GPUs of 80 GB", (48, 8192, 64), 2048, _machine(rng, 64, 8, 80), 64 * pick(4, 8))
    yield _case("5B on 16 GPUs of 80 GB", (24, 4096, 32), 1024, _machine(rng, 16, 8, 80), 16 * pick(8, 16))
    yield _case("22B on 48 GPUs of 80 GB", (48, 6144, 48), 2048, _machine(rng, 48, 8, 80), 48 * pick(4, 6))
    yield _case("7B, long sequences", (32, 4096, 32), 8192, _machine(rng, 16, 8, 80), 16 * pick(4, 8))
    # Who counts too few bytes of the optimizer, or of stage 3's traffic, chooses one that does not fit or is slow
    yield _case("39B on 32 GPUs of 40 GB", (48, 8192, 64), 2048, _machine(rng, 32, 8, 40), 32 * pick(4, 6, 8))


def _machine(rng, gpus, per_server, memory):
    return {
        "gpus": gpus,
        "gpus_per_server": per_server,
        "memory": memory * 10**9,
        "reserved": 2 * 10**9,
        "flops": int(rng.integers(12, 30)) * 10**13,
        "link": int(rng.integers(15, 40)) * 10**10,
        "network": int(rng.integers(10, 25)) * 10**9,
    }


def _case(name, shape, sequence, machine, batch):
    layers, hidden, heads = shape
    model = {"layers": layers, "hidden": hidden, "heads": heads, "vocab": 32000, "sequence": sequence}
    arguments = {"model": model, "machine": machine, "batch": batch}
    return name, arguments | {"seconds": round(SLOWER * _made(arguments).best.step_seconds, 3)}, None


def expected(arguments):
    """The planner's fastest layout."""
    return _chosen(_made(arguments).best)


def compare(arguments, expected, got):
    """None for a layout that fits and is fast enough; else what is wrong with it."""
    wrong = _form(got) or _sizes(arguments, _plain(got))
    return wrong or _judged(arguments, _plain(got))


def _form(got):
    if isinstance(got, (tuple, list)):
        return _wrong(f"Return a dict with the keys {', '.join(KEYS)}.", "wrong_type")
    if not isinstance(got, dict):
        return _wrong(f"Return a dict with the keys {', '.join(KEYS)}; this is none.", "wrong_type")
    missing, unknown = [key for key in KEYS if key not in got], [key for key in got if key not in KEYS]
    if missing or unknown:
        what = f"'{missing[0]}' is missing" if missing else f"{str(unknown[0])[:40]!r} is none of its keys"
        return _wrong(f"The dict has the keys {', '.join(KEYS)}: {what}.", "wrong_shape")
    for key in KEYS[:-1]:
        if not isinstance(got[key], (int, np.integer)) or isinstance(got[key], (bool, np.bool_)):
            whole = " Divide with //." if isinstance(got[key], (float, np.floating)) else ""
            return _wrong(f"'{key}' is {_short(got[key])}: a whole number is asked for.{whole}", "wrong_type")
    if not isinstance(got["checkpointing"], str) or got["checkpointing"] not in CHECKPOINTING:
        return _wrong(
            f"'checkpointing' is {_short(got['checkpointing'])}: one of {', '.join(CHECKPOINTING)}.", None
        )
    return None


def _sizes(arguments, got):
    model, gpus, batch = arguments["model"], arguments["machine"]["gpus"], arguments["batch"]
    for key in (*SIZES, "micro_batch"):
        if not 1 <= got[key] <= max(gpus, batch):
            return _differs(key, 1, got[key], f"'{key}' is {_short(got[key])}: from 1 up.")
    if not 0 <= got["zero"] <= 3:
        return _differs("zero", 0, got["zero"], f"'zero' is {_short(got['zero'])}: a ZeRO stage, 0 to 3.")
    data, tensor, pipeline = (got[key] for key in SIZES)
    shown = f"data {data} x tensor {tensor} x pipeline {pipeline}"
    world = data * tensor * pipeline
    if world != gpus:
        added = " Their sum is: the sizes multiply." if data + tensor + pipeline == gpus else ""
        idle = f" {gpus - world} GPUs would stand idle." if world < gpus else ""
        return _differs(
            "gpus", gpus, world, f"{_capital(shown)} is {world} GPUs, and there are {gpus}.{added}{idle}"
        )
    if model["heads"] % tensor:
        reason = f"tensor {tensor} does not divide the {model['heads']} attention heads: each GPU takes whole heads."
        return _differs("tensor", model["heads"], tensor, _capital(reason))
    if model["layers"] % pipeline:
        reason = (
            f"pipeline {pipeline} does not divide the {model['layers']} layers: stages have equally many."
        )
        return _differs("pipeline", model["layers"], pipeline, _capital(reason))
    if batch % (data * got["micro_batch"]):
        reason = (
            f"The batch of {batch} sequences is no multiple of data {data} x micro_batch {got['micro_batch']}: "
            f"each copy runs a whole number of micro-batches."
        )
        return _differs("micro_batch", batch, data * got["micro_batch"], reason)
    if got["zero"] and data == 1:
        return _differs(
            "zero", 0, got["zero"], "With one copy there is nothing that ZeRO could shard over: zero is 0."
        )
    return None


def _judged(arguments, got):
    layout = _laid_out(arguments, tuple(got[key] for key in KEYS))
    if isinstance(layout, str):
        return _wrong(f"The planner does not take this layout: {layout}.", None)
    if not layout.fits:
        return _too_full(layout)
    if layout.step_seconds > arguments["seconds"]:
        return _too_slow(arguments, layout)
    return None


def _too_full(layout):
    parts = sorted(((getattr(layout.memory, name), name) for name in CATEGORIES), reverse=True)[:2]
    most = " and ".join(
        f"{size / 1e9:.1f} GB of {OTHER if name == 'other' else _name(name)}" for size, name in parts
    )
    over, capacity = layout.bytes_per_gpu - layout.capacity, layout.capacity
    reason = (
        f"It does not fit: {layout.bytes_per_gpu / 1e9:.1f} GB on a GPU with {capacity / 1e9:.0f} GB, "
        f"{over / 1e9:.1f} GB too many. Most of it: {most}.{_advice(layout, parts[0][1])}"
    )
    return _differs("bytes_per_gpu", capacity, layout.bytes_per_gpu, f"{_described(layout)}. {reason}")


def _advice(layout, largest):
    said = ""
    held = min(layout.pipeline, layout.micro_batches)
    if largest == "activations" and held > 1:
        said += f" Its first stage keeps those of {held} micro-batches."
    if not layout.zero and layout.data > 1:
        shards = layout.tensor * layout.pipeline
        cut = f"1/{shards} of the model states" if shards > 1 else "all of the model states"
        said += f" Without ZeRO each GPU holds {cut}: data-parallel ranks are copies."
    return said


def _too_slow(arguments, layout):
    made = _made(arguments)
    reasons = [reason for reason in why(made, layout) if reason.part != "memory"]
    reason = (
        f"{_described(layout)}. It fits, and takes {layout.step_seconds:.2f} s a step; "
        f"{arguments['seconds']:.2f} s is the time to beat."
    )
    if reasons:
        worst = reasons[0]
        lost = f"{_part(worst.part)}, {worst.extra:.2f} s more than the fastest"
        reason += f" Most is lost in {lost}: {_cause(worst, layout)}."
    return _differs("step_seconds", arguments["seconds"], layout.step_seconds, reason)


def _part(part):
    traffic = ("tensor", "pipeline", "data")
    return f"{part} traffic" if part in traffic else "recomputing" if part == "recompute" else f"the {part}"


def _cause(reason, layout):
    if reason.cause == "stages wait":
        few = ", fewer than there are stages" if layout.micro_batches < layout.pipeline else ""
        count = f"{layout.micro_batches} micro-batch{'' if layout.micro_batches == 1 else 'es'}"
        return f"{layout.pipeline} stages wait for each other, with {count}{few}"
    if reason.cause == "gradients" and layout.zero >= 2 and layout.micro_batches > 1:
        return f"at ZeRO stage {layout.zero} each of the {layout.micro_batches} micro-batches sends its own"
    if reason.cause == "gradients":
        return "a GPU has more gradients to send, or sends them over slower links"
    return CAUSES[reason.cause]


def _described(layout):
    sizes = f"Data {layout.data} x tensor {layout.tensor} x pipeline {layout.pipeline}, ZeRO {layout.zero}"
    return f"{sizes}, micro-batches of {layout.micro_batch}, checkpointing {layout.checkpointing}"


# The planner, asked as the task describes it: no sequence parallelism, every message waited for


def _asked(arguments):
    model, machine = arguments["model"], arguments["machine"]
    shape = Transformer(**model, biases=True, norm_parameters=2)
    hardware = Hardware(
        "the machine",
        "the machine",
        machine["memory"],
        2e12,
        machine["flops"],
        machine["link"],
        machine["gpus_per_server"],
        machine["network"],
        "drawn at random",
    )
    settings = Settings(
        sequence_parallel=False,
        overlap_data=False,
        overlap_tensor=False,
        overlap_pipeline=False,
        all_network_cards=False,
        reserved_bytes=machine["reserved"],
        efficiency=1.0,
    )
    return (shape, hardware, machine["gpus"], arguments["batch"]), settings


def _made(arguments):
    return _planned(_key(arguments))


@lru_cache(maxsize=32)
def _planned(key):
    asked, settings = _asked(_unkeyed(key))
    return plan(*asked, settings=settings, chunks=1, tensor_inside=True)


def _laid_out(arguments, chosen):
    """The layout, or why the planner refuses it."""
    asked, settings = _asked(arguments)
    choices = dict(zip(KEYS, chosen))
    reason = refusal(problem(*asked, None, settings, {}), *(choices[size] for size in SIZES))
    return reason or lay_out(*asked, settings=settings, **choices)


def _key(arguments):
    return (
        tuple(sorted(arguments["model"].items())),
        tuple(sorted(arguments["machine"].items())),
        arguments["batch"],
    )


def _unkeyed(key):
    return {"model": dict(key[0]), "machine": dict(key[1]), "batch": key[2]}


def _chosen(layout):
    return {key: getattr(layout, key) for key in KEYS}


# What is said


def _wrong(reason, kind):
    return {"reason": reason, "kind": kind, "first_difference": None}


def _differs(what, expected, got, reason):
    return {
        "reason": reason,
        "kind": None,
        "first_difference": {"index": what, "expected": expected, "got": got},
    }


def _plain(got):
    return {key: got[key] if key == "checkpointing" else int(got[key]) for key in KEYS}


def _name(part):
    return "optimizer states" if part == "optimizer" else part


def _capital(text):
    return text[:1].upper() + text[1:]


def _short(value):
    text = " ".join(repr(value).split()) if not isinstance(value, int) or abs(value) < 10**9 else "too large"
    return text if len(text) <= 40 else f"{text[:37]}..."
