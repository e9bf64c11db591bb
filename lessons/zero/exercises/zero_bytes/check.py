"""Checks zero_bytes against the engine, part by part, and names known slips."""

import numpy as np

from simlib import zero

floats_for_ints = True
PARTS = ("weights", "gradients", "optimizer")
SHARED_FROM = {"weights": 3, "gradients": 2, "optimizer": 1}
BYTES = {"weights": zero.WEIGHT_BYTES, "gradients": zero.GRADIENT_BYTES, "optimizer": zero.ADAM_BYTES}


def cases(seed):
    """The stages in turn for one model; then one GPU, and numbers of GPUs that divide nothing."""
    rng = np.random.default_rng(seed)
    params, gpus = int(rng.integers(2, 100)) * 10**9, int(rng.choice([4, 8, 16, 64]))
    for stage in zero.STAGES:
        yield f"stage {stage}, {gpus} GPUs", {"params": params, "gpus": gpus, "stage": stage}, None
    for stage in zero.STAGES:
        yield f"stage {stage}, 1 GPU", {"params": int(rng.integers(10, 10**6)), "gpus": 1, "stage": stage}, None
    for stage in (1, 2, 3):
        gpus = int(rng.choice([3, 7, 11, 48]))
        params = int(rng.integers(10**3, 10**6)) * gpus + int(rng.integers(1, gpus))
        yield f"stage {stage}, {gpus} GPUs that do not divide the parameters", {
            "params": params,
            "gpus": gpus,
            "stage": stage,
        }, None


def expected(arguments):
    """(weights, gradients, optimizer) in bytes."""
    states = zero.model_states(**arguments)
    return states.weights, states.gradients, states.optimizer


def explain(arguments, expected, got, difference):
    """The first part that differs, and the slip that it looks like."""
    if _is_number(got):
        why = " (yours is their sum)" if _near(got, sum(expected)) else ""
        return {
            "kind": "wrong_type",
            "reason": f"Return three numbers, (weights, gradients, optimizer); this is one{why}.",
        }
    if isinstance(got, dict):
        return {"kind": "wrong_type", "reason": "Return the three numbers themselves, (weights, gradients, optimizer)."}
    if not isinstance(got, (list, tuple, np.ndarray)) or (isinstance(got, np.ndarray) and got.ndim != 1):
        return None
    if len(got) != 3:
        more = " The total is left to the caller." if len(got) == 4 and _near(got[3], sum(expected)) else ""
        reason = f"Return three numbers, (weights, gradients, optimizer); here are {len(got)}.{more}"
        return {"kind": "wrong_shape", "reason": reason, "first_difference": None}
    if not all(map(_is_number, got)):
        return None
    place = next(i for i in range(3) if not _near(got[i], expected[i]))
    return _difference(arguments, expected, got, place)


def _difference(arguments, expected, got, place):
    part, stage = PARTS[place], arguments["stage"]
    yours = got[place].item() if isinstance(got[place], np.generic) else got[place]
    slip = _slip(arguments, expected, got, place)
    reason = f"stage {stage}, {part}: expected {_text(expected[place])} bytes, yours {_text(yours)}."
    return {
        "kind": None,
        "reason": f"{reason} {slip}" if slip else reason,
        "first_difference": {"index": part, "expected": expected[place], "got": yours},
        "picture": {
            "topic": "zero",
            "parameters": {"params": arguments["params"], "gpus": arguments["gpus"]},
            "step": 0,
            "cell": {"stage": stage, "part": part},
            "yours": yours if abs(yours) < 1e18 else "too large" if abs(yours) >= 1e18 else "nan",
        },
    }


def _slip(arguments, expected, got, place):
    """What the wrong number looks like, without the right one."""
    params, gpus, stage = arguments["params"], arguments["gpus"], arguments["stage"]
    part, right, yours = PARTS[place], expected[place], got[place]
    whole = BYTES[part] * params
    shared = stage >= SHARED_FROM[part]
    slips = [
        *([(whole / (gpus - 1), f"You divided by {gpus - 1}, N-1: all {gpus} GPUs have a share.")] if shared and gpus > 1 else []),
        (whole if shared else whole / gpus, _sharing(part, shared)),
        (right * gpus, f"Yours is what all {gpus} GPUs hold together."),
        (right / 2**30, "Yours is in GiB; bytes are asked for."),
        (right / 1e9, "Yours is in GB; bytes are asked for."),
        (right * 8, "Yours is in bits; bytes are asked for."),
        (right // 1, "You rounded down; divide with /, not //."),
        (right / BYTES[part], f"You counted parameters. {_each(part)}"),
    ]
    if part == "optimizer":
        slips += [
            (right * 8 / 12, "8 bytes a parameter are Adam's two moments. The 32-bit master copy of the weights is missing."),
            (right * 4 / 12, "4 bytes a parameter are one 32-bit value. Adam in mixed precision keeps three."),
            (right * 6 / 12, "Yours has three 16-bit values a parameter. The optimizer's are 32 bits each."),
            (right * 16 / 12, "Yours has four 32-bit values a parameter. There are three: a master copy and two moments."),
            (sum(expected), "Yours is all three parts together."),
        ]
    else:
        slips.append((right * 2, f"Yours has 32-bit {part}; in mixed precision they have 16 bits."))
    for other in range(3):
        if other != place and got[place] != got[other]:
            order = "The order is weights, gradients, optimizer."
            slips.append((expected[other], f"Yours is what the {_name(PARTS[other])} take. {order}"))
    if yours == 0:
        return f"Nothing is counted for it yet. {_each(part)}"
    return next((words for number, words in slips if _near(yours, number)), None)


def _sharing(part, shared):
    since = SHARED_FROM[part]
    name = _name(part)
    if shared:
        return f"You left the {name} whole. From stage {since} on they are divided among the GPUs."
    return f"You divided the {name} by the number of GPUs. Up to stage {since - 1} every GPU keeps them whole."


def _name(part):
    return "optimizer states" if part == "optimizer" else part


def _each(part):
    if part == "optimizer":
        return "It holds three 32-bit values for each parameter."
    return f"{part.capitalize()} take 16 bits, 2 bytes, for each parameter."


def _is_number(value):
    return isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool)


def _near(one, other):
    try:
        return _is_number(one) and bool(abs(one - other) <= 1e-9 * abs(other))
    except OverflowError:
        return False


def _text(number):
    if isinstance(number, float) and not number.is_integer():
        return f"{number:,.6f}".rstrip("0") if np.isfinite(number) else str(number)
    return f"{int(number):,}" if abs(number) < 1e18 else "more than 10^18"
