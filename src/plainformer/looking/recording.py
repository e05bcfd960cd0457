"""Write down the attention weights while a model runs."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import torch
from torch import Tensor, nn

from plainformer.attention import Attend, Bias, attention_weights
from plainformer.heads import repeat_heads
from plainformer.mask_rules import Rule
from plainformer.mask_tensors import written_out
from plainformer.multihead import MultiHeadAttention
from plainformer.scores import Score, scaled_dot


@dataclass
class Recorded:
    """What one pass through a model showed, in the order in which the layers ran.

    Args:
        weights: one tensor (b, h, q, k) for each call of attention; each row sums to 1, or is all
            zeros where a query may look nowhere.
        values: the values (b, h, k, e) that they average.
        outputs: what each head gave, (b, h, q, e).
        names: where in the model each call happened, such as ``blocks.0.attention``.
    """

    weights: list[Tensor] = field(default_factory=list)
    values: list[Tensor] = field(default_factory=list)
    outputs: list[Tensor] = field(default_factory=list)
    names: list[str] = field(default_factory=list)


@contextmanager
def recorded(model: nn.Module) -> Iterator[Recorded]:
    """Record every call of attention in ``model`` while the block runs.

    The weights are computed beside each layer's own back end, which still makes the output: what
    :func:`~plainformer.looking.ablation.ablated` has silenced stays silent. Afterwards the model
    is as it was, also after an error.

    Args:
        model: any model of this package.

    Yields:
        The record, which fills as the model runs.

    Raises:
        ValueError: the model has no :class:`~plainformer.multihead.MultiHeadAttention`.

    Cost: h·q·k numbers for each layer, kept until the record is dropped.
    """
    record = Recorded()
    before = {layer: layer.backend for _, layer in attentions(model)}
    for name, layer in attentions(model):
        layer.backend = _keeping(record, name, layer.backend)
    try:
        yield record
    finally:
        for layer, backend in before.items():
            layer.backend = backend


def attentions(model: nn.Module) -> list[tuple[str, MultiHeadAttention]]:
    """List the attention modules of a model, with their names.

    Args:
        model: any model of this package.

    Raises:
        ValueError: there is none.
    """
    found = [(n, m) for n, m in model.named_modules() if isinstance(m, MultiHeadAttention)]
    if not found:
        raise ValueError(f"{type(model).__name__} has no MultiHeadAttention: nothing to look at")
    return found


def _keeping(record: Recorded, name: str, backend: Attend) -> Attend:
    def attend(
        query: Tensor,
        key: Tensor,
        value: Tensor,
        mask: Tensor | Rule | None = None,
        *,
        score: Score = scaled_dot,
        bias: Tensor | Bias | None = None,
    ) -> Tensor:
        h = query.shape[-3]
        output = backend(query, key, value, mask, score=score, bias=bias)
        mask, bias = written_out(mask, bias, query.shape[-2], key.shape[-2], query.device)
        with torch.no_grad():
            keys, values = repeat_heads(key, h), repeat_heads(value, h)
            weights = attention_weights(query, keys, mask, score=score, bias=bias)
        for kept, seen in ((record.weights, weights), (record.values, values)):
            kept.append(seen.detach())
        record.outputs.append(output.detach())
        record.names.append(name)
        return output

    return attend
