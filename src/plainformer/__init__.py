"""Transformers in plain code: the package that the course reads as its text.

:mod:`~plainformer.one_page` is a whole model on one page. Read the rest in this order:
:mod:`~plainformer.masks`, :mod:`~plainformer.softmax`, :mod:`~plainformer.scores`,
:mod:`~plainformer.attention`, :mod:`~plainformer.multihead`, :mod:`~plainformer.blocks`,
:mod:`plainformer.models.one_stack`.
"""

from plainformer import masks
from plainformer.attention import attend, attention_weights
from plainformer.devices import device
from plainformer.multihead import MultiHeadAttention
from plainformer.scores import Additive, cosine, dot, scaled_dot
from plainformer.softmax import softmax

__all__ = [
    "Additive",
    "MultiHeadAttention",
    "attend",
    "attention_weights",
    "cosine",
    "device",
    "dot",
    "masks",
    "scaled_dot",
    "softmax",
]
