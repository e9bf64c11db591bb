"""Adam's states are taken for two fp32 numbers a parameter: no master weights."""

from itertools import product

MODES = ("none", "selective", "full")


def choose_layout(model, machine, batch, seconds):
    gpus = machine["gpus"]
    found = []
    for t, p in product(divisors(gpus), repeat=2):
        if gpus % (t * p) or model["heads"] % t or model["layers"] % p:
            continue
        d = gpus // (t * p)
        if batch % d:
            continue
        for b, zero, mode in product(divisors(batch // d), range(4), MODES):
            if zero and d == 1:
                continue
            sizes = (d, t, p, zero, b, mode)
            held = bytes_held(model, machine, batch, *sizes)
            if held <= 0.96 * machine["memory"]:
                found.append((step_seconds(model, machine, batch, *sizes), sizes))
    _, (d, t, p, zero, b, mode) = min(found)
    return {
        "data": d,
        "tensor": t,
        "pipeline": p,
        "zero": zero,
        "micro_batch": b,
        "checkpointing": mode,
    }


def divisors(number):
    return [one for one in range(1, number + 1) if number % one == 0]


def parameters(model, t, p):
    return (12 * model["hidden"] ** 2 * model["layers"] / p + model["vocab"] * model["hidden"]) / t


def bytes_held(model, machine, batch, d, t, p, zero, b, mode):
    h, s = model["hidden"], model["sequence"]
    m = batch // (d * b)
    own = parameters(model, t, p)
    states = sum(
        size * own / (d if zero >= since else 1) for size, since in ((2, 3), (2, 2), (8, 1))
    )
    scores = 5 * model["heads"] * s * s * b / t
    others = s * b * h * (10 + 24 / t)
    kept = {"none": others + scores, "selective": others, "full": 2 * s * b * h}[mode]
    at_work = {"none": 0, "selective": scores, "full": others + scores}[mode]
    logits = 4 * model["vocab"] * s * b / t
    activations = model["layers"] / p * min(m, p) * kept + at_work + logits
    return machine["reserved"] + states + activations


def step_seconds(model, machine, batch, d, t, p, zero, b, mode):
    layers, h, s = model["layers"] / p, model["hidden"], model["sequence"]
    m = batch // (d * b)
    own = parameters(model, t, p)
    scores = 4 * layers * h * s / t
    per_token = 6 * own + 3 * scores
    per_token += {"none": 0, "selective": scores, "full": per_token / 3}[mode]
    compute = per_token * s * batch / d / machine["flops"]
    all_reduces = (6 if mode == "full" else 4) * layers * m
    tensor = all_reduces * ring(t, 2 * s * b * h, bandwidth(machine, t))
    once = ring(d, 2 * own, bandwidth(machine, t * d))
    data = {0: once, 1: once, 2: (m + 1) / 2 * once, 3: 1.5 * m * once}[zero]
    return (compute + tensor) * (1 + (p - 1) / m) + data


def ring(n, size, bandwidth):
    return 2 * (n - 1) / n * size / bandwidth


def bandwidth(machine, span):
    """Of a group that lies within so many neighbouring ranks: do they share a server?"""
    return machine["link"] if machine["gpus_per_server"] % span == 0 else machine["network"]
