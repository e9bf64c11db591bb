"""A backward pass from a few kept activations.

Check it with: worldsize check checkpointed_backward.py
"""

import numpy as np


def forward(x, weight):
    """A layer's output. Use it as it is."""
    return np.tanh(x @ weight)


def backward(x, weight, d_output):
    """The gradients of a layer's input and of its weight.

    `x` is the layer's input, `d_output` the gradient of its output. Use
    it as it is.
    """
    d_product = d_output * (1 - forward(x, weight) ** 2)
    return d_product @ weight.T, x.T @ d_product


def checkpointed_backward(weights, checkpoints, every, d_output):
    """The gradients of all layers' weights, from some of their inputs.

    Layer l turns its input into forward(input, weights[l]), which is the
    input of layer l + 1. The forward pass has run. Of the layers' inputs
    only those of layers 0, every, 2 * every and so on were kept:
    checkpoints[i] is the input of layer i * every. `d_output` is the
    gradient of the last layer's output.

    A segment is a run of layers from one kept input until before the
    next: `every` layers, in the last one perhaps fewer. Go through the
    segments from the last to the first. In each,

    1. run forward from its kept input, for the inputs of its other
       layers;
    2. run backward through its layers, from the last to the first.

    Each gradient of an input is the d_output of the layer before.

    Return (gradients, held), two lists with an entry for each layer,
    layer 0 first:

    - gradients[l] is the gradient of weights[l];
    - held[l] counts the inputs that are there when backward runs for
      layer l: the kept ones of its segment and of those before, and the
      recomputed ones up to its own. An input is freed as soon as
      backward has run for its layer.

    Leave the arguments as they are.

    Example: of 4 layers with every = 2, the inputs of layers 0 and 2
    were kept. For layer 3 its own input is recomputed, so 3 are there;
    for layer 2 there are 2. Then that of layer 1 is recomputed. held is
    [1, 2, 2, 3].
    """
    gradients, held = [], []
    for number, weight in enumerate(weights):
        # Here the layers' inputs are recomputed, and the gradients go
        # backward.
        gradients.append(np.zeros_like(weight))
        held.append(len(weights))
    return gradients, held
