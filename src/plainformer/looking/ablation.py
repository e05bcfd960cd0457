"""Replace the output of heads, to measure their effect."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import torch
from torch import Tensor, nn

from plainformer.looking.recording import Attention, Recorded, attentions, observed_by
from plainformer.observing import Call, Observer


@contextmanager
def ablated(
    model: nn.Module, heads: Sequence[tuple[int, int]], *, by: str | Recorded = "zero"
) -> Iterator[None]:
    """Silence heads while the block runs, also in generation and serving.

    Args:
        model: any model of this package.
        heads: pairs (layer, head), both from 0, with layers in the order of the model's modules.
        by: ``"zero"`` silences the head; ``"mean"`` replaces its output by its mean over batch and
            positions, which removes its information but not its average; a record replaces it by
            its mean in that record, which also works in a step with a cache.

    Raises:
        ValueError: there is no such layer or head, ``by`` is not one of these, or ``"mean"`` is
            used in a step with a cache.

    Ref: Michel et al. 2019, section 2.3 (zero); Wang et al. 2023, section 2.1 (mean).
    """
    if not isinstance(by, Recorded) and by not in ("zero", "mean"):
        raise ValueError(f'by={by!r}: expected "zero", "mean" or a record')
    names, layers = zip(*attentions(model), strict=True)
    for place, head in heads:
        if not (0 <= place < len(layers) and 0 <= head < layers[place].n_heads):
            sizes = [layer.n_heads for layer in layers]
            raise ValueError(
                f"no head {head} in layer {place}: there are {len(layers)} layers, with {sizes} "
                "heads, both counted from 0"
            )
    added: list[tuple[Attention, Observer]] = []
    for place, layer in enumerate(layers):
        silent = [head for where, head in heads if where == place]
        if silent:
            added.append((layer, _silencing(silent, by, _means(by, names[place]))))
    with observed_by(added):
        yield


def _silencing(silent: list[int], by: str | Recorded, means: Tensor | None) -> Observer:
    def silence(heads: Tensor, call: Call) -> Tensor:
        if by == "mean" and call.cache is not None:
            raise ValueError(
                'by="mean" takes the mean over all positions, and a step with a cache computes '
                "only the new ones: run the model without caches, or record a run of it and give "
                "the record, by=record"
            )
        share = heads.new_ones(heads.shape[-3], 1, 1)
        share[silent] = 0
        if by == "zero":
            return heads * share
        mean = heads.mean(dim=(0, 2), keepdim=True) if means is None else means.to(heads)
        return heads * share + mean * (1 - share)

    return silence


def _means(by: str | Recorded, name: str) -> Tensor | None:
    """Return the mean output (h, 1, e) of a layer's heads in a record; None without a record."""
    if not isinstance(by, Recorded):
        return None
    outputs = [x for x, where in zip(by.outputs, by.names, strict=True) if where == name]
    if not outputs:
        raise ValueError(f"by: the record holds no call of {name}; record a run of this model")
    whole = torch.cat([x.transpose(0, 1).flatten(1, 2) for x in outputs], dim=1)
    return whole.mean(dim=1, keepdim=True)
