"""Model states per GPU, by ZeRO stage.

Check it with: worldsize check zero_bytes.py
"""


def zero_bytes(params, gpus, stage):
    """Bytes of weights, gradients and optimizer states on one GPU.

    The model has `params` parameters and is trained with Adam in mixed
    precision: for each parameter 16-bit weights, 16-bit gradients, and
    the optimizer's three 32-bit values (a master copy of the weights,
    momentum and variance). `gpus` (1 or more) share the work.

    `stage` says what is shared out among the GPUs, each part divided by
    their number: 0 nothing, 1 the optimizer states, 2 the gradients too,
    3 the weights too.

    Return three numbers, in bytes: (weights, gradients, optimizer).
    Divide plainly, also where the number of GPUs does not divide the
    parameters; nothing is rounded.
    """
    weights = 2 * params
    gradients = 0
    optimizer = 0
    return weights, gradients, optimizer
