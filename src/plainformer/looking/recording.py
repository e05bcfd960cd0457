"""Record the attention weights while a model runs."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

import torch
from torch import Tensor, nn

from plainformer.latent_attention import LatentAttention
from plainformer.multihead import MultiHeadAttention
from plainformer.observing import Call, Observer

Attention = MultiHeadAttention | LatentAttention


@dataclass
class Recorded:
    """The attention of one run of a model, in the order in which the layers ran.

    Args:
        weights: one tensor (b, h, q, k) for each call of attention; each row sums to 1, or is all
            zeros for a fully masked query. With a cache, key i is at position i. An engine packs
            its requests into one row, and their keys likewise, in the same order.
        values: the values (b, h, k, e) that they average.
        outputs: the output of each head, (b, h, q, e).
        names: the name of the module of each call, such as ``blocks.0.attention``.
    """

    weights: list[Tensor] = field(default_factory=list)
    values: list[Tensor] = field(default_factory=list)
    outputs: list[Tensor] = field(default_factory=list)
    names: list[str] = field(default_factory=list)


@contextmanager
def recorded(model: nn.Module) -> Iterator[Recorded]:
    """Record every call of attention in ``model`` while the block runs.

    The weights are computed in addition to each layer's own back end or cache, which still computes
    the output: a head that :func:`~plainformer.looking.ablation.ablated` has silenced stays silent.
    Generation and serving are also recorded, step by step, with the model itself and not with its
    packed weights. Afterwards the model is restored, also after an error.

    Args:
        model: any model of this package.

    Yields:
        The record, which grows as the model runs.

    Raises:
        ValueError: the model has no :class:`~plainformer.multihead.MultiHeadAttention`, and no
            :class:`~plainformer.latent_attention.LatentAttention`.

    Cost: h·q·k numbers for each layer, kept until the record is dropped.
    """
    record = Recorded()
    added = [(layer, Recorder(record, name)) for name, layer in attentions(model)]
    with observed_by(added):
        yield record


@contextmanager
def observed_by(added: Sequence[tuple[Attention, Observer]]) -> Iterator[None]:
    """Add observers to layers while the block runs; those that record come last.

    Args:
        added: layers, and their observers.
    """
    try:
        for layer, observer in added:
            layer.observers.append(observer)
            layer.observers.sort(key=lambda one: isinstance(one, Recorder))
        yield
    finally:
        for layer, observer in added:
            layer.observers[:] = [one for one in layer.observers if one is not observer]


def attentions(model: nn.Module) -> list[tuple[str, Attention]]:
    """List the attention modules of a model, with their names.

    Args:
        model: any model of this package.

    Raises:
        ValueError: the model has none.
    """
    found = [(n, m) for n, m in model.named_modules() if isinstance(m, Attention)]
    if not found:
        raise ValueError(
            f"{type(model).__name__} has no MultiHeadAttention and no LatentAttention: nothing to "
            "look at"
        )
    return found


class Recorder:
    """Record the calls of one layer, without changing its heads.

    Args:
        record: the record to extend.
        name: the layer's name.
    """

    def __init__(self, record: Recorded, name: str) -> None:
        self.record, self.name = record, name

    def __call__(self, heads: Tensor, call: Call) -> Tensor:
        """Record the weights, the values and the output of a call."""
        weights, values = call.weights_and_values()
        seen = _kept(weights), _kept(values), _kept(heads), self.name
        record = self.record  # all four, or, after an error, none
        for kept, one in zip(vars(record).values(), seen, strict=True):
            kept.append(one)
        return heads


def _kept(x: Tensor) -> Tensor:
    """Return a detached tensor; for one made in inference mode, an ordinary copy."""
    with torch.inference_mode(False):
        return x.clone() if x.is_inference() else x.detach()
