"""How fast the small model trains: `python tests/benchmarks/training_speed.py [--steps N] [--precision single]`.

The yardstick is a plain NumPy loop of the same arithmetic, written out below without layers, workers or records; it
ends at the same loss. One simulated worker should take at most 1.5 times as long, four data-parallel workers at most
1.3 times as long as one. All runs take turns step by step, so that a busy machine slows all of them; the median of
the steps' times counts.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Iterator
from math import pi, sqrt
from pathlib import Path
from typing import Any

import numpy as np

from simlib.decoder import Corpus, Decoder, Sizes, corpus, initial_parameters
from simlib.optimizers import AdamW
from simlib.training import data_parallel, one_device, pipeline, sharded, tensor_parallel
from simlib.training.demonstration import MODEL, one_against_many
from simlib.training.settings import Settings

LESSONS = Path(__file__).parents[2] / "lessons"
RATE, BETA1, BETA2, EPSILON, DECAY = 3e-3, 0.9, 0.999, 1e-8, 0.01
Array = np.ndarray[Any, Any]


def norm(x: Array, g: Array, b: Array) -> tuple[Array, Array, Array]:
    centred = x - x.mean(-1, keepdims=True)
    scale = 1 / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-5)
    n = centred * scale
    return n * g + b, n, scale


def norm_back(d: Array, n: Array, scale: Array, g: Array) -> tuple[Array, Array, Array]:
    dn = d * g
    dx = scale * (dn - dn.mean(-1, keepdims=True) - n * (dn * n).mean(-1, keepdims=True))
    return dx, (d * n).sum((0, 1)), d.sum((0, 1))


def heads_of(x: Array) -> Array:
    b, t, h = x.shape
    return x.reshape(b, t, MODEL.heads, h // MODEL.heads).transpose(0, 2, 1, 3)


def joined(x: Array) -> Array:
    b, a, t, d = x.shape
    return x.transpose(0, 2, 1, 3).reshape(b, t, a * d)


def plain_loop(decoder: Decoder, text: Corpus, settings: Settings) -> Iterator[float]:
    """Forward, backward and AdamW over a dict of arrays. Yields each step's loss."""
    layout = decoder.layout
    flat = initial_parameters(decoder, settings.seed, settings.formats.master)
    w = {name: view.copy() for name, view in layout.views(flat).items()}
    m = {name: np.zeros_like(a) for name, a in w.items()}
    v = {name: np.zeros_like(a) for name, a in w.items()}
    c = sqrt(2 / pi)
    mask = np.triu(np.full((MODEL.context, MODEL.context), -np.inf, flat.dtype), 1)
    size = sqrt(MODEL.hidden // MODEL.heads)
    for step in range(1, settings.steps + 1):
        batch = text.batch(MODEL.context, settings.windows, step - 1, settings.seed)
        tokens, targets = batch.inputs, batch.targets
        n = tokens.size
        g: dict[str, Array] = {}
        kept = []
        x = w["embedding/tokens"][tokens] + w["embedding/positions"]
        for i in range(MODEL.layers):
            p = f"block {i}/"
            r1, n1, s1 = norm(x, w[p + "norm1.gain"], w[p + "norm1.bias"])
            q, k, val = (heads_of(a) for a in np.split(r1 @ w[p + "qkv.weight"] + w[p + "qkv.bias"], 3, axis=-1))
            scores = q @ k.swapaxes(-1, -2) / size + mask
            e = np.exp(scores - scores.max(-1, keepdims=True))
            a = e / e.sum(-1, keepdims=True)
            o = joined(a @ val)
            x = x + o @ w[p + "project.weight"] + w[p + "project.bias"]
            r2, n2, s2 = norm(x, w[p + "norm2.gain"], w[p + "norm2.bias"])
            u = r2 @ w[p + "up.weight"] + w[p + "up.bias"]
            th = np.tanh(c * (u + 0.044715 * u * u * u))
            ge = 0.5 * u * (1 + th)
            x = x + ge @ w[p + "down.weight"] + w[p + "down.bias"]
            kept.append((r1, n1, s1, q, k, val, a, o, r2, n2, s2, u, th, ge))
        r, nf, sf = norm(x, w["head/norm.gain"], w["head/norm.bias"])
        logits = (r @ w["head/output.weight"]).reshape(n, -1)
        logits -= logits.max(-1, keepdims=True)
        e = np.exp(logits)
        total = e.sum(-1, keepdims=True)
        rows = np.arange(n)
        loss = float((np.log(total[:, 0]) - logits[rows, targets.reshape(-1)]).mean())
        d = e / total
        d[rows, targets.reshape(-1)] -= 1
        d /= n
        g["head/output.weight"] = r.reshape(n, -1).T @ d
        d = (d @ w["head/output.weight"].T).reshape(x.shape)
        dx, g["head/norm.gain"], g["head/norm.bias"] = norm_back(d, nf, sf, w["head/norm.gain"])
        for i in reversed(range(MODEL.layers)):
            p = f"block {i}/"
            r1, n1, s1, q, k, val, a, o, r2, n2, s2, u, th, ge = kept[i]
            g[p + "down.weight"] = ge.reshape(n, -1).T @ dx.reshape(n, -1)
            g[p + "down.bias"] = dx.sum((0, 1))
            d = dx @ w[p + "down.weight"].T
            d = d * (0.5 * (1 + th) + 0.5 * u * (1 - th * th) * c * (1 + 3 * 0.044715 * u * u))
            g[p + "up.weight"] = r2.reshape(n, -1).T @ d.reshape(n, -1)
            g[p + "up.bias"] = d.sum((0, 1))
            d, g[p + "norm2.gain"], g[p + "norm2.bias"] = norm_back(
                d @ w[p + "up.weight"].T, n2, s2, w[p + "norm2.gain"]
            )
            dx = dx + d
            g[p + "project.weight"] = o.reshape(n, -1).T @ dx.reshape(n, -1)
            g[p + "project.bias"] = dx.sum((0, 1))
            do = heads_of(dx @ w[p + "project.weight"].T)
            da = do @ val.swapaxes(-1, -2)
            ds = a * (da - (da * a).sum(-1, keepdims=True)) / size
            d = np.concatenate(
                [joined(part) for part in (ds @ k, ds.swapaxes(-1, -2) @ q, a.swapaxes(-1, -2) @ do)], axis=-1
            )
            g[p + "qkv.weight"] = r1.reshape(n, -1).T @ d.reshape(n, -1)
            g[p + "qkv.bias"] = d.sum((0, 1))
            d, g[p + "norm1.gain"], g[p + "norm1.bias"] = norm_back(
                d @ w[p + "qkv.weight"].T, n1, s1, w[p + "norm1.gain"]
            )
            dx = dx + d
        table = np.zeros_like(w["embedding/tokens"])
        np.add.at(table, tokens, dx)
        g["embedding/tokens"], g["embedding/positions"] = table, dx.sum(0)
        for name in w:
            m[name] = BETA1 * m[name] + (1 - BETA1) * g[name]
            v[name] = BETA2 * v[name] + (1 - BETA2) * g[name] ** 2
            change = (m[name] / (1 - BETA1**step)) / (np.sqrt(v[name] / (1 - BETA2**step)) + EPSILON)
            w[name] = w[name] - RATE * (change + DECAY * w[name])
        yield loss


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=60, help="steps of each run (default 60)")
    parser.add_argument("--precision", choices=["double", "single"], default="double")
    options = parser.parse_args()
    prose = "\n".join(path.read_text(encoding="utf-8") for path in sorted(LESSONS.glob("*/lesson.md")))
    text = corpus(prose)
    decoder = Decoder(Sizes(text.vocab, MODEL.context, MODEL.hidden, MODEL.heads, MODEL.layers))
    settings = Settings(
        max(2, options.steps), 16, AdamW(RATE, BETA1, BETA2, EPSILON, DECAY), precision=options.precision
    )
    print(f"{decoder.size:,} parameters, 16 windows of {MODEL.context} characters, {options.precision} precision")
    runs: dict[str, Iterator[Any]] = {
        "plain NumPy loop": plain_loop(decoder, text, settings),
        "1 worker": one_device.train(decoder, text, settings),
        "4 workers, data parallel": data_parallel.train(decoder, text, settings, 4),
        "4 workers, ZeRO stage 2": sharded.train(decoder, text, settings, 4, 2),
        "4 workers, ZeRO stage 3": sharded.train(decoder, text, settings, 4, 3),
        "4 ranks, tensor parallel": tensor_parallel.train(decoder, text, settings, 4),
        "4 stages, 1F1B, 8 micro-batches": pipeline.train(decoder, text, settings, 4, 8),
    }
    seconds: dict[str, list[float]] = {name: [] for name in runs}
    losses: dict[str, float] = {}
    for _ in range(settings.steps):
        for name, run in runs.items():
            start = time.perf_counter()
            done = next(run)
            seconds[name].append(time.perf_counter() - start)
            losses[name] = done if isinstance(done, float) else done.loss
    middle = {name: statistics.median(times) for name, times in seconds.items()}
    print(f"{'run':<34}{'ms a step':>10}{'x plain':>9}{'x 1 worker':>12}{'last loss':>14}")
    for name, one in middle.items():
        ratios = f"{one / middle['plain NumPy loop']:>9.2f}{one / middle['1 worker']:>12.2f}"
        print(f"{name:<34}{1e3 * one:>10.2f}{ratios}{losses[name]:>14.9f}")
    start = time.perf_counter()
    last = list(one_against_many(prose))[-1]
    print(f"1 x 16 against 4 x 4 windows, {last.steps} steps: {time.perf_counter() - start:.1f} s, ", end="")
    print(f"validation loss {last.validation_one:.6f} and {last.validation_many:.6f}")


if __name__ == "__main__":
    main()
