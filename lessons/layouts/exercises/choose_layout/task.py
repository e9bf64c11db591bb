"""Choose a layout that fits and is fast.

Check it with: worldsize check choose_layout.py
"""


def choose_layout(model, machine, batch, seconds):
    """A layout of `model` on `machine` with steps of at most `seconds`.

    model    layers L, hidden h, heads a, vocab V, sequence s: a GPT with
             12 h^2 parameters in a layer and V h in its embedding
    machine  gpus, gpus_per_server; memory and reserved, bytes of a GPU;
             flops, FLOP/s that a GPU achieves; link and network, bytes/s
             inside a server and between servers
    batch    sequences of a step, all copies together

    Return a dict: data d, tensor t, pipeline p, zero (0 to 3),
    micro_batch b, checkpointing ("none", "selective" or "full"). d t p is
    the number of GPUs; t divides the heads, p the layers, d b the batch;
    with one copy zero is 0. `seconds` is a tenth more than the fastest
    needs.

    There are a few hundred layouts: try them all. What each costs, on the
    busiest stage, with m = batch / (d b) micro-batches:

    - Parameters of a GPU: P = (12 h^2 L / p + V h) / t.
    - Bytes: reserved; weights 2 P, gradients 2 P, optimizer states 12 P,
      each over d from ZeRO stage 3, 2 and 1 on; and activations. Leave 4%
      of the memory free for what is not in this list.
    - Activations that a layer keeps (scores: 5 a s^2 b / t bytes):
        none       s b h (10 + 24 / t) + scores
        selective  s b h (10 + 24 / t)
        full       2 s b h
      A stage has L / p layers, and under 1F1B min(m, p) micro-batches.
      Add once what is computed again for the layer at work (selective:
      the scores; full: all of "none"), and 4 V s b / t of logits.
    - FLOPs of a GPU for each token of its copy (batch s / d of them):
      6 P + 12 h s L / (p t). Selective adds 4 h s L / (p t), full a third
      of it all.
    - Tensor traffic: for each of the L / p layers and m micro-batches 4
      all-reduces (full: 6) of 2 s b h bytes.
    - Data traffic: an all-reduce of 2 P bytes a step. Zero 2: half of one
      for each micro-batch, and half of one a step. Zero 3: one and a half
      for each micro-batch.
    - A ring all-reduce of n ranks sends 2 (n - 1) / n of its bytes, and
      nothing hides. Ranks count through tensor, data, pipeline. A group
      takes the links if no group of its kind leaves its server, and the
      network otherwise.
    - Bubble: all but the data traffic takes (p - 1) / m longer.
    """
    return {
        "data": machine["gpus"],
        "tensor": 1,
        "pipeline": 1,
        "zero": 0,
        "micro_batch": 1,
        "checkpointing": "none",
    }
