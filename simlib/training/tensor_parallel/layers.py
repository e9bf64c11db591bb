"""The decoder's layers on t ranks in lockstep: lists have one entry a rank."""

from __future__ import annotations

from dataclasses import dataclass, field

from simlib.decoder import Batch, Block, Dropout
from simlib.decoder import operations as op
from simlib.decoder.layers import Saved, Views
from simlib.decoder.layout import Array
from simlib.decoder.overflow import QUIET
from simlib.training.course import Recorder
from simlib.training.tensor_parallel import vocabulary as vocab
from simlib.training.tensor_parallel.pairs import (
    attention_part,
    attention_part_backward,
    mlp_part,
    mlp_part_backward,
    sum_over_positions,
)
from simlib.training.tensor_parallel.regions import Region
from simlib.training.tensor_parallel.split import Split

Ranks = list[Array]


@dataclass(eq=False)
class Ranked:
    """All ranks in one pass: `parameters[rank][layer]`, gradients likewise, and what each layer saved."""

    split: Split
    region: Region
    recorder: Recorder
    parameters: list[list[Views]]
    gradients: list[list[Views]]
    mistake: str | None = None
    saved: list[list[Saved]] = field(default_factory=list)  # by rank, then in the order of the layers' parts

    @QUIET
    def forward(self, batch: Batch, dropouts: list[Dropout | None]) -> list[float]:
        """Every rank's mean loss: the same on all, unless something is wrong."""
        ranks = range(self.split.tensor)
        self.saved = [[] for _ in ranks]
        xs = self._embed(batch)
        for number, layer in enumerate(self.split.decoder.layers[1:-1], start=1):
            assert isinstance(layer, Block)
            xs = self._half(xs, layer, number, "attention", dropouts)
            xs = self._half(xs, layer, number, "MLP", dropouts)
        rows = self.region.enter("output", self._norm(xs, -1, "norm"))
        scores = [op.linear(r, self.parameters[rank][-1]["output.weight"]) for rank, r in enumerate(rows)]
        firsts = [self.split.vocabulary(rank)[0] for rank in ranks]
        losses, probabilities = vocab.cross_entropy(self.recorder, scores, batch.targets, firsts)
        for rank in ranks:
            self.saved[rank].append({"rows": rows[rank], "probabilities": probabilities[rank]})
        self.recorder.note("forward", "head")
        return losses

    @QUIET
    def backward(self, batch: Batch, d_loss: float) -> None:
        """Adds every rank's gradients to `gradients`."""
        d_rows = []
        for rank, kept in enumerate([saved.pop() for saved in self.saved]):
            first = self.split.vocabulary(rank)[0]
            d_scores = vocab.cross_entropy_backward(kept["probabilities"], batch.targets, first, d_loss)
            p, g = self.parameters[rank][-1], self.gradients[rank][-1]
            d_x, d_weight, _ = op.linear_backward(d_scores, kept["rows"], p["output.weight"])
            g["output.weight"] += d_weight
            d_rows.append(d_x)
        d_xs = self._norm_backward(self.region.enter_backward("output", d_rows), -1, "norm")
        self.recorder.note("backward", "head")
        for number, layer in reversed(list(enumerate(self.split.decoder.layers))[1:-1]):
            assert isinstance(layer, Block)
            d_xs = self._half_backward(d_xs, layer, number, "MLP")
            d_xs = self._half_backward(d_xs, layer, number, "attention")
        whole = self.region.leave_backward("embedding", d_xs)
        for rank, d_x in enumerate(whole):
            first, stop = self.split.vocabulary(rank)
            g = self.gradients[rank][0]
            g["tokens"] += vocab.look_up_backward(d_x, batch.inputs, first, stop - first)
            own = self.region.own(rank, g["positions"][None, : d_x.shape[1]])[0]  # a view
            own += d_xs[rank].sum(axis=0)
        self.recorder.note("backward", "embedding")

    def _embed(self, batch: Batch) -> Ranks:
        partials = []
        for rank in range(self.split.tensor):
            table = self.parameters[rank][0]["tokens"]
            partials.append(vocab.look_up(table, batch.inputs, self.split.vocabulary(rank)[0]))
        xs = self.region.leave("embedding", partials)
        positions = [p[0]["positions"][None, : batch.inputs.shape[1]] for p in self.parameters]
        xs = [x + self.region.own(rank, positions[rank]) for rank, x in enumerate(xs)]
        self.recorder.note("forward", "embedding")
        return xs

    def _half(self, xs: Ranks, layer: Block, number: int, kind: str, dropouts: list[Dropout | None]) -> Ranks:
        """x + dropout(pair(LayerNorm(x))), for attention or for the MLP."""
        what, attends = f"{kind} of {layer.name}", kind == "attention"
        rows = self.region.enter(what, self._norm(xs, number, "norm1" if attends else "norm2"))
        bias = "project.bias" if attends else "down.bias"
        partials = []
        for rank, r in enumerate(rows):
            p = self.parameters[rank][number]
            out, kept = attention_part(r, p, self.split.heads(rank)) if attends else mlp_part(r, p)
            if self.mistake == "bias-on-every-rank":
                out = out + p[bias]
            self.saved[rank].append(kept)
            partials.append(out)
        outs = self.region.leave(what, partials)
        if self.mistake != "bias-on-every-rank":
            outs = [out + self.parameters[rank][number][bias] for rank, out in enumerate(outs)]
        for rank, dropout in enumerate(dropouts):
            if dropout is not None:
                mask = self._mask(rank, dropout, 2 * layer.number + (not attends), rows[rank], outs[rank])
                outs[rank] = outs[rank] * mask
                self.saved[rank][-1]["mask"] = mask
        self.recorder.note("forward", what)
        return [x + out for x, out in zip(xs, outs, strict=True)]

    def _mask(self, rank: int, dropout: Dropout, place: int, rows: Array, out: Array) -> Array:
        if self.mistake == "same-seed-for-noise":
            # Every rank draws the mask of its own shape from the same seed: the first positions' mask, everywhere
            return dropout.mask(place, rows.shape[1:], out.dtype)[:, : out.shape[1]]
        return self.region.own(rank, dropout.mask(place, rows.shape[1:], out.dtype))

    def _half_backward(self, d_xs: Ranks, layer: Block, number: int, kind: str) -> Ranks:
        what, attends = f"{kind} of {layer.name}", kind == "attention"
        kept = [saved.pop() for saved in self.saved]
        d_outs = [d_x * k["mask"] if "mask" in k else d_x for d_x, k in zip(d_xs, kept, strict=True)]
        wholes = self.region.leave_backward(what, d_outs)
        partials = []
        for rank, d_out in enumerate(wholes):
            p, g = self.parameters[rank][number], self.gradients[rank][number]
            g["project.bias" if attends else "down.bias"] += sum_over_positions(d_outs[rank])
            if attends:
                partials.append(attention_part_backward(d_out, kept[rank], p, g, self.split.heads(rank)))
            else:
                partials.append(mlp_part_backward(d_out, kept[rank], p, g))
        d_rows = self.region.enter_backward(what, partials)
        d_norms = self._norm_backward(d_rows, number, "norm1" if attends else "norm2")
        self.recorder.note("backward", what)
        return [d_x + d_norm for d_x, d_norm in zip(d_xs, d_norms, strict=True)]

    def _norm(self, xs: Ranks, number: int, name: str) -> Ranks:
        rows = []
        for rank, x in enumerate(xs):
            p = self.parameters[rank][number]
            row, normal, scale = op.layer_norm(x, p[f"{name}.gain"], p[f"{name}.bias"])
            self.saved[rank].append({"normal": normal, "scale": scale})
            rows.append(row)
        return rows

    def _norm_backward(self, d_rows: Ranks, number: int, name: str) -> Ranks:
        d_xs = []
        for rank, d_row in enumerate(d_rows):
            kept, p, g = self.saved[rank].pop(), self.parameters[rank][number], self.gradients[rank][number]
            d_x, d_gain, d_bias = op.layer_norm_backward(d_row, kept["normal"], kept["scale"], p[f"{name}.gain"])
            g[f"{name}.gain"] += d_gain
            g[f"{name}.bias"] += d_bias
            d_xs.append(d_x)
        return d_xs
