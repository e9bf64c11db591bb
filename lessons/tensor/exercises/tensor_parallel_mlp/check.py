"""Checks tensor_parallel_mlp: what goes into the one all-reduce, and what each GPU ends with."""

import math

import numpy as np

from simlib.decoder.operations import gelu
from simlib.tensor_parallel.review import (
    Refused,
    SplitLayer,
    after_the_partials,
    called,  # what the checker calls the arrays of the result
    first_difference,
    read,
    said_of,
    same,
    times,
)


def cases(seed):
    """Two GPUs, then more; widths that they do not divide, more GPUs than hidden values, one GPU."""
    rng = np.random.default_rng(seed)
    yield "2 GPUs, 1 token, 4 hidden values", _case(rng, 2, 1, 2, 4), None
    yield "2 GPUs, 3 tokens, 8 hidden values", _case(rng, 2, 3, 4, 8), None
    yield "4 GPUs, 2 tokens, 8 hidden values", _case(rng, 4, 2, 4, 8), None
    yield "3 GPUs, 7 hidden values", _case(rng, 3, 2, 3, 7), None
    yield "4 GPUs, 10 hidden values", _case(rng, 4, 2, 5, 10), None
    yield "5 GPUs, 3 hidden values", _case(rng, 5, 1, 3, 3), None
    yield "1 GPU", _case(rng, 1, 2, 3, 5), None


def _case(rng, gpus, tokens, width, hidden):
    def numbers(*shape):
        return rng.choice([-1, 1], shape) * rng.integers(1, 16, shape) / 10

    return {
        "x": numbers(tokens, width),
        "a": numbers(width, hidden),
        "a_bias": numbers(hidden),
        "b": numbers(hidden, width),
        "b_bias": numbers(width),
        "gpus": gpus,
    }


def expected(arguments):
    """The unsplit MLP on every GPU; a GPU's partial output is what is left of it with all other hidden values at 0."""
    gpus, b = arguments["gpus"], arguments["b"]
    hidden = gelu(arguments["x"] @ arguments["a"] + arguments["a_bias"])
    partials = []
    for own in np.array_split(np.arange(len(b)), gpus):
        kept = np.zeros_like(hidden)
        kept[:, own] = hidden[:, own]
        partials.append(kept @ b)
    return [partials], [hidden @ b + arguments["b_bias"] for _ in range(gpus)]


def explain(arguments, expected, got, difference):
    """The number of all-reduces, then the first GPU whose array is wrong, and the slip that it looks like."""
    gpus, shape = arguments["gpus"], expected[1][0].shape
    try:
        layer = read(
            got,
            gpus,
            shape,
            miscounted=lambda count: _count(count, gpus),
            misshapen=lambda at_the_end, own: _misshapen(at_the_end, own, shape),
        )
    except Refused as refused:
        return {"kind": "wrong_shape", "reason": str(refused), "first_difference": None}
    found = layer and first_difference(SplitLayer(expected[0][0], expected[1]), layer)
    if found is None:
        return None
    if found.at_the_end:
        slip = after_the_partials(layer.partials, arguments["b_bias"], "b_bias", layer.outputs)
    else:
        slip = _of_partials(arguments, layer.partials)
    return {
        "kind": None,
        "reason": f"{said_of(found)} {slip}" if slip else said_of(found),
        "path": found.path,
        "first_difference": found.to_json(),
    }


def _count(count, gpus):
    if not count:
        many = "Has each GPU computed with parts that it does not have?" if gpus > 1 else "One GPU is no exception."
        return f"There is no all-reduce in yours; one is needed. {many}"
    return (
        f"Yours takes {count} all-reduces; one is enough. Cut `a` by columns: then a GPU has its own hidden values to the "
        "end, GeLU included, and needs only the rows of `b` that belong to them."
    )


def _misshapen(at_the_end, own, shape):
    """What an array of another shape may come from."""
    if not at_the_end and own[1] < shape[1]:
        return "Is `b` cut by columns? Its rows belong to the hidden values that a GPU has."
    if at_the_end and own[0] > shape[0]:
        return "Partial outputs are added up, not joined: all of them have the output's shape."
    return ""


def _of_partials(arguments, yours):
    """Which wrong rule makes what the GPUs put into the all-reduce; None if none that is known does."""
    gpus, hidden = arguments["gpus"], len(arguments["b"])
    even = np.array_split(np.arange(hidden), gpus)
    rules = [
        (
            _partials(arguments, even, outside=True),
            f"`b_bias` is in it, so that the sum has it {times(gpus)}: add it once, after the all-reduce.",
        ),
        (
            _partials(arguments, even, first_bias=False),
            "`a_bias` is missing: each GPU adds its own part of it before GeLU.",
        ),
        (
            [(gelu(arguments["x"] @ arguments["a"][:, own]) + arguments["a_bias"][own]) @ arguments["b"][own] for own in even],
            "`a_bias` is added after GeLU: it comes before.",
        ),
        (_partials(arguments, even, rule=lambda h: h), "The GeLU is missing between the two matrices."),
        (
            _partials(arguments, even, rule=_erf),
            "That is GeLU by erf. Take the `gelu` of the task, which is the tanh form.",
        ),
        (_partials(arguments, even, rule=lambda h: np.maximum(h, 0)), "That is a ReLU, not GeLU."),
        (
            [gelu(_partial(arguments, own, rule=lambda h: h)) for own in even],
            "GeLU comes between the matrices. You apply it to a partial output, which is not the output.",
        ),
        (
            _rows_first(arguments),
            "You cut `a` by rows, so that a GPU has only a part of each hidden value's sum, and GeLU of a part is not a part "
            "of GeLU. Cut `a` by columns.",
        ),
        ([0 * own for own in yours], "It is 0 throughout."),
        (
            [_partial(arguments, np.arange(hidden))] * gpus,
            "Every GPU computes with the whole matrices: give each its own part.",
        ),
    ]
    for words, parts in _other_cuts(hidden, gpus):
        rules.append((_partials(arguments, parts), words))
    return next((words for made, words in rules if all(map(same, made, yours))), None)


def _partial(arguments, own, rule=gelu, first_bias=True):
    """What a GPU with these hidden values contributes."""
    hidden = arguments["x"] @ arguments["a"][:, own]
    return rule(hidden + arguments["a_bias"][own] if first_bias else hidden) @ arguments["b"][own]


def _partials(arguments, parts, outside=False, **how):
    return [_partial(arguments, own, **how) + (arguments["b_bias"] if outside else 0) for own in parts]


def _rows_first(arguments):
    cut = np.array_split(np.arange(len(arguments["a"])), arguments["gpus"])
    return [gelu(arguments["x"][:, own] @ arguments["a"][own] + arguments["a_bias"]) @ arguments["b"] for own in cut]


def _other_cuts(hidden, gpus):
    """Other ways of sharing the hidden values out, with what is said of them."""
    if hidden % gpus == 0:
        yield (
            "GPU r has every N-th hidden value in yours: a part is a run of neighbours.",
            [np.arange(gpu, hidden, gpus) for gpu in range(gpus)],
        )
        return
    floor, places = hidden // gpus, np.arange(hidden)
    lengths = ", ".join(str(len(part)) for part in np.array_split(places, gpus))
    ways = [
        [places[gpu * floor : (gpu + 1) * floor] for gpu in range(gpus)],
        np.split(places, [gpu * floor for gpu in range(1, gpus)]),
        [places[gpu * -(-hidden // gpus) : (gpu + 1) * -(-hidden // gpus)] for gpu in range(gpus)],
    ]
    for parts in ways:
        yours = ", ".join(str(len(part)) for part in parts)
        yield f"Your parts have {yours} hidden values; numpy.array_split cuts {hidden} into {lengths}.", parts


def _erf(x):
    return 0.5 * x * (1 + np.vectorize(math.erf, otypes=[float])(x / math.sqrt(2)))
