"""A small character-level decoder that really trains: the thing that gets split.

An embedding, blocks of attention and MLP with LayerNorm before each, an output layer, cross-entropy; every layer
with its forward and its backward pass written out in NumPy. All parameters of a model lie in one flat array, so that
they can be cut into shards, sent around a ring and updated together.

>>> from simlib.decoder import Decoder, Sizes, corpus, initial_parameters
>>> text = corpus("a rose is a rose is a rose. " * 20)
>>> decoder = Decoder(Sizes(text.vocab, context=8, hidden=16, heads=2, layers=1))
>>> weights = initial_parameters(decoder, seed=0)
>>> loss, gradient = decoder.loss_and_gradient(weights, text.batch(context=8, windows=4, step=0))
>>> gradient.shape == weights.shape
True
"""

from simlib.decoder.dropout import Dropout
from simlib.decoder.layers import Block, Embedding, Head
from simlib.decoder.layout import Layout
from simlib.decoder.model import Decoder, Sizes, initial_parameters
from simlib.decoder.sentences import sentences
from simlib.decoder.text import Batch, Corpus, corpus

__all__ = [
    "Batch",
    "Block",
    "Corpus",
    "Decoder",
    "Dropout",
    "Embedding",
    "Head",
    "Layout",
    "Sizes",
    "corpus",
    "initial_parameters",
    "sentences",
]
