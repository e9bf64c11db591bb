"""Checks tensor_parallel_attention: what goes into the one all-reduce, and what each GPU ends with."""

import numpy as np

from simlib.decoder.attention import attention
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
    """A head for each GPU, then several; heads that the GPUs do not divide, a GPU without heads, one token, one GPU."""
    rng = np.random.default_rng(seed)
    for gpus, heads, tokens, size in (
        (2, 2, 3, 3),
        (2, 4, 3, 2),
        (4, 4, 2, 3),
        (2, 3, 3, 2),
        (3, 5, 4, 2),
        (3, 2, 3, 3),
    ):
        name = f"{gpus} GPUs, {heads} heads of {size}, {tokens} tokens"
        yield name, _case(rng, gpus, heads, tokens, size), None
    yield "2 GPUs, 2 heads of 2, 1 token", _case(rng, 2, 2, 1, 2), None
    yield "1 GPU, 2 heads of 2, 3 tokens", _case(rng, 1, 2, 3, 2), None


def _case(rng, gpus, heads, tokens, size):
    def numbers(*shape):
        return rng.choice([-1, 1], shape) * rng.integers(1, 13, shape) / 10

    width = heads * size
    matrices = {name: numbers(width, width) for name in ("q", "k", "v", "out")}
    return {"x": numbers(tokens, width)} | matrices | {"out_bias": numbers(width), "heads": heads, "gpus": gpus}


def expected(arguments):
    """Unsplit attention on every GPU; a GPU's partial output is what is left of it with all other heads at 0."""
    x, out = arguments["x"], arguments["out"]
    joined = np.concatenate([x @ arguments[name] for name in "qkv"], axis=1)
    results = attention(joined[None], arguments["heads"])[0][0]
    partials = []
    for own in np.array_split(np.arange(arguments["heads"]), arguments["gpus"]):
        kept = np.zeros_like(results)
        for columns in _runs(arguments, own):
            kept[:, columns] = results[:, columns]
        partials.append(kept @ out)
    return [partials], [results @ out + arguments["out_bias"] for _ in range(arguments["gpus"])]


def explain(arguments, expected, got, difference):
    """The number of all-reduces, then the first GPU whose array is wrong, and the slip that it looks like."""
    gpus, shape = arguments["gpus"], expected[1][0].shape
    try:
        layer = read(
            got,
            gpus,
            shape,
            miscounted=lambda count: _count(count, arguments),
            misshapen=lambda at_the_end, own: _misshapen(own, shape),
            idle=", with heads or without",
        )
    except Refused as refused:
        return {"kind": "wrong_shape", "reason": str(refused), "first_difference": None}
    found = layer and first_difference(SplitLayer(expected[0][0], expected[1]), layer)
    if found is None:
        return None
    if found.at_the_end:
        slip = after_the_partials(layer.partials, arguments["out_bias"], "out_bias", layer.outputs)
    else:
        slip = _of_partials(arguments, layer.partials)
    return {
        "kind": None,
        "reason": f"{said_of(found)} {slip}" if slip else said_of(found),
        "path": found.path,
        "first_difference": found.to_json(),
    }


def _count(count, arguments):
    if not count:
        many = "Has each GPU computed all heads?" if arguments["gpus"] > 1 else "One GPU is no exception."
        return f"There is no all-reduce in yours; one is needed. {many}"
    each = " That is one for each head." if count == arguments["heads"] else ""
    return (
        f"Yours takes {count} all-reduces; one is enough.{each} Heads do not look at each other: a GPU runs its own from x to "
        "the rows of `out` that belong to them, and adds them up before it asks the others."
    )


def _misshapen(own, shape):
    """What an array of another shape may come from."""
    if own[1] < shape[1]:
        return (
            "Are these the results of its heads? Multiply them by the rows of `out` that belong to them: then what "
            "the GPUs have can be added."
        )
    if own[0] < shape[0]:
        return "Has the GPU some of the tokens? It has all of them, and some of the heads."
    return ""


def _of_partials(arguments, yours):
    """Which wrong rule makes what the GPUs put into the all-reduce; None if none that is known does."""
    return next((words for words, made in _rules(arguments) if all(map(same, made, yours))), None)


def _rules(arguments):
    """What the GPUs put in by wrong rules, with what is said of each."""
    gpus, heads, width = arguments["gpus"], arguments["heads"], len(arguments["q"])
    size, places = width // heads, np.arange(width)
    shares = np.array_split(np.arange(heads), gpus)

    def made(**how):
        return [_partial(arguments, _runs(arguments, own), **how) for own in shares]

    yield "It is 0 throughout.", [np.zeros_like(arguments["x"])] * gpus
    # The mask and the softmax
    yield "The mask is missing: a token gives later ones the weight 0.", made(mask=None)
    yield "Your mask is the wrong way round: a token looks at itself and at those before it.", made(mask=-1)
    yield "A token looks at itself too: mask those after it alone.", made(mask=0)
    yield (
        "Masked scores are 0 in yours, and the softmax of 0 is a weight like others: take minus infinity.",
        made(masked=0.0),
    )
    yield (
        "You mask after the softmax, so that the weights of a token no longer add up to 1: mask the scores.",
        made(weigh=_masked_late),
    )
    yield (
        "The softmax runs down the columns. Each row of the scores, which belongs to the token that looks, adds up to 1.",
        made(axis=0),
    )
    yield "The softmax runs over all scores at once: each row of them adds up to 1.", made(axis=(0, 1))
    yield "The softmax is missing: these are the scores.", made(masked=0.0, weigh=lambda scores, later: scores)
    # The scale
    yield "The scores are not divided by sqrt(size).", made(scale=1.0)
    yield f"You divide by the root of the width, {width}: a head has {size} columns.", made(scale=width**0.5)
    yield "You divide by size: divide by its root.", made(scale=float(size))
    yield "You multiply the scores by sqrt(size): divide them.", made(scale=size**-0.5)
    yield "A token looks at the one after it too: mask all that come later.", made(mask=2)
    yield (
        "Scores of queries with queries: they are those of x @ q with x @ k.",
        [_partial(arguments | {"k": arguments["q"]}, _runs(arguments, own)) for own in shares],
    )
    yield (
        "Scores of keys with keys: they are those of x @ q with x @ k.",
        [_partial(arguments | {"q": arguments["k"]}, _runs(arguments, own)) for own in shares],
    )
    # Which columns and rows
    yield (
        f"In yours head h has every {_nth(heads)} column. A head's columns are neighbours.",
        [_partial(arguments, [places[head::heads] for head in own]) for own in shares],
    )
    joined = [[np.concatenate(_runs(arguments, own))] if len(own) else [] for own in shares]
    yield (
        "A GPU's heads are one wide head in yours: each has scores and weights of its own.",
        [_partial(arguments, runs, scale=size**0.5) for runs in joined],
    )
    yield (
        "A GPU's heads are one wide head in yours: each has scores and weights of its own.",
        [_partial(arguments, runs, scale=(len(runs[0]) if runs else 1) ** 0.5) for runs in joined],
    )
    if heads % gpus:
        yield (
            f"Your GPUs have equally many columns, and a head is cut in two: cut range({heads}), the heads.",
            [_partial(arguments, np.split(own, range(size, len(own), size))) for own in np.array_split(places, gpus)],
        )
        floor = heads // gpus
        yield (
            f"Every GPU has {floor} of the heads, and some are left: numpy.array_split cuts {heads} heads into "
            f"{', '.join(str(len(own)) for own in shares)}.",
            [_partial(arguments, _runs(arguments, range(gpu * floor, (gpu + 1) * floor))) for gpu in range(gpus)],
        )
    yield (
        "You deal the heads out in turn. numpy.array_split gives each GPU neighbours.",
        [_partial(arguments, _runs(arguments, range(gpu, heads, gpus))) for gpu in range(gpus)],
    )
    yield (
        "All heads are computed on every GPU: each has its own.",
        [_partial(arguments, _runs(arguments, range(heads)))] * gpus,
    )
    yield "It weighs the keys; weigh the values, x @ v.", made(values="k")
    yield (
        "You take columns of `out`. A head's results meet the rows of `out` that have their numbers.",
        made(out=arguments["out"].T),
    )
    yield (
        "These are the heads' results. Multiply them by the rows of `out` that belong to them before the sum: no GPU has all "
        "of `out`.",
        made(out=np.eye(width)),
    )
    # Around it
    bias = arguments["out_bias"]
    yield (
        f"`out_bias` is in it, so that the sum has it {times(gpus)}: add it once, after the all-reduce.",
        [partial + bias for partial in made()],
    )
    yield (
        "Each GPU has some of the tokens, which look at those alone. It has all tokens, and some of the heads.",
        _by_tokens(arguments),
    )


def _runs(arguments, heads):
    """The columns of each of these heads."""
    size = len(arguments["q"]) // arguments["heads"]
    return [np.arange(head * size, (head + 1) * size) for head in heads]


def _softmax(scores, later, axis=1):
    raised = np.exp(scores - scores.max(axis=axis, keepdims=True))
    raised[later & np.isneginf(scores)] = 0
    return raised / raised.sum(axis=axis, keepdims=True)


def _masked_late(scores, later):
    return np.where(later, 0, _softmax(scores, later))


def _partial(arguments, runs, scale=None, mask=1, masked=-np.inf, axis=1, weigh=None, values="v", out=None, x=None):
    """What heads with these columns contribute, by a rule that may be wrong."""
    x = arguments["x"] if x is None else x
    out = arguments["out"] if out is None else out
    size = len(arguments["q"]) // arguments["heads"]
    later = np.zeros((len(x), len(x)), bool)
    if mask is not None:
        later = np.triu(~later, k=mask) if mask >= 0 else np.tril(~later, k=mask)
    if mask == 0:
        later[0, 0] = False
    total = np.zeros((len(x), out.shape[1]))
    for own in runs:
        scores = (x @ arguments["q"][:, own]) @ (x @ arguments["k"][:, own]).T / (scale or size**0.5)
        if weigh is not _masked_late:
            scores[later] = masked
        weights = weigh(scores, later) if weigh else _softmax(scores, later, axis)
        total += weights @ (x @ arguments[values][:, own]) @ out[own]
    return total


def _by_tokens(arguments):
    """Each GPU runs all heads on its own tokens."""
    x, made = arguments["x"], []
    for own in np.array_split(np.arange(len(x)), arguments["gpus"]):
        partial = np.zeros_like(x)
        if len(own):
            partial[own] = _partial(arguments, _runs(arguments, range(arguments["heads"])), x=x[own])
        made.append(partial)
    return made


def _nth(number):
    return {1: "single", 2: "second", 3: "third"}.get(number, f"{number}th")
