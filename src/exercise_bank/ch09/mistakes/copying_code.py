"""Wrong ways to compute the logits of a head, and a function for most wrong answers."""

from collections.abc import Callable

import torch
from torch import Tensor

from exercise_bank.ch09.mistakes.copying_counts import copied, mean_of_tokens

Matrices = tuple[Tensor, Tensor, Tensor, Tensor]


def product(path: str, e: Tensor, v: Tensor, o: Tensor, u: Tensor) -> Tensor:
    """Multiply matrices by their letters; a capital means the transpose. Heads come first."""
    letters = {"e": e, "v": v, "o": o, "u": u, "E": e.mT, "V": v.mT, "O": o.mT, "U": u.mT}
    result = letters[path[0]]
    for letter in path[1:]:
        result = result @ letters[letter]
    return result if result.ndim == 3 else result.expand(len(v), -1, -1)


def wrong(
    embedding: Tensor,
    to_value: Tensor,
    to_output: Tensor,
    unembedding: Tensor,
    *,
    path: str = "evou",
    plus: str = "",
    minus: str = "",
    prepare: Callable[..., Matrices] | None = None,
    change: Callable[[Tensor], Tensor] | None = None,
    compare: Callable[..., Tensor] | None = None,
    counts: Callable[[Tensor], Tensor] = copied,
    gives: Callable[[Tensor], Tensor] = mean_of_tokens,
) -> Tensor:
    """Compute logits, decide which tokens are copied, and sum up.

    Args:
        embedding: W_E.
        to_value: W_V of each head.
        to_output: W_O of each head.
        unembedding: W_U.
        path: the letters of the product, see :func:`product`.
        plus: another product to add.
        minus: another product to subtract.
        prepare: changes the four matrices first.
        change: changes the logits.
        compare: computes the logits, in place of a product.
        counts: from the logits to a number for each token, (h, v).
        gives: from these to the output.
    """
    four = embedding, to_value, to_output, unembedding
    if prepare is not None:
        four = prepare(*four)
    logits = product(path, *four) if compare is None else compare(*four)
    if plus:
        logits = logits + product(plus, *four)
    if minus:
        logits = logits - product(minus, *four)
    return gives(counts(logits if change is None else change(logits)))


def columns_to_length_1(logits: Tensor) -> Tensor:
    return logits / logits.norm(dim=-2, keepdim=True)


def softmax_of_columns(logits: Tensor) -> Tensor:
    return logits.softmax(dim=-2)


def turned(logits: Tensor) -> Tensor:
    return logits.mT


def by_angle(e: Tensor, v: Tensor, o: Tensor, u: Tensor) -> Tensor:
    written = e @ v @ o
    return (
        torch.nn.functional.normalize(written, dim=-1) @ torch.nn.functional.normalize(e, dim=-1).T
    )


def by_distance(e: Tensor, v: Tensor, o: Tensor, u: Tensor) -> Tensor:
    written = e @ v @ o
    return -torch.cdist(written, e.expand(len(written), -1, -1))


def output_centred(e: Tensor, v: Tensor, o: Tensor, u: Tensor) -> Tensor:
    written = e @ v @ o
    return (written - written.mean(dim=-1, keepdim=True)) @ u


def values_centred(e: Tensor, v: Tensor, o: Tensor, u: Tensor) -> Tensor:
    values = e @ v
    return (values - values.mean(dim=-1, keepdim=True)) @ o @ u


def unit_unembedding(e: Tensor, v: Tensor, o: Tensor, u: Tensor) -> Matrices:
    return e, v, o, u / u.norm(dim=0)


def tokens_centred(e: Tensor, v: Tensor, o: Tensor, u: Tensor) -> Matrices:
    return e - e.mean(dim=0), v, o, u


def features_centred(e: Tensor, v: Tensor, o: Tensor, u: Tensor) -> Matrices:
    return e - e.mean(dim=-1, keepdim=True), v, o, u


def heads_summed(e: Tensor, v: Tensor, o: Tensor, u: Tensor) -> Matrices:
    every = (v @ o).sum(dim=0).expand(len(v), -1, -1)
    return e, every, torch.eye(o.shape[-1], dtype=o.dtype), u


def matrices_summed(e: Tensor, v: Tensor, o: Tensor, u: Tensor) -> Matrices:
    return e, v.sum(dim=0).expand(len(v), -1, -1), o.sum(dim=0), u


def reshaped(e: Tensor, v: Tensor, o: Tensor, u: Tensor) -> Matrices:
    h, m, d = v.shape
    return e, v.reshape(m, h * d).expand(h, -1, -1), o.reshape(h * d, m), u


def first_value(e: Tensor, v: Tensor, o: Tensor, u: Tensor) -> Matrices:
    return e, v[:1], o, u


def first_output(e: Tensor, v: Tensor, o: Tensor, u: Tensor) -> Matrices:
    return e, v, o[:1], u
