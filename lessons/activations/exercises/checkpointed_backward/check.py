"""Checks checkpointed_backward: every layer's gradient, and how many inputs are there on the way."""

import numpy as np


def cases(seed):
    """Three segments of two square layers; a short last segment, other widths, one segment, all inputs kept, one layer."""
    rng = np.random.default_rng(seed)
    yield "6 layers, every second input kept", _case(rng, [2] * 7, 2, 2), None
    yield "6 layers, every third input kept", _case(rng, [2] * 7, 3, 2), None
    yield "5 layers, every second input kept", _case(rng, [3] * 6, 2, 1), None
    yield "7 layers of other widths, every third input kept", _case(rng, [3, 2, 4, 3, 2, 4, 1, 3], 3, 2), None
    yield "3 layers, the first input kept", _case(rng, [2, 3, 2, 3], 5, 2), None
    yield "3 layers, every input kept", _case(rng, [2, 2, 3, 2], 1, 2), None
    yield "1 layer", _case(rng, [3, 2], 2, 2), None
    layers, every = int(rng.integers(9, 13)), int(rng.integers(3, 6))
    yield f"{layers} layers, an input in {every} kept", _case(rng, [2] * (layers + 1), every, 1), None


def _case(rng, widths, every, samples):
    # Even layers take what odd ones give, near 1: no product of many layers dies out
    weights = [rng.choice([-1, 1], shape) * rng.integers(4, 13, shape) / 10 for shape in zip(widths, widths[1:])]
    inputs = [rng.choice([-1, 1], (samples, widths[0])) * rng.integers(2, 10, (samples, widths[0])) / 10]
    for weight in weights[:-1]:
        inputs.append(np.tanh(inputs[-1] @ weight))
    return {
        "weights": weights,
        "checkpoints": inputs[::every],
        "every": every,
        "d_output": rng.choice([-1, 1], (samples, widths[-1])) * rng.integers(1, 20, (samples, widths[-1])) / 10,
    }


def expected(arguments):
    """Backpropagation with every layer's output kept from one whole forward pass; the counts by their formula."""
    weights, every = arguments["weights"], arguments["every"]
    outputs = [arguments["checkpoints"][0]]
    for weight in weights:
        outputs.append(np.tanh(outputs[-1] @ weight))
    gradients, d_output = [], arguments["d_output"]
    for x, weight, y in reversed(list(zip(outputs, weights, outputs[1:]))):
        d_product = d_output * (1 - y * y)
        gradients.insert(0, x.T @ d_product)
        d_output = d_product @ weight.T
    return gradients, [layer // every + 1 + layer % every for layer in range(len(weights))]


def held(arguments, expected, got):
    """The most inputs that are there at once."""
    if not isinstance(got, (list, tuple)) or len(got) != 2 or not isinstance(got[1], (list, tuple)) or not got[1]:
        return None
    counts = [int(count) for count in got[1] if isinstance(count, (int, np.integer)) and 0 <= count < 1e15]
    if len(counts) != len(got[1]):
        return None
    return {"what": "inputs", "yours": [max(counts)], "engine": [max(expected[1])]}


def called(path):
    """What a part of the result is called."""
    return f"gradient of layer {path[1]}" if path[0] == 0 else "held"


def explain(arguments, expected, got, difference):
    """The last layer whose gradient is wrong, where the backward pass begins; then the first count that is."""
    layers = len(arguments["weights"])
    if not isinstance(got, (list, tuple)):
        return None
    if len(got) == layers != 2 and all(isinstance(entry, np.ndarray) for entry in got):
        return _form(f"These are {layers} gradients alone. Return (gradients, held).")
    if len(got) != 2 or not isinstance(got[0], (list, tuple)):
        return None
    gradients, held = got
    is_swapped = len(gradients) == layers and all(isinstance(one, (int, np.integer)) for one in gradients)
    if is_swapped and isinstance(held, (list, tuple)) and all(isinstance(one, np.ndarray) for one in held):
        return _form("Return (gradients, held), in this order; yours begins with the counts.")
    if isinstance(held, (int, np.integer)) and not isinstance(held, bool):
        return _form(f"The count held is one number. Return a list of {layers}: a count for each layer.")
    if len(gradients) != layers:
        return _form(f"You return {len(gradients)} gradients; there are {layers} layers.{_short(arguments, gradients)}")
    if not all(isinstance(one, np.ndarray) and one.dtype.kind == "f" for one in gradients):
        return None
    wrong = _shapes(arguments, expected[0], gradients)
    if wrong is not None:
        return wrong
    for layer in reversed(range(layers)):
        if not _same(expected[0][layer], gradients[layer]):
            return _of_gradients(arguments, layer, expected[0], gradients)
    is_list = isinstance(held, (list, tuple)) and len(held) == layers
    if not is_list or not all(isinstance(count, (int, np.integer)) and not isinstance(count, bool) for count in held):
        return None
    return _of_held(arguments, expected[1], [int(count) for count in held])


def _form(reason):
    return {"kind": "wrong_shape", "reason": reason, "first_difference": None}


def _short(arguments, gradients):
    layers, every = len(arguments["weights"]), arguments["every"]
    if len(gradients) == layers - layers % every:
        return f" The last segment has {layers % every} of them, fewer than {every}: it counts too."
    return ""


def _shapes(arguments, right, gradients):
    for layer, (wanted, own) in enumerate(zip(right, gradients)):
        if wanted.shape != own.shape:
            said = f"The gradient of layer {layer} is {_shape(own.shape)}; its weight is {_shape(wanted.shape)}."
            if all(one.shape == other.shape for one, other in zip(right[::-1], gradients)):
                said += " Yours begin with the last layer: layer 0 comes first."
            elif own.shape == (len(arguments["d_output"]), wanted.shape[0]):
                said += " That is the shape of the layer's input: the second thing that backward returns is asked for."
            return _form(said)
    return None


def _of_gradients(arguments, layer, right, gradients):
    row, column = (int(i) for i in np.argwhere(~np.isclose(gradients[layer], right[layer], rtol=1e-7, atol=1e-12))[0])
    wanted, yours = right[layer][row, column], gradients[layer][row, column]
    said = f"Gradient of layer {layer}, row {row}, column {column}: expected {wanted:.6g}, yours {yours:.6g}."
    slip = _slip(arguments, right, gradients)
    if slip is None and layer < len(right) - 1:
        slip = "Those of the layers behind it are right, so its input or its d_output is not."
    return {
        "kind": None,
        "reason": f"{said} {slip}" if slip else said,
        "path": (0, layer, row, column),
        "first_difference": {"index": [layer, row, column], "expected": wanted, "got": yours},
    }


def _slip(arguments, right, gradients):
    """Which wrong rule makes these gradients; None if none that is known does."""
    every, layers = arguments["every"], len(right)
    rules = [
        (lambda: [0 * one for one in right], "They are 0 throughout."),
        (lambda: right[::-1], "Yours begin with the last layer: layer 0 comes first."),
        (
            lambda: [one if layer < layers - layers % every else 0 * one for layer, one in enumerate(right)],
            f"The last segment has {layers % every} of the {layers} layers, fewer than {every}: it counts too.",
        ),
        (
            lambda: _by(arguments, skip_short=True),
            f"The last segment has {layers % every} of the {layers} layers, fewer than {every}: it counts too.",
        ),
        (
            lambda: _by(arguments, recompute=lambda x, weight: x),
            "Within a segment every layer has the kept input in yours: run forward, layer by layer.",
        ),
        (
            lambda: _by(arguments, ahead=1),
            "Each layer has its output in the place of its input: the kept input belongs to the segment's first layer.",
        ),
        (
            lambda: _by(arguments, other=-1),
            "You begin a segment at the kept input of the one before it: checkpoints[i] is the input of layer i * every.",
        ),
        (lambda: _by(arguments, other=1), "You begin a segment at the kept input of the one behind it."),
        (
            lambda: _by(arguments, start_at_0=True),
            "Every segment begins at the first kept input: checkpoints[i] is the input of layer i * every.",
        ),
        (
            lambda: _by(arguments, next_weight=True),
            "The input of layer l + 1 is forward(input of layer l, weights[l]). You take the weights of layer l + 1.",
        ),
        (
            lambda: _by(arguments, pass_on=None),
            "Every layer has the gradient of the last output in yours: what backward returns for an input is the d_output of "
            "the layer before.",
        ),
        (
            lambda: _by(arguments, pass_on="segment"),
            "Every segment begins with the gradient of the last output. It goes on where the segment behind it ended.",
        ),
        (
            lambda: _by(arguments, order="segments"),
            "You go through the segments from the first to the last. Gradients come from the last layer.",
        ),
        (
            lambda: _by(arguments, order="layers"),
            "You go through the layers of a segment from the first to the last. Gradients come from the last layer.",
        ),
        (
            lambda: _inputs_gradients(arguments),
            "Those are the gradients of the inputs: the second thing that backward returns is asked for.",
        ),
    ]
    for rule, words in rules:
        try:
            made = rule()
        except (ValueError, IndexError):  # this rule does not fit layers of these widths
            continue
        if len(made) == layers and all(map(_same, made, gradients)):
            return words
    return None


def _by(
    arguments,
    recompute=None,
    ahead=0,
    other=0,
    start_at_0=False,
    next_weight=False,
    pass_on="layer",
    order=None,
    skip_short=False,
):
    """The gradients by a rule that may be wrong."""
    weights, kept, every, d_last = (arguments[name] for name in ("weights", "checkpoints", "every", "d_output"))
    recompute, layers = recompute or _forward, len(weights)
    gradients, d_output = [None] * layers, d_last
    starts = list(range(0, layers, every))
    for start in starts if order == "segments" else starts[::-1]:
        stop = min(start + every, layers)
        if skip_short and start + every > layers:
            gradients[start:] = [0 * weight for weight in weights[start:]]
            continue
        number = 0 if start_at_0 else min(max(0, start // every + other), len(kept) - 1)
        x = kept[number]
        for layer in range(start, start + ahead):
            x = _forward(x, weights[layer])
        inputs = [x]
        for layer in range(start, stop - 1):
            inputs.append(recompute(inputs[-1], weights[layer + next_weight]))
        d_output = d_last if pass_on == "segment" else d_output
        run = range(start, stop) if order == "layers" else reversed(range(start, stop))
        for layer in run:
            x = inputs[layer - start]
            d_product = d_output * (1 - _forward(x, weights[layer]) ** 2)
            gradients[layer] = x.T @ d_product
            d_output = d_output if pass_on is None else d_product @ weights[layer].T
    return gradients


def _inputs_gradients(arguments):
    """The gradient of each layer's input."""
    xs = [arguments["checkpoints"][0]]
    for weight in arguments["weights"]:
        xs.append(_forward(xs[-1], weight))
    made, d_output = [], arguments["d_output"]
    for weight, y in zip(arguments["weights"][::-1], xs[:0:-1]):
        d_output = (d_output * (1 - y * y)) @ weight.T
        made.insert(0, d_output)
    return made


def _of_held(arguments, right, held):
    """The last layer whose count is wrong: the backward pass comes to it first."""
    layers, every = len(right), arguments["every"]
    layer = max(place for place in range(layers) if right[place] != held[place]) if right != held else None
    if layer is None:
        return None
    kept = len(arguments["checkpoints"])
    stops = [min((place // every + 1) * every, layers) for place in range(layers)]
    rules = [
        (
            list(range(1, layers + 1)),
            "The inputs of all layers are there at once. Recompute one segment at a time, when the backward pass comes to it.",
        ),
        ([layers] * layers, "The inputs of all layers are there at once, all the time: that is no checkpointing."),
        (right[::-1], "Yours begin with the last layer: layer 0 comes first."),
        (
            [place % every for place in range(layers)],
            "The kept inputs are missing: those of this segment and of those before.",
        ),
        (
            [place % every + 1 for place in range(layers)],
            "The kept inputs of the segments before are missing: they wait for their turn.",
        ),
        (
            [kept + place % every for place in range(layers)],
            "The kept inputs of segments that are done are still in it: free each with its layer.",
        ),
        (
            [place // every + stop - place // every * every for place, stop in enumerate(stops)],
            "A segment's inputs are there until its end in yours: free each as soon as backward has run for its layer.",
        ),
        (
            [place // every + 1 + (place % every > 0) for place in range(layers)],
            "You run forward from the kept input again for each layer. That holds less, but computes a segment's first layers "
            "many times: recompute a segment once.",
        ),
        (
            [place // every + 1 + stop - place // every * every for place, stop in enumerate(stops)],
            "The output of a segment's last layer need not be there: backward needs inputs alone.",
        ),
        (
            [count - 1 for count in right],
            "One too few: the layer's own input is there too when its backward runs.",
        ),
        (
            [count + 1 for count in right],
            "One too many: the kept input of a segment is the input of its first layer, and counts once.",
        ),
    ]
    slip = next((words for made, words in rules if made == held), None)
    if slip is None and all(own > count for own, count in zip(held[:-1], right[:-1])):
        slip = "Inputs that are done are still in it: free each as soon as backward has run for its layer."
    said = f"Layer {layer}: {_inputs(right[layer])} there when its backward runs, held says {held[layer]}."
    return {
        "kind": None,
        "reason": f"{said} {slip}" if slip else said,
        "path": (1, layer),
        "first_difference": {"index": layer, "expected": right[layer], "got": held[layer]},
    }


def _inputs(count):
    return "1 input is" if count == 1 else f"{count} inputs are"


def _forward(x, weight):
    return np.tanh(x @ weight)


def _shape(shape):
    return " x ".join(map(str, shape))


def _same(one, other):
    return one.shape == other.shape and bool(np.allclose(one, other, rtol=1e-7, atol=1e-12))
